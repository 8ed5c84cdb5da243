"""The steps of its own that a specification takes in the states that it reaches, counted, and a shortest run to one.

The native search explores the rules. A step of interest is in its program twice: as the rule has it, and once more with
the narrower condition, for which it is counted. Both lead to the same state, so nothing else is reached than by the
rules. The condition is looked for like a `reachable`, so the example is the least of the shortest ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from epochal.spec.language import Member, SourceLine
from epochal.spec.language.marks import Mark

from ..host.measure import Stopwatch, without_collection
from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.layout import lay_out
from ..ir.model import CompiledInstance, CompiledProperty, Model
from ..ir.ranges import refuted
from ..native.engine import NativeModel, load_kernel
from ..native.kernel.kernel import Shape
from ..native.llvm.jit import Compiler
from ..native.program.program import PROPERTY_LIMIT
from ..search.budget import Budget
from ..search.cross_check import cross_checked
from ..search.findings import Finding
from ..search.native_search import NativeSearch
from ..search.patience import OutOfPatience, Patience
from ..search.result import Options
from ..search.stop import INTERRUPTED, RULE_FAILED
from ..trace.trace import Step, Trace
from .difference import Explored
from .own_steps import OwnSteps
from .refusal import state_after
from .rules import Rules, StepRule, without_source

NOWHERE = SourceLine("", 0)
"""Where a property stands that is in no text."""

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

    `options` has the budgets, and says whether states are repeated in the Python reading: only where the rules are told
    in the words of their own protocol. A search looks for as many properties as fit; more actions are left to another.
    Nothing is searched if somebody has interrupted the search `before`.
    """
    if before.explored.cut == INTERRUPTED.text:
        return Reached(Explored(cut=INTERRUPTED.text))
    possible = {action: tuple(s for s in steps if not refuted(s.rule.enabled)) for action, steps in own.items()}
    names = [action for action, steps in possible.items() if steps]
    conditions = [] if condition in (None, rules.graph.false) else [condition]
    most, found = PROPERTY_LIMIT - len(conditions), Reached()
    for first in range(0, max(len(names), len(conditions)), most):
        chosen = {name: possible[name] for name in names[first : first + most]}
        found |= _searched(rules, chosen, replace(options, properties=()), conditions)
    return found


def _searched(rules: Rules, own: OwnSteps, options: Options, conditions: Sequence[Expression]) -> Reached:
    started, graph = time.monotonic(), rules.graph
    possible = tuple(s.rule for s in rules.steps if s.rule.enabled is not graph.false or s.rule.failures)
    watched = tuple(step.rule for steps in own.values() for step in steps)
    looked_for = tuple(_properties(possible, own, graph, conditions))
    layout = lay_out(rules.protocol.leaves)
    constraint, failures = rules.constraint, rules.constraint_failures
    model = Model(rules.protocol, graph, layout, (*possible, *watched), looked_for, constraint, failures)
    shape = Shape(layout.words, constraint is not graph.true or bool(failures), False, False)
    patience, compiler = Patience(options.budget, options.max_memory, options.progress, options.begun), Compiler()
    try:
        with patience.watching("turning the specification into machine code"), without_collection():
            native, kernel = NativeModel(model, compiler), load_kernel(compiler, shape)
    except OutOfPatience as spent:
        return Reached(Explored(cut=spent.reason.text))
    members = [one.member for one in looked_for]
    search = NativeSearch(native, kernel, options, None, members=members, initial=rules.initial)
    try:
        stopped = search.explore(Budget(options, Stopwatch(), patience))
        cross_checked(search, time.monotonic() - started, patience)
        stopped = RULE_FAILED if search.found.failure is not None else stopped
        shown, steps, place = search.found.shown, search.pool.totals().steps, len(possible)
        found = {}
        for (action, own_rules), member in zip(own.items(), members, strict=False):
            if member.name in shown:
                count = sum(steps[place : place + len(own_rules)])
                found[action] = _own(rules, own_rules, count, shown[member.name])
            place += len(own_rules)
        met = any(member.name in shown for member in members[len(own) :])
        return Reached(Explored(search.pool.count, stopped.text if stopped else ""), found, met)
    finally:
        search.close()


def _properties(
    possible: Sequence[CompiledInstance], own: OwnSteps, graph: Graph, conditions: Sequence[Expression]
) -> Iterator[CompiledProperty]:
    """What is looked for: a step of its own for each action, then states of which a condition is true."""
    never = {one.instance.number: graph.false for one in possible}
    for action, steps in own.items():
        member = Member(f"own {action}", without_source(of_steps=True), Mark("reachable"), NOWHERE)
        on_step = never | {step.rule.instance.number: step.rule.enabled for step in steps}
        yield CompiledProperty(member, graph.any_of(on_step.values()), on_step, (), {})
    for condition in conditions:
        member = Member("own state", without_source(), Mark("reachable"), NOWHERE)
        yield CompiledProperty(member, condition, {}, (), {})


def _own(rules: Rules, steps: Sequence[StepRule], count: int, finding: Finding) -> Own:
    initial, before = finding.run
    least = next(step for step in steps if step.rule.instance is finding.instance)
    last = Step(least.rule.instance, state_after(least.rule, finding.codes))
    return Own(count, least, Trace(rules.protocol, initial, (*before, last)))
