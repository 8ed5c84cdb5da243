"""Rounds with an order, or with none: reversed ranges, shifts, appends, sets of numbers; and known constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from epochal.checker.parametric import terms
from epochal.checker.parametric.compared import Evaluators
from epochal.checker.parametric.domains import Untranslatable
from epochal.checker.parametric.rules import ParametricSemantics
from epochal.language import (
    Bounds,
    Capacity,
    Identifier,
    Identifiers,
    Integers,
    Log,
    Map,
    Protocol,
    Set,
    action,
    bound,
    require,
)
from tests.checker.parametric.test_reading import require_agreement


@dataclass(frozen=True)
class OrderBounds(Bounds):
    """Small, and different from each other."""

    size: int = bound(2, least=1, most=4, help="the greatest number")
    nodes: int = bound(3, least=1, most=4, help="nodes")
    room: int = bound(3, least=1, most=4, help="entries of a log")

    def most(self) -> int:
        """Of these bounds."""
        return self.size + 1

    @staticmethod
    def other(number: int = 2) -> int:
        """Of no bounds: what stands for them is no argument of it."""
        return number


@dataclass(frozen=True)
class Settings:
    """Constants that rules read."""

    strict: bool = True
    limits: tuple[int, int] = (1, 2)


class Derived(Settings):
    """No dataclass itself."""


@dataclass
class Changing:
    """Not frozen."""

    strict: bool = True


B = OrderBounds
Node = Annotated[Identifier, Identifiers("n", B.nodes)]
Count = Annotated[int, Integers(0, B.size)]


class State(Protocol):
    """What the rules below change."""

    bounds: OrderBounds
    log: Annotated[Log[Count], Capacity(B.room)]
    held: Map[Node, bool]
    row: Map[Count, bool]
    seen: Set[Count]
    flag: bool
    count: Count
    settings = Settings()
    derived = Derived()
    changing = Changing()


class Downwards(State):
    """Ranges that are reversed: known ones, one within the other, and where the order is of no matter."""

    @action
    def known(self) -> None:
        for i in reversed(range(2)):
            self.row[i] = i == 0 and self.flag

    @action
    def arbitrary(self, n: Node) -> None:
        require(all(self.row[i] for i in reversed(range(self.count))))
        for i in reversed(range(1, self.count)):
            self.row[i] = self.row[i - 1]
        for i in reversed(range(self.bounds.size)):
            self.row[i + 1] = self.row[i + 1] and not self.row[i]
        self.held[n] = self.row[0]

    @action
    def change(self, count: Count, flag: bool) -> None:
        self.count = count
        self.row[count] = flag


class OneBeyond(State):
    """A shift whose last round comes to what is no key any more."""

    @action
    def rule(self, end: Count) -> None:
        for i in range(end + 1):
            self.row[i] = self.row[i + 1]


class Numbered(State):
    """Sets of numbers: what lies outside of their domain is never a member."""

    @action
    def see(self, least: Count) -> None:
        self.seen = self.seen | Set(i for i in self.each(Count) if i >= least)

    @action
    def forget(self, gone: Count | None, kept: Set[Count]) -> None:
        require(self.settings.strict and self.settings.limits[0] == 1)
        self.flag = gone is not None and gone + 1 in self.seen and gone - 1 not in self.seen
        self.seen &= kept

    @action
    def look(self) -> None:
        require(len(self.seen) < self.bounds.most())
        for i in self.seen:
            self.row[i] = i + 1 in self.seen
        self.count = min((i for i in self.seen), default=0)
        self.flag = len(self.seen) == 2 and self.seen == Set(i for i in self.each(Count) if i < 2)


@pytest.mark.parametrize("kind", [Downwards, OneBeyond, Numbered])
def test_it_is_read_as_python_does(kind: type[State]) -> None:
    require_agreement(kind())


# -- refused ------------------------------------------------------------------------------------------------------


class ReversedInTwoLoops(State):
    """An iterator, of which nothing is left for the second."""

    @action
    def rule(self) -> None:
        down = reversed(range(self.count))
        for i in down:
            self.row[i] = True
        for i in down:
            self.row[i] = False


class ReversedInTwoRounds(State):
    @action
    def rule(self) -> None:
        down = reversed(range(2))
        for n in self.held:
            self.held[n] = any(i == 0 for i in down)


class ReversedTwice(State):
    @action
    def rule(self) -> None:
        self.flag = any(self.row[i] for i in reversed(reversed(range(self.count))))  # type: ignore[call-overload]


class LengthOfReversed(State):
    @action
    def rule(self) -> None:
        self.count = len(reversed(range(self.count)))  # type: ignore[arg-type]


class TruthOfReversed(State):
    @action
    def rule(self) -> None:
        self.flag = bool(reversed(range(self.count))) if self.flag else self.flag


class AppendsDownwards(State):
    @action
    def rule(self) -> None:
        for i in reversed(range(self.count)):
            self.log.append(i)


class AppendsFromASet(State):
    """In which order Python goes through a set is nobody's business."""

    @action
    def rule(self) -> None:
        for i in Set(i for i in range(self.count)):
            self.log.append(i)


class AppendsSome(State):
    @action
    def rule(self) -> None:
        for i in self.seen:
            self.log.append(i)


class AppendsTwice(State):
    @action
    def rule(self) -> None:
        for i in range(self.count):
            self.log.append(i)
            self.log.append(i)


class AppendsIf(State):
    @action
    def rule(self) -> None:
        for i in range(self.count):
            if self.row[i]:
                self.log.append(i)


class ShiftsTheWrongWay(State):
    """Each round copies what the one before has written."""

    @action
    def rule(self) -> None:
        for i in range(self.bounds.size):
            self.row[i + 1] = self.row[i]


class ShiftsTheWrongWayDown(State):
    @action
    def rule(self) -> None:
        for i in reversed(range(self.bounds.size)):
            self.row[i] = self.row[i + 1]


class ShiftsASet(State):
    """Whose rounds have no order."""

    @action
    def rule(self) -> None:
        for i in Set(i for i in range(self.bounds.size)):
            self.row[i + 1] = self.row[i + 1] and self.flag


class ShiftsTwice(State):
    """Two rounds change one place."""

    @action
    def rule(self) -> None:
        for i in range(self.bounds.size):
            self.row[i] = self.flag
            self.row[i + 1] = not self.flag


class SetsOfOtherNumbers(State):
    @action
    def rule(self) -> None:
        self.flag = self.seen == Set(i for i in range(self.count))


class KeepsOtherNumbers(State):
    @action
    def rule(self) -> None:
        self.seen = Set(i for i in range(self.bounds.room))


class BoundsWithoutBounds(State):
    @action
    def rule(self) -> None:
        self.count = self.bounds.other()


class ReadsDerivedSettings(State):
    @action
    def rule(self) -> None:
        self.flag = self.derived.strict


class ReadsWhatChanges(State):
    @action
    def rule(self) -> None:
        self.flag = self.changing.strict


REFUSED: dict[type[State], str] = {
    ReversedInTwoLoops: "a second use of reversed",
    ReversedInTwoRounds: "a second use of reversed",
    ReversedTwice: "reversed of anything but a range",
    LengthOfReversed: "the length of a range that is reversed",
    TruthOfReversed: "the truth of a range that is reversed",
    AppendsDownwards: "a loop that appends, and does not go upwards",
    AppendsFromASet: "a loop that appends, and does not go upwards",
    AppendsSome: "a loop that appends, and does not go upwards",
    AppendsTwice: "a loop that appends, and changes log elsewhere",
    AppendsIf: "append to log more or less than one entry",
    ShiftsTheWrongWay: "a loop that reads row elsewhere",
    ShiftsTheWrongWayDown: "a loop that reads row elsewhere",
    ShiftsASet: "a loop that changes row elsewhere",
    ShiftsTwice: "a loop that changes row elsewhere",
    SetsOfOtherNumbers: "a set of values of different kinds",
    KeepsOtherNumbers: "something else than a set of these",
    BoundsWithoutBounds: "other of the bounds",
    ReadsDerivedSettings: "strict of a Derived",
    ReadsWhatChanges: "strict of a Changing",
}


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.__name__)
def test_it_is_refused(kind: type[State]) -> None:
    (member,) = kind.members("action")
    with pytest.raises(Untranslatable) as refused:
        ParametricSemantics(kind).action(member)
    assert REFUSED[kind] in refused.value.message
    assert refused.value.where is not None


# -- what is taken for granted ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(1, 5))
@pytest.mark.parametrize("there", range(1, 5))
def test_there_are_as_many_identifiers_as_their_bound_says(size: int, there: int) -> None:
    """Three and four are not told apart."""
    facts = Evaluators({"id:n": there})(terms.and_(*ParametricSemantics(Downwards).facts))
    known = {"#size": 2, "#nodes": size, "#room": 3, "first id:n": 0}
    assert facts({}, lambda name, _: known[name]) == (min(size, 2) == min(there, 2))
