"""Making and simplifying expressions: integers, comparisons, choices, sets and connectives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from .expression import Expression, NodeTable, Op, Sort

# -- ranges -----------------------------------------------------------------------------------------------------------
# Interval analysis: can a conjunction be true at all? Facts `a < b` and `a = b` among the members narrow the ranges of
# their sides; the narrowed ranges are carried upwards through the graph until a member becomes false, or nothing
# changes.

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


_by_id = attrgetter("id")


class Graph:
    """An expression graph under construction. Every method returns the simplest known node for what it is asked."""

    def __init__(self) -> None:
        self.table = table = NodeTable()
        self.false = table.make(Op.CONST, (), "bool", 0, 0, 0)
        self.true = table.make(Op.CONST, (), "bool", 1, 1, 1)
        self.negations: dict[int, Expression] = {}
        """What the negation of a node is, by its number, as far as somebody asked. It only grows."""
        self._combinations: dict[tuple[Op, tuple[Expression, ...]], Expression] = {}
        self._argument_ids: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        """The arguments of a combination and their negations, by its id: only once all the negations are made."""
        self._integers: dict[int, Expression] = {}
        self._members: dict[tuple[int, int], Expression] = {}

    # -- leaves ---------------------------------------------------------------------------------------------------

    def integer(self, value: int) -> Expression:
        """An integer constant."""
        found = self._integers.get(value)
        if found is None:
            found = self._integers[value] = self.table.make(Op.CONST, (), "int", value, value, value)
        return found

    def mask(self, value: int) -> Expression:
        """A constant set, by its bit mask."""
        return self.table.make(Op.CONST, (), "set", value, value, value)

    def field(self, leaf: int, sort: Sort, high: int) -> Expression:
        """The code of a leaf of the state, from 0 to `high` (for sets: the mask of the universe)."""
        return self.table.make(Op.FIELD, (), sort, 0, high, leaf)

    # -- integers -------------------------------------------------------------------------------------------------

    def offset(self, a: Expression, by: int) -> Expression:
        """a + by, for a constant `by`."""
        if a.op is Op.OFFSET:
            a, by = a.args[0], a.value + by
        if by == 0:
            return a
        if a.is_const:
            return self.integer(a.value + by)
        return self.table.make(Op.OFFSET, (a,), "int", a.low + by, a.high + by, by)

    def add(self, a: Expression, b: Expression) -> Expression:
        """a + b."""
        if a.is_const:
            return self.offset(b, a.value)
        if b.is_const:
            return self.offset(a, b.value)
        (a, left), (b, right) = _split(a), _split(b)
        first, second = (a, b) if a.id <= b.id else (b, a)
        total = self.table.make(Op.ADD, (first, second), "int", a.low + b.low, a.high + b.high)
        return self.offset(total, left + right)

    def sub(self, a: Expression, b: Expression) -> Expression:
        """a - b."""
        if b.is_const:
            return self.offset(a, -b.value)
        (a, left), (b, right) = _split(a), _split(b)
        if a is b:
            return self.integer(left - right)
        difference = self.table.make(Op.SUB, (a, b), "int", a.low - b.high, a.high - b.low)
        return self.offset(difference, left - right)

    def mul(self, a: Expression, b: Expression) -> Expression:
        """a * b."""
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        if b.is_const and b.value == 1:
            return a
        if a.is_const and a.value == 1:
            return b
        first, second = (a, b) if a.id <= b.id else (b, a)
        return self.table.make(Op.MUL, (first, second), "int", min(corners), max(corners))

    def floordiv(self, a: Expression, by: int) -> Expression:
        """a // by, rounded down, for a positive constant `by`."""
        if by == 1:
            return a
        return self.table.make(Op.FLOORDIV, (a, self.integer(by)), "int", a.low // by, a.high // by)

    def mod(self, a: Expression, by: int) -> Expression:
        """a % by, from 0 to by - 1, for a positive constant `by`."""
        if a.is_const:
            return self.integer(a.value % by)
        if a.low >= 0 and a.high < by:
            return a
        return self.table.make(Op.MOD, (a, self.integer(by)), "int", 0, by - 1)

    def min(self, a: Expression, b: Expression) -> Expression:
        """The lesser of two integers."""
        if a is b or a.high <= b.low:
            return a
        if b.high <= a.low:
            return b
        first, second = (a, b) if a.id <= b.id else (b, a)
        return self.table.make(Op.MIN, (first, second), "int", min(a.low, b.low), min(a.high, b.high))

    def max(self, a: Expression, b: Expression) -> Expression:
        """The greater of two integers."""
        if a is b or a.low >= b.high:
            return a
        if b.low >= a.high:
            return b
        first, second = (a, b) if a.id <= b.id else (b, a)
        return self.table.make(Op.MAX, (first, second), "int", max(a.low, b.low), max(a.high, b.high))

    # -- comparison -----------------------------------------------------------------------------------------------

    def eq(self, a: Expression, b: Expression) -> Expression:
        """Whether two integers, sets or booleans are equal."""
        if a.sort == "bool":
            return self.ite(a, b, self.not_(b))
        if a is b:
            return self.true
        if a.sort == "set":
            if a.low & ~b.high or b.low & ~a.high:
                return self.false
        else:
            (a, left), (b, right) = _split(a), _split(b)
            if b.is_const:
                b = self.integer(b.value + right - left)
            elif a.is_const:
                a = self.integer(a.value + left - right)
            elif a.id <= b.id:  # the same node, whichever side comes first
                a = self.offset(a, left - right)
            else:
                b = self.offset(b, right - left)
            if a is b:
                return self.true
            if a.high < b.low or b.high < a.low:
                return self.false
        for side, other in ((a, b), (b, a)):
            if side.op is Op.ITE and (side.args[1].is_const or side.args[2].is_const):
                condition, then, orelse = side.args
                return self.ite(condition, self.eq(then, other), self.eq(orelse, other))
            if side.op in (Op.MIN, Op.MAX) and other.is_const and other.value in (side.low, side.high):
                return self._eq_extreme(side, other)
        first, second = (b, a) if a.is_const or (not b.is_const and b.id < a.id) else (a, b)
        return self.table.make(Op.EQ, (first, second), "bool", 0, 1)

    def _eq_extreme(self, side: Expression, bound: Expression) -> Expression:
        """Whether a minimum or maximum has its least or greatest possible value."""
        least = bound.value == side.low
        if least:
            parts = [self.lt(arg, self.integer(bound.value + 1)) for arg in side.args]
        else:
            parts = [self.not_(self.lt(arg, bound)) for arg in side.args]
        return self.any_of(parts) if least == (side.op is Op.MIN) else self.all_of(parts)

    def lt(self, a: Expression, b: Expression) -> Expression:
        """Whether a < b."""
        (a, left), (b, right) = _split(a), _split(b)
        if b.is_const:
            b = self.integer(b.value + right - left)
        elif a.is_const:
            return self.not_(self.lt(b, self.integer(a.value + left - right + 1)))
        else:
            a = self.offset(a, left - right)
        if a.high < b.low:
            return self.true
        if a.low >= b.high:
            return self.false
        if _split(a)[0] is b:
            return self.boolean(_split(a)[1] < 0)
        if b.is_const and a.op in (Op.MIN, Op.MAX):
            parts = [self.lt(arg, b) for arg in a.args]
            return self.any_of(parts) if a.op is Op.MIN else self.all_of(parts)
        if b.is_const and b.value == a.low + 1:
            return self.eq(a, self.integer(a.low))
        if b.is_const and b.value == a.high:
            return self.not_(self.eq(a, b))
        for side, other in ((a, b), (b, a)):
            if side.op is Op.ITE and (side.args[1].is_const or side.args[2].is_const):
                condition, then, orelse = side.args
                if side is a:
                    return self.ite(condition, self.lt(then, other), self.lt(orelse, other))
                return self.ite(condition, self.lt(other, then), self.lt(other, orelse))
        return self.table.make(Op.LT, (a, b), "bool", 0, 1)

    def le(self, a: Expression, b: Expression) -> Expression:
        """Whether a <= b."""
        return self.not_(self.lt(b, a))

    # -- choice ---------------------------------------------------------------------------------------------------

    def ite(self, condition: Expression, then: Expression, orelse: Expression) -> Expression:
        """`then` where the condition is true, else `orelse`."""
        if condition.is_const:
            return then if condition.value else orelse
        if then is orelse:
            return then
        if then.sort == "bool":
            return self.or_(self.and_(condition, then), self.and_(self.not_(condition), orelse))
        if condition.op is Op.NOT:
            return self.ite(condition.args[0], orelse, then)
        if then.op is Op.ITE and then.args[0] is condition:
            then = then.args[1]
        if orelse.op is Op.ITE and orelse.args[0] is condition:
            orelse = orelse.args[2]
        if then is orelse:
            return then
        if then.sort == "set":
            low, high = then.low & orelse.low, then.high | orelse.high
        else:
            low, high = min(then.low, orelse.low), max(then.high, orelse.high)
        return self.table.make(Op.ITE, (condition, then, orelse), then.sort, low, high)

    def as_integer(self, condition: Expression) -> Expression:
        """1 where the condition is true, else 0."""
        return self.ite(condition, self.integer(1), self.integer(0))

    # -- sets -----------------------------------------------------------------------------------------------------

    def member(self, members: Expression, position: Expression) -> Expression:
        """Whether the set has a member at this position, which may lie outside the universe."""
        key = members.id, position.id
        found = self._members.get(key)
        if found is None:
            found = self._members[key] = self._member(members, position)
        return found

    def _member(self, members: Expression, position: Expression) -> Expression:
        if not position.is_const:
            possible = [p for p in range(max(position.low, 0), position.high + 1) if members.high >> p & 1]
            return self.any_of(
                [self.and_(self.eq(position, self.integer(p)), self.member(members, self.integer(p))) for p in possible]
            )
        bit = position.value
        if bit < 0:
            return self.false
        if not members.high >> bit & 1:
            return self.false
        if members.low >> bit & 1:
            return self.true
        if members.op is Op.UNION:
            return self.any_of([self.member(arg, position) for arg in members.args])
        if members.op is Op.INTERSECTION:
            return self.all_of([self.member(arg, position) for arg in members.args])
        if members.op is Op.DIFFERENCE:
            kept, gone = members.args
            return self.and_(self.member(kept, position), self.not_(self.member(gone, position)))
        if members.op is Op.SINGLETON:
            return self.eq(members.args[0], position)
        if members.op is Op.ITE:
            condition, then, orelse = members.args
            return self.ite(condition, self.member(then, position), self.member(orelse, position))
        return self.table.make(Op.MEMBER, (members, position), "bool", 0, 1)

    def singleton(self, position: Expression) -> Expression:
        """The set with one member, at this position; meaningless where the position is not from 0 to 63."""
        low, top = max(position.low, 0), min(position.high, 63)
        if position.is_const:
            return self.mask(1 << low)
        high = ((1 << (top + 1)) - 1) & ~((1 << low) - 1)
        return self.table.make(Op.SINGLETON, (position,), "set", 0, high)

    def union(self, a: Expression, b: Expression) -> Expression:
        """Members of either set."""
        if a is b or not b.high or (b.is_const and not b.high & ~a.low):
            return a
        if not a.high or (a.is_const and not a.high & ~b.low):
            return b
        first, second = (a, b) if a.id <= b.id else (b, a)
        return self.table.make(Op.UNION, (first, second), "set", a.low | b.low, a.high | b.high)

    def intersection(self, a: Expression, b: Expression) -> Expression:
        """Members of both sets."""
        if a is b or (b.is_const and not a.high & ~b.low):
            return a
        if a.is_const and not b.high & ~a.low:
            return b
        first, second = (a, b) if a.id <= b.id else (b, a)
        return self.table.make(Op.INTERSECTION, (first, second), "set", a.low & b.low, a.high & b.high)

    def difference(self, a: Expression, b: Expression) -> Expression:
        """Members of the first set that are not in the second."""
        if a is b:
            return self.mask(0)
        if not a.high & b.high:
            return a
        return self.table.make(Op.DIFFERENCE, (a, b), "set", a.low & ~b.high, a.high & ~b.low)

    def subset(self, a: Expression, b: Expression) -> Expression:
        """Whether every member of the first set is in the second."""
        return self.eq(self.difference(a, b), self.mask(0))

    def cardinality(self, members: Expression) -> Expression:
        """How many members the set has."""
        return self.table.make(Op.CARDINALITY, (members,), "int", members.low.bit_count(), members.high.bit_count())

    def bits(self, members: Expression) -> Expression:
        """The set's bit mask as an integer: the position of the set among all sets of its universe."""
        return self.table.make(Op.BITS, (members,), "int", members.low, members.high)

    # -- logic ----------------------------------------------------------------------------------------------------
    # In negation normal form: NOT stands only on atoms; AND and OR are flat and sorted.

    def boolean(self, value: bool) -> Expression:
        """A truth value."""
        return self.true if value else self.false

    def not_(self, a: Expression) -> Expression:
        """The negation, pushed down to the atoms."""
        found = self.negations.get(a.id)
        if found is None:
            if a.is_const:
                found = self.boolean(not a.value)
            elif a.op is Op.NOT:
                found = a.args[0]
            elif a.op is Op.AND:
                found = self.any_of([self.not_(arg) for arg in a.args])
            elif a.op is Op.OR:
                found = self.all_of([self.not_(arg) for arg in a.args])
            else:
                found = self.table.make(Op.NOT, (a,), "bool", 0, 1)
            self.negations[a.id] = found
            self.negations.setdefault(found.id, a)
        return found

    def and_(self, a: Expression, b: Expression) -> Expression:
        """Whether both hold."""
        return self.all_of((a, b))

    def or_(self, a: Expression, b: Expression) -> Expression:
        """Whether either holds."""
        return self.any_of((a, b))

    def implies(self, a: Expression, b: Expression) -> Expression:
        """Whether b holds where a does."""
        return self.or_(self.not_(a), b)

    def all_of(self, parts: Iterable[Expression]) -> Expression:
        """The conjunction. Members that follow from others are dropped, and known members cut down disjunctions."""
        return self._combined(tuple(parts), Op.AND, Op.OR, self.true, self.false)

    def any_of(self, parts: Iterable[Expression]) -> Expression:
        """The disjunction, simplified likewise."""
        return self._combined(tuple(parts), Op.OR, Op.AND, self.false, self.true)

    def _combined(
        self, parts: tuple[Expression, ...], op: Op, dual: Op, neutral: Expression, absorbing: Expression
    ) -> Expression:
        """The combination, which is worked out once: most are asked for again, as often as a condition is used."""
        key = op, parts
        found = self._combinations.get(key)
        if found is None:
            found = self._combinations[key] = self._combine(parts, op, dual, neutral, absorbing)
        return found

    def _combine(
        self, parts: Sequence[Expression], op: Op, dual: Op, neutral: Expression, absorbing: Expression
    ) -> Expression:
        members: dict[int, Expression] = {}
        there, negated, arguments = members.keys(), self.negations.get, self._argument_ids.get
        queue = list(parts)
        queue.reverse()
        while True:
            while queue:
                part = queue.pop()
                if part is neutral or part.id in members:
                    continue
                if part is absorbing or (negated(part.id) or self.not_(part)).id in members:
                    return absorbing
                if part.op is op:
                    queue.extend(reversed(part.args))
                else:
                    members[part.id] = part
            if len(members) < 2:
                break
            for member in members.values():
                if member.op is dual:
                    known = arguments(member.id)
                    if known is not None and there.isdisjoint(known[0]) and there.isdisjoint(known[1]):
                        continue  # none of its arguments is known, as is nearly always so
                    reduced = self._reduced(member, members, dual, op)
                    if reduced is not member:
                        del members[member.id]
                        queue.append(reduced)
                        break
            if not queue:
                break
        if not members:
            return neutral
        ordered = sorted(members.values(), key=_by_id)
        return ordered[0] if len(ordered) == 1 else self.table.make(op, tuple(ordered), "bool", 0, 1)

    def _reduced(self, member: Expression, members: dict[int, Expression], dual: Op, op: Op) -> Expression:
        """`member`, a dual combination, given that all other members have the value that matters.

        Inside a conjunction, a disjunction loses the disjuncts whose negation is a member, and is implied if one of its
        disjuncts is a member; a disjunction is treated in the same way with the roles exchanged.
        """
        kept, negations, negated = [], [], self.negations.get
        for arg in member.args:
            if arg.id in members:
                return self.true if op is Op.AND else self.false
            negation = (negated(arg.id) or self.not_(arg)).id
            negations.append(negation)
            if negation not in members:
                kept.append(arg)
        if member.id not in self._argument_ids:
            self._argument_ids[member.id] = frozenset([arg.id for arg in member.args]), frozenset(negations)
        if len(kept) == len(member.args):
            return member
        return self.any_of(kept) if dual is Op.OR else self.all_of(kept)


def _split(a: Expression) -> tuple[Expression, int]:
    """An expression as another one plus a constant."""
    return (a.args[0], a.value) if a.op is Op.OFFSET else (a, 0)
