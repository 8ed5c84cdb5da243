"""Runs of a protocol as clauses for Z3: a copy of the state for every step, and a selector for each action instance.

The step from one state to the next is written once, over the leaves before and after it and the selectors, and copied
for each step by one substitution (0.01-0.02 s for KIP-320, against 0.3 s leaf by leaf). Exactly one selector of a step
is true; a leaf after the step is a chain of if-then-else over the selectors. `QF_FD`, Z3's solver for finite domains,
turns that into one propositional problem which grows with the run and keeps what it has learned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import z3

from ..ir.expression import Expression, leaves_read
from ..ir.model import Model
from .interruptible import check, leave_interrupts_alone, why_unknown
from .terms import Codes, Term, Terms

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
        for chosen, codes in zip(self._chosen, states[1:], strict=True):
            values = (model.eval(selector, model_completion=True) for selector in chosen)
            steps.append((next(p for p, v in zip(self.taken, values, strict=True) if z3.is_true(v)), codes))
        return Run(states[0], tuple(steps))

    # -- terms ------------------------------------------------------------------------------------------------------

    def _at(self, condition: Expression, state: tuple[Term, ...]) -> Term:
        pairs = [(self.terms.leaves[leaf], state[leaf]) for leaf in sorted(leaves_read([condition]))]
        return z3.substitute(self.terms(condition), *pairs)

    def _any(self, parts: list[Term]) -> Term:
        return z3.Or(*parts) if parts else z3.BoolVal(False, self.terms.context)
