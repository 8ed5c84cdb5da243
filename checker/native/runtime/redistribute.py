"""Redistributing the states of a search over workers: when more take part, and when a search is resumed."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..llvm.jit import MachineCode
from .memory import Region
from .worker_pool import WorkerPool


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
