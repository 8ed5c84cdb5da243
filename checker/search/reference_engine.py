"""Breadth-first search with the Python semantics: slow, and the reference that the native search is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from epochal.spec.language import ActionInstance, EvaluationError, Member, Protocol
from epochal.spec.language.protocol import evaluated

from ..dominance.budgets import Budgets
from ..ir.layout import Digest, instance_constant, lay_out, state_hash, step_hash
from ..ir.model import CompiledLiveness, Model
from ..liveness.reference import ReferenceGraph, by_python, first_failure, judge
from ..liveness.result import Liveness, LivenessFails
from ..native.tuning import TUNING, Tuning
from ..semantics.properties import Assumptions, is_step_property
from ..semantics.semantics import Codes, PythonSemantics
from ..symmetry.canonical import Reduction
from ..trace.run import PlainRun, Step
from .budget import Budget
from .findings import (
    FAILED_ON_STATE,
    FAILED_ON_STEP,
    FAILED_STEP,
    FIRST_STATES,
    SHOWN,
    Finding,
    Findings,
    Key,
    compiled_for,
    initial_states,
)
from .result import FIRST_VIOLATION, RULE_FAILED, ActionResult, CheckResult, Counts, Options, Progress, StopReason
from .run import Engine, Frame


class ReferenceSearch(Engine):
    """The state of one search. `predecessors` says for each state the step that reached it, None for initial ones."""

    name = PythonSemantics.name

    def __init__(
        self,
        model: Model,
        options: Options,
        tuning: Tuning,
        properties: list[Member],
        reduction: Reduction | None,
        budgets: Budgets | None = None,
    ) -> None:
        self.model, self.options, self.tuning, self.reduction = model, options, tuning, reduction
        self.budgets = budgets
        self.by_core: dict[tuple[int, ...], list[Codes]] = {}
        self.dominated = 0
        self.protocol = protocol = model.protocol
        self.reading, self.layout = PythonSemantics(protocol), lay_out(protocol.leaves)
        self.properties, self.pending = properties, properties
        self.predecessors: dict[Codes, tuple[Codes, ActionInstance] | None] = {}
        self.hashes: dict[Codes, int] = {}
        self.found = Findings()
        self.noted: dict[str | None, tuple[Key, Codes, ActionInstance | None]] = {}
        self.steps = {action.name: 0 for action in protocol.members("action")}
        self.discovered = dict(self.steps)
        self.states_digest, self.steps_digest = Digest(), Digest()
        self.transitions = self.terminal_states = self.left_constraint = self.depth = self.queue = 0

    def run_to(self, codes: Codes) -> PlainRun:
        """The run to a state by the predecessors that were kept."""
        steps: list[Step] = []
        while (before := self.predecessors[codes]) is not None:
            steps.append(Step(before[1], codes))
            codes = before[0]
        return codes, tuple(reversed(steps))

    # -- properties --------------------------------------------------------------------------------------------------

    def evaluate_state(self, codes: Codes, hash: int) -> None:
        """Evaluate the properties of states on one that was discovered."""
        pending = [m for m in self.pending if not is_step_property(m)]
        for name, kind in self._shown(pending, FAILED_ON_STATE, codes):
            self._note(name, (kind, hash, 0, 0), codes)

    def evaluate_outside(self, before: Codes, step: Step, hash: int) -> None:
        """Evaluate the properties of states on one outside the state constraint."""
        pending = [m for m in self.pending if not is_step_property(m)]
        for name, kind in self._shown(pending, FAILED_ON_STATE, step.codes):
            key = (kind, hash, step.instance.number + 1, self.hashes[before])
            self._note(name, key, before, step.instance)

    def evaluate_step(self, before: Codes, step: Step) -> None:
        """Evaluate the properties of steps on one."""
        pending = [m for m in self.pending if is_step_property(m)]
        for name, kind in self._shown(pending, FAILED_ON_STEP, before, step.codes):
            self.note_step(name, kind, before, step.instance)

    def note_step(self, name: str | None, kind: int, before: Codes, instance: ActionInstance) -> None:
        """Note what a property, or a failure if there is no name, shows of a step."""
        self._note(name, (kind, instance.number, self.hashes[before], 0), before, instance)

    def _note(self, name: str | None, key: Key, codes: Codes, instance: ActionInstance | None = None) -> None:
        if name not in self.noted or key < self.noted[name][0]:
            self.noted[name] = (key, codes, instance)

    def take_findings(self) -> None:
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

    def insert(self, codes: Codes, predecessor: tuple[Codes, ActionInstance] | None, hash: int) -> None:
        """Keep a new state."""
        self.predecessors[codes] = predecessor
        self.hashes[codes] = hash
        self.states_digest = self.states_digest.add(hash, state_hash(self.layout.pack(codes), 1))
        self.evaluate_state(codes, hash)

    def prefer(self, codes: Codes, before: Codes, instance: ActionInstance) -> None:
        """Keep the lesser of two steps to a state of the next frontier."""
        kept = self.predecessors[codes]
        assert kept is not None
        if (instance.number, self.hashes[before]) < (kept[1].number, self.hashes[kept[0]]):
            self.discovered[kept[1].action.name] -= 1
            self.discovered[instance.action.name] += 1
            self.predecessors[codes] = (before, instance)

    def take(self, before: Codes, step: Step, constant: int, next_frontier: dict[Codes, None]) -> None:
        """Count a step, evaluate properties on it, and keep the state it leads to."""
        name = step.instance.action.name
        self.transitions += 1
        self.steps[name] += 1
        self.evaluate_step(before, step)
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
                self.evaluate_outside(before, step, hash)
                return
            self.insert(step.codes, (before, step.instance), hash)
            self.discovered[name] += 1
            next_frontier[step.codes] = None
        elif step.codes in next_frontier:
            self.prefer(step.codes, before, step.instance)
        self.steps_digest = self.steps_digest.add(*step_hash(self.hashes[before], constant, hash))

    def may_dominate(self, frontier: Iterable[Codes]) -> None:
        """Let these states, which are complete levels, dominate others."""
        if self.budgets is not None:
            for codes in frontier:
                self.by_core.setdefault(self.budgets.core(codes), []).append(codes)

    def is_dominated(self, codes: Codes) -> bool:
        """Whether a state that was found no later differs from this one by smaller budgets only."""
        budgets = self.budgets
        if budgets is None:
            return False
        return any(budgets.dominates(other, codes) for other in self.by_core[budgets.core(codes)])

    def expand(self, before: Codes, constants: list[int], next_frontier: dict[Codes, None]) -> None:
        """Take every step from a state."""
        terminal = True
        for instance, after in self.protocol.outcomes(before):
            terminal = False
            if isinstance(after, EvaluationError):
                self.note_step(None, FAILED_STEP, before, instance)
            else:
                self.take(before, Step(instance, after), constants[instance.number], next_frontier)
        self.terminal_states += terminal

    def run(self, budget: Budget) -> StopReason | None:
        constants = [instance_constant(i) for i in self.protocol.instances]
        frontier: dict[Codes, None] = {}
        tuning = self.tuning
        batch = min(tuning.reference_states, max(1, tuning.reference_steps // max(len(constants), 1)))
        with budget.patience.watching(FIRST_STATES):
            initial = initial_states(self.protocol, budget.patience)
            for codes in self.reduction.representatives(initial) if self.reduction else initial:
                self.insert(codes, None, state_hash(self.layout.pack(codes)))
                frontier[codes] = None
        while True:
            self.take_findings()
            if self.found.failure is not None:
                return RULE_FAILED
            self.pending = [m for m in self.pending if m.name not in self.found.shown]
            if not frontier:
                return None
            self.depth += 1
            if not self.options.all_violations and self.found.violation_among(self.properties):
                return FIRST_VIOLATION
            next_frontier: dict[Codes, None] = {}
            self.may_dominate(frontier)
            for done, before in enumerate(frontier):
                if done % batch == 0:
                    self.queue = len(frontier) - done + len(next_frontier)
                    if stopped := budget.spent(self.snapshot(budget)):
                        return stopped
                if self.is_dominated(before):
                    self.dominated += 1
                else:
                    self.expand(before, constants, next_frontier)
            frontier = next_frontier

    def snapshot(self, budget: Budget) -> Progress:
        return budget.snapshot(self.state_count, self.transitions, self.depth, self.queue)

    # -- what the frame asks for ----------------------------------------------------------------------------------

    @property
    def state_count(self) -> int:
        return len(self.predecessors)

    def counts(self) -> Counts:
        return Counts(
            states=self.state_count,
            transitions=self.transitions,
            depth=self.depth,
            state_digest=self.states_digest,
            step_digest=self.steps_digest,
            actions=tuple(ActionResult(name, steps, self.discovered[name]) for name, steps in self.steps.items()),
            terminal_states=self.terminal_states,
            left_constraint=self.left_constraint,
            dominated=self.dominated,
        )

    def findings(self) -> Findings:
        self.take_findings()
        return self.found

    def pending_properties(self) -> list[Member]:
        return self.pending

    def judge(self, promises: Sequence[CompiledLiveness], assumed: Assumptions, budget: Budget) -> Liveness:
        graph = ReferenceGraph(self.protocol, list(self.predecessors), self.run_to)
        try:
            found = judge(graph, promises, assumed, self.options.needs)
            return replace(found, ends=by_python(graph, self.model.promised)) if self.options.deadlock else found
        except EvaluationError:
            asked = [*promises, *self.model.promised, *self.model.ends]
            failing = first_failure(graph, asked)
            assert failing is not None
            raise LivenessFails(graph.run_to(failing), asked) from None


def check(protocol: Protocol, options: Options, *, tuning: Tuning = TUNING) -> CheckResult:
    """Explore every state within the bounds, or as far as the budgets allow."""

    def prepare(frame: Frame) -> Callable[[], ReferenceSearch]:
        model = compiled_for(protocol, options, frame.patience)
        reduction = frame.examine(model)
        budgets = frame.budgets(model, reduction)
        return lambda: ReferenceSearch(model, options, tuning, frame.members, reduction, budgets)

    return Frame(protocol, options).search(ReferenceSearch.name, prepare)
