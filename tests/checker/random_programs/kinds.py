"""The kinds of values in a random program, and how each is written as an annotation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Kind:
    """A kind of values. Those below `LocalKind` are kinds of local variables only."""

    @property
    def text(self) -> str:
        """The annotation."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """How many values there are."""
        raise NotImplementedError


@dataclass(frozen=True)
class Int(Kind):
    """Integers within limits, which have a name in the file."""

    name: str
    low: int
    high: int

    @property
    def text(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        return self.high - self.low + 1


@dataclass(frozen=True)
class Bool(Kind):
    """Truth values."""

    @property
    def text(self) -> str:
        return "bool"

    @property
    def size(self) -> int:
        return 2


@dataclass(frozen=True)
class Choice(Kind):
    """Members of an enumeration."""

    name: str
    members: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        return len(self.members)


@dataclass(frozen=True)
class Name(Kind):
    """Identifiers."""

    name: str
    count: int
    prefix: str = "n"

    @property
    def text(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        return self.count


SET_LIMIT = 60
"""The most elements that a set can have, and some to spare: the sum of two numbers is no small number any more."""
SCALARS = (Int, Bool, Choice, Name)


@dataclass(frozen=True)
class Maybe(Kind):
    """A scalar or a record, or none."""

    element: Kind

    @property
    def text(self) -> str:
        return f"{self.element.text} | None"

    @property
    def size(self) -> int:
        return self.element.size + 1


@dataclass(frozen=True)
class Record(Kind):
    """Records of a class with these fields."""

    name: str
    fields: tuple[tuple[str, Kind], ...]
    base: str = ""

    @property
    def text(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        total = 1
        for _, kind in self.fields:
            total *= kind.size
        return total

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
class SetOf(Kind):
    """Sets of the language."""

    element: Kind

    @property
    def text(self) -> str:
        return f"Set[{self.element.text}]"

    @property
    def size(self) -> int:
        return 1 << self.element.size


@dataclass(frozen=True)
class MapOf(Kind):
    """Maps with fixed keys."""

    key: Kind
    value: Kind

    @property
    def text(self) -> str:
        return f"Map[{self.key.text}, {self.value.text}]"

    @property
    def size(self) -> int:
        return int(self.value.size**self.key.size)


@dataclass(frozen=True)
class LogOf(Kind):
    """Logs."""

    entry: Kind
    capacity: int

    @property
    def text(self) -> str:
        return f"Annotated[Log[{self.entry.text}], Capacity({self.capacity})]"

    @property
    def size(self) -> int:
        return sum(self.entry.size**i for i in range(self.capacity + 1))


@dataclass(frozen=True)
class LocalKind(Kind):
    """What only a local variable can hold: a list, a plain Python set, a tuple, something to go through once."""

    element: Kind

    @property
    def size(self) -> int:
        return 1 << 20


class ListOf(LocalKind):
    """Lists, also those whose length depends on the state."""

    @property
    def text(self) -> str:
        return f"list[{self.element.text}]"


class OnceOf(LocalKind):
    """Generators and iterators."""

    @property
    def text(self) -> str:
        return f"Iterable[{self.element.text}]"


class PlainSetOf(LocalKind):
    """Python's own sets."""

    @property
    def text(self) -> str:
        return f"set[{self.element.text}]"


@dataclass(frozen=True)
class TupleOf(Kind):
    """Tuples of fixed length, in local variables and results only."""

    parts: tuple[Kind, ...]

    @property
    def text(self) -> str:
        return f"tuple[{', '.join(part.text for part in self.parts)}]"

    @property
    def size(self) -> int:
        return 1 << 20


BOOL = Bool()


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
    elif isinstance(kind, MapOf):
        inside = (kind.value,)
    elif isinstance(kind, LogOf):
        inside = (kind.entry,)
    elif isinstance(kind, TupleOf):
        inside = kind.parts
    return (kind, *dict.fromkeys(part for one in inside for part in parts_of(one)))
