"""The ends of a state space by machine code: as `ends` says, over the edges that promises are judged on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.model import CompiledPromise
from ..native.kernel.promise_ends import BOUNDED, OPEN, OTHER
from ..native.program.promise_program import PROMISES_AT_ONCE
from .ends import deadlock
from .native_graph import NativeGraph
from .result import Ends

ALL = (1 << 64) - 1


def ends_of(
    graph: NativeGraph, look: Callable[[Sequence[CompiledPromise]], None], find_levels: Callable[[], None]
) -> Ends:
    """Find the ends. `look` finds out where up to 64 promises wait, and loads their conditions; `find_levels` has
    `levels` say how many steps a shortest run to each state has."""
    arrays, kernel, model = graph.arrays, graph.kernel, graph.model
    declared = [one.member for one in model.ends]
    promises = () if declared else model.promised
    if declared:
        anywhere = model.graph.any_of([one.goal for one in model.ends])
        failures = tuple(failure for one in model.ends for failure in one.failures)
        judged: Sequence[CompiledPromise] = [CompiledPromise(declared[0], (), model.graph.true, anywhere, failures)]
    else:
        judged = promises
    with arrays.taken({"ends": 4 * graph.states}):
        for first in range(0, max(len(judged), 1), PROMISES_AT_ONCE):
            look(judged[first : first + PROMISES_AT_ONCE])
            if first == 0:
                graph.every_instance()
                kernel.over_states("find_ends")
            kernel.over_edges("note_ends")

        def count(kind: int) -> int:
            arrays["wanted"] = kind
            kernel.everywhere()
            return kernel.call("count_ends")

        kinds = (count(OPEN), count(BOUNDED), count(OTHER))
        said = bool(judged)  # else nothing says that any end is all right
        kept, bounded, others = kinds if said else (0, kinds[1], kinds[0])
        trace = None
        if others:
            find_levels()
            arrays["wanted"] = OTHER if said else OPEN
            for name in ("best_cost", "best_kind", "best_hash"):
                arrays[name] = ALL
            kernel.over_states("nearest_end")
            trace = deadlock(graph.protocol, graph.run_to(arrays["best"]), declared, bool(promises))
    return Ends(kept, bounded, others, tuple(declared), bool(promises), trace)
