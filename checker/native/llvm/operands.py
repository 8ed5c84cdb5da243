"""Operands of LLVM instructions: each is its text, and its class is its type.

`Word` is a 64-bit number, `Bit` a truth value, `Pointer` an address; a whole number of Python stands for a constant of
whatever type is expected. So the type checker sees an address that is taken for a number before LLVM does.
"""

from __future__ import annotations

from typing import ClassVar, TypeVar

WORD_MASK = (1 << 64) - 1


def signed(value: int) -> int:
    """A 64-bit pattern as LLVM prints it: between -2**63 and 2**63 - 1."""
    value &= WORD_MASK
    return value - (1 << 64) if value >> 63 else value


class Operand(str):
    """The text of an operand; `type` is its type as LLVM writes it."""

    __slots__ = ()
    type: ClassVar[str]


class Word(Operand):
    """A 64-bit number."""

    __slots__ = ()
    type = "i64"


class Bit(Operand):
    """A truth value."""

    __slots__ = ()
    type = "i1"


class Pointer(Operand):
    """An address."""

    __slots__ = ()
    type = "ptr"


class Narrow(Operand):
    """A 16-bit number, as large arrays hold the index of an instance."""

    __slots__ = ()
    type = "i16"


class Label(str):
    """The name of a block, without its sigil."""

    __slots__ = ()


TRUE, FALSE = Bit("true"), Bit("false")
NULL = Pointer("null")

AnyWord = Word | int
AnyBit = Bit | int

T = TypeVar("T", bound=Operand)


def word(value: int) -> Word:
    """A constant."""
    return Word(signed(value))


def text_of(operand: Operand | int) -> str:
    """An operand as an instruction names it."""
    return operand if isinstance(operand, str) else str(signed(operand))
