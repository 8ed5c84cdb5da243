"""Real counterexamples and witnesses, found once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from epochal.checker.search.reference_engine import check
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.classic.truncate_to_hw import TruncateToHw
from epochal.spec.language import Protocol
from epochal.spec.registry import registered
from tests.zoo.traced import Zoo


def taken(steps: Sequence[tuple[str, tuple[str, ...]]], property_id: str, verdict: str) -> Trace:
    """The run of truncate-to-hw with two brokers, one record and one re-election that takes these steps."""
    protocol = TruncateToHw(ClassicBounds(replicas=2, log_size=1, records=1, max_epoch=1))
    (initial,) = protocol.initial_states()
    made: list[Step] = []
    for action, arguments in steps:
        codes = made[-1].codes if made else initial
        possible = PythonSemantics(protocol).successors(codes)
        instance, after = next(
            (i, after) for i, after in possible if (i.action.name, tuple(map(str, i.arguments))) == (action, arguments)
        )
        made.append(Step(instance, after))
    return Trace(protocol, initial, tuple(made), property_id, verdict)


@pytest.fixture(scope="session")
def found() -> dict[str, Trace]:
    """What a search of that protocol finds, by property."""
    protocol = TruncateToHw(ClassicBounds(replicas=2, log_size=1, records=1, max_epoch=1))
    return {p.member.name: p.trace for p in check(protocol, Options()).properties if p.trace is not None}


@pytest.fixture(scope="session")
def counterexample() -> Trace:
    """A shortest counterexample to weak_isr: 9 states."""
    steps = (
        ("elect_leader", ("b1",)),
        ("controller_shrinks_isr", ("b2",)),
        ("become_leader", ("b1", "0")),
        ("leader_write", ("b1",)),
        ("become_follower", ("b2", "b1", "0")),
        ("fetch", ("b2", "b1")),
        ("advance_high_watermark", ("b1",)),
        ("become_follower", ("b2", "b1", "1")),
    )
    return taken(steps, "weak_isr", "violated")


@pytest.fixture(scope="session")
def witness() -> Trace:
    """A shortest run in which a record is committed: 6 states."""
    steps = (
        ("elect_leader", ("b1",)),
        ("controller_shrinks_isr", ("b2",)),
        ("become_leader", ("b1", "1")),
        ("leader_write", ("b1",)),
        ("advance_high_watermark", ("b1",)),
    )
    return taken(steps, "record_committed", "reached")


@pytest.fixture(scope="session")
def zoo() -> Zoo:
    """The zoo at its default bounds."""
    return Zoo()


@pytest.fixture(scope="session")
def load() -> Callable[[str], type[Protocol]]:
    """Finds registered protocols, and the zoo."""
    return lambda name: Zoo if name == "zoo" else registered(name)
