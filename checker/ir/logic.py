"""The connectives, in negation normal form: NOT stands only on atoms; AND and OR are flat and sorted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from operator import attrgetter

from .expression import Expression, NodeTable, Op


class Logic(ABC):
    """The boolean part of a graph."""

    def __init__(self, table: NodeTable) -> None:
        self.table = table
        self.false = table.make(Op.CONST, (), "bool", 0, 0, 0)
        self.true = table.make(Op.CONST, (), "bool", 1, 1, 1)
        self.negations: dict[int, Expression] = {}
        """What the negation of a node is, by its number, as far as somebody asked. It only grows."""
        self._combinations: dict[tuple[Op, tuple[Expression, ...]], Expression] = {}
        self._argument_ids: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        """The arguments of a combination and their negations, by its id: only once all the negations are made."""

    @abstractmethod
    def ite(self, condition: Expression, then: Expression, orelse: Expression) -> Expression:
        """`then` where the condition is true, else `orelse`."""

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


_by_id = attrgetter("id")
