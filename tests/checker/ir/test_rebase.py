"""Copies of expressions in another graph mean the same, operator by operator, and are found if they are there."""

from __future__ import annotations

import random

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.expression import Op, evaluate, reachable_nodes
from epochal.checker.ir.graph import Graph
from epochal.checker.ir.model import COPY, Rebase
from epochal.spec.classic.kip_279 import Kip279
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicBounds
from tests.checker.solver.test_terms import LEAVES, operators


def test_every_operator_is_copied() -> None:
    assert set(COPY) == set(Op)
    graph, other = Graph(), Graph()
    originals = operators(graph)
    assert {node.op for node in reachable_nodes(list(originals.values()))} == set(Op)
    copy = Rebase(other)
    copies = [copy(node) for node in originals.values()]
    dice = random.Random(5)
    for _ in range(200):
        codes = [dice.randrange(leaf.domain.size) for leaf in LEAVES.leaves]
        assert evaluate(copies, codes) == evaluate(list(originals.values()), codes)


def test_what_is_there_is_found() -> None:
    """A copy into a graph of the same specification makes no new node for what both have."""
    bounds = ClassicBounds(2, 1, 1, 1)
    one, other = compile_protocol(Kip320(bounds)), compile_protocol(Kip320(bounds))
    copy = Rebase(one.graph)
    for ours, theirs in zip(one.instances, other.instances, strict=True):
        assert copy(theirs.enabled) is ours.enabled
        assert all(copy(value) is ours.updates[leaf] for leaf, value in theirs.updates.items())
    older = compile_protocol(Kip279(bounds))
    copy = Rebase(one.graph)
    changed = {
        a.instance.action.name
        for a, b in zip(one.instances, older.instances, strict=False)
        if a.instance.label == b.instance.label and copy(b.enabled) is not a.enabled
    }
    assert "elect_leader" not in changed and changed


def test_lines_are_kept() -> None:
    model = compile_protocol(Kip320(ClassicBounds(2, 1, 1, 1)))
    node = next(g.condition for c in model.instances for g in c.guards if g.condition.where is not None)
    assert Rebase(Graph())(node).where == node.where
