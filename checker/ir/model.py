"""A compiled protocol as data: its action instances, properties and constraint, as expressions over a state's leaves.

`checker.compile.compiler` makes it. Engines, proofs, the gate and symmetry read it, and need no compiler for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Any

from epochal.spec.language import ActionInstance, LanguageError, Member, Protocol, SourceLine
from epochal.spec.language.domains import Domain, EnumDomain, OptionalScalar, SetDomain

from ..semantics.properties import all_properties, is_step_property
from .expression import Expression, Op, Sort, reachable_nodes
from .graph import Graph
from .layout import Layout, lay_out


@dataclass(frozen=True)
class Guard:
    """A `require` or a `bounded`: its condition (under the path on which it stands) and its line."""

    condition: Expression
    where: SourceLine | None


@dataclass(frozen=True)
class Failure:
    """A way in which a rule cannot be evaluated: under `condition`, for the reason `message`, at `where`."""

    condition: Expression
    message: str
    where: SourceLine | None


@dataclass(frozen=True)
class CompiledInstance:
    """An action instance: it is enabled where all guards hold, and then sets the leaves in `updates`.

    `failures` are the conditions under which it cannot be evaluated; where one holds, the instance is not enabled.
    `stopped` is where it is not, because a `bounded` is false and every guard before it true; None: nowhere.
    """

    instance: ActionInstance
    guards: tuple[Guard, ...]
    updates: dict[int, Expression]
    failures: tuple[Failure, ...]
    enabled: Expression
    stopped: Expression | None = None


@dataclass(frozen=True)
class CompiledLiveness:
    """A liveness property with one choice of its parameters: its premise, its goal, and where these cannot be told."""

    member: Member
    arguments: tuple[Any, ...]
    premise: Expression
    goal: Expression
    failures: tuple[Failure, ...]


@dataclass(frozen=True)
class CompiledProperty:
    """A property: `holds` on single states, or, for a property of steps, `on_step` for each instance by number.

    For a property of steps, `holds` is the condition on two arbitrary states; the leaves of the second one are numbered
    after those of the first.

    A step condition that follows from the instance's guard is the constant true, and one that contradicts it false.
    """

    member: Member
    holds: Expression
    on_step: dict[int, Expression]
    failures: tuple[Failure, ...]
    step_failures: dict[int, tuple[Failure, ...]]

    @property
    def of_steps(self) -> bool:
        """Whether the property is evaluated on steps."""
        return is_step_property(self.member)


@dataclass(frozen=True)
class Model:
    """A compiled protocol. `instances` leaves out those that no typed state enables; they are `impossible`.

    `ends` are where a run may end, as the goals of liveness properties.
    """

    protocol: Protocol
    graph: Graph
    layout: Layout
    instances: tuple[CompiledInstance, ...]
    properties: tuple[CompiledProperty, ...]
    constraint: Expression
    constraint_failures: tuple[Failure, ...]
    impossible: tuple[CompiledInstance, ...] = ()
    promises: tuple[CompiledLiveness, ...] = ()
    ends: tuple[CompiledLiveness, ...] = ()

    def without_lemmas(self) -> Model:
        """The same without its lemmas, of which a proof may have more than machine code evaluates together."""
        return replace(self, properties=tuple(one for one in self.properties if one.member.mark.kind != "lemma"))

    @property
    def within(self) -> Expression:
        """That a state is within the constraint, and that this can be evaluated."""
        failing = [self.graph.not_(failure.condition) for failure in self.constraint_failures]
        return self.graph.all_of([self.constraint, *failing])

    @property
    def promised(self) -> tuple[CompiledLiveness, ...]:
        """The liveness properties that are not optional."""
        return tuple(one for one in self.promises if not one.member.mark.optional)


# -- stored model -----------------------------------------------------------------------------------------------------
# A model as plain data, so that a protocol that was compiled before need not be compiled again. The whole graph is
# kept, node by node in the order in which they were made: what is made of it later gets the same numbers as if the
# protocol had just been compiled, and so becomes the same text to the byte. Of the protocol nothing is kept but names
# and numbers. The data is nested lists of numbers and texts.

OPERATORS = tuple(Op)
SORTS: tuple[Sort, ...] = ("bool", "int", "set")


@dataclass(frozen=True)
class GraphSize:
    """How much of a graph there was at a time: its nodes, and the negations that were known. Both only grow."""

    nodes: int
    negations: int

    @classmethod
    def of(cls, graph: Graph) -> GraphSize:
        """How much there is now."""
        return cls(len(graph.table), len(graph.negations))


def stored_model(model: Model, size: GraphSize) -> dict[str, Any]:
    """A model as plain data, with its graph as it was when it had this size."""
    writer = _Writer()
    nodes = model.graph.table.nodes()[: size.nodes]
    return {
        "nodes": [writer.node(node) for node in nodes],
        "negations": [[number, one.id] for number, one in islice(model.graph.negations.items(), size.negations)],
        "instances": [writer.instance(one) for one in model.instances],
        "impossible": [writer.instance(one) for one in model.impossible],
        "properties": [writer.property(one) for one in model.properties],
        "constraint": [model.constraint.id, writer.failures(model.constraint_failures)],
        "promises": [writer.promise(model.protocol, one) for one in model.promises],
        "ends": [writer.promise(model.protocol, one) for one in model.ends],
        "line": writer.line(model.graph.table.where),
        "lines": writer.told(),
    }


def restored_model(data: dict[str, Any], protocol: Protocol) -> Model:
    """The model that was kept of this very protocol within these bounds."""
    reader = _Reader(data, protocol)
    constraint, failures = data["constraint"]
    return Model(
        protocol=protocol,
        graph=reader.graph,
        layout=lay_out(protocol.leaves),
        instances=tuple(map(reader.instance, data["instances"])),
        properties=tuple(map(reader.property, data["properties"])),
        constraint=reader.nodes[constraint],
        constraint_failures=reader.failures(failures),
        impossible=tuple(map(reader.instance, data["impossible"])),
        promises=tuple(map(reader.promise, data["promises"])),
        ends=tuple(map(reader.promise, data["ends"])),
    )


class _Writer:
    """Makes plain data of the parts of a model; each line of the specification is told once."""

    def __init__(self) -> None:
        self._lines: dict[SourceLine, int] = {}

    def told(self) -> list[list[Any]]:
        """The lines, by their numbers."""
        return [[line.file, line.line, line.function] for line in self._lines]

    def line(self, where: SourceLine | None) -> int:
        """The number of a line; -1 for none."""
        return -1 if where is None else self._lines.setdefault(where, len(self._lines))

    def node(self, node: Expression) -> list[int]:
        """A node, its arguments by number."""
        fixed = [OPERATORS.index(node.op), SORTS.index(node.sort), node.value, node.low, node.high]
        return [*fixed, self.line(node.where), *(arg.id for arg in node.args)]

    def failures(self, failures: Sequence[Failure]) -> list[list[Any]]:
        """Ways to fail."""
        return [[one.condition.id, one.message, self.line(one.where)] for one in failures]

    def instance(self, one: CompiledInstance) -> list[Any]:
        """An action instance, by its number."""
        return [
            one.instance.number,
            [[guard.condition.id, self.line(guard.where)] for guard in one.guards],
            [[leaf, value.id] for leaf, value in one.updates.items()],
            self.failures(one.failures),
            one.enabled.id,
            -1 if one.stopped is None else one.stopped.id,
        ]

    def property(self, one: CompiledProperty) -> list[Any]:
        """A property, by its name."""
        return [
            one.member.name,
            one.holds.id,
            [[number, value.id] for number, value in one.on_step.items()],
            self.failures(one.failures),
            [[number, self.failures(failures)] for number, failures in one.step_failures.items()],
        ]

    def promise(self, protocol: Protocol, one: CompiledLiveness) -> list[Any]:
        """A liveness property by its name, with the places of its arguments in their domains."""
        parameters = protocol.parameters(one.member.function)
        places = [p.domain.index(value) for p, value in zip(parameters, one.arguments, strict=True)]
        return [one.member.name, places, one.premise.id, one.goal.id, self.failures(one.failures)]


class _Reader:
    """Makes the parts of a model of plain data."""

    def __init__(self, data: dict[str, Any], protocol: Protocol) -> None:
        self.protocol = protocol
        self.graph = Graph()
        self.lines = [*(SourceLine(*line) for line in data["lines"]), None]  # -1 is none
        self.nodes: list[Expression] = []
        nodes, put = self.nodes, self.graph.table.put
        for op, sort, value, low, high, line, *args in data["nodes"]:
            operands = tuple([nodes[arg] for arg in args])
            nodes.append(put(OPERATORS[op], operands, SORTS[sort], low, high, value, self.lines[line]))
        self.graph.negations.update((number, nodes[of]) for number, of in data["negations"])
        self.graph.table.where = self.lines[data["line"]]
        found = [*all_properties(protocol, lemmas=True), *protocol.members("leads_to"), *protocol.members("ends")]
        self._members: dict[str, Member] = {member.name: member for member in found}
        self._domains: dict[str, list[list[Any]]] = {}

    def failures(self, failures: Iterable[Sequence[Any]]) -> tuple[Failure, ...]:
        """Ways to fail."""
        return tuple(Failure(self.nodes[at], message, self.lines[line]) for at, message, line in failures)

    def instance(self, data: Sequence[Any]) -> CompiledInstance:
        """An action instance."""
        number, guards, updates, failures, enabled, stopped = data
        return CompiledInstance(
            self.protocol.instances[number],
            tuple(Guard(self.nodes[at], self.lines[line]) for at, line in guards),
            {leaf: self.nodes[at] for leaf, at in updates},
            self.failures(failures),
            self.nodes[enabled],
            None if stopped < 0 else self.nodes[stopped],
        )

    def property(self, data: Sequence[Any]) -> CompiledProperty:
        """A property."""
        name, holds, on_step, failures, step_failures = data
        return CompiledProperty(
            self._members[name],
            self.nodes[holds],
            {number: self.nodes[at] for number, at in on_step},
            self.failures(failures),
            {number: self.failures(ones) for number, ones in step_failures},
        )

    def promise(self, data: Sequence[Any]) -> CompiledLiveness:
        """A liveness property with one choice of its parameters."""
        name, places, premise, goal, failures = data
        member = self._members[name]
        if name not in self._domains:
            parameters = self.protocol.parameters(member.function)
            self._domains[name] = [list(parameter.domain.values()) for parameter in parameters]
        arguments = tuple(values[at] for values, at in zip(self._domains[name], places, strict=True))
        return CompiledLiveness(member, arguments, self.nodes[premise], self.nodes[goal], self.failures(failures))


# -- shape ------------------------------------------------------------------------------------------------------------
# Whether two protocols have the same states: the same variables, each with the same leaves over the same values.


@dataclass(frozen=True)
class StateShape:
    """The states of a protocol as plain data, so that those of another version can be told from them.

    `variables` are names, and whether each is history. A leaf is its path, its domain in words, and what tells its
    values apart, code by code.
    """

    variables: tuple[tuple[str, bool], ...]
    leaves: tuple[tuple[str, str, tuple[str, ...]], ...]


def shape_of(protocol: Protocol) -> StateShape:
    """The shape of a protocol's states."""
    return StateShape(
        tuple((name, variable.ghost) for name, variable in protocol.variables.items()),
        tuple((leaf.path, str(leaf.domain), _values(leaf.domain)) for leaf in protocol.leaves),
    )


def first_difference(a: StateShape, b: StateShape) -> str:
    """The first thing in which two shapes differ, in words; "" if they are the same."""
    return next(_differences(a, b), "")


def refuse_other_shape(a: Protocol, b: Protocol, name: str) -> None:
    """Raise LanguageError, naming the first difference, unless the states of `b` (called `name`) are those of `a`."""
    found = first_difference(shape_of(a), shape_of(b))
    if found:
        raise LanguageError(
            f"the states of {a.name} and of {name} differ: {found}",
            advice="Both need the same variables, in the same order and at the same bounds.",
        )


def _differences(a: StateShape, b: StateShape) -> Iterator[str]:
    for ours, theirs in zip_longest(a.variables, b.variables, fillvalue=("", False)):
        if ours[0] != theirs[0]:
            yield _only(ours[0], theirs[0])
            return
        if ours[1] != theirs[1]:
            yield f"{ours[0]} is history in one of them only"
    for leaf, other in zip_longest(a.leaves, b.leaves, fillvalue=("", "", ())):
        if leaf[0] != other[0]:
            yield _only(leaf[0], other[0])
            return
        if leaf[2] != other[2]:
            yield f"{leaf[0]} is of {leaf[1]} in the first and of {other[1]} in the second"


def _only(first: str, second: str) -> str:
    return f"the first has {first or 'no more'} where the second has {second or 'no more'}"


def _values(domain: Domain) -> tuple[str, ...]:
    """What tells the values of two scalar domains apart, code by code."""
    if isinstance(domain, EnumDomain):
        return tuple(member.name for member in domain.values())
    if isinstance(domain, OptionalScalar | SetDomain):
        return type(domain).__name__, *_values(domain.element)
    return type(domain).__name__, str(domain)


# -- rebase -----------------------------------------------------------------------------------------------------------
# Copying expressions from one graph into another: two protocols with the same states are compared in one graph.


class Rebase:
    """Copies of expressions in another graph, made with its own methods. Leaves keep their numbers.

    What is there already is found and not made again, so expressions of one meaning and form become one node.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._made: dict[int, Expression] = {}

    def __call__(self, root: Expression) -> Expression:
        """The expression in the new graph. All roots must be of one graph."""
        table = self.graph.table
        before = table.where
        for node in reachable_nodes([root], self._made):
            table.where = node.where
            self._made[node.id] = COPY[node.op](self.graph, node, [self._made[arg.id] for arg in node.args])
        table.where = before
        return self._made[root.id]


def _constant(graph: Graph, node: Expression) -> Expression:
    if node.sort == "bool":
        return graph.boolean(bool(node.value))
    return graph.integer(node.value) if node.sort == "int" else graph.mask(node.value)


# `eq` moves an addend to its first argument: the argument that has it must come first, or it would change sides
COPY: dict[Op, Callable[[Graph, Expression, list[Expression]], Expression]] = {
    Op.CONST: lambda g, n, args: _constant(g, n),
    Op.FIELD: lambda g, n, args: g.field(n.value, n.sort, n.high),
    Op.OFFSET: lambda g, n, args: g.offset(args[0], n.value),
    Op.ADD: lambda g, n, args: g.add(*args),
    Op.SUB: lambda g, n, args: g.sub(*args),
    Op.MUL: lambda g, n, args: g.mul(*args),
    Op.FLOORDIV: lambda g, n, args: g.floordiv(args[0], args[1].value),
    Op.MOD: lambda g, n, args: g.mod(args[0], args[1].value),
    Op.MIN: lambda g, n, args: g.min(*args),
    Op.MAX: lambda g, n, args: g.max(*args),
    Op.EQ: lambda g, n, args: g.eq(*sorted(args, key=lambda arg: arg.op is not Op.OFFSET)),
    Op.LT: lambda g, n, args: g.lt(*args),
    Op.NOT: lambda g, n, args: g.not_(args[0]),
    Op.AND: lambda g, n, args: g.all_of(args),
    Op.OR: lambda g, n, args: g.any_of(args),
    Op.ITE: lambda g, n, args: g.ite(*args),
    Op.MEMBER: lambda g, n, args: g.member(*args),
    Op.SINGLETON: lambda g, n, args: g.singleton(args[0]),
    Op.UNION: lambda g, n, args: g.union(*args),
    Op.INTERSECTION: lambda g, n, args: g.intersection(*args),
    Op.DIFFERENCE: lambda g, n, args: g.difference(*args),
    Op.CARDINALITY: lambda g, n, args: g.cardinality(args[0]),
    Op.BITS: lambda g, n, args: g.bits(args[0]),
}
