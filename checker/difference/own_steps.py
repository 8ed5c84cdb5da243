"""The one condition: a step of the left specification that the right one does not take, in the graph of the left.

The right one does not take a step if it does not enable the action there, or if it leads to another state. Steps are
compared rule against rule, state by state, so a state that only one of the two reaches adds nothing by itself: what is
shown is where the rules differ, not what follows from it. The right one's expressions are copied into the graph. Most
conditions are false at once, because both specifications have the same node there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.leaves import leaf_expressions
from ..ir.rebase import Rebase
from .rules import Rules, StepRule

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
