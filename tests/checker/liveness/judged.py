"""Promises judged by each judge, from a compiled protocol."""

from __future__ import annotations

from epochal.checker.ir.model import Model
from epochal.checker.liveness import reference
from epochal.checker.liveness.fairness import Assumed, needed
from epochal.checker.liveness.result import Liveness
from epochal.checker.trace.trace import Codes, Step
from epochal.spec.language import ActionInstance


def python_graph(model: Model) -> reference.ReferenceGraph:
    """All states within the constraint, found by a search as simple as can be."""
    protocol = model.protocol
    constraint = protocol.members("constraint")
    came: dict[Codes, tuple[Codes, ActionInstance] | None] = dict.fromkeys(protocol.initial_states())
    for codes in (queue := list(came)):
        for instance, after in protocol.successors(codes):
            if after not in came and all(one.function(protocol.at(after)) for one in constraint):
                came[after] = (codes, instance)
                queue.append(after)

    def run_of(codes: Codes) -> tuple[Codes, tuple[Step, ...]]:
        steps: list[Step] = []
        while (before := came[codes]) is not None:
            steps.append(Step(before[1], codes))
            codes = before[0]
        return codes, tuple(reversed(steps))

    return reference.ReferenceGraph(protocol, queue, run_of)


def by_python(model: Model, assumed: Assumed = needed) -> Liveness:
    """What the Python judge says."""
    return reference.judge(python_graph(model), model.promises, assumed)
