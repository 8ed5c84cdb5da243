"""One worker of a search: its records, its part of the table, its counters, and what it has found."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..engine import SearchCode
from ..kernel.vocabulary import (
    COLUMNS_FROM,
    FAILURE,
    FINDING_WORDS,
    IN_FLIGHT,
    INITIAL,
    NO_INSTANCE,
    ORIGIN_WORDS,
    aside_words,
)
from ..llvm.jit import MachineCode
from ..llvm.lanes import LANES
from ..program.program import INSTANCE_BITS
from ..tuning import Tuning
from .memory import WORD, Context, Region, SuccessorBuffer, Words

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
        """A part of the visited table as `visited` describes it."""
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
    """Counters of all workers: steps and new states of each instance, digests, terminal states, steps outside."""

    steps: tuple[int, ...]
    discovered: tuple[int, ...]
    state_digest: tuple[int, int] = (0, 0)
    step_digest: tuple[int, int] = (0, 0)
    terminal_states: int = 0
    left_constraint: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            tuple(a + b for a, b in zip(self.steps, other.steps, strict=True)),
            tuple(a + b for a, b in zip(self.discovered, other.discovered, strict=True)),
            _plus(self.state_digest, other.state_digest),
            _plus(self.step_digest, other.step_digest),
            self.terminal_states + other.terminal_states,
            self.left_constraint + other.left_constraint,
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
    ) -> None:
        words, given = code.words, code.constants
        context = self.context = Context()
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
        )
