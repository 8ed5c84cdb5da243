"""What decides which states a protocol reaches, as one record: its initial states, its steps and its state constraint.

The rules of another commit are loaded in a process of its own, or come from the cache: they are plain data, every
expression as rows, each node once, arguments before users.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from epochal.spec.language import ActionInstance, Member, Protocol, SourceLine
from epochal.spec.language.marks import Mark
from epochal.spec.language.source_text import present_text

from ..ir.expression import Expression, Op, reachable_nodes
from ..ir.graph import Graph
from ..ir.model import COPY, CompiledInstance, Failure, Guard, Model, StateShape, shape_of
from ..search.findings import initial_states
from ..semantics.properties import without_source
from ..trace.explain import sentence
from ..trace.messages import lanes
from ..trace.trace import Codes

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
        for node in reachable_nodes([root]) if root.id not in at else ():
            if node.id not in at:
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
