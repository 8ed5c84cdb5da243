"""A trace of the quorum, played on Kafka's voters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from epochal.checker.trace.trace import Trace
from epochal.spec.quorum.state import QuorumState

from ..directed import Played, holds_at_the_end
from ..driven import Harness
from .compared import shape_of
from .driven import DrivenQuorum
from .models import has_pre_votes
from .steps import MAPPED

SEED = 1
"""Of the voters' own dice. They decide how long a timer runs, and here a timer is a step."""


def not_mapped(trace: Trace, version: str) -> str:
    """Why a run cannot be put to Kafka's voters; "" if it can."""
    protocol = trace.protocol
    if not isinstance(protocol, QuorumState):
        return f"{protocol.name} is no quorum"
    actions = sorted({one.instance.action.name for one in trace.steps} - MAPPED.keys())
    if actions:
        return f"{', '.join(actions)}: no step of the harness"
    if shape_of(protocol).pre_votes and not has_pre_votes(version):
        return f"pre-votes: Kafka {version} has none"
    return "" if trace.loop is None else "a run that goes on for ever"


def play(kafka: Harness, trace: Trace, tell: Callable[[int, int], None] = lambda order, orders: None) -> Played:
    """Play a run. Nothing depends on an order of the voters, so there is one order, which is not said."""
    protocol = trace.protocol
    assert isinstance(protocol, QuorumState)  # `not_mapped` refuses others
    tell(1, 1)
    driven = DrivenQuorum(kafka, protocol, SEED)
    differs, before = driven.differs(), driven.decoded()
    for step in trace.steps:
        if differs:
            break
        before = driven.decoded()
        differs = driven.take(step.instance, step.codes)
    holds = None if differs else _holds(trace, driven, before)
    lines, answers = tuple(driven.lines), tuple(driven.answers)
    return Played(trace, (), len(driven.steps), differs, "", holds, lines, answers, (driven.said,))


def _holds(trace: Trace, driven: DrivenQuorum, before: QuorumState) -> bool | None:
    """Whether the property holds at the end: in Kafka's state, or by what Kafka does next if it is about that."""
    follow = CONSEQUENCES.get(trace.property_id)
    if follow is None:
        return holds_at_the_end(trace, before, driven.decoded())
    return not driven.consequence(list(follow(driven.decoded(), driven.place)))


def _snapshots_fetched(state: Any, place: Callable[[Any], int]) -> Iterator[str]:
    for leader in state.voters:
        for follower in state.voters:
            if state.follows(follower, leader) and state.needs_snapshot(follower, leader):
                yield f"fetch_snapshot:{place(follower)}:{place(leader)}"


CONSEQUENCES: Mapping[str, Callable[[Any, Callable[[Any], int]], Iterator[str]]] = {
    "snapshot_helps_who_needs_it": _snapshots_fetched,
}
"""Properties that say what would come next: what is to be asked, for the exception is Kafka's and not the state's."""
