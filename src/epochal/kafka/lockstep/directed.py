"""A run of the specification, played on Kafka's classes: a counterexample, or any other trace of `kraft`.

Which replica is elected depends on the order of the replicas, which a trace does not tell. So it is played in every
order, each on a cluster of its own, and the order counts in which Kafka follows furthest.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from epochal.checker.semantics.properties import is_step_property
from epochal.checker.semantics.semantics import Codes, PythonSemantics
from epochal.checker.trace.trace import Trace
from epochal.spec.kraft.generations import FIRST_WITH_ELR, numbered
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import Member, Protocol
from epochal.spec.language.protocol import evaluated

from .compared import LeafDifference
from .driven import Driven, Harness
from .families import families_of
from .family import ACKS, Leaves, request_of
from .steps import asking
from .steps_reassignment import not_settable

COMPARED = frozenset(
    {
        "metadata",
        "recovery",
        "registrations",
        "brokers",
        "request",
        "next_record",
        "used",
        "committed",
        "acknowledged",
        "lost_data",
        "leads_since",
        "answers_from",
        *("restarted", "named", "outdated"),
        "answered",
        "ahead",
    }
)
"""The variables of the model that are compared with Kafka, are seen in it, or count steps that the harness takes.

Which broker epochs a request names is seen in whether the controller takes it.
"""


@dataclass(frozen=True)
class PlayProgress:
    """How far it is: which order of the replicas is played, of how many."""

    order: int
    orders: int
    seconds: float


@dataclass(frozen=True)
class Played:
    """How far Kafka follows a run, with the replicas in one order.

    `differs` is where the states differ after the last step that was taken, and `refused` why the harness cannot take
    the next one in this order; without either Kafka has followed to the end. Then `holds` says whether the property of
    the run holds in Kafka's own states (what must happen does not where nothing goes on); None if the run is about no
    property that is judged so. `lines` and `answers` are what was said to the harness and by it, `said` what Kafka
    answered last.
    """

    trace: Trace
    order: tuple[str, ...]
    taken: int
    differs: tuple[LeafDifference, ...]
    refused: str
    holds: bool | None
    lines: tuple[str, ...]
    answers: tuple[str, ...]
    said: tuple[str, ...]

    @property
    def followed(self) -> bool:
        """Whether Kafka has taken every step, with the same states."""
        return not self.differs and not self.refused


def not_mapped(trace: Trace, version: str) -> str:
    """Why a run cannot be put to Kafka's classes; "" if it can.

    What is neither set nor compared would make "the same" worthless, so that a run in which such a variable changes is
    refused, and so is a setting that the harness cannot make.
    """
    protocol = trace.protocol
    if not isinstance(protocol, Kraft):
        return f"{protocol.name} is not kraft: brokers and controller of Kafka with KRaft are run"
    actions = sorted({one.instance.action.name for one in trace.steps} - asking(protocol).keys())
    if actions:
        return f"{', '.join(actions)}: no step of the harness"
    settings = protocol.settings
    if settings.acks not in ACKS:
        return f"acks={settings.acks.value}: a producer that is told nothing shows nothing"
    if why := not_settable(settings):
        return why
    if settings.elr and numbered(version) < FIRST_WITH_ELR:
        return f"elr: Kafka {version} has no eligible leader replicas"
    if trace.loop not in (None, len(trace.steps)):
        return "a run that goes on for ever, and does not stand still"
    compared = COMPARED.union(*(one.variables for one in families_of(protocol)))
    changed = sorted(variables_that_change(protocol, trace.states) - compared)
    if changed:
        return f"{', '.join(changed)}: changes in this run, and nothing of Kafka is compared with it"
    return ""


def variables_that_change(protocol: Protocol, states: Sequence[Codes]) -> set[str]:
    """The variables of a protocol that have more than one value in these states."""
    first = states[0]
    places = {place for state in states for place, code in enumerate(state) if code != first[place]}
    return {protocol.leaves[place].path.partition(".")[0].partition("[")[0] for place in places}


def play(kafka: Harness, trace: Trace, tell: Callable[[int, int], None] = lambda order, orders: None) -> Played:
    """Play a run in every order of replicas, until Kafka follows to the end in one. `tell` hears of each order.

    An order in which the harness cannot take a step is none of this run: it counts only if there is no other.
    """
    protocol = trace.protocol
    assert isinstance(protocol, Kraft)  # `not_mapped` refuses others
    orders = list(itertools.permutations(range(len(list(protocol.at(trace.initial).brokers)))))
    played = list[Played]()
    for number, order in enumerate(orders):
        tell(number + 1, len(orders))
        played.append(_play(kafka, protocol, trace, order))
        if played[-1].followed:
            break
    return max(played, key=lambda one: (one.followed, not one.refused, one.taken))


def _play(kafka: Harness, protocol: Kraft, trace: Trace, order: tuple[int, ...]) -> Played:
    driven = Driven(kafka, protocol, order, trace.initial)
    differs, refused = driven.begins_the_same(), ""
    before = driven.decoded()
    for step in trace.steps:
        request = request_of(step.instance)
        refused = driven.cannot_ask(driven.state, request)
        if differs or refused:
            break
        before = driven.decoded()
        differs = driven.take(request, [(step.instance, step.codes)])
    holds = None
    if not differs and not refused:
        stands_still = trace.loop is not None and driven.stands_still()
        holds = False if stands_still else holds_at_the_end(trace, before, driven.decoded())
    lines, answers, said = tuple(driven.lines), tuple(driven.answers), tuple(driven.said)
    names = tuple(driven.names[place] for place in order)
    return Played(trace, names, len(driven.steps), differs, "" if differs else refused, holds, lines, answers, said)


def holds_at_the_end(trace: Trace, before: Protocol, after: Protocol) -> bool | None:
    """Whether the property of a run holds in the last state, or in the last step; None if it is not about these."""
    member = _member(trace)
    if member is None:
        return None
    states = (before, after) if is_step_property(member) else (after,)
    return bool(evaluated(member.function, *states))


def step_left(
    trace: Trace,
    model: Protocol,
    leaves: Callable[[Any], Leaves],
    goes_on: Callable[[Codes], bool] = lambda codes: False,
) -> int | None:
    """The step at which a model leaves the run of another, or None if it takes all of it, to the same violation.

    States are the same if they have the same values where both have a leaf: one may have steps that the other has not.
    `goes_on` says whether the model must take a step where a run stands still.
    """

    def agrees(codes: Codes, of_run: Codes) -> bool:
        these, those = leaves(model.at(codes)), leaves(trace.protocol.at(of_run))
        return all(these[name] == those[name] for name in these.keys() & those.keys())

    semantics = PythonSemantics(model)
    codes = next((one for one in model.initial_states() if agrees(one, trace.initial)), None)
    if codes is None:
        return 0
    before = codes
    for number, step in enumerate(trace.steps, start=1):
        wanted = step.instance.action.name, tuple(map(str, step.instance.arguments))
        after = (
            one
            for instance, one in semantics.successors(codes)
            if (instance.action.name, tuple(map(str, instance.arguments))) == wanted and agrees(one, step.codes)
        )
        before, found = codes, next(after, None)
        if found is None:
            return number
        codes = found
    stands_still = trace.loop is not None and not goes_on(codes)
    violated = stands_still or holds_at_the_end(trace, model.at(before), model.at(codes)) is False
    return None if violated else len(trace.steps)


def _member(trace: Trace) -> Member | None:
    members = (*trace.protocol.members("invariant"), *trace.protocol.members("action_property"))
    return next((one for one in members if one.name == trace.property_id), None)
