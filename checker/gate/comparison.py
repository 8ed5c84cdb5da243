"""What a change to the rules takes away and adds: how two specifications differ, action by action.

A step is *gained* if the new rules allow it in a state that they reach and the old rules do not allow it there, or lead
elsewhere; it is *lost* if the old rules allow it in a state that they reach and the new ones do not. Steps are compared
rule against rule, state by state, so a state that only the new rules reach adds nothing by itself: what is shown is
where the rules differ, not what follows from it.

For every pair of steps with the same action and arguments the expression of their difference is made in one graph. Most
are false at once, because both specifications have the same node there; for the rest the reachable states are visited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from epochal.checker.trace.trace import Step, Trace
from epochal.spec.language import ActionInstance, Protocol, SourceLine
from epochal.spec.language.marks import Mark

from ..ir.evaluate import evaluate
from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.leaves import leaf_expressions
from ..ir.model import Model
from ..ir.ranges import refuted
from .difference import ActionDifference, Difference, Example
from .exploration import Limits, Sighting, Walk, walk, without_source
from .naming import Key, positions
from .rules import Codes, Rules, StepRule


@dataclass(frozen=True)
class ForeignInstance(ActionInstance):
    """A step of the old specification that the new one no longer has: known by its label only."""

    text: str = ""

    @property
    def label(self) -> str:
        """The label as the old specification wrote it."""
        return self.text


def compare(model: Model, reference: str, new: Rules, old: Rules, limits: Limits) -> Difference:
    """How the rules differ. The expressions of both must have been made in the graph of `model`, the new protocol.

    `reference` is how the protocol is called on the command line.
    """
    if new.leaves != old.leaves:
        return Difference(incomparable=_state_changed(new, old))
    gained_initial = len(set(new.initial) - set(old.initial))
    lost_initial = len(set(old.initial) - set(new.initial))
    only_new, only_old = _differences(model, new, old), _differences(model, old, new)
    gains, losses = _walked(model, new, only_new, limits), _walked(model, old, only_old, limits)
    actions = []
    for name in dict.fromkeys(step.key[0] for step in (*new.steps, *old.steps)):
        gained, lost = gains.counts.get(name, 0), losses.counts.get(name, 0)
        if gained or lost:
            actions.append(
                ActionDifference(
                    name,
                    gained,
                    lost,
                    _example(model, reference, gains.first.get(name), old, "the baseline"),
                    _example(model, reference, losses.first.get(name), new, "the change"),
                )
            )
    return Difference(
        tuple(actions), gained_initial, lost_initial, (gains.states, losses.states), gains.cut or losses.cut
    )


def _walked(model: Model, rules: Rules, watched: Sequence[StepRule], limits: Limits) -> Walk:
    return walk(model.protocol, model, rules, watched, limits) if watched else Walk()


def _state_changed(new: Rules, old: Rules) -> str:
    came = [path for path, _, _ in new.leaves if path not in {leaf[0] for leaf in old.leaves}]
    went = [path for path, _, _ in old.leaves if path not in {leaf[0] for leaf in new.leaves}]
    parts = [f"{word} {', '.join(paths[:4])}" for word, paths in (("new", came), ("gone", went)) if paths]
    detail = "; ".join(parts) or "a variable has another domain, or they are in another order"
    return f"the state itself changed ({detail}), so single steps cannot be compared"


def _differences(model: Model, rules: Rules, others: Rules) -> list[StepRule]:
    """The steps of `rules`, each enabled only where the other rules do not allow exactly it. Impossible ones left out.

    These are the watched steps of a walk.
    """
    graph = model.graph
    fields = leaf_expressions(graph, model.protocol)
    by_key = {step.key: step for step in others.steps}
    found = []
    for step in rules.steps:
        condition = _only_here(graph, fields, step, by_key.get(step.key))
        if condition is not graph.false and not refuted(condition):
            found.append(replace(step, enabled=condition))
    return found


def _only_here(graph: Graph, fields: Sequence[Expression], step: StepRule, other: StepRule | None) -> Expression:
    if other is None:
        return step.enabled
    return graph.and_(step.enabled, graph.not_(graph.and_(other.enabled, _same_effect(graph, fields, step, other))))


def _same_effect(graph: Graph, fields: Sequence[Expression], step: StepRule, other: StepRule) -> Expression:
    leaves = sorted({*step.updates, *other.updates})
    return graph.all_of([graph.eq(step.updates.get(i, fields[i]), other.updates.get(i, fields[i])) for i in leaves])


# -- examples ---------------------------------------------------------------------------------------------------------


def _example(model: Model, reference: str, seen: Sighting | None, others: Rules, whose: str) -> Example | None:
    if seen is None:
        return None
    protocol = model.protocol
    instances = {(i.action.name, positions(i)): i for i in protocol.instances}
    steps = [Step(_instance(instances, rule), codes) for rule, codes in seen.path if rule is not None]
    steps.append(Step(_instance(instances, seen.step), seen.after))
    before = seen.path[-1][1]
    other = next((step for step in others.steps if step.key == seen.step.key), None)
    reason, where, guard = _reason(protocol, other, before, whose)
    facts: dict[str, str | int | bool] = {"protocol": reference, "shortest": True}
    trace = Trace(protocol, seen.path[0][1], tuple(steps), note=f"{reason}.", facts=facts)
    return Example(trace, reason, where, guard)


def _instance(instances: dict[Key, ActionInstance], rule: StepRule) -> ActionInstance:
    """The step as the new protocol has it; where it has none, one that is known by its words only."""
    found = instances.get(rule.key)
    if found is not None:
        return found
    says = rule.sentence.replace("{", "{{").replace("}", "}}")
    member = without_source(rule.key[0], Mark("action", rule.lanes[0], rule.lanes[1], says), rule.where)
    return ForeignInstance(-1, member, (), (), rule.label)


def _reason(
    protocol: Protocol, other: StepRule | None, before: Codes, whose: str
) -> tuple[str, SourceLine | None, str]:
    """Why the other specification does not allow a step in the state `before`, and the guard that refuses it."""
    if other is None:
        return f"{whose} cannot take such a step in any state", None, ""
    conditions = [guard.condition for guard in other.guards]
    for guard, holds in zip(other.guards, evaluate(conditions, before), strict=True):
        if not holds:
            return f"{whose} refuses it: {guard.text or 'a guard is false'} ({guard.where})", guard.where, guard.text
    if evaluate([other.enabled], before)[0]:
        changes = [
            f"{protocol.leaves[leaf].path} = {_shown(protocol, leaf, value)}"
            for leaf, value in zip(other.updates, evaluate(list(other.updates.values()), before), strict=True)
            if value != before[leaf]
        ]
        return f"{whose} takes it to another state: {', '.join(changes) or 'nothing changes'}", None, ""
    return f"{whose} cannot evaluate it there", None, ""


def _shown(protocol: Protocol, leaf: int, code: int) -> str:
    domain = protocol.leaves[leaf].domain
    return domain.show(domain.value(code))
