"""Expressions as LLVM instructions: a table of what each operator becomes.

Integers and sets are `Word`, truth values `Bit`. Fields are read out of the words of the state; comparisons of a field
with a constant are made in place, without shifting it down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
