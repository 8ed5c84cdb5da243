"""Bounded search by Z3: whether a run of at most so many steps violates a property, shortest runs first.

Every length is asked for all open goals together; what a run shows is read off its states, and the same length is asked
again for the rest. So the runs found are shortest, as those of the breadth-first search are, though not always the same
ones. Nothing is known about longer runs: a search explores all of them, and induction proves something of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from epochal.spec.language import EvaluationError, Member, Protocol

from ..base.machine import Stopwatch, without_collection
from ..base.numbers import counted
from ..compile.compiler import compile_protocol
from ..compile.static import diagnose, means_less
from ..crosscheck.cross_check import Amount, CrossCheck
from ..ir.expression import Expression, evaluate
from ..ir.model import CompiledProperty
from ..search.budget import COMPILING, Deadline, why_stopped
from ..search.result import EvaluationFinding
from ..search.result import Progress as SearchProgress
from ..semantics.properties import all_properties, chosen, judged_if_asked, no_properties
from ..semantics.semantics import evaluate_everything
from ..trace.trace import Step, Trace
from .bounded_result import BoundedProperty, BoundedResult, LengthResult, LengthVerdict, Verdict
from .cross_check import confirm_step, cross_checked, disagree_on_run
from .static_checks import Questions
from .unrolling import Run, Start, Unrolling, from_initial_states

RLIMIT = 1_000_000_000
"""Z3's resource units for one question: some minutes, and the same effort on every machine."""


@dataclass(frozen=True)
class BoundedOptions:
    """What a bounded search is asked for.

    `properties` are ids; None are all invariants and action properties, not what must be reachable. With `actions` it
    is asked of each action whether a run takes it. `progress` gets each length, and one that takes long also while it
    is running; `preparing` hears what is done before. `cross_check` says how many states are repeated in the Python
    reading. `budget` are seconds from `begun` on, for all of it.
    """

    length: int
    properties: tuple[str, ...] | None = None
    all_violations: bool = False
    actions: bool = False
    rlimit: int = RLIMIT
    progress: Callable[[LengthResult], None] | None = None
    cross_check: Amount = "some"
    preparing: Callable[[SearchProgress], None] | None = None
    budget: float | None = None
    begun: float | None = None


@dataclass(frozen=True)
class _Goal:
    """What a run may show: by its last state, or by its last step, for each instance a condition before it."""

    name: str
    kind: Literal["property", "failure", "action"]
    member: Member | None
    on_state: Expression
    on_step: dict[int, Expression]

    def shown(self, run: Run) -> bool:
        """Whether a run shows it."""
        if evaluate([self.on_state], run.last) == [1]:
            return True
        before = run.last_before
        if before is None:
            return False
        condition = self.on_step.get(run.steps[-1][0])
        return condition is not None and evaluate([condition], before) == [1]


def bounded_search(protocol: Protocol, options: BoundedOptions, start: Start | None = None) -> BoundedResult:
    """Look at all runs of at most `options.length` steps, in the order of their length.

    Raises LanguageError for what the static checks refuse, and for a start that no typed state satisfies; UsageError
    for a property that does not exist.
    """
    with Deadline(options.budget, progress=options.preparing, begun=options.begun).watching(COMPILING):
        search = _Search(protocol, options, start or from_initial_states(protocol))
    return search.result()


class _Search:
    """One bounded search."""

    def __init__(self, protocol: Protocol, options: BoundedOptions, start: Start) -> None:
        self.protocol, self.options, self.start = protocol, options, start
        self.watch, self.cpu = Stopwatch(), time.process_time()
        with without_collection():
            self.model = compile_protocol(start.compiled, start.lemmas)
        odd = diagnose(self.model)
        self.unrolling = Unrolling(self.model, options.rlimit)
        start.assert_in(self.unrolling, self.model)
        self.members = self._chosen()
        less = means_less(odd, self.members)
        nothing = [] if self.members or not judged_if_asked(protocol) else [no_properties(protocol)]
        self.vacuous = (*(str(one) for one in less), *nothing)
        self.warnings = tuple(str(one) for one in odd if not one.vacuous)
        self.open = {goal.name: goal for goal in self._goals()}
        self.traces: dict[str, Trace] = {}
        self.first_taken: dict[str, int] = {}
        self.error: EvaluationFinding | None = None
        self.reason, self.cut = "", False

    def _chosen(self) -> list[Member]:
        if self.options.properties is not None:
            return chosen(self.protocol, self.options.properties)
        return [member for member in all_properties(self.protocol) if member.mark.kind != "reachable"]

    # -- goals ------------------------------------------------------------------------------------------------------

    def _goals(self) -> list[_Goal]:
        compiled = {one.member.name: one for one in self.model.properties}
        chosen = [compiled[member.name] for member in self.members]
        goals = [self._property(one) for one in chosen]
        goals += self._failures(chosen)
        if self.options.actions:
            true = self.model.graph.true
            for action in self.protocol.members("action"):
                places = [i for i, c in enumerate(self.model.instances) if c.instance.action.name == action.name]
                steps = dict.fromkeys(places, true)
                goals.append(_Goal(f"action {action.name}", "action", action, self.model.graph.false, steps))
        return goals

    def _property(self, one: CompiledProperty) -> _Goal:
        graph, witness = self.model.graph, one.member.mark.kind == "reachable"

        def shown(holds: Expression, failing: Sequence[Expression]) -> Expression:
            return graph.all_of([holds if witness else graph.not_(holds), *map(graph.not_, failing)])

        if not one.of_steps:
            condition = shown(one.holds, [failure.condition for failure in one.failures])
            return _Goal(one.member.name, "property", one.member, condition, {})
        steps = {}
        for place, instance in enumerate(self.model.instances):
            number = instance.instance.number
            failing = [failure.condition for failure in one.step_failures.get(number, ())]
            steps[place] = shown(one.on_step[number], failing)
        return _Goal(one.member.name, "property", one.member, graph.false, steps)

    def _failures(self, chosen: Sequence[CompiledProperty]) -> list[_Goal]:
        """The goal that some rule cannot be evaluated; none if no typed state lets one fail.

        Runs that begin where a condition allows begin in states that no run reaches, where rules fail for no reason of
        interest. They end before such a state, and nothing is reported.
        """
        if self.start.conditions:
            return []
        graph, model = self.model.graph, self.model
        impossible = Questions(model).impossible_failures()
        within = graph.all_of([model.constraint, *(graph.not_(f.condition) for f in model.constraint_failures)])
        in_rules = [
            graph.and_(within, f.condition)
            for c in model.instances
            for f in c.failures
            if f.condition.id not in impossible
        ]
        in_properties = [f.condition for one in chosen for f in one.failures if f.condition.id not in impossible]
        of_constraint = [f.condition for f in model.constraint_failures if f.condition.id not in impossible]
        steps = {}
        for place, compiled in enumerate(model.instances):
            failures = (one.step_failures.get(compiled.instance.number, ()) for one in chosen)
            conditions = [f.condition for found in failures for f in found]
            steps[place] = graph.any_of([c for c in conditions if c.id not in impossible])
        on_state = graph.any_of([*in_rules, *in_properties, *of_constraint])
        if on_state is graph.false and all(step is graph.false for step in steps.values()):
            return []
        return [_Goal("", "failure", None, on_state, steps)]

    # -- searching --------------------------------------------------------------------------------------------------

    def result(self) -> BoundedResult:
        """Search, and say what was found."""
        lengths: list[LengthResult] = []
        for length in range(self.options.length + 1):
            found = self._length(length)
            lengths.append(found)
            if self.options.progress is not None:
                self.options.progress(found)
            if self.reason or self.error is not None or not self.open or self._may_stop():
                break
        traces = [*self.traces.values(), *([self.error.trace] if self.error is not None else [])]
        repeated = self._cross_checked(traces, self.options.cross_check)
        return BoundedResult(
            protocol=self.protocol,
            start=self.start,
            length=self.options.length,
            lengths=tuple(lengths),
            properties=tuple(self._verdict(member, lengths) for member in self.members),
            asked_actions=self.options.actions,
            first_taken=self.first_taken,
            reason=self.reason,
            cut=self.cut,
            rlimit=self.options.rlimit,
            wall_seconds=self.watch.wall_seconds(),
            cpu_seconds=time.process_time() - self.cpu,
            model=self.model,
            error=self.error,
            cross_check=repeated,
            vacuous=self.vacuous,
            warnings=self.warnings,
        )

    def _cross_checked(self, traces: Sequence[Trace], amount: Amount) -> CrossCheck:
        seconds = self.watch.wall_seconds()
        return cross_checked(self.model, self.members, traces, amount, seconds, terms=self.unrolling.terms)

    def _may_stop(self) -> bool:
        """Whether a violation is known, and the shortest is all that is wanted."""
        return not self.options.all_violations and any(t.verdict == "violated" for t in self.traces.values())

    def _length(self, length: int) -> LengthResult:
        """Ask about the runs of one length until nothing more is shown by any of them."""
        cpu, shown = time.process_time(), list[str]()

        def waiting() -> None:
            if self.options.progress is not None:
                self.options.progress(LengthResult(length, "running", tuple(shown), time.process_time() - cpu))

        patience = Deadline(self.options.budget, begun=self.options.begun)
        try:
            with patience.watching(f"asking Z3 about runs of {counted(length, 'step')}"):
                self._ask(length, shown, waiting)
        except KeyboardInterrupt as stopped:
            self.reason, self.cut = why_stopped(stopped).text, True
        verdict: LengthVerdict = "unknown" if self.reason else "found" if shown else "none"
        return LengthResult(length, verdict, tuple(shown), time.process_time() - cpu)

    def _ask(self, length: int, shown: list[str], waiting: Callable[[], None]) -> None:
        """Ask until nothing more is shown by runs of this length; what is shown is added to `shown`."""
        if length > 0:
            self.unrolling.extend()
        while self.open:
            answer, run = self.unrolling.ask([self._term(goal) for goal in self.open.values()], waiting)
            if run is None:
                self.reason = self.unrolling.reason if answer == "unknown" else ""
                break
            reached = [goal for goal in self.open.values() if goal.shown(run)]
            if not reached:
                self._shows_nothing(run)
            for goal in reached:
                shown.append(goal.name or "a rule cannot be evaluated")
                self._record(goal, run)
                del self.open[goal.name]

    def _shows_nothing(self, run: Run) -> NoReturn:
        """Z3 shows a run that shows nothing: say in which state it reads something else. Raises SemanticsDisagree."""
        trace = self._trace(run, "", "run")
        self._cross_checked([trace], len(trace.states))
        raise disagree_on_run(trace, "what a run shows", "an open property", "evaluate", "none of the open properties")

    def _term(self, goal: _Goal) -> object:
        on_state = self.unrolling.in_last_state(goal.on_state)
        if not goal.on_step:
            return on_state
        return self.unrolling.either(on_state, self.unrolling.at_last_step(goal.on_step))

    def _record(self, goal: _Goal, run: Run) -> None:
        if goal.kind == "action":
            assert goal.member is not None
            self.first_taken[goal.member.name] = len(run.steps)
        elif goal.member is not None:
            verdict = "reached" if goal.member.mark.kind == "reachable" else "violated"
            self.traces[goal.name] = self._trace(run, goal.member.name, verdict)
        else:
            self.error = self._error(run)

    def _trace(self, run: Run, property_id: str, verdict: str) -> Trace:
        """The run as a trace from the start. Raises SemanticsDisagree if the Python semantics takes other steps."""
        steps, state = list[Step](), run.first
        for place, codes in run.steps:
            instance = self.model.instances[place].instance
            confirm_step(self.protocol, state, instance, codes)
            steps.append(Step(instance, codes))
            state = codes
        return self.start.trace(self.protocol, run.first, tuple(steps), property_id, verdict)

    def _error(self, run: Run) -> EvaluationFinding:
        """The rule that cannot be evaluated at the end of a run, worded by the Python semantics."""
        trace = self._trace(run, "", "error")
        for codes in (run.last, *([] if run.last_before is None else [run.last_before])):
            try:
                evaluate_everything(self.protocol, codes, self.members)
            except EvaluationError as error:
                rule = error.where.function if error.where else ""
                return EvaluationFinding(error.message, error.where, rule, trace)
        self._cross_checked([trace], len(trace.states))
        raise disagree_on_run(trace, "whether a rule fails", "one does", "python", "none does")

    def _verdict(self, member: Member, lengths: Sequence[LengthResult]) -> BoundedProperty:
        trace = self.traces.get(member.name)
        if trace is not None:
            verdict: Verdict = "reached" if trace.verdict == "reached" else "violated"
            own = next(one.steps for one in lengths if member.name in one.shown)
            return BoundedProperty(member, verdict, own, trace)
        asked = max((one.steps for one in lengths if one.verdict != "unknown"), default=-1)
        return BoundedProperty(member, "none" if asked == self.options.length else "unknown", asked)
