"""Expressions as plain data: the same content, whatever order it was made in."""

from __future__ import annotations

import pickle

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.expression import Expression, Op, evaluate, reachable_nodes
from epochal.checker.ir.graph import Graph
from epochal.checker.solver.answer import COMMUTATIVE, Row, Writer, expressions
from epochal.spec.classic.kip_320_proof import Kip320Proof
from epochal.spec.classic.state import ClassicBounds
from tests.checker.solver.reading import random_run


def test_rows_mean_what_the_expressions_mean() -> None:
    """Every rule of KIP-320, written, pickled and read back, has the same values in reachable states."""
    protocol = Kip320Proof(ClassicBounds(2, 2, 2, 1))
    model = compile_protocol(protocol, lemmas=True)
    roots = [one.holds for one in model.properties if not one.of_steps]
    roots += [node for one in model.instances for node in (one.enabled, *one.updates.values())]
    write = Writer()
    numbers = write.all(roots)
    rows: list[Row] = pickle.loads(pickle.dumps(write.rows))
    nodes = expressions(rows, first_id=1000)
    again = [nodes[number] for number in numbers]
    used = {node.op for node in reachable_nodes(again)}
    assert {Op.AND, Op.OR, Op.NOT, Op.EQ, Op.LT, Op.ITE, Op.MEMBER, Op.UNION, Op.FIELD, Op.CONST} <= used
    for codes in random_run(protocol, seed=3, length=25):
        assert evaluate(again, codes) == evaluate(roots, codes)


def leaves(graph: Graph, count: int) -> list[Expression]:
    """Truth values."""
    return [graph.field(i, "bool", 1) for i in range(count)]


def test_the_order_in_which_nodes_were_made_does_not_matter() -> None:
    """Commutative arguments are ordered by what they say; other arguments stay as they are."""

    def formula(graph: Graph, early: int) -> Expression:
        for i in range(early, 4):  # other nodes first: other numbers for all that follow
            graph.and_(graph.field(i, "bool", 1), graph.field((i + 1) % 4, "bool", 1))
        a, b, c, d = leaves(graph, 4)
        x, y = graph.field(4, "int", 5), graph.field(5, "int", 5)
        sums = graph.lt(graph.add(y, x), graph.mul(x, y))
        return graph.all_of([graph.or_(c, a), graph.or_(d, b), sums, graph.lt(graph.min(y, x), graph.sub(x, y))])

    one, other = formula(Graph(), 4), formula(Graph(), 0)
    first, second = Writer(), Writer()
    assert first.digest(one) == second.digest(other)
    first(one)
    second(other)
    assert first.rows == second.rows
    assert [arg.id for arg in one.args] != [arg.id for arg in other.args]


def test_different_content_has_another_digest() -> None:
    """The operator, the arguments, their order where it matters, constants and ranges are all part of it."""
    graph, write = Graph(), Writer()
    x, y = graph.field(0, "int", 5), graph.field(1, "int", 5)
    a, b = leaves(graph, 2)
    found = [
        graph.lt(x, y),
        graph.lt(y, x),
        graph.eq(x, y),
        graph.lt(x, graph.integer(2)),
        graph.lt(x, graph.integer(3)),
        graph.and_(a, b),
        graph.or_(a, b),
        graph.sub(x, y),
        graph.sub(y, x),
    ]
    digests = {write.digest(one) for one in found}
    wider = Graph()
    digests.add(Writer().digest(wider.lt(wider.field(0, "int", 6), wider.field(1, "int", 5))))
    assert len(digests) == len(found) + 1


def test_every_operator_is_commutative_or_not() -> None:
    """A new operator has to be thought about here: whether its arguments may be exchanged."""
    ordered = {
        Op.CONST,
        Op.FIELD,
        Op.OFFSET,
        Op.SUB,
        Op.FLOORDIV,
        Op.MOD,
        Op.LT,
        Op.NOT,
        Op.ITE,
        Op.MEMBER,
        Op.SINGLETON,
        Op.DIFFERENCE,
        Op.CARDINALITY,
        Op.BITS,
    }
    assert ordered | COMMUTATIVE == set(Op)
    assert not ordered & COMMUTATIVE
