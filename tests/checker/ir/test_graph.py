"""Simplification keeps the meaning, ranges contain the values, and every node is made once."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from epochal.checker.ir.expression import LIMIT, MEANING, Expression, Op, evaluate, reachable_nodes
from epochal.checker.ir.graph import Graph, Ranges, refuted
from epochal.spec.language import LanguageError
from tests.checker.compile.trees import ALL_STATES, Tree, built, meant, states, trees

ANY_TREE = trees("bool") | trees("int") | trees("set")
SETTINGS = settings(max_examples=100, deadline=None)


@SETTINGS
@given(ANY_TREE)
@example(("member", ("const", "set", 5), ("field", 0)))
@example(("eq", ("min", ("field", 0), ("field", 1)), ("const", "int", -2)))
@example(("lt", ("max", ("field", 0), ("const", "int", 0)), ("const", "int", 1)))
@example(("lt", ("add", ("field", 0), ("const", "int", 2)), ("field", 0)))
@example(("ite", ("not_", ("field", 2)), ("field", 3), ("field", 4)))
def test_simplification_keeps_the_meaning(tree: Tree) -> None:
    node = built(Graph(), tree)
    for codes in states():
        assert evaluate([node], codes) == [meant(tree, codes)]


def in_range(node: Expression, value: int) -> bool:
    """Whether a value is in the range that the node promises."""
    if node.sort == "set":
        return node.low & ~value == 0 and value & ~node.high == 0
    return node.low <= value <= node.high


@SETTINGS
@given(ANY_TREE)
def test_ranges_contain_every_value(tree: Tree) -> None:
    nodes = list(reachable_nodes([built(Graph(), tree)]))
    for codes in states():
        for node, value in zip(nodes, evaluate(nodes, codes), strict=True):
            assert in_range(node, value), node


@settings(max_examples=60, deadline=None)
@given(st.lists(trees("bool", 2), min_size=1, max_size=5))
@example(
    [
        ("lt", ("field", 0), ("field", 1)),
        ("eq", ("field", 1), ("const", "int", 1)),
        ("le", ("const", "int", 0), ("field", 0)),
    ]
)
@example([("not_", ("eq", ("field", 0), ("const", "int", -2))), ("lt", ("field", 0), ("const", "int", -1))])
def test_what_is_refuted_never_holds(parts: list[Tree]) -> None:
    tree = ("all_of", parts)
    if refuted(built(Graph(), tree)):
        assert not any(meant(tree, codes) for codes in ALL_STATES)


@SETTINGS
@given(st.lists(trees("bool", 2), min_size=1, max_size=4), trees("int", 2))
def test_narrowed_ranges_contain_what_the_facts_allow(parts: list[Tree], number: Tree) -> None:
    graph = Graph()
    ranges = Ranges([built(graph, part) for part in parts])
    node = built(graph, number)
    if ranges.refuted():
        return
    low, high = ranges.range(node)
    allowed = [meant(number, codes) for codes in states(7) if meant(("all_of", parts), codes)]
    assert all(low <= value <= high for value in allowed)


def test_contradictions_are_refuted() -> None:
    graph = Graph()
    a, b = graph.field(0, "int", 3), graph.field(1, "int", 4)
    two = graph.integer(2)
    assert refuted(graph.all_of([graph.lt(a, b), graph.lt(b, two), graph.lt(graph.integer(0), a)]))
    assert refuted(graph.all_of([graph.eq(a, two), graph.eq(b, graph.integer(1)), graph.lt(a, b)]))
    assert not refuted(graph.all_of([graph.lt(a, b), graph.lt(b, graph.integer(3))]))
    assert refuted(graph.false) and not refuted(graph.true)


@SETTINGS
@given(ANY_TREE)
def test_the_same_structure_is_the_same_object(tree: Tree) -> None:
    graph = Graph()
    first = built(graph, tree)
    size = len(graph.table)
    assert built(graph, tree) is first
    assert len(graph.table) == size


@SETTINGS
@given(ANY_TREE)
def test_normal_form(tree: Tree) -> None:
    """NOT stands on atoms only; AND and OR are flat, sorted, and have no member together with its negation."""
    graph = Graph()
    for node in reachable_nodes([built(graph, tree)]):
        ids = [arg.id for arg in node.args]
        if node.op is Op.NOT:
            assert node.args[0].op not in (Op.NOT, Op.AND, Op.OR, Op.CONST)
        if node.op in (Op.AND, Op.OR):
            assert ids == sorted(set(ids)) and len(ids) > 1
            assert all(arg.op is not node.op and not arg.is_const for arg in node.args)
            assert not {graph.not_(arg).id for arg in node.args} & set(ids)
        if node.op not in (Op.CONST, Op.FIELD):
            assert node.low != node.high


def test_every_operator_has_a_meaning() -> None:
    assert set(MEANING) | {Op.CONST, Op.FIELD} == set(Op)


def test_positions_outside_the_universe() -> None:
    graph = Graph()
    members, number = graph.field(0, "set", 7), graph.offset(graph.field(1, "int", 9), -3)
    inside = graph.member(members, number)
    for position in range(-3, 7):
        assert evaluate([inside], (5, position + 3)) == [int(position in (0, 2))]
    assert graph.member(members, graph.integer(-1)) is graph.false
    assert graph.singleton(number).high == 0b1111111


def test_numbers_that_do_not_fit_are_refused() -> None:
    graph = Graph()
    number = graph.field(0, "int", 3)
    graph.mul(number, graph.integer(LIMIT // 4))
    with pytest.raises(LanguageError, match="a value can exceed 62 bits"):
        graph.mul(number, graph.integer(LIMIT // 2))
