"""The steps of its own that a specification takes in the states that it reaches, and a shortest run to each."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..base.machine import Stopwatch
from ..ir.expression import Expression
from ..ir.graph import refuted
from ..ir.layout import lay_out
from ..ir.model import Model, Rebase, first_difference
from ..native.program.program import PROPERTY_LIMIT
from ..search.budget import Budget, BudgetExceeded, Deadline
from ..search.findings import Finding
from ..search.result import INTERRUPTED, RULE_FAILED, Options
from ..search.run import cross_checked
from ..search.shortest import OnSteps, search_for
from ..trace.run import Step
from ..trace.trace import Trace
from .difference import (
    ActionDifference,
    Difference,
    Example,
    Explored,
    OwnSteps,
    Rules,
    Scope,
    ScopeAnswer,
    StepRule,
    counterparts,
    own_failures,
    own_steps,
    state_after,
    why_refused,
)

OWN_STATE = "own state"
"""What the condition on states is called; an action has a name without blanks, and its steps are `own NAME`."""

NOT_SEARCHED = Explored()


@dataclass(frozen=True)
class Own:
    """The steps of its own that an action has in the states searched: how many, the least, and the run that it ends."""

    steps: int
    least: StepRule
    run: Trace


@dataclass(frozen=True)
class Reached:
    """What a search found of each action, where it found anything.

    `condition_met` says whether the condition on states is true of one that was reached, or that a step out of the
    constraint leads to.
    """

    explored: Explored = NOT_SEARCHED
    own: Mapping[str, Own] = field(default_factory=dict)
    condition_met: bool = False

    def __or__(self, other: Reached) -> Reached:
        """What two searches of the same states found."""
        explored = other.explored if other.explored.cut or self.explored.cut is None else self.explored
        return Reached(explored, {**self.own, **other.own}, self.condition_met or other.condition_met)


def reached(
    rules: Rules, own: OwnSteps, options: Options, condition: Expression | None = None, *, before: Reached
) -> Reached:
    """Search every state that the rules reach for steps of their own, and for states where `condition` is true.

    `options` has the budgets, and says whether states are repeated in the Python semantics: only where the rules are
    told in the words of their own protocol. A search looks for as many properties as fit; more actions are left to
    another. Nothing is searched if somebody has interrupted the search `before`.
    """
    if before.explored.cut == INTERRUPTED.text:
        return Reached(Explored(cut=INTERRUPTED.text))
    possible = {action: tuple(s for s in steps if not refuted(s.rule.enabled)) for action, steps in own.items()}
    names = [action for action, steps in possible.items() if steps]
    condition = None if condition is rules.graph.false else condition
    most, found = PROPERTY_LIMIT - (condition is not None), Reached()
    for first in range(0, max(len(names), condition is not None), most):
        chosen = {name: possible[name] for name in names[first : first + most]}
        found |= _searched(rules, chosen, replace(options, properties=()), condition)
    return found


def _searched(rules: Rules, own: OwnSteps, options: Options, condition: Expression | None) -> Reached:
    started, graph = time.monotonic(), rules.graph
    possible = tuple(s.rule for s in rules.steps if s.rule.enabled is not graph.false or s.rule.failures)
    watched = tuple(step.rule for steps in own.values() for step in steps)
    constraint, failures = rules.constraint, rules.constraint_failures
    layout = lay_out(rules.protocol.leaves)
    model = Model(rules.protocol, graph, layout, (*possible, *watched), (), constraint, failures)
    wanted: dict[str, OnSteps | Expression] = {
        f"own {action}": {step.rule.instance.number: step.rule.enabled for step in steps}
        for action, steps in own.items()
    }
    if condition is not None:
        wanted[OWN_STATE] = condition
    patience = Deadline(options.budget, options.max_memory, options.progress, options.begun)
    try:
        search = search_for(model, wanted, options, patience, rules.initial)
    except BudgetExceeded as spent:
        return Reached(Explored(cut=spent.reason.text))
    with closing(search):
        stopped = search.explore(Budget(options, Stopwatch(), patience))
        cross_checked(search, False, time.monotonic() - started, patience)
        stopped = RULE_FAILED if search.found.failure is not None else stopped
        shown, steps, place = search.found.shown, search.pool.totals().steps, len(possible)
        found = {}
        for action, own_rules in own.items():
            if f"own {action}" in shown:
                count = sum(steps[place : place + len(own_rules)])
                found[action] = _own(rules, own_rules, count, shown[f"own {action}"])
            place += len(own_rules)
        return Reached(Explored(search.pool.count, stopped.text if stopped else ""), found, OWN_STATE in shown)


def _own(rules: Rules, steps: Sequence[StepRule], count: int, finding: Finding) -> Own:
    initial, before = finding.run
    least = next(step for step in steps if step.rule.instance is finding.instance)
    last = Step(least.rule.instance, state_after(least.rule, finding.codes))
    return Own(count, least, Trace(rules.protocol, initial, (*before, last)))


# -- between ----------------------------------------------------------------------------------------------------------
# The difference of two specifications in the states that they reach, from their rules alone.
# Neither need have a text: the left one may be of another commit. It is what the gate asks; `compare` asks Z3 besides.

SAME = ScopeAnswer("same")


class OneWay:
    """One direction of a comparison: the steps that the left specification takes and the right one does not."""

    def __init__(self, left: Rules, right: Rules, renamed: Mapping[str, str]) -> None:
        self.left, self.right = left, right
        self.matched = counterparts(left, right, renamed)
        self.own = own_steps(left, right, self.matched)

    @cached_property
    def failures(self) -> Mapping[str, Expression]:
        """For each action, that a step of the left specification cannot be evaluated, and those of the right can."""
        return own_failures(self.left, self.right, self.matched)

    def other_constraint(self) -> Expression:
        """That a state is within the constraint of one of the two only."""
        graph = self.left.graph
        return graph.not_(graph.eq(self.left.within, Rebase(graph)(self.right.within)))

    def own_constraint(self) -> Expression:
        """That a state is within the constraint of the left specification only."""
        graph = self.left.graph
        return graph.and_(self.left.within, graph.not_(Rebase(graph)(self.right.within)))

    def differences(
        self, found: Reached, asked: Mapping[str, Mapping[Scope, ScopeAnswer]]
    ) -> tuple[ActionDifference, ...]:
        """What is known of each action by a search; `asked` are answers for other scopes, which may have settled it."""
        answers = []
        for action, counterpart in self.matched.items():
            others = asked.get(action, {})
            settled = not self.own[action] or others.get("typed") == SAME
            reachable = SAME if settled else self._reachable(found.own.get(action), found.explored, counterpart)
            answers.append(ActionDifference(action, counterpart, {**others, "reachable": reachable}))
        return tuple(answers)

    def _reachable(self, own: Own | None, explored: Explored, counterpart: str | None) -> ScopeAnswer:
        if own is None:
            return ScopeAnswer("unknown", reason=explored.cut) if explored.cut else SAME
        choices = self.right.partners(own.least, counterpart)
        return ScopeAnswer("differs", own.steps, Example(own.run, why_refused(self.right, choices, own.run.states[-2])))


def initial_only(left: Rules, right: Rules) -> tuple[int, int]:
    """How many initial states only the left has, and only the right."""
    ours, theirs = set(left.initial), set(right.initial)
    return len(ours - theirs), len(theirs - ours)


def difference(left: Rules, right: Rules, options: Options) -> Difference:
    """How the reachable steps differ. What the right one gained is searched first.

    A state constraint counts as another if a state that is reached, or a step leads to, is within one of the two only.
    """
    problem = first_difference(left.shape, right.shape)
    if problem:
        return Difference(incomparable=_state_changed(left, right, problem))
    forth, back = OneWay(right, left, {}), OneWay(left, right, {})
    gained = reached(right, forth.own, options, forth.other_constraint(), before=Reached())
    lost = reached(left, back.own, options, back.other_constraint(), before=gained)
    unknown = (gained.explored.cut or lost.explored.cut) and back.other_constraint() is not left.graph.false
    return Difference(
        back.differences(lost, {}),
        forth.differences(gained, {}),
        initial_only(left, right),
        "differs" if gained.condition_met or lost.condition_met else "unknown" if unknown else "same",
        (lost.explored, gained.explored),
    )


def _state_changed(left: Rules, right: Rules, problem: str) -> str:
    old, new = ([path for path, _, _ in rules.shape.leaves] for rules in (left, right))
    came, went = ([path for path in new if path not in old], [path for path in old if path not in new])
    parts = [f"{word} {', '.join(paths[:4])}" for word, paths in (("new", came), ("gone", went)) if paths]
    return f"the state itself changed ({'; '.join(parts) or problem}), so single steps cannot be compared"
