"""Promises judged by each judge, from a compiled protocol."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from epochal.checker.base.machine import Stopwatch
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.model import Model
from epochal.checker.liveness import native as native_judge
from epochal.checker.liveness import reference
from epochal.checker.liveness.edges import Refuses
from epochal.checker.liveness.result import Liveness
from epochal.checker.native.engine import NativeModel, load_kernel
from epochal.checker.native.kernel.kernel import Shape
from epochal.checker.native.llvm.jit import Compiler
from epochal.checker.native.tuning import TUNING
from epochal.checker.search.budget import Budget, Deadline
from epochal.checker.search.native import NativeSearch
from epochal.checker.search.result import Options
from epochal.checker.semantics.properties import Assumed, needed
from epochal.checker.trace.trace import Codes, Step
from epochal.spec.language import ActionInstance, Protocol


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


def by_python(model: Model, assumed: Assumed = needed, needs: bool = False, wishes: bool = False) -> Liveness:
    """What the Python judge says."""
    return reference.judge(python_graph(model), model.promises if wishes else model.promised, assumed, needs)


def by_machine(
    protocol: Protocol,
    assumed: Assumed = needed,
    workers: int = 1,
    refuses: Refuses = lambda _: "",
    needs: bool = False,
    wishes: bool = False,
    deadlock: bool = False,
    folder: Path | None = None,
) -> Liveness:
    """What the native judge says after a search by so many workers."""
    compiler = Compiler()
    model = compile_protocol(protocol)
    shape = Shape(model.layout.words, bool(protocol.members("constraint")))
    options = Options(workers=workers, all_violations=True)
    tuning = replace(TUNING, share_from=50) if workers > 1 else TUNING
    search = NativeSearch(NativeModel(model, compiler), load_kernel(compiler, shape), options, None, tuning)
    try:
        assert search.explore(Budget(options, Stopwatch(), Deadline(None, None, None, None))) is None
        return native_judge.judge(
            search.native,
            search.pool,
            search.run_to,
            promises=model.promises if wishes else None,
            assumed=assumed,
            needs=needs,
            deadlock=deadlock,
            folder=folder,
            refuses=refuses,
        )
    finally:
        search.close()
