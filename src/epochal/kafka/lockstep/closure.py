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

from ..validation.controller import Outline, controller_model
from ..validation.image import NOBODY
from .controller_lines import AnsweredStep, ControllerSettings, KnownState, ThrownStep, answer_of, line_of
from .harness import RunningKafka
from .requests import ControllerRequest, ControllerSpecification, executions, reassignments, requests_in

BATCH = 500
"""So many executions are asked for together."""


@dataclass(frozen=True)
class ClosureBounds:
    """How large the controller is: brokers, replicas, reassignments in a run, and whether log directories fail."""

    brokers: int = 3
    replicas: int = 3
    reassignments: int = 0
    directories: bool = False


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
    ) -> None:
        self._kafka, self._bounds, self._told = kafka, bounds, told
        self._specification = ControllerSpecification(controller_model(kind, settings, bounds.brokers), settings)
        self._lines = ControllerSettings(
            bounds.brokers, settings.elr, settings.min_insync_replicas, settings.unclean_leader_election
        )
        self._came: dict[KnownState, tuple[KnownState, TakenStep] | None] = {}
        self.found = ClosureFound()

    def run(self) -> None:
        """Search every state. States behind one reassignment more come after all others."""
        every, all_active = (1 << self._bounds.replicas) - 1, (1 << self._bounds.brokers) - 1
        for leader in range(self._bounds.replicas):
            partition = Outline(leader, 0, every, every, 0, 0, 0, NOBODY, False)
            self._came[KnownState(partition, all_active)] = None
        layer = list(self._came)
        for reassigned in range(self._bounds.reassignments + 1):
            known = self._close(layer)
            if reassigned < self._bounds.reassignments:
                layer = self._take(known, self._reassignments)
        self._count(0)

    def _close(self, layer: list[KnownState]) -> list[KnownState]:
        """Follow every request from these states; all that were reached, with these."""
        reached = list(layer)
        while layer:
            layer = self._take(layer, self._requests)
            reached += layer
        return reached

    def _requests(self, state: KnownState) -> Iterator[ControllerRequest]:
        return requests_in(state, self._bounds.brokers, self._bounds.directories)

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
                lines += (line_of(self._lines, state, order, step) for order, step in executions(state, request))
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
        model = self._specification.outcomes(state, request)
        self.found.requests[request.action] += 1
        if model == {state}:
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
        for after in (*kafka, *only_model):
            if isinstance(after, KnownState) and after.at_rest() not in self._came:
                line = kafka.get(after, next(iter(kafka.values())))
                self._came[after.at_rest()] = state, TakenStep(line, request, after)
                yield after.at_rest()

    def _run_to(self, state: KnownState) -> list[TakenStep]:
        steps = list[TakenStep]()
        before = self._came[state]
        while before is not None:
            state, step = before
            steps.append(step)
            before = self._came[state]
        return steps[::-1]
