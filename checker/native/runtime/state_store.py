"""The states that one worker has visited: the records and tables that the kernel works on, and how they grow."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

from ..kernel.rehash import aside_words
from ..kernel.vocabulary import INITIAL
from ..llvm.jit import MachineCode
from ..llvm.lanes import LANES
from ..program.program import INSTANCE_BITS
from ..tuning import Tuning
from .capacity import Capacity, Demand
from .context import WORD, Context
from .memory import Region

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
