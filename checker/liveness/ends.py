"""States where nothing more happens: which of them are all right, and which only the bounds of the model make.

An end is a state without a step that changes something. Where nothing but a bound stops a step, or every step leaves
the constraint, the system would go on: such an end is the model's. Of the others a protocol says by `@ends` where a run
may end. If it does not, but has liveness properties, a run may end wherever none of them waits for its goal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from epochal.spec.language import Member, Protocol
from epochal.spec.language.protocol import evaluated

from ..ir.model import CompiledLiveness
from ..trace.run import DEADLOCK, PlainRun
from ..trace.trace import Trace
from .lasso import OUTSIDE
from .reference import ReferenceGraph, waiting_in
from .result import Ends


def deadlock(protocol: Protocol, run: PlainRun, declared: Sequence[Member], promised: bool) -> Trace:
    """The run to a state where nothing more happens and should."""
    if declared:
        note = f"A run may end in other states: {', '.join(member.name for member in declared)}."
    else:
        note = (
            "A liveness property waits for its goal here."
            if promised
            else "Nothing says that a run may end here (@ends)."
        )
    initial, steps = run
    return Trace(protocol, initial, steps, "", DEADLOCK, note)


def by_python(graph: ReferenceGraph, promises: Iterable[CompiledLiveness]) -> Ends:
    """The ends of a state space in the Python semantics. Raises EvaluationError where a predicate cannot be
    evaluated."""
    protocol, declared = graph.protocol, graph.protocol.members("ends")
    promises = () if declared else tuple(promises)
    waiting = set[int]().union(*(waiting_in(graph, promise)[1] for promise in promises))
    kept, bounded, others = 0, 0, list[int]()
    for state in range(len(graph.states)):
        explored, view = graph.explored(state), protocol.at(graph.codes(state))
        told = [bool(evaluated(member.function, view)) for member in declared]  # everywhere, as other predicates are
        if any(target != OUTSIDE for _, target in explored.steps):
            continue
        right = any(told) if declared else bool(promises) and state not in waiting
        if explored.steps or explored.stopped:
            bounded += 1
        elif right:
            kept += 1
        else:
            others.append(state)
    trace = None
    if others:
        first = min(others, key=lambda state: (graph.level(state), graph.hash(state)))
        trace = deadlock(protocol, graph.run_to(first), declared, bool(promises))
    return Ends(kept, bounded, len(others), tuple(declared), bool(promises), trace)
