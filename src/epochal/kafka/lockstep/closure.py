"""Every state that the controller can be in, and every request in it: Kafka's own classes against the specification.

From the states in which a partition begins, every request is put to both sides, and to Kafka in every order of the
replicas, which the specification leaves open. Where both lead to the same set of states for every request, and each
state of either side is followed, no run of these requests, of whatever length, tells the two controllers apart.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.settings import Settings

from ..validation.controller import ModelStep, Outline, controller_model
from ..validation.image import NOBODY
from .changing import ChangingSpecification
from .controller_lines import (
    AnsweredStep,
    ChangingSettings,
    ControllerSettings,
    KnownState,
    ThrownStep,
    answer_of,
    line_of,
)
from .harness import RunningKafka
from .partitions import SpecificationOfTwo, beginnings, executions_of_two, requests_of_two
from .requests import (
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
