"""Copying expressions from one graph into another: two protocols with the same states are compared in one graph."""

from __future__ import annotations

from collections.abc import Callable

from .expression import Expression, Op, reachable_nodes
from .graph import Graph


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
