"""Bounds: the finite sizes within which a protocol is explored.

A protocol declares one frozen dataclass of bounds. Read on the class, a bound is a symbolic `Size`, so that domains can
be declared once for all sizes; read on an instance it is the number::

    @dataclass(frozen=True)
    class ClassicBounds(Bounds):
        replicas: int = bound(3, least=1, most=7, help="replicas of the partition")

    Replica = Annotated[Identifier, Identifiers("b", ClassicBounds.replicas)]
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import FunctionType
from typing import Any, Self

from epochal.sentences import LONGEST, Given

from .errors import BoundsError, LanguageError, advice, require_printable


class Size:
    """A number that depends on the bounds: a bound, or a sum, difference or product of bounds and integers."""

    __slots__ = ("_of", "text")

    def __init__(self, of: Callable[[Bounds], int], text: str) -> None:
        self._of = of
        self.text = text

    def at(self, bounds: Bounds) -> int:
        """The number for these bounds."""
        return self._of(bounds)

    def __add__(self, other: int | Size) -> Size:
        return Size(lambda b: self.at(b) + size_at(other, b), f"{self.text} + {_text(other)}")

    def __sub__(self, other: int | Size) -> Size:
        return Size(lambda b: self.at(b) - size_at(other, b), f"{self.text} - {_text(other)}")

    def __mul__(self, other: int | Size) -> Size:
        return Size(lambda b: self.at(b) * size_at(other, b), f"({self.text}) * {_text(other)}")

    __radd__ = __add__
    __rmul__ = __mul__

    def __repr__(self) -> str:
        return self.text


def _text(size: int | Size) -> str:
    return size.text if isinstance(size, Size) else str(size)


def size_at(size: int | Size, bounds: Bounds) -> int:
    """The number that `size` is for these bounds."""
    return size.at(bounds) if isinstance(size, Size) else size


DATACLASS = "Write @dataclass(frozen=True) above the class of the bounds, and no __init__ in it."


def _number(bounds: Bounds, name: str, owner: type) -> int:
    """A bound by name. Raises BoundsError if these bounds have none of this name: they are of another class.

    It is a number, or what stands for one in a semantics for every choice of the bounds.
    """
    if not hasattr(bounds, name):
        raise BoundsError(
            f"{owner.__name__}.{name} is no bound of {type(bounds).__name__}, which the protocol declares",
            advice=f"Declare them in the class of the protocol: bounds: {owner.__name__}.",
        )
    found: int = getattr(bounds, name)
    return found


class BoundField:
    """The descriptor behind `bound`: a `Size` on the class, a checked number on an instance."""

    def __init__(self, default: int, least: int, most: int, help: str, why: str) -> None:
        for text, what in ((help, "help"), (why, "why")):
            require_printable(text, f"'{what}' of a bound")
        self.default = default
        self.least = least
        self.most = most
        self.help = help
        self.why = why
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Bounds | None, owner: type) -> Any:
        if instance is None:
            name = self.name
            return Size(lambda bounds: _number(bounds, name, owner), name)
        if self.name not in instance.__dict__:
            raise BoundsError(f"{type(instance).__name__} gives {self.name} no value", advice=DATACLASS)
        return instance.__dict__[self.name]

    def __set__(self, instance: Bounds, value: object) -> None:
        if isinstance(value, Size):
            value = self.default
        if isinstance(value, bool):
            raise self.no_number(value)
        try:
            value = operator.index(value)  # type: ignore[arg-type]  # tried out
        except TypeError:
            raise self.no_number(value) from None
        if not self.least <= value <= self.most:
            limit = f"at least {self.least}" if value < self.least else f"at most {self.most}"
            reason = f" ({self.why})" if self.why else ""
            raise BoundsError(
                (Given(self.name, value), f": {self.help} must be {limit}{reason}"), allowed=(self.least, self.most)
            )
        instance.__dict__[self.name] = value

    def no_number(self, value: object) -> BoundsError:
        """What is wrong with a value that is no whole number."""
        shown = value[:LONGEST] if isinstance(value, str) else value
        return BoundsError((Given(self.name), f" must be a whole number, not {shown!r}"))


def bound(default: int, *, least: int = 1, most: int = 16, help: str, why: str = "") -> Any:
    """Declare a bound of a `Bounds` dataclass.

    `least` and `most` are the values allowed; `help` says what is counted; `why` gives the reason of the limits, for
    the message about a value outside them.
    """
    if any(type(number) is not int for number in (default, least, most)) or not (type(help) is type(why) is str):
        raise LanguageError(
            "a bound is given in whole numbers, and shown as text",
            advice='Write n: int = bound(2, least=1, most=4, help="what is counted", why="why not more").',
        )
    return BoundField(default, least, most, help, why)


@dataclass(frozen=True)
class Bounds:
    """Base of every protocol's bounds. A bound cannot have the name of a method of this class."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name in vars(cls).keys() & vars(Bounds).keys():
            if isinstance(vars(cls)[name], BoundField):
                raise LanguageError(
                    f"{cls.__name__} cannot have a bound named {name!r}, which all bounds have", advice="Rename it."
                )

    @classmethod
    def declared(cls) -> dict[str, BoundField]:
        """The bounds by name, in the order of their declaration."""
        found: dict[str, BoundField] = {}
        for owner in reversed(cls.__mro__):
            found |= {name: field for name, field in vars(owner).items() if isinstance(field, BoundField)}
        return found

    def items(self) -> Iterator[tuple[str, int]]:
        """Name and value of every bound."""
        for field in fields(self):
            yield field.name, getattr(self, field.name)

    def with_values(self, named: Mapping[str, int]) -> Self:
        """The same bounds with other values for those that are named. Raises BoundsError for one that is none."""
        known = [field.name for field in fields(self)]
        for name in named:
            if name not in known:
                raise BoundsError(f"{name} is no bound of {type(self).__name__}", advice=advice(name, known, "bounds"))
        return replace(self, **named) if named else self

    def as_dict(self) -> dict[str, int]:
        """The bounds as a plain dictionary, in the order of their declaration."""
        return dict(self.items())


def no_bounds(name: str, wanted: type[Bounds], given: object) -> LanguageError:
    """What is said of a protocol that is given something else than its bounds."""
    advice = ""
    if isinstance(given, FunctionType):  # what pytest makes of a marker with a class and nothing else
        advice = f"A marker of pytest takes a class alone for what it marks: write .with_args({name})."
    return LanguageError(f"{name} takes {wanted.__name__}, not {type(given).__name__}", advice=advice)
