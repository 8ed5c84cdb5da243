"""The workers of a search: each with its own records, tables and counters, and what they share."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from ...dominance.budgets import Budgets
from ..engine import PROPERTIES, STEPS, Kind, SearchCode
from ..kernel.kernel import (
    BUDGET_WORDS,
    COLUMNS_FROM,
    CONTEXT,
    FAILURE,
    FINDING_WORDS,
    IN_FLIGHT,
    INITIAL,
    LOCAL_BITS,
    NO_INSTANCE,
    ORIGIN_WORDS,
    PART_WORDS,
    PLACE_WORDS,
    STOP,
    STRIDE,
    TAKEN,
    Variant,
    aside_words,
)
from ..llvm.instructions import LANES
from ..llvm.jit import MachineCode
from ..program.program import INSTANCE_BITS
from ..tuning import TUNING, Tuning
from .memory import WORD, Context, Region, SuccessorBuffer, Words

# -- threads ----------------------------------------------------------------------------------------------------------
# Threads that do the same job at the same time. Machine code called through ctypes releases the interpreter lock.


class Threads:
    """So many threads, the caller's among them.

    `helper_seconds` is the processor time that the other threads have used. `abandon` is called when a job does not
    start or end properly on one thread, so that the others need not wait for it.
    """

    def __init__(self, size: int, abandon: Callable[[], None]) -> None:
        self.size = size
        self.helper_seconds = 0.0
        self._abandon = abandon
        self._others = ThreadPoolExecutor(size - 1, thread_name_prefix="worker") if size > 1 else None

    def run(self, job: Callable[[int], None]) -> None:
        """Do a job for every number below the size, all at the same time, until the last is done, even if one fails."""
        if self._others is None:
            job(0)
            return
        futures: list[Future[float]] = []
        try:
            futures += [self._others.submit(_timed, job, number) for number in range(1, self.size)]
            job(0)
            for future in futures:
                self.helper_seconds += future.result()
        except BaseException:
            self._abandon()
            wait(futures)
            raise

    def close(self) -> None:
        """End the threads."""
        if self._others is not None:
            self._others.shutdown()


def _timed(job: Callable[[int], None], number: int) -> float:
    started = time.thread_time()
    job(number)
    return time.thread_time() - started


# -- capacity ---------------------------------------------------------------------------------------------------------
# Planning capacity: whether a worker's memory is full, and how much it is to have next.


@dataclass(frozen=True)
class Capacity:
    """What a worker has and has room for: records, and entries in its part of the visited table.

    There can never be more than `record_limit` records.
    """

    records: int
    record_capacity: int
    record_limit: int
    entries: int
    entry_capacity: int

    @property
    def entry_slack(self) -> int:
        """How many more entries there is room for."""
        return self.entry_capacity - self.entries


@dataclass(frozen=True)
class Slack:
    """For how many more records and entries there must be room before a worker goes on.

    `ahead` is the part of what there is, one in so many, that is added when memory grows, so that all grow together,
    the nearly full ones too; 0 if nothing is.
    """

    records: int
    entries: int
    ahead: int = 0


@dataclass(frozen=True)
class Demand:
    """How many records and entries there is to be room for in all."""

    records: int
    entries: int


def is_full(capacity: Capacity, slack: Slack) -> bool:
    """Whether there is less room than the slack."""
    return (
        capacity.records + slack.records > capacity.record_capacity
        or capacity.entries + slack.entries > capacity.entry_capacity
    )


def demand(capacity: Capacity, slack: Slack) -> Demand:
    """What there is to be room for after the next growth."""
    least = capacity.records + slack.records
    more = capacity.records // slack.ahead if slack.ahead else 0
    entries = capacity.entries + slack.entries + (capacity.entries // slack.ahead if slack.ahead else 0)
    return Demand(min(least + more, max(least, capacity.record_limit)), entries)


# -- state store ------------------------------------------------------------------------------------------------------
# The states that one worker has visited: the records and tables that the kernel works on, and how they grow.

LOAD = 0.72
GROWTH = 1.4
FILTER_LOAD = 0.86
FILTER_GROWTH = 1.25

Spread = Callable[[int, int, int, int, int], int]


class _Table:
    """Open addressing over 8-byte slots, at most `load` full. Below `early` slots it grows to four times its size."""

    def __init__(self, slots: int, load: float, growth: float, swept: int, early: int = 0) -> None:
        self.slots, self.load, self.growth, self._swept, self._early = _whole(slots), load, growth, swept, early
        self.region = Region(self.slots * 8)

    @property
    def capacity(self) -> int:
        return int(self.slots * self.load)

    def larger(self, needed: int) -> int:
        """The number of slots after the next growth."""
        grown = max(int(self.slots * self.growth), min(4 * self.slots, self._early))
        return _whole(max(grown, int(needed / self.load) + 1))

    def grow(self, spread: Spread, slots: int) -> None:
        """Have so many slots, and move those that there are to where they belong now. It takes no second table."""
        self.region.grow(slots * 8)
        aside = (WORD * aside_words(self._swept))()
        if spread(self.region.address, self.slots, slots, ctypes.addressof(aside), self._swept):
            raise RuntimeError("the hashes of the states are not spread evenly; please report this specification")
        self.slots = slots


def _whole(slots: int) -> int:
    """So many slots, or a few more, that fill whole buckets."""
    return -(-slots // LANES) * LANES


class StateStore:
    """The records of a worker in the order of discovery, and the visited table over them, or its part of that of all.

    A state of w words takes 8 w + 8 bytes and 8 bytes for each slot of the table, which is between 51 % and 72 % full
    once it has grown beyond `early_slots`. With `spill`, the records are in files in that folder. With hash compaction,
    the table knows only the next frontier; all other levels are in a filter of 64-bit fingerprints, which is between
    69 % and 86 % full. `buffered` is how many successors come at a time. `context` is kept up to date with where
    everything lies.
    """

    def __init__(
        self,
        kernel: MachineCode,
        context: Context,
        words: int,
        buffered: int,
        tuning: Tuning,
        workers: int = 1,
        spill: Path | None = None,
        compacted: bool = False,
    ) -> None:
        self.context = context
        self._limit = tuning.record_limit >> (workers - 1).bit_length()
        self._alone = workers == 1
        self.record_bytes = 8 * words + 8
        self.words = words
        self.spilled = spill is not None
        self._record_capacity = min(max(tuning.first_records, 2 * buffered), self._limit)
        self._records = Region(self._record_capacity * self.record_bytes, spill)
        slots, swept = tuning.first_slots // workers, tuning.swept_slots
        early = tuning.early_slots // workers
        if compacted:
            self._table = _Table(slots // 8, LOAD, GROWTH, swept)
        else:
            self._table = _Table(slots, LOAD, GROWTH, swept, early)
        self._filter = _Table(slots, FILTER_LOAD, FILTER_GROWTH, swept) if compacted else None
        self.older = 0
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._spread, self._spread_filter = (
            kernel.function(name, word, pointer, word, word, pointer, word) for name in ("spread", "spread_filter")
        )
        self._absorb = kernel.function("absorb", None, pointer, word, word)
        self.publish()

    def publish(self) -> None:
        """Tell the kernel where everything lies, and what there is room for."""
        context = self.context
        context["records"], context["table"] = self._records.address, self._table.region.address
        context["slots"] = self._table.slots
        entries = self.older + self._table.capacity
        context["capacity"] = min(self._record_capacity, entries) if self._alone else self._record_capacity
        if self._filter is not None:
            context["filter"], context["filter_slots"] = self._filter.region.address, self._filter.slots

    @property
    def address(self) -> int:
        """Where the records lie."""
        return self._records.address

    @property
    def count(self) -> int:
        """How many states there are."""
        return self.context["count"]

    @property
    def memory_bytes(self) -> int:
        """The memory that the states found so far take in records, unless they are in files, and tables."""
        filter_bytes = 8 * self._filter.slots if self._filter is not None else 0
        return (0 if self.spilled else self.count * self.record_bytes) + 8 * self._table.slots + filter_bytes

    @property
    def file_bytes(self) -> int:
        """What the states found so far take in files."""
        return self.count * self.record_bytes if self.spilled else 0

    def lacks(self, records: int) -> bool:
        """Whether there is no room for so many more records."""
        return self.count + records > self._record_capacity

    def capacity(self, entries: int) -> Capacity:
        """What there is and what there is room for, if the table has so many entries."""
        return Capacity(self.count, self._record_capacity, self._limit, entries, self._table.capacity)

    @property
    def table(self) -> tuple[int, int, int, int]:
        """A part of the visited table as `search.c` describes it."""
        context = self.context
        return context["table"], context["slots"], context["filter"], context["filter_slots"]

    def growth_bytes(self, demand: Demand) -> int:
        """The memory that a larger table takes, if that is demanded."""
        if demand.entries <= self._table.capacity:
            return 0
        return 8 * (self._table.larger(demand.entries) - self._table.slots)

    def grow(self, demand: Demand) -> None:
        """Have room for what is demanded. Raises MemoryError if there can be no more, OSError if a disk is full."""
        needed = demand.records
        if needed > self._limit:
            raise MemoryError(f"no room for more than {self._limit:,} states of a worker: use smaller bounds or Spark")
        try:
            if needed > self._record_capacity:
                larger = min(max(int((1.25 if self.spilled else 2) * self._record_capacity), needed), self._limit)
                self._records.grow(larger * self.record_bytes)
                self._record_capacity = larger
            if demand.entries > self._table.capacity:
                self._table.grow(self._spread, self._table.larger(demand.entries))
        finally:  # what could grow may lie elsewhere now
            self.publish()

    def hold(self, fingerprints: int) -> None:
        """Make room in the filter for so many fingerprints."""
        if self._filter is not None and fingerprints > self._filter.capacity:
            try:
                self._filter.grow(self._spread_filter, self._filter.larger(fingerprints))
            finally:
                self.publish()

    def end_level(self, first: int) -> None:
        """Begin a level with the records from `first` on; with hash compaction the others are known by
        their fingerprints.

        There must be room for them in all filters.
        """
        if self._filter is None:
            return
        self._absorb(self.context.address, self.older, self.count)
        if self.spilled:
            self._records.forget(0, first * self.record_bytes)
        self.older = self.count
        self._table.region.clear()
        self.publish()

    def state(self, index: int) -> Sequence[int]:
        """The words of a state."""
        return tuple((WORD * self.words).from_address(self.address + self.record_bytes * index))

    def predecessor(self, index: int) -> tuple[int | None, int]:
        """The name of the state that a state was reached from, None for an initial state; and the instance."""
        word = WORD.from_address(self.address + self.record_bytes * index + 8 * self.words).value
        parent = word >> INSTANCE_BITS
        return (None if parent == INITIAL else parent), word & (1 << INSTANCE_BITS) - 1

    def close(self) -> None:
        """Free all memory."""
        self._records.close()
        self._table.region.close()
        if self._filter is not None:
            self._filter.region.close()


BUFFERED, LEAST_BUFFERED, BUFFERED_IN_ALL = 96, 16, 1 << 10
"""How many successors there is room for in a batch, beside those of one more group of states. With many workers it is
their share of so many in all: in every part of the table there must be room for the batches of all of them."""

GROUPED = 1 << 12
"""Steps are taken of groups of eight states if all workers together can make no more successors than this of theirs:
there must be room for them wherever a worker may put them."""

LISTS = 2
"""How many lists of entries the kernel keeps while it looks at a batch."""

MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Totals:
    """Counters of all workers: steps and new states of each instance, digests, terminal states, steps outside, states
    that were left out because others dominate them."""

    steps: tuple[int, ...]
    discovered: tuple[int, ...]
    state_digest: tuple[int, int] = (0, 0)
    step_digest: tuple[int, int] = (0, 0)
    terminal_states: int = 0
    left_constraint: int = 0
    dominated: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            tuple(a + b for a, b in zip(self.steps, other.steps, strict=True)),
            tuple(a + b for a, b in zip(self.discovered, other.discovered, strict=True)),
            _plus(self.state_digest, other.state_digest),
            _plus(self.step_digest, other.step_digest),
            self.terminal_states + other.terminal_states,
            self.left_constraint + other.left_constraint,
            self.dominated + other.dominated,
        )


def _plus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return (a[0] + b[0]) & MASK, (a[1] + b[1]) & MASK


@dataclass(frozen=True)
class KernelFinding:
    """A finding of the kernel: which property or failure, the key that decided, the state's name, the instance."""

    slot: int
    key: tuple[int, int, int, int]
    name: int
    instance: int | None


class Worker:
    """One worker: its context and everything that it points to."""

    def __init__(
        self,
        code: SearchCode,
        kernel: MachineCode,
        number: int,
        of: int,
        tuning: Tuning,
        spill: Path | None,
        compacted: bool,
        budgets: Budgets | None,
    ) -> None:
        words, given = code.words, code.constants
        context = self.context = Context(CONTEXT)
        self.group = LANES if LANES * of * code.out_degree <= GROUPED else 1
        entries = self.group * code.out_degree + max(min(BUFFERED, BUFFERED_IN_ALL // of), LEAST_BUFFERED)
        self.in_flight = IN_FLIGHT * entries
        self.buffer = SuccessorBuffer(words, entries + self.in_flight)
        self._origins, self._lists = Words(ORIGIN_WORDS * (entries + 1)), Words(LISTS * (entries + 1))
        self.store = StateStore(kernel, context, words, self.in_flight, tuning, of, spill, compacted)
        self.steps = Words(len(given) + 1)
        self._discovered = Words(len(given) + 1), 0
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._count_discovered = kernel.function("count_discovered", None, pointer, word, word, pointer)
        self.occupancy, self.limits = Words(of), Words(of)
        self._constants = (ctypes.c_uint64 * (len(given) + 1))(*given, 0)  # none for initial states
        self._findings = Words(FINDING_WORDS * (FAILURE + 1))
        context["buffer"], context["buffer_entries"] = self.buffer.address, entries
        context["origins"], context["lists"] = self._origins.address, self._lists.address
        room = LANES * code.out_degree + LANES if self.group == LANES else 0
        self._columns = Words(COLUMNS_FROM + room * (words + 1))
        context["out_degree"], context["group"] = code.out_degree, self.group
        context["columns"], context["column_room"] = self._columns.address, room
        context["steps"] = self.steps.address
        context["constants"] = ctypes.addressof(self._constants)
        context["findings"] = self._findings.address
        context["worker"], context["workers"] = number, of
        context["occupancy"], context["limits"] = self.occupancy.address, self.limits.address
        context["index_bits"] = 32 - (of - 1).bit_length()
        if budgets is not None:
            self._dominating(budgets)

    def _dominating(self, budgets: Budgets) -> None:
        """Tell the kernel by which budgets states dominate others, and give it room for those that none dominates."""
        context, words = self.context, self.store.words
        self._core, self._budgets = Words(words), Words(BUDGET_WORDS * len(budgets.found))
        self._core.put(budgets.core_masks)
        told = [(b.field.word, b.field.shift, b.mask, b.turned, b.at) for b in budgets.found]
        self._budgets.put([number for one in told for number in one])
        self._staged, self._names = Words(LANES * (words + 1)), Words(LANES)
        context["core"], context["budgets"] = self._core.address, self._budgets.address
        context["budget_count"] = len(budgets.found)
        context["staged"], context["names"] = self._staged.address, self._names.address

    def findings(self) -> list[KernelFinding]:
        """What has been found, and not been forgotten."""
        words, made = self._findings[:], []
        if not any(words):
            return []
        for slot in range(FAILURE + 1):
            present, *key, name, instance = words[slot * FINDING_WORDS : (slot + 1) * FINDING_WORDS]
            if present:
                k0, k1, k2, k3 = key
                made.append(KernelFinding(slot, (k0, k1, k2, k3), name, None if instance == NO_INSTANCE else instance))
        return made

    def forget_findings(self) -> None:
        """They have been taken over."""
        self._findings.clear()

    def count_discovered(self, adopted: bool) -> None:
        """Count the states of the level that has ended by the instances that led to them, but not if others did."""
        self._discovered = self._discovered[0] if adopted else self._discovered_by_now(), self.store.count

    def _discovered_by_now(self) -> Words:
        """How many states each instance has discovered, those of the level that has not ended among them.

        Of these a lesser step may be found later.
        """
        before, counted = self._discovered
        counts = Words(len(before[:]))
        counts.put(before[:])
        self._count_discovered(self.context.address, counted, self.store.count, counts.address)
        return counts

    def totals(self) -> Totals:
        """The counters of this worker."""
        context = self.context
        return Totals(
            self.steps[:],
            self._discovered_by_now()[:],
            (context["digest_low"], context["digest_high"]),
            (context["steps_low"], context["steps_high"]),
            context["terminal_states"],
            context["left_constraint"],
            context["dominated"],
        )


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
    counters of what was explored before this pool took over. With `spill`, records are kept in files in that folder;
    with `budgets`, states that others dominate are not expanded, and the kernel must be one that can do that.
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
        budgets: Budgets | None = None,
    ) -> None:
        self.size = size
        self.before = before
        self.tuning = tuning
        self.ends: list[tuple[int, ...]] = []
        self.workers = [Worker(code, kernel, i, size, tuning, spill, compacted, budgets) for i in range(size)]
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
