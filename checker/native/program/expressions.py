"""Expressions as LLVM instructions: a table of what each operator becomes.

Integers and sets are `Word`, truth values `Bit`. Fields are read out of the words of the state; comparisons of a field
with a constant are made in place, without shifting it down.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from ...ir.expression import Expression, Op
from ...ir.layout import Layout
from ..llvm.instructions import FALSE, TRUE, Bit, Instructions, Word, word


class ExpressionWriter:
    """Writes expressions over one state, whose words are in registers."""

    def __init__(self, function: Instructions, layout: Layout, words: Sequence[Word]) -> None:
        self.function = f = function
        self.layout = layout
        self.words = words
        self._table: dict[Op, Callable[[Expression], Word | Bit]] = {
            Op.CONST: self._const,
            Op.FIELD: self._field,
            Op.OFFSET: lambda n: f.add(self.word(n.args[0]), n.value),
            Op.ADD: lambda n: self._binary(f.add, n),
            Op.SUB: lambda n: self._binary(f.sub, n),
            Op.MUL: lambda n: self._binary(f.mul, n),
            Op.FLOORDIV: self._quotient,
            Op.MOD: self._remainder,
            Op.MIN: lambda n: self._extreme(f.slt, n),
            Op.MAX: lambda n: self._extreme(f.sgt, n),
            Op.EQ: self._equal,
            Op.LT: self._less,
            Op.NOT: lambda n: f.not_(self.bit(n.args[0])),
            Op.AND: lambda n: self._chain(f.both, n),
            Op.OR: lambda n: self._chain(f.either, n),
            Op.ITE: self._choice,
            Op.MEMBER: self._member,
            Op.SINGLETON: self._singleton,
            Op.UNION: lambda n: self._binary(f.or_, n),
            Op.INTERSECTION: lambda n: self._binary(f.and_, n),
            Op.DIFFERENCE: self._difference,
            Op.CARDINALITY: lambda n: f.popcount(self.word(n.args[0])),
            Op.BITS: lambda n: f.add(self.word(n.args[0]), 0),
        }

    def write(self, node: Expression) -> Word | Bit:
        """The operand that holds an expression's value: a constant, or a register."""
        if node.op is Op.CONST:
            return self._const(node)
        known = self.function.known(node.id)
        if known is None:
            known = self._table[node.op](node)
            self.function.remember(node.id, known)
        return known

    def word(self, node: Expression) -> Word:
        """The operand of an integer or a set."""
        operand = self.write(node)
        assert isinstance(operand, Word), f"{node} is a truth value"
        return operand

    def bit(self, node: Expression) -> Bit:
        """The operand of a truth value."""
        operand = self.write(node)
        assert isinstance(operand, Bit), f"{node} is no truth value"
        return operand

    def code(self, node: Expression) -> Word:
        """The operand as a number, for storing it in a field."""
        if node.op is Op.CONST:
            return word(node.value)
        operand = self.write(node)
        return self.function.as_word(operand) if isinstance(operand, Bit) else operand

    def _const(self, node: Expression) -> Word | Bit:
        if node.sort == "bool":
            return TRUE if node.value else FALSE
        return word(node.value)

    def _field(self, node: Expression) -> Word | Bit:
        f, field = self.function, self.layout.fields[node.value]
        held = self.words[field.word]
        if node.sort == "bool":
            return f.ne(f.and_(held, field.mask), 0)
        if field.shift:
            held = f.lshr(held, field.shift)
        return f.and_(held, (1 << field.bits) - 1)

    def _in_place(self, node: Expression) -> tuple[Word, int] | None:
        """A field that has not been read yet, as its masked word and shift."""
        if node.op is not Op.FIELD or self.function.known(node.id) is not None:
            return None
        field = self.layout.fields[node.value]
        key = ("masked", node.value)
        masked = self.function.known(key)
        if masked is None:
            masked = self.function.and_(self.words[field.word], field.mask)
            self.function.remember(key, masked)
        assert isinstance(masked, Word)
        return masked, field.shift

    def _equal(self, node: Expression) -> Bit:
        first, second = node.args
        if second.is_const:
            place = self._in_place(first)
            if place is not None:
                return self.function.eq(place[0], second.value << place[1])
        return self.function.eq(self.word(first), self.word(second))

    def _less(self, node: Expression) -> Bit:
        first, second = node.args
        if second.is_const and second.value >= 0:
            place = self._in_place(first)
            if place is not None:
                return self.function.ult(place[0], second.value << place[1])
        return self.function.slt(self.word(first), self.word(second))

    def _member(self, node: Expression) -> Bit:
        f, (members, position) = self.function, node.args
        if members.op is Op.FIELD:
            field = self.layout.fields[members.value]
            masked = f.and_(self.words[field.word], 1 << (field.shift + position.value))
        else:
            masked = f.and_(self.word(members), 1 << position.value)
        return f.ne(masked, 0)

    def _binary(self, instruction: Callable[[Word, Word], Word], node: Expression) -> Word:
        return instruction(self.word(node.args[0]), self.word(node.args[1]))

    def _chain(self, instruction: Callable[[Bit, Bit], Bit], node: Expression) -> Bit:
        first, *others = [self.bit(arg) for arg in node.args]
        for operand in others:
            first = instruction(first, operand)
        return first

    def _quotient(self, node: Expression) -> Word:
        """Rounded down, as Python rounds."""
        f, dividend, divisor = self.function, self.word(node.args[0]), self.word(node.args[1])
        if node.args[0].low >= 0:
            return f.udiv(dividend, divisor)
        negative = f.slt(f.srem(dividend, divisor), 0)
        quotient = f.sdiv(dividend, divisor)
        return f.select(negative, f.sub(quotient, 1), quotient)

    def _remainder(self, node: Expression) -> Word:
        """Never negative, as Python's for a positive divisor."""
        f, dividend, divisor = self.function, self.word(node.args[0]), self.word(node.args[1])
        if node.args[0].low >= 0:
            return f.urem(dividend, divisor)
        rest = f.srem(dividend, divisor)
        negative = f.slt(rest, 0)
        return f.select(negative, f.add(rest, divisor), rest)

    def _extreme(self, before: Callable[[Word, Word], Bit], node: Expression) -> Word:
        first, second = self.word(node.args[0]), self.word(node.args[1])
        return self.function.select(before(first, second), first, second)

    def _choice(self, node: Expression) -> Word:
        condition, then, orelse = node.args
        return self.function.select(self.bit(condition), self.word(then), self.word(orelse))

    def _singleton(self, node: Expression) -> Word:
        f = self.function
        return f.shl(1, f.and_(self.word(node.args[0]), 63))

    def _difference(self, node: Expression) -> Word:
        f, (kept, gone) = self.function, node.args
        if gone.is_const:
            return f.and_(self.word(kept), ~gone.value)
        inverted = f.xor(self.word(gone), -1)
        return f.and_(self.word(kept), inverted)


# -- decisions --------------------------------------------------------------------------------------------------------
# Decision trees: which of many conjunctions hold, testing the most common conjuncts first and once. A clause is a
# conjunction with something to do where it holds. The tree shares a conjunct between all clauses that have it, then
# goes on with the clauses that do not.


@dataclass(frozen=True)
class Clause:
    """What to do (`then` writes it) where all the conjuncts hold."""

    conjuncts: tuple[Expression, ...]
    then: Callable[[], None]


def conjuncts_of(condition: Expression) -> tuple[Expression, ...]:
    """The members of a conjunction."""
    if condition.op is Op.AND:
        return condition.args
    return () if condition.is_const and condition.value else (condition,)


def disjuncts_of(condition: Expression) -> tuple[Expression, ...]:
    """The members of a disjunction."""
    if condition.op is Op.OR:
        return condition.args
    return () if condition.is_const and not condition.value else (condition,)


class Branches(Protocol):
    """How the blocks of a tree are written."""

    def where(self, condition: Expression) -> AbstractContextManager[None]:
        """What follows is done where a condition holds."""

    def otherwise(self, condition: Expression) -> AbstractContextManager[None]:
        """Directly after that: what follows is done where it does not hold."""

    def switch(self, subject: Expression, values: Sequence[int]) -> AbstractContextManager[Iterator[int]]:
        """One block for each value of a subject: iterate over them and write each block in turn."""

    def write_together(self, clauses: Sequence[Clause]) -> bool:
        """Write clauses that are left without a tree of their own; False if they are to have one."""


def write_tree(writer: ExpressionWriter, clauses: Sequence[Clause]) -> None:
    """Write the decision tree of the clauses. Ties go to the test that was made first, so the code is reproducible."""
    write_branches(_Single(writer), clauses)


def write_branches(branches: Branches, clauses: Sequence[Clause]) -> None:
    """Write the same tree with other branches."""
    _write_tree(branches, clauses, Estimates())


def in_order(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses in the order in which their tree comes to them."""
    order: list[Clause] = []
    write_branches(_Unwritten(), [Clause(one.conjuncts, partial(order.append, one)) for one in clauses])
    return order


@dataclass(frozen=True)
class _Single:
    """Branches on one state."""

    writer: ExpressionWriter

    def where(self, condition: Expression) -> AbstractContextManager[None]:
        return self.writer.function.where(self.writer.bit(condition))

    def otherwise(self, condition: Expression) -> AbstractContextManager[None]:
        return self.writer.function.otherwise()

    def switch(self, subject: Expression, values: Sequence[int]) -> AbstractContextManager[Iterator[int]]:
        return self.writer.function.switch(self.writer.word(subject), values)

    def write_together(self, clauses: Sequence[Clause]) -> bool:
        return False


class _Unwritten:
    """Branches of which nothing is written: only the order of what they lead to is wanted."""

    def where(self, condition: Expression) -> AbstractContextManager[None]:
        return nullcontext()

    def otherwise(self, condition: Expression) -> AbstractContextManager[None]:
        return nullcontext()

    def switch(self, subject: Expression, values: Sequence[int]) -> AbstractContextManager[Iterator[int]]:
        return nullcontext(iter(values))

    def write_together(self, clauses: Sequence[Clause]) -> bool:
        return False


def _write_tree(branches: Branches, clauses: Sequence[Clause], estimates: Estimates) -> None:
    pending = [clause for clause in clauses if not any(c.is_const and not c.value for c in clause.conjuncts)]
    while pending:
        for clause in pending:
            if not clause.conjuncts:
                clause.then()
        pending = [clause for clause in pending if clause.conjuncts]
        if pending and branches.write_together(pending):
            return
        if pending:
            pending = _write_test(branches, pending, _best_test(pending, estimates), estimates)


@dataclass(frozen=True)
class _Test:
    """A condition and its negation, or the value of an integer that several clauses compare with constants."""

    subject: Expression
    values: tuple[int, ...] = ()


def _best_test(clauses: Sequence[Clause], estimates: Estimates) -> _Test:
    """The test that is likely to save the most for what it costs."""
    saved: dict[Expression, float] = defaultdict(float)
    compared: dict[Expression, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for clause in clauses:
        for conjunct in clause.conjuncts:
            gain = 1 - estimates.likelihood(conjunct)
            saved[_base(conjunct)] += gain
            if conjunct.op is Op.EQ and conjunct.args[1].is_const and conjunct.args[0].sort == "int":
                compared[conjunct.args[0]][conjunct.args[1].value] += gain
    tests = {_Test(base): gain / (estimates.cost(base) + 3) for base, gain in saved.items()}
    for subject, gains in compared.items():
        if len(gains) > 1:
            tests[_Test(subject, tuple(sorted(gains)))] = sum(gains.values()) / (estimates.cost(subject) + 9)
    return min(tests, key=lambda test: (-tests[test], test.subject.id, len(test.values)))


def _write_test(branches: Branches, pending: list[Clause], test: _Test, estimates: Estimates) -> list[Clause]:
    """Write a test with the clauses that depend on it; the clauses that are left."""
    if test.values:
        matching: dict[int, list[Clause]] = {value: [] for value in test.values}
        for clause in pending:
            for value in {e.args[1].value for e in clause.conjuncts if _compares(e, test.subject)}:
                matching[value].append(clause)
        with branches.switch(test.subject, test.values) as blocks:
            for value in blocks:
                _write_tree(
                    branches, [_without(c, _comparison(test.subject, value)) for c in matching[value]], estimates
                )
        done = {id(clause) for clauses in matching.values() for clause in clauses}
        return [clause for clause in pending if id(clause) not in done]
    positive = [c for c in pending if test.subject in c.conjuncts]
    negative = [c for c in pending if any(e.op is Op.NOT and e.args[0] is test.subject for e in c.conjuncts)]
    with branches.where(test.subject):
        _write_tree(branches, [_without(c, lambda e: e is test.subject) for c in positive], estimates)
    if negative:
        with branches.otherwise(test.subject):
            _write_tree(branches, [_without(c, lambda e: _base(e) is test.subject) for c in negative], estimates)
    done = {id(clause) for clause in (*positive, *negative)}
    return [clause for clause in pending if id(clause) not in done]


def _comparison(subject: Expression, value: int) -> Callable[[Expression], bool]:
    """Whether a conjunct compares the subject with this value."""
    return lambda conjunct: _compares(conjunct, subject) and conjunct.args[1].value == value


def _compares(conjunct: Expression, subject: Expression) -> bool:
    """Whether a conjunct compares the subject with a constant."""
    return conjunct.op is Op.EQ and conjunct.args[0] is subject and conjunct.args[1].is_const


def _base(conjunct: Expression) -> Expression:
    return conjunct.args[0] if conjunct.op is Op.NOT else conjunct


def _without(clause: Clause, known: Callable[[Expression], bool]) -> Clause:
    return Clause(tuple(c for c in clause.conjuncts if not known(c)), clause.then)


class Estimates:
    """Rough estimates of conditions, each made once: a graph shares nodes, so that its tree can be huge."""

    def __init__(self) -> None:
        self._likelihoods: dict[int, float] = {}
        self._costs: dict[int, float] = {}

    def likelihood(self, condition: Expression) -> float:
        """How often a condition is true, estimated from the ranges of what it compares."""
        found = self._likelihoods.get(condition.id)
        if found is None:
            found = self._likelihoods[condition.id] = self._likelihood(condition)
        return found

    def _likelihood(self, condition: Expression) -> float:
        if condition.is_const:
            return float(condition.value)
        if condition.op is Op.NOT:
            return 1 - self.likelihood(condition.args[0])
        if condition.op is Op.AND:
            return math.prod(self.likelihood(arg) for arg in condition.args)
        if condition.op is Op.OR:
            return 1 - math.prod(1 - self.likelihood(arg) for arg in condition.args)
        if condition.op is Op.EQ:
            sizes = [min(arg.high - arg.low, 7) for arg in condition.args]
            return 1 / (1 + max(sizes))
        return 0.5

    def cost(self, node: Expression) -> float:
        """How much there is to compute for an expression."""
        if node.op in (Op.FIELD, Op.CONST):
            return 1.0
        found = self._costs.get(node.id)
        if found is None:
            found = self._costs[node.id] = 1.0 + sum(self.cost(arg) for arg in node.args if not arg.is_const)
        return found
