"""Random simulation: runs that branch off from one another and never enter a state that one has been in.

A run begins in a state that an earlier one was in: first a number of steps is chosen with equal chances, then one of
the states that took so many and may lead to something new. In each state one of the actions that lead to a new state is
chosen, then its parameters. So nothing is done twice; and neither do all runs look at what is near the beginning,
as those do that begin there, nor do actions with many parameters, elections and restarts, use up what bounds allow
before much else has happened. Every step out of a state is checked, also one that leads to nothing new.

It proves nothing; it reaches deep states of models too large to exhaust, and says how far each action was exercised. A
run that shows something is made shorter before anybody sees it, which does not make it a shortest one.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from epochal.exit_codes import ExitCode
from epochal.spec.language import EvaluationError, Member, Protocol

from ..base.machine import resident_memory
from ..crosscheck.cross_check import SEED, Amount, CrossCheck, CrossChecker, repeated
from ..semantics.properties import liveness, nothing_declared
from ..semantics.semantics import Codes, Move, Semantics
from ..trace.replay import shortened
from ..trace.trace import Step, Trace
from .budget import Deadline, why_stopped
from .findings import FIRST_STATES, chosen_properties, initial_states
from .result import INTERRUPTED, RULE_FAILED, EvaluationFinding, Options, Progress, PropertyResult, StopReason

PROGRESS_EVERY = 0.2
STATES = 1_000_000
"""How many states are seen, unless it is said how many runs there are."""

AFTER_VIOLATION = 50_000
"""How many states are seen after the last violation, likewise: so others that are near are found, too."""

WALKING = "taking random runs"


@dataclass(frozen=True)
class SimulationResult:
    """What the runs showed.

    `dead_ends` counts runs that ended because no action was enabled, `left_constraint` those that reached a state
    outside the state constraint, which is checked and ends the run; others ended at `depth`, or where every step leads
    to a state that was seen before. `steps` are those that no earlier run has taken; `longest` is the number of steps
    of the longest run, from its initial state. `all_seen` says that no reachable state is left.
    `ended_after_violation` says that nobody had asked for more, so that another property may be violated behind that;
    `cut` why fewer runs were made than asked for; `cross_check` what was repeated in the Python semantics, None
    if the runs were made by it. A property without a violation is "unknown": simulation cannot show that it holds. For
    `reachable`, "holds" means witnessed. The trace of a property is shortened, and ends where it shows it. `traces` are
    the first of the runs that differ, as many as were asked for, each as it was taken.
    """

    protocol: Protocol
    engine: str
    seed: int
    runs: int
    depth: int
    steps: int
    distinct_states: int
    terminal_states: int
    left_constraint: int
    longest: int
    all_seen: bool
    ended_after_violation: bool
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
    def not_judged(self) -> tuple[str, ...]:
        """Return the liveness properties of the protocol, which no finite run violates."""
        return tuple(member.name for member in liveness(self.protocol))

    @property
    def exit_code(self) -> ExitCode:
        """12 if a property was violated, 75 if a rule could not be evaluated, 21 if something happened that must not
        under these bounds and settings, 30 if it was cut short, 22 if there was nothing to check, else 0."""
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
    """The state of a simulation.

    `came_from` tells of each state that was seen from which other and by which instance, None of an initial one, and
    `outside` those that the constraint excludes. `open` are the states that may lead to something new, by the number of
    steps that they took; `judged` is the state that is looked at, and where it came from this time; `violated_at` is
    how many states were seen when a property was violated last, 0 if none was. With `promises` their premises and goals
    are evaluated in every state, although no run can break them.
    """

    reading: Semantics
    members: list[Member]
    seed: int
    depth: int
    promises: bool = False
    came_from: dict[Hashable, tuple[Hashable, int] | None] = field(default_factory=dict)
    outside: dict[Hashable, tuple[Hashable, int] | None] = field(default_factory=dict)
    found: dict[str, Trace] = field(default_factory=dict)
    steps: int = 0
    terminal_states: int = 0
    longest: int = 0
    violated_at: int = 0
    stopped_at_depth: bool = False
    error: EvaluationFinding | None = None
    traces: list[Trace] = field(default_factory=list)

    def __post_init__(self) -> None:
        protocol = self.reading.protocol
        self.walker = self.reading.walker(self.members)
        self.random = random.Random(self.seed)
        self.open: list[list[Hashable]] = [[]]
        names = {action.name: place for place, action in enumerate(protocol.members("action"))}
        self.action_of = [names[instance.action.name] for instance in protocol.instances]
        self.taken = [0] * len(names)
        self.judged: tuple[Hashable, tuple[Hashable, int] | None]

    def begin(self, initial: list[Codes]) -> None:
        """See the initial states."""
        try:
            for codes in initial:
                self.enter(self.walker.state(codes), None, 0)
        except EvaluationError as error:
            self.fail(error)

    def enter(self, state: Hashable, came: tuple[Hashable, int] | None, steps: int) -> bool:
        """See a new state, and check it; whether the run can go on from there."""
        self.came_from[state] = came
        self.longest = max(self.longest, steps)
        self.judged = state, came
        self.tell(self.walker.shown(state))
        if not self.walker.inside(state):
            self.outside[state] = self.came_from.pop(state)
            return False
        if self.promises:
            self.walker.evaluate_promises(state)
        if steps == self.depth:
            self.stopped_at_depth = True
            return False
        if steps == len(self.open):
            self.open.append([])
        self.open[steps].append(state)
        return True

    def start(self) -> tuple[int, int] | None:
        """Where a run begins: the steps that an open state took, and its place among those; None if there is none."""
        levels = [steps for steps, states in enumerate(self.open) if states]
        if not levels:
            return None
        steps = self.random.choice(levels)
        return steps, self.random.randrange(len(self.open[steps]))

    def run(self, steps: int, place: int, kept: bool) -> None:
        """Make one run, which is `kept` for the result."""
        before = self.steps
        try:
            self.follow(steps, place)
        except EvaluationError as error:
            self.fail(error)
        else:
            if kept and (self.steps > before or steps == 0):
                self.traces.append(self.trace("", "run"))

    def follow(self, steps: int, place: int) -> None:
        """Take steps from an open state on, for as long as they lead to something new."""
        state = self.open[steps][place]
        goes_on = True
        while goes_on:
            new = self.new_moves(state)
            if len(new) < 2:
                self.open[steps][place] = self.open[steps][-1]
                self.open[steps].pop()
            if not new:
                self.judged = state, self.came_from[state]
                break
            number, after, _ = self.chosen(new)
            steps += 1
            self.steps += 1
            self.taken[self.action_of[number]] += 1
            goes_on = self.enter(after, (state, number), steps)
            state, place = after, -1

    def new_moves(self, state: Hashable) -> list[Move[Any]]:
        """The moves to states that were not seen; all that are possible are checked."""
        self.judged = state, self.came_from[state]
        moves = self.walker.moves(state)
        self.terminal_states += not moves
        if self.walker.judges_steps:
            for move in moves:
                self.judged = move[1], (state, move[0])
                self.tell(self.walker.shown_by(state, move))
        seen, outside = self.came_from, self.outside
        return [move for move in moves if move[1] not in seen and move[1] not in outside]

    def chosen(self, moves: list[Move[Any]]) -> Move[Any]:
        """One of the moves: first the action, then its parameters."""
        enabled: dict[int, list[Move[Any]]] = {}
        for move in moves:
            enabled.setdefault(self.action_of[move[0]], []).append(move)
        return self.random.choice(enabled[self.random.choice(list(enabled))])

    def tell(self, shown: list[str]) -> None:
        """Keep the run that shows properties, which is the one that is checked."""
        for name in shown:
            kind = self.walker.pending[name].mark.kind
            self.found[name] = self.trace(name, "reached" if kind == "reachable" else "violated")
            if kind != "reachable":
                self.violated_at = len(self.came_from)
            self.walker.found(name)

    def fail(self, error: EvaluationError) -> None:
        """Keep the run to where a rule cannot be evaluated."""
        self.error = EvaluationFinding(error.message, error.where, "", self.trace("", "error"))

    def trace(self, property_id: str, verdict: str) -> Trace:
        """The run that is checked, as it was taken."""
        protocol, codes = self.reading.protocol, self.walker.codes
        steps: list[Step] = []
        state, came = self.judged
        while came is not None:
            before, number = came
            steps.append(Step(protocol.instances[number], codes(state)))
            state, came = before, self.came_from[before]
        facts: dict[str, str | int | bool] = {"engine": self.reading.name, "seed": self.seed, "shortest": False}
        return Trace(protocol, codes(state), tuple(reversed(steps)), property_id, verdict, facts=facts)

    def shorten(self) -> None:
        """Leave out of what was found the steps that it does not need."""
        self.found = {name: shortened(trace, self.reading) for name, trace in self.found.items()}
        if self.error is not None:
            self.error = replace(self.error, trace=shortened(self.error.trace, self.reading))


def simulate(
    protocol: Protocol,
    reading: Semantics,
    *,
    runs: int | None = None,
    depth: int,
    seed: int,
    properties: tuple[str, ...] | None = None,
    progress: Callable[[Progress], None] | None = None,
    cross_check: Amount = "some",
    traces: int = 0,
    budget: float | None = None,
    begun: float | None = None,
) -> SimulationResult:
    """Make `runs` random runs of at most `depth` steps, fewer if no state is left. The same seed gives the same runs,
    whatever the semantics. Without `runs` they end after a million states, fifty thousand states after the last
    violation, or when all properties were shown.

    Premises and goals of liveness properties are evaluated, too, unless `properties` says what is to be checked.

    Of the runs the first `traces` are part of the result. `budget` are seconds from `begun` on, for all of it.

    Some of the states that they saw are repeated in the Python semantics, if they were made by another. Raises
    SemanticsDisagree.
    """
    started = time.monotonic()
    members = chosen_properties(protocol, Options(properties=properties))
    simulation = _Simulation(reading, members, seed, depth, promises=properties is None)
    patience = Deadline(budget, progress=progress, begun=begun)
    with patience.watching(FIRST_STATES):
        simulation.begin(initial_states(protocol, patience))
    made, next_report = 0, 0.0
    stopped: StopReason | None = None
    try:
        while simulation.error is None and (left := _runs_left(runs, made, simulation)) > 0:
            patience(WALKING)
            begins = simulation.start()
            if begins is None:
                break
            simulation.run(*begins, len(simulation.traces) < traces)
            made += 1
            elapsed = time.monotonic() - started
            if progress is not None and elapsed >= next_report:
                next_report = elapsed + PROGRESS_EVERY
                seen = len(simulation.came_from)
                progress(Progress(seen, simulation.steps, made, left - 1, elapsed, resident_memory()))
    except KeyboardInterrupt as interruption:
        stopped = why_stopped(interruption)
    if simulation.error is not None:
        stopped = RULE_FAILED
    walked = time.monotonic() - started
    simulation.shorten()
    confirmed = _cross_checked(simulation, cross_check, walked, patience)
    names = [action.name for action in protocol.members("action")]
    return SimulationResult(
        protocol=protocol,
        engine=reading.name,
        seed=seed,
        runs=made,
        depth=depth,
        steps=simulation.steps,
        distinct_states=len(simulation.came_from),
        terminal_states=simulation.terminal_states,
        left_constraint=len(simulation.outside),
        longest=simulation.longest,
        ended_after_violation=simulation.error is None and _enough(runs, simulation) and any(simulation.open),
        all_seen=not any(simulation.open) and not simulation.stopped_at_depth and stopped is None,
        actions=tuple(zip(names, simulation.taken, strict=True)),
        properties=tuple(_result(simulation, member) for member in members),
        wall_seconds=time.monotonic() - started,
        cut=stopped.text if stopped else "",
        error=simulation.error,
        cross_check=confirmed,
        traces=tuple(simulation.traces),
    )


def _runs_left(runs: int | None, made: int, simulation: _Simulation) -> int:
    """How many runs are to be made; where nobody has said, as many as it takes if all see as much as those before."""
    if runs is not None:
        return runs - made
    if simulation.members and not simulation.walker.pending:
        return 0
    seen = len(simulation.came_from)
    left = 0 if _enough(runs, simulation) else STATES - seen
    return math.ceil(left * max(made, 1) / seen)


def _enough(runs: int | None, simulation: _Simulation) -> bool:
    """Whether nobody has said how many runs there are, and a violation is so far behind that no other is waited for."""
    behind = 0 < simulation.violated_at <= len(simulation.came_from) - AFTER_VIOLATION
    return runs is None and behind and bool(simulation.walker.pending)


def _cross_checked(
    simulation: _Simulation, amount: Amount, run_seconds: float, patience: Deadline
) -> CrossCheck | None:
    """Repeat some of the states that were seen."""
    answers = simulation.reading.answers(simulation.members)
    if answers is None or amount == "off":
        return None if answers is None else CrossCheck()
    checker = CrossChecker(simulation.reading.protocol, simulation.members, answers)
    states = list(simulation.came_from)
    random.Random(SEED).shuffle(states)
    return repeated(
        checker, map(simulation.walker.codes, states), checker.repeat, amount, run_seconds, told=patience.repeating
    )


def _result(simulation: _Simulation, member: Member) -> PropertyResult:
    trace = simulation.found.get(member.name)
    applies = simulation.reading.protocol.applies(member)
    if trace is None:
        return PropertyResult(member, "unknown" if applies else "not applicable")
    return PropertyResult(member, "holds" if member.mark.kind == "reachable" and applies else "violated", trace)
