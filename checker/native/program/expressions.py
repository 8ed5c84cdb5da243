"""Expressions as LLVM instructions: a table of how each operator prints.

Integers and sets are i64, truth values i1. Fields are read out of the words of the state; comparisons of a field with a
constant are made in place, without shifting it down.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.expression import Expression, Op
from ...ir.layout import Layout
from ..llvm.builder import FunctionText

WORD = (1 << 64) - 1


def signed(value: int) -> int:
    """A 64-bit pattern as LLVM prints it: between -2**63 and 2**63 - 1."""
    value &= WORD
    return value - (1 << 64) if value >> 63 else value


class ExpressionWriter:
    """Writes expressions over one state, whose words are in registers."""

    def __init__(self, function: FunctionText, layout: Layout, words: list[str]) -> None:
        self.function = function
        self.layout = layout
        self.words = words
        self._print: dict[Op, Callable[[Expression], str]] = {
            Op.CONST: self._const,
            Op.FIELD: self._field,
            Op.OFFSET: lambda n: f"add i64 {self.write(n.args[0])}, {n.value}",
            Op.ADD: lambda n: self._binary("add i64", n),
            Op.SUB: lambda n: self._binary("sub i64", n),
            Op.MUL: lambda n: self._binary("mul i64", n),
            Op.FLOORDIV: lambda n: self._divide(n, 0),
            Op.MOD: lambda n: self._divide(n, 1),
            Op.MIN: lambda n: self._extreme("slt", n),
            Op.MAX: lambda n: self._extreme("sgt", n),
            Op.EQ: self._equal,
            Op.LT: self._less,
            Op.NOT: lambda n: f"xor i1 {self.write(n.args[0])}, true",
            Op.AND: lambda n: self._chain("and i1", n),
            Op.OR: lambda n: self._chain("or i1", n),
            Op.ITE: self._choice,
            Op.MEMBER: self._member,
            Op.SINGLETON: self._singleton,
            Op.UNION: lambda n: self._binary("or i64", n),
            Op.INTERSECTION: lambda n: self._binary("and i64", n),
            Op.DIFFERENCE: self._difference,
            Op.CARDINALITY: lambda n: f"call i64 @llvm.ctpop.i64(i64 {self.write(n.args[0])})",
            Op.BITS: lambda n: f"add i64 {self.write(n.args[0])}, 0",
        }

    def write(self, node: Expression) -> str:
        """The operand that holds an expression's value: a constant, or a register."""
        if node.op is Op.CONST:
            return self._const(node)
        known = self.function.known(node.id)
        if known is None:
            known = self.function.remember(node.id, self.function.value(self._print[node.op](node)))
        return known

    def code(self, node: Expression) -> str:
        """The operand as an i64, for storing it in a field."""
        if node.op is Op.CONST:
            return str(signed(node.value))
        operand = self.write(node)
        return self.function.value(f"zext i1 {operand} to i64") if node.sort == "bool" else operand

    def _const(self, node: Expression) -> str:
        if node.sort == "bool":
            return "true" if node.value else "false"
        return str(signed(node.value))

    def _field(self, node: Expression) -> str:
        field = self.layout.fields[node.value]
        word = self.words[field.word]
        if node.sort == "bool":
            bit = self.function.value(f"and i64 {word}, {signed(field.mask)}")
            return f"icmp ne i64 {bit}, 0"
        if field.shift:
            word = self.function.value(f"lshr i64 {word}, {field.shift}")
        return f"and i64 {word}, {signed((1 << field.bits) - 1)}"

    def _in_place(self, node: Expression) -> tuple[str, int] | None:
        """A field that has not been read yet, as its masked word and shift."""
        if node.op is not Op.FIELD or self.function.known(node.id) is not None:
            return None
        field = self.layout.fields[node.value]
        key = ("masked", node.value)
        masked = self.function.known(key)
        if masked is None:
            masked = self.function.value(f"and i64 {self.words[field.word]}, {signed(field.mask)}")
            self.function.remember(key, masked)
        return masked, field.shift

    def _equal(self, node: Expression) -> str:
        first, second = node.args
        if second.is_const:
            place = self._in_place(first)
            if place is not None:
                return f"icmp eq i64 {place[0]}, {signed(second.value << place[1])}"
        return f"icmp eq i64 {self.write(first)}, {self.write(second)}"

    def _less(self, node: Expression) -> str:
        first, second = node.args
        if second.is_const and second.value >= 0:
            place = self._in_place(first)
            if place is not None:
                return f"icmp ult i64 {place[0]}, {signed(second.value << place[1])}"
        return f"icmp slt i64 {self.write(first)}, {self.write(second)}"

    def _member(self, node: Expression) -> str:
        members, position = node.args
        if members.op is Op.FIELD:
            field = self.layout.fields[members.value]
            bit = 1 << (field.shift + position.value)
            masked = self.function.value(f"and i64 {self.words[field.word]}, {signed(bit)}")
        else:
            masked = self.function.value(f"and i64 {self.write(members)}, {signed(1 << position.value)}")
        return f"icmp ne i64 {masked}, 0"

    def _binary(self, instruction: str, node: Expression) -> str:
        return f"{instruction} {self.write(node.args[0])}, {self.write(node.args[1])}"

    def _chain(self, instruction: str, node: Expression) -> str:
        operands = [self.write(arg) for arg in node.args]
        total = operands[0]
        for operand in operands[1:-1]:
            total = self.function.value(f"{instruction} {total}, {operand}")
        return f"{instruction} {total}, {operands[-1]}"

    def _divide(self, node: Expression, part: int) -> str:
        dividend, divisor = self.write(node.args[0]), self.write(node.args[1])
        if node.args[0].low >= 0:
            return f"{('udiv', 'urem')[part]} i64 {dividend}, {divisor}"
        rest = self.function.value(f"srem i64 {dividend}, {divisor}")
        negative = self.function.value(f"icmp slt i64 {rest}, 0")
        if part:
            lifted = self.function.value(f"add i64 {rest}, {divisor}")
            return f"select i1 {negative}, i64 {lifted}, i64 {rest}"
        quotient = self.function.value(f"sdiv i64 {dividend}, {divisor}")
        lowered = self.function.value(f"sub i64 {quotient}, 1")
        return f"select i1 {negative}, i64 {lowered}, i64 {quotient}"

    def _extreme(self, order: str, node: Expression) -> str:
        first, second = self.write(node.args[0]), self.write(node.args[1])
        chosen = self.function.value(f"icmp {order} i64 {first}, {second}")
        return f"select i1 {chosen}, i64 {first}, i64 {second}"

    def _choice(self, node: Expression) -> str:
        condition, then, orelse = (self.write(arg) for arg in node.args)
        return f"select i1 {condition}, i64 {then}, i64 {orelse}"

    def _singleton(self, node: Expression) -> str:
        position = self.function.value(f"and i64 {self.write(node.args[0])}, 63")
        return f"shl i64 1, {position}"

    def _difference(self, node: Expression) -> str:
        kept, gone = node.args
        if gone.is_const:
            return f"and i64 {self.write(kept)}, {signed(~gone.value)}"
        inverted = self.function.value(f"xor i64 {self.write(gone)}, -1")
        return f"and i64 {self.write(kept)}, {inverted}"
