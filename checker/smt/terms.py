"""The expression graph as Z3 terms, in bit-vectors wide enough that nothing wraps.

An integer is a signed bit-vector of the width that its node's range needs, a truth value a Bool, a set a bit-vector
with one bit a position. The leaves of a state are variables of exactly the bits of their fields. `TERM` has one row for
each operator; a test enumerates them and compares each with its meaning in `checker.ir.expression`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import z3

from epochal.spec.language import Protocol
from epochal.spec.language.domains import BooleanDomain

from ..ir.expression import Expression, Op, reachable_nodes
from ..ir.graph import Graph
from ..ir.layout import canonical
from ..trace.run import Codes
from .context import new_context

Term = Any
"""A Z3 expression: a `BoolRef` for a truth value, a `BitVecRef` for an integer or a set."""


def signed_bits(low: int, high: int) -> int:
    """How many bits a signed bit-vector needs to hold every integer from `low` to `high`."""
    return max((low if low >= 0 else ~low).bit_length(), (high if high >= 0 else ~high).bit_length()) + 1


def width_of(node: Expression) -> int:
    """The width of the bit-vector that stands for an integer or a set."""
    return signed_bits(node.low, node.high) if node.sort == "int" else max(node.high.bit_length(), 1)


class LeafShape(NamedTuple):
    """A leaf of a state as a solver sees it: its path, whether it is a truth value, and how many codes it has."""

    path: str
    boolean: bool
    size: int


def leaf_shapes(protocol: Protocol) -> tuple[LeafShape, ...]:
    """The leaves of a protocol, without the protocol."""
    return tuple(
        LeafShape(leaf.path, isinstance(leaf.domain, BooleanDomain), leaf.domain.size) for leaf in protocol.leaves
    )


class Terms:
    """The terms of one graph over the leaves of one protocol, each made once, in a Z3 context of their own.

    A context of its own makes the answers, and with them the counterexamples, independent of what was solved before.
    """

    def __init__(self, leaves: Protocol | Sequence[LeafShape]) -> None:
        self.context = new_context()
        shapes = leaf_shapes(leaves) if isinstance(leaves, Protocol) else leaves
        self.leaves: tuple[Term, ...] = tuple(self._variable(shape) for shape in shapes)
        self.sizes = tuple(shape.size for shape in shapes)
        self.true: Term = z3.BoolVal(True, self.context)
        self._made: dict[int, Term] = {}

    def _variable(self, shape: LeafShape) -> Term:
        if shape.boolean:
            return z3.Bool(shape.path, self.context)
        return z3.BitVec(shape.path, max((shape.size - 1).bit_length(), 1), self.context)

    # -- making terms ---------------------------------------------------------------------------------------------

    def __call__(self, root: Expression) -> Term:
        """The term of an expression."""
        for node in reachable_nodes([root], self._made):
            self._made[node.id] = TERM[node.op](self, node)
        return self._made[root.id]

    def made(self, node: Expression) -> Term:
        """The term of an argument, which is there already."""
        return self._made[node.id]

    def number(self, value: int, width: int) -> Term:
        """A constant bit-vector."""
        return z3.BitVecVal(value, width, self.context)

    def at_width(self, node: Expression, width: int) -> Term:
        """An integer or a set at another width; a narrower one keeps the low bits.

        Of an integer that is exact modulo the width, of a set positions beyond it are dropped.
        """
        if node.is_const:
            return self.number(node.value, width)
        term = self.made(node)
        if width > term.size():
            return (z3.SignExt if node.sort == "int" else z3.ZeroExt)(width - term.size(), term)
        return term if width == term.size() else z3.Extract(width - 1, 0, term)

    # -- states ---------------------------------------------------------------------------------------------------

    def in_domain(self) -> list[Term]:
        """That the code of every leaf is one of its domain; most widths leave nothing to say."""
        return [
            z3.ULT(leaf, self.number(size, leaf.size()))
            for leaf, size in zip(self.leaves, self.sizes, strict=True)
            if not z3.is_bool(leaf) and size < 1 << leaf.size()
        ]

    def stored(self, leaf: int, value: Expression) -> Term:
        """A new value of a leaf, of the leaf's own sort. It must lie in the leaf's domain."""
        variable = self.leaves[leaf]
        self(value)
        return self.made(value) if z3.is_bool(variable) else self.at_width(value, variable.size())

    def codes(self, model: z3.ModelRef, leaves: Sequence[Term] | None = None) -> Codes:
        """The state that a Z3 model stands for, or its copy in these leaves; a leaf that does not matter has code 0."""
        found = []
        for leaf in leaves or self.leaves:
            value = model.eval(leaf, model_completion=True)
            found.append(int(z3.is_true(value)) if z3.is_bool(leaf) else value.as_long())
        return tuple(found)

    def is_state(self, codes: Sequence[int]) -> list[Term]:
        """That the leaves have these codes."""
        return [
            (leaf if code else z3.Not(leaf)) if z3.is_bool(leaf) else leaf == self.number(code, leaf.size())
            for leaf, code in zip(self.leaves, codes, strict=True)
        ]


def _field(terms: Terms, node: Expression) -> Term:
    leaf = terms.leaves[node.value]
    return z3.ZeroExt(1, leaf) if node.sort == "int" else leaf


def _const(terms: Terms, node: Expression) -> Term:
    if node.sort == "bool":
        return z3.BoolVal(bool(node.value), terms.context)
    return terms.number(node.value, width_of(node))


def _of_two(apply: Callable[[Term, Term], Term]) -> Callable[[Terms, Expression], Term]:
    """A row for an operation on two integers or two sets, at the width of the result: there it is exact."""

    def row(terms: Terms, node: Expression) -> Term:
        a, b = node.args
        width = width_of(node)
        return apply(terms.at_width(a, width), terms.at_width(b, width))

    return row


def _comparable(terms: Terms, a: Expression, b: Expression) -> tuple[Term, Term]:
    """Both arguments at the width of the wider one."""
    width = max(width_of(a), width_of(b))
    return terms.at_width(a, width), terms.at_width(b, width)


def _extreme(pick: Callable[[Term, Term], Term]) -> Callable[[Terms, Expression], Term]:
    def row(terms: Terms, node: Expression) -> Term:
        a, b = _comparable(terms, *node.args)
        chosen, width = z3.If(pick(a, b), a, b), width_of(node)
        return chosen if width == chosen.size() else z3.Extract(width - 1, 0, chosen)

    return row


def _eq(terms: Terms, node: Expression) -> Term:
    a, b = node.args
    if a.sort == "bool":
        return terms.made(a) == terms.made(b)
    left, right = _comparable(terms, a, b)
    return left == right


def _lt(terms: Terms, node: Expression) -> Term:
    left, right = _comparable(terms, *node.args)
    return left < right


def _divided(terms: Terms, node: Expression) -> tuple[Term, Term, int]:
    """The dividend moved up by a multiple of the divisor until it cannot be negative, the divisor, and how often."""
    a, by = node.args[0], node.args[1].value
    times = max(-(a.low // by), 0)
    width = max(signed_bits(0, max(a.high, 0) + times * by), signed_bits(a.low, by))
    return terms.at_width(a, width) + terms.number(times * by, width), terms.number(by, width), times


def _floordiv(terms: Terms, node: Expression) -> Term:
    moved, by, times = _divided(terms, node)
    quotient = z3.UDiv(moved, by) - terms.number(times, by.size())
    return z3.Extract(width_of(node) - 1, 0, quotient)


def _mod(terms: Terms, node: Expression) -> Term:
    moved, by, _ = _divided(terms, node)
    return z3.Extract(width_of(node) - 1, 0, z3.URem(moved, by))


def _ite(terms: Terms, node: Expression) -> Term:
    condition, then, orelse = node.args
    if node.sort == "bool":
        return z3.If(terms.made(condition), terms.made(then), terms.made(orelse))
    width = width_of(node)
    return z3.If(terms.made(condition), terms.at_width(then, width), terms.at_width(orelse, width))


def _member(terms: Terms, node: Expression) -> Term:
    members, position = terms.made(node.args[0]), node.args[1].value
    if position >= members.size():
        return z3.BoolVal(False, terms.context)
    return z3.Extract(position, position, members) == terms.number(1, 1)


def _singleton(terms: Terms, node: Expression) -> Term:
    position, width = node.args[0], width_of(node)
    wide = max(width, width_of(position))
    shifted = terms.number(1, wide) << terms.at_width(position, wide)
    return shifted if wide == width else z3.Extract(width - 1, 0, shifted)


def _cardinality(terms: Terms, node: Expression) -> Term:
    members, width = terms.made(node.args[0]), width_of(node)
    total = terms.number(0, width)
    for position in range(members.size()):
        bit = z3.Extract(position, position, members)
        total = total + (z3.ZeroExt(width - 1, bit) if width > 1 else bit)
    return total


TERM: dict[Op, Callable[[Terms, Expression], Term]] = {
    Op.CONST: _const,
    Op.FIELD: _field,
    Op.OFFSET: lambda t, n: t.at_width(n.args[0], width_of(n)) + t.number(n.value, width_of(n)),
    Op.ADD: _of_two(lambda a, b: a + b),
    Op.SUB: _of_two(lambda a, b: a - b),
    Op.MUL: _of_two(lambda a, b: a * b),
    Op.FLOORDIV: _floordiv,
    Op.MOD: _mod,
    Op.MIN: _extreme(lambda a, b: a <= b),
    Op.MAX: _extreme(lambda a, b: a >= b),
    Op.EQ: _eq,
    Op.LT: _lt,
    Op.NOT: lambda t, n: z3.Not(t.made(n.args[0])),
    Op.AND: lambda t, n: z3.And([t.made(a) for a in n.args]),
    Op.OR: lambda t, n: z3.Or([t.made(a) for a in n.args]),
    Op.ITE: _ite,
    Op.MEMBER: _member,
    Op.SINGLETON: _singleton,
    Op.UNION: _of_two(lambda a, b: a | b),
    Op.INTERSECTION: _of_two(lambda a, b: a & b),
    Op.DIFFERENCE: _of_two(lambda a, b: a & ~b),
    Op.CARDINALITY: _cardinality,
    Op.BITS: lambda t, n: t.at_width(n.args[0], width_of(n)),
}


# -- equivalence ------------------------------------------------------------------------------------------------------
# Deciding with Z3 whether two expressions agree in every state, where their nodes are not the same.


RLIMIT = 20_000_000
"""Z3's measure of work for one question, some seconds: the same answer on every machine."""


class Z3Decider:
    """Questions about all typed states of a protocol in canonical form, reachable or not."""

    def __init__(self, graph: Graph, protocol: Protocol, leaves: Sequence[Expression]) -> None:
        self._graph = graph
        self._terms = Terms(protocol)
        self._solver = z3.Solver(ctx=self._terms.context)
        self._solver.set("rlimit", RLIMIT)
        self._solver.add(*self._terms.in_domain(), *map(self._terms, canonical(graph, protocol, leaves)))

    def agree(self, a: Expression, b: Expression, where: Expression) -> bool:
        """Whether two expressions have the same value in every state where a condition holds; False if unknown."""
        if a.sort == "bool":
            differ = z3.Xor(self._terms(a), self._terms(b))
        else:
            differ = z3.Not(self._terms(self._graph.eq(a, b)))
        self._solver.push()
        self._solver.add(self._terms(where), differ)
        answer = self._solver.check()
        self._solver.pop()
        return bool(answer == z3.unsat)
