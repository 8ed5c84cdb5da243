"""Expressions of the state before an exchange of two identifiers, as expressions of the state after it.

A stored identifier or set of identifiers is not rewritten at once: it stays an expression with a *relabelling*, the
codes or positions that the exchange moves. Comparisons, memberships and sizes absorb it (two relabelled values are
equal exactly if the values are), so that the rules of a symmetric specification come out as the very nodes that they
are for the renamed instance. What cannot absorb it gets the relabelling written out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from epochal.spec.language.domains import SetDomain

from ..ir.expression import Expression, Op, reachable_nodes
from ..ir.graph import Graph
from .names import Names, Naming, Relabelling, relabelling


@dataclass(frozen=True)
class Relabelled:
    """The value of an expression after a relabelling."""

    expression: Expression
    by: Relabelling


class Substitution:
    """One exchange of two identifiers, applied to expressions over the leaves of a state."""

    def __init__(self, graph: Graph, naming: Naming, names: Names, leaves: Sequence[Expression]) -> None:
        self.graph, self.naming, self.names = graph, naming, names
        self.relabellings = [relabelling(place.domain, names) for place in naming.places]
        self.targets = [naming.target(leaf, names) for leaf in range(len(leaves))]
        self._leaves = leaves
        self._made: dict[int, Relabelled] = {}
        g = graph
        self._rows: dict[Op, Callable[[Expression, list[Relabelled]], Relabelled]] = {
            Op.OFFSET: self._offset,
            Op.ADD: self._plain(lambda n, a, b: g.add(a, b)),
            Op.SUB: self._plain(lambda n, a, b: g.sub(a, b)),
            Op.MUL: self._plain(lambda n, a, b: g.mul(a, b)),
            Op.FLOORDIV: self._plain(lambda n, a, b: g.floordiv(a, n.args[1].value)),
            Op.MOD: self._plain(lambda n, a, b: g.mod(a, n.args[1].value)),
            Op.MIN: self._plain(lambda n, a, b: g.min(a, b)),
            Op.MAX: self._plain(lambda n, a, b: g.max(a, b)),
            Op.EQ: self._eq,
            Op.LT: self._plain(lambda n, a, b: g.lt(a, b)),
            Op.NOT: self._plain(lambda n, a: g.not_(a)),
            Op.AND: self._plain(lambda n, *args: g.all_of(args)),
            Op.OR: self._plain(lambda n, *args: g.any_of(args)),
            Op.ITE: self._ite,
            Op.MEMBER: self._member,
            Op.SINGLETON: self._singleton,
            Op.UNION: self._sets(g.union),
            Op.INTERSECTION: self._sets(g.intersection),
            Op.DIFFERENCE: self._sets(g.difference),
            Op.CARDINALITY: lambda n, args: Relabelled(g.cardinality(args[0].expression), {}),
            Op.BITS: self._plain(lambda n, a: g.bits(a)),
        }

    def __call__(self, root: Expression) -> Relabelled:
        """The value that an expression has in the state with the two identifiers exchanged."""
        for node in reachable_nodes([root]):
            if node.id not in self._made:
                if node.op is Op.CONST:
                    self._made[node.id] = Relabelled(node, {})
                elif node.op is Op.FIELD:
                    self._made[node.id] = self._field(node)
                else:
                    self._made[node.id] = self._rows[node.op](node, [self._made[arg.id] for arg in node.args])
        return self._made[root.id]

    def condition(self, root: Expression) -> Expression:
        """The same for a truth value."""
        return self.written(self(root))

    def written(self, value: Relabelled) -> Expression:
        """An expression with its relabelling written out."""
        graph, node = self.graph, value.expression
        if not value.by:
            return node
        if node.sort == "set":
            total = graph.difference(node, graph.mask(sum(1 << position for position in value.by)))
            for position, to in value.by.items():
                there = graph.member(node, graph.integer(position))
                total = graph.union(total, graph.ite(there, graph.mask(1 << to), graph.mask(0)))
            return total
        total = node
        for code, to in value.by.items():
            total = graph.ite(graph.eq(node, graph.integer(code)), graph.integer(to), total)
        return total

    def relabelled(self, value: Relabelled, by: Relabelling) -> Relabelled:
        """A value after one more relabelling."""
        if value.by == by:
            return Relabelled(value.expression, {})
        if not value.by:
            return Relabelled(value.expression, by) if not value.expression.is_const else self._constant(value, by)
        return Relabelled(self.written(value), by) if by else value

    def _constant(self, value: Relabelled, by: Relabelling) -> Relabelled:
        """A relabelled constant is another constant."""
        node = value.expression
        if node.sort == "set":
            bits = range(node.value.bit_length())
            mask = sum(1 << by.get(i, i) for i in bits if node.value >> i & 1)
            return Relabelled(self.graph.mask(mask), {})
        return Relabelled(self.graph.integer(by.get(node.value, node.value)), {})

    # -- leaves ---------------------------------------------------------------------------------------------------

    def _field(self, node: Expression) -> Relabelled:
        """A leaf has what belongs to its target: the exchange is its own inverse."""
        target = self.targets[node.value]
        leaf, by = self._leaves[target], self.relabellings[node.value]
        used = self.naming.places[target].used
        if used is None or by.get(0, 0) == 0 or isinstance(self.naming.places[target].domain, SetDomain):
            return Relabelled(leaf, by)
        return Relabelled(self._where_used(used, self._leaves, leaf, by), {})

    def _where_used(
        self, used: tuple[int, int], leaves: Sequence[Expression], value: Expression, by: Relabelling
    ) -> Expression:
        """A relabelled identifier if its slot is in use; one that is not stays 0."""
        graph, (leaf, least) = self.graph, used
        marker = leaves[leaf]
        in_use = marker if marker.sort == "bool" else graph.le(graph.integer(least), marker)
        return graph.ite(in_use, self.written(Relabelled(value, by)), value)

    def stored(self, leaf: int, updates: Mapping[int, Expression]) -> Relabelled:
        """What is to be found in the target of a leaf when the new values of an instance are exchanged."""

        def value(at: int) -> Relabelled:
            return self(updates.get(at, self._leaves[at]))

        by, used = self.relabellings[leaf], self.naming.places[leaf].used
        if used is None or by.get(0, 0) == 0 or isinstance(self.naming.places[leaf].domain, SetDomain):
            return self.relabelled(value(leaf), by)
        ends = {used[0]: self.written(value(used[0]))}
        leaves = [ends.get(at, old) for at, old in enumerate(self._leaves)]
        return Relabelled(self._where_used(used, leaves, self.written(value(leaf)), by), {})

    # -- operators ------------------------------------------------------------------------------------------------

    def _plain(self, make: Callable[..., Expression]) -> Callable[[Expression, list[Relabelled]], Relabelled]:
        """An operator that a relabelling does not commute with."""
        return lambda node, args: Relabelled(make(node, *map(self.written, args)), {})

    def _alike(self, a: Relabelled, b: Relabelled) -> tuple[Expression, Expression, Relabelling] | None:
        """Two values under one relabelling, if they have one in common; a constant has any."""
        if a.by == b.by:
            return a.expression, b.expression, a.by
        if a.expression.is_const:
            return self._constant(a, b.by).expression, b.expression, b.by
        if b.expression.is_const:
            return a.expression, self._constant(b, a.by).expression, a.by
        return None

    def _offset(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        by = {code + node.value: to + node.value for code, to in args[0].by.items()}
        return Relabelled(self.graph.offset(args[0].expression, node.value), by)

    def _eq(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        both = self._alike(*args)
        a, b = both[:2] if both else map(self.written, args)
        return Relabelled(self.graph.eq(a, b), {})

    def _ite(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        condition, both = args[0].expression, self._alike(args[1], args[2])
        a, b = both[:2] if both else map(self.written, args[1:])
        return Relabelled(self.graph.ite(condition, a, b), both[2] if both else {})

    def _member(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        position = node.args[1].value
        at = self.graph.integer(args[0].by.get(position, position))
        return Relabelled(self.graph.member(args[0].expression, at), {})

    def _singleton(self, node: Expression, args: list[Relabelled]) -> Relabelled:
        return Relabelled(self.graph.singleton(args[0].expression), args[0].by)

    def _sets(
        self, make: Callable[[Expression, Expression], Expression]
    ) -> Callable[[Expression, list[Relabelled]], Relabelled]:
        def row(node: Expression, args: list[Relabelled]) -> Relabelled:
            both = self._alike(*args)
            a, b = both[:2] if both else map(self.written, args)
            return Relabelled(make(a, b), both[2] if both else {})

        return row
