"""Eight states at once: every operator gives in each lane what it means, on each kind of processor there is to test."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.evaluate import evaluate
from epochal.checker.ir.expression import Expression, Op
from epochal.checker.ir.graph import Graph
from epochal.checker.ir.layout import Layout
from epochal.checker.native.llvm.instructions import Pointer, word
from epochal.checker.native.llvm.jit import Compiler
from epochal.checker.native.llvm.lanes import LANE_DECLARATIONS, LANES, LaneInstructions
from epochal.checker.native.program import eight
from epochal.checker.native.program.eight import eight_text
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.checker.native.program.program import program_text
from epochal.checker.native.stepper import Stepper
from epochal.spec.language import Protocol
from tests.checker.compile.trees import Tree, built, states, trees
from tests.checker.compile.zoo_failing import InAnInvariant, ViolatedAndBroken
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


@pytest.mark.parametrize(("system", "processor"), ELSEWHERE)
def test_it_compiles_for_other_machines(system: str, processor: str) -> None:
    """Whatever vectors they have."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    model = compile_protocol(protocol)
    text = eight_text(model, (1 << len(model.properties)) - 1, model.layout.words + 1)
    assert text is not None and b"eight" in compiled_elsewhere(text, system, processor)


def test_too_much_to_compute(monkeypatch: pytest.MonkeyPatch) -> None:
    """What LLVM would take long for is left to `judge`."""
    model = compile_protocol(small_faulty())
    assert eight_text(model, 3, model.layout.words + 1) is not None
    monkeypatch.setattr(eight, "MOST_NODES_OF_PROPERTIES", 3)
    assert eight_text(model, 3, model.layout.words + 1) is None
