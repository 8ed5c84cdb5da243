"""Evaluating expressions on one state: the meaning of every operator, one line each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .expression import Expression, Op, reachable_nodes

MEANING: dict[Op, Callable[..., int]] = {
    Op.OFFSET: lambda node, a: a + node.value,
    Op.ADD: lambda node, a, b: a + b,
    Op.SUB: lambda node, a, b: a - b,
    Op.MUL: lambda node, a, b: a * b,
    Op.FLOORDIV: lambda node, a, b: a // b,
    Op.MOD: lambda node, a, b: a % b,
    Op.MIN: lambda node, a, b: min(a, b),
    Op.MAX: lambda node, a, b: max(a, b),
    Op.EQ: lambda node, a, b: int(a == b),
    Op.LT: lambda node, a, b: int(a < b),
    Op.NOT: lambda node, a: 1 - a,
    Op.AND: lambda node, *args: int(all(args)),
    Op.OR: lambda node, *args: int(any(args)),
    Op.ITE: lambda node, c, a, b: a if c else b,
    Op.MEMBER: lambda node, a, b: a >> b & 1,
    Op.SINGLETON: lambda node, a: 1 << a if a >= 0 else 0,
    Op.UNION: lambda node, a, b: a | b,
    Op.INTERSECTION: lambda node, a, b: a & b,
    Op.DIFFERENCE: lambda node, a, b: a & ~b,
    Op.CARDINALITY: lambda node, a: a.bit_count(),
    Op.BITS: lambda node, a: a,
}


def evaluate(roots: Sequence[Expression], codes: Sequence[int]) -> list[int]:
    """The values of expressions in the state with these leaf codes; truth values are 0 and 1, sets are masks."""
    return Evaluation(roots)(codes)


class Evaluation:
    """The same for many states: the order of the nodes is found once."""

    def __init__(self, roots: Sequence[Expression]) -> None:
        self._nodes, self._roots = list(reachable_nodes(roots)), roots

    def __call__(self, codes: Sequence[int]) -> list[int]:
        """The values of the expressions in a state."""
        values: dict[int, int] = {}
        for node in self._nodes:
            if node.op is Op.CONST:
                values[node.id] = node.value
            elif node.op is Op.FIELD:
                values[node.id] = codes[node.value]
            else:
                values[node.id] = MEANING[node.op](node, *[values[arg.id] for arg in node.args])
        return [values[root.id] for root in self._roots]
