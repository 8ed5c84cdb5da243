"""Promises of small protocols: kept or broken as thinking says, by the shortest run that breaks them."""

from __future__ import annotations

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness.result import Liveness, PromiseResult
from epochal.checker.trace.trace import Trace
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.language import Member, Protocol
from tests.checker.liveness.judged import by_machine, by_python
from tests.checker.liveness.zoo import KNOWN, Lift


def shape(trace: Trace) -> tuple[int, int]:
    """How many states lead to the round, its first one among them, and how many steps the round has."""
    assert trace.loop is not None
    return trace.loop + 1, trace.length - 1 - trace.loop + (trace.closing is not None)


def told(found: Liveness) -> list[object]:
    """All that judges must agree on, in words."""
    return [
        (one.member.name, case.arguments, case.waiting, case.stopped, case.doomed, case.trace and run(case.trace))
        for one in found.promises
        for case in one.cases
    ]


def run(trace: Trace) -> object:
    """A run as labels and codes."""
    steps = [(step.instance.label, step.codes) for step in trace.steps]
    return trace.initial, steps, trace.loop, trace.closing and trace.closing.label


@pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in KNOWN), ids=lambda kind: kind.__name__)
def test_the_judges_agree(kind: type[Protocol]) -> None:
    """Machine code says what the Python judge says: of every promise, with the same run."""
    assert told(by_machine(kind())) == told(by_python(compile_protocol(kind())))


def test_the_number_of_workers_decides_nothing() -> None:
    """Also where runs are found in cycles of several states, and a broken promise is told."""
    protocol = KraftBalancing(brokers=2, failures=1)
    for left_out in ("begin_round", "elect_online", "rejoin"):

        def assumed(member: Member, left_out: str = left_out) -> set[str]:
            return set(member.mark.needs) - {left_out}

        alone, together = (by_machine(protocol, assumed, workers) for workers in (1, 2))
        assert alone.broken
        assert told(alone) == told(together)


def test_memory_is_estimated_before() -> None:
    """Where it would not be enough, nothing is judged, and the reason is said."""
    protocol = Lift()
    found = by_machine(protocol, refuses=lambda more: "" if more < 100 else "too much")
    assert {one.verdict for one in found.promises} == {"not judged"}
    assert found.reason == "too much"


@pytest.mark.parametrize(("kind", "name"), KNOWN, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_known_answers(kind: type[Protocol], name: str) -> None:
    found = by_python(compile_protocol(kind()))
    one: PromiseResult = next(one for one in found.promises if one.member.name == name)
    answer = KNOWN[kind, name]
    assert one.verdict == ("holds" if answer is None else "violated")
    assert (None if one.trace is None else shape(one.trace)) == answer
