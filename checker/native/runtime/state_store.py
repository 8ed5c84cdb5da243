"""The states that one worker has visited: the records and tables that the kernel works on, and how they grow."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

from ..kernel.vocabulary import INITIAL, SLOT_INDEX
from ..llvm.jit import MachineCode
from ..program.program import INSTANCE_BITS
from .context import WORD, Context
from .memory import Region

FIRST_RECORDS = 1 << 16
FIRST_SLOTS = 1 << 22
LOAD = 0.72
GROWTH = 1.4
FILTER_LOAD = 0.86
FILTER_GROWTH = 1.25
PIECE = 1 << 15
"""How many slots of a growing table are moved at a time."""

RECORD_LIMIT = SLOT_INDEX - 1


class _Table:
    """Open addressing over 8-byte slots, at most `load` full."""

    def __init__(self, slots: int, load: float, growth: float) -> None:
        self.slots, self.load, self.growth = slots, load, growth
        self.region = Region(slots * 8)

    @property
    def room(self) -> int:
        return int(self.slots * self.load)

    def larger(self, needed: int) -> int:
        """The number of slots after the next growth."""
        return max(int(self.slots * self.growth), int(needed / self.load) + 1)

    def grow(self, spread: Callable[[int, int, int, int, int], int], slots: int) -> None:
        """Have so many slots, and move those that there are to where they belong now. It takes no second table."""
        self.region.grow(slots * 8)
        aside = (WORD * PIECE)()
        if spread(self.region.address, self.slots, slots, ctypes.addressof(aside), PIECE):
            raise RuntimeError("the hashes of the states are not spread evenly; please report this specification")
        self.slots = slots


class StateStore:
    """The records of a worker in the order of discovery, and the visited table over them, or its part of that of all.

    A state of w words takes 8 w + 8 bytes and 8 bytes for each slot of the table, which is between 51 % and 72 % full
    once it has grown. With `spill`, the records are in files in that folder. With `compact`, the table knows only the
    level that is being found; all others are in a filter of 64-bit fingerprints, which is between 69 % and 86 % full.
    `context` is kept up to date with where everything lies.
    """

    def __init__(
        self,
        kernel: MachineCode,
        context: Context,
        words: int,
        spare: int,
        workers: int = 1,
        spill: Path | None = None,
        compact: bool = False,
    ) -> None:
        self.context = context
        self.limit = RECORD_LIMIT >> (workers - 1).bit_length()
        self.record_bytes = 8 * words + 8
        self.words = words
        self.spilled = spill is not None
        self.capacity = max(FIRST_RECORDS, 2 * spare)
        self._records = Region(self.capacity * self.record_bytes, spill)
        slots = FIRST_SLOTS // workers
        self._table = _Table(slots // 8 if compact else slots, LOAD, GROWTH)
        self._filter = _Table(slots, FILTER_LOAD, FILTER_GROWTH) if compact else None
        self.older = 0
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._spread = kernel.function("spread", word, pointer, word, word, pointer, word)
        self._absorb = kernel.function("absorb", None, pointer, word, word)
        self._publish()

    def _publish(self) -> None:
        context = self.context
        context["records"], context["table"] = self._records.address, self._table.region.address
        context["slots"] = self._table.slots
        context["room"] = min(self.capacity, self.older + self._table.room, self.limit)
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

    def lacks(self, spare: int) -> bool:
        """Whether there is no room for this many more records."""
        return self.count + spare > self.capacity

    def needs(self, spare: int) -> bool:
        """Whether there is no room for this many more states."""
        return self.count + spare > self.context["room"]

    @property
    def table_room(self) -> int:
        """How many states the table can have before it grows."""
        return self._table.room

    @property
    def table(self) -> tuple[int, int, int, int]:
        """A part of the visited table as `visited` describes it."""
        context = self.context
        return context["table"], context["slots"], context["filter"], context["filter_slots"]

    def growth_bytes(self, entries: int) -> int:
        """The memory that a larger table takes, if so many states in it need one."""
        return 8 * (self._table.larger(entries) - self._table.slots) if entries > self._table.room else 0

    def grow(self, spare: int, entries: int) -> None:
        """Make room for so many more records, and for so many states in the table.

        Raises MemoryError if there can be no more, OSError if a disk is full.
        """
        needed = self.count + spare
        if needed > self.limit:
            raise MemoryError(f"no room for more than {self.limit:,} states of a worker: use smaller bounds or Spark")
        if needed > self.capacity:
            self.capacity = min(max(int((1.25 if self.spilled else 2) * self.capacity), needed), self.limit)
            self._records.grow(self.capacity * self.record_bytes)
        if entries > self._table.room:
            self._table.grow(self._spread, self._table.larger(entries))
        self._publish()

    def hold(self, fingerprints: int) -> None:
        """Make room in the filter for so many fingerprints."""
        if self._filter is not None and fingerprints > self._filter.room:
            self._filter.grow(self._spread, self._filter.larger(fingerprints))
            self._publish()

    def end_level(self, first: int) -> None:
        """Begin a level with the records from `first` on; a compact store knows the others by their fingerprints.

        There must be room for them in all filters.
        """
        if self._filter is None:
            return
        self._absorb(self.context.address, self.older, self.count)
        if self.spilled:
            self._records.forget(0, first * self.record_bytes)
        self.older = self.count
        self._table.region.clear()
        self._publish()

    def state(self, index: int) -> Sequence[int]:
        """The words of a state."""
        return tuple((WORD * self.words).from_address(self.address + self.record_bytes * index))

    def way(self, index: int) -> tuple[int | None, int]:
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
