"""What is asked of the solver, as plain data: the premises that all questions of a proof share, and the questions.

A question is about one action instance, or about one property that the lemmas should imply. Its obligations are asked
one after the other in one solver, so its answers depend on nothing but its content: that is what `key` digests, what
the cache is keyed by, and why any number of workers gives the same answers. `encoding` makes the questions; processes
that only answer them load neither it nor the compiler.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from ..ir.expression import Expression, Op, Sort, reachable_nodes
from ..smt.terms import LeafShape

# -- portable ---------------------------------------------------------------------------------------------------------
# Expressions as plain data: what another process, another machine or a file can hold without the protocol.
#
# The form is canonical: two graphs that say the same with their nodes made in another order give the same rows and the
# same digest. Commutative operators have their arguments in the order of their digests, and rows stand in the order in
# which they are first needed.

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


EncodedVerdict = Literal["proved", "counterexample", "unknown"]


@dataclass(frozen=True)
class Assumptions:
    """What a state may be taken to satisfy: `typed` conditions, the `constraint` on states that have steps, `lemmas`.

    `typed`, `constraint` and `lemmas` are numbers of rows.
    """

    leaves: tuple[LeafShape, ...]
    rows: tuple[Row, ...]
    typed: tuple[int, ...]
    constraint: int
    lemmas: tuple[int, ...]

    @cached_property
    def key(self) -> str:
        """A digest of the content."""
        return _digest(self.leaves, self.rows, self.typed, self.constraint, self.lemmas)


@dataclass(frozen=True)
class Query:
    """The obligations of one action instance, or (`enabled` is None) that the lemmas imply the `properties`.

    Other numbers are of rows of this question; `assumed` and `preserved` count the lemmas of the premises. `updates`
    are pairs of a leaf and its new value. `rlimit` is in Z3's resource units, for each obligation. With `least` the
    counterexamples are the least ones.
    """

    rows: tuple[Row, ...]
    assumed: tuple[int, ...]
    rlimit: int
    enabled: int | None = None
    updates: tuple[tuple[int, int], ...] = ()
    failures: tuple[int, ...] = ()
    stays_typed: tuple[int, ...] = ()
    preserved: tuple[int, ...] = ()
    properties: tuple[int, ...] = ()
    least: bool = True

    def key(self, premises: Assumptions) -> str:
        """A digest of the question: all that the answers depend on but the solver and the code that asks it."""
        return _digest(
            premises.key,
            self.rows,
            self.assumed,
            self.rlimit,
            self.enabled,
            self.updates,
            self.failures,
            self.stays_typed,
            self.preserved,
            self.properties,
            self.least,
        )


@dataclass(frozen=True)
class SolverResult:
    """The answer to one obligation of a question.

    `codes` is the state of a counterexample: of all of them the least, leaf by leaf in the order of the state, if that
    was asked for. `core` counts the lemmas that a proof used, `reason` says why there is no answer. `seconds` is
    processor time.
    """

    verdict: EncodedVerdict
    seconds: float
    codes: tuple[int, ...] | None = None
    reason: str = ""
    core: tuple[int, ...] = ()


def _digest(*content: object) -> str:
    return hashlib.blake2b(repr(content).encode(), digest_size=20).hexdigest()
