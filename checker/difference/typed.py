"""The questions to Z3: whether a typed state, or one in which common lemmas hold, has a step that only one takes.

They are asked of the same conditions that the search of the reachable states looks for.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import z3

from epochal.checker.trace.trace import Codes, Step, Trace

from ..ir.canonical import canonical
from ..ir.evaluate import evaluate
from ..ir.expression import Expression
from ..ir.leaves import leaf_expressions
from ..ir.model import Model
from ..ir.rebase import Rebase
from ..solver.cross_check import confirm_step
from ..solver.interruptible import check, leave_interrupts_alone, why_unknown
from ..solver.terms import Terms
from ..solver.unrolling import unfailing
from .between import other_constraint
from .difference import Answer, Example, ScopeAnswer
from .refusal import state_after, why_refused
from .rules import Rules, StepRule


class TypedStates:
    """What Z3 says of the typed states of the left specification; `model` has its rules and the common lemmas."""

    def __init__(self, model: Model, left: Rules, right: Rules, rlimit: int) -> None:
        self._model, self._left, self._right, self._rlimit = model, left, right, rlimit
        self._terms = Terms(left.protocol)
        self._start = "Any typed state"
        self.seconds = 0.0
        self._solver = self._typed(left.within)

    def _typed(self, condition: Expression) -> z3.Solver:
        """A solver that knows a typed state of which a condition is true."""
        graph, terms = self._model.graph, self._terms
        solver = z3.Solver(ctx=terms.context)
        solver.set("rlimit", self._rlimit)
        leave_interrupts_alone(solver)
        solver.add(*terms.in_domain())
        solver.add(*map(terms, canonical(graph, self._left.protocol, leaf_expressions(graph, self._left.protocol))))
        solver.add(terms(condition))
        return solver

    def assume_lemmas(self, other: Model) -> None:
        """From now on ask about typed states in which the lemmas of both models hold."""
        rebase = Rebase(self._model.graph)
        self._start = "Any typed state in which the common lemmas hold"
        for model in (self._model, other):
            for one in (one for one in model.properties if one.member.mark.kind == "lemma"):
                holds = [one.holds, *(model.graph.not_(failure.condition) for failure in one.failures)]
                self._solver.add(*(self._terms(each if model is self._model else rebase(each)) for each in holds))

    def constraint(self) -> Answer:
        """Whether both specifications have the same state constraint."""
        other = other_constraint(self._left, self._right)
        if other is self._left.graph.false:
            return "same"
        answers: dict[str, Answer] = {"sat": "differs", "unsat": "same"}
        return answers.get(str(check(self._typed(other))), "unknown")

    def answer(self, own: Sequence[StepRule], counterpart: str | None) -> ScopeAnswer:
        """Whether some state enables one of an action's own steps, and which.

        An example is one in which every rule can be evaluated, so that it replays in every reading; there may be none.
        """
        if not own:
            return ScopeAnswer("same")
        solver, started = self._solver, time.process_time()
        solver.push()
        solver.add(z3.Or(*(self._terms(step.rule.enabled) for step in own)))
        answer = check(solver)
        reason = why_unknown(solver) if answer == z3.unknown else ""
        codes = None
        if answer == z3.sat:
            solver.add(self._terms(unfailing(self._model)))
            codes = self._terms.codes(solver.model()) if check(solver) == z3.sat else None
        solver.pop()
        self.seconds += time.process_time() - started
        if answer != z3.sat:
            return ScopeAnswer("unknown", reason=reason) if answer == z3.unknown else ScopeAnswer("same")
        if codes is None:
            return ScopeAnswer("differs", reason="only where another rule cannot be evaluated")
        return ScopeAnswer("differs", example=self._example(codes, own, counterpart))

    def _example(self, codes: Codes, own: Sequence[StepRule], counterpart: str | None) -> Example:
        step = next(step for step in own if evaluate([step.rule.enabled], codes) == [1])
        after = confirm_step(self._left.protocol, codes, step.rule.instance, state_after(step.rule, codes))
        trace = Trace(self._left.protocol, codes, (Step(step.rule.instance, after),), start=self._start)
        return Example(trace, why_refused(self._right, self._right.partners(step, counterpart), codes))
