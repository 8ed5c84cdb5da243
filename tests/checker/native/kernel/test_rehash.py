"""Tables that grow: every slot is found again from its home on, wherever it was."""

from __future__ import annotations

import ctypes
import random
from functools import cache

import pytest

from epochal.checker.native.kernel.kernel import Shape, aside_words, kernel_text
from epochal.checker.native.llvm.instructions import LANES
from epochal.checker.native.llvm.jit import MachineCode
from epochal.checker.native.runtime.memory import Words
from tests.checker.native.machines import compilers

PIECE = 64


@cache
def tables(machine: str) -> MachineCode:
    """The functions on tables, for a kind of this processor."""
    compiler = compilers()[machine]
    return compiler.load(compiler.compile(kernel_text(Shape(1)), 0, False))


def home_of(slot: int, slots: int, width: int) -> int:
    """Where the bucket of so many slots begins that a slot belongs to."""
    return (slot >> 32) * (slots // width) >> 32


def filled(slots: list[int], size: int, width: int) -> list[int]:
    """A table of these slots, each in the first free place from its home on."""
    table = [0] * size
    for slot in slots:
        at = home_of(slot, size, width) * width
        while table[at]:
            at = (at + 1) % size
        table[at] = slot
    return table


def grown(machine: str, table: list[int], size: int, name: str) -> tuple[int, list[int], list[int]]:
    """What `spread` says, the table that it makes, and what stands behind that and behind the room aside."""
    made, aside = Words(size + LANES), Words(aside_words(PIECE) + 1)
    made.put([*table, *[0] * (size - len(table)), *[7] * LANES])
    aside[aside_words(PIECE)] = 7
    number, pointer = ctypes.c_uint64, ctypes.c_void_p
    spread = tables(machine).function(name, number, pointer, number, number, pointer, number)
    said = int(spread(made.address, len(table), size, aside.address, PIECE))
    return said, list(made[:size]), [*made[size:], aside[aside_words(PIECE)]]


@pytest.mark.parametrize("name", ["spread", "spread_filter"])
@pytest.mark.parametrize("machine", list(compilers()))
def test_every_slot_is_found_again(machine: str, name: str) -> None:
    """Whatever the sizes: in nearly full tables there are slots far from home, and around the end."""
    width = LANES if name == "spread" else 1
    sizes = [(8, 16, 1.0), (128, 256, 0.85), (64, 72, 0.9), (64, 64, 0.9), (512, 720, 0.72), (1024, 2048, 0.9)]
    for seed, (old, new, load) in enumerate([*sizes, (512, 8192, 0.95)]):
        chance = random.Random(seed)
        slots = [chance.randrange(1, 1 << 64) | 1 for _ in range(int(old * load))]
        said, table, behind = grown(machine, filled(slots, old, width), new, name)
        assert said == 0 and behind == [7] * (LANES + 1)
        assert sorted(slot for slot in table if slot) == sorted(slots)
        for at, slot in enumerate(table):
            if slot:
                between = home_of(slot, new, width) * width
                while between != at:
                    assert table[between], f"{slot:x} is not found at {at}"
                    between = (between + 1) % new


@pytest.mark.parametrize("name", ["spread", "spread_filter"])
def test_slots_too_far_from_home(name: str) -> None:
    """All hashes are alike: what is far behind its home would be put where slots are that are not taken out yet."""
    slots = [1 << 32 | n for n in range(1, 200)]
    width = LANES if name == "spread" else 1
    assert grown("all", filled(slots, 256, width), 512, name)[0] == 1
