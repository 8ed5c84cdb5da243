"""Every operator as machine code gives what its meaning says, wherever in the words its fields lie."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.checker.ir.expression import Expression, Op, evaluate, reachable_nodes
from epochal.checker.ir.graph import Graph
from epochal.checker.ir.layout import Field, Layout
from epochal.checker.native.llvm.instructions import Instructions, Pointer, signed
from epochal.checker.native.llvm.jit import Compiler, MachineCode
from epochal.checker.native.program.expressions import ExpressionWriter
from tests.checker.compile.trees import LEAVES, Tree, built, states, trees

Codes = Sequence[int]
WORD = ctypes.c_uint64
MASK = (1 << 64) - 1

SPREAD = Layout((Field(0, 62, 2), Field(1, 0, 3), Field(1, 63, 1), Field(0, 0, 3), Field(0, 30, 2), Field(1, 3, 1)))
"""A layout of the leaves of random trees that uses the first and the last bits of words."""


@pytest.fixture(scope="module")
def compiler() -> Compiler:
    return Compiler()


class Compiled:
    """Expressions as one function of machine code."""

    def __init__(self, compiler: Compiler, layout: Layout, roots: Sequence[Expression], level: int = 0) -> None:
        self.layout, self.roots = layout, roots
        function = Instructions("void @f(ptr %state, ptr %out)")
        words = [function.load64(function.element(Pointer("%state"), i)) for i in range(layout.words)]
        writer = ExpressionWriter(function, layout, words)
        for i, root in enumerate(roots):
            at = function.element(Pointer("%out"), i)
            function.store64(writer.code(root), at)
        function.ret()
        text = "declare i64 @llvm.ctpop.i64(i64)\n" + function.text()
        self.code: MachineCode = compiler.load(compiler.compile(text, level, level > 0))
        self.call = self.code.function("f", None, ctypes.c_void_p, ctypes.c_void_p)

    def values(self, codes: Codes) -> list[int]:
        """The values in a state, as 64-bit patterns."""
        state = (WORD * self.layout.words)(*self.layout.pack(codes))
        out = (WORD * len(self.roots))()
        self.call(ctypes.addressof(state), ctypes.addressof(out))
        return list(out)


def same(compiled: Compiled, codes: Codes) -> bool:
    """Whether machine code and meaning agree on a state."""
    return compiled.values(codes) == [value & MASK for value in evaluate(compiled.roots, codes)]


@settings(max_examples=40, deadline=None)
@given(st.lists(trees("bool") | trees("int") | trees("set"), min_size=1, max_size=12), st.sampled_from([0, 0, 2]))
def test_random_expressions(parts: list[Tree], level: int) -> None:
    graph = Graph()
    compiled = Compiled(Compiler(), SPREAD, [built(graph, tree) for tree in parts], level)
    assert all(same(compiled, codes) for codes in states(11))


def test_the_layout_of_the_trees_has_room() -> None:
    assert [high < 1 << field.bits for field, (_, high) in zip(SPREAD.fields, LEAVES, strict=True)] == [True] * len(
        LEAVES
    )


# -- each operator, on fields of the greatest width -----------------------------------------------------------------

WIDE = Layout(
    (
        Field(0, 0, 64),
        Field(1, 0, 64),
        Field(2, 60, 4),
        Field(2, 0, 1),
        Field(3, 33, 31),
        Field(2, 1, 59),
        Field(3, 32, 1),
    )
)
"""Two sets of 64 positions, a number at the end of a word, truth values, and wide numbers."""


def operands(graph: Graph) -> dict[str, Expression]:
    """The fields of `WIDE`."""
    return {
        "s": graph.field(0, "set", MASK),
        "t": graph.field(1, "set", MASK),
        "a": graph.field(2, "int", 15),
        "p": graph.field(3, "bool", 1),
        "b": graph.field(4, "int", (1 << 31) - 1),
        "c": graph.offset(graph.field(5, "int", (1 << 59) - 1), -(1 << 58)),
        "q": graph.field(6, "bool", 1),
    }


def examples(graph: Graph) -> dict[Op, list[Expression]]:
    """Expressions whose outermost operator is the key."""
    o = operands(graph)
    s, t, a, b, c, p, q = o["s"], o["t"], o["a"], o["b"], o["c"], o["p"], o["q"]
    negative = graph.sub(a, graph.integer(8))
    return {
        Op.CONST: [graph.integer(-5), graph.mask(MASK), graph.true, graph.integer(1 << 60)],
        Op.FIELD: [s, t, a, b, p, q],
        Op.OFFSET: [c, graph.offset(a, -16), graph.offset(c, 1 << 57)],
        Op.ADD: [graph.add(a, b), graph.add(c, b)],
        Op.SUB: [graph.sub(a, b), graph.sub(c, a)],
        Op.MUL: [graph.mul(a, b), graph.mul(negative, b), graph.mul(negative, negative)],
        Op.FLOORDIV: [
            graph.floordiv(b, 7),
            graph.floordiv(negative, 3),
            graph.floordiv(c, 1000),
            graph.floordiv(negative, 8),
        ],
        Op.MOD: [graph.mod(b, 7), graph.mod(negative, 3), graph.mod(c, 1000), graph.mod(negative, 8)],
        Op.MIN: [graph.min(a, b), graph.min(c, negative)],
        Op.MAX: [graph.max(a, b), graph.max(c, negative)],
        Op.EQ: [
            *(graph.eq(a, graph.integer(k)) for k in (0, 1, 15)),
            graph.eq(s, t),
            graph.eq(s, graph.mask(MASK)),
            graph.eq(s, graph.mask(0)),
            graph.eq(a, b),
            graph.eq(c, b),
            graph.eq(c, graph.integer(-(1 << 58))),
        ],
        Op.LT: [
            *(graph.lt(a, graph.integer(k)) for k in (2, 8, 14)),
            graph.lt(a, b),
            graph.lt(c, b),
            graph.lt(b, graph.integer(1 << 30)),
            graph.lt(c, graph.integer(-3)),
        ],
        Op.NOT: [graph.not_(p), graph.not_(graph.lt(a, b)), graph.not_(graph.eq(a, graph.integer(15)))],
        Op.AND: [graph.all_of([p, graph.lt(a, b), graph.not_(q)]), graph.and_(p, q)],
        Op.OR: [graph.any_of([p, graph.lt(a, b), graph.not_(q)]), graph.or_(p, q)],
        Op.ITE: [graph.ite(p, a, b), graph.ite(p, s, t), graph.ite(graph.and_(p, q), c, a)],
        Op.MEMBER: [
            *(graph.member(s, graph.integer(k)) for k in (0, 31, 62, 63)),
        ],
        Op.SINGLETON: [graph.singleton(a), graph.singleton(graph.add(a, graph.integer(48)))],
        Op.UNION: [graph.union(s, t), graph.union(s, graph.mask(1 << 63))],
        Op.INTERSECTION: [graph.intersection(s, t), graph.intersection(s, graph.mask(1 << 63 | 1))],
        Op.DIFFERENCE: [graph.difference(s, t), graph.difference(s, graph.mask(1 << 63 | 1))],
        Op.CARDINALITY: [graph.cardinality(s), graph.cardinality(graph.union(s, t))],
        Op.BITS: [graph.bits(graph.intersection(s, graph.mask((1 << 60) - 1)))],
    }


def wide_states() -> list[Codes]:
    """States with extreme codes, and some random ones."""
    chosen = random.Random(1)
    corners: list[Codes] = []
    for bits in (0, 1):
        corners.append([((1 << field.bits) - 1) * bits for field in WIDE.fields])
    for i, field in enumerate(WIDE.fields):
        for code in (0, 1, 1 << (field.bits - 1), (1 << field.bits) - 1):
            state = [chosen.getrandbits(f.bits) for f in WIDE.fields]
            state[i] = code
            corners.append(state)
    return corners + [[chosen.getrandbits(f.bits) for f in WIDE.fields] for _ in range(60)]


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("op", list(Op), ids=lambda op: op.value)
def test_operator_on_extreme_states(compiler: Compiler, op: Op, level: int) -> None:
    roots = examples(Graph())[op]
    assert all(any(node.op is op for node in reachable_nodes([root])) for root in roots)
    compiled = Compiled(compiler, WIDE, roots, level)
    for codes in wide_states():
        assert same(compiled, codes), codes


def test_a_field_is_read_in_place_and_shifted(compiler: Compiler) -> None:
    """The same field compared in place first and then used as a number, and the other way round."""
    for order in (1, -1):
        graph = Graph()
        a = graph.field(2, "int", 15)
        roots = [
            graph.eq(a, graph.integer(9)),
            graph.lt(a, graph.integer(9)),
            graph.mul(a, a),
            graph.not_(graph.lt(a, a)),
        ]
        compiled = Compiled(compiler, WIDE, roots[::order])
        assert all(same(compiled, codes) for codes in wide_states())


def test_signed_patterns() -> None:
    assert signed(1 << 63) == -(1 << 63)
    assert signed(MASK) == -1
    assert signed(-1) == -1
    assert signed((1 << 63) - 1) == (1 << 63) - 1
