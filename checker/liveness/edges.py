"""The edges between the states of workers, made again once: what promises are judged on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from ..native.kernel import promise_vocabulary as vocabulary
from ..native.llvm.jit import MachineCode
from ..native.runtime.context import SuccessorBuffer, Words
from ..native.runtime.worker import BUFFERED
from ..native.runtime.worker_pool import WorkerPool
from .native_arrays import Arrays, Context, Kernel, NotJudged, Refuses, Stretch, place

EDGES_AT_ONCE = 1 << 18
"""After so many states somebody looks at the budgets."""

EDGE_BYTES, STATE_BYTES, COMPONENT_BYTES, MARK_BYTES, CYCLE_BYTES = 6, 8, 12, 16, 4
"""What judging takes: for an edge, for a state, for it while components are found, while promises are judged, and
besides if there are components."""


class Edges:
    """The states of all workers by numbers, and the steps between them.

    The numbers of a worker's states follow each other. After those of each but the last a number is left out, so that
    what is between their edges belongs to nobody: `states` counts these `gaps`, too.

    `kernel` is what `promise_kernel` makes, `labels` how many instances edges are labelled with. `constrained` says
    that steps may lead outside. Of a single worker only the first `expanded` states have edges, if not all do.
    `step` is the address of the code that takes the steps of a state, and `eight_steps` of that which takes them of
    eight at once, if that is faster.
    """

    def __init__(
        self,
        pool: WorkerPool,
        kernel: MachineCode,
        step: int,
        labels: int,
        constrained: bool,
        refuses: Refuses,
        expanded: int | None = None,
        eight_steps: int = 0,
    ) -> None:
        self.pool, self._constrained = pool, constrained
        counts = [worker.store.count for worker in pool.workers]
        self.bases = [sum(counts[:i]) + i for i in range(len(counts))]
        self.gaps = [base - 1 for base in self.bases[1:]]
        self.states = sum(counts) + len(self.gaps)
        self.expanded = self.states if expanded is None else expanded
        if self.states >= vocabulary.STAYS:
            raise NotJudged(f"promises are judged on fewer than {vocabulary.STAYS:,} states")
        self.arrays = Arrays(refuses)
        stretches = [
            (worker.store.address, base, base + count)
            for worker, base, count in zip(pool.workers, self.bases, counts, strict=True)
        ]
        if expanded is not None:
            stretches = [(pool.workers[0].store.address, 0, expanded)]
        self.kernel = Kernel(kernel, self.arrays, pool.workers[0].store.words, stretches, self._levels(), pool.threads)
        entries = pool.workers[0].group * pool.workers[0].context["out_degree"] + BUFFERED
        self._buffers = [SuccessorBuffer(worker.store.words, entries) for worker in pool.workers]
        self.labels = labels
        self.by = Words(labels)
        self._number_bases = Words(1 << (pool.size - 1).bit_length())
        for i, base in enumerate(self.bases):
            self._number_bases[i] = base
        arrays, context = self.arrays, pool.workers[0].context
        arrays["states"], arrays["by"] = self.states, self.by.address
        for name in ("table", "slots", "workers", "parts", "index_bits", "record_bases", "out_degree"):
            arrays[name] = context[name]
        arrays["number_bases"], arrays["step"] = self._number_bases.address, step
        arrays["eight_steps"], arrays["column_room"] = eight_steps, context["column_room"]
        arrays["buffer_entries"] = self._buffers[0].entries

    def _levels(self) -> list[tuple[int, int]]:
        """The first and last number of each level's states of each worker, in the order of levels."""
        if self.pool.size == 1:
            return [(0, self.expanded)]
        found, before = list[tuple[int, int]](), (0,) * self.pool.size
        for ends in self.pool.ends:
            parts = zip(self.bases, before, ends, strict=True)
            found += [(base + first, base + end) for base, first, end in parts if first < end]
            before = ends
        if sum(end - first for first, end in found) + len(self.gaps) != self.states:
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
        arrays.take("targets", 4 * room * pool.size, used=4 * room)
        arrays.take("labels", 2 * room * pool.size, used=2 * room)
        contexts, ended = [arrays.copy() for _ in pool.workers], list[bool]()
        for i, (context, stretch) in enumerate(zip(contexts, self.kernel.stretches, strict=True)):
            context["buffer"], context["room"] = self._buffers[i].address, (i + 1) * room
            context["columns"] = pool.workers[i].context["columns"]
            self._begin(context, stretch, i * room)

        def job(number: int) -> None:
            try:
                self._edges(contexts[number], check if number == 0 else lambda: None, ended)
            except BaseException:
                ended.append(True)
                raise

        pool.threads.run(job)
        self._note(contexts)

    def _make_edges_in_files(self, room: int, check: Callable[[], None]) -> None:
        """The same one worker after the other: each would need room for all edges, and a file has all that it may."""
        self.arrays.take("targets", 4 * room)
        self.arrays.take("labels", 2 * room)
        context = self.arrays.copy()
        context["buffer"], context["room"] = self._buffers[0].address, room
        context["columns"] = self.pool.workers[0].context["columns"]
        for stretch in self.kernel.stretches:
            self._begin(context, stretch, context["edges"])
            self._edges(context, check, [])
        self._note([context])

    def _begin(self, context: Context, stretch: Stretch, edge: int) -> None:
        """Have the edges of a stretch begin at a place."""
        place(context, stretch)
        context["cursor"], context["edges"] = context["first"], edge
        ctypes.c_uint64.from_address(self.arrays["offsets"] + 8 * context["first"]).value = edge

    def _note(self, contexts: Sequence[Context]) -> None:
        self.arrays["missing"] = sum(context["missing"] for context in contexts)
        if self.arrays["missing"] and not self._constrained:
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
        self.by.put([1] * self.labels)

    def narrow(self, array: str, index: int) -> int:
        """An element of an array of 32-bit numbers."""
        return ctypes.c_uint32.from_address(self.arrays[array] + 4 * index).value

    def close(self) -> None:
        """Free all memory."""
        self.arrays.close()
