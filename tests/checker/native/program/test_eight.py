"""Eight states at once, on each kind of processor there is to test: values in each lane, properties and steps."""

from __future__ import annotations

import ctypes
import random
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.expression import Expression, Op, evaluate
from epochal.checker.ir.graph import Graph
from epochal.checker.ir.layout import Layout
from epochal.checker.ir.model import Model
from epochal.checker.native.backend import PLACE, Stepper
from epochal.checker.native.engine import out_degree
from epochal.checker.native.llvm.instructions import LANE_DECLARATIONS, LANES, LaneInstructions, Pointer, word
from epochal.checker.native.llvm.jit import Compiler
from epochal.checker.native.program import eight
from epochal.checker.native.program.eight import LOOK_CLOSER, eight_steps_text, eight_text
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.checker.native.program.program import INSTANCE_BITS, program_text
from epochal.spec.language import Protocol
from tests.checker.compile.trees import Tree, built, states, trees
from tests.checker.compile.zoo_failing import (
    AppendToFull,
    InAnActionProperty,
    InAnInvariant,
    ViolatedAndBroken,
    ViolatedAndBrokenStep,
)
from tests.checker.native.machines import ELSEWHERE, compiled_elsewhere, compilers
from tests.checker.native.program.test_expressions import SPREAD, WIDE, examples, wide_states
from tests.checker.search.models import classic, small_faulty
from tests.checker.symmetry.zoo import random_state

WORD, MASK = ctypes.c_uint64, (1 << 64) - 1
COMPILERS = compilers()
MACHINES = pytest.mark.parametrize("machine", COMPILERS)


class Lanes:
    """Expressions as a function of eight states, each followed by one word, that writes eight values for each."""

    def __init__(self, compiler: Compiler, layout: Layout, roots: Sequence[Expression], level: int) -> None:
        self.layout, self.roots, stride = layout, roots, layout.words + 1
        f = LaneInstructions("void @f(ptr %records, ptr %out)")
        words = [
            f.gathered([f.load64(f.element(Pointer("%records"), lane * stride + w)) for lane in range(LANES)])
            for w in range(layout.words)
        ]
        writer = ExpressionWriter(f, layout, words)
        for i, root in enumerate(roots):
            value = f.or_(writer.code(root), word(0))  # a constant is a vector from then on
            f._emit(f"store <{LANES} x i64> {value}, ptr {f.element(Pointer('%out'), LANES * i)}, align 8")
        f.ret()
        self.code = compiler.load(compiler.compile("\n".join([*LANE_DECLARATIONS, f.text()]), level, False))
        self.call = self.code.function("f", None, ctypes.c_void_p, ctypes.c_void_p)

    def agree(self, chosen: Sequence[Sequence[int]]) -> bool:
        """Whether machine code and meaning agree on eight states."""
        packed = [word for codes in chosen for word in (*self.layout.pack(codes), MASK)]
        records, out = (WORD * len(packed))(*packed), (WORD * (LANES * len(self.roots)))()
        self.call(ctypes.addressof(records), ctypes.addressof(out))
        values = [[value & MASK for value in evaluate(self.roots, codes)] for codes in chosen]
        return list(out) == [value for of_root in zip(*values, strict=True) for value in of_root]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(trees("bool") | trees("int") | trees("set"), min_size=1, max_size=12),
    st.sampled_from([0, 2]),
    st.sampled_from(sorted(COMPILERS)),
)
def test_random_expressions(parts: list[Tree], level: int, machine: str) -> None:
    graph = Graph()
    lanes = Lanes(COMPILERS[machine], SPREAD, [built(graph, tree) for tree in parts], level)
    chosen = list(states(11))
    assert all(lanes.agree(chosen[at : at + LANES]) for at in range(0, len(chosen) - LANES + 1, LANES))


@MACHINES
def test_operators_on_extreme_states(machine: str) -> None:
    made = examples(Graph())
    lanes = Lanes(COMPILERS[machine], WIDE, [root for op in Op for root in made[op]], 2)
    chosen = wide_states()
    for at in range(len(chosen) - LANES + 1):
        assert lanes.agree(chosen[at : at + LANES]), at


@MACHINES
@pytest.mark.parametrize(
    "protocol", [small_faulty(), classic("kip-101", 2, 2, 2, 1), InAnInvariant(), ViolatedAndBroken()]
)
def test_a_bit_for_what_some_of_eight_states_show(protocol: Protocol, machine: str) -> None:
    """The bits of `judge` over the eight states, and for those that fail their own bits."""
    model, compiler = compile_protocol(protocol), COMPILERS[machine]
    of_states = [i for i, one in enumerate(model.properties) if not one.of_steps]
    asked = sum(1 << i for i in of_states[:-1]) or 1 << of_states[0]
    text = eight_text(model, asked, model.layout.words + 1)
    assert text is not None
    code = compiler.load(compiler.compile(text, 2, False))
    call = code.function("eight", WORD, ctypes.c_void_p)
    stepper = Stepper(model, compiler.load(compiler.compile(program_text(model), 0, False)))
    chosen, shown = random.Random(7), 0
    for _ in range(60):
        eight_states = [random_state(protocol, chosen) for _ in range(LANES)]
        packed = [held for codes in eight_states for held in (*model.layout.pack(codes), MASK)]
        expected = 0
        for codes in eight_states:
            for i in of_states:
                bits, fails = stepper.evaluate(codes, asked & 1 << i)
                expected |= bits | (1 << i if fails else 0)
        assert call(ctypes.addressof((WORD * len(packed))(*packed))) == expected
        shown |= expected
    assert shown, "some of these states show something"


# -- steps of eight states: the same successors, in the same order ----------------------------------------------------

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
        monkeypatch.setattr(eight, "TOGETHER", together)
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


# -- both -------------------------------------------------------------------------------------------------------------

TEXTS = {"eight": eight_text, "eight_steps": eight_steps_text}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("system", "processor"), ELSEWHERE)
def test_it_compiles_for_other_machines(system: str, processor: str, name: str) -> None:
    model = compile_protocol(classic("kip-320", 2, 1, 1, 1))
    text = TEXTS[name](model, (1 << len(model.properties)) - 1, model.layout.words + 1)
    assert text is not None and name.encode() in compiled_elsewhere(text, system, processor)


@pytest.mark.parametrize(
    ("name", "limit"), [("eight", "MOST_NODES_OF_PROPERTIES"), ("eight_steps", "MOST_NODES_OF_STEPS")]
)
def test_too_much_to_compute(name: str, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What LLVM would take long for is left to `judge` and `step`."""
    model = compile_protocol(small_faulty())
    assert TEXTS[name](model, 3, model.layout.words + 1) is not None
    monkeypatch.setattr(eight, limit, 3)
    assert TEXTS[name](model, 3, model.layout.words + 1) is None
