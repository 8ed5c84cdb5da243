"""Why a specification does not take a step that another one takes: the guard that refuses it, or where it leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.evaluate import evaluate
from ..ir.model import CompiledInstance, Failure
from ..trace.refusal import Refusal
from ..trace.trace import Codes
from .rules import Rules, StepRule


@dataclass(frozen=True)
class Refused:
    """Why a step is not taken, by the first of the `choices` that it is compared with, which is called `label`.

    There is no choice: no such action. Else it cannot be evaluated (`failure`), or its first false `guard` refuses it,
    or it leads to the state `after`.
    """

    choices: int = 0
    label: str = ""
    failure: Failure | None = None
    guard: Refusal | None = None
    after: Codes | None = None

    @property
    def others(self) -> str:
        """That the other choices do not take the step either, as the end of a sentence."""
        return f", nor any other choice of {self.choices}" if self.choices > 1 else ""

    def sentence(self, name: str) -> str:
        """The reason in one sentence, without the guard. `name` is whose reason it is."""
        if not self.choices:
            return f"{name} has no such action"
        if self.failure is not None:
            where = f"{self.failure.where}: " if self.failure.where else ""
            return f"{name} cannot evaluate {self.label} there: {where}{self.failure.message}{self.others}"
        if self.guard is not None:
            return f"{name} refuses {self.label} there{self.others}"
        return f"{name} leads to another state by {self.label}{self.others}"


def state_after(rule: CompiledInstance, before: Codes) -> Codes:
    """The state that a step leads to from a state in which it is enabled."""
    after = list(before)
    for leaf, code in zip(rule.updates, evaluate(list(rule.updates.values()), before), strict=True):
        after[leaf] = code
    return tuple(after)


def first_failure(failures: Sequence[Failure], codes: Codes) -> Failure | None:
    """The first way in which a rule cannot be evaluated in a state."""
    conditions = evaluate([failure.condition for failure in failures], codes)
    return next((one for one, fails in zip(failures, conditions, strict=True) if fails), None)


def why_refused(rules: Rules, choices: Sequence[StepRule], before: Codes) -> Refused:
    """Why none of the `choices` of these rules is the step of the other specification from a state.

    A failure comes first: it is one only where every guard before it holds. Of guards the first false one refuses.
    """
    if not choices:
        return Refused()
    rule = choices[0].rule
    count, label = len(choices), rule.instance.label
    failure = first_failure(rule.failures, before)
    if failure is not None:
        return Refused(count, label, failure=failure)
    truths = evaluate([guard.condition for guard in rule.guards], before)
    for guard, holds in zip(rule.guards, truths, strict=True):
        if not holds:
            where = guard.where or rule.instance.action.where
            return Refused(count, label, guard=Refusal(where, rules.texts.get(where, "")))
    return Refused(count, label, after=state_after(rule, before))
