"""Bounded search by Z3: whether a run of at most so many steps violates a property, shortest runs first.

Every length is asked for all open goals together; what a run shows is read off its states, and the same length is asked
again for the rest. So the runs found are shortest, as those of the breadth-first search are, though not always the same
ones. Nothing is known about longer runs: a search explores all of them, and induction proves something of them.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NoReturn

import z3

from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.sentences import Given
from epochal.spec.language import EvaluationError, LanguageError, Member, Protocol, invariant
from epochal.spec.language.configurable import split_reference
from epochal.spec.language.errors import source_line
from epochal.spec.language.marks import Kind
from epochal.spec.loading import Subject, load_function, load_protocol
from epochal.spec.registry import is_registered

from ..base.machine import Stopwatch, without_collection
from ..base.numbers import counted
from ..compile.compiler import compile_protocol
from ..compile.static import diagnose, means_less
from ..crosscheck.cross_check import NOTHING, Amount, CrossCheck
from ..ir.expression import Expression, evaluate, leaves_read
from ..ir.layout import canonical, leaf_expressions
from ..ir.model import CompiledProperty, Failure, Model, refuse_other_shape
from ..search.budget import COMPILING, Deadline, why_stopped
from ..search.findings import initial_states
from ..search.result import EvaluationFinding
from ..search.result import Progress as SearchProgress
from ..semantics.properties import all_properties, chosen, judged_if_asked, no_properties
from ..semantics.semantics import PythonSemantics, evaluate_everything
from ..smt.terms import Term, Terms
from ..trace.itf_reader import not_named, read_trace
from ..trace.replay import replay
from ..trace.run import NOT_INDUCTIVE, Codes, Step
from ..trace.trace import Trace
from .answer import check, leave_interrupts_alone, why_unknown
from .cross_check import confirm_step, cross_checked, disagree_on_run
from .static_checks import Questions

# -- unrolling --------------------------------------------------------------------------------------------------------
# Runs of a protocol as clauses for Z3: a copy of the state for every step, and a selector for each action instance.
#
# The step from one state to the next is written once, over the leaves before and after it and the selectors, and copied
# for each step by one substitution (0.01-0.02 s for KIP-320, against 0.3 s leaf by leaf). Exactly one selector of a
# step is true; a leaf after the step is a chain of if-then-else over the selectors. `QF_FD`, Z3's solver for finite
# domains, turns that into one propositional problem which grows with the run and keeps what it has learned.


LOGIC = "QF_FD"
Satisfiability = Literal["sat", "unsat", "unknown"]


@dataclass(frozen=True)
class Run:
    """A run that the solver has found: the first state, and each step with the state that it leads to."""

    first: Codes
    steps: tuple[tuple[int, Codes], ...]

    @property
    def last(self) -> Codes:
        """The state that it ends in."""
        return self.steps[-1][1] if self.steps else self.first

    @property
    def last_before(self) -> Codes | None:
        """The state before the last step; None if there is no step."""
        if not self.steps:
            return None
        return self.steps[-2][1] if len(self.steps) > 1 else self.first


def unfailing(model: Model) -> Expression:
    """That every rule and every property of single states can be evaluated in a state."""
    failures = [failure for compiled in model.instances for failure in compiled.failures]
    failures += [*model.constraint_failures, *(failure for one in model.properties for failure in one.failures)]
    return model.graph.all_of(model.graph.not_(failure.condition) for failure in failures)


class Unrolling:
    """The runs of one length of a compiled protocol, which `extend` makes longer by a step.

    `taken[i]` is the place in `model.instances` of the instance that the selector number i stands for.
    """

    def __init__(self, model: Model, rlimit: int) -> None:
        self.model = model
        self.terms = Terms(model.protocol)
        self.taken = tuple(i for i, c in enumerate(model.instances) if c.enabled is not model.graph.false)
        self.length = 0
        self.reason = ""
        self._solver = z3.SolverFor(LOGIC, ctx=self.terms.context)
        self._solver.set("rlimit", rlimit)
        leave_interrupts_alone(self._solver)
        self._selectors: list[Term] = [z3.Bool(f"take {i}", self.terms.context) for i in self.taken]
        self._after: list[Term] = [z3.Const(f"{leaf} after", leaf.sort()) for leaf in self.terms.leaves]
        self._written = frozenset(leaf for i in self.taken for leaf in model.instances[i].updates)
        self._step: Term | None = None
        self._careful = False
        self._states: list[tuple[Term, ...]] = [self.terms.leaves]
        self._chosen: list[tuple[Term, ...]] = []

    # -- what is known ----------------------------------------------------------------------------------------------

    def begin_in(self, states: Sequence[Codes]) -> None:
        """Let runs begin in one of these states."""
        parts = [z3.And(*self.terms.is_state(codes)) for codes in states]
        self._solver.add(*parts if len(parts) == 1 else [self.either(*parts)])

    def begin_where(self, conditions: Iterable[Expression]) -> None:
        """Let runs begin in a state in which these conditions hold, every leaf in its domain.

        Such runs end before a state in which a rule cannot be evaluated: so they replay, which takes every rule.
        """
        self._careful = True
        self._solver.add(*self.terms.in_domain(), *map(self.terms, conditions))

    def extend(self) -> None:
        """Make the runs longer by one step, from a state within the state constraint."""
        if self._step is None:
            self._step = self._made_step()
        before, number = self._states[-1], self.length + 1
        after = tuple(
            z3.Const(f"{leaf}@{number}", leaf.sort()) if i in self._written else before[i]
            for i, leaf in enumerate(self.terms.leaves)
        )
        chosen = tuple(z3.Bool(f"{one}@{number}", self.terms.context) for one in self._selectors)
        pairs = [
            *zip(self.terms.leaves, before, strict=True),
            *zip(self._after, after, strict=True),
            *zip(self._selectors, chosen, strict=True),
        ]
        self._solver.add(z3.substitute(self._step, *pairs))
        self._states.append(after)
        self._chosen.append(chosen)
        self.length = number

    def _made_step(self) -> Term:
        """That a step leads from the leaves to the leaves after it, with exactly one selector true."""
        model, terms = self.model, self.terms
        within = [model.constraint, *(model.graph.not_(failure.condition) for failure in model.constraint_failures)]
        if self._careful:
            within.append(unfailing(model))
        parts: list[Term] = [terms(model.graph.all_of(within))]
        exactly_one = z3.PbEq([(one, 1) for one in self._selectors], 1, self.terms.context) if self.taken else None
        parts.append(z3.BoolVal(False, terms.context) if exactly_one is None else exactly_one)
        values: dict[int, dict[int, tuple[Term, list[Term]]]] = {}
        for place, selector in zip(self.taken, self._selectors, strict=True):
            compiled = model.instances[place]
            parts.append(z3.Implies(selector, terms(compiled.enabled)))
            for leaf, value in compiled.updates.items():
                _, selectors = values.setdefault(leaf, {}).setdefault(value.id, (terms.stored(leaf, value), []))
                selectors.append(selector)
        for leaf, cases in values.items():
            value = terms.leaves[leaf]
            for term, selectors in cases.values():
                value = z3.If(self.either(*selectors), term, value)
            parts.append(self._after[leaf] == value)
        return z3.And(*parts)

    # -- questions --------------------------------------------------------------------------------------------------

    def in_last_state(self, condition: Expression) -> Term:
        """That a condition holds in the last state."""
        return self._at(condition, self._states[-1])

    def at_last_step(self, conditions: dict[int, Expression]) -> Term:
        """That the last step is one of these instances, by place, and its condition holds before it."""
        parts = []
        if self._chosen:
            for place, selector in zip(self.taken, self._chosen[-1], strict=True):
                condition = conditions.get(place)
                if condition is not None and condition is not self.model.graph.false:
                    parts.append(z3.And(selector, self._at(condition, self._states[-2])))
        return self.either(*parts)

    def either(self, *alternatives: Term) -> Term:
        """That one of these terms is true."""
        return z3.Or(*alternatives) if alternatives else z3.BoolVal(False, self.terms.context)

    def ask(
        self, alternatives: Sequence[Term], waiting: Callable[[], None] | None = None
    ) -> tuple[Satisfiability, Run | None]:
        """Whether a run of this length makes one of the terms true, and which run. `reason` says why not known.

        `waiting` is called now and then while there is no answer.
        """
        self._solver.push()
        self._solver.add(self.either(*alternatives))
        if self._careful:
            self._solver.add(self.in_last_state(unfailing(self.model)))
        answer = check(self._solver, waiting)
        run = self._run(self._solver.model()) if answer == z3.sat else None
        self.reason = why_unknown(self._solver) if answer == z3.unknown else ""
        self._solver.pop()
        return ("unknown" if answer == z3.unknown else "unsat" if run is None else "sat"), run

    def _run(self, model: z3.ModelRef) -> Run:
        states = [self.terms.codes(model, state) for state in self._states]
        steps = []
        for selectors, codes in zip(self._chosen, states[1:], strict=True):
            values = (model.eval(selector, model_completion=True) for selector in selectors)
            steps.append((next(p for p, v in zip(self.taken, values, strict=True) if z3.is_true(v)), codes))
        return Run(states[0], tuple(steps))

    # -- terms ------------------------------------------------------------------------------------------------------

    def _at(self, condition: Expression, state: tuple[Term, ...]) -> Term:
        pairs = [(self.terms.leaves[leaf], state[leaf]) for leaf in sorted(leaves_read([condition]))]
        return z3.substitute(self.terms(condition), *pairs)


# -- start ------------------------------------------------------------------------------------------------------------
# Where a bounded search begins: in the initial states, in a state of a trace, or in any state that a condition allows.
#
# A run from a state of a trace is told with the way there, so it is a run of the protocol like any other. A run from a
# condition begins in a typed state that need not be reachable, and says so.

PREDICATES: tuple[Kind, ...] = ("invariant", "reachable", "lemma")


@dataclass(frozen=True)
class Start:
    """A start: `states` to begin in, or else the `conditions` (ids of properties of `compiled`) on the first state.

    `text` says what it is. `compiled` is the protocol to be compiled, which has the conditions among its properties, or
    its lemmas; its states and steps are those of the protocol that is searched. `way` is a run that leads to the one
    state.
    """

    text: str
    compiled: Protocol
    states: tuple[Codes, ...] = ()
    conditions: tuple[str, ...] = ()
    way: Trace | None = None
    lemmas: bool = False

    @property
    def reachable(self) -> bool:
        """Whether runs begin where some run from an initial state leads."""
        return not self.conditions and (self.way is None or not self.way.start)

    def assert_in(self, unrolling: Unrolling, model: Model) -> None:
        """Make the runs of an unrolling begin here. Raises LanguageError if there is no such state."""
        graph = model.graph
        if self.states:
            unrolling.begin_in(self.states)
            return
        compiled = {one.member.name: one for one in model.properties}
        conditions = canonical(graph, model.protocol, leaf_expressions(graph, model.protocol))
        for name in self.conditions:
            one = compiled[name]
            conditions += [one.holds, *(graph.not_(failure.condition) for failure in one.failures)]
        unrolling.begin_where(conditions)
        if unrolling.ask([unrolling.terms(graph.true)])[0] == "unsat":
            raise LanguageError(
                f"no state is like this: {self.text}", advice="Weaken the condition, or enlarge the bounds."
            )

    def trace(self, protocol: Protocol, first: Codes, steps: tuple[Step, ...], property_id: str, verdict: str) -> Trace:
        """A run from here as a trace, with the way that leads here before it."""
        if self.way is not None:
            way = replace(self.way, property_id=property_id, verdict=verdict)
            return replace(way, steps=(*self.way.steps, *steps))
        return Trace(protocol, first, steps, property_id, verdict, start="" if self.reachable else self.text)


def from_initial_states(protocol: Protocol) -> Start:
    """Runs from the initial states."""
    return Start("the initial states", protocol, tuple(initial_states(protocol)))


def from_trace(protocol: Protocol, trace: Trace, index: int | None, name: str) -> Start:
    """Runs that go on where a trace is after `index` steps (None: at its end). `name` is how the trace is called.

    If its steps are not steps of this protocol (it is a trace of another one, say), it gives the state alone, which
    need not be reachable here. Raises LanguageError if there is no such state, or if the states have another shape.
    """
    refuse_other_shape(protocol, trace.protocol, name)
    states = trace.states
    at = len(states) - 1 if index is None else index
    if not 0 <= at < len(states):
        raise LanguageError(f"{name} has no state {at}", advice=f"Its states are 0 to {len(states) - 1}.")
    text = f"State {at} of {name}"
    way = Trace(protocol, states[0], trace.steps[:at], start=trace.start)
    if trace.verdict == NOT_INDUCTIVE:
        way = replace(way, start=trace.first)
    same_kind = type(trace.protocol) is type(protocol)
    if not (same_kind and replay(replace(way, verdict="run"), [PythonSemantics(way.protocol)]).ok):
        way = Trace(protocol, states[at], (), start=text)
    return Start(text, protocol, (states[at],), way=way)


def from_conditions(protocol: Protocol, conditions: Sequence[str | Callable[..., Any]]) -> Start:
    """Runs from any typed state in which these conditions hold.

    A condition is the id of a property of single states, or a function of the state, written in the language.
    Raises LanguageError for a name that is none, and for a function that takes anything but the state.
    """
    # no name that a method can have: what the protocol calls by a name stays what it is
    functions = {f"start {n}": f for n, f in enumerate(dict.fromkeys(conditions)) if callable(f)}
    for function in functions.values():
        if len(inspect.signature(function).parameters) != 1:
            raise LanguageError(
                f"the start condition {function.__name__} does not take the state alone",
                source_line(function),
                f"Write it like an invariant: def {function.__name__}(self) -> bool.",
            )
    known = {m.name: m for kind in PREDICATES for m in protocol.members(kind)}
    names = [c for c in conditions if isinstance(c, str)]
    for name in names:
        if name not in known or len(inspect.signature(known[name].function).parameters) != 1:
            alone = [n for n, m in known.items() if len(inspect.signature(m.function).parameters) == 1]
            advice = f"It has {', '.join(alone)}. One of your own is path/to/file.py:function."
            raise LanguageError(f"{name!r} is no condition on states of {protocol.name}", advice=advice)
    members = {name: invariant(function) for name, function in functions.items()}
    own = type(protocol)
    kind: type[Protocol] = type(own.__name__, (own,), {**members, "__module__": own.__module__})
    said = [c if isinstance(c, str) else c.__name__ for c in conditions]
    text = f"Any typed state in which {' and '.join(said)} {'hold' if len(said) > 1 else 'holds'}"
    lemmas = any(known[name].mark.kind == "lemma" for name in names)
    return Start(text, kind(protocol.bounds), conditions=(*members, *names), lemmas=lemmas)


# -- bounded result ---------------------------------------------------------------------------------------------------
# What a bounded search has found: for each property the shortest run that shows it, or how far none is known to.


INTERRUPTED = "interrupted"
"""The reason why there is no answer after Ctrl-C. What is known is told."""

Verdict = Literal["none", "violated", "reached", "unknown"]
LengthVerdict = Literal["none", "found", "unknown", "running"]


@dataclass(frozen=True)
class BoundedProperty:
    """What is known of one property: "none" if no run of at most `steps` steps shows it, else the shortest that does.

    A run shows an invariant or action property by violating it, and a `reachable` by making it true. The verdict is
    unknown if the search ended before the length that was asked for: up to `steps` steps nothing was shown.
    """

    member: Member
    verdict: Verdict
    steps: int
    trace: Trace | None = None


@dataclass(frozen=True)
class LengthResult:
    """What was found among the runs of one length, and the processor seconds it took; so far, if it is running."""

    steps: int
    verdict: LengthVerdict
    shown: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class BoundedResult:
    """The result of a bounded search. `first_taken` says after how many steps an action can first be taken, and
    `cross_check` what was repeated in the Python semantics.

    `asked_actions` tells whether that was asked at all; an action that is not in it then cannot be taken. `reason` says
    why not every length is answered: it was cut, by a budget or Ctrl-C, or the solver gave up. `vacuous` says why it
    means less than it seems that nothing was found, `warnings` what else is odd about the specification.
    """

    protocol: Protocol
    start: Start
    length: int
    lengths: tuple[LengthResult, ...]
    properties: tuple[BoundedProperty, ...]
    asked_actions: bool
    first_taken: dict[str, int]
    reason: str
    cut: bool
    rlimit: int
    wall_seconds: float
    cpu_seconds: float
    model: Model
    error: EvaluationFinding | None = None
    cross_check: CrossCheck = NOTHING
    vacuous: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def complete_to(self) -> int:
        """The number of steps up to which every question is answered; -1 if not even the first states are checked."""
        return max((one.steps for one in self.lengths if one.verdict != "unknown"), default=-1)

    @property
    def interrupted(self) -> bool:
        """Whether it ended because somebody pressed Ctrl-C."""
        return self.reason == INTERRUPTED

    @property
    def solver_seconds(self) -> float:
        """Processor time of all lengths."""
        return sum(one.seconds for one in self.lengths)

    @property
    def missing(self) -> tuple[str, ...]:
        """The properties that must be reachable, and that no run shows."""
        found = [p.member for p in self.properties if p.member.mark.kind == "reachable" and p.verdict == "none"]
        return tuple(member.name for member in found if self.protocol.applies(member))

    @property
    def out_of_place(self) -> tuple[str, ...]:
        """The properties that some run shows although they do not apply under these bounds and settings."""
        found = [p.member for p in self.properties if p.verdict == "reached"]
        return tuple(member.name for member in found if not self.protocol.applies(member))

    @property
    def never_taken(self) -> tuple[str, ...]:
        """The actions that no run takes, as far as runs were looked at; none if that was not asked."""
        if not self.asked_actions:
            return ()
        return tuple(a.name for a in self.protocol.members("action") if a.name not in self.first_taken)

    def with_facts(self, facts: dict[str, str | int | bool]) -> BoundedResult:
        """The same result, whose traces have these facts in their metadata."""
        properties = tuple(
            replace(p, trace=replace(p.trace, facts=facts)) if p.trace is not None else p for p in self.properties
        )
        error = self.error
        if error is not None:
            error = replace(error, trace=replace(error.trace, facts=facts, note=error.message))
        return replace(self, properties=properties, error=error)

    @property
    def exit_code(self) -> ExitCode:
        """The documented exit code of the most severe finding."""
        if any(one.verdict == "violated" for one in self.properties):
            return ExitCode.VIOLATED
        if self.error is not None:
            return ExitCode.EVALUATION_FAILED
        if self.reason:
            return ExitCode.INCONCLUSIVE if self.cut else ExitCode.SOLVER_UNKNOWN
        if self.missing or self.out_of_place:
            return ExitCode.EXPECTATION_MISSED
        return ExitCode.VACUOUS if self.vacuous else ExitCode.HOLDS


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
        if options.properties is not None:
            self.members = chosen(protocol, options.properties)
        else:
            self.members = [member for member in all_properties(protocol) if member.mark.kind != "reachable"]
        less = means_less(odd, self.members)
        nothing = [] if self.members or not judged_if_asked(protocol) else [no_properties(protocol)]
        self.vacuous = (*(str(one) for one in less), *nothing)
        self.warnings = tuple(str(one) for one in odd if not one.vacuous)
        self.open = {goal.name: goal for goal in self._goals()}
        self.traces: dict[str, Trace] = {}
        self.first_taken: dict[str, int] = {}
        self.error: EvaluationFinding | None = None
        self.reason, self.cut = "", False

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

        def shown(holds: Expression, failures: Sequence[Failure]) -> Expression:
            evaluates = (graph.not_(failure.condition) for failure in failures)
            return graph.all_of([holds if witness else graph.not_(holds), *evaluates])

        if not one.of_steps:
            return _Goal(one.member.name, "property", one.member, shown(one.holds, one.failures), {})
        steps = {}
        for place, instance in enumerate(self.model.instances):
            number = instance.instance.number
            steps[place] = shown(one.on_step[number], one.step_failures.get(number, ()))
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
        within = model.within

        def possible(failures: Iterable[Failure]) -> list[Expression]:
            return [failure.condition for failure in failures if failure.condition.id not in impossible]

        in_rules = [graph.and_(within, one) for compiled in model.instances for one in possible(compiled.failures)]
        in_properties = [one for property in chosen for one in possible(property.failures)]
        steps = {}
        for place, compiled in enumerate(model.instances):
            failures = (property.step_failures.get(compiled.instance.number, ()) for property in chosen)
            steps[place] = graph.any_of([one for found in failures for one in possible(found)])
        on_state = graph.any_of([*in_rules, *in_properties, *possible(model.constraint_failures)])
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
            violated = any(trace.verdict == "violated" for trace in self.traces.values())
            if self.reason or self.error is not None or not self.open or (violated and not self.options.all_violations):
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


# -- chosen start -----------------------------------------------------------------------------------------------------
# Where `epochal bmc` begins: what --from and --start say, or the initial states.


def chosen_start(subject: Subject, way: str | None, conditions: tuple[str, ...]) -> Start:
    """The start that was asked for. Raises EpochalError with exit code 2 for one that does not exist."""
    if way is not None and conditions:
        raise UsageError(
            (Given("after"), " and ", Given("start"), " exclude each other."),
            "A state of a trace is one state already.",
        )
    if way is None and not conditions:
        return from_initial_states(subject.protocol)
    try:
        if way is not None:
            return _after_trace(subject, way)
        chosen = [load_function(c) if ".py" in c else c for c in conditions]
        return from_conditions(subject.protocol, chosen)
    except LanguageError as error:
        raise UsageError(str(error)) from error


def _after_trace(subject: Subject, way: str) -> Start:
    name, separator, number = way.rpartition(":")
    if not (separator and number.isdecimal()):
        name, number = way, ""
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"there is no trace {path}.", ("Write ", Given("after", "path/to/trace.itf.json:INDEX"), "."))

    def load(claimed: str) -> type[Protocol]:
        if claimed == subject.reference:
            return type(subject.protocol)
        called, _ = split_reference(claimed)
        file, separator, _ = split_reference(subject.reference)[0].rpartition(":")
        if is_registered(called) or (separator and called.rpartition(":")[0] == file):
            return load_protocol(claimed)
        raise not_named(called, "Give a trace of PROTOCOL, of another class in its file or of a registered protocol.")

    return from_trace(subject.protocol, read_trace(path, load), int(number) if number else None, path.name)
