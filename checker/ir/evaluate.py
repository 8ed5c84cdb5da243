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
        self._roots = [root.id for root in roots]
        self._nodes = [(node.id, node, [arg.id for arg in node.args]) for node in reachable_nodes(roots)]

    def __call__(self, codes: Sequence[int], values: dict[int, int] | None = None) -> list[int]:
        """The values of the expressions in a state; `values` are those of nodes that others have found in it."""
        known = {} if values is None else values
        for id, node, args in self._nodes:
            if id in known:
                continue
            if node.op is Op.FIELD:
                known[id] = codes[node.value]
            elif node.op is Op.CONST:
                known[id] = node.value
            else:
                known[id] = MEANING[node.op](node, *[known[arg] for arg in args])
        return [known[root] for root in self._roots]
