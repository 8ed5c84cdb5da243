"""The batches of a segment file of a partition, by their offsets: as much as it takes to know where a log ends."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

BATCH = struct.Struct(">qi")
"""How a batch of records begins in a segment: base offset, and the length of what follows (KIP-98)."""


def batches(content: bytes) -> Iterator[tuple[int, int]]:
    """Position and last offset of each batch; a preallocated file ends in zeros."""
    position = 0
    while position + BATCH.size <= len(content):
        base, length = BATCH.unpack_from(content, position)
        if length <= 0:
            return
        yield position, base + int.from_bytes(content[position + 23 : position + 27], "big")
        position += BATCH.size + length


def log_end_offset(replica: Path) -> int:
    """The offset behind the last record of a replica, by its newest segment file; its base offset if that is empty."""
    newest = max(replica.glob("*.log"))
    return max((last + 1 for _, last in batches(newest.read_bytes())), default=int(newest.stem))


def records_on_disk(replica: Path) -> tuple[int, ...]:
    """The last offset of each batch that is in a segment file of a replica."""
    return tuple(last for path in sorted(replica.glob("*.log")) for _, last in batches(path.read_bytes()))
