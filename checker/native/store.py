"""The states that a search has visited: the arrays and the table that the kernel works on, and how they grow."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from .engine import WORD, Context
from .kernel_text import NO_PARENT
from .machine import MachineCode
from .memory import Region

FIRST_STATES = 1 << 16
FIRST_SLOTS = 1 << 22
LOAD = 0.72
GROWTH = 1.5
SWEEP = 1 << 20
STATE_LIMIT = NO_PARENT - 1


class StateStore:
    """States, parents and actions in the order of discovery, and the visited table over them.

    A state of w words takes 8 w + 6 bytes and 8 bytes for each slot of the table, which is between 48 % and 72 % full
    once it has grown. `context` is kept up to date with where everything lies.
    """

    def __init__(self, kernel: MachineCode, context: Context, words: int, spare: int) -> None:
        self.context = context
        self.words = words
        self.spare = spare
        self.capacity = max(FIRST_STATES, 2 * spare)
        self.slots = FIRST_SLOTS
        self._states = Region(self.capacity * 8 * words)
        self._parents = Region(self.capacity * 4)
        self._actions = Region(self.capacity * 2)
        self._table = Region(self.slots * 8)
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._rehash = kernel.function("rehash", None, pointer, word, pointer, word)
        self._publish()

    def _publish(self) -> None:
        context = self.context
        context["states"], context["parents"] = self._states.address, self._parents.address
        context["actions"], context["table"] = self._actions.address, self._table.address
        context["slots"] = self.slots
        context["room"] = min(self.capacity, int(self.slots * LOAD), STATE_LIMIT)

    @property
    def bytes_for_states(self) -> int:
        """The memory that the states found so far take in arrays and table."""
        return self.context["count"] * (8 * self.words + 6) + 8 * self.slots

    @property
    def needed(self) -> int:
        """How many states there must be room for before the next batch."""
        return self.context["count"] + self.spare

    @property
    def growth_bytes(self) -> int:
        """The memory that the next growth of the table takes, while the old one is being given back."""
        return 8 * self._next_slots() if self.needed > int(self.slots * LOAD) else 0

    def _next_slots(self) -> int:
        return max(int(self.slots * GROWTH), int(self.needed / LOAD) + 1)

    def grow(self) -> None:
        """Make room for more states. Raises MemoryError if there can be no more."""
        needed = self.needed
        if needed > STATE_LIMIT:
            raise MemoryError(f"more than {STATE_LIMIT:,} states; smaller bounds are needed")
        if needed > self.capacity:
            self.capacity = min(max(2 * self.capacity, needed), STATE_LIMIT + 1)
            self._states.grow(self.capacity * 8 * self.words)
            self._parents.grow(self.capacity * 4)
            self._actions.grow(self.capacity * 2)
        if needed > int(self.slots * LOAD):
            self._grow_table(self._next_slots())
        self._publish()

    def _grow_table(self, slots: int) -> None:
        """Move the table into a larger one by a sequential sweep, giving the old one back as it is emptied."""
        larger = Region(slots * 8)
        for start in range(0, self.slots, SWEEP):
            length = min(SWEEP, self.slots - start)
            self._rehash(self._table.address + 8 * start, length, larger.address, slots)
            self._table.forget(8 * start, 8 * length)
        self._table.close()
        self._table, self.slots = larger, slots

    def state(self, index: int) -> Sequence[int]:
        """The words of a state."""
        return tuple((WORD * self.words).from_address(self._states.address + 8 * self.words * index))

    def parent(self, index: int) -> int | None:
        """The index of the state that a state was first reached from; None for an initial state."""
        parent = ctypes.c_uint32.from_address(self._parents.address + 4 * index).value
        return None if parent == NO_PARENT else parent

    def action(self, index: int) -> int:
        """The index of the instance by which a state was first reached."""
        return ctypes.c_uint16.from_address(self._actions.address + 2 * index).value

    def close(self) -> None:
        """Free all memory."""
        for region in (self._states, self._parents, self._actions, self._table):
            region.close()
