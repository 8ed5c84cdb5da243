"""From annotations to domains: what may stand after the colon of a state variable, a field or a parameter.

`bool`, an `enum.Enum` class, a `Struct` class, `X | None`, `Set[X]`, `Map[K, V]`, and `Annotated` with one of the
markers below. `Ghost[X]` marks a variable as history: properties may read it, guards may not. `Bookkeeping[X]` marks
one that stories leave out.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator
from dataclasses import dataclass
from operator import is_
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .bounds import Bounds, Size, size_at
from .domains import (
    INTEGER_LIMIT,
    BooleanDomain,
    Domain,
    EnumDomain,
    IdentifierDomain,
    IntegerDomain,
    LogDomain,
    MapDomain,
    OptionalScalar,
    OptionalStruct,
    Scalar,
    SetDomain,
    StructDomain,
    UnionDomain,
)
from .errors import LanguageError, SpecificationError, require_printable, text_of
from .functions import own_annotations
from .values import Log, Map, Set, Struct

T = TypeVar("T")
Records = dict[type[Struct], StructDomain]


@dataclass(frozen=True)
class Integers:
    """Marker: the integers from `low` to `high`, both included. `Annotated[int, Integers(0, B.log_size)]`."""

    low: int | Size
    high: int | Size


@dataclass(frozen=True)
class Identifiers:
    """Marker: `size` interchangeable names. `Annotated[Identifier, Identifiers("b", B.replicas)]` is b1, b2, ...

    Nothing more is needed to declare symmetry: a search that is asked for symmetry reduction first checks that no rule
    tells the names apart, and refuses the specification, with the line, if one does.
    """

    prefix: str
    size: int | Size
    first: int = 1


@dataclass(frozen=True)
class Capacity:
    """Marker: how many entries a log has room for. `Annotated[Log[Record], Capacity(B.log_size)]`."""

    entries: int | Size


@dataclass(frozen=True)
class GhostMark:
    """Marker behind `Ghost`."""


Ghost = Annotated[T, GhostMark()]
"""History for properties only: `committed: Ghost[Set[Record]]`."""


@dataclass(frozen=True)
class BookkeepingMark:
    """Marker behind `Bookkeeping`."""


Bookkeeping = Annotated[T, BookkeepingMark()]
"""What only the model counts, and stories leave out: `used: Bookkeeping[Budget]`. Rules read it as any variable."""


def is_bookkeeping(annotation: Any) -> bool:
    """Whether a variable's annotation says `Bookkeeping`."""
    return any(isinstance(a, BookkeepingMark) for a in getattr(annotation, "__metadata__", ()))


def is_ghost(annotation: Any) -> bool:
    """Whether a variable's annotation says `Ghost`."""
    return any(isinstance(a, GhostMark) for a in getattr(annotation, "__metadata__", ()))


MOST = 1 << 8
"""For how many classes evaluated annotations are kept: after so many all are forgotten."""

_kept: dict[type, tuple[tuple[Any, ...], dict[str, Any]]] = {}


def hints(thing: Any, names: dict[str, Any] | None = None) -> dict[str, Any]:
    """The evaluated annotations of a class or function, those of a class once for as long as it is what it was.

    Raises LanguageError naming what cannot be resolved.
    """
    if names is not None or not isinstance(thing, type):
        return _evaluated(thing, names)
    declared = tuple(_declared(thing))
    before = _kept.get(thing)
    if before is not None and len(before[0]) == len(declared) and all(map(is_, before[0], declared)):
        return dict(before[1])
    found = _evaluated(thing, None)
    if len(_kept) >= MOST:
        _kept.clear()
    _kept[thing] = declared, found
    return dict(found)


def _declared(kind: type) -> Iterator[Any]:
    """The annotations of a class and its bases as they stand there."""
    for owner in kind.__mro__:
        written = own_annotations(owner)
        yield from written.keys()
        yield from written.values()


def _evaluated(thing: Any, names: dict[str, Any] | None) -> dict[str, Any]:
    try:
        return get_type_hints(thing, localns=names, include_extras=True)
    except SpecificationError:
        raise
    except Exception as error:  # annotations are arbitrary expressions of the user
        raise LanguageError(
            f"the annotations of {getattr(thing, '__qualname__', thing)} cannot be evaluated: {text_of(error)}",
            advice="Import every name used in annotations at the top of the file.",
        ) from error


def resolve(annotation: Any, bounds: Bounds, what: str) -> Domain:
    """The domain that an annotation stands for. `what` names the annotated thing, for messages.

    Raises LanguageError if it stands for none, or for one that is too large.
    """
    try:
        return _resolve(annotation, bounds, what, {})
    except LanguageError as error:
        if what in error.message:
            raise
        raise LanguageError(f"{what}: {error.message}", error.where, error.advice) from error


def _resolve(annotation: Any, bounds: Bounds, what: str, records: Records) -> Domain:
    """The same. `records` are those that were resolved already, since one may stand in many places."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _annotated(annotation, bounds, what, records)
    if origin is Union or origin is types.UnionType:
        return _optional(list(get_args(annotation)), bounds, what, records)
    if origin is Set:
        return SetDomain(_resolve(get_args(annotation)[0], bounds, what, records))
    if origin is Map:
        key, value = get_args(annotation)
        key_domain = _resolve(key, bounds, what, records)
        if not isinstance(key_domain, Scalar):
            raise LanguageError(f"{what}: the keys of a map must be scalars, not {key_domain}")
        return MapDomain(key_domain, _stored(value, bounds, what, records))
    if origin is Log or annotation is Log:
        raise LanguageError(
            f"{what}: a log needs a capacity", advice="Write Annotated[Log[Entry], Capacity(B.log_size)]."
        )
    if annotation is bool:
        return BooleanDomain()
    if annotation is int:
        raise LanguageError(f"{what}: int is unbounded", advice="Write Annotated[int, Integers(low, high)].")
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return EnumDomain(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        if annotation not in records:
            if isinstance(annotation.text_format, str):
                require_printable(annotation.text_format, f"'text' of {annotation.__name__}")
            fields, name = hints(annotation), annotation.__name__
            if folded := [n for n in annotation.fields if is_bookkeeping(fields[n])]:
                raise LanguageError(
                    f"{name}.{folded[0]} is a field of a record, and bookkeeping are whole state variables",
                    advice="Make it a state variable of its own, or leave it out of the view that tells the record.",
                )
            parts = {n: _stored(fields[n], bounds, f"{name}.{n}", records) for n in annotation.fields}
            records[annotation] = StructDomain(annotation, parts)
        return records[annotation]
    if origin in PLAIN:
        shown = ", ".join(_shown(one) for one in get_args(annotation))
        raise LanguageError(
            f"{what}: {origin.__name__}[{shown}] is not a domain", advice=f"Write {PLAIN[origin].format(shown)}."
        )
    raise LanguageError(
        f"{what}: {annotation!r} is not a domain",
        advice="Use bool, an Enum, a Struct, Set[..], Map[.., ..], X | None, or Annotated with Integers, Identifiers "
        "or Capacity.",
    )


PLAIN: dict[Any, str] = {
    dict: "Map[{}], which has a value for every key",
    set: "Set[{}]",
    frozenset: "Set[{}]",
    list: "Annotated[Log[{0}], Capacity(n)], or Set[{0}] where neither order nor number matters",
}
"""Python's own collections, which have no bound, and what to write instead of each."""


def _shown(annotation: Any) -> str:
    """A domain inside another as it may be written; `..` if it has no name of its own."""
    return annotation.__name__ if isinstance(annotation, type) and get_origin(annotation) is None else ".."


def _annotated(annotation: Any, bounds: Bounds, what: str, records: Records) -> Domain:
    base, *markers = get_args(annotation)
    for marker in markers:
        if isinstance(marker, Integers):
            limits = size_at(marker.low, bounds), size_at(marker.high, bounds)
            if any(isinstance(limit, int) and abs(limit) >= INTEGER_LIMIT for limit in limits):
                raise LanguageError(f"{what}: the limits of Integers lie within 2**64", advice="Use a smaller domain.")
            return IntegerDomain(*limits)
        if isinstance(marker, Identifiers):
            return IdentifierDomain(marker.prefix, size_at(marker.size, bounds), marker.first)
        if isinstance(marker, Capacity):
            if get_origin(base) is not Log:
                raise LanguageError(f"{what}: Capacity is for logs", advice="Write Annotated[Log[Entry], Capacity(3)].")
            entry = _stored(get_args(base)[0], bounds, what, records)
            return LogDomain(entry, size_at(marker.entries, bounds))
    return _resolve(base, bounds, what, records)


def _stored(annotation: Any, bounds: Bounds, what: str, records: Records) -> Domain:
    """The domain of what a variable, a field, a map or a log has."""
    domain = _resolve(annotation, bounds, what, records)
    refuse_unstored(domain, what)
    return domain


def refuse_unstored(domain: Domain, what: str) -> None:
    """Raise LanguageError if a domain has values that are only elements of sets and parameters."""
    if not domain.can_be_stored:
        raise LanguageError(
            f"{what}: {domain}: records of several classes are elements of sets and parameters only",
            advice="Write one record with an enumeration that tells the kind, and fields that may be none.",
        )


def _union(parts: list[Domain], what: str) -> Domain:
    """Records of several classes."""
    kinds = [one for one in parts if isinstance(one, StructDomain)]
    if len(kinds) != len(parts):
        raise LanguageError(
            f"{what}: of unions only X | None and those of records are domains",
            advice="Write a record for each of the kinds.",
        )
    if len({one.type.__name__ for one in kinds}) != len(kinds):
        raise LanguageError(f"{what}: two of these classes have one name", advice="Rename one of them.")
    return UnionDomain(kinds)


def _optional(parts: list[Any], bounds: Bounds, what: str, records: Records) -> Domain:
    others = [p for p in parts if p is not type(None)]
    if len(others) > 1:
        union = _union([_resolve(one, bounds, what, records) for one in others], what)
        if len(others) == len(parts):
            return union
        raise LanguageError(
            f"{what}: records of several classes, or none, are no domain", advice="Write a class that stands for none."
        )
    element = _resolve(others[0], bounds, what, records)
    if isinstance(element, SetDomain):
        raise LanguageError(f"{what}: a set cannot be optional", advice="Use the empty set, or a bool beside the set.")
    if isinstance(element, Scalar) and not isinstance(element, OptionalScalar):
        return OptionalScalar(element)
    if isinstance(element, StructDomain):
        return OptionalStruct(element)
    raise LanguageError(f"{what}: only scalars and records can be optional, not {element}")
