"""Every instruction of the vocabulary does what its name says."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest

from epochal.checker.native.llvm.instructions import Bit, Instructions, Pointer, Word, signed
from epochal.checker.native.llvm.jit import Compiler
from tests.checker.native.machines import compilers

MASK = (1 << 64) - 1
COMPILERS = compilers()
DECLARATIONS = (
    "declare i64 @llvm.umin.i64(i64, i64)\ndeclare i64 @llvm.ctpop.i64(i64)\ndeclare i64 @llvm.cttz.i64(i64, i1)\n"
)
PAIRS = ((0, 1), (7, 3), (3, 7), (5, 5), (MASK, 2), (1 << 63, 9), (MASK - 4, 3))


def function(write: Callable[[Instructions, Word, Word, Pointer], Word]) -> Callable[[int, int], int]:
    """A function of two numbers, and of room for two more that hold them at first, as machine code."""
    f = Instructions("i64 @f(i64 %a, i64 %b, ptr %room)")
    f.ret(write(f, Word("%a"), Word("%b"), Pointer("%room")))
    compiler = Compiler()
    code = compiler.load(compiler.compile(DECLARATIONS + f.text(), 0, False))
    call = code.function("f", ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)

    def called(a: int, b: int) -> int:
        room = (ctypes.c_uint64 * 2)(a, b)
        return int(call(a, b, ctypes.addressof(room)))

    called.code = code  # type: ignore[attr-defined]  # it lives as long as the function
    return called


NUMBERS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "udiv": lambda a, b: a // b,
    "urem": lambda a, b: a % b,
    "sdiv": lambda a, b: (abs(signed(a)) // abs(signed(b))) * (1 if signed(a) * signed(b) >= 0 else -1),
    "srem": lambda a, b: (abs(signed(a)) % abs(signed(b))) * (1 if signed(a) >= 0 else -1),
    "and_": lambda a, b: a & b,
    "or_": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "lshr": lambda a, b: a >> b,
    "umin": min,
}

TESTS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ult": lambda a, b: a < b,
    "ugt": lambda a, b: a > b,
    "uge": lambda a, b: a >= b,
    "slt": lambda a, b: signed(a) < signed(b),
    "sgt": lambda a, b: signed(a) > signed(b),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    called = function(lambda f, a, b, _: getattr(f, name)(a, b))
    assert [called(a, b) for a, b in PAIRS] == [NUMBERS[name](a, b) & MASK for a, b in PAIRS]


@pytest.mark.parametrize("name", TESTS)
def test_comparisons(name: str) -> None:
    called = function(lambda f, a, b, _: f.as_word(getattr(f, name)(a, b)))
    assert [called(a, b) for a, b in PAIRS] == [int(TESTS[name](a, b)) for a, b in PAIRS]


def test_truth_values() -> None:
    def write(f: Instructions, a: Word, b: Word, _: Pointer) -> Word:
        x, y = f.ne(f.and_(a, 1), 0), f.ne(f.and_(b, 1), 0)
        made: list[Bit] = [f.both(x, y), f.either(x, y), f.not_(x)]
        total = f.as_word(made[0])
        for bit in made[1:]:
            total = f.add(f.shl(total, 1), f.as_word(bit))
        return f.select(x, total, f.add(total, 8))

    called = function(write)
    assert [called(a, b) for a in (0, 1) for b in (0, 1)] == [8 + 1, 8 + 3, 2, 6]


def test_memory() -> None:
    def write(f: Instructions, a: Word, b: Word, room: Pointer) -> Word:
        first, second = f.element(room, 0), f.element(room, 1)
        old = f.load64(first)
        f.store64(f.add(old, b), first)
        with f.where(f.eq(f.load64(second), b)):
            f.store64(42, second)
        sum = f.add(f.load64(second), f.mul(old, 100))
        sum = f.add(sum, f.mul(f.load64(first), 1_000))
        return f.add(sum, f.mul(f.distance(second, room, 8), 10_000))

    assert function(write)(3, 5) == 10_000 + 8_000 + 300 + 42


def test_loops_and_bits() -> None:
    def write(f: Instructions, a: Word, b: Word, _: Pointer) -> Word:
        total = f.variable(Word, 0)
        with f.each(a, b) as i:
            total.set(f.add(total.get(), f.popcount(i)))
        return f.add(f.mul(total.get(), 100), f.lowest_bit(b))

    assert function(write)(3, 8) == 100 * sum(i.bit_count() for i in range(3, 8)) + 3
