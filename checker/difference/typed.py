"""The questions to Z3: whether a typed state, or one in which common lemmas hold, has a step that only one takes.

They are asked of the same conditions that the search of the reachable states looks for.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import z3

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
from ..trace.trace import Step, Trace
from .between import SAME, OneWay
from .difference import Answer, Example, Scope, ScopeAnswer
from .refusal import state_after, why_refused
from .rules import Rules

ANSWERS: dict[str, Answer] = {"sat": "differs", "unsat": "same"}


def satisfied(way: OneWay, condition: Expression, rlimit: int) -> Answer:
    """Whether some typed state meets a condition, in which the specifications of a way then differ."""
    if condition is way.left.graph.false:
        return "same"
    return ANSWERS.get(str(check(_typed(way.left, Terms(way.left.protocol), condition, rlimit))), "unknown")


def possible(way: OneWay, conditions: Mapping[str, Sequence[Expression]], rlimit: int) -> dict[str, Answer]:
    """Whether some typed state within the constraint of a way's left specification meets one of an action's conditions.

    They are that it takes a step which the right one does not, or that it fails where the right one does not.
    """
    terms = Terms(way.left.protocol)
    solver, found = _typed(way.left, terms, way.left.within, rlimit), {}
    for action, alternatives in conditions.items():
        solver.push()
        solver.add(z3.Or(*map(terms, alternatives)))
        found[action] = ANSWERS.get(str(check(solver)), "unknown")
        solver.pop()
    return found


def _typed(rules: Rules, terms: Terms, condition: Expression, rlimit: int) -> z3.Solver:
    """A solver that knows a typed state of which a condition is true."""
    solver = z3.Solver(ctx=terms.context)
    solver.set("rlimit", rlimit)
    leave_interrupts_alone(solver)
    solver.add(*terms.in_domain())
    leaves = leaf_expressions(rules.graph, rules.protocol)
    solver.add(*map(terms, canonical(rules.graph, rules.protocol, leaves)))
    solver.add(terms(condition))
    return solver


class TypedStates:
    """What Z3 says of the typed states of a direction's left specification, whose rules and lemmas `model` has."""

    def __init__(self, model: Model, way: OneWay, rlimit: int) -> None:
        self.way, self.seconds = way, 0.0
        self._model, self._rlimit = model, rlimit
        self._protocol = way.left.protocol
        self._terms = Terms(self._protocol)
        self._solver = self._typed(way.left.within)

    def _typed(self, condition: Expression) -> z3.Solver:
        """A solver that knows a typed state of which a condition is true."""
        return _typed(self.way.left, self._terms, condition, self._rlimit)

    def constraint(self) -> Answer:
        """Whether both specifications have the same state constraint."""
        return satisfied(self.way, self.way.other_constraint(), self._rlimit)

    def answers(self, other: Model) -> dict[str, dict[Scope, ScopeAnswer]]:
        """For each action, whether some state enables a step of its own: a typed one, and one where the lemmas hold.

        These are the lemmas of both models, if there are any. They are asked of what differs in typed states only.
        """
        typed = {action: self._answer(action, "Any typed state") for action in self.way.own}
        lemmas = dict.fromkeys(typed, ScopeAnswer("not asked"))
        if self._assume_lemmas(other):
            text = "Any typed state in which the common lemmas hold"
            for action, found in typed.items():
                lemmas[action] = found if found.answer == "same" else self._answer(action, text)
        return {action: {"typed": found, "lemmas": lemmas[action]} for action, found in typed.items()}

    def _assume_lemmas(self, other: Model) -> bool:
        """From now on ask about states in which the lemmas of both models hold; whether there are any."""
        rebase, found = Rebase(self._model.graph), False
        for model in (self._model, other):
            for one in (one for one in model.properties if one.member.mark.kind == "lemma"):
                holds = [one.holds, *(model.graph.not_(failure.condition) for failure in one.failures)]
                self._solver.add(*(self._terms(each if model is self._model else rebase(each)) for each in holds))
                found = True
        return found

    def _answer(self, action: str, start: str) -> ScopeAnswer:
        """Whether some state enables one of an action's own steps, and which; `start` says which states are asked of.

        An example is one in which every rule can be evaluated, so that it replays in every reading; there may be none.
        """
        own = self.way.own[action]
        if not own:
            return SAME
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
            return ScopeAnswer("unknown", reason=reason) if answer == z3.unknown else SAME
        if codes is None:
            return ScopeAnswer("differs", reason="only where another rule cannot be evaluated")
        step = next(step for step in own if evaluate([step.rule.enabled], codes) == [1])
        after = confirm_step(self._protocol, codes, step.rule.instance, state_after(step.rule, codes))
        trace = Trace(self._protocol, codes, (Step(step.rule.instance, after),), start=start)
        choices = self.way.right.partners(step, self.way.matched[action])
        return ScopeAnswer("differs", example=Example(trace, why_refused(self.way.right, choices, codes)))
