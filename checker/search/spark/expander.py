"""Expanding the part of a level that a partition owns, into packets of entries for the owners of the successors."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

from ...native.program.program import EXTRA_WORDS
from ...native.runtime.memory import Region
from .findings import WORD, Report, Tally
from .memory import SuperstepContext
from .program import Loaded

SENT_ENTRIES = 1 << 20
SCRATCH_BATCH = 96
PACKET_BYTES = 1 << 20


class Expander:
    """The expansion of one task: states in, packets (owner, entries) and a report out.

    Duplicates among up to SENT_ENTRIES successors are removed before they are sent. `states` is how many are expected.
    """

    def __init__(self, code: Loaded, shard: int, shards: int, pending: int, states: int) -> None:
        program = code.program
        self._code, self._shards = code, shards
        self._stride = program.words + 2
        self._context = context = SuperstepContext()
        scratch_entries = program.out_degree + SCRATCH_BATCH
        room = min(SENT_ENTRIES, states * program.out_degree) + scratch_entries
        self._slots = 2 * room
        self._scratch = (WORD * (scratch_entries * (program.words + EXTRA_WORDS)))()
        self._sent, self._wire = Region(room * 8 * self._stride), Region(room * 8 * self._stride)
        self._table = Region(8 * self._slots)
        self._offsets = (WORD * shards)()
        self._constants = (WORD * (program.instances + 1))(*program.constants, 0)
        self._tally = Tally(program.words, program.instances)
        context.update(self._tally.addresses())
        context.update(
            {
                "pending": pending,
                "shard": shard,
                "shards": shards,
                "scratch": ctypes.addressof(self._scratch),
                "scratch_entries": scratch_entries,
                "out_degree": program.out_degree,
                "sent": self._sent.address,
                "sent_room": room,
                "sent_table": self._table.address,
                "sent_slots": self._slots,
                "wire": self._wire.address,
                "offsets": ctypes.addressof(self._offsets),
                "constants": ctypes.addressof(self._constants),
                **{name: code.model.address(name) for name in ("step", "judge", "within")},
            }
        )

    def expand(self, states: int, count: int) -> Iterator[tuple[int, bytes]]:
        """Expand those of `count` states at an address that the partition owns; packets whenever there are enough."""
        context = self._context
        context["frontier"], context["cursor"], context["end"] = states, 0, count
        while context["cursor"] < count:
            self._code.expand(context.address)
            if context["cursor"] < count:
                yield from self.flush()
                ctypes.memset(self._table.address, 0, 8 * self._slots)

    def flush(self) -> Iterator[tuple[int, bytes]]:
        """The packets of all entries that are still held, by owner; once more at the end."""
        context = self._context
        if not context["sent_count"]:
            return
        ctypes.memset(self._offsets, 0, ctypes.sizeof(self._offsets))
        self._code.count_owners(context.address)
        sizes = list(self._offsets)
        starts = _running(sizes)
        self._offsets[:] = list[Any](starts)
        self._code.scatter(context.address)
        per_packet = max(PACKET_BYTES // (8 * self._stride), 1)
        for owner, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            for first in range(start, start + size, per_packet):
                length = min(per_packet, start + size - first)
                yield owner, self._wired(first, length)
        context["sent_count"] = 0

    def _wired(self, first: int, length: int) -> bytes:
        stride = 8 * self._stride
        return ctypes.string_at(self._context["wire"] + first * stride, length * stride)

    def report(self) -> Report:
        """What has been counted and found."""
        return self._tally.report(self._context)

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
