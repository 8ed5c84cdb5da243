"""The workers of a search: each with its own records, tables and counters, and what they share."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..engine import PROPERTIES, STEPS, Kind, SearchCode
from ..kernel.kernel import STOP, STRIDE, TAKEN
from ..kernel.lookup import PART_WORDS, PLACE_WORDS
from ..kernel.vocabulary import LOCAL_BITS, Variant
from ..llvm.jit import MachineCode
from ..llvm.lanes import LANES
from ..tuning import TUNING, Tuning
from .memory import Region, Words
from .threads import Threads
from .worker import MASK, Capacity, Demand, KernelFinding, Slack, Totals, Worker, demand, is_full

EIGHT: dict[Kind, str] = {PROPERTIES: "eight", STEPS: "eight_steps"}
"""What code for eight states at once is called, and its slot in the context of the kernel."""

TRIALS = 5
"""How often a trial is made: the least time counts, which others on the machine have disturbed least."""

AHEAD = 16
"""Memory of several workers grows by one part in so many more than is needed: all grow together."""

COUNTED_TOGETHER = 1 << 16
"""From so many states of a level on, all workers count theirs at the same time: to begin a job takes a while too."""


class WorkerPool:
    """Workers that share a search.

    `ends` has for every level that is complete the number of records that each worker had at its end. `before` are the
    counters of what was explored before this pool took over. With `spill`, records are kept in files in that folder.
    """

    def __init__(
        self,
        code: SearchCode,
        kernel: MachineCode,
        size: int,
        before: Totals,
        tuning: Tuning = TUNING,
        spill: Path | None = None,
        compacted: bool = False,
    ) -> None:
        self.size = size
        self.before = before
        self.tuning = tuning
        self.ends: list[tuple[int, ...]] = []
        self.workers = [Worker(code, kernel, i, size, tuning, spill, compacted) for i in range(size)]
        self._code, self._compacted = code, compacted
        self._record_bases = (ctypes.c_uint64 * (1 << (size - 1).bit_length()))()
        self._parts, self._level_ends = Words(PART_WORDS * size), Words(len(self._record_bases))
        self._places = Words(PLACE_WORDS * len(self._record_bases))
        self._cursors, self._signals = Words(STRIDE * size), Words(STOP + 1)
        self._held = [0] * size
        for worker in self.workers:
            context = worker.context
            context["record_bases"], context["parts"] = ctypes.addressof(self._record_bases), self._parts.address
            context["places"] = self._places.address
            context["level_ends"], context["cursors"] = self._level_ends.address, self._cursors.address
            context["signals"] = self._signals.address
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._expand = kernel.function(Variant.of(size).named("expand"), None, pointer)
        self._insert = kernel.function(Variant.ALONE.named("insert"), None, pointer, pointer, word)
        self._evaluate = kernel.function("evaluate", word, pointer, word, word, word)
        self._trial = kernel.function("trial", word, pointer, word, word, word)
        self._trial_steps = kernel.function("trial_steps", None, pointer, word, word, word)
        self.threads = Threads(size, self._abandon)
        batch, shared = self.workers[0].in_flight, tuning.slack // size if size > 1 else 0
        # In a part of the table there must be room for a batch of each worker: all of them may belong there.
        self._slack = Slack(batch + shared, size * batch + shared, AHEAD if size > 1 else 0)
        self.use(code.program)
        self.publish()

    def _abandon(self) -> None:
        self._signals[STOP] = 1

    def use(self, program: MachineCode) -> None:
        """Expand states and evaluate properties with this code from now on."""
        names = ("step", "judge", "within", *(("canonical_eight",) if self._code.symmetric else ()))
        for worker in self.workers:
            for name in names:
                worker.context[name] = program.address(name)

    def use_eight(self, kind: Kind, code: MachineCode | None) -> None:
        """Evaluate properties on eight states at once with this code from now on, or take the steps of eight, which
        must be in groups; with None, of each state alone."""
        name = EIGHT[kind]
        for worker in self.workers:
            worker.context[name] = code.address(name) if code is not None else 0

    @property
    def grouped(self) -> bool:
        """Whether steps are taken of groups of eight states."""
        return self.workers[0].group == LANES

    def eight_is_faster(self, kind: Kind, states: int) -> bool:
        """Whether the code for eight that the first worker uses takes less time for the newest of so many states than
        looking at each alone."""
        trial = self._trial if kind == PROPERTIES else self._trial_steps
        worker = self.workers[0]
        count, at = worker.store.count, worker.context[EIGHT[kind]]
        first = count - min(states, count) // LANES * LANES
        seconds: dict[int, float] = {0: math.inf, at: math.inf}
        for _ in range(TRIALS):
            for eight in seconds:
                begun = time.perf_counter()
                trial(worker.context.address, eight, first, count)
                seconds[eight] = min(seconds[eight], time.perf_counter() - begun)
        return seconds[at] < seconds[0]

    def look_for(self, pending: int) -> None:
        """Evaluate the properties with these bits."""
        for worker in self.workers:
            worker.context["pending"] = pending

    def publish(self) -> None:
        """Tell every worker where the records of all of them are, and the parts of the table."""
        for i, worker in enumerate(self.workers):
            self._record_bases[i] = worker.store.address
            first = i << worker.context["index_bits"]
            self._places[PLACE_WORDS * i] = (worker.store.address - first * worker.store.record_bytes) & MASK
            self._places[PLACE_WORDS * i + 1] = first + worker.context["level_end"]
            for j, value in enumerate(worker.store.table):
                self._parts[PART_WORDS * i + j] = value

    def settle(self) -> None:
        """After an interruption, which may have come while memory moved: tell again where everything lies.

        What is known of the states is right then; nothing more can be expanded.
        """
        for worker in self.workers:
            worker.store.publish()
        self.publish()

    # -- searching ------------------------------------------------------------------------------------------------

    def end_level(self, adopted: bool = False) -> None:
        """The next frontier is complete, and becomes the frontier; `adopted` if another pool has found it."""
        if self.queue >= COUNTED_TOGETHER:
            self.threads.run(lambda i: self.workers[i].count_discovered(adopted))
        else:
            for worker in self.workers:
                worker.count_discovered(adopted)
        self.ends.append(tuple(worker.store.count for worker in self.workers))
        if self._compacted:
            for i, entries in enumerate(self._occupancies):
                self._held[i] += entries
                self.workers[i].store.hold(self._held[i])
            self.publish()
        for i, worker in enumerate(self.workers):
            first = worker.context["level_end"]
            worker.context["cursor"] = self._cursors[STRIDE * i] = first
            worker.context["level_end"] = self._level_ends[i] = worker.store.count
            worker.store.end_level(first)
            if self._compacted:
                worker.occupancy.clear()
        self.publish()

    @property
    def queue(self) -> int:
        """How many states are not expanded yet."""
        return sum(worker.store.count for worker in self.workers) - self._expanded

    @property
    def level_done(self) -> bool:
        """Whether every state of the frontier is expanded."""
        return self._expanded == sum(worker.context["level_end"] for worker in self.workers)

    @property
    def _expanded(self) -> int:
        """How many states have been expanded."""
        if self.size == 1:
            return self.workers[0].context["cursor"]
        taken = sum(min(self._cursors[STRIDE * i], self._level_ends[i]) for i in range(self.size))
        return taken - sum(worker.context["batch_end"] - worker.context["batch"] for worker in self.workers)

    def insert(self, state: Sequence[int], predecessor: int, hash: int) -> None:
        """Insert an initial state. One worker must be alone. Raises MemoryError or OSError if there is no room."""
        worker = self.workers[0]
        worker.buffer.put(0, state, (predecessor, hash, 0))
        if self.full:
            self.grow()
        before = worker.store.count
        self._insert(worker.context.address, worker.buffer.address, 1)
        self._evaluate(worker.context.address, before, worker.store.count, 1)

    def expand(self, quantum: int) -> None:
        """Expand about so many states for each worker, fewer at the end of the frontier or if one is full.

        None may be full before.
        """
        if self.size == 1:
            self.workers[0].context["stop_at"] = self.workers[0].context["cursor"] + quantum
        else:
            self._signals[TAKEN] = self._signals[STOP] = 0
            shares = [capacity.entry_slack // self.size for capacity in self.capacities]
            for worker in self.workers:
                worker.context["quantum"] = self.size * quantum
                worker.limits.put([n + share for n, share in zip(worker.occupancy[:], shares, strict=True)])
        self.threads.run(lambda i: self._expand(self.workers[i].context.address))

    # -- capacity -------------------------------------------------------------------------------------------------

    @property
    def _occupancies(self) -> list[int]:
        """How many states are in each part of the table."""
        if self.size == 1:
            return [self.workers[0].store.count - self.workers[0].store.older]
        return [sum(inserted) for inserted in zip(*(worker.occupancy[:] for worker in self.workers), strict=True)]

    @property
    def capacities(self) -> list[Capacity]:
        """What each worker has, and has room for."""
        return [w.store.capacity(entries) for w, entries in zip(self.workers, self._occupancies, strict=True)]

    @property
    def full(self) -> bool:
        """Whether some worker needs more room before it can expand states."""
        return any(is_full(capacity, self._slack) for capacity in self.capacities)

    @property
    def growth_bytes(self) -> int:
        """The memory that the next growth of the tables takes."""
        return sum(
            worker.store.growth_bytes(demand(capacity, self._slack))
            for worker, capacity in zip(self.workers, self.capacities, strict=True)
        )

    def grow(self) -> None:
        """Make room for more states. Raises MemoryError or OSError if there can be no more."""
        failures: list[BaseException] = []
        demands = [demand(capacity, self._slack) for capacity in self.capacities]

        def grow(i: int) -> None:
            try:
                self.workers[i].store.grow(demands[i])
            except (MemoryError, OSError) as error:
                failures.append(error)

        try:
            self.threads.run(grow)
        finally:
            self.publish()
        if failures:
            raise failures[0]

    def reserve(self, number: int, records: int, tables: bool) -> int:
        """Make room for so many records of a worker and, with `tables`, for their states in any part of the table.

        The result is how many more states every part has room for. Raises MemoryError or OSError if there is no more.
        """
        for i, capacity in enumerate(self.capacities):
            more = records if i == number else 0
            wanted = Demand(capacity.records + more, capacity.entries + records if tables else 0)
            self.workers[i].store.grow(wanted)
        self.publish()
        return min(capacity.entry_slack for capacity in self.capacities)

    # -- what is known --------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many states there are."""
        return sum(worker.store.count for worker in self.workers)

    @property
    def transitions(self) -> int:
        """How many steps have been taken."""
        return sum(self.before.steps) + sum(sum(worker.steps[:]) for worker in self.workers)

    def totals(self) -> Totals:
        """The counters of all workers and of what was before."""
        return sum((worker.totals() for worker in self.workers), self.before)

    def findings(self) -> list[KernelFinding]:
        """The least finding of each kind, of those that have not been forgotten."""
        least: dict[int, KernelFinding] = {}
        for worker in self.workers:
            for found in worker.findings():
                if found.slot not in least or found.key < least[found.slot].key:
                    least[found.slot] = found
        return [least[slot] for slot in sorted(least)]

    def forget_findings(self) -> None:
        """They have been taken over."""
        for worker in self.workers:
            worker.forget_findings()

    def state(self, name: int) -> Sequence[int]:
        """The words of the state with a name."""
        return self.workers[name >> LOCAL_BITS].store.state(name & (1 << LOCAL_BITS) - 1)

    def predecessor(self, name: int) -> tuple[int | None, int]:
        """The name of the state that a state was reached from, None for an initial one; and the instance."""
        return self.workers[name >> LOCAL_BITS].store.predecessor(name & (1 << LOCAL_BITS) - 1)

    def close(self) -> None:
        """End the threads and free all memory."""
        self.threads.close()
        for worker in self.workers:
            worker.store.close()


# -- redistribute -----------------------------------------------------------------------------------------------------
# Redistributing the states of a search over workers: when more take part, and when a search is resumed.


@dataclass(frozen=True)
class Segment:
    """The records of one level of one former worker: where they lie, the index of the first, and how many."""

    address: int
    first: int
    count: int


def segments_of(pool: WorkerPool) -> Iterable[Sequence[Segment]]:
    """The records of a pool, level by level, one segment for each worker."""
    starts: tuple[int, ...] = (0,) * pool.size
    for ends in pool.ends:
        made = []
        for worker, start, end in zip(pool.workers, starts, ends, strict=True):
            made.append(Segment(worker.store.address + start * worker.store.record_bytes, start, end - start))
        yield made
        starts = ends


def redistribute(kernel: MachineCode, levels: Iterable[Sequence[Segment]], pool: WorkerPool, tables: bool) -> None:
    """Hand the records of each level to the workers evenly, in their order. `tables` is false with hash compaction.

    Raises MemoryError or OSError if there is no room for them.
    """
    word, pointer = ctypes.c_uint64, ctypes.c_void_p
    adopt = kernel.function(
        "adopt" if tables else "adopt_records", None, pointer, pointer, word, word, pointer, pointer
    )
    names: list[Region] = []
    slack = 0
    before = (ctypes.c_uint64 * 256)()
    for segments in levels:
        made = [Region(max(8 * segment.count, 1)) for segment in segments]
        total, done = sum(segment.count for segment in segments), 0
        for segment, region in zip(segments, made, strict=True):
            for piece, number in _pieces(segment, done, total, pool):
                if not tables or piece.count > slack or pool.workers[number].store.lacks(piece.count):
                    slack = pool.reserve(number, piece.count, tables)
                slack -= piece.count
                adopt(
                    pool.workers[number].context.address,
                    segment.address - segment.first * pool.workers[0].store.record_bytes,
                    piece.first,
                    piece.first + piece.count,
                    ctypes.addressof(before),
                    region.address - 8 * segment.first,
                )
            done += segment.count
        for former, (segment, region) in enumerate(zip(segments, made, strict=True)):
            before[former] = (region.address - 8 * segment.first) & (1 << 64) - 1
        for region in names:
            region.close()
        names = made
        pool.end_level(adopted=True)
    for region in names:
        region.close()


def _pieces(segment: Segment, done: int, total: int, pool: WorkerPool) -> Iterator[tuple[Segment, int]]:
    """Parts of a segment, and for each the worker that gets it: of the whole level every worker gets one run.

    `done` records of the level, which has `total`, come before the segment.
    """
    at, workers = 0, pool.size
    while at < segment.count:
        number = (done + at) * workers // total
        last = -(-(number + 1) * total // workers) - done
        count = min(last, segment.count, at + pool.tuning.redistributed_at_once) - at
        yield Segment(segment.address, segment.first + at, count), number
        at += count
