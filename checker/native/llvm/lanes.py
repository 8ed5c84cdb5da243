"""Eight states at a time: the instructions of a function whose numbers and truth values are vectors of eight.

LLVM makes of a vector what the processor has: one register, or several narrower ones. So the text is the same for all.
"""

from __future__ import annotations

from collections.abc import Sequence

from .instructions import FALSE, AnyBit, AnyWord, Bit, Instructions, Operand, Pointer, Word, text_of

LANES = 8

LANE_DECLARATIONS = (
    f"declare <{LANES} x i64> @llvm.ctpop.v{LANES}i64(<{LANES} x i64>)",
    f"declare i64 @llvm.vector.reduce.or.v{LANES}i64(<{LANES} x i64>)",
    f"declare <{LANES} x i64> @llvm.experimental.vector.compress.v{LANES}i64"
    f"(<{LANES} x i64>, <{LANES} x i1>, <{LANES} x i64>)",
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

    def lane(self, value: Word, number: int) -> Word:
        """The number of a lane, as a single number."""
        return Word(self._result(f"extractelement {_typed(Word.type, value)}, i64 {number}"))

    def combined(self, value: AnyWord) -> Word:
        """The bits that the number of some lane has, as a single number."""
        return Word(self._result(f"call i64 @llvm.vector.reduce.or.v{LANES}i64({_typed(Word.type, value)})"))

    def numbered(self, by: int, plus: int) -> Word:
        """In each lane its number times one number, plus another."""
        return Word(f"<{', '.join(f'i64 {lane * by + plus}' for lane in range(LANES))}>")

    def lane_bits(self, condition: Bit) -> Word:
        """A single number with a bit for each lane where a condition holds."""
        bits = self._result(f"bitcast {_typed(Bit.type, condition)} to i{LANES}")
        return Word(self._result(f"zext i{LANES} {bits} to i64"))

    @property
    def single(self) -> Instructions:
        """The same function, for instructions whose numbers and truth values are single ones."""
        view = Instructions.__new__(Instructions)
        view.__dict__ = self.__dict__
        return view

    def store_kept(self, value: Word, condition: Bit, at: Pointer) -> None:
        """Store the numbers of those lanes where a condition holds, one after the other; what follows them is lost.

        So many numbers as there are lanes are written.
        """
        vector, mask = _typed(Word.type, value), _typed(Bit.type, condition)
        intrinsic = f"@llvm.experimental.vector.compress.v{LANES}i64"
        packed = self._result(f"call {_vector(Word.type)} {intrinsic}({vector}, {mask}, {_vector(Word.type)} poison)")
        self._emit(f"store {_vector(Word.type)} {packed}, ptr {at}, align 8")

    def store_lanes(self, value: Word, at: Pointer) -> None:
        """Store the number of each lane."""
        self._emit(f"store {_typed(Word.type, value)}, ptr {at}, align 8")

    def load_lanes(self, at: Pointer) -> Word:
        """A number for each lane, as `store_lanes` stores them."""
        return Word(self._result(f"load {_vector(Word.type)}, ptr {at}, align 8"))

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
    return text if text.startswith(("%", "<")) else f"<{', '.join([f'{kind} {text}'] * LANES)}>"


def _typed(kind: str, operand: Operand | int) -> str:
    return f"{_vector(kind)} {_lanes(kind, operand)}"
