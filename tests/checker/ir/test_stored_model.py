"""A model that was kept as plain data is the same model: what is made of it later is the same to the byte."""

from __future__ import annotations

import json

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import diagnose
from epochal.checker.ir.model import GraphSize, Model, restored_model, stored_model
from epochal.checker.native.program.program import liveness_program_text, program_text
from epochal.spec.language import Protocol
from epochal.spec.registry import registered
from tests.checker.compile.zoo import ZOO

KEPT = [*ZOO, registered("kip-320"), registered("balancing-kraft"), registered("leader-epoch-cache")]


def graph_of(model: Model) -> list[object]:
    """Every node of a graph, and what negations of nodes are known to be."""
    nodes = [
        (node.id, node.op, [arg.id for arg in node.args], node.value, node.sort, node.low, node.high, node.where)
        for node in model.graph.table.nodes()
    ]
    return [nodes, [(number, node.id) for number, node in model.graph.negations.items()], model.graph.table.where]


@pytest.mark.parametrize("kind", KEPT, ids=lambda kind: kind.__name__)
def test_what_is_kept_is_the_same_model(kind: type[Protocol]) -> None:
    protocol = kind()
    model = compile_protocol(protocol, lemmas=True)
    size, graph = GraphSize.of(model.graph), graph_of(model)
    text = program_text(model)
    restored = restored_model(json.loads(json.dumps(stored_model(model, size))), protocol)
    assert graph_of(restored) == graph
    assert stored_model(restored, size) == stored_model(model, size)
    assert [one.instance for one in restored.instances] == [one.instance for one in model.instances]
    assert [one.member for one in restored.properties] == [one.member for one in model.properties]
    promises = [(one.member, one.arguments) for one in (*model.promises, *model.ends)]
    assert [(one.member, one.arguments) for one in (*restored.promises, *restored.ends)] == promises
    assert diagnose(restored) == diagnose(model)
    assert program_text(restored) == text
    if model.promises:
        fair = {one.instance.number for one in model.instances}
        both = [liveness_program_text(one, one.promises, fair) for one in (restored, model)]
        assert both[0] == both[1]
