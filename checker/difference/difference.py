"""How two specifications, a left and a right one, differ: for each action the steps that only one of them takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..ir.expression import Expression, evaluate
from ..ir.graph import Graph
from ..ir.layout import leaf_expressions
from ..ir.model import CompiledInstance, Failure, Rebase
from ..search.result import INTERRUPTED
from ..trace.explain import Refusal
from ..trace.run import Codes
from ..trace.trace import Trace
from .rules import Rules, StepRule

# -- refusal ----------------------------------------------------------------------------------------------------------
# Why a specification does not take a step that another one takes: the guard that refuses it, or where it leads.


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


Scope = Literal["typed", "lemmas", "reachable"]
SCOPES: tuple[Scope, ...] = ("typed", "lemmas", "reachable")
Answer = Literal["same", "differs", "unknown", "not asked"]


@dataclass(frozen=True)
class Example:
    """A step that only one specification takes, as the end of `trace`, and why the other does not take it.

    In a reachable state the trace is a shortest run, else the one step.
    """

    trace: Trace
    refused: Refused


@dataclass(frozen=True)
class ScopeAnswer:
    """Whether an action has steps of its own in the states of one scope, and an example, if there is one to show.

    `steps` is how many of them start in reachable states that were searched; elsewhere they are not counted. `reason`
    says why the answer is not known, or why there is no example.
    """

    answer: Answer
    steps: int = 0
    example: Example | None = None
    reason: str = ""


@dataclass(frozen=True)
class ActionDifference:
    """The steps of an action that one specification takes and the other does not, whose action is the `counterpart`.

    None: it has no such action. A scope that is missing was not asked about.
    """

    action: str
    counterpart: str | None
    answers: Mapping[Scope, ScopeAnswer]

    @property
    def reachable(self) -> ScopeAnswer:
        """The answer for the states that are reached."""
        return self.answers["reachable"]


@dataclass(frozen=True)
class Explored:
    """What was searched of one specification: distinct states, and why not all ("" if all).

    None: there was nothing to search for.
    """

    states: int = 0
    cut: str | None = None


@dataclass(frozen=True)
class Difference:
    """How two specifications differ: `lost` are the steps that only the left one takes, `gained` those of the right.

    `initial_only` is how many initial states only the left one has, and only the right one. `constraint` says whether
    their state constraints are the same. `incomparable` says why steps could not be compared at all; then nothing else
    is known.
    """

    lost: tuple[ActionDifference, ...] = ()
    gained: tuple[ActionDifference, ...] = ()
    initial_only: tuple[int, int] = (0, 0)
    constraint: Answer = "same"
    explored: tuple[Explored, Explored] = (Explored(), Explored())
    incomparable: str = ""

    @property
    def narrows(self) -> bool:
        """Whether the left one is known to allow something that the right one does not."""
        return bool(self.initial_only[0]) or any(one.reachable.answer == "differs" for one in self.lost)

    @property
    def widens(self) -> bool:
        """Whether the right one is known to allow something that the left one does not."""
        return bool(self.initial_only[1]) or any(one.reachable.answer == "differs" for one in self.gained)

    @property
    def interrupted(self) -> bool:
        """Whether somebody has ended the comparison."""
        return any(one.cut == INTERRUPTED.text for one in self.explored)

    @property
    def cut(self) -> str:
        """Why not every reachable state was compared; "" if all were."""
        return self.explored[1].cut or self.explored[0].cut or ""


@dataclass(frozen=True)
class Unreached:
    """How rules differ in typed states: the `actions` that do, and those of which it is `open` whether they do.

    `failing` are actions that may take the same steps, and cannot be evaluated in other states. `other` says what else
    differs, in words. With `gained` only what the right one allows, and the left one does not,
    was asked. `shown_at` are the bounds at which a search has come to such a state, and `tried` how many larger bounds
    were searched for it.
    """

    actions: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    other: str = ""
    gained: bool = False
    shown_at: Mapping[str, int] | None = None
    tried: int = 0


# -- own steps --------------------------------------------------------------------------------------------------------
# The one condition: a step of the left specification that the right one does not take, in the graph of the left.
#
# The right one does not take a step if it does not enable the action there, or if it leads to another state. Steps are
# compared rule against rule, state by state, so a state that only one of the two reaches adds nothing by itself: what
# is shown is where the rules differ, not what follows from it. The right one's expressions are copied into the graph.
# Most conditions are false at once, because both specifications have the same node there.

OwnSteps = Mapping[str, tuple[StepRule, ...]]
"""For each action, the steps that may be its own, each enabled only where the other specification does not take it."""


def counterparts(left: Rules, right: Rules, renamed: Mapping[str, str]) -> dict[str, str | None]:
    """For each action of the left the right's action that it is compared with: of its name, unless it is renamed."""
    taken = set(renamed.values())
    found: dict[str, str | None] = {}
    for action in left.actions:
        name = renamed.get(action, action)
        found[action] = name if name in right.actions and (action in renamed or name not in taken) else None
    return found


def own_steps(left: Rules, right: Rules, matched: Mapping[str, str | None]) -> OwnSteps:
    """The steps of the left that the right does not take; `matched` are the `counterparts`."""
    graph, copy = left.graph, Rebase(left.graph)
    fields = leaf_expressions(graph, left.protocol)
    found = {}
    for action, steps in left.actions.items():
        own = []
        for step in steps:
            condition = _only_left(graph, copy, fields, step, right.partners(step, matched[action]))
            if condition is not graph.false:
                own.append(replace(step, rule=replace(step.rule, enabled=condition, failures=())))
        found[action] = tuple(own)
    return found


def own_failures(left: Rules, right: Rules, matched: Mapping[str, str | None]) -> Mapping[str, Expression]:
    """For each action, that a step of it cannot be evaluated, and none that it is compared with fails there.

    A rule that fails is no step: two rules may take the same ones and fail in other states.
    """
    graph, copy = left.graph, Rebase(left.graph)
    found = {}
    for action, steps in left.actions.items():
        own = []
        for step in steps:
            theirs = [one.condition for two in right.partners(step, matched[action]) for one in two.rule.failures]
            ours = graph.any_of([one.condition for one in step.rule.failures])
            own.append(graph.and_(ours, graph.all_of([graph.not_(copy(condition)) for condition in theirs])))
        found[action] = graph.any_of(own)
    return found


def _only_left(
    graph: Graph, copy: Rebase, fields: Sequence[Expression], step: StepRule, partners: Sequence[StepRule]
) -> Expression:
    ours, refusals = step.rule, []
    for theirs in (partner.rule for partner in partners):
        other = {leaf: copy(value) for leaf, value in sorted(theirs.updates.items())}
        written = sorted(ours.updates.keys() | other.keys())
        enabled = copy(theirs.enabled)
        same = (graph.eq(ours.updates.get(i, fields[i]), other.get(i, fields[i])) for i in written)
        refusals.append(graph.not_(graph.all_of([enabled, *same])))
    return graph.and_(ours.enabled, graph.all_of(refusals))
