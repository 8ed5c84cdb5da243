"""Every state that the controller can be in, and every request in it: Kafka's own classes against the specification.

From the states in which a partition begins, every request is put to both sides, and to Kafka in every order of the
replicas, which the specification leaves open. Where both lead to the same set of states for every request, and each
state of either side is followed, no run of these requests, of whatever length, tells the two controllers apart.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from epochal.spec.kraft.configuration import ConfigurableKraft, with_more
from epochal.spec.kraft.controller import NOBODY as NO_REPLICA
from epochal.spec.kraft.controller import Election
from epochal.spec.kraft.options.cleared_elr import ClearedElr
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Replica
from epochal.spec.language import Identifier, Set, action, require

from ..validation.controller import ModelStep, Outline, controller_model
from ..validation.image import NOBODY
from .controller_lines import (
    AnsweredStep,
    ChangingSettings,
    ControllerSettings,
    KnownState,
    ThrownStep,
    answer_of,
    line_of,
    places,
)
from .harness import RunningKafka
from .requests import (
    CAUGHT_UP,
    ControllerRequest,
    ControllerSpecification,
    executions,
    reassignments,
    requests_in,
    requests_while_waiting,
    settings_in,
    shutdowns_in,
)

BATCH = 500
"""So many executions are asked for together."""


@dataclass(frozen=True)
class ClosureBounds:
    """How large the controller is: brokers, replicas, reassignments in a run, and whether log directories fail.

    With `shutdowns` brokers shut down heartbeat by heartbeat, and controllers change meanwhile. With `settings`
    min.insync.replicas changes, and where Kafka has it the ELR feature (`elr_changes`); with `minimum_is_default` the
    minimum is the default of the cluster. Of these closures the states that are reached without such requests are known
    from the specification alone: only what is new is asked there. `second` is how many replicas another partition of
    the topic has, on the last brokers; 0 if there is none. `minimum` is what min.insync.replicas is set to, if that is
    more than the first partition has replicas.
    """

    brokers: int = 3
    replicas: int = 3
    reassignments: int = 0
    directories: bool = False
    shutdowns: bool = False
    settings: bool = False
    elr_changes: bool = False
    minimum_is_default: bool = False
    second: int = 0
    minimum: int = 0

    @property
    def changing(self) -> bool:
        """Whether states say more than the partition, and who is active."""
        return self.shutdowns or self.settings


class TakenStep(NamedTuple):
    """A step on a run: the line by which Kafka takes it, the request, and the state after it."""

    line: str
    request: ControllerRequest
    after: KnownState


@dataclass(frozen=True)
class ControllerDifference:
    """A request after which Kafka is not where the specification is.

    `run` leads from the beginning to the state before. `kafka` has what only Kafka does, each with a line that shows
    it; `model` what only the specification does.
    """

    before: KnownState
    request: ControllerRequest
    kafka: tuple[tuple[str, KnownState | ThrownStep], ...]
    model: tuple[KnownState, ...]
    run: tuple[TakenStep, ...]

    @property
    def kind(self) -> str:
        """How the two differ: differences of the same request and kind are told together."""
        if any(isinstance(state, ThrownStep) for _, state in self.kafka):
            return "Kafka throws an exception"
        if self.kafka and self.model:
            return "another outcome"
        return "an outcome that only Kafka has" if self.kafka else "an outcome that only the specification has"


@dataclass
class ClosureFound:
    """What was asked, how the answers agree, and the first difference of each kind, which is the shortest."""

    states: int = 0
    executions: int = 0
    requests: Counter[str] = field(default_factory=Counter)
    without_step: Counter[str] = field(default_factory=Counter)
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    differing: Counter[tuple[str, str]] = field(default_factory=Counter)
    shortest: dict[tuple[str, str], ControllerDifference] = field(default_factory=dict)
    waiting: int = 0
    kafka_seconds: float = 0.0
    begun: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """For how long it has been searched."""
        return time.monotonic() - self.begun

    @property
    def differences(self) -> int:
        """How many requests differ."""
        return self.differing.total()

    @property
    def asked(self) -> int:
        """How many requests were made."""
        return self.requests.total()


class _Asked(NamedTuple):
    """A request that waits for its answers, the lines of which begin at a place."""

    state: KnownState
    request: ControllerRequest
    lines: range


class Closure:
    """The search. `found` is what is known so far, also after an interruption."""

    def __init__(
        self,
        kafka: RunningKafka,
        kind: type[ConfigurableKraft],
        settings: Settings,
        bounds: ClosureBounds,
        told: Callable[[ClosureFound], None] = lambda _: None,
        noted: Callable[[ModelStep, bool], None] = lambda step, kafka: None,
    ) -> None:
        """`noted` hears of every step of the specification, and whether Kafka has taken it as well."""
        self._kafka, self._bounds, self._told, self._noted = kafka, bounds, told, noted
        self._specification: ControllerSpecification | ChangingSpecification | SpecificationOfTwo
        if bounds.changing:
            self._specification = ChangingSpecification(kind, settings, bounds.brokers, bounds.minimum_is_default)
        elif bounds.second:
            self._specification = SpecificationOfTwo(kind, settings, bounds.brokers)
        else:
            self._specification = ControllerSpecification(controller_model(kind, settings, bounds.brokers), settings)
        self._in_force = ChangingSettings(settings.elr, settings.min_insync_replicas) if bounds.changing else None
        self._lines = ControllerSettings(
            bounds.brokers,
            settings.elr,
            max(bounds.minimum, settings.min_insync_replicas),
            settings.unclean_leader_election,
            bounds.minimum_is_default,
        )
        self._known: frozenset[KnownState] = frozenset()
        self._came: dict[KnownState, tuple[KnownState, TakenStep] | None] = {}
        self.found = ClosureFound()

    def run(self) -> None:
        """Search every state. States behind one reassignment more come after all others."""
        self._came = dict.fromkeys(self._beginnings())
        if self._bounds.changing:
            self._follow_specification()
        layer = list(self._came)
        for reassigned in range(self._bounds.reassignments + 1):
            known = self._close(layer)
            if reassigned < self._bounds.reassignments:
                layer = self._take(known, self._reassignments)
        self._count(0)

    def _beginnings(self) -> Iterator[KnownState]:
        """Everybody is active, and in the ISR."""
        bounds = self._bounds
        if bounds.second:
            yield from beginnings(bounds.brokers, bounds.replicas, bounds.second)
            return
        every, all_active = (1 << bounds.replicas) - 1, (1 << bounds.brokers) - 1
        for leader in range(bounds.replicas):
            partition = Outline(leader, 0, every, every, 0, 0, 0, NOBODY, False)
            yield KnownState(partition, all_active, in_force=self._in_force)

    def _follow_specification(self) -> None:
        """Reach what is reached by the requests of another closure, by the specification alone."""
        waiting = deque(self._came)
        while waiting:
            state = waiting.popleft()
            for request in requests_in(state, self._bounds.brokers, self._bounds.directories):
                for after in self._specification.ways(state, request):
                    if after.at_rest() not in self._came:
                        line = next(iter(self._lines_of(state, request)))
                        self._came[after.at_rest()] = state, TakenStep(line, request, after)
                        waiting.append(after.at_rest())
        self._known = frozenset(self._came)

    def _lines_of(self, state: KnownState, request: ControllerRequest) -> Iterator[str]:
        if self._bounds.second:
            for (order, second_order), step in executions_of_two(state, request):
                yield line_of(self._lines, state, order, step, second_order)
            return
        for order, step in executions(state, request, self._bounds.minimum_is_default):
            yield line_of(self._lines, state, order, step)

    def _close(self, layer: list[KnownState]) -> list[KnownState]:
        """Follow every request from these states; all that were reached, with these."""
        reached = list(layer)
        while layer:
            layer = self._take(layer, self._requests)
            reached += layer
        return reached

    def _requests(self, state: KnownState) -> Iterator[ControllerRequest]:
        bounds = self._bounds
        if bounds.second:
            yield from requests_of_two(state, bounds.brokers)
            return
        if bounds.shutdowns:
            yield from shutdowns_in(state, bounds.brokers)
        if bounds.settings:
            yield from settings_in(state, bounds.replicas, bounds.elr_changes)
        if state not in self._known:
            others = requests_while_waiting if bounds.shutdowns else requests_in
            yield from others(state, bounds.brokers, bounds.directories)

    def _reassignments(self, _: KnownState) -> Iterator[ControllerRequest]:
        return reassignments(self._bounds.brokers, self._lines.min_isr)

    def _take(
        self, states: list[KnownState], requests: Callable[[KnownState], Iterator[ControllerRequest]]
    ) -> list[KnownState]:
        """Make requests in states; the states that are new."""
        new: list[KnownState] = []
        waiting, asked, lines = deque(states), list[_Asked](), list[str]()
        while waiting:
            state = waiting.popleft()
            for request in requests(state):
                begun = len(lines)
                lines += self._lines_of(state, request)
                asked.append(_Asked(state, request, range(begun, len(lines))))
            if len(lines) >= BATCH or not waiting:
                new += self._answered(asked, lines)
                asked, lines = [], []
                self._count(len(waiting) + len(new))
        return new

    def _count(self, waiting: int) -> None:
        self.found.states, self.found.waiting = len(self._came), waiting
        self._told(self.found)

    def _answered(self, asked: list[_Asked], lines: list[str]) -> Iterator[KnownState]:
        """Compare the answers to requests; the states that are new."""
        begun = time.monotonic()
        answers = self._kafka.ask(lines)
        self.found.kafka_seconds += time.monotonic() - begun
        self.found.executions += len(lines)
        for one in asked:
            kafka: dict[KnownState | ThrownStep, str] = {}
            for number in one.lines:
                answer = answer_of(answers[number])
                if isinstance(answer, AnsweredStep):
                    self.found.errors[one.request.action, answer.error] += 1
                    kafka.setdefault(answer.state, lines[number])
                else:
                    kafka.setdefault(answer, lines[number])
            yield from self._compared(one.state, one.request, kafka)

    def _compared(
        self, state: KnownState, request: ControllerRequest, kafka: dict[KnownState | ThrownStep, str]
    ) -> Iterator[KnownState]:
        """Compare where a request leads on both sides; the states that are new."""
        model = self._specification.ways(state, request)
        self.found.requests[request.action] += 1
        if model.keys() == {state}:
            self.found.without_step[request.action] += 1
        only_kafka = tuple((line, after) for after, line in kafka.items() if after not in model)
        only_model = tuple(sorted(after for after in model if after not in kafka))
        if only_kafka or only_model:
            different = ControllerDifference(state, request, only_kafka, only_model, ())
            key = request.action, different.kind
            self.found.differing[key] += 1
            if key not in self.found.shortest:
                run = tuple(self._run_to(state))
                self.found.shortest[key] = ControllerDifference(state, request, only_kafka, only_model, run)
        for of_model, steps in model.items():
            for step in steps:
                self._noted(step, of_model in kafka)
        for told in (*kafka, *only_model):
            if isinstance(told, KnownState) and told.at_rest() not in self._came:
                line = kafka.get(told, next(iter(kafka.values())))
                self._came[told.at_rest()] = state, TakenStep(line, request, told)
                yield told.at_rest()

    def _run_to(self, state: KnownState) -> list[TakenStep]:
        steps = list[TakenStep]()
        before = self._came[state]
        while before is not None:
            state, step = before
            steps.append(step)
            before = self._came[state]
        return steps[::-1]


# -- where settings change ---------------------------------------------------------------------------------------------
# The specification of the controller where settings change, and where brokers wait until they may shut down.
#
# Neither is a state of the specification. It has the rules under each setting, the step that clears what a change of
# min.insync.replicas clears, and the step by which a broker that shuts down leaves. Which heartbeat is such a step
# follows from who leads and who has replayed what: those are the rules of BrokerHeartbeatManager, written down here.

Ways = dict[KnownState, list[ModelStep]]

FENCING = frozenset({"expire", "fence", "restart", "shut_down", "unregister"})
"""Requests after which a broker does not wait any more."""


class FruitlessElection(ClearedElr):
    """ElectLeaders where nobody else is elected: the change is written all the same if it changes anything.

    Where settings do not change nothing is left for it. But an ELR is left over where the feature was switched off, and
    where the minimum was lowered meanwhile; up to 4.0 a last known leader, too.
    """

    @action(by="operator", to="controller", sends="ElectLeaders", says="ElectLeaders finds nobody else to elect")
    def elect_nobody(self, successor: Replica | None) -> None:
        """ReplicationControlManager.electLeader: what PartitionChangeBuilder has built is written."""
        self.change_partition(self.metadata[0].isr, successor, Set(), election=Election.ONLINE)


class LeaderElectedAgain(ClearedElr):
    """The last known leader is elected although it leads: the leader stays, and the ISR is what it was to be, or empty.

    Up to 4.0 it need not be alive (KAFKA-19522). It leads if it was elected while the feature was off: otherwise the
    election would have made it forgotten.
    """

    def change_partition(
        self,
        isr: Set[Identifier],
        successor: Identifier | None,
        unclean: Set[Identifier],
        recovered: bool = False,
        election: Election = Election.AS_CONFIGURED,
        leaving: Set[Identifier] = NO_REPLICA,
        written: bool = False,
    ) -> None:
        """PartitionChangeBuilder.tryElection: whoever is found is made the leader only if it does not lead."""
        now, elr = self.metadata[0], self.eligible_leader_replicas(isr, unclean)
        clean = self.clean_candidates(isr, elr)
        if successor is not None and successor == now.leader and successor not in clean:
            require(election != Election.PREFERRED)
            self.require_successor(successor, clean, isr, elr, election)
            self.append_change(successor, now.leader_epoch, isr)
            self.recovery.elr = elr
            self.recovery.last_known_leader = None
        else:
            super().change_partition(isr, successor, unclean, recovered, election, leaving, written)


def _is_built(state: KnownState, request: ControllerRequest) -> bool:
    """Whether a change is built: not for a preferred replica that leads, and not uncleanly where there is a leader."""
    leader = state.partition.leader
    return leader == NOBODY if request.action == "elect unclean" else leader != request.broker


class ChangingSpecification:
    """Where each request leads, in states that say what is in force and who waits."""

    def __init__(
        self, kind: type[ConfigurableKraft], settings: Settings, brokers: int, minimum_is_default: bool
    ) -> None:
        self._minimum_is_default = minimum_is_default
        clearing = with_more(kind, FruitlessElection, LeaderElectedAgain)

        def under(in_force: ChangingSettings) -> ControllerSpecification:
            now = replace(settings, elr=in_force.elr, min_insync_replicas=in_force.min_isr)
            return ControllerSpecification(controller_model(clearing, now, brokers), now)

        self._under = cache(under)

    def ways(self, state: KnownState, request: ControllerRequest) -> Ways:
        """Where a request may lead, with the steps that lead there; to the state as it is if there is no step."""
        assert state.in_force is not None
        broker, here = request.broker, self._under(state.in_force)
        match request.action:
            case "min isr":
                return self._with_minimum(state, request.some)
            case "elr":
                return {state._replace(in_force=state.in_force._replace(elr=bool(request.some))): []}
            case "take office":
                return {state._replace(leaving=0, forgotten=state.leaving | state.forgotten): []}
            case "leave":
                return self._heartbeat(state, broker, True, request.how == CAUGHT_UP)
            case "heartbeat":
                return self._heartbeat(state, broker, False, False)
            case "fence" if state.leaving >> broker & 1:
                return self._heartbeat(state, broker, False, False)
            case "expire" | "fence" if state.forgotten >> broker & 1 or state.leaving >> broker & 1:
                steps = here.model.steps(here.state(state), "fence", broker)
                return self._told(_fenced(state, broker), here, steps) or {_fenced(state, broker): []}
        found = here.ways(state, request)
        if request.action.startswith("elect") and not any(found.values()) and _is_built(state, request):
            found = self._told(state, here, here.model.steps(here.state(state), "elect_nobody"))
        after = _fenced(state, broker) if request.action in FENCING else state
        return {
            one._replace(leaving=after.leaving, forgotten=after.forgotten, in_force=after.in_force): steps
            for one, steps in found.items()
        }

    def _with_minimum(self, state: KnownState, value: int) -> Ways:
        """min.insync.replicas is set: what was decided by the old value is cleared (KAFKA-16540).

        A topic that has the value already is left as it is; the default of the cluster is written in any case.
        """
        assert state.in_force is not None
        here, changed = self._under(state.in_force), state._replace(in_force=state.in_force._replace(min_isr=value))
        if not state.in_force.elr or (value == state.in_force.min_isr and not self._minimum_is_default):
            return {changed: []}
        cleared = here.model.steps(here.state(state), "clear_elr")
        return self._told(changed, here, cleared) or {changed: []}

    def _heartbeat(self, state: KnownState, broker: int, wants: bool, others_caught_up: bool) -> Ways:
        """BrokerHeartbeatManager.calculateNextBrokerState of an unfenced broker, which may want to shut down.

        It waits while it leads, and then until every other one has replayed the change by which it left. A controller
        that took office meanwhile has to be asked anew.
        """
        assert state.in_force is not None
        bit, here, leads = 1 << broker, self._under(state.in_force), state.partition.leader == broker
        if state.leaving & bit:
            others = (state.active | state.forgotten) & ~bit
            if leads or (others and not others_caught_up):
                return {state: []}
        elif not wants:
            return {state: []}
        waits = leads and not state.leaving & bit
        after = _fenced(state, broker)
        after = after._replace(leaving=after.leaving | bit) if waits else after
        return self._told(after, here, here.model.steps(here.state(state), "shut_down", broker))

    def _told(self, after: KnownState, here: ControllerSpecification, steps: Iterable[ModelStep]) -> Ways:
        """Where steps lead, with what is not known to the specification."""
        found: Ways = {}
        for step in steps:
            seen = here.seen(step.after)
            known = seen._replace(leaving=after.leaving, forgotten=after.forgotten, in_force=after.in_force)
            found.setdefault(known, []).append(step)
        return found


def _fenced(state: KnownState, broker: int) -> KnownState:
    """The same when a broker does not wait any more."""
    return state._replace(leaving=state.leaving & ~(1 << broker), forgotten=state.forgotten & ~(1 << broker))


# -- two partitions ----------------------------------------------------------------------------------------------------
# Two partitions of a topic in one controller: for the specification each is one of its own, with the same brokers.
#
# What is about a broker is about both. What is about partitions is about either, or about both in one request. Kafka
# counts min.insync.replicas of a topic by the replicas of its first partition (H2), and so does the model of either.

OF_PARTITIONS = frozenset({"alter", "refused alter", "directory", "elect preferred", "elect unclean"})
"""Requests that name partitions; all others are about a broker."""


def first_of(state: KnownState) -> KnownState:
    """The first partition alone."""
    return state._replace(second=None)


def second_of(state: KnownState) -> KnownState:
    """The other one alone."""
    assert state.second is not None
    return KnownState(state.second, state.active)


def beginnings(brokers: int, first: int, second: int) -> Iterator[KnownState]:
    """Both partitions with full ISRs: the first on the first brokers, the other on the last ones."""
    one, other = (1 << first) - 1, (1 << second) - 1 << brokers - second
    for leaders in itertools.product(places(one), places(other)):
        outlines = [
            Outline(leader, 0, some, some, 0, 0, 0, NOBODY, False)
            for leader, some in zip(leaders, (one, other), strict=True)
        ]
        yield KnownState(outlines[0], (1 << brokers) - 1, second=outlines[1])


def requests_of_two(state: KnownState, brokers: int) -> Iterator[ControllerRequest]:
    """Every request about a broker, about either partition, and about both: ISRs of one leader, and elections."""
    ones = list(requests_in(first_of(state), brokers))
    others = [one for one in requests_in(second_of(state), brokers) if one.action in OF_PARTITIONS]
    yield from ones
    yield from (one._replace(second=True) for one in others)
    assert state.second is not None
    same_leader = state.partition.leader == state.second.leader
    for one, other in itertools.product(ones, others):
        plain = one.stale == other.stale == NOBODY and one.action == other.action
        elects = one.action in ("elect preferred", "elect unclean")
        if plain and (elects or (one.action == "alter" and same_leader)):
            yield one._replace(also=(other.broker, other.some))


Orders = tuple[tuple[int, ...], tuple[int, ...]]


def executions_of_two(state: KnownState, request: ControllerRequest) -> Iterator[tuple[Orders, str]]:
    """Every order of the replicas of both in which Kafka is asked, with the words of the step."""
    one, other = first_of(state), second_of(state)
    also, nothing = request.of_other(), ControllerRequest("expire", 0)  # asked in every order
    if request.second:
        for first, _ in executions(one, nothing):
            yield from (((first, second), f"1/{step}") for second, step in executions(other, request))
    elif also is not None:
        for (first, step), (second, step_of_other) in itertools.product(
            executions(one, request), executions(other, also)
        ):
            yield (first, second), f"0/{step}+1/{step_of_other}"
    else:
        for first, step in executions(one, request):
            yield from (((first, second), step) for second, _ in executions(other, nothing))


class SpecificationOfTwo:
    """The specification of two partitions: the outcomes of each, put together."""

    def __init__(self, kind: type[ConfigurableKraft], settings: Settings, brokers: int) -> None:
        self._one = ControllerSpecification(controller_model(kind, settings, brokers), settings)

    def ways(self, state: KnownState, request: ControllerRequest) -> dict[KnownState, list[ModelStep]]:
        """Where a request may lead, with the steps that lead there."""
        one, other, also = first_of(state), second_of(state), request.of_other()
        named = request.action in OF_PARTITIONS
        first = {one: []} if request.second else self._one.ways(one, request)
        if also is not None:
            second = self._one.ways(other, also)
        else:
            second = {other: []} if named and not request.second else self._one.ways(other, request)
        return {
            known._replace(second=beside.partition): [*steps, *steps_of_other]
            for (known, steps), (beside, steps_of_other) in itertools.product(first.items(), second.items())
        }
