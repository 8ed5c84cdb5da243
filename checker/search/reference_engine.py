"""Breadth-first search with the Python reading: slow, and the reference that the native search is compared with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from epochal.spec.language import ActionInstance, EvaluationError, Member, Protocol
from epochal.spec.language.protocol import evaluated

from ..compile.compiler import compile_protocol
from ..compile.static import diagnose
from ..host.measure import Stopwatch, peak_memory
from ..ir.digest import Digest, instance_constant, state_hash, step_hash
from ..ir.layout import Layout, lay_out
from ..properties import is_step_property
from ..reading import Codes, PythonReading
from ..symmetry.reduction import Reduction
from ..trace.trace import Step
from .budget import Budget
from .findings import (
    FAILED_ON_STATE,
    FAILED_ON_STEP,
    FAILED_STEP,
    FIRST_VIOLATION,
    RULE_FAILED,
    SHOWN,
    Finding,
    Findings,
    Key,
    Run,
    concrete,
    evaluation_finding,
    property_results,
)
from .initial import FIRST_STATES, initial_states
from .patience import COMPILING, OutOfPatience, Patience, why_stopped
from .properties import chosen_properties
from .result import ActionResult, CheckResult, Options, Progress
from .symmetry import reduction_of
from .unexplored import unexplored

BATCH, STEPS_TRIED = 64, 20_000
"""States, or steps tried if there are very many instances, after which anybody looks at the budgets."""


@dataclass
class _Search:
    """The state of one search. `ways` says for each state the step by which it was reached, None for initial ones."""

    protocol: Protocol
    options: Options
    reading: PythonReading
    layout: Layout
    properties: list[Member]
    open: list[Member]
    reduction: Reduction | None = None
    ways: dict[Codes, tuple[Codes, ActionInstance] | None] = field(default_factory=dict)
    hashes: dict[Codes, int] = field(default_factory=dict)
    found: Findings = field(default_factory=Findings)
    noted: dict[str | None, tuple[Key, Codes, ActionInstance | None]] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    new_states: dict[str, int] = field(default_factory=dict)
    states_digest: Digest = field(default_factory=Digest)
    steps_digest: Digest = field(default_factory=Digest)
    generated: int = 0
    dead_ends: int = 0
    left_constraint: int = 0
    depth: int = 0
    queue: int = 0

    def run_to(self, codes: Codes) -> Run:
        """The run to a state by the ways that were kept."""
        steps: list[Step] = []
        while (way := self.ways[codes]) is not None:
            steps.append(Step(way[1], codes))
            codes = way[0]
        return codes, tuple(reversed(steps))

    # -- judging --------------------------------------------------------------------------------------------------

    def judge_state(self, codes: Codes, hash: int) -> None:
        """Judge a state that was found."""
        pending = [m for m in self.open if not is_step_property(m)]
        for name, kind in self._shown(pending, FAILED_ON_STATE, codes):
            self._note(name, (kind, hash, 0, 0), codes)

    def judge_outside(self, before: Codes, step: Step, hash: int) -> None:
        """Judge a state outside the state constraint."""
        pending = [m for m in self.open if not is_step_property(m)]
        for name, kind in self._shown(pending, FAILED_ON_STATE, step.codes):
            key = (kind, hash, step.instance.number + 1, self.hashes[before])
            self._note(name, key, before, step.instance)

    def judge_step(self, before: Codes, step: Step) -> None:
        """Judge a step."""
        pending = [m for m in self.open if is_step_property(m)]
        for name, kind in self._shown(pending, FAILED_ON_STEP, before, step.codes):
            self.note_step(name, kind, before, step.instance)

    def note_step(self, name: str | None, kind: int, before: Codes, instance: ActionInstance) -> None:
        """Note what a property, or a failure if there is no name, shows of a step."""
        self._note(name, (kind, instance.number, self.hashes[before], 0), before, instance)

    def _note(self, name: str | None, key: Key, codes: Codes, instance: ActionInstance | None = None) -> None:
        if name not in self.noted or key < self.noted[name][0]:
            self.noted[name] = (key, codes, instance)

    def settle_findings(self) -> None:
        """Take over what was noted on this level; only now is it certain how its states are reached."""
        for name, (key, codes, instance) in self.noted.items():
            finding = Finding(key, self.run_to(codes), instance)
            if name is None:
                self.found.failure = finding
            else:
                self.found.shown[name] = finding
        self.noted.clear()

    def _shown(self, pending: list[Member], failure: int, *states: Codes) -> Iterator[tuple[str | None, int]]:
        """The properties that some states show; None with the kind of failure for one that cannot be evaluated."""
        views = [self.protocol.at(codes) for codes in states]
        for member in pending:
            try:
                shown = bool(evaluated(member.function, *views)) == (member.mark.kind == "reachable")
            except EvaluationError:
                yield None, failure
                continue
            if shown:
                yield member.name, SHOWN

    # -- exploring ------------------------------------------------------------------------------------------------

    def admit(self, codes: Codes, way: tuple[Codes, ActionInstance] | None, hash: int) -> None:
        """Keep a new state."""
        self.ways[codes] = way
        self.hashes[codes] = hash
        self.states_digest = self.states_digest.add(hash, state_hash(self.layout.pack(codes), 1))
        self.judge_state(codes, hash)

    def prefer(self, codes: Codes, before: Codes, instance: ActionInstance) -> None:
        """Keep the lesser of two ways to a state of the level that is being found."""
        way = self.ways[codes]
        assert way is not None
        if (instance.number, self.hashes[before]) < (way[1].number, self.hashes[way[0]]):
            self.new_states[way[1].action.name] -= 1
            self.new_states[instance.action.name] += 1
            self.ways[codes] = (before, instance)

    def take(self, before: Codes, step: Step, constant: int, following: dict[Codes, None]) -> None:
        """Count and judge a step, and keep the state it leads to."""
        name = step.instance.action.name
        self.generated += 1
        self.steps[name] += 1
        self.judge_step(before, step)
        if self.reduction:
            step = Step(step.instance, self.reduction.form(step.codes))
        hash = self.hashes.get(step.codes)
        if hash is None:
            hash = state_hash(self.layout.pack(step.codes))
            try:
                inside = self.reading.within_constraint(step.codes)
            except EvaluationError:
                self.note_step(None, FAILED_ON_STEP, before, step.instance)
                return
            if not inside:
                self.left_constraint += 1
                self.judge_outside(before, step, hash)
                return
            self.admit(step.codes, (before, step.instance), hash)
            self.new_states[name] += 1
            following[step.codes] = None
        elif step.codes in following:
            self.prefer(step.codes, before, step.instance)
        self.steps_digest = self.steps_digest.add(*step_hash(self.hashes[before], constant, hash))

    def expand(self, before: Codes, constants: list[int], following: dict[Codes, None]) -> None:
        """Take every step from a state."""
        ended = True
        for instance, after in self.protocol.outcomes(before):
            ended = False
            if isinstance(after, EvaluationError):
                self.note_step(None, FAILED_STEP, before, instance)
            else:
                self.take(before, Step(instance, after), constants[instance.number], following)
        self.dead_ends += ended

    def explore(self, budget: Budget) -> str:
        """Run the search level by level; the reason why it is not exhaustive, or ""."""
        constants = [instance_constant(i) for i in self.protocol.instances]
        level: dict[Codes, None] = {}
        batch = min(BATCH, max(1, STEPS_TRIED // max(len(constants), 1)))
        with budget.patience.watching(FIRST_STATES):
            initial = initial_states(self.protocol, budget.patience)
            for codes in self.reduction.representatives(initial) if self.reduction else initial:
                self.admit(codes, None, state_hash(self.layout.pack(codes)))
                level[codes] = None
        while True:
            self.settle_findings()
            if self.found.failure is not None:
                return RULE_FAILED
            self.open = [m for m in self.open if m.name not in self.found.shown]
            if not level:
                return ""
            self.depth += 1
            if not self.options.all_violations and self.found.violation_among(self.properties):
                return FIRST_VIOLATION
            following: dict[Codes, None] = {}
            for done, before in enumerate(level):
                if done % batch == 0:
                    self.queue = len(level) - done + len(following)
                    if cut := budget.spent(self.snapshot(budget)):
                        return cut
                self.expand(before, constants, following)
            level = following

    def snapshot(self, budget: Budget) -> Progress:
        """The progress now."""
        return budget.snapshot(len(self.ways), self.generated, self.depth, self.queue)


def check(protocol: Protocol, options: Options) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow."""
    wall, cpu = time.monotonic(), time.process_time()
    properties = chosen_properties(protocol, options)
    patience = Patience(options.budget, options.max_memory, options.progress, options.begun)
    try:
        with patience.watching(COMPILING):
            model = compile_protocol(protocol, options.lemmas, patience)
            diagnostics = diagnose(model)
            reduction = reduction_of(model, [m.name for m in properties]) if options.symmetry else None
    except OutOfPatience as spent:
        return unexplored(protocol, options, "python", spent, wall, cpu)
    reading, layout = PythonReading(protocol), lay_out(protocol.leaves)
    search = _Search(protocol, options, reading, layout, properties, list(properties), reduction)
    for action in protocol.members("action"):
        search.steps[action.name] = search.new_states[action.name] = 0
    watch = Stopwatch()
    budget = Budget(options, watch, patience)
    try:
        cut = search.explore(budget)
    except KeyboardInterrupt as stopped:
        if not search.ways and not isinstance(stopped, OutOfPatience):  # there is nothing to report
            raise
        cut, budget.reached = why_stopped(stopped)
    search.settle_findings()
    search_cpu, search_wall = watch.cpu_seconds(), watch.wall_seconds()
    found = concrete(search.found, reduction)
    return CheckResult(
        protocol=protocol,
        engine="python",
        cut=cut,
        limit=budget.reached,
        distinct_states=len(search.ways),
        generated_states=search.generated,
        depth=search.depth,
        state_digest=str(search.states_digest),
        step_digest=str(search.steps_digest),
        wall_seconds=time.monotonic() - wall,
        cpu_seconds=time.process_time() - cpu,
        search_cpu_seconds=search_cpu,
        search_wall_seconds=search_wall,
        peak_memory_bytes=peak_memory(),
        state_memory_bytes=0,
        properties=property_results(protocol, properties, found, exhaustive=not cut, engine="python"),
        actions=tuple(ActionResult(n, s, search.new_states[n]) for n, s in search.steps.items()),
        dead_ends=search.dead_ends,
        left_constraint=search.left_constraint,
        warnings=tuple(str(d) for d in diagnostics if not d.vacuous),
        vacuous=tuple(str(d) for d in diagnostics if d.vacuous),
        dead_actions=tuple(d.dead_action for d in diagnostics if d.dead_action),
        model=model,
        error=None if found.failure is None else evaluation_finding(protocol, search.open, found.failure, "python"),
        interchangeable=reduction.interchangeable if reduction else (),
    )
