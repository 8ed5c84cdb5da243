"""The rules of a protocol as plain data, so that the rules of another commit can be compared in this process.

Another commit's specification is loaded in a process of its own; what comes back is this: the leaves of the state, the
initial states, and every possible step as expressions, each node once, arguments before users. Reading it into a graph
goes through the graph's own methods, so that an expression that both specifications have becomes one node.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epochal.checker.trace.explain import lanes, sentence
from epochal.spec.language import SourceLine

from ..ir.expression import Expression, Op, Sort, reachable_nodes
from ..ir.graph import Graph
from ..ir.model import Model
from .naming import Key, positions

Codes = tuple[int, ...]


@dataclass(frozen=True)
class GuardRule:
    """A guard of a step: its condition, its line, and the text of that line."""

    condition: Expression
    where: SourceLine
    text: str


@dataclass(frozen=True)
class StepRule:
    """A possible step: when it is enabled, what it sets, and how it is told to people."""

    key: Key
    label: str
    sentence: str
    lanes: tuple[str, str]
    where: SourceLine
    enabled: Expression
    updates: dict[int, Expression]
    guards: tuple[GuardRule, ...]


@dataclass(frozen=True)
class Rules:
    """Everything that decides which states are reachable. `leaves` are path, kind and size of the state's leaves."""

    leaves: tuple[tuple[str, str, int], ...]
    initial: tuple[Codes, ...]
    steps: tuple[StepRule, ...]
    constraint: Expression


def rules_of(model: Model) -> Rules:
    """The rules of a compiled protocol, in its own graph."""
    steps = []
    for compiled in model.instances:
        instance = compiled.instance
        guards = [
            GuardRule(guard.condition, guard.where, _line_of(guard.where)) for guard in compiled.guards if guard.where
        ]
        steps.append(
            StepRule(
                (instance.action.name, positions(instance)),
                instance.label,
                sentence(instance),
                lanes(instance),
                instance.action.where,
                compiled.enabled,
                compiled.updates,
                tuple(guards),
            )
        )
    leaves = tuple((leaf.path, type(leaf.domain).__name__, leaf.domain.size) for leaf in model.protocol.leaves)
    return Rules(leaves, tuple(model.protocol.initial_states()), tuple(steps), model.constraint)


def _line_of(where: SourceLine) -> str:
    """The text of a line of a specification, whose path is shown relative to the working directory or to the tool."""
    for base in (Path.cwd(), Path(__file__).resolve().parents[2]):
        if (base / where.file).is_file():
            return linecache.getline(str(base / where.file), where.line).strip()
    return ""


# -- as plain data ----------------------------------------------------------------------------------------------------


def encode_rules(rules: Rules) -> dict[str, Any]:
    """The rules as an object for JSON. A node is [operator, arguments, value, sort, greatest value]."""
    roots = [rules.constraint]
    for step in rules.steps:
        roots += [step.enabled, *step.updates.values(), *(guard.condition for guard in step.guards)]
    at: dict[int, int] = {}
    nodes: list[list[Any]] = []
    for node in reachable_nodes(roots):
        at[node.id] = len(nodes)
        nodes.append([node.op.value, [at[arg.id] for arg in node.args], node.value, node.sort, node.high])
    steps = [
        {
            "action": step.key[0],
            "positions": list(step.key[1]),
            "label": step.label,
            "sentence": step.sentence,
            "lanes": list(step.lanes),
            "where": [step.where.file, step.where.line],
            "enabled": at[step.enabled.id],
            "updates": [[leaf, at[value.id]] for leaf, value in sorted(step.updates.items())],
            "guards": [[at[g.condition.id], g.where.file, g.where.line, g.text] for g in step.guards],
        }
        for step in rules.steps
    ]
    return {
        "leaves": [list(leaf) for leaf in rules.leaves],
        "initial": [list(codes) for codes in rules.initial],
        "nodes": nodes,
        "constraint": at[rules.constraint.id],
        "steps": steps,
    }


def decode_rules(data: dict[str, Any], graph: Graph) -> Rules:
    """Rules from plain data, their expressions made in `graph`."""
    nodes: list[Expression] = []
    for name, args, value, sort, high in data["nodes"]:
        nodes.append(_MAKE[Op(name)](graph, [nodes[i] for i in args], value, sort, high))
    steps = tuple(
        StepRule(
            (one["action"], tuple(one["positions"])),
            one["label"],
            one["sentence"],
            (one["lanes"][0], one["lanes"][1]),
            SourceLine(one["where"][0], one["where"][1], one["action"]),
            nodes[one["enabled"]],
            {leaf: nodes[value] for leaf, value in one["updates"]},
            tuple(GuardRule(nodes[at], SourceLine(file, line), text) for at, file, line, text in one["guards"]),
        )
        for one in data["steps"]
    )
    leaves = tuple((path, kind, size) for path, kind, size in data["leaves"])
    return Rules(leaves, tuple(tuple(codes) for codes in data["initial"]), steps, nodes[data["constraint"]])


def _constant(graph: Graph, _: list[Expression], value: int, sort: Sort, __: int) -> Expression:
    if sort == "bool":
        return graph.boolean(bool(value))
    return graph.integer(value) if sort == "int" else graph.mask(value)


_Maker = Callable[[Graph, list[Expression], int, Sort, int], Expression]

_MAKE: dict[Op, _Maker] = {
    Op.CONST: _constant,
    Op.FIELD: lambda graph, args, value, sort, high: graph.field(value, sort, high),
    Op.OFFSET: lambda graph, args, value, sort, high: graph.offset(args[0], value),
    Op.ADD: lambda graph, args, value, sort, high: graph.add(*args),
    Op.SUB: lambda graph, args, value, sort, high: graph.sub(*args),
    Op.MUL: lambda graph, args, value, sort, high: graph.mul(*args),
    Op.FLOORDIV: lambda graph, args, value, sort, high: graph.floordiv(args[0], args[1].value),
    Op.MOD: lambda graph, args, value, sort, high: graph.mod(args[0], args[1].value),
    Op.MIN: lambda graph, args, value, sort, high: graph.min(*args),
    Op.MAX: lambda graph, args, value, sort, high: graph.max(*args),
    Op.EQ: lambda graph, args, value, sort, high: graph.eq(*args),
    Op.LT: lambda graph, args, value, sort, high: graph.lt(*args),
    Op.NOT: lambda graph, args, value, sort, high: graph.not_(args[0]),
    Op.AND: lambda graph, args, value, sort, high: graph.all_of(args),
    Op.OR: lambda graph, args, value, sort, high: graph.any_of(args),
    Op.ITE: lambda graph, args, value, sort, high: graph.ite(*args),
    Op.MEMBER: lambda graph, args, value, sort, high: graph.member(*args),
    Op.SINGLETON: lambda graph, args, value, sort, high: graph.singleton(args[0]),
    Op.UNION: lambda graph, args, value, sort, high: graph.union(*args),
    Op.INTERSECTION: lambda graph, args, value, sort, high: graph.intersection(*args),
    Op.DIFFERENCE: lambda graph, args, value, sort, high: graph.difference(*args),
    Op.CARDINALITY: lambda graph, args, value, sort, high: graph.cardinality(args[0]),
    Op.BITS: lambda graph, args, value, sort, high: graph.bits(args[0]),
}
