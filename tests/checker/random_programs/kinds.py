"""The kinds of values in a random program, and how each is written as an annotation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Kind:
    """A kind of values. Those below `LocalKind` are kinds of local variables only."""

    @property
    def text(self) -> str:
        """The annotation."""
        return _text(self)

    @property
    def size(self) -> int:
        """How many values there are."""
        return _size(self)


@dataclass(frozen=True)
class Int(Kind):
    """Integers within limits, which have a name in the file."""

    name: str
    low: int
    high: int


@dataclass(frozen=True)
class Bool(Kind):
    """Truth values."""


@dataclass(frozen=True)
class Choice(Kind):
    """Members of an enumeration."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class Name(Kind):
    """Identifiers."""

    name: str
    count: int
    prefix: str = "n"


SET_LIMIT = 60
"""The most elements that a set can have, and some to spare: the sum of two numbers is no small number any more."""
SCALARS = (Int, Bool, Choice, Name)


@dataclass(frozen=True)
class Maybe(Kind):
    """A scalar or a record, or none."""

    element: Kind


@dataclass(frozen=True)
class Record(Kind):
    """Records of a class with these fields."""

    name: str
    fields: tuple[tuple[str, Kind], ...]
    base: str = ""

    @property
    def plain(self) -> bool:
        """Whether it can be a parameter and an element of a set: scalars all the way down, or sets of them, and few."""
        return self.size <= SET_LIMIT and all(
            isinstance(kind, SCALARS)
            or (isinstance(kind, Maybe | SetOf) and isinstance(kind.element, SCALARS))
            or (isinstance(kind, Record) and kind.plain)
            for _, kind in self.fields
        )


@dataclass(frozen=True)
class EitherOf(Kind):
    """Records of one of several classes, as elements of sets and parameters."""

    records: tuple[Record, ...]


@dataclass(frozen=True)
class SetOf(Kind):
    """Sets of the language."""

    element: Kind


@dataclass(frozen=True)
class MapOf(Kind):
    """Maps with fixed keys."""

    key: Kind
    value: Kind


@dataclass(frozen=True)
class LogOf(Kind):
    """Logs."""

    entry: Kind
    capacity: int


@dataclass(frozen=True)
class LocalKind(Kind):
    """What only a local variable can hold: a list, a plain Python set, a tuple, something to go through once."""

    element: Kind


class ListOf(LocalKind):
    """Lists, also those whose length depends on the state."""


class OnceOf(LocalKind):
    """Generators and iterators."""


class PlainSetOf(LocalKind):
    """Python's own sets."""


@dataclass(frozen=True)
class TupleOf(Kind):
    """Tuples of fixed length, in local variables and results only."""

    parts: tuple[Kind, ...]


BOOL = Bool()
GENERIC: dict[type[Kind], str] = {SetOf: "Set", ListOf: "list", OnceOf: "Iterable", PlainSetOf: "set"}


def _text(kind: Kind) -> str:
    match kind:
        case Int() | Choice() | Name() | Record():
            return kind.name
        case Maybe():
            return f"{kind.element.text} | None"
        case EitherOf():
            return " | ".join(record.name for record in kind.records)
        case SetOf() | LocalKind():
            return f"{GENERIC[type(kind)]}[{kind.element.text}]"
        case MapOf():
            return f"Map[{kind.key.text}, {kind.value.text}]"
        case LogOf():
            return f"Annotated[Log[{kind.entry.text}], Capacity({kind.capacity})]"
        case TupleOf():
            return f"tuple[{', '.join(part.text for part in kind.parts)}]"
    return "bool"


def _size(kind: Kind) -> int:
    match kind:
        case Int():
            return kind.high - kind.low + 1
        case Bool():
            return 2
        case Choice():
            return len(kind.members)
        case Name():
            return kind.count
        case Maybe():
            return kind.element.size + 1
        case EitherOf():
            return sum(record.size for record in kind.records)
        case Record():
            return math.prod(part.size for _, part in kind.fields)
        case SetOf():
            return 1 << kind.element.size
        case MapOf():
            return int(kind.value.size**kind.key.size)
        case LogOf():
            return sum(kind.entry.size**i for i in range(kind.capacity + 1))
    return 1 << 20


def is_scalar(kind: Kind) -> bool:
    """Whether it can be a key of a map."""
    return isinstance(kind, SCALARS)


def element_of(kind: Kind) -> Kind | None:
    """The kind of what going through such a value gives; None if it cannot be gone through."""
    if isinstance(kind, SetOf | LocalKind):
        return kind.element
    if isinstance(kind, LogOf):
        return kind.entry
    if isinstance(kind, MapOf):
        return kind.key
    return None


@lru_cache(maxsize=4096)
def parts_of(kind: Kind) -> tuple[Kind, ...]:
    """The kinds of the values that a path can lead to, from a value of this kind; that one is the first."""
    inside: tuple[Kind, ...] = ()
    if isinstance(kind, Maybe):
        inside = (kind.element,)
    elif isinstance(kind, Record):
        inside = tuple(part for _, part in kind.fields)
    elif isinstance(kind, EitherOf):
        inside = tuple(part for record in kind.records for _, part in record.fields)
    elif isinstance(kind, MapOf):
        inside = (kind.value,)
    elif isinstance(kind, LogOf):
        inside = (kind.entry,)
    elif isinstance(kind, TupleOf):
        inside = kind.parts
    return (kind, *dict.fromkeys(part for one in inside for part in parts_of(one)))
