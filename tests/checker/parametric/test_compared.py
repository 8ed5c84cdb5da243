"""The comparison with Python finds a reading that is wrong, in whatever way: each of these is wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from epochal.checker.parametric.compared import Comparison
from epochal.checker.parametric.domains import View
from epochal.checker.parametric.rules import Action, ParametricSemantics, Predicate
from epochal.checker.parametric.terms import constant, not_
from epochal.spec.language import Member
from tests.zoo.rows import made

Queue: type[Any] = made(
    globals(),
    "Protocol",
    """
    QueueBounds < Bounds: How much there is.
        room: int = bound(2, least=1, most=3, help="entries of the queue")
        most: int = bound(2, least=1, most=3, help="the greatest number")
    B = QueueBounds
    Number = Annotated[int, Integers(0, B.most)]
    Queue: Numbers wait; one that there is no room for is a failure.
        bounds: QueueBounds
        waiting: Annotated[Log[Number], Capacity(B.room)]
        served: bool
        action come(number: Number): It fails where the queue is full.
            self.waiting.append(number)
        action serve: Somebody must wait.
            require(len(self.waiting) > 0)
            self.served = True
        lemma few: True of some states only.
            return len(self.waiting) <= 1
        invariant first: It cannot be evaluated where nobody waits.
            return self.waiting[0] == self.waiting[0]
    """,
)


class Wrong(ParametricSemantics):
    """A reading in which something was changed."""

    def __init__(
        self,
        of_action: Callable[[Action], Action] = lambda read: read,
        of_predicate: Callable[[Predicate], Predicate] = lambda read: read,
    ) -> None:
        super().__init__(Queue)
        self._of_action, self._of_predicate = of_action, of_predicate

    def action(self, member: Member) -> Action:
        """What it was changed to."""
        return self._of_action(super().action(member))

    def predicate(self, member: Member, view: View | None = None) -> Predicate:
        """What it was changed to."""
        return self._of_predicate(super().predicate(member, view))


def differences(reading: ParametricSemantics) -> set[tuple[str, str]]:
    """Which rules differ, and in what."""
    comparison = Comparison(Queue(), reading=reading)
    states = [comparison.random_state() for _ in range(40)]
    asked = [(comparison.action, member) for member in Queue.members("action")]
    asked += [(comparison.predicate, member) for member in (*Queue.members("lemma"), *Queue.members("invariant"))]
    found = (one for ask, member in asked for codes in states for one in ask(member, codes))
    return {(one.rule.split("(")[0].lower(), one.what) for one in found}


def serving(value: Callable[[], object]) -> Callable[[Action], Action]:
    """An action that leaves something else in `served`."""

    def changed(read: Action) -> Action:
        leaves = {**read.after.leaves, "served": lambda _: value()}
        return replace(read, after=View(leaves, writable=False))  # type: ignore[arg-type]  # a leaf of any kind

    return changed


def empty(read: Action) -> Action:
    """An action none of whose parameters can be chosen."""
    given = [replace(one, bounds=tuple(replace(b, high=b.low) for b in one.bounds)) for one in read.given]
    return replace(read, given=tuple(given))


def test_the_right_reading_does_not_differ() -> None:
    assert differences(Wrong()) == set()


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        (Wrong(lambda read: replace(read, guards=())), {("serve", "guards")}),
        (Wrong(lambda read: replace(read, failures=())), {("come", "evaluation")}),
        (Wrong(empty), {("come", "parameters")}),
        (Wrong(serving(lambda: constant(False))), {("serve", "served[] after it"), ("come", "served[] after it")}),
        (Wrong(serving(lambda: constant(1))), {("serve", "served[] after it"), ("come", "served[] after it")}),
        (
            Wrong(of_predicate=lambda read: replace(read, holds=not_(read.holds))),
            {("few", "its truth"), ("first", "its truth")},
        ),
        (Wrong(of_predicate=lambda read: replace(read, failures=())), {("first", "evaluation")}),
    ],
    ids=["guards", "failures", "parameters", "a leaf", "the kind of a leaf", "truth", "failures of a property"],
)
def test_what_is_read_wrongly_is_told(reading: ParametricSemantics, expected: set[tuple[str, str]]) -> None:
    assert differences(reading) == expected
