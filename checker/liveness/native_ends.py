"""The ends of a state space by machine code: as `ends` says, over the edges that promises are judged on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from epochal.spec.language import Member, Protocol

from ..ir.model import CompiledPromise, Model
from ..native.kernel.promise_ends import BOUNDED, OPEN, OTHER
from ..native.program.promise_program import PROMISES_AT_ONCE
from .edges import Edges
from .ends import deadlock
from .native_graph import NativeGraph, Run
from .passes import ALL
from .result import Ends


@dataclass(frozen=True)
class EndsAsked:
    """What says where a run may end: predicates that are `declared`, or else that no promise waits.

    `judged` are promises that wait wherever a run may not end.
    """

    declared: tuple[Member, ...]
    judged: tuple[CompiledPromise, ...]

    @property
    def promised(self) -> bool:
        """Whether promises say it."""
        return bool(self.judged) and not self.declared

    @property
    def batches(self) -> list[Sequence[CompiledPromise]]:
        """Up to 64 at a time; at least one batch, whose code says what bounds stop."""
        firsts = range(0, max(len(self.judged), 1), PROMISES_AT_ONCE)
        return [self.judged[first : first + PROMISES_AT_ONCE] for first in firsts]

    @property
    def wanted(self) -> int:
        """The kind of the ends that are wrong: if nothing says that any end is right, all that no bound makes."""
        return OTHER if self.judged else OPEN

    def answer(self, protocol: Protocol, kinds: Sequence[int], run: Callable[[], Run]) -> Ends:
        """What is known when the ends of each kind are counted; `run` tells how to come to the first wrong one."""
        kept, bounded, others = kinds if self.judged else (0, kinds[1], kinds[0])
        trace = deadlock(protocol, run(), self.declared, self.promised) if others else None
        return Ends(kept, bounded, others, self.declared, self.promised, trace)


def ends_asked(model: Model) -> EndsAsked:
    """What a model says of where a run may end."""
    declared = tuple(one.member for one in model.ends)
    if not declared:
        return EndsAsked((), model.promised)
    anywhere = model.graph.any_of([one.goal for one in model.ends])
    failures = tuple(failure for one in model.ends for failure in one.failures)
    return EndsAsked(declared, (CompiledPromise(declared[0], (), model.graph.true, anywhere, failures),))


def note_ends(graph: Edges, first: bool) -> None:
    """Note where what was looked at last waits; with the `first` of them, find the ends before."""
    if first:
        graph.every_instance()
        graph.kernel.over_states("find_ends")
    graph.kernel.over_edges("note_ends")


def kinds_of(graph: Edges) -> tuple[int, int, int]:
    """How many ends there are of each kind."""

    def count(kind: int) -> int:
        graph.arrays["wanted"] = kind
        graph.kernel.everywhere()
        return graph.kernel.call("count_ends")

    return count(OPEN), count(BOUNDED), count(OTHER)


def first_end(graph: Edges, kind: int) -> int:
    """The end of a kind that takes the fewest steps to come to; of several, that of the least hash."""
    graph.arrays["wanted"] = kind
    for name in ("best_cost", "best_kind", "best_hash"):
        graph.arrays[name] = ALL
    graph.kernel.over_states("nearest_end")
    return graph.arrays["best"]


def ends_of(
    graph: NativeGraph, look: Callable[[Sequence[CompiledPromise]], None], find_levels: Callable[[], None]
) -> Ends:
    """Find the ends. `look` finds out where up to 64 promises wait, and loads their conditions; `find_levels` has
    `levels` say how many steps a shortest run to each state has."""
    asked = ends_asked(graph.model)
    with graph.arrays.taken({"ends": 4 * graph.states}):
        for number, promises in enumerate(asked.batches):
            look(promises)
            note_ends(graph, number == 0)

        def run() -> Run:
            find_levels()
            return graph.run_to(first_end(graph, asked.wanted))

        return asked.answer(graph.protocol, kinds_of(graph), run)
