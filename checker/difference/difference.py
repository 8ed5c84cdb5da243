"""How two specifications, a left and a right one, differ: for each action the steps that only one of them takes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from epochal.spec.language import ActionInstance, Member, Protocol, SourceLine
from epochal.spec.language.marks import Mark
from epochal.spec.language.source_text import present_text

from ..ir.expression import Expression, Op, evaluate, reachable_nodes
from ..ir.graph import Graph
from ..ir.layout import leaf_expressions
from ..ir.model import COPY, CompiledInstance, Failure, Guard, Model, Rebase, StateShape, shape_of
from ..search.findings import initial_states
from ..search.result import INTERRUPTED
from ..semantics.properties import without_source
from ..trace.explain import Refusal, lanes, sentence
from ..trace.run import Codes
from ..trace.trace import Trace

# -- rules ------------------------------------------------------------------------------------------------------------
# What decides which states a protocol reaches, as one record: its initial states, its steps and its state constraint.
#
# The rules of another commit are loaded in a process of its own, or come from the cache: they are plain data, every
# expression as rows, each node once, arguments before users.


STATEMENT_LINES = 20
"""How many lines are read to find the end of a statement."""

Signature = tuple[tuple[str, int], ...]
"""What the arguments of an action are chosen from: each domain in words, and how many values it has."""


@dataclass(frozen=True)
class StepRule:
    """A step: its rule, and by the positions of its arguments which one it is in any version of a specification."""

    signature: Signature
    positions: tuple[int, ...]
    rule: CompiledInstance

    @property
    def action(self) -> str:
        """The name of the action."""
        return self.rule.instance.action.name


@dataclass(frozen=True)
class Rules:
    """Everything that decides which states are reachable, and in whose words they and the steps are told.

    Expressions are nodes of `graph`. `steps` are in the order of the instances; also those that no typed state enables
    are there, for their guards. `texts` are the statements that guards stand in.
    """

    protocol: Protocol
    graph: Graph
    shape: StateShape
    initial: tuple[Codes, ...]
    steps: tuple[StepRule, ...]
    constraint: Expression
    constraint_failures: tuple[Failure, ...]
    texts: Mapping[SourceLine, str]

    @cached_property
    def actions(self) -> Mapping[str, tuple[StepRule, ...]]:
        """The steps of each action."""
        found: dict[str, list[StepRule]] = {}
        for step in self.steps:
            found.setdefault(step.action, []).append(step)
        return {name: tuple(steps) for name, steps in found.items()}

    @cached_property
    def _by_positions(self) -> Mapping[tuple[str, tuple[int, ...]], StepRule]:
        return {(step.action, step.positions): step for step in self.steps}

    def partners(self, step: StepRule, action: str | None) -> tuple[StepRule, ...]:
        """The steps of an action that a step of the other specification is compared with.

        The one with the same arguments, if both actions choose from the same domains; else all of them.
        """
        steps = self.actions.get(action or "", ())
        if not steps or steps[0].signature != step.signature:
            return steps
        return (self._by_positions[steps[0].action, step.positions],)

    @cached_property
    def within(self) -> Expression:
        """That a state is within the constraint, and that can be evaluated."""
        failing = [self.graph.not_(failure.condition) for failure in self.constraint_failures]
        return self.graph.all_of([self.constraint, *failing])


def rules_of(model: Model, told: Protocol | None = None) -> Rules:
    """The rules of a compiled protocol, in its own graph; `told` has the same actions and other properties.

    Raises LanguageError where a search could not begin.
    """
    protocol = told or model.protocol
    steps = []
    for compiled in sorted((*model.instances, *model.impossible), key=lambda one: one.instance.number):
        instance = protocol.instances[compiled.instance.number]
        steps.append(StepRule(_signature(instance), instance.positions, replace(compiled, instance=instance)))
    lines = dict.fromkeys(guard.where for step in steps for guard in step.rule.guards)
    return Rules(
        protocol,
        model.graph,
        shape_of(protocol),
        tuple(initial_states(protocol)),
        tuple(steps),
        model.constraint,
        model.constraint_failures,
        {where: statement_at(where) for where in lines if where is not None},
    )


def _signature(instance: ActionInstance) -> Signature:
    return tuple((str(p.domain), p.domain.cardinality) for p in instance.parameters)


def statement_at(where: SourceLine) -> str:
    """The statement that begins on a line, whose path is relative to the working directory or to the tool; else ""."""
    bases = (Path.cwd(), Path(__file__).resolve().parents[2])
    paths = (where.file, *(str(base / where.file) for base in bases))
    lines = next((found.lines for path in paths if (found := present_text(path)) is not None), [])[where.line - 1 :]
    for end in range(1, min(len(lines), STATEMENT_LINES) + 1):
        text = " ".join(line.strip() for line in lines[:end])
        try:
            ast.parse(text)
        except SyntaxError:
            continue
        return text
    return lines[0].strip() if lines else ""


# -- as plain data ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ForeignInstance(ActionInstance):
    """A step that the protocol in whose words it is told does not have: known by its label only."""

    text: str = ""

    @property
    def label(self) -> str:
        """The label as its own protocol wrote it."""
        return self.text


def encode_rules(rules: Rules) -> dict[str, Any]:
    """The rules as an object for JSON.

    A node is its operator, arguments, value, sort and greatest value. A step is how it is told, how it is named, and
    its rule: the condition under which it is enabled, updates, guards and failures.
    """
    at: dict[int, int] = {}
    nodes: list[list[Any]] = []

    def row(root: Expression) -> int:
        for node in reachable_nodes([root], at):
            at[node.id] = len(nodes)
            nodes.append([node.op.value, [at[arg.id] for arg in node.args], node.value, node.sort, node.high])
        return at[root.id]

    def failures(found: Iterable[Failure]) -> list[list[Any]]:
        return [[row(one.condition), one.message, _encoded(one.where)] for one in found]

    def step(one: StepRule) -> list[Any]:
        rule, instance = one.rule, one.rule.instance
        return [
            [instance.label, sentence(instance), lanes(instance), _encoded(instance.action.where)],
            [one.action, one.signature, one.positions],
            row(rule.enabled),
            [[leaf, row(value)] for leaf, value in sorted(rule.updates.items())],
            [[row(guard.condition), _encoded(guard.where)] for guard in rule.guards],
            failures(rule.failures),
        ]

    return {
        "variables": rules.shape.variables,
        "leaves": rules.shape.leaves,
        "initial": rules.initial,
        "nodes": nodes,
        "constraint": row(rules.constraint),
        "constraint_failures": failures(rules.constraint_failures),
        "steps": [step(one) for one in rules.steps],
        "texts": [[_encoded(where), text] for where, text in rules.texts.items()],
    }


def decode_rules(data: dict[str, Any], protocol: Protocol) -> Rules:
    """Rules from plain data, in a graph of their own, told in the words of `protocol`."""
    graph = Graph()
    nodes: list[Expression] = []
    for op, args, value, sort, high in data["nodes"]:
        row = Expression(0, Op(op), (), value, sort, 0, high, None)
        nodes.append(COPY[row.op](graph, row, [nodes[i] for i in args]))
    known = {(i.action.name, _signature(i), i.positions): i for i in protocol.instances}

    def failures(found: Iterable[Any]) -> tuple[Failure, ...]:
        return tuple(Failure(nodes[at], message, _decoded(where)) for at, message, where in found)

    def step(number: int, told: list[Any], named: list[Any], enabled: int, *written: list[Any]) -> StepRule:
        action, signature, positions = named[0], tuple((text, size) for text, size in named[1]), tuple(named[2])
        instance = known.get((action, signature, positions)) or _foreign(number, action, *told)
        updates = {leaf: nodes[value] for leaf, value in written[0]}
        guards = tuple(Guard(nodes[at], _decoded(where)) for at, where in written[1])
        made = CompiledInstance(instance, guards, updates, failures(written[2]), nodes[enabled])
        return StepRule(signature, positions, made)

    return Rules(
        protocol,
        graph,
        StateShape(
            tuple((name, ghost) for name, ghost in data["variables"]),
            tuple((path, domain, tuple(values)) for path, domain, values in data["leaves"]),
        ),
        tuple(tuple(codes) for codes in data["initial"]),
        tuple(step(number, *one) for number, one in enumerate(data["steps"], len(protocol.instances))),
        nodes[data["constraint"]],
        failures(data["constraint_failures"]),
        {where: text for at, text in data["texts"] if (where := _decoded(at)) is not None},
    )


def _foreign(
    number: int, action: str, label: str, says: str, lanes: tuple[str, str], where: list[Any]
) -> ForeignInstance:
    mark = Mark("action", lanes[0], lanes[1], says.replace("{", "{{").replace("}", "}}"))
    return ForeignInstance(number, Member(action, without_source(), mark, SourceLine(*where)), (), (), label)


def _encoded(where: SourceLine | None) -> list[Any] | None:
    return None if where is None else [where.file, where.line, where.function]


def _decoded(where: list[Any] | None) -> SourceLine | None:
    return None if where is None else SourceLine(*where)


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
