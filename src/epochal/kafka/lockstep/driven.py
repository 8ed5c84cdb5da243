"""One run on both sides: each step is taken by Kafka's classes and by the model, and then both states are compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from epochal.checker.semantics.semantics import Codes
from epochal.checker.trace.trace import Step, Trace
from epochal.errors import EngineError
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.state import Record
from epochal.spec.language import ActionInstance, Set
from epochal.spec.language import Protocol as Specification

from . import steps_reassignment
from .compared import ClusterSeen, LeafDifference, differences, kafka_leaves, model_leaves
from .families import families_of
from .family import KafkaRequest, Leaves
from .steps import WAIT, commands, refused_by_harness, second_round
from .steps_log import ON_THE_WAY

THROWN = "thrown|"
"""How an answer begins that is an exception of Kafka."""

_Model = TypeVar("_Model", bound=Specification)

Outcome = tuple[ActionInstance, Codes]
"""A step of the model, and the state after it."""


class Harness(Protocol):
    """What answers lines: a JVM with Kafka's classes."""

    def ask(self, lines: Sequence[str]) -> list[str]:
        """The answers to these lines, in their order."""
        ...


class Threw(Exception):
    """Kafka has thrown an exception, which is an outcome."""


class DrivenRun(Generic[_Model]):
    """A run on both sides from an initial state on. `lines` and `answers` are what was said to Kafka and by it."""

    def __init__(self, kafka: Harness, protocol: _Model, initial: Codes) -> None:
        self._kafka = kafka
        self.protocol = protocol
        self.initial = self.codes = initial
        self.steps: list[Step] = []
        self.lines: list[str] = []
        self.answers: list[str] = []

    @property
    def state(self) -> _Model:
        """The state of the model."""
        return self.protocol.at(self.codes)

    @property
    def trace(self) -> Trace:
        """The steps so far as a run of the model."""
        facts: dict[str, str | int | bool] = {"engine": "lockstep", "shortest": False}
        return Trace(self.protocol, self.initial, tuple(self.steps), facts=facts)

    def answer(self, line: str) -> str:
        """What Kafka answers to a line. Raises Threw."""
        (answer,) = self._kafka.ask([line])
        self.lines.append(line)
        self.answers.append(answer)
        if answer.startswith(THROWN):
            raise Threw(answer.removeprefix(THROWN))
        return answer


class Driven(DrivenRun[Kraft]):
    """A cluster of Kafka's classes and the model beside it, from an initial state of the model on.

    `order` are the places of the replicas in the order that the controller knows: of several that may lead, Kafka
    elects the first. `committed` is what some leader of Kafka had below its high watermark.
    """

    def __init__(self, kafka: Harness, protocol: Kraft, order: Sequence[int], initial: Codes) -> None:
        super().__init__(kafka, protocol, initial)
        self.order = tuple(order)
        self.names = [str(one) for one in protocol.at(initial).brokers]
        self.places = {one: place for place, one in enumerate(protocol.at(initial).brokers)}
        self._families = families_of(protocol)
        self.committed: list[tuple[int, int]] = []
        self.second_rounds = 0
        self.said: list[str] = []
        try:
            self.seen = self._ask(self._beginning())
            for line in steps_reassignment.raised_at_once(self.state):
                self.seen = self._ask(line)
        except Threw as thrown:
            raise EngineError(f"Kafka's classes cannot be put together: {thrown}") from thrown

    def begins_the_same(self) -> tuple[LeafDifference, ...]:
        """Where the first states differ."""
        return self._differences(model_leaves(self.state))

    def take(self, request: KafkaRequest, outcomes: Sequence[Outcome]) -> tuple[LeafDifference, ...]:
        """Take a step on both sides; where they differ after it.

        `outcomes` are those that the model allows. The one is followed in which the controller did what Kafka's has
        done; the first of them if there is none.
        """
        before = self.state
        line = commands(before, request, self.places)
        try:
            self.seen = self._ask(line)
            answered = self._answered(before, request)
            instance, after, found = self._followed(outcomes)
            between = second_round(before, request, self.places)
            if found and between is not None and not self._changed(before):
                # the cache of a former leader that appended nothing has an epoch more: it is told to truncate nothing
                for other in (*between, line):
                    self.seen = self._ask(other)
                self.second_rounds += 1
                instance, after, found = self._followed(outcomes)
            found = (*answered, *found)
        except Threw as thrown:
            instance, after = outcomes[0]
            found = (LeafDifference("exception", str(thrown), "none"),)
        self.steps.append(Step(instance, after))
        self.codes = after
        return found

    def cannot_ask(self, state: Kraft, request: KafkaRequest) -> str:
        """Why the harness cannot take a step that the model can from its state; "" if it can.

        The specification has no order of the replicas. Where the preferred replica leads, though it is fenced, Kafka
        answers ELECTION_NOT_NEEDED to ElectLeaders: with these replicas in another order the same run goes on. The
        specification has one AlterPartition request on its way at most, of whichever leader, and its leaders look at
        their high watermark at each fetch.
        """
        if request.action == "fetch" and _proposes_beside_another(state, request):
            return "two leaders would have an AlterPartition request on its way each"
        if request.action == "fetch" and _commits_without_news(state, request):
            return "a fetch without news commits, after a proposal was refused"
        leader = state.metadata[0].leader
        leads = leader is not None and self.seen.controller.preferred == self.places[leader]
        if request.action == "elect_any_leader" and leads:
            return "the leader is the preferred replica"
        return refused_by_harness(state, request)

    def asked(self, line: str) -> ClusterSeen:
        """What Kafka's state is after a line that is no step of the model. Raises Threw."""
        self.seen = self._ask(line)
        return self.seen

    def stands_still(self) -> bool:
        """Whether nothing changes any more by fetches of followers, each from the leader that it knows."""
        leaves = self._leaves()
        for place, broker in enumerate(self.seen.brokers):
            if broker is not None and broker.leader not in (-1, place):
                self.seen = self._ask(f"{WAIT} fetch:{place}:{broker.leader}")
        return self._leaves() == leaves

    def _answered(self, before: Kraft, request: KafkaRequest) -> tuple[LeafDifference, ...]:
        """Where Kafka's answer is another than the one that a step is about."""
        answers = (one.answers(before, request) for one in self._families)
        wanted = next((one for one in answers if one is not None), None)
        if wanted is None or self.said[-1] in wanted:
            return ()
        return (LeafDifference("answer", self.said[-1], " or ".join(sorted(wanted))),)

    # -- outcomes -------------------------------------------------------------------------------------------------

    def _followed(self, outcomes: Sequence[Outcome]) -> tuple[ActionInstance, Codes, tuple[LeafDifference, ...]]:
        compared = [(one, model_leaves(self.protocol.at(one[1]))) for one in outcomes]
        seen = self._leaves()
        (instance, after), leaves = next((one for one in compared if _same_controller(seen, one[1])), compared[0])
        accepted = self._refuse_stale_requests(self.protocol.at(after))
        return instance, after, (*accepted, *self._differences(leaves))

    def _refuse_stale_requests(self, after: Kraft) -> tuple[LeafDifference, ...]:
        """Put what only Kafka has on its way to the controller: it can only be refused, and so the model does not send
        it (`Leader.propose`). Whatever is accepted is a difference."""
        sender = after.request.leader
        members = {self.places[one] for one in after.request.isr}
        accepted = []
        for broker, isr in sorted(self.seen.proposed.items()):
            if sender is not None and broker == self.places[sender] and isr == members:
                continue
            self.seen = self._ask(f"judge:{broker}")
            if self.said == ["NONE"]:
                leaf = f"AlterPartition of {self.names[broker]}"
                accepted.append(LeafDifference(leaf, "accepted", "can only be refused"))
        return tuple(accepted)

    def _changed(self, before: Kraft) -> bool:
        """Whether a step has changed more than what is on its way to a follower."""
        return any(one.leaf not in ON_THE_WAY for one in self._differences(model_leaves(before)))

    def _differences(self, model: Leaves) -> tuple[LeafDifference, ...]:
        return differences(self._leaves(), model)

    def _leaves(self) -> Leaves:
        return kafka_leaves(self.seen, self.names, families_of(self.protocol))

    # -- Kafka ----------------------------------------------------------------------------------------------------

    def _beginning(self) -> str:
        """The line of a new cluster: a state of the controller, as layer 1 takes it."""
        state, settings = self.state, self.protocol.settings
        assert state.metadata[0].leader is not None  # `initial` chooses one
        everybody = ",".join(str(place) for place in range(len(self.names)))
        fields = (
            "begin",
            len(self.names),
            int(settings.elr),
            steps_reassignment.min_isr_at_first(self.state),
            int(settings.unclean_leader_election),
            ",".join(map(str, self.order)),
            self.places[state.metadata[0].leader],
            0,
            0,
            everybody,
            "",
            -1,
            0,
            "",
            "",
            everybody,
            "",
            ",".join(steps_reassignment.modes(self.state)),
        )
        return "|".join(map(str, fields))

    def _ask(self, line: str) -> ClusterSeen:
        """What Kafka's state is after a line. Raises Threw."""
        said: dict[str, Any] = json.loads(self.answer(line))
        self.said = said["answers"]
        seen = ClusterSeen.of(said["state"])
        self._remember_committed(seen)
        return seen

    def _remember_committed(self, seen: ClusterSeen) -> None:
        for broker in seen.brokers:
            if broker is not None and broker.leads is not None:
                known = len(self.committed) - broker.disk_start
                assert known >= 0  # what is deleted was committed before, and seen
                self.committed += broker.log[known : max(known, broker.high_watermark - broker.disk_start)]

    # -- properties -----------------------------------------------------------------------------------------------

    def decoded(self) -> Kraft:
        """Kafka's own state as one of the specification, for its properties.

        All that the harness tells is Kafka's, and `committed` is what was seen of its leaders. Who has lost data is
        taken from the model, because it says which faults there were; so is what nothing of Kafka is compared with, and
        what a log had before what is on its disk.
        """
        state = self.state
        members = list(state.brokers)

        def one(place: int) -> Any:
            return None if place < 0 else members[place]

        def some(places: Iterable[int]) -> Any:
            return Set(members[place] for place in places)

        for member, broker in zip(members, self.seen.brokers, strict=True):
            if broker is None:
                continue
            own, view = state.brokers[member], state.view(member)
            deleted = [(one.id, one.epoch) for one in own.log][: broker.disk_start]
            own.hw, own.log = broker.high_watermark, _log([*deleted, *broker.log])
            view.leader, view.leader_epoch = one(broker.leader), broker.leader_epoch
            if broker.leads is not None:
                own.epoch_start = broker.leads.epoch_start
                own.proposed = some(broker.leads.maximal_isr) if broker.leads.maximal_isr != broker.leads.isr else Set()
                view.isr = some(broker.leads.isr)
                for other, offset in broker.leads.followers.items():
                    own.followers[members[other]] = offset
            for family in families_of(state):
                family.decode(state, member, broker.said)
        now = self.seen.controller
        state.metadata[0].leader, state.metadata[0].leader_epoch = one(now.leader), now.leader_epoch
        state.metadata[0].isr = some(now.isr)
        state.recovery.elr, state.recovery.recovering = some(now.elr), now.recovering
        state.recovery.last_known_leader = one(now.last_known_leader)
        for place, member in enumerate(members):
            state.registrations[member].fenced = place not in now.active
        state.committed = _log(self.committed)
        state.acknowledged = Set(self.seen.acknowledged)
        for family in families_of(state):
            family.decode_shared(state, self.seen.said)
        return state


def _log(records: Iterable[tuple[int, int]]) -> Any:
    return [Record(id=id, epoch=epoch) for id, epoch in records]


def _same_controller(seen: Leaves, model: Leaves) -> bool:
    return all(seen[name] == value for name, value in model.items() if name.startswith("controller "))


def _proposes_beside_another(state: Kraft, request: KafkaRequest) -> bool:
    """Whether a fetch could have a leader propose its follower while a request of another leader is on its way.

    One of the two is a former leader, whose request can only be refused. In Kafka it counts the follower until then.
    """
    leader, follower = request["leader"], request["follower"]
    known = state.brokers[leader]
    waits = state.request.leader not in (None, leader) and len(known.proposed) == 0
    return waits and follower not in state.view(leader).isr


def _commits_without_news(state: Kraft, request: KafkaRequest) -> bool:
    """Whether a fetch from where the follower fetched before could raise the high watermark.

    Only after a proposal was refused: fewer replicas count then. Kafka looks again when a follower comes on
    (`options.fetch_news`).
    """
    leader, follower = request["leader"], request["follower"]
    known = state.brokers[leader]
    if not state.settings.every_fetch_raises_high_watermark or known.followers[follower] != state.end(follower):
        return False
    if state.settings.strict_hw and len(state.view(leader).isr) < state.leader_min_isr(leader):
        return False
    counted = state.waited_for(leader, state.maximal_isr(leader))
    return min((state.known_end(leader, one) for one in counted), default=known.hw) > known.hw
