"""A run of a transactional id, played on Kafka's coordinators."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from epochal.checker.semantics.semantics import Codes
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.kraft.generations import numbered
from epochal.spec.registry import registered
from epochal.spec.transactions.state import NOTHING, ProducerPhase, TransactionalIdState
from epochal.spec.transactions.switches import WholeLoads

from ..compared import LeafDifference, differences
from ..directed import Played, holds_at_the_end, step_left, variables_that_change
from ..driven import DrivenRun, Harness, Threw
from ..family import Leaves
from ..judged import model_of
from .compared import decode, in_epochs, kafka_leaves, model_leaves, phases
from .steps import MAPPED, MODES, differs_in_answer, is_success

COMPARED = frozenset(
    {
        *("leader", "leader_epoch", "logged", "records", "offices", "data", "committed_at", "aborted_at"),
        *("given", "producers", "begun", "delayed", "timed_out", "sent_again"),
        *("asked_commit", "asked_abort", "told_committed", "fenced", "replaced"),
    }
)
"""The variables that are compared with Kafka, that producers alone know, or that count steps the harness takes."""

FIRST_WITH_VERSION_2 = (4, 0)


def not_mapped(trace: Trace, version: str) -> str:
    """Why a run cannot be put to Kafka's coordinators; "" if it can."""
    protocol = trace.protocol
    if not isinstance(protocol, TransactionalIdState):
        return f"{protocol.name} is about no transactional id"
    taken = {one.instance.action.name for one in trace.steps}
    if missing := sorted(taken - MAPPED.keys()):
        return f"{', '.join(missing)}: no step of the harness"
    has_version_2 = numbered(model_of(version)) >= FIRST_WITH_VERSION_2
    if protocol.epoch_per_transaction and not has_version_2:
        return f"transactions of version 2: Kafka {version} has none"
    if not protocol.epoch_per_transaction and has_version_2 and "delayed_end_arrives" in taken:
        return f"a delayed EndTxn of version 1: a new cluster of Kafka {version} and its clients have version 2"
    if trace.loop not in (None, len(trace.steps)):
        return "a run that goes on for ever, and does not stand still"
    if changed := sorted(variables_that_change(protocol, trace.states) - COMPARED):
        return f"{', '.join(changed)}: changes in this run, and nothing of Kafka is compared with it"
    if waits := _held_back(trace):
        return f"{waits} while the other broker has yet to hear that it was replaced: Kafka's leader waits for its copy"
    return ""


ASKS: Mapping[ProducerPhase, str] = {
    ProducerPhase.STARTING: "init_producer_id",
    ProducerPhase.ENDING: "end_is_answered",
}
"""The step by which a producer would be answered that asks for something."""

LAST_EPOCH = 32_766
"""The producer epoch after which a producer gets another id; one more is there, for fencing."""


def epochs_before(trace: Trace) -> int:
    """How many epochs are used up in Kafka before a run begins: 0, or all but those that the specification has."""
    uses_up = any(map(_uses_up_epochs, map(trace.protocol.at, trace.states)))
    return LAST_EPOCH - trace.protocol.bounds.as_dict()["last_epoch"] if uses_up else 0


def _uses_up_epochs(state: Any) -> bool:
    """Whether a producer id was replaced, or an epoch taken that the model has for fencing alone."""
    logged = state.logged
    return bool(logged.producer_id > 0 or logged.next_id != NOTHING or logged.epoch > state.bounds.last_epoch)


APPENDS = frozenset(
    {
        *("init_producer_id", "init_fences", "write", "complete"),
        *("end_is_answered", "end_answer_is_lost", "delayed_end_arrives"),
    }
)
"""Steps by which a coordinator may append to its log."""


def _held_back(trace: Trace) -> str:
    """The first step that appends between the election that replaces a loading broker and the end of its load."""
    for number, step in enumerate(trace.steps):
        if step.instance.action.name == "load_part":
            (broker, _) = step.instance.arguments
            before = [one.instance for one in trace.steps[:number]]
            since = max(place for place, one in enumerate(before) if one.action.name == "elect")
            replaced = before[since:] if before[since].arguments[0] != broker else []
            found = next((one for one in replaced if one.action.name in APPENDS), None)
            if found is not None:
                return found.label
    return ""


class DrivenCoordinators(DrivenRun[TransactionalIdState]):
    """Two brokers of Kafka with their coordinators, and the model beside them, from an initial state on."""

    def __init__(self, kafka: Harness, protocol: TransactionalIdState, initial: Codes, epochs: int = 0) -> None:
        super().__init__(kafka, protocol, initial)
        self._epochs = epochs
        state: Any = self.state
        self.names = [str(one) for one in state.offices]
        self.places = {one: place for place, one in enumerate(state.offices)}
        self.said = ""
        leader = self.places[state.leader]
        order = ",".join(map(str, sorted(self.places.values(), key=lambda one: one != leader)))
        modes = MODES if protocol.epoch_per_transaction else MODES[:1]
        brokers = len(self.names)
        self._ask(f"begin|{brokers}|0|1|0|{order}|{leader}|0|0|{order}||-1|0|||{order}||{','.join(modes)}")
        if epochs:
            self._ask(f"txn_seed:{leader}:{epochs - 1}")
        self._ask(f"txn_load:{leader}")

    def _ask(self, line: str) -> None:
        answer = json.loads(self.answer(line))
        self.seen = in_epochs(answer["state"], self._epochs)
        self.said = answer["answers"][-1] if answer["answers"] else ""

    def take(self, step: Step, later: Sequence[Step] = ()) -> tuple[LeafDifference, ...]:
        """Take a step on both sides; where they differ after it. `later` are the steps that follow.

        Who is replaced while it loads hears of it at once, unless it is to read on until it hears of it.
        """
        instance, found = step.instance, tuple[LeafDifference, ...]()
        arguments = dict(zip((one.name for one in instance.parameters), instance.arguments, strict=True))
        line = MAPPED[instance.action.name](self.state, arguments, self.places, self._epochs)
        self.steps.append(step)
        self.codes = step.codes
        if line:
            try:
                self._ask(line)
                said = self.said
                for broker in self._replaced_while_loading(later) if instance.action.name == "elect" else ():
                    self._ask(f"txn_hear:{self.places[broker]}")
                self.said = said
            except Threw as thrown:
                return (LeafDifference("exception", str(thrown), "none"),)
            wanted = differs_in_answer(instance.action.name, arguments, self.state, self.said, self._epochs)
            found = (LeafDifference("answer", self.said, wanted),) if wanted else ()
        return (*found, *self.differs())

    def _replaced_while_loading(self, later: Sequence[Step]) -> list[Any]:
        state: Any = self.state
        next_of = {
            broker: next((one.instance.action.name for one in later if _is_about_office(one, broker)), "")
            for broker in state.offices
            if broker != state.leader and state.offices[broker].elected != NOTHING
        }
        return [broker for broker, action in next_of.items() if action != "load_part"]

    def differs(self) -> tuple[LeafDifference, ...]:
        """Where the states differ now."""
        return differences(self._leaves(), model_leaves(self.state))

    def _leaves(self) -> Leaves:
        state: Any = self.state
        whole = isinstance(state, WholeLoads)
        return kafka_leaves(self.seen, self.names, self.places[state.leader], whole=whole)

    def stands_still(self) -> bool:
        """Whether nothing goes on in Kafka: nothing is loaded, no marker written, and no producer helped that asks."""
        offices = [one["office"] or {} for one in self.seen["brokers"]]
        goes_on = any("loads" in one or one.get("state", "").startswith("Prepare") for one in offices)
        state: Any = self.state
        return not goes_on and not any(self._is_helped(one) for one in state.producers)

    def _is_helped(self, producer: Any) -> bool:
        """Whether a producer gets what it asks for if it asks once more, or something happens by that at least.

        An exception in the coordinator is UNKNOWN_SERVER_ERROR for the producer, which gives up.
        """
        state: Any = self.state
        action = ASKS.get(state.producers[producer].phase)
        if action is None:
            return False
        before = self._leaves()
        try:
            self._ask(MAPPED[action](state, {"producer": producer}, self.places, self._epochs))
        except Threw as thrown:
            self.said = str(thrown)
            return False
        return is_success(self.said) or bool(differences(self._leaves(), before))

    def decoded(self) -> TransactionalIdState:
        """The model's state with what Kafka's partitions have, for the properties."""
        state = self.state
        decode(state, self.seen)
        return state


def _is_about_office(step: Step, broker: Any) -> bool:
    return step.instance.action.name in ("load_part", "elect", "resign") and step.instance.arguments[0] == broker


def play(kafka: Harness, trace: Trace, tell: Callable[[int, int], None] = lambda order, orders: None) -> Played:
    """Play a run. Nothing depends on an order of the brokers, so there is one order, which is not said."""
    protocol = trace.protocol
    assert isinstance(protocol, TransactionalIdState)  # `not_mapped` refuses others
    tell(1, 1)
    driven = DrivenCoordinators(kafka, protocol, trace.initial, epochs_before(trace))
    differs, before = driven.differs(), driven.decoded()
    for number, step in enumerate(trace.steps, start=1):
        if differs:
            break
        before = driven.decoded()
        differs = driven.take(step, trace.steps[number:])
    holds = None
    if not differs:
        decoded = driven.decoded()
        ends = trace.loop is None
        holds = holds_at_the_end(trace, before, decoded) if ends else not driven.stands_still()
    lines, answers = tuple(driven.lines), tuple(driven.answers)
    return Played(trace, (), len(driven.steps), differs, "", holds, lines, answers, (driven.said,))


def left_by_model(trace: Trace, version: str, bug: KnownBug) -> int | None:
    """The step at which the model of a release leaves a run, or None if it takes all of it, to the same violation.

    Which of the two protocols of a hole a release has is said by the catalogue.
    """
    kind = registered(bug.without_rule if bug.was_in(model_of(version)) else bug.with_rule)
    bounds = trace.protocol.bounds.as_dict()
    model = kind(None, **{name: bounds[name] for name in kind.bounds_type().declared()})

    def goes_on(codes: Codes) -> bool:
        return any(one[0].action.mark.fair != "" and one[1] != codes for one in model.successors(codes))

    return step_left(trace, model, lambda state: {**model_leaves(state), **phases(state)}, goes_on)
