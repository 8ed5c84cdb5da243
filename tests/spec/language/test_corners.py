"""Corners of the language that a change of the compiler would move unseen: read as Python reads them, or refused."""

from __future__ import annotations

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.spec.language import LanguageError
from tests.spec.language.snippets import Load
from tests.spec.language.test_traps import agree, rules

BESIDE = """\
class Team(Struct):
    x: Small
    who: Annotated[Log[Small], Capacity(1)]


class Club(Struct):
    team: Team


class Cell(Struct):
    x: Annotated[int, Integers(0, 1)]
    on: bool


class Twin(Struct):
    x: Annotated[int, Integers(0, 1)]
    on: bool


class Derived(Cell):
    pass


class Longer(Cell):
    more: bool


@dataclass(frozen=True)
class Most:
    most: int

    def __call__(self, value: int) -> int:
        return min(value, self.most)


MOST = Most(2)


def turned(value):
    return -value


"""
MORE = """\
    team: Team
    club: Club
    other: Map[Node, Small]
    top: ClassVar[int] = 2
    cells: Set[Cell]
    twin: Twin
    few: Set[Annotated[int, Integers(0, 1)]]
    truths: Set[bool]
    options: Set[Annotated[int, Integers(0, 1)] | None]
"""
GIVE = """\
@action
def give(self, to: Node, on: bool) -> None:
    self.other[to] = 2
    self.point.x = 3 if on else 1
"""
FILL = """\
@action
def fill(self, on: bool) -> None:
    self.cells = self.cells | {Cell(x=0, on=on)}
    self.twin.on = on
"""


def specification(body: str) -> str:
    """A specification with more of a state than usual, and two actions that change it."""
    return BESIDE + rules(body, FILL if "cells" in body else GIVE).replace(
        "\n    def helper", f"{MORE}\n    def helper"
    )


READ = {
    "an object that is called, and asked": "self.n = min(v, MOST.most)\nself.flag = MOST(v) == MOST.most",
    "a constant of the class": "self.n = min(v, Spec.top)",
    "a record or a new one": "p = self.point if self.flag else Point(x=v, on=on)\nself.flag = p.on or p.x > 1",
    "a record or none": "p = self.point if self.flag else None\nself.optional = p\nself.flag = on",
    "none or a record": "p = None if self.flag else self.point\nself.optional = p\nself.flag = on",
    "an optional record or a record": (
        "p = self.optional if self.flag else self.point\nself.flag = on\nself.n = p.x if p is not None else 3\n"
        "self.optional = self.point if on else None"
    ),
    "a union of several sets": "self.few = self.few.union({v % 2}, {0})\nself.few = self.few.union()",
    "known sets with several": "self.few = {0, 1}.intersection(self.few, {1})\nself.flag = len(self.few) == v",
    "a difference of several": "self.few = Set({0, 1}).difference(self.few, {v})\nself.few = self.few.difference()",
    "one of two maps": "m = self.table if self.flag else self.other\nself.n = m[self.node]\nself.flag = on",
    "one of two lists": "x = [1, 2] if self.flag else [v]\nself.n = len(x)\nself.log = x\nself.flag = on",
    "one of two tuples": "x = (1, v) if self.flag else (v, 2)\nself.n = min(sum(x), 3)\nself.flag = on",
    "what is not used need not be of one kind": "x = (1, 2) if self.flag else (1, 2, 3)\nself.n = v\nself.flag = on",
}
OTHERS = {
    "another class": "Twin(x=0, on=self.flag)",
    "another class, known": "Twin(x=0, on=on)",
    "another class, of the state": "self.twin",
    "a derived class": "Derived(x=0, on=self.flag)",
    "a derived class, known": "Derived(x=0, on=on)",
    "a derived class with more": "Longer(x=0, on=self.flag, more=on)",
    "the class": "Cell(x=0, on=self.flag)",
}
READ |= {f"{name} among records": f"self.flag = {made} in self.cells" for name, made in OTHERS.items()}
READ |= {f"{name} as a set": f"self.flag = self.cells == {{{made}}}" for name, made in OTHERS.items()}
READ |= {
    "what the other set cannot hold stays": (
        "self.n = min(len({self.n, 7} - self.few), 3)\nself.few = self.few ^ {v % 2}"
    ),
    "a known truth value among numbers": "self.flag = True in self.few\nself.few = {v % 2}",
    "numbers of a plain set": "self.n = min(sum({v, self.n}), max({self.n, 2}), 3)\nself.flag = min({v, self.n}) > 0",
    "the greatest of some known numbers": (
        "self.n = max(x for x in (1, 3, 2, 0) if x != self.n and (x < 3 or self.flag))\nself.flag = on"
    ),
    "the least of some known numbers": (
        "self.n = min(x for x in (1, 3, 2, 0) if x != self.n and (x > 0 or self.flag))\nself.flag = on"
    ),
    "the least of known numbers that may be none": (
        "self.n = min((x for x in (2, 1) if x != self.n and self.flag), default=3)\nself.flag = on"
    ),
    "none in a set": (
        "self.flag = self.maybe in self.options\nself.options = self.options ^ {self.maybe}\n"
        "require(v < 2)\nself.maybe = v if on else None"
    ),
}


@pytest.mark.parametrize("case", READ)
def test_corner_is_read_as_python_reads_it(load: Load, case: str) -> None:
    assert agree(load(specification(READ[case])).Spec) in (0, 22, 30)


STORED = ["Twin(x=0, on=on)", "Derived(x=0, on=self.flag)", "Longer(x=0, on=on, more=on)"]


@pytest.mark.parametrize("made", STORED)
def test_records_of_another_class_fit_in_no_set(load: Load, made: str) -> None:
    module = load(specification(f"if self.flag:\n    self.cells = {{{made}}}\nself.flag = True"))
    assert agree(module.Spec) == 75
    error = breadth_first.check(module.Spec(), Options()).error
    assert error is not None
    assert (
        error.message
        == "cells: {" + f"{made.replace('self.flag', 'True').replace('=on', '=False')}" + "} is outside sets of Cell"
    )


KINDS = "a variable to which the branches give different kinds of values"
NO_ELEMENTS = "maps, logs, lists and plain sets, and records that have them, are no elements of sets and no keys"
REFUSED = {
    "record with a log in a set": ("self.flag = len({self.team}) == 1", NO_ELEMENTS),
    "record with such a record in a set": ("self.flag = self.club in {self.club}", NO_ELEMENTS),
    "the method of a set as a function": (
        "self.few = Set.union(self.few, {1})",
        "Set.union is not called as a function",
    ),
    "a list as a set": ("self.few = self.few.union([1])", "[1] is not a set"),
    "direction of an order": ("self.n = sorted([v, 1], reverse=self.flag)[0]", "sorted in a direction that depends"),
    "tuples of two lengths": ("x = (1, 2) if self.flag else (1, 2, 3)\nself.n = len(x)", f"{KINDS} has no length"),
    "a number or a truth value": ("x = 1 if self.flag else on\nself.n = x", f"{KINDS} cannot be stored"),
    "records of two classes": ("x = self.point if self.flag else self.team\nself.n = x.x", f"{KINDS} has no attribute"),
    "truth values and numbers": ("self.flag = self.few == self.truths", "is no value of 0..1"),
    "numbers and truth values": ("self.flag = self.truths <= {1}", "1 is no value of booleans"),
    "a truth value in a set of numbers": ("self.few = {self.flag}", "is no value of 0..1"),
    "a number in a set of truth values": ("self.flag = self.n in self.truths", "an integer that depends on the state"),
    "a list of a plain set": ("self.log = [x for x in {v, self.n}]", "Python defines no order"),
    "a generator of a plain set, kept": ("g = (x for x in {v, self.n})\nself.log = list(g)", "Python defines no order"),
    "a key of another kind": ("self.n = self.table[3]", "3 cannot be stored where n1..n2 is expected"),
    "logs of two kinds": ("x = self.log if self.flag else self.points\nself.n = len(x)", f"{KINDS} has no length"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_corner_is_refused(load: Load, case: str) -> None:
    body, message = REFUSED[case]
    module = load(specification(body))
    with pytest.raises(LanguageError) as caught:
        compile_protocol(module.Spec())
    assert message in caught.value.message
    assert caught.value.advice and caught.value.where is not None
    assert caught.value.where.file.endswith(module.path.name)
