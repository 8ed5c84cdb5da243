"""What intervals say of conjunctions, for all small ones: never too much, and in plain cases enough."""

from __future__ import annotations

import itertools

import pytest

from epochal.checker.ir.expression import Expression
from epochal.checker.ir.graph import Graph, Ranges, refuted
from tests.checker.compile.trees import Tree, built, meant

NUMBERS: list[Tree] = [("field", 0), ("field", 1), *(("const", "int", value) for value in (-2, 0, 1, 4))]
"""Of the fields, the first has the values -2 to 1 and the second 0 to 4."""
ATOMS: list[Tree] = [
    (op, a, b) for op in ("lt", "le", "eq") for a, b in itertools.permutations(NUMBERS, 2) if "field" in (a[0], b[0])
]
FACTS = [fact for atom in ATOMS for fact in (atom, ("not_", atom))]
STATES = [(a, b, 0, 0, 0, 0) for a in range(4) for b in range(5)]
TRUE_IN = {id(fact): {codes for codes in STATES if meant(fact, codes)} for fact in FACTS}


def test_no_two_facts_say_too_much() -> None:
    """Where both hold, the ranges hold the values, and what is refuted holds nowhere."""
    graph = Graph()
    nodes = {id(fact): built(graph, fact) for fact in FACTS}
    fields = [built(graph, ("field", index)) for index in (0, 1)]
    found = 0
    for one, other in itertools.combinations(FACTS, 2):
        both = TRUE_IN[id(one)] & TRUE_IN[id(other)]
        conjunction = graph.and_(nodes[id(one)], nodes[id(other)])
        if refuted(conjunction):
            found += 1
            assert not both, (one, other)
            continue
        ranges = Ranges([nodes[id(one)], nodes[id(other)]])
        if ranges.refuted():
            assert not both, (one, other)
            continue
        for index, field in enumerate(fields):
            low, high = ranges.range(field)
            assert all(low <= meant(("field", index), codes) <= high for codes in both), (one, other)
    assert found > 500


A, B = ("field", 0), ("field", 1)


def number(value: int) -> Tree:
    """A number that is known."""
    return ("const", "int", value)


RANGES: list[tuple[list[Tree], tuple[int, int], tuple[int, int]]] = [
    ([], (-2, 1), (0, 4)),
    ([("lt", B, A)], (1, 1), (0, 0)),
    ([("le", B, A)], (0, 1), (0, 1)),
    ([("not_", ("lt", A, B))], (0, 1), (0, 1)),
    ([("not_", ("le", A, B))], (1, 1), (0, 0)),
    ([("eq", A, B)], (0, 1), (0, 1)),
    ([("eq", A, number(0))], (0, 0), (0, 4)),
    ([("lt", A, number(0)), ("lt", B, number(2))], (-2, -1), (0, 1)),
    ([("lt", number(-1), A), ("le", number(3), B)], (0, 1), (3, 4)),
    ([("not_", ("eq", A, number(-2))), ("not_", ("eq", B, number(4)))], (-1, 1), (0, 3)),
    ([("not_", ("eq", A, number(0)))], (-2, 1), (0, 4)),
    ([("and_", ("lt", A, number(0)), ("lt", number(2), B))], (-2, -1), (3, 4)),
    ([("or_", ("lt", A, number(-1)), ("lt", number(0), A)), ("lt", A, number(0))], (-2, -2), (0, 4)),
    ([("or_", ("lt", A, number(-1)), ("lt", number(0), A))], (-2, 1), (0, 4)),
]


@pytest.mark.parametrize(("facts", "first", "second"), RANGES)
def test_ranges_are_exact(facts: list[Tree], first: tuple[int, int], second: tuple[int, int]) -> None:
    graph = Graph()
    ranges = Ranges([built(graph, fact) for fact in facts])
    assert not ranges.refuted()
    assert [ranges.range(built(graph, field)) for field in (A, B)] == [first, second]


def both(*facts: Tree) -> Expression:
    """A conjunction."""
    graph = Graph()
    return graph.all_of([built(graph, fact) for fact in facts])


@pytest.mark.parametrize(
    ("facts", "impossible"),
    [
        ([("lt", A, B), ("lt", B, A)], True),
        ([("lt", A, B), ("le", B, A)], True),
        ([("le", A, B), ("le", B, A)], False),
        ([("not_", ("lt", A, B)), ("not_", ("lt", B, A))], False),
        ([("lt", B, A), ("lt", number(0), B)], True),
        ([("le", B, A), ("lt", number(0), B)], False),
        ([("le", B, A), ("lt", number(1), B)], True),
        ([("eq", A, B), ("lt", A, number(0))], True),
        ([("eq", A, B), ("lt", A, number(1))], False),
        ([("not_", ("eq", A, number(0))), ("eq", A, number(0))], True),
    ],
)
def test_what_is_refuted(facts: list[Tree], impossible: bool) -> None:
    assert refuted(both(*facts)) is impossible
