"""Eight states at a time: the instructions of a function whose numbers and truth values are vectors of eight.

LLVM makes of a vector what the processor has: one register, or several narrower ones. So the text is the same for all.
"""

from __future__ import annotations

from collections.abc import Sequence

from .instructions import Instructions
from .operands import FALSE, AnyBit, AnyWord, Bit, Operand, Word, text_of

LANES = 8

LANE_DECLARATIONS = (
    f"declare <{LANES} x i64> @llvm.ctpop.v{LANES}i64(<{LANES} x i64>)",
    f"declare i64 @llvm.vector.reduce.or.v{LANES}i64(<{LANES} x i64>)",
)


class LaneInstructions(Instructions):
    """A function in which `Word` and `Bit` stand for a number or a truth value in each lane.

    Constants are the same in all lanes. What is loaded, the numbers that `gathered` takes and the one that `combined`
    returns are single.
    """

    def gathered(self, singles: Sequence[Word]) -> Word:
        """A number for each lane."""
        made = "poison"
        for lane, single in enumerate(singles):
            made = self._result(f"insertelement {_vector(Word.type)} {made}, i64 {single}, i64 {lane}")
        return Word(made)

    def combined(self, value: AnyWord) -> Word:
        """The bits that the number of some lane has, as a single number."""
        return Word(self._result(f"call i64 @llvm.vector.reduce.or.v{LANES}i64({_typed(Word.type, value)})"))

    def _binary(self, operator: str, first: AnyWord, second: AnyWord) -> Word:
        return Word(self._result(f"{operator} {_typed(Word.type, first)}, {_lanes(Word.type, second)}"))

    def popcount(self, value: Word) -> Word:
        return Word(self._result(f"call {_vector(Word.type)} @llvm.ctpop.v{LANES}i64({_typed(Word.type, value)})"))

    def _compare(self, test: str, first: Operand | int, second: Operand | int) -> Bit:
        kind = first.type if isinstance(first, Operand) else Word.type
        return Bit(self._result(f"icmp {test} {_typed(kind, first)}, {_lanes(kind, second)}"))

    def _logical(self, operator: str, first: AnyBit, second: AnyBit) -> Bit:
        return Bit(self._result(f"{operator} {_typed(Bit.type, first)}, {_lanes(Bit.type, second)}"))

    def as_word(self, value: Bit) -> Word:
        return Word(self._result(f"zext {_typed(Bit.type, value)} to {_vector(Word.type)}"))

    def select(self, condition: Bit, then: AnyWord, orelse: AnyWord) -> Word:
        operands = f"{_typed(Bit.type, condition)}, {_typed(Word.type, then)}, {_typed(Word.type, orelse)}"
        return Word(self._result(f"select {operands}"))

    def any_of(self, values: Sequence[Bit]) -> Bit:
        """Whether some of them are true."""
        found = FALSE
        for value in values:
            found = value if found is FALSE else self.either(found, value)
        return found


def _vector(kind: str) -> str:
    return f"<{LANES} x {kind}>"


def _lanes(kind: str, operand: Operand | int) -> str:
    """An operand in all lanes: a register is a vector already, a constant is repeated."""
    text = text_of(operand)
    return text if text.startswith("%") else f"<{', '.join([f'{kind} {text}'] * LANES)}>"


def _typed(kind: str, operand: Operand | int) -> str:
    return f"{_vector(kind)} {_lanes(kind, operand)}"
