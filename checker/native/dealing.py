"""Dealing the states of a search out to other workers: when more take part, and when a search is resumed."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .crew import Crew
from .machine import MachineCode
from .memory import Region


@dataclass(frozen=True)
class Segment:
    """The records of one level of one former worker: where they lie, the index of the first, and how many."""

    address: int
    first: int
    count: int


def segments_of(crew: Crew) -> Iterable[Sequence[Segment]]:
    """The records of a crew, level by level, one segment for each worker."""
    starts: tuple[int, ...] = (0,) * crew.size
    for ends in crew.ends:
        made = []
        for worker, start, end in zip(crew.workers, starts, ends, strict=True):
            made.append(Segment(worker.store.address + start * worker.store.record_bytes, start, end - start))
        yield made
        starts = ends


def deal(kernel: MachineCode, levels: Iterable[Sequence[Segment]], crew: Crew, tables: bool) -> None:
    """Hand every record to the worker of the crew that owns its state. `tables` is false for a compact search.

    Raises MemoryError or OSError if there is no room for them.
    """
    word, pointer = ctypes.c_uint64, ctypes.c_void_p
    adopt = kernel.function(
        "adopt" if tables else "adopt_records", word, pointer, word, word, pointer, word, pointer, pointer
    )
    names: list[Region] = []
    before = (ctypes.c_uint64 * 256)()
    for segments in levels:
        made = [Region(max(8 * segment.count, 1)) for segment in segments]
        for segment, region in zip(segments, made, strict=True):
            _deal_segment(adopt, segment, crew, before, region)
        for former, (segment, region) in enumerate(zip(segments, made, strict=True)):
            before[former] = (region.address - 8 * segment.first) & (1 << 64) - 1
        for region in names:
            region.close()
        names = made
        crew.end_level()
    for region in names:
        region.close()


def _deal_segment(
    adopt: ctypes._FuncPointer, segment: Segment, crew: Crew, before: ctypes.Array[ctypes.c_uint64], names: Region
) -> None:
    bytes_each = crew.workers[0].store.record_bytes
    done, end = segment.first, segment.first + segment.count
    while done < end:
        spare = (end - done) // crew.size * 9 // 8 + crew.spare
        for worker in crew.workers:
            if worker.store.needs(spare):
                worker.store.grow(spare)
        done = adopt(
            segment.address - segment.first * bytes_each,
            done,
            end,
            ctypes.addressof(crew.contexts),
            crew.size,
            ctypes.addressof(before),
            names.address - 8 * segment.first,
        )
