"""The expression graph: one immutable, hash-consed node type. Everything else is a walker over it.

Sorts: `bool`, `int` (mathematical integers) and `set` (a bit mask over a universe of at most 64 positions). Every node
knows its range: for integers the least and greatest value it can have, for booleans the same with 0 and 1, for sets the
masks of the members it must and may have. `Graph` makes nodes and simplifies while it does so.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Literal

from epochal.spec.language import LanguageError, SourceLine

LIMIT = 1 << 62
"""The greatest absolute value of an integer expression, so that 64-bit arithmetic never wraps."""

Sort = Literal["bool", "int", "set"]


class Op(enum.Enum):
    """The operators. A walker has one method or table row for each; a test enumerates them."""

    __hash__ = object.__hash__  # members are single objects, and are hashed for every node that is made

    CONST = "const"
    FIELD = "field"
    OFFSET = "offset"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    FLOORDIV = "floordiv"
    MOD = "mod"
    MIN = "min"
    MAX = "max"
    EQ = "eq"
    LT = "lt"
    NOT = "not"
    AND = "and"
    OR = "or"
    ITE = "ite"
    MEMBER = "member"
    SINGLETON = "singleton"
    UNION = "union"
    INTERSECTION = "intersection"
    DIFFERENCE = "difference"
    CARDINALITY = "cardinality"
    BITS = "bits"


class Expression:
    """A node. Two nodes of one graph are equal exactly if they are the same object.

    `is_const` tells whether the value is known. `value` is the constant of CONST, the leaf of FIELD and the addend of
    OFFSET, and 0 elsewhere. MEMBER has the set and a constant position as arguments; BITS is a set's bit mask as an
    integer. `where` is the line of the specification that first made the node. `leaves` has a bit for each leaf that it
    depends on. What intervals tell of the node in any typed state stands in `typed_range`, `typed_truth` and
    `typed_refuted`.
    """

    __slots__ = (
        *("args", "high", "id", "is_const", "leaves", "low", "op", "sort", "typed_range", "typed_refuted"),
        *("typed_truth", "value", "where"),
    )

    def __init__(
        self,
        id: int,
        op: Op,
        args: tuple[Expression, ...],
        value: int,
        sort: Sort,
        low: int,
        high: int,
        where: SourceLine | None,
    ) -> None:
        self.id = id
        self.op = op
        self.is_const = op is Op.CONST
        self.args = args
        self.value = value
        self.sort = sort
        self.low = low
        self.high = high
        self.where = where
        self.leaves = 1 << value if op is Op.FIELD else 0
        for arg in args:
            self.leaves |= arg.leaves
        self.typed_range: tuple[int, int] | None = None
        self.typed_truth: tuple[bool | None] | None = None
        self.typed_refuted: bool | None = None

    def __repr__(self) -> str:
        if self.op is Op.CONST:
            return str(bool(self.value)) if self.sort == "bool" else str(self.value)
        if self.op is Op.FIELD:
            return f"leaf{self.value}"
        if self.op is Op.OFFSET:
            return f"({self.args[0]!r} + {self.value})"
        return f"({self.op.value} {' '.join(map(repr, self.args))})"


def reachable_nodes(roots: Sequence[Expression], made: Container[int] = ()) -> Iterator[Expression]:
    """Every node below the roots, once, arguments before users.

    Nothing below a node whose id is in `made` is visited: a caller that keeps results by id has those of its arguments.
    """
    seen: set[int] = set()
    stack: list[tuple[Expression, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node.id not in seen and node.id not in made:
            seen.add(node.id)
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args))


def leaves_read(roots: Sequence[Expression]) -> frozenset[int]:
    """The leaves that the expressions depend on."""
    read = 0
    for root in roots:
        read |= root.leaves
    return frozenset(leaf for leaf in range(read.bit_length()) if read >> leaf & 1)


class NodeTable:
    """The hash-consing table: makes each node once. `where` is the line now being read."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[Op, tuple[Expression, ...], int, Sort], Expression] = {}
        self.where: SourceLine | None = None

    def __len__(self) -> int:
        return len(self._nodes)

    def make(self, op: Op, args: tuple[Expression, ...], sort: Sort, low: int, high: int, value: int = 0) -> Expression:
        """The node with this operator and these arguments. If its range is one value, that constant instead."""
        if sort == "int" and not (low >= -LIMIT and high <= LIMIT):
            raise LanguageError("a value can exceed 62 bits", self.where, "Use smaller domains, or less arithmetic.")
        if low == high and op is not Op.CONST:
            return self.make(Op.CONST, (), sort, low, low, low)
        return self.put(op, args, sort, low, high, value, self.where)

    def put(
        self,
        op: Op,
        args: tuple[Expression, ...],
        sort: Sort,
        low: int,
        high: int,
        value: int,
        where: SourceLine | None,
    ) -> Expression:
        """The node with this operator and these arguments, made as it is said here if there is none yet."""
        key = (op, args, value, sort)
        node = self._nodes.get(key)
        if node is None:
            node = Expression(len(self._nodes), op, args, value, sort, low, high, where)
            self._nodes[key] = node
        return node

    def nodes(self) -> list[Expression]:
        """Every node, in the order in which they were made: the place of each is its number."""
        return list(self._nodes.values())


# -- evaluate ---------------------------------------------------------------------------------------------------------
# Evaluating expressions on one state: the meaning of every operator, one line each.

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
