"""What a rule may use of the Python around it, value by value: what cannot be used is refused with the reason."""

from __future__ import annotations

import abc
import builtins
import collections
import dataclasses
import enum
import functools
import itertools
import math
import operator
import random
import time
import typing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from epochal.checker.compile.source.admitted import DEEPEST, constructible, impure_module, unfit
from epochal.spec.language import Log, Map, Set
from tests.checker.compile.zoo import Mode, Pair


def helper(n: int) -> int:
    return n


@functools.cache
def kept(n: int) -> int:
    return n


@dataclass(frozen=True)
class Data:
    n: int = 1
    more: tuple[int, ...] = ()
    listed: list[int] = field(default_factory=list)

    def grown(self) -> int:
        return self.n + 1


class Place(NamedTuple):
    row: int
    column: int = 0


class OwnPlace(Place):
    def __eq__(self, other: object) -> bool:
        return True


class Signal(enum.Enum):
    RED = 1


class OwnSignal(enum.Enum):
    RED = 1

    def __bool__(self) -> bool:
        return False


class Level(enum.IntEnum):
    LOW = 1


class Bits(enum.Flag):
    ONE = 1


class Found(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.ONE


class Adds:
    def __add__(self, other: int) -> int:
        return 1


class Plain:
    value = 3


class Abstract(abc.ABC):
    @abc.abstractmethod
    def value(self) -> int: ...


class Structural(typing.Protocol):
    pass


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    pass


class MyInt(int):
    pass


class MyDict(dict[int, int]):
    pass


class MyText(str):
    pass


@dataclass
class Hooked:
    n: int

    def __post_init__(self) -> None:
        self.n += 1


@dataclass(init=False)
class OwnInit:
    n: int

    def __init__(self) -> None:
        self.n = random.randint(0, 1)


@dataclass
class OwnNew:
    n: int

    def __new__(cls, n: int) -> OwnNew:
        return object.__new__(cls)


@dataclass
class Chance:
    n: float = field(default_factory=random.random)


@dataclass
class OwnBool:
    n: int

    def __bool__(self) -> bool:
        return False


class InitPlace(Place):
    def __init__(self, *arguments: int) -> None:
        pass


PAIR = Pair(number=0, flag=True, mode=Mode.IDLE)
FIT = [
    3,
    True,
    1.5,
    "x",
    b"x",
    None,
    ...,
    range(3),
    (1, [2, {3}], frozenset({4}), Set([5])),
    {1: (2, "three")},
    PAIR,
    (PAIR,),
    Pair,
    Data,
    Signal,
    Abstract,
    Structural,
    math,
    operator,
    dataclasses,
    helper,
    Data().grown,
    math.gcd,
    operator.add,
    operator.getitem,
    sorted,
    max,
    (1, 2).count,
    Signal.RED,
    Place(1),
    Data(),
    Plain(),
    list[int],
    typing.Any,
    property(helper),
    staticmethod(helper),
]

NOT_DATA = "have a memory, or are not data"
ALONE = "is not part of the language: a rule depends on the state alone"
UNFIT = {
    "module": (random, "the module random is not part of the language"),
    "clock": (time.time, f"time {ALONE}"),
    "function of a module": (random.seed, "the module random is not part of the language"),
    "method of chance": (random.random, "random is not part of the language"),
    "bound method": (random.Random(1).randint, "the module random is not part of the language"),
    "print": (print, f"print {ALONE}"),
    "eval": (builtins.eval, f"eval {ALONE}"),
    "operator that changes": (operator.iadd, f"iadd {ALONE}"),
    "operator that stores": (operator.setitem, f"setitem {ALONE}"),
    "method that changes": ([].append, "append is not part of the language"),
    "method of a class": (dict.fromkeys, "fromkeys is not part of the language"),
    "method of what is unfit": ([random].count, "the module random is not part of the language"),
    "wrapped": (
        functools.cache(random.seed),
        "it keeps what it has computed, and gives it again",
    ),
    "kept": (kept, "it keeps what it has computed, and gives it again"),
    "in a list": ([1, (print,)], f"print {ALONE}"),
    "as a key": ({print: 1}, f"print {ALONE}"),
    "as a value": ({1: print}, f"print {ALONE}"),
    "in a named tuple": (Place(print), f"print {ALONE}"),  # type: ignore[arg-type]  # no integer, on purpose
    "counter": (itertools.count(), f"objects of count {NOT_DATA}"),
    "queue": (collections.deque(), f"objects of deque {NOT_DATA}"),
    "generator": ((n for n in (1,)), f"objects of generator {NOT_DATA}"),
    "dictionary of another kind": (collections.OrderedDict(), "OrderedDict is a dict with changes of its own"),
    "dictionary of one's own": (MyDict(), "MyDict is a dict with changes of its own"),
    "integer of one's own": (MyInt(1), "MyInt is a int with changes of its own"),
    "text of one's own": (MyText(), "MyText is a str with changes of its own"),
    "operator of one's own": (Adds(), "Adds defines __add__, and would have a meaning of its own"),
    "named tuple of one's own": (OwnPlace(1), "OwnPlace defines __eq__, and would have a meaning of its own"),
    "member with a truth": (OwnSignal.RED, "OwnSignal defines __bool__, and would have a meaning of its own"),
    "member that is a number": (Level.LOW, "Level mixes an enumeration with another type"),
    "member of several": (Bits.ONE, "Bits has members that are made of others"),
    "metaclass": (WithMeta, "it has a metaclass"),
    "object of a metaclass": (WithMeta(), "WithMeta has a metaclass, and would have a meaning of its own"),
}


@pytest.mark.parametrize("value", FIT, ids=range(len(FIT)))
def test_it_can_be_used(value: Any) -> None:
    assert unfit(value) == ""


@pytest.mark.parametrize("case", UNFIT)
def test_it_cannot_be_used(case: str) -> None:
    value, why = UNFIT[case]
    assert unfit(value) == why


def test_values_of_the_language_can_be_used() -> None:
    made = Pair(number=0, flag=True, mode=Mode.BUSY)
    for value in (made, Mode.BUSY, Set([1]), Log, Map):
        assert unfit(value) == ""


def test_what_holds_itself_is_looked_at_once() -> None:
    """Or nearly so: values that are nested deeper are refused."""
    round: list[Any] = []
    round.append(round)
    assert unfit(round) == f"it is nested more than {DEEPEST} deep"
    nested: Any = print
    for _ in range(DEEPEST):
        nested = [nested]
    assert unfit(nested) == f"print {ALONE}"
    assert unfit([nested]) == f"it is nested more than {DEEPEST} deep"


MODULES = {
    "math": "",
    "collections.abc": "",
    "mine": "",
    "epochal.spec.language": "",
    "__main__": "",
    None: "",
    "random": "the module random is not part of the language",
    "os.path": "the module os is not part of the language",
    "sys": "the module sys is not part of the language",
}


@pytest.mark.parametrize("name", MODULES, ids=str)
def test_module(name: str | None) -> None:
    assert impure_module(name) == MODULES[name]


MADE = {
    Signal: True,
    Place: True,
    Data: True,
    OwnSignal: False,
    Level: False,
    Bits: False,
    Found: False,
    OwnPlace: False,
    InitPlace: False,
    Hooked: False,
    OwnInit: False,
    OwnNew: False,
    Chance: False,
    OwnBool: False,
    Plain: False,
    tuple: False,
    int: False,
    collections.deque: False,
    random.Random: False,
}


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_objects_that_rules_can_make(kind: type) -> None:
    assert constructible(kind) is MADE[kind]
