"""The steps of eight states at once: the same successors, in the same order, on each kind of processor."""

from __future__ import annotations

import ctypes
import random
import sys

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.model import Model
from epochal.checker.native.engine import out_degree
from epochal.checker.native.llvm.lanes import LANES
from epochal.checker.native.program import eight as eight_steps
from epochal.checker.native.program.eight import LOOK_CLOSER, eight_steps_text
from epochal.checker.native.program.program import INSTANCE_BITS, program_text
from epochal.checker.native.stepper import PLACE, Stepper
from epochal.spec.language import Protocol
from tests.checker.compile.zoo_failing import AppendToFull, InAnActionProperty, ViolatedAndBrokenStep
from tests.checker.native.machines import ELSEWHERE, compiled_elsewhere, compilers
from tests.checker.search.models import classic, small_faulty
from tests.checker.symmetry.zoo import random_state

WORD, MASK = ctypes.c_uint64, (1 << 64) - 1
COMPILERS = compilers()
PROTOCOLS = [
    small_faulty(),
    classic("kip-101", 2, 2, 2, 1),
    classic("kip-320", 2, 2, 2, 1),
    AppendToFull(),
    InAnActionProperty(),
    ViolatedAndBrokenStep(),
]
FAILING = (AppendToFull, InAnActionProperty)


class Columns:
    """The function of a model, called for the codes of eight states."""

    def __init__(self, model: Model, machine: str, asked: int) -> None:
        text = eight_steps_text(model, asked, model.layout.words + 1)
        assert text is not None
        self.model, self.asked = model, asked
        self.code = COMPILERS[machine].load(COMPILERS[machine].compile(text, 2, False))
        pointer = ctypes.c_void_p
        self.call = self.code.function("eight_steps", WORD, pointer, pointer, WORD, pointer, WORD)
        self.room = LANES * out_degree(model) + LANES
        self.out = (WORD * (self.room * (model.layout.words + 1) + 1))()
        self.out[-1] = 7

    def of(self, eight_states: list[tuple[int, ...]]) -> list[list[tuple[bytes, int]]] | None:
        """The successors of each state with their instances, in their order; None if one must look closer."""
        words = self.model.layout.words
        packed = [held for codes in eight_states for held in (*self.model.layout.pack(codes), MASK)]
        counts = (WORD * LANES)(*[99] * LANES)
        records = (WORD * len(packed))(*packed)
        addresses = ctypes.addressof(records), ctypes.addressof(self.out), self.room, ctypes.addressof(counts)
        found = self.call(*addresses, self.asked)
        assert self.out[-1] == 7, "nothing is written beyond the columns"
        if found == LOOK_CLOSER:
            return None
        made: list[list[tuple[bytes, int]]] = [[] for _ in range(LANES)]
        for i in range(found):
            state = b"".join(self.out[w * self.room + i].to_bytes(8, sys.byteorder) for w in range(words))
            tag = self.out[words * self.room + i]
            made[tag >> INSTANCE_BITS].append((state, tag & PLACE))
        assert [len(one) for one in made] == list(counts)
        return made


@pytest.mark.parametrize("machine", COMPILERS)
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda one: type(one).__name__)
def test_the_successors_of_each_state(protocol: Protocol, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `step` makes them; if one of the steps shows something or cannot be made, one must look closer.

    So it is with a decision for everything, and with few.
    """
    model = compile_protocol(protocol)
    asked = sum(1 << bit for bit, one in enumerate(model.properties) if one.of_steps)
    stepper = Stepper(model, COMPILERS[machine].load(COMPILERS[machine].compile(program_text(model), 0, False)))
    chosen, closer = random.Random(3), 0
    all_columns = []
    for together, bits in ((0, asked), (30, 0)):
        monkeypatch.setattr(eight_steps, "TOGETHER", together)
        all_columns.append(Columns(model, machine, bits))
    for i in range(80):
        columns = all_columns[i % 2]
        eight_states = [random_state(protocol, chosen) for _ in range(LANES)]
        expected = [list(stepper.steps(stepper.packed(codes), columns.asked)) for codes in eight_states]
        made = columns.of(eight_states)
        shown = any(tag > PLACE for one in expected for _, tag in one)
        assert (made is None) == shown
        closer += shown
        assert made is None or made == expected
    assert closer > 0 if isinstance(protocol, FAILING) else closer < 80


@pytest.mark.parametrize(("system", "processor"), ELSEWHERE)
def test_it_compiles_for_other_machines(system: str, processor: str) -> None:
    """Whatever vectors they have."""
    model = compile_protocol(classic("kip-320", 2, 1, 1, 1))
    text = eight_steps_text(model, (1 << len(model.properties)) - 1, model.layout.words + 1)
    assert text is not None and b"eight_steps" in compiled_elsewhere(text, system, processor)


def test_too_much_to_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    """What LLVM would take long for is left to `step`."""
    model = compile_protocol(small_faulty())
    monkeypatch.setattr(eight_steps, "MOST_NODES_OF_STEPS", 3)
    assert eight_steps_text(model, 3, model.layout.words + 1) is None
