"""What two specifications with the same reachable steps still differ in: rules, in states that no run has come to.

Their steps were compared state by state within bounds. That says nothing of the states beyond: there the rules may say
something else, and larger bounds may reach them. Whether they do in any typed state is asked of Z3; at which larger
bounds it shows, of short searches.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import z3

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.language.bounds import BoundField

from ..base.installed import found_solver
from ..ir.expression import Expression, evaluate
from ..ir.graph import refuted
from ..ir.layout import canonical, leaf_expressions
from ..ir.model import Model, Rebase, first_difference
from ..search.result import Options
from ..smt.terms import Terms
from ..solver.answer import check, leave_interrupts_alone, why_unknown
from ..solver.cross_check import confirm_step
from ..solver.unrolling import unfailing
from ..trace.run import Step
from ..trace.trace import Trace
from .difference import Answer, Difference, Example, Scope, ScopeAnswer, Unreached, state_after, why_refused
from .reached import SAME, OneWay, Reached, difference, reached
from .rules import Rules

RLIMIT = 20_000_000
"""Z3's resource units for each action: a second or two."""

MOST_STATES = 300_000
"""How many states one search at larger bounds sees at most: a second or two, and the same ones on any machine."""

ALL_SECONDS = 90.0
"""After how long no other search is begun; compiling takes most of it."""

Bounds = Mapping[str, int]
RulesAt = Callable[[dict[str, int]], tuple[Rules, Rules] | None]
"""The rules of both specifications within other bounds; None where one of them cannot be had there."""


def unreached(left: Rules, right: Rules, gained: bool = False) -> Unreached | None:
    """How the rules of two specifications differ in typed states; None if they do not, whatever is reached.

    With `gained` only what the right one allows there and the left one does not is a difference.
    """
    problem = first_difference(left.shape, right.shape)
    if problem:
        return Unreached(other=f"the state itself: {problem}", gained=gained)
    forth = OneWay(right, left, {})
    ways = (forth,) if gained else (forth, OneWay(left, right, {}))
    steps = [_not_refuted({name: [s.rule.enabled for s in own] for name, own in way.own.items()}) for way in ways]
    failures = [_not_refuted({name: [one] for name, one in way.failures.items()}) for way in ways]
    within = forth.own_constraint() if gained else forth.other_constraint()
    if not any((*steps, *failures)) and refuted(within):
        return None
    differ, fail = _answers(ways, steps), _answers(ways, failures)
    fail = {name: answer for name, answer in fail.items() if differ.get(name, "same") == "same"}
    if found_solver().problem:
        constraint: Answer = "same" if refuted(within) else "unknown"
    else:
        constraint = satisfied(forth, within, RLIMIT)
    found = Unreached(
        tuple(name for name, answer in differ.items() if answer == "differs"),
        tuple(name for name, answer in {**differ, **fail}.items() if answer == "unknown"),
        tuple(name for name, answer in fail.items() if answer == "differs"),
        "" if constraint == "same" else "the state constraint",
        gained,
    )
    return found if found.actions or found.open or found.failing or found.other else None


_Conditions = Mapping[str, list[Expression]]
"""For each action, the conditions under which one specification alone does something."""


def _not_refuted(conditions: _Conditions) -> _Conditions:
    """Those that may be true of a typed state, as far as intervals tell."""
    possible = {name: [one for one in each if not refuted(one)] for name, each in conditions.items()}
    return {name: each for name, each in possible.items() if each}


def _answers(ways: Sequence[OneWay], asked: Sequence[_Conditions]) -> dict[str, Answer]:
    """What Z3 says of the conditions of each way, by action; that nobody knows, if it is not installed."""
    answers: dict[str, Answer] = {}
    for way, conditions in zip(ways, asked, strict=True):
        if found_solver().problem:
            answers |= dict.fromkeys(conditions, "unknown")
            continue

        for action, answer in possible(way, conditions, RLIMIT).items():
            if answers.get(action) != "differs":
                answers[action] = answer if answer != "same" else answers.get(action, "same")
    return answers


def shown_at_larger_bounds(
    found: Unreached, bounds: Bounds, declared: Mapping[str, BoundField], rules_at: RulesAt, options: Options
) -> Unreached:
    """The same with the smallest larger bounds at which a search of a few seconds comes to a difference, if any does.

    `options` has the budget of the whole command.
    """
    begun, tried = time.monotonic(), 0
    for larger in larger_bounds(bounds, declared):
        left = ALL_SECONDS - (time.monotonic() - begun)
        if options.budget is not None and options.begun is not None:
            left = min(left, options.budget - (time.monotonic() - options.begun))
        if left <= 0:
            break
        with where_available():
            both = rules_at(larger)
            if both is None:
                continue
            short, tried = replace(options, max_states=MOST_STATES, workers=1), tried + 1
            differs = difference(*both, short)
            if differs.interrupted:
                break
            if _shows(differs, found) or (found.failing and _fails(*both, short, found.gained)):
                return replace(found, shown_at=larger, tried=tried)
    return replace(found, tried=tried)


def _shows(differs: Difference, found: Unreached) -> bool:
    """Whether a search has come to what was asked."""
    if found.gained:
        return differs.widens or (bool(found.other) and differs.constraint == "differs")
    return differs.narrows or differs.widens or differs.constraint == "differs"


def _fails(left: Rules, right: Rules, options: Options, gained: bool) -> bool:
    """Whether a search comes to a state in which a rule of one specification alone cannot be evaluated."""
    ways = (OneWay(right, left, {}), OneWay(left, right, {}))
    conditions = [way.left.graph.any_of(list(way.failures.values())) for way in ways[: 1 if gained else 2]]
    found = Reached()
    for way, condition in zip(ways, conditions, strict=False):
        found = reached(way.left, {}, options, condition, before=found)
        if found.condition_met:
            return True
    return False


@contextlib.contextmanager
def where_available() -> Iterator[None]:
    """Bounds that nobody asked for, which a protocol need not have: whatever it refuses of them is no answer.

    They may be refused together, a value may be outside its domain there, a rule may fail. Semantics that disagree are
    a bug of this tool at any bounds, and are told.
    """
    try:
        yield
    except EpochalError as error:
        if error.exit_code == ExitCode.READINGS_DISAGREE:
            raise


def larger_bounds(bounds: Bounds, declared: Mapping[str, BoundField]) -> Iterator[dict[str, int]]:
    """One bound larger by one, then two bounds: first those that are 0, of which nothing was seen at all."""
    free = [name for name, field in declared.items() if bounds[name] < field.most]
    free.sort(key=lambda name: bounds[name] > declared[name].least)
    for names in (*((name,) for name in free), *itertools.combinations(free, 2)):
        yield {**bounds, **{name: bounds[name] + 1 for name in names}}


# -- typed ------------------------------------------------------------------------------------------------------------
# The questions to Z3: whether a typed state, or one in which common lemmas hold, has a step that only one takes.
#
# They are asked of the same conditions that the search of the reachable states looks for.

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

        An example is one in which every rule can be evaluated, so that it replays in every semantics; there may be
        none.
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
