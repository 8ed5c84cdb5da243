"""The steps of its own that a specification takes in the states that it reaches, counted, and a shortest run to one.

The native search explores the rules. A step of interest is in its program twice: as the rule has it, and once more with
the narrower condition, for which it is counted. Both lead to the same state, so nothing else is reached than by the
rules. The condition is looked for like a `reachable`, so the example is the least of the shortest ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from epochal.checker.native.engine import NativeModel, load_kernel
from epochal.checker.trace.trace import Step, Trace
from epochal.spec.language import Member, SourceLine
from epochal.spec.language.marks import Mark

from ..host.measure import Stopwatch, without_collection
from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.layout import lay_out
from ..ir.model import CompiledInstance, CompiledProperty, Model
from ..ir.ranges import refuted
from ..native.kernel.kernel import Shape
from ..native.llvm.jit import Compiler
from ..native.program.program import PROPERTY_LIMIT
from ..search.budget import Budget
from ..search.cross_check import cross_checked
from ..search.findings import Finding
from ..search.native_search import NativeSearch
from ..search.patience import OutOfPatience, Patience
from ..search.result import Options
from ..search.stop import RULE_FAILED, StopReason
from .own_steps import OwnSteps
from .refusal import first_failure, state_after
from .rules import Rules, StepRule, without_source

NOWHERE = SourceLine("", 0)
"""Where a property stands that is in no text."""


@dataclass
class Reached:
    """What was found: for each action how many steps of its own there are, and the least one with the run it ends.

    `searched` says whether there was anything to search for; `stopped` why not every state was. `condition_met` says
    whether the condition on states is true of one that was reached, or that a step out of the constraint leads to.
    """

    states: int = 0
    stopped: StopReason | None = None
    searched: bool = True
    counts: dict[str, int] = field(default_factory=dict)
    runs: dict[str, tuple[StepRule, Trace]] = field(default_factory=dict)
    condition_met: bool = False


def reached(rules: Rules, own: OwnSteps, options: Options, condition: Expression | None = None) -> Reached:
    """Search every state that the rules reach for steps of their own, and for states where `condition` is true.

    `options` has the budgets, and says whether states are repeated in the Python reading: only where the rules are told
    in the words of their own protocol. A search looks for as many properties as fit; more actions are left to another.
    """
    possible = {action: tuple(s for s in steps if not refuted(s.rule.enabled)) for action, steps in own.items()}
    asked = {action: steps for action, steps in possible.items() if steps}
    names, conditions = list(asked), [] if condition in (None, rules.graph.false) else [condition]
    found = Reached(searched=bool(names or conditions))
    most = PROPERTY_LIMIT - len(conditions)
    for first in range(0, max(len(names), len(conditions)), most):
        chosen = {name: asked[name] for name in names[first : first + most]}
        one = _searched(rules, chosen, replace(options, properties=()), conditions)
        found.states = max(found.states, one.states)
        found.stopped = found.stopped or one.stopped
        found.counts |= one.counts
        found.runs |= one.runs
        found.condition_met |= one.condition_met
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
        return Reached(stopped=spent.reason)
    members = [one.member for one in looked_for]
    search = NativeSearch(native, kernel, options, None, members=members, initial=rules.initial)
    stopped = search.explore(Budget(options, Stopwatch(), patience))
    try:
        cross_checked(search, time.monotonic() - started, patience)
        if search.found.failure is not None:
            stopped = StopReason(f"{RULE_FAILED}: {_what_failed(rules, search.found.failure)}")
        found = Reached(search.pool.count, stopped)
        steps, place = search.pool.totals().steps, len(possible)
        for (action, own_rules), member in zip(own.items(), members, strict=False):
            if taken := sum(steps[place : place + len(own_rules)]):
                found.counts[action] = taken
            place += len(own_rules)
            if member.name in search.found.shown:
                found.runs[action] = _run(rules, own_rules, search.found.shown[member.name])
        found.condition_met = any(member.name in search.found.shown for member in members[len(own) :])
    finally:
        search.pool.close()
    return found


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


def _run(rules: Rules, own: Sequence[StepRule], finding: Finding) -> tuple[StepRule, Trace]:
    initial, steps = finding.run
    step = next(step for step in own if step.rule.instance is finding.instance)
    last = Step(step.rule.instance, state_after(step.rule, finding.codes))
    return step, Trace(rules.protocol, initial, (*steps, last))


def _what_failed(rules: Rules, finding: Finding) -> str:
    """The message of the rule that could not be evaluated: of a step, or of the constraint where it leads."""
    codes = finding.codes
    rule = next((step.rule for step in rules.steps if step.rule.instance is finding.instance), None)
    failure = None if rule is None else first_failure(rule.failures, codes)
    if failure is None:
        failure = first_failure(rules.constraint_failures, codes if rule is None else state_after(rule, codes))
    assert failure is not None, "the search says that a rule fails, and none does"
    return failure.message if failure.where is None else f"{failure.where}: {failure.message}"
