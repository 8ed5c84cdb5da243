"""Expressions as plain data: what another process, another machine or a file can hold without the protocol.

The form is canonical: two graphs that say the same with their nodes made in another order give the same rows and the
same digest. Commutative operators have their arguments in the order of their digests, and rows stand in the order in
which they are first needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..ir.expression import Expression, Op, Sort, reachable_nodes

COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.EQ, Op.AND, Op.OR, Op.UNION, Op.INTERSECTION})


class Row(NamedTuple):
    """A node: the arguments are the numbers of earlier rows, the rest is as in `Expression`."""

    op: str
    args: tuple[int, ...]
    value: int
    sort: Sort
    low: int
    high: int


class Writer:
    """Turns the expressions of one graph into rows. Digests of nodes are kept, so that many writers can share them."""

    def __init__(self, digests: dict[int, bytes] | None = None) -> None:
        self.rows: list[Row] = []
        self._digests: dict[int, bytes] = {} if digests is None else digests
        self._numbers: dict[int, int] = {}

    def digest(self, root: Expression) -> bytes:
        """The digest of an expression: of what it says, whatever the numbers of its nodes."""
        if root.id not in self._digests:
            for node in reachable_nodes([root]):
                if node.id not in self._digests:
                    args = [self._digests[arg.id] for arg in node.args]
                    if node.op in COMMUTATIVE:
                        args.sort()
                    head = f"{node.op.value} {node.value} {node.sort} {node.low} {node.high} ".encode()
                    self._digests[node.id] = hashlib.blake2b(head + b"".join(args), digest_size=16).digest()
        return self._digests[root.id]

    def __call__(self, root: Expression) -> int:
        """The number of the row of an expression, which is written if it is not there yet."""
        self.digest(root)
        stack = [root]
        while stack:
            node = stack[-1]
            if node.id in self._numbers:
                stack.pop()
                continue
            args = self._ordered(node)
            missing = [arg for arg in args if arg.id not in self._numbers]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            self._numbers[node.id] = len(self.rows)
            numbers = tuple(self._numbers[arg.id] for arg in args)
            self.rows.append(Row(node.op.value, numbers, node.value, node.sort, node.low, node.high))
        return self._numbers[root.id]

    def all(self, roots: Iterable[Expression]) -> tuple[int, ...]:
        """The numbers of several expressions."""
        return tuple(self(root) for root in roots)

    def _ordered(self, node: Expression) -> Sequence[Expression]:
        if node.op in COMMUTATIVE:
            return sorted(node.args, key=lambda arg: self._digests[arg.id])
        return node.args


def expressions(rows: Sequence[Row], first_id: int = 0) -> list[Expression]:
    """The nodes that the rows stand for, with ids from `first_id`. They belong to no graph and are not simplified."""
    made: list[Expression] = []
    for number, row in enumerate(rows, start=first_id):
        args = tuple(made[arg] for arg in row.args)
        made.append(Expression(number, Op(row.op), args, row.value, row.sort, row.low, row.high, None))
    return made
