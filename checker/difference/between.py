"""The difference of two specifications in the states that they reach, from their rules alone.

Neither need have a text: the left one may be of another commit. It is what the gate asks; `compare` asks Z3 besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ..ir.expression import Expression
from ..ir.rebase import Rebase
from ..ir.shape import first_difference
from ..search.result import Options
from .difference import ActionDifference, Difference, Example, Explored, Scope, ScopeAnswer
from .own_steps import counterparts, own_failures, own_steps
from .reached import Own, Reached, reached
from .refusal import why_refused
from .rules import Rules

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
            settled = not self.own[action] or others.get("typed", None) == SAME
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
