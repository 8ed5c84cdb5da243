"""Dealing the states of a search out to other workers: when more take part, and when a search is resumed."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..llvm.jit import MachineCode
from .memory import Region
from .worker_pool import Crew

PIECE = 1 << 14
"""How many records are dealt out at a time, with room for them in every part of the table."""


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
    """Deal the records of each level out evenly, in their order. `tables` is false for a compact search.

    Raises MemoryError or OSError if there is no room for them.
    """
    word, pointer = ctypes.c_uint64, ctypes.c_void_p
    adopt = kernel.function(
        "adopt" if tables else "adopt_records", None, pointer, pointer, word, word, pointer, pointer
    )
    names: list[Region] = []
    room = 0
    before = (ctypes.c_uint64 * 256)()
    for segments in levels:
        made = [Region(max(8 * segment.count, 1)) for segment in segments]
        total, done = sum(segment.count for segment in segments), 0
        for segment, region in zip(segments, made, strict=True):
            for piece, number in _pieces(segment, done, total, crew.size):
                if not tables or piece.count > room or crew.workers[number].store.lacks(piece.count):
                    room = crew.make_room(number, piece.count, tables)
                room -= piece.count
                adopt(
                    crew.workers[number].context.address,
                    segment.address - segment.first * crew.workers[0].store.record_bytes,
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
        crew.end_level()
    for region in names:
        region.close()


def _pieces(segment: Segment, done: int, total: int, workers: int) -> Iterator[tuple[Segment, int]]:
    """Parts of a segment, and for each the worker that gets it: of the whole level every worker gets one stretch.

    `done` records of the level, which has `total`, come before the segment.
    """
    at = 0
    while at < segment.count:
        number = (done + at) * workers // total
        last = -(-(number + 1) * total // workers) - done
        count = min(last, segment.count, at + PIECE) - at
        yield Segment(segment.address, segment.first + at, count), number
        at += count
