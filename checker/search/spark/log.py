"""The durable log: for every level and partition the new states, each with how it was reached: the hash of its parent,
its action, and the partition that has its parent.

A file is written once, under a name that no other attempt uses, as an Arrow IPC file. What the manifest says of it (how
many states, how many bytes, a checksum of them) is checked whenever it is read.

The checksum is a CRC-32, as in the exchange: it is there to notice damage. Every damage to one or two bits (of up to
512 MiB), or within 32 bits in a row, changes it; of other damage one in 2 to the 32nd does not. A cryptographic digest,
blake2b, took a twentieth of the processor time of a search.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .errors import LogDamaged
from .storage import Bytes, Storage


@dataclass(frozen=True)
class LogFile:
    """One attempt's file. `token` is unique to the attempt; without states there is no file and `name` is ""."""

    partition: int
    token: str
    name: str
    count: int
    size: int
    checksum: int

    def document(self) -> dict[str, Any]:
        """The record as JSON values."""
        return dict(vars(self))


@dataclass(frozen=True)
class Level:
    """The files of a level: one for each of `shards` partitions, in their order; a single one has all states."""

    shards: int
    files: tuple[LogFile, ...]

    @cached_property
    def count(self) -> int:
        """How many states the level has."""
        return sum(file.count for file in self.files)

    @property
    def written(self) -> tuple[LogFile, ...]:
        """The files with states."""
        return tuple(file for file in self.files if file.count)

    def of(self, shard: int, shards: int) -> tuple[LogFile, ...]:
        """The files that hold the states of one of `shards` partitions, perhaps among others."""
        files = self.files if self.shards != shards else (self.files[shard],)
        return tuple(file for file in files if file.count)


@dataclass(frozen=True)
class New:
    """States for a file: their words, the hashes of their parents, their actions, the partitions of their parents."""

    count: int
    states: Bytes
    parents: Bytes
    actions: Bytes
    senders: Bytes


@dataclass(frozen=True)
class LoggedStates:
    """What a file holds: `states` packed one after another, with how each was reached."""

    buffer: Any
    count: int
    states: Any
    parents: Any
    actions: Any
    senders: Any

    @property
    def address(self) -> int:
        """Where the states lie, as long as this object lives."""
        return int(self.states.address)


def write_log(storage: Storage, level: int, partition: int, token: str, words: int, new: New) -> LogFile:
    """Write the new states of a level and partition; the record for the manifest. Raises OSError."""
    import pyarrow as pa

    count = new.count
    if not count:
        return LogFile(partition, token, "", 0, 0, 0)
    columns = {
        "state": pa.FixedSizeBinaryArray.from_buffers(pa.binary(8 * words), count, [None, pa.py_buffer(new.states)]),
        "parent": pa.UInt64Array.from_buffers(pa.uint64(), count, [None, pa.py_buffer(new.parents)]),
        "action": pa.UInt16Array.from_buffers(pa.uint16(), count, [None, pa.py_buffer(new.actions)]),
        "sender": pa.UInt16Array.from_buffers(pa.uint16(), count, [None, pa.py_buffer(new.senders)]),
    }
    batch = pa.RecordBatch.from_pydict(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content = sink.getvalue()
    name = f"log/level-{level:05d}/part-{partition:05d}-{token}.arrow"
    storage.write(name, content)
    return LogFile(partition, token, name, count, content.size, zlib.crc32(content))


def read_log(storage: Storage, file: LogFile) -> LoggedStates:
    """What a file holds. Raises LogDamaged if it is not what its record says."""
    import pyarrow as pa

    try:
        content = storage.read(file.name)
    except OSError as error:
        raise LogDamaged(_damaged(storage, file, f"cannot be read: {error}")) from error
    if content.size != file.size:
        raise LogDamaged(_damaged(storage, file, f"has {content.size:,} bytes instead of {file.size:,}"))
    if zlib.crc32(content) != file.checksum:
        raise LogDamaged(_damaged(storage, file, "has another content than the one that was written"))
    batch = pa.ipc.open_file(content).get_batch(0)
    state, *reached = (batch.column(name) for name in ("state", "parent", "action", "sender"))
    return LoggedStates(content, batch.num_rows, state.buffers()[1], *reached)


def _damaged(storage: Storage, file: LogFile, what: str) -> str:
    return (
        f"{storage.path(file.name)} {what}.\n"
        "  The search cannot go on without it. Restore it and go on with --resume last, or search again with an empty "
        "--storage."
    )
