"""The instructions that programs are written with: a method each, from typed operands to a typed result.

An instruction is written when its method is called, so the order of calls is the order of the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

# -- operands ---------------------------------------------------------------------------------------------------------
# Operands of LLVM instructions: each is its text, and its class is its type. `Word` is a 64-bit number, `Bit` a truth
# value, `Pointer` an address; a whole number of Python stands for a constant of whatever type is expected. So the type
# checker sees an address that is taken for a number before LLVM does.

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


class Label(str):
    """The name of a block, without its sigil."""

    __slots__ = ()


TRUE, FALSE = Bit("true"), Bit("false")

AnyWord = Word | int
AnyBit = Bit | int

T = TypeVar("T", bound=Operand)


def word(value: int) -> Word:
    """A constant."""
    return Word(signed(value))


def text_of(operand: Operand | int) -> str:
    """An operand as an instruction names it."""
    return operand if isinstance(operand, str) else str(signed(operand))


# -- builder ----------------------------------------------------------------------------------------------------------
# Writing LLVM functions as text: fresh names, blocks, and the expressions already computed where a block stands.


class FunctionText:
    """The text of one LLVM function under construction.

    `known` maps what has been computed to its register; it is scoped, so that a register is only reused in blocks that
    the computation dominates.
    """

    def __init__(self, signature: str) -> None:
        self._head = [f"define {signature} {{", "entry:"]
        self._lines: list[str] = []
        self._count = 0
        self._scopes: list[dict[object, Word | Bit]] = [{}]

    def label(self, stem: str) -> Label:
        """The name of a block that is not used yet."""
        return Label(self._fresh(stem))

    def _fresh(self, stem: str = "v") -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def _emit(self, instruction: str) -> None:
        """Write an instruction without a result."""
        self._lines.append(f"  {instruction}")

    def _result(self, instruction: str) -> str:
        """Write an instruction with a result; the register that holds it."""
        name = "%" + self._fresh()
        self._lines.append(f"  {name} = {instruction}")
        return name

    def _reserve(self, type: str) -> str:
        """Room for a value of a type, for as long as the function runs; the register with its address."""
        name = "%" + self._fresh()
        self._head.append(f"  {name} = alloca {type}")
        return name

    # -- blocks ---------------------------------------------------------------------------------------------------

    def block(self, label: Label) -> None:
        """Begin a block."""
        self._lines.append(f"{label}:")

    def branch(self, label: Label) -> None:
        """End a block: go on at a label."""
        self._emit(f"br label %{label}")

    def ret(self, value: Operand | int | None = None) -> None:
        """End a block: return. A whole number is a 64-bit constant."""
        if value is None:
            self._emit("ret void")
        else:
            self._emit(f"ret {value.type if isinstance(value, Operand) else Word.type} {text_of(value)}")

    def return_here(self, value: Operand | int | None = None) -> None:
        """Return from inside a block; what follows in it is never reached."""
        self.ret(value)
        self.block(self.label("unreached"))

    def jump_if(self, condition: Bit, label: Label) -> None:
        """Jump to a label if the condition holds, else go on in a new block."""
        following = self.label("next")
        self._emit(f"br i1 {condition}, label %{label}, label %{following}")
        self.block(following)

    @contextmanager
    def where(self, condition: Bit) -> Iterator[None]:
        """What follows runs only where the condition holds; registers made inside are forgotten afterwards."""
        then, after = self.label("then"), self.label("after")
        self._emit(f"br i1 {condition}, label %{then}, label %{after}")
        self.block(then)
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.branch(after)
        self.block(after)

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """Directly after `where`: what follows runs only where its condition did not hold."""
        after = Label(self._lines.pop()[:-1])
        done = self.label("after")
        assert self._lines[-1] == f"  br label %{after}"
        self._lines[-1] = f"  br label %{done}"
        self.block(after)
        self._scopes.append({})
        yield
        self._scopes.pop()
        self.branch(done)
        self.block(done)

    @contextmanager
    def switch(self, operand: Word, values: Sequence[int]) -> Iterator[Iterator[int]]:
        """One block for each value: iterate over what is yielded and write the block of each value in turn."""
        labels = {value: self.label("case") for value in values}
        after = self.label("after")
        cases = " ".join(f"i64 {value}, label %{label}" for value, label in labels.items())
        self._emit(f"switch i64 {operand}, label %{after} [{cases}]")

        def blocks() -> Iterator[int]:
            for value, label in labels.items():
                self.block(label)
                self._scopes.append({})
                yield value
                self._scopes.pop()
                self.branch(after)

        yield blocks()
        self.block(after)

    @contextmanager
    def loop(self) -> Iterator[tuple[Label, Label]]:
        """An endless loop; yields the labels to go on with and to leave it by."""
        head, tail = self.label("loop"), self.label("done")
        self.branch(head)
        self.block(head)
        self._scopes.append({})
        yield head, tail
        self._scopes.pop()
        self.branch(head)
        self.block(tail)

    # -- what is computed already ---------------------------------------------------------------------------------

    def known(self, key: object) -> Word | Bit | None:
        """The register that holds what `key` stands for, if it has been computed where we are."""
        for scope in reversed(self._scopes):
            if key in scope:
                return scope[key]
        return None

    def remember(self, key: object, register: Word | Bit) -> None:
        """Note that a register holds what `key` stands for."""
        self._scopes[-1][key] = register

    def text(self) -> str:
        """The finished function."""
        return "\n".join([*self._head, *self._lines, "}", ""])


@dataclass(frozen=True)
class Variable(Generic[T]):
    """A mutable variable of a function, in memory; optimisation turns it into registers."""

    function: Instructions
    kind: type[T]
    address: Pointer

    def get(self) -> T:
        """Its value now."""
        return self.function.load(self.kind, self.address)

    def set(self, value: T | int) -> None:
        """Change it."""
        self.function.store(self.kind, value, self.address)


def _on_words(operator: str) -> Callable[[Instructions, AnyWord, AnyWord], Word]:
    """The method that adds an instruction which computes a number from two."""
    return lambda function, first, second: function._binary(operator, first, second)


def _of_words(test: str) -> Callable[[Instructions, AnyWord, AnyWord], Bit]:
    """The method that adds an instruction which compares two numbers."""
    return lambda function, first, second: function._compare(test, first, second)


class Instructions(FunctionText):
    """A function, and the instructions that can be added to it."""

    # -- numbers --------------------------------------------------------------------------------------------------

    def _binary(self, operator: str, first: AnyWord, second: AnyWord) -> Word:
        return Word(self._result(f"{operator} i64 {text_of(first)}, {text_of(second)}"))

    # All are modulo 2**64. `udiv` and `urem` take unsigned numbers, `sdiv` and `srem` signed ones, and round towards
    # zero; `lshr` shifts zeros in.
    add, sub, mul = _on_words("add"), _on_words("sub"), _on_words("mul")
    udiv, urem, sdiv, srem = _on_words("udiv"), _on_words("urem"), _on_words("sdiv"), _on_words("srem")
    and_, or_, xor = _on_words("and"), _on_words("or"), _on_words("xor")
    shl, lshr = _on_words("shl"), _on_words("lshr")

    def umin(self, first: AnyWord, second: AnyWord) -> Word:
        """The lesser of unsigned numbers. The module must declare `llvm.umin.i64`."""
        return Word(self._result(f"call i64 @llvm.umin.i64(i64 {text_of(first)}, i64 {text_of(second)})"))

    def popcount(self, value: Word) -> Word:
        """How many bits are set. The module must declare `llvm.ctpop.i64`."""
        return Word(self._result(f"call i64 @llvm.ctpop.i64(i64 {value})"))

    def lowest_bit(self, value: Word) -> Word:
        """The number of the lowest bit that is set, of which there is one. The module must declare `llvm.cttz.i64`."""
        return Word(self._result(f"call i64 @llvm.cttz.i64(i64 {value}, i1 true)"))

    # -- truth values ---------------------------------------------------------------------------------------------

    def _compare(self, test: str, first: Operand | int, second: Operand | int) -> Bit:
        kind = first.type if isinstance(first, Operand) else Word.type
        return Bit(self._result(f"icmp {test} {kind} {text_of(first)}, {text_of(second)}"))

    def eq(self, first: T, second: T | int) -> Bit:
        """Whether they are equal."""
        return self._compare("eq", first, second)

    def ne(self, first: T, second: T | int) -> Bit:
        """Whether they differ."""
        return self._compare("ne", first, second)

    # Whether an unsigned (`u`) or signed number is less than, greater than, or at least the other.
    ult, ugt, uge = _of_words("ult"), _of_words("ugt"), _of_words("uge")
    slt, sgt = _of_words("slt"), _of_words("sgt")

    def _logical(self, operator: str, first: AnyBit, second: AnyBit) -> Bit:
        return Bit(self._result(f"{operator} i1 {text_of(first)}, {text_of(second)}"))

    def both(self, first: AnyBit, second: AnyBit) -> Bit:
        """Whether both are true."""
        return self._logical("and", first, second)

    def either(self, first: AnyBit, second: AnyBit) -> Bit:
        """Whether one of them, or both, are true."""
        return self._logical("or", first, second)

    def not_(self, value: Bit) -> Bit:
        """Whether it is false."""
        return self._logical("xor", value, TRUE)

    def as_word(self, value: Bit) -> Word:
        """1 for true, 0 for false."""
        return Word(self._result(f"zext i1 {value} to i64"))

    def select(self, condition: Bit, then: AnyWord, orelse: AnyWord) -> Word:
        """One of two numbers."""
        return Word(self._result(f"select i1 {condition}, i64 {text_of(then)}, i64 {text_of(orelse)}"))

    # -- memory ---------------------------------------------------------------------------------------------------

    def variable(self, kind: type[T], initial: T | int) -> Variable[T]:
        """A mutable variable, set to `initial` here."""
        made = Variable(self, kind, Pointer(self._reserve(kind.type)))
        made.set(initial)
        return made

    def element(self, array: Pointer, index: AnyWord, type: str = "i64") -> Pointer:
        """The address of an element of an array, whose elements are 64-bit numbers unless said otherwise."""
        return Pointer(self._result(f"getelementptr {type}, ptr {array}, i64 {text_of(index)}"))

    def distance(self, last: Pointer, first: Pointer, size: int) -> Word:
        """How many elements of so many bytes lie between two addresses."""
        return self.udiv(self.sub(self.address_of(last), self.address_of(first)), size)

    def address_of(self, at: Pointer) -> Word:
        """An address as a number."""
        return Word(self._result(f"ptrtoint ptr {at} to i64"))

    def load(self, kind: type[T], at: Pointer) -> T:
        """What memory holds at an address."""
        return kind(self._result(f"load {kind.type}, ptr {at}"))

    def store(self, kind: type[T], value: T | int, at: Pointer) -> None:
        """Change what memory holds at an address."""
        self._emit(f"store {kind.type} {text_of(value)}, ptr {at}")

    def load64(self, at: Pointer) -> Word:
        """The number at an address."""
        return self.load(Word, at)

    def store64(self, value: AnyWord, at: Pointer) -> None:
        """Change the number at an address."""
        self.store(Word, value, at)

    def load_widened(self, at: Pointer, type: str) -> Word:
        """A number of fewer bits at an address, without a sign."""
        narrow = self._result(f"load {type}, ptr {at}")
        return Word(self._result(f"zext {type} {narrow} to i64"))

    # -- calls and loops ------------------------------------------------------------------------------------------

    def call(self, function: str, *operands: Operand) -> None:
        """Call a function, by its name or its address."""
        self._emit(f"call void {_called(function)}({_typed(operands)})")

    @contextmanager
    def each(self, first: AnyWord, end: AnyWord) -> Iterator[Word]:
        """What follows runs for every number from the first on and below the end."""
        index = self.variable(Word, first)
        with self.loop() as (_, done):
            i = index.get()
            self.jump_if(self.uge(i, end), done)
            index.set(self.add(i, 1))
            yield i


def _called(function: str) -> str:
    return function if isinstance(function, Pointer) else f"@{function}"


def _typed(operands: tuple[Operand, ...]) -> str:
    return ", ".join(f"{operand.type} {operand}" for operand in operands)


# -- lanes ------------------------------------------------------------------------------------------------------------
# Eight states at a time: the instructions of a function whose numbers and truth values are vectors of eight. LLVM makes
# of a vector what the processor has: one register, or several narrower ones. So the text is the same for all.

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
        return Word(self._result(f"extractelement {_lane(Word.type, value)}, i64 {number}"))

    def combined(self, value: AnyWord) -> Word:
        """The bits that the number of some lane has, as a single number."""
        return Word(self._result(f"call i64 @llvm.vector.reduce.or.v{LANES}i64({_lane(Word.type, value)})"))

    def numbered(self, by: int, plus: int) -> Word:
        """In each lane its number times one number, plus another."""
        return Word(f"<{', '.join(f'i64 {lane * by + plus}' for lane in range(LANES))}>")

    def lane_bits(self, condition: Bit) -> Word:
        """A single number with a bit for each lane where a condition holds."""
        bits = self._result(f"bitcast {_lane(Bit.type, condition)} to i{LANES}")
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
        vector, mask = _lane(Word.type, value), _lane(Bit.type, condition)
        intrinsic = f"@llvm.experimental.vector.compress.v{LANES}i64"
        packed = self._result(f"call {_vector(Word.type)} {intrinsic}({vector}, {mask}, {_vector(Word.type)} poison)")
        self._emit(f"store {_vector(Word.type)} {packed}, ptr {at}, align 8")

    def store_lanes(self, value: Word, at: Pointer) -> None:
        """Store the number of each lane."""
        self._emit(f"store {_lane(Word.type, value)}, ptr {at}, align 8")

    def load_lanes(self, at: Pointer) -> Word:
        """A number for each lane, as `store_lanes` stores them."""
        return Word(self._result(f"load {_vector(Word.type)}, ptr {at}, align 8"))

    def _binary(self, operator: str, first: AnyWord, second: AnyWord) -> Word:
        return Word(self._result(f"{operator} {_lane(Word.type, first)}, {_lanes(Word.type, second)}"))

    def popcount(self, value: Word) -> Word:
        return Word(self._result(f"call {_vector(Word.type)} @llvm.ctpop.v{LANES}i64({_lane(Word.type, value)})"))

    def _compare(self, test: str, first: Operand | int, second: Operand | int) -> Bit:
        kind = first.type if isinstance(first, Operand) else Word.type
        return Bit(self._result(f"icmp {test} {_lane(kind, first)}, {_lanes(kind, second)}"))

    def _logical(self, operator: str, first: AnyBit, second: AnyBit) -> Bit:
        return Bit(self._result(f"{operator} {_lane(Bit.type, first)}, {_lanes(Bit.type, second)}"))

    def as_word(self, value: Bit) -> Word:
        return Word(self._result(f"zext {_lane(Bit.type, value)} to {_vector(Word.type)}"))

    def select(self, condition: Bit, then: AnyWord, orelse: AnyWord) -> Word:
        operands = f"{_lane(Bit.type, condition)}, {_lane(Word.type, then)}, {_lane(Word.type, orelse)}"
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


def _lane(kind: str, operand: Operand | int) -> str:
    return f"{_vector(kind)} {_lanes(kind, operand)}"
