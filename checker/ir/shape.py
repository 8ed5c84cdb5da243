"""Whether two protocols have the same states: the same variables, each with the same leaves over the same values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from epochal.spec.language import LanguageError, Protocol
from epochal.spec.language.domains import Domain, EnumDomain, OptionalScalar, SetDomain

from .expression import Expression, Op, reachable_nodes
from .graph import Graph


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
        for node in reachable_nodes([root]):
            if node.id not in self._made:
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
