"""Interval analysis: can a conjunction be true at all?

Facts `a < b` and `a = b` among the members narrow the ranges of their sides; the narrowed ranges are carried upwards
through the graph until a member becomes false, or nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from .expression import Expression, Op

ROUNDS = 4

Range = tuple[int, int]

_ADD, _AND, _CONST, _EQ, _FIELD, _ITE = Op.ADD, Op.AND, Op.CONST, Op.EQ, Op.FIELD, Op.ITE
_LT, _MAX, _MIN, _NOT, _OFFSET, _OR, _SUB = Op.LT, Op.MAX, Op.MIN, Op.NOT, Op.OFFSET, Op.OR, Op.SUB
"""Looked up once: each is asked for a million times in a large protocol."""


class Contradiction(Exception):
    """The facts cannot all be true."""


class Ranges:
    """Ranges of integer expressions under a set of facts."""

    def __init__(self, facts: Sequence[Expression]) -> None:
        self.facts = list(facts)
        self.known: dict[int, Range] = {}
        self.changed = False
        self._narrowed = 0
        """The leaves of all nodes that were narrowed. Of what depends on no such leaf the facts say nothing."""
        self._ranges: dict[Expression, Range] = {}
        self._truths: dict[Expression, tuple[bool | None]] = {}

    def refuted(self) -> bool:
        """Whether the facts contradict each other, as far as intervals tell."""
        try:
            for _ in range(ROUNDS):
                self.changed = False
                for fact in self.facts:
                    self._assume(fact)
                if not self.changed:
                    return False
        except Contradiction:
            return True
        return False

    def range(self, node: Expression) -> Range:
        """The narrowed range of an integer expression. It is worked out once, until something is narrowed."""
        if not node.leaves & self._narrowed:
            typed = node.typed_range
            if typed is None:
                typed = node.typed_range = self._structure(node)
            return typed
        found = self._ranges.get(node)
        if found is not None:
            return found
        low, high = self._structure(node)
        known = self.known.get(node.id)
        if known is not None:
            low, high = max(low, known[0]), min(high, known[1])
        if low > high:
            raise Contradiction
        self._ranges[node] = low, high
        return low, high

    def _structure(self, node: Expression) -> Range:
        op = node.op
        if op is _FIELD or op is _CONST:
            return node.low, node.high
        if op is _OFFSET:
            low, high = self.range(node.args[0])
            return low + node.value, high + node.value
        if op is _ITE:
            condition = self.truth(node.args[0])
            if condition is not None:
                return self.range(node.args[1 if condition else 2])
            (a, b), (c, d) = self.range(node.args[1]), self.range(node.args[2])
            return min(a, c), max(b, d)
        if op is _ADD or op is _SUB or op is _MIN or op is _MAX:
            (a, b), (c, d) = self.range(node.args[0]), self.range(node.args[1])
            if op is _ADD:
                return a + c, b + d
            if op is _SUB:
                return a - d, b - c
            return (min(a, c), min(b, d)) if op is _MIN else (max(a, c), max(b, d))
        return node.low, node.high

    def truth(self, node: Expression) -> bool | None:
        """Whether a condition is known to be true or false under the facts. It is worked out once, likewise."""
        if node.leaves & self._narrowed:
            found = self._truths.get(node)
            if found is None:
                found = self._truths[node] = (self._truth(node),)
            return found[0]
        typed = node.typed_truth
        if typed is None:
            typed = node.typed_truth = (self._truth(node),)
        return typed[0]

    def _truth(self, node: Expression) -> bool | None:
        op = node.op
        if op is _AND or op is _OR:
            decisive = op is _OR
            found, unknown, narrowed, truths = False, False, self._narrowed, self._truths
            for arg in node.args:  # all of them: each may show that the facts contradict each other
                if arg.leaves & narrowed:  # what `truth` does, whose calls would take a third of the time
                    known = truths.get(arg)
                    if known is None:
                        known = truths[arg] = (self._truth(arg),)
                else:
                    known = arg.typed_truth
                    if known is None:
                        known = arg.typed_truth = (self._truth(arg),)
                value = known[0]
                if value is None:
                    unknown = True
                elif value is decisive:
                    found = True
            return decisive if found else None if unknown else not decisive
        if op is _NOT:
            inner = self.truth(node.args[0])
            return None if inner is None else not inner
        if op is _CONST:
            return bool(node.value)
        if (op is _EQ or op is _LT) and node.args[0].sort == "int":
            (a, b), (c, d) = self.range(node.args[0]), self.range(node.args[1])
            if op is _EQ:
                return False if b < c or d < a else (True if a == b == c == d else None)
            return True if b < c else (False if a >= d else None)
        return None

    def _assume(self, fact: Expression) -> None:
        known = self.truth(fact)
        if known is False:
            raise Contradiction
        if known is True and fact.op is not Op.AND:
            return
        if fact.op is Op.AND:
            for arg in fact.args:
                self._assume(arg)
        elif fact.op is Op.OR:
            possible = [arg for arg in fact.args if self.truth(arg) is not False]
            if len(possible) == 1:
                self._assume(possible[0])
        elif fact.op is Op.LT:
            self._less(fact.args[0], fact.args[1], 1)
        elif fact.op is Op.EQ and fact.args[0].sort == "int":
            a, b = self.range(fact.args[0]), self.range(fact.args[1])
            both = (max(a[0], b[0]), min(a[1], b[1]))
            self._narrow(fact.args[0], both)
            self._narrow(fact.args[1], both)
        elif fact.op is Op.NOT:
            inner = fact.args[0]
            if inner.op is Op.LT:
                self._less(inner.args[1], inner.args[0], 0)
            elif inner.op is Op.EQ and inner.args[1].is_const and inner.args[0].sort == "int":
                low, high = self.range(inner.args[0])
                gone = inner.args[1].value
                self._narrow(inner.args[0], (low + (low == gone), high - (high == gone)))

    def _less(self, a: Expression, b: Expression, gap: int) -> None:
        """Assume a + gap <= b."""
        (a_low, a_high), (b_low, b_high) = self.range(a), self.range(b)
        self._narrow(a, (a_low, min(a_high, b_high - gap)))
        self._narrow(b, (max(b_low, a_low + gap), b_high))

    def _narrow(self, node: Expression, to: Range) -> None:
        if to[0] > to[1]:
            raise Contradiction
        if node.op is Op.OFFSET:
            self._narrow(node.args[0], (to[0] - node.value, to[1] - node.value))
            return
        if to != self.range(node):
            self.known[node.id] = to
            self.changed = True
            self._narrowed |= node.leaves
            self._forget(node.leaves)

    def _forget(self, leaves: int) -> None:
        """Forget what was worked out of nodes that depend on these leaves: of others nothing has become known."""
        for found in (self._ranges, self._truths):
            for node in [node for node in found if node.leaves & leaves]:
                del found[node]


def refuted(conjunction: Expression) -> bool:
    """Whether the expression is false in every typed state, as far as intervals tell."""
    if conjunction.is_const:
        return not conjunction.value
    if conjunction.typed_refuted is None:
        facts = conjunction.args if conjunction.op is Op.AND else (conjunction,)
        conjunction.typed_refuted = Ranges(facts).refuted()
    return conjunction.typed_refuted
