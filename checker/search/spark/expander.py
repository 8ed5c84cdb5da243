"""Expanding the part of a level that a partition owns, into entries for the owners of the successors."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from ...native.program.program import EXTRA_WORDS
from ...native.runtime.memory import Region
from .findings import DIGESTS, SUMS, WORD, Report, Tally
from .memory import SuperstepContext
from .owning import Owning
from .program import Loaded

SENT_ENTRIES = 1 << 20
SCRATCH_BATCH = 96


Sink = Callable[[memoryview, Sequence[int]], None]
"""Takes entries that are sorted by owner, and how many bytes of them each owner gets; they are gone afterwards."""

Where = Callable[[], int]
"""The address of what is expanded. A sink may move it."""


def fixed(address: int) -> Where:
    """An address that no sink changes."""
    return lambda: address


class Expander:
    """Expands states for one partition after the other, in memory that is kept between them.

    Duplicates among up to SENT_ENTRIES successors are removed before they are sent.
    """

    def __init__(self, code: Loaded, shards: int, owning: Owning) -> None:
        program = code.program
        self.code, self.shards, self.owning = code, shards, owning
        self._owning = (WORD * len(owning))(*owning)
        self._bytes = 8 * (program.words + 2)
        self._scratch_entries = program.out_degree + SCRATCH_BATCH
        self._scratch = (WORD * (self._scratch_entries * (program.words + EXTRA_WORDS)))()
        self._sent, self._wire, self._table = Region(self._bytes), Region(self._bytes), Region(8)
        self._slots = 0
        self._offsets = (WORD * shards)()
        self._constants = (WORD * (program.instances + 1))(*program.constants, 0)
        self._context = context = SuperstepContext()
        context.update(
            {
                "shards": shards,
                "scratch": ctypes.addressof(self._scratch),
                "scratch_entries": self._scratch_entries,
                "out_degree": program.out_degree,
                "offsets": ctypes.addressof(self._offsets),
                "owning": ctypes.addressof(self._owning),
                "constants": ctypes.addressof(self._constants),
                **{name: code.model.address(name) for name in ("step", "judge", "within")},
            }
        )
        self.begin(0, 0, 0)

    def begin(self, shard: int, pending: int, states: int) -> None:
        """Begin with a partition that has about so many states, and the properties with these bits."""
        context, program = self._context, self.code.program
        self._tally = Tally(program.words, program.instances)
        context.update(self._tally.addresses())
        for name in (*SUMS, *DIGESTS):
            context[name] = 0
        room = min(SENT_ENTRIES, states * program.out_degree) + self._scratch_entries
        for region in (self._sent, self._wire):
            region.grow(room * self._bytes)
        self._slots = 2 * room
        self._table.grow(8 * self._slots)
        context.update(
            {
                "shard": shard,
                "pending": pending,
                "sent": self._sent.address,
                "sent_room": room,
                "sent_table": self._table.address,
                "sent_slots": self._slots,
                "wire": self._wire.address,
            }
        )
        self._empty()

    def _empty(self) -> None:
        """There is nothing to be sent."""
        self._context["sent_count"] = 0
        ctypes.memset(self._table.address, 0, 8 * self._slots)

    def expand(self, states: Where, count: int, sink: Sink) -> None:
        """Expand those of `count` states that the partition owns; the sink gets entries when there are many."""
        context = self._context
        context["cursor"], context["end"] = 0, count
        while context["cursor"] < count:
            context["frontier"] = states()
            self.code.expand(context.address)
            if context["cursor"] < count:
                self._send(sink)

    def finish(self, sink: Sink) -> Report:
        """Send what is left; what has been counted and found since the beginning."""
        self._send(sink)
        return self._tally.report(self._context)

    def _send(self, sink: Sink) -> None:
        context = self._context
        if not context["sent_count"]:
            return
        ctypes.memset(self._offsets, 0, ctypes.sizeof(self._offsets))
        self.code.count_owners(context.address)
        counts = list(self._offsets)
        self._offsets[:] = list[Any](_running(counts))
        self.code.scatter(context.address)
        size = context["sent_count"] * self._bytes
        entries = memoryview((ctypes.c_char * size).from_address(context["wire"])).cast("B")
        sink(entries, [count * self._bytes for count in counts])
        self._empty()

    def close(self) -> None:
        """Free the memory."""
        for region in (self._sent, self._wire, self._table):
            region.close()


def _running(sizes: Sequence[int]) -> list[int]:
    starts, total = [], 0
    for size in sizes:
        starts.append(total)
        total += size
    return starts
