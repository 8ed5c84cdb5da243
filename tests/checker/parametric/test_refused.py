"""What the parametric reading has no place for is refused, with its line and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest

from epochal.checker.parametric.domains import Untranslatable
from epochal.checker.parametric.rules import ParametricSemantics
from epochal.language import (
    Capacity,
    Identifiers,
    Integers,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    constraint,
    require,
)
from tests.checker.parametric.zoo import B, Count, Entry, Key, Node, Part, ZooBounds


class State(Protocol):
    """What the rules below change."""

    bounds: ZooBounds
    count: Count
    parts: Map[Node, Part]
    held: Map[Key, Count]
    some: Set[Node]
    log: Annotated[Log[Entry], Capacity(B.room)]
    leader: Node | None


class Accumulates(State):
    @action
    def rule(self) -> None:
        total = 0
        for n in self.parts:
            total = total + self.parts[n].count
        self.count = total


class ReadsTheNext(State):
    @action
    def rule(self, m: Node) -> None:
        for n in self.parts:
            self.parts[n].count = self.parts[m].count


class WritesAnother(State):
    @action
    def rule(self, m: Node) -> None:
        for n in self.parts:
            if n != m:
                self.parts[m].count = 0


class WritesOneForAll(State):
    @action
    def rule(self) -> None:
        for n in self.parts:
            self.leader = n


class WritesTheNext(State):
    @action
    def rule(self) -> None:
        for k in self.held:
            if k > 1:
                self.held[k - 1] = self.held[k]


class InnerReadsOuter(State):
    @action
    def rule(self) -> None:
        for n in self.parts:
            for m in self.parts[n].known:
                self.parts[m].known = self.parts[m].known | {n}


class KeepsALocal(State):
    @action
    def rule(self) -> None:
        last = self.leader
        for n in self.parts:
            last = n
        self.leader = last


class RequiresInALoop(State):
    @action
    def rule(self) -> None:
        for n in self.parts:
            require(self.parts[n].count > 0)


class AppendsInALoop(State):
    @action
    def rule(self) -> None:
        for n in self.some:
            self.log.append(Entry(count=0, by=n))


class Sums(State):
    @action
    def rule(self) -> None:
        self.count = sum(1 for e in self.log if e.count > 0)


class ValueOfAnd(State):
    @action
    def rule(self) -> None:
        self.count = self.count and 1


class TruthOfNone(State):
    @action
    def rule(self) -> None:
        if self.leader:
            self.count = 0


class MakesAList(State):
    @action
    def rule(self) -> None:
        found = [n for n in self.parts if n in self.some]
        self.count = len(found)


class MixesKinds(State):
    @action
    def rule(self) -> None:
        self.count = 1 if self.leader == self.count else 0


class WholeMap(State):
    @action
    def rule(self) -> None:
        self.log = []


class Stale(State):
    @action
    def rule(self, a: Node, b: Node) -> None:
        before = self.parts[a]
        self.parts[a] = self.parts[b]
        self.parts[b].count = before.count


class LateGenerator(State):
    @action
    def rule(self) -> None:
        numbers = (self.parts[n].count for n in self.parts)
        self.parts[self.member(Node, 0)].count = 0
        self.count = max(numbers)


class UsedTwice(State):
    @action
    def rule(self) -> None:
        numbers = (self.parts[n].count for n in self.parts)
        self.count = max(numbers) - min(numbers)


class Products(State):
    @action
    def rule(self) -> None:
        self.count = self.count * self.count


class FirstNode(State):
    @action
    def rule(self) -> None:
        self.leader = self.member(Node, 0)


class HalfOfAll(State):
    @action
    def rule(self) -> None:
        require(len(self.parts) > 1)


REFUSED: dict[type[State], str] = {
    Accumulates: "a variable that a loop over the state assigns",
    ReadsTheNext: "a loop that reads parts.count elsewhere than at the element it is at",
    WritesAnother: "a loop that changes parts.count elsewhere",
    WritesOneForAll: "a loop that changes leader",
    WritesTheNext: "a loop that changes held elsewhere",
    InnerReadsOuter: "a loop that changes parts.known elsewhere",
    KeepsALocal: "a variable that a loop over the state assigns",
    RequiresInALoop: "require inside a loop",
    AppendsInALoop: "a loop that changes log",
    Sums: "sum",
    ValueOfAnd: "and or or between values that are no truth values",
    TruthOfNone: "the truth of a value that may be none",
    MakesAList: "a list comprehension",
    MixesKinds: "an identifier compared with a number",
    WholeMap: "assignment of a whole map or log",
    Stale: "a part of the state that was assigned as a whole",
    LateGenerator: "member of the state",
    UsedTwice: "a second use of a generator",
    Products: "a product of two values of the state",
    FirstNode: "member of the state",
    HalfOfAll: "the length of a map of the state",
}


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.__name__)
def test_a_rule_is_refused(kind: type[State]) -> None:
    (member,) = kind.members("action")
    with pytest.raises(Untranslatable, match="has no first-order semantics for every choice of the bounds") as refused:
        ParametricSemantics(kind).action(member)
    assert REFUSED[kind] in refused.value.message
    assert refused.value.advice
    where = refused.value.where
    assert where is not None
    assert where.file.endswith("test_refused.py")
    assert where.line > member.function.__code__.co_firstlineno


def state(**variables: Any) -> type[Protocol]:
    """A protocol with these variables."""
    return type("Made", (Protocol,), {"__annotations__": {"bounds": ZooBounds, **variables}, "__module__": __name__})


class Pair(Struct):
    """Two sets."""

    first: Set[Node]
    second: Count


Other = Annotated[Any, Identifiers("n", B.most)]
Product = Annotated[int, Integers(0, B.most * B.room)]

STATES: dict[str, Callable[[], type[Protocol]]] = {
    "a set of anything but identifiers and numbers": lambda: state(one=Set[bool]),
    "a set, map or log that may be none": lambda: state(one=Set[Node] | None),
    "two domains of identifiers with the prefix 'n'": lambda: state(one=Node, two=Other),
    "a product of two bounds": lambda: state(one=Product),
    "a map whose keys are neither numbers nor identifiers": lambda: state(one=Map[bool, Count]),
}


@pytest.mark.parametrize("what", STATES)
def test_a_variable_is_refused(what: str) -> None:
    with pytest.raises(Untranslatable, match=what.replace("|", "[|]")):
        ParametricSemantics(STATES[what]())


class Constrained(State):
    """A search may leave states out; a proof for all bounds may not."""

    @constraint
    def few(self) -> bool:
        return self.count < 2


def test_a_constraint_is_refused() -> None:
    with pytest.raises(Untranslatable, match="a constraint"):
        ParametricSemantics(Constrained)
