"""Every operator of the expression graph occurs in some specification, and has its row in every walker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from epochal.checker.ir.expression import MEANING, Expression, Op, reachable_nodes
from epochal.checker.ir.model import Model
from epochal.checker.native.llvm.instructions import Instructions
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.spec.registry import registered
from tests.checker.compile.agreement import agreement
from tests.checker.compile.zoo import ZOO
from tests.families import SPREAD

pytestmark = pytest.mark.xdist_group("agreement")
"""One process compiles every specification, for these tests and those of the readings."""


def expressions(model: Model) -> Iterator[Expression]:
    """Everything that a model evaluates."""
    for compiled in model.instances:
        yield compiled.enabled
        yield from compiled.updates.values()
        yield from (failure.condition for failure in compiled.failures)
    for property in model.properties:
        yield property.holds
        yield from property.on_step.values()
    yield model.constraint


@pytest.fixture(scope="module")
def used() -> set[Op]:
    protocols = [*ZOO, *(registered(name) for name in SPREAD)]
    models = [agreement(protocol).model for protocol in protocols]
    return {node.op for model in models for node in reachable_nodes(list(expressions(model)))}


@pytest.mark.parametrize("op", list(Op), ids=lambda op: op.value)
def test_operator_is_used_by_a_specification(op: Op, used: set[Op]) -> None:
    assert op in used


@pytest.mark.parametrize("op", list(Op), ids=lambda op: op.value)
def test_operator_has_a_meaning_and_a_printer(op: Op) -> None:
    model = agreement(ZOO[0]).model
    assert op in ExpressionWriter(Instructions("void @f()"), model.layout, [])._table
    assert op in MEANING or op in (Op.CONST, Op.FIELD)
