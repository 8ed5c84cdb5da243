"""Runs of a protocol as clauses for Z3: a copy of the state for every step, and a selector for each action instance.

The step from one state to the next is written once, over the leaves before and after it and the selectors, and copied
for each step by one substitution (0.01-0.02 s for KIP-320, against 0.3 s leaf by leaf). Exactly one selector of a step
is true; a leaf after the step is a chain of if-then-else over the selectors. `QF_FD`, Z3's solver for finite domains,
turns that into one propositional problem which grows with the run and keeps what it has learned.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import z3

from epochal.spec.language import LanguageError, Protocol, invariant
from epochal.spec.language.errors import source_line
from epochal.spec.language.marks import Kind

from ..ir.expression import Expression, leaves_read
from ..ir.layout import canonical, leaf_expressions
from ..ir.model import Model, refuse_other_shape
from ..search.findings import initial_states
from ..semantics.semantics import PythonSemantics
from ..smt.terms import Term, Terms
from ..trace.replay import replay
from ..trace.run import NOT_INDUCTIVE, Codes, Step
from ..trace.trace import Trace
from .answer import check, leave_interrupts_alone, why_unknown

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
        self._solver.add(*parts if len(parts) == 1 else [self._any(parts)])

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
                value = z3.If(self._any(selectors), term, value)
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
        return self._any(parts)

    def either(self, *alternatives: Term) -> Term:
        """That one of these terms is true."""
        return self._any(list(alternatives))

    def ask(
        self, alternatives: Sequence[Term], waiting: Callable[[], None] | None = None
    ) -> tuple[Satisfiability, Run | None]:
        """Whether a run of this length makes one of the terms true, and which run. `reason` says why not known.

        `waiting` is called now and then while there is no answer.
        """
        self._solver.push()
        self._solver.add(self._any(list(alternatives)))
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

    def _any(self, parts: list[Term]) -> Term:
        return z3.Or(*parts) if parts else z3.BoolVal(False, self.terms.context)


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
    if not (type(trace.protocol) is type(protocol) and _is_run(way)):
        way = Trace(protocol, states[at], (), start=text)
    return Start(text, protocol, (states[at],), way=way)


def _is_run(trace: Trace) -> bool:
    """Whether a trace can be taken as it is written, in the Python semantics."""
    return replay(replace(trace, verdict="run"), [PythonSemantics(trace.protocol)]).ok


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
            raise LanguageError(f"{name!r} is no condition on states of {protocol.name}", advice=_listed(alone))
    members = {name: invariant(function) for name, function in functions.items()}
    own = type(protocol)
    kind: type[Protocol] = type(own.__name__, (own,), {**members, "__module__": own.__module__})
    said = [c if isinstance(c, str) else c.__name__ for c in conditions]
    text = f"Any typed state in which {' and '.join(said)} {'hold' if len(said) > 1 else 'holds'}"
    lemmas = any(known[name].mark.kind == "lemma" for name in names)
    return Start(text, kind(protocol.bounds), conditions=(*members, *names), lemmas=lemmas)


def _listed(names: Sequence[str]) -> str:
    return f"It has {', '.join(names)}. One of your own is path/to/file.py:function."
