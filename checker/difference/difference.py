"""How two specifications, a left and a right one, differ: for each action the steps that only one of them takes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from epochal.spec.language import Member, SourceLine
from epochal.spec.language.marks import Mark

from ..base.machine import Stopwatch, without_collection
from ..ir.evaluate import evaluate
from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.layout import lay_out, leaf_expressions
from ..ir.model import CompiledInstance, CompiledProperty, Failure, Model
from ..ir.ranges import refuted
from ..ir.shape import Rebase, first_difference
from ..native.engine import NativeModel, load_kernel
from ..native.kernel.kernel import Shape
from ..native.llvm.jit import Compiler
from ..native.program.program import PROPERTY_LIMIT
from ..search.budget import Budget, BudgetExceeded, Deadline
from ..search.findings import Finding
from ..search.native import NativeSearch, cross_checked
from ..search.result import Options
from ..search.stop import INTERRUPTED, RULE_FAILED
from ..trace.explain import Refusal
from ..trace.run import Codes, Step
from ..trace.trace import Trace
from .rules import Rules, StepRule, without_source

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


# -- reached ----------------------------------------------------------------------------------------------------------
# The steps of its own that a specification takes in the states that it reaches, counted, and a shortest run to one.
#
# The native search explores the rules. A step of interest is in its program twice: as the rule has it, and once more
# with the narrower condition, for which it is counted. Both lead to the same state, so nothing else is reached than by
# the rules. The condition is looked for like a `reachable`, so the example is the least of the shortest ones.

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
    patience, compiler = Deadline(options.budget, options.max_memory, options.progress, options.begun), Compiler()
    try:
        with patience.watching("turning the specification into machine code"), without_collection():
            native, kernel = NativeModel(model, compiler), load_kernel(compiler, shape)
    except BudgetExceeded as spent:
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


# -- between ----------------------------------------------------------------------------------------------------------
# The difference of two specifications in the states that they reach, from their rules alone.
#
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
