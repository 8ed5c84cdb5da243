"""Methods that an option brings to a protocol, such as the lemmas of a file: added, never put in another's place."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import getattr_static
from types import FunctionType

from .errors import LoadError, SourceLine, source_line
from .functions import annotation_line
from .protocol import Protocol


@dataclass(frozen=True)
class Brought:
    """A function that is to be a method called `name`; `reference` is how whoever brings it has called it."""

    name: str
    function: FunctionType
    reference: str


def with_methods(kind: type[Protocol], brought: Iterable[Brought]) -> type[Protocol]:
    """The same protocol with these methods besides its own.

    Whatever calls a method by its name means the one that it was written for: an invariant that calls a lemma would be
    another invariant if a file could give that lemma another text. So a name that stands for anything already is
    refused, whoever reaches it; a method that is there already, of the same lines of the same file, stays as it is.
    Raises LoadError, with both places.
    """
    found: dict[str, FunctionType] = {}
    for one in brought:
        if one.name in words():
            raise LoadError(
                f"{one.name} of {one.reference} is a word of the language",
                source_line(one.function),
                f"Give the function another name than {one.name}.",
            )
        there = found.get(one.name) or getattr_static(kind, one.name, None)
        place = _place(kind, one.name, there)
        if isinstance(there, FunctionType) and _same(there, one.function):
            continue
        if there is not None or place is not None or hasattr(kind, one.name):
            called = kind.name or kind.__name__
            at = f": {place}" if place is not None else ""
            raise LoadError(
                f"{one.name} of {one.reference} has the name of something that {called} has already{at}",
                source_line(one.function),
                "Give the function another name: what calls it by this one means what is there.",
            )
        found[one.name] = one.function
    if not found:
        return kind
    made: type[Protocol] = type(
        kind.__name__, (kind,), {**found, "__module__": kind.__module__, "__doc__": kind.__doc__}
    )
    return made


@functools.cache
def words() -> frozenset[str]:
    """The words of the language: what a specification imports from it."""
    from . import __all__ as language

    return frozenset(language)


def _same(one: FunctionType, other: FunctionType) -> bool:
    """Whether two functions are of the same lines of one file, which may have been imported twice."""
    a, b = one.__code__, other.__code__
    return one is other or (a == b and a.co_filename == b.co_filename and not (one.__closure__ or other.__closure__))


def _place(kind: type[Protocol], name: str, there: object) -> SourceLine | None:
    """Where something of a protocol is written; None of what is in no file."""
    for attribute in ("__func__", "fget"):
        there = getattr(there, attribute, there)
    return source_line(there) if isinstance(there, FunctionType) else annotation_line(kind, name)
