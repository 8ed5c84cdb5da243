"""Random simulation: many runs of bounded length, each step chosen uniformly among the enabled ones.

It finds no shortest counterexample and proves nothing; it reaches deep states of models too large to exhaust, and says
how far each action was exercised.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from epochal.checker.cross_check import SEED, Amount, CrossCheck, CrossChecker, repeated
from epochal.checker.properties import is_step_property, nothing_declared
from epochal.checker.reading import Codes, Reading
from epochal.checker.trace.trace import Step, Trace
from epochal.exit_codes import ExitCode
from epochal.spec.language import EvaluationError, Member, Protocol
from epochal.spec.language.protocol import evaluated

from ..host.measure import resident_memory
from .initial import FIRST_STATES, initial_states
from .patience import Patience, why_stopped
from .properties import chosen_properties
from .result import (
    EvaluationFinding,
    Options,
    Progress,
    PropertyResult,
)
from .stop import INTERRUPTED, RULE_FAILED, StopReason

PROGRESS_EVERY = 0.2

WALKING = "taking random runs"


@dataclass(frozen=True)
class SimulationResult:
    """What the runs showed.

    `dead_ends` counts runs that ended early because no action was enabled, `left_constraint` those that reached a state
    outside the state constraint, which is checked and ends the run; `longest` is the number of steps of the longest
    run; `cut` says why fewer runs were made than asked for; `cross_check` what was repeated in the Python reading, None
    if the runs were made by it. A property without a violation is "unknown": simulation cannot show that it holds. For
    `reachable`, "holds" means witnessed. `traces` are the first of the runs that differ, as many as were asked for.
    """

    protocol: Protocol
    engine: str
    seed: int
    runs: int
    depth: int
    steps: int
    distinct_states: int
    dead_ends: int
    left_constraint: int
    longest: int
    actions: tuple[tuple[str, int], ...]
    properties: tuple[PropertyResult, ...]
    wall_seconds: float
    cut: str = ""
    error: EvaluationFinding | None = None
    cross_check: CrossCheck | None = None
    traces: tuple[Trace, ...] = ()

    @property
    def interrupted(self) -> bool:
        """Whether the user has ended it: the runs, or the cross-check after them."""
        repeated = self.cross_check
        return self.cut == INTERRUPTED.text or (repeated is not None and repeated.cut == INTERRUPTED.text)

    @property
    def never_taken(self) -> tuple[str, ...]:
        """The actions that no run took."""
        return tuple(name for name, steps in self.actions if steps == 0)

    @property
    def exit_code(self) -> ExitCode:
        """12 if a property was violated, 75 if a rule could not be evaluated, 21 if something happened that must not
        under these bounds and settings, 30 if it was cut short, 22 if there was nothing to judge, else 0."""
        violated = {p.member.mark.kind for p in self.properties if p.verdict == "violated"}
        if violated - {"reachable"}:
            return ExitCode.VIOLATED
        if self.error is not None:
            return ExitCode.EVALUATION_FAILED
        if violated:
            return ExitCode.EXPECTATION_MISSED
        if self.cut:
            return ExitCode.INCONCLUSIVE
        return ExitCode.VACUOUS if nothing_declared(self.protocol) else ExitCode.HOLDS


@dataclass
class _Simulation:
    """The state of a simulation."""

    reading: Reading
    members: list[Member]
    pending: dict[str, Member]
    actions: dict[str, int]
    seen: set[Codes] = field(default_factory=set)
    found: dict[str, Trace] = field(default_factory=dict)
    steps: int = 0
    dead_ends: int = 0
    left_constraint: int = 0
    longest: int = 0
    error: EvaluationFinding | None = None
    traces: dict[tuple[Codes, ...], Trace] = field(default_factory=dict)

    def keep(self, initial: Codes, path: list[Step], seed: int) -> None:
        """Keep a run as it is, unless the same was kept before."""
        run = (initial, *(step.codes for step in path))
        self.traces.setdefault(run, self.trace(initial, path, "", "run", seed))

    def trace(self, initial: Codes, path: list[Step], property_id: str, verdict: str, seed: int) -> Trace:
        """The run so far."""
        facts: dict[str, str | int | bool] = {"engine": self.reading.name, "seed": seed, "shortest": False}
        return Trace(self.reading.protocol, initial, tuple(path), property_id, verdict, facts=facts)

    def evaluate(self, initial: Codes, path: list[Step], seed: int) -> None:
        """Evaluate the pending properties on the last state and step of a run."""
        now = path[-1].codes if path else initial
        before = path[-2].codes if len(path) > 1 else initial
        violated = set(self.reading.violated(now)) if now not in self.seen else set()
        if path:
            violated |= set(self.reading.violated_by_step(before, path[-1].instance, now))
        for name in sorted(violated & set(self.pending)):
            self.found[name] = self.trace(initial, path, name, "violated", seed)
            del self.pending[name]
        for member in [m for m in self.pending.values() if m.mark.kind == "reachable"]:
            if self._witnessed(member, before if path else None, now):
                self.found[member.name] = self.trace(initial, path, member.name, "reached", seed)
                del self.pending[member.name]

    def _witnessed(self, member: Member, before: Codes | None, now: Codes) -> bool:
        protocol = self.reading.protocol
        if not is_step_property(member):
            return now not in self.seen and bool(evaluated(member.function, protocol.at(now)))
        if before is None:
            return False
        return bool(evaluated(member.function, protocol.at(before), protocol.at(now)))


def simulate(
    protocol: Protocol,
    reading: Reading,
    *,
    runs: int,
    depth: int,
    seed: int,
    properties: tuple[str, ...] | None = None,
    progress: Callable[[Progress], None] | None = None,
    cross_check: Amount = "some",
    traces: int = 0,
    budget: float | None = None,
    begun: float | None = None,
) -> SimulationResult:
    """Make `runs` random runs of at most `depth` steps. The same seed gives the same runs, whatever the reading.

    Of runs that differ the first `traces` are part of the result. `budget` are seconds from `begun` on, for all of it.

    Some of the states that they saw are repeated in the Python reading, if they were made by another. Raises
    ReadingsDisagree.
    """
    started = time.monotonic()
    members = chosen_properties(protocol, Options(properties=properties))
    actions = {action.name: 0 for action in protocol.members("action")}
    simulation = _Simulation(reading, members, {m.name: m for m in members}, actions)
    chosen = random.Random(seed)
    patience = Patience(budget, progress=progress, begun=begun)
    with patience.watching(FIRST_STATES):
        starts = initial_states(protocol, patience)
    made, next_report = 0, 0.0
    stopped: StopReason | None = None
    try:
        while made < runs and simulation.error is None:
            patience(WALKING)
            _run(simulation, chosen, chosen.choice(starts), depth, seed, len(simulation.traces) < traces)
            made += 1
            elapsed = time.monotonic() - started
            if progress is not None and elapsed >= next_report:
                next_report = elapsed + PROGRESS_EVERY
                seen = len(simulation.seen)
                progress(Progress(seen, simulation.steps, made, runs - made, elapsed, resident_memory()))
    except KeyboardInterrupt as interruption:
        stopped = why_stopped(interruption)
    if simulation.error is not None:
        stopped = RULE_FAILED
    confirmed = _cross_checked(simulation, cross_check, time.monotonic() - started, patience)
    return SimulationResult(
        protocol=protocol,
        engine=reading.name,
        seed=seed,
        runs=made,
        depth=depth,
        steps=simulation.steps,
        distinct_states=len(simulation.seen),
        dead_ends=simulation.dead_ends,
        left_constraint=simulation.left_constraint,
        longest=simulation.longest,
        actions=tuple(simulation.actions.items()),
        properties=tuple(_result(simulation, member) for member in members),
        wall_seconds=time.monotonic() - started,
        cut=stopped.text if stopped else "",
        error=simulation.error,
        cross_check=confirmed,
        traces=tuple(simulation.traces.values()),
    )


def _cross_checked(
    simulation: _Simulation, amount: Amount, run_seconds: float, patience: Patience
) -> CrossCheck | None:
    """Repeat some of the states that were seen."""
    answers = simulation.reading.answers(simulation.members)
    if answers is None or amount == "off":
        return None if answers is None else CrossCheck()
    checker = CrossChecker(simulation.reading.protocol, simulation.members, answers)
    states = list(simulation.seen)
    random.Random(SEED).shuffle(states)
    return repeated(checker, states, checker.repeat, amount, run_seconds, told=patience.repeating)


def _run(simulation: _Simulation, chosen: random.Random, initial: Codes, depth: int, seed: int, kept: bool) -> None:
    """Make one run, which is `kept` for the result."""
    path: list[Step] = []
    now = initial
    try:
        simulation.evaluate(initial, path, seed)
        simulation.seen.add(now)
        while len(path) < depth:
            steps = simulation.reading.successors(now)
            if not steps:
                simulation.dead_ends += 1
                break
            instance, now = chosen.choice(steps)
            path.append(Step(instance, now))
            simulation.steps += 1
            simulation.actions[instance.action.name] += 1
            simulation.evaluate(initial, path, seed)
            if not simulation.reading.within_constraint(now):
                simulation.left_constraint += 1
                break
            simulation.seen.add(now)
    except EvaluationError as error:
        trace = simulation.trace(initial, path, "", "error", seed)
        simulation.error = EvaluationFinding(error.message, error.where, "", trace)
    simulation.longest = max(simulation.longest, len(path))
    if kept and simulation.error is None:
        simulation.keep(initial, path, seed)


def _result(simulation: _Simulation, member: Member) -> PropertyResult:
    trace = simulation.found.get(member.name)
    applies = simulation.reading.protocol.applies(member)
    if trace is None:
        return PropertyResult(member, "unknown" if applies else "not applicable")
    return PropertyResult(member, "holds" if member.mark.kind == "reachable" and applies else "violated", trace)
