"""The edges between the states of a native search, made again once, and what else of the graph a run is told with."""

from __future__ import annotations

import bisect
import ctypes
from collections.abc import Callable, Sequence

from epochal.checker.trace.trace import Codes, Step
from epochal.spec.language import Protocol

from ..ir.digest import state_hash
from ..ir.evaluate import evaluate
from ..ir.model import CompiledInstance
from ..native.engine import NativeModel
from ..native.kernel import promise_vocabulary as vocabulary
from ..native.kernel.promise_kernel import promise_kernel_text
from ..native.kernel.vocabulary import LOCAL_BITS
from ..native.program.promise_program import labelled
from ..native.runtime.context import SuccessorBuffer, Words
from ..native.runtime.memory import Region
from ..native.runtime.worker_pool import BUFFERED, WorkerPool
from .lasso import OUTSIDE, Explored
from .native_arrays import Arrays, Context, Kernel, NotJudged, Refuses, place

Run = tuple[Codes, tuple[Step, ...]]
RunTo = Callable[[int], Run]
EDGES_AT_ONCE = 1 << 18
"""After so many states somebody looks at the budgets."""

MOVED_AT_ONCE = 1 << 24
"""So many bytes of edges are moved before memory is given back."""

EDGE_BYTES, STATE_BYTES, COMPONENT_BYTES, MARK_BYTES, CYCLE_BYTES = 6, 8, 12, 16, 4
"""What judging takes: for an edge, for a state, for it while components are found, while promises are judged, and
besides if there are components."""


class NativeGraph:
    """The states of all workers by dense numbers, and the steps between them."""

    def __init__(self, native: NativeModel, pool: WorkerPool, run_to: RunTo, refuses: Refuses) -> None:
        self.native, self.model, self.pool = native, native.model, pool
        self.protocol: Protocol = native.model.protocol
        self._run_to = run_to
        counts = [worker.store.count for worker in pool.workers]
        self.bases = [sum(counts[:i]) for i in range(len(counts))]
        self.states = sum(counts)
        if self.states >= vocabulary.STAYS:
            raise NotJudged(f"promises are judged on fewer than {vocabulary.STAYS:,} states")
        self.labels: tuple[CompiledInstance, ...] = labelled(self.model)
        self.arrays = Arrays(refuses)
        words = self.model.layout.words
        text = promise_kernel_text(words, pool.size > 1)
        code = native.compiler.load(native.compiler.compile_and_keep(text, 2, True))
        stretches = [
            (worker.store.address, base, base + count)
            for worker, base, count in zip(pool.workers, self.bases, counts, strict=True)
        ]
        self.kernel = Kernel(code, self.arrays, stretches, self._levels(), pool.threads)
        self._buffers = [SuccessorBuffer(words, native.out_degree + BUFFERED) for _ in pool.workers]
        self.by = Words(len(self.labels))
        self._number_bases = Words(1 << (pool.size - 1).bit_length())
        for i, base in enumerate(self.bases):
            self._number_bases[i] = base
        arrays, context = self.arrays, pool.workers[0].context
        arrays["states"], arrays["by"] = self.states, self.by.address
        for name in ("table", "slots", "workers", "parts", "index_bits", "record_bases", "out_degree"):
            arrays[name] = context[name]
        arrays["number_bases"], arrays["step"] = self._number_bases.address, native.program.address("step")
        arrays["buffer_entries"] = self._buffers[0].entries

    def _levels(self) -> list[tuple[int, int]]:
        """The first and last number of each level's states of each worker, in the order of levels."""
        if self.pool.size == 1:
            return [(0, self.states)]
        found, before = list[tuple[int, int]](), (0,) * self.pool.size
        for ends in self.pool.ends:
            parts = zip(self.bases, before, ends, strict=True)
            found += [(base + first, base + end) for base, first, end in parts if first < end]
            before = ends
        if sum(end - first for first, end in found) != self.states:
            raise RuntimeError("the levels of the search are not its states; please report this")
        return found

    @property
    def needed(self) -> int:
        """An estimate, never too low, of the memory that judging takes if no promise is broken."""
        return self._edges_and(max(COMPONENT_BYTES, MARK_BYTES + CYCLE_BYTES))

    @property
    def needed_at_once(self) -> int:
        """The same if components are found while promises are looked at."""
        return self._edges_and(COMPONENT_BYTES + MARK_BYTES)

    def _edges_and(self, more: int) -> int:
        return EDGE_BYTES * self.pool.transitions + (STATE_BYTES + more) * self.states

    def make_edges(self, check: Callable[[], None]) -> None:
        """Make every step again, each worker those of its states. `check` is called now and then, and may raise."""
        arrays, pool = self.arrays, self.pool
        room = pool.transitions + self._buffers[0].entries
        arrays.take("offsets", 8 * (self.states + 1))
        if arrays.folder is not None:
            self._make_edges_in_files(room, check)
            return
        targets = arrays.take("targets", 4 * room * pool.size, used=4 * room)
        labels = arrays.take("labels", 2 * room * pool.size, used=2 * room)
        contexts, ended = [arrays.copy() for _ in pool.workers], list[bool]()
        for i, (context, stretch) in enumerate(zip(contexts, self.kernel.stretches, strict=True)):
            place(context, stretch)
            context["buffer"] = self._buffers[i].address
            context["cursor"], context["edges"], context["room"] = context["first"], i * room, (i + 1) * room

        def job(number: int) -> None:
            try:
                self._edges(contexts[number], check if number == 0 else lambda: None, ended)
            except BaseException:
                ended.append(True)
                raise

        pool.threads.run(job)
        filled = contexts[0]["edges"]
        for i, context in enumerate(contexts[1:], start=1):
            made = context["edges"] - i * room
            for region, size in ((targets, 4), (labels, 2)):
                _move(region, size * filled, size * i * room, size * made)
            context["found"] = i * room - filled
            self.kernel.call("shift", context)
            filled += made
        self._note(filled, sum(context["missing"] for context in contexts))

    def _make_edges_in_files(self, room: int, check: Callable[[], None]) -> None:
        """The same one worker after the other: each would need room for all edges, and a file has all that it may."""
        self.arrays.take("targets", 4 * room)
        self.arrays.take("labels", 2 * room)
        context = self.arrays.copy()
        context["buffer"], context["room"] = self._buffers[0].address, room
        for stretch in self.kernel.stretches:
            place(context, stretch)
            context["cursor"] = context["first"]
            self._edges(context, check, [])
        self._note(context["edges"], context["missing"])

    def _note(self, edges: int, missing: int) -> None:
        self.arrays["edges"], self.arrays["missing"] = edges, missing
        if missing and not self.protocol.members("constraint"):
            raise RuntimeError("a step leads to a state that the search has not found; please report this")

    def _edges(self, context: Context, check: Callable[[], None], ended: list[bool]) -> None:
        while context["cursor"] < context["end"] and not ended:
            check()
            context["stop_at"] = min(context["cursor"] + EDGES_AT_ONCE, context["end"])
            before = context["cursor"]
            self.kernel.call("edges", context)
            if context["cursor"] == before:
                raise RuntimeError("there are more steps than the search has taken; please report this")

    def every_instance(self) -> None:
        """Let `by` have a bit for every instance."""
        self.by.put([1] * len(self.labels))

    # -- what runs are told with ----------------------------------------------------------------------------------

    def name(self, state: int) -> int:
        """The name by which the search knows a state."""
        worker = bisect.bisect_right(self.bases, state) - 1
        while self.pool.workers[worker].store.count <= state - self.bases[worker]:
            worker -= 1
        return worker << LOCAL_BITS | state - self.bases[worker]

    def words(self, state: int) -> Sequence[int]:
        """The words of a state."""
        return self.pool.state(self.name(state))

    def codes(self, state: int) -> Codes:
        """A state itself."""
        return self.model.layout.unpack(self.words(state))

    def hash(self, state: int) -> int:
        """The hash by which the search breaks ties."""
        return state_hash(self.words(state))

    def run_to(self, state: int) -> Run:
        """The run to a state that the search has kept."""
        return self._run_to(self.name(state))

    def level(self, state: int) -> int:
        """How many steps a shortest run to a state has."""
        return self.narrow("levels", state)

    def narrow(self, array: str, index: int) -> int:
        """An element of an array of 32-bit numbers."""
        return ctypes.c_uint32.from_address(self.arrays[array] + 4 * index).value

    def explored(self, state: int) -> Explored:
        """The steps from a state, and what only a bound stops there."""
        offsets = (ctypes.c_uint64 * 2).from_address(self.arrays["offsets"] + 8 * state)
        steps = []
        for edge in range(offsets[0], offsets[1]):
            label = ctypes.c_uint16.from_address(self.arrays["labels"] + 2 * edge).value
            target = self.narrow("targets", edge)
            number = self.labels[label].instance.number
            steps.append((number, OUTSIDE if target == vocabulary.OUTSIDE else target))
        bounded = [one for one in self.labels if one.stopped is not None]
        truths = evaluate([one.stopped for one in bounded if one.stopped is not None], self.codes(state))
        stopped = frozenset(one.instance.number for one, holds in zip(bounded, truths, strict=True) if holds)
        return Explored(tuple(sorted(steps)), stopped)

    def close(self) -> None:
        """Free all memory."""
        self.arrays.close()


def _move(region: Region, to: int, start: int, size: int) -> None:
    """Move bytes of a region towards its beginning, not onto themselves, and give the memory back where they were."""
    for done in range(0, size, MOVED_AT_ONCE):
        part = min(MOVED_AT_ONCE, size - done)
        ctypes.memmove(region.address + to + done, region.address + start + done, part)
        region.forget(start + done, part)
