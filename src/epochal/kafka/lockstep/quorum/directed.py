"""A trace of the quorum, played on Kafka's voters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from epochal.checker.trace.trace import Trace
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.quorum.state import QuorumState, Role
from epochal.spec.quorum.switches import QuorumLostDisk

from ..directed import Played, holds_at_the_end, step_left
from ..driven import Harness
from .compared import model_leaves, shape_of
from .driven import DrivenQuorum
from .models import has_pre_votes, released
from .steps import AT_ONCE, MAPPED, not_comparable

SEED = 1
"""Of the voters' own dice. They decide how long a timer runs, and here a timer is a step."""


def not_mapped(trace: Trace, version: str) -> str:
    """Why a run cannot be put to Kafka's voters; "" if it can."""
    protocol = trace.protocol
    if not isinstance(protocol, QuorumState):
        return f"{protocol.name} is no quorum"
    actions = sorted({one.instance.action.name for one in trace.steps} - MAPPED.keys() - {AT_ONCE})
    if actions:
        return f"{', '.join(actions)}: no step of the harness"
    if shape_of(protocol).pre_votes and not has_pre_votes(version):
        return f"pre-votes: Kafka {version} has none"
    if trace.loop is not None:
        return "a run that goes on for ever"
    codes = (trace.initial, *(one.codes for one in trace.steps))
    states = map(protocol.at, codes)
    why = (
        not_comparable(trace.steps[:number], before, one.instance)
        for number, (before, one) in enumerate(zip(states, trace.steps, strict=False))
    )
    return next(filter(None, why), "")


def play(kafka: Harness, trace: Trace, tell: Callable[[int, int], None] = lambda order, orders: None) -> Played:
    """Play a run. Nothing depends on an order of the voters, so there is one order, which is not said."""
    protocol = trace.protocol
    assert isinstance(protocol, QuorumState)  # `not_mapped` refuses others
    tell(1, 1)
    driven = DrivenQuorum(kafka, protocol, SEED)
    differs, before = driven.differs(), driven.decoded()
    for number, step in enumerate(trace.steps):
        if differs or driven.left_out:
            break
        if step.instance.action.name == AT_ONCE:  # taken with the one before it
            continue
        before = driven.decoded()
        then = [one for one in trace.steps[number + 1 : number + 2] if one.instance.action.name == AT_ONCE]
        differs = driven.take(step.instance, step.codes, then)
    refused = "" if differs else driven.left_out
    holds = None if differs or refused else _holds(trace, driven, before)
    lines, answers = tuple(driven.lines), tuple(driven.answers)
    return Played(trace, (), len(driven.steps), differs, refused, holds, lines, answers, (driven.said,))


def left_by_model(trace: Trace, version: str, _: KnownBug | None = None) -> int | None:
    """The step at which the release's own model leaves a run, or None if it takes all of it, to the same violation.

    A lost disk is no rule of Kafka: whoever asks for one has one.
    """
    protocol = trace.protocol
    assert isinstance(protocol, QuorumState)  # a run that is played
    kind = type(protocol) if isinstance(protocol, QuorumLostDisk) else released(type(protocol), version)
    bounds, shape = protocol.bounds.as_dict(), shape_of(protocol)
    model = kind(None, **{name: bounds[name] for name in kind.bounds_type().declared()})
    return step_left(trace, model, lambda state: model_leaves(state, shape))


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


def _votes_asked_for(state: Any, place: Callable[[Any], int]) -> Iterator[str]:
    """Of those that know no leader: whoever knows one names it, and the candidate follows that one."""
    for candidate in state.voters:
        for other in state.voters:
            asked = other != candidate and state.voters[other].leader is None
            if asked and state.voters[candidate].role == Role.CANDIDATE:
                yield f"ask:{place(candidate)}:{place(other)}:VOTE"


CONSEQUENCES: Mapping[str, Callable[[Any, Callable[[Any], int]], Iterator[str]]] = {
    "snapshot_helps_who_needs_it": _snapshots_fetched,
    "candidates_are_answered": _votes_asked_for,
}
"""Properties that say what would come next: what is to be asked, for the exception is Kafka's and not the state's."""
