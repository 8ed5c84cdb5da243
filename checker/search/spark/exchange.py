"""The exchange of a level: what a task sends to the owners of the next one, in one file on the shared storage.

A file holds entries sorted by owner, stretch after stretch: as they lie in memory, or packed where the storage is
remote (`packing.py`). Owners read their stretches. Like the owner tables it is only a cache. It is not forced to the
disk; the driver holds where each stretch is and a checksum of it, and where one is missing or damaged the level is
expanded again from the log. A file is named after the driver, the level that it is for and the attempt that wrote it.
So one that a superseded attempt leaves is never read, and a driver that has lost the storage to another has nothing in
common with it.
"""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

from ...native.kernel.kernel import HASH_BYTES, column_bytes
from ...native.runtime.memory import Region
from .program import Loaded
from .storage import Storage, Stream

# -- packing ----------------------------------------------------------------------------------------------------------
# How entries lie in a file of the exchange where the storage is remote: packed, as its bytes cost more than packing.
#
# Of a stretch there are first the hashes of the states before, as they are: they are random. Then the other columns,
# compressed by zstd at its first level. So a stretch has half the bytes (docs/decisions/004-spark-keeps-a-log.md).
#
# What is unpacked has as many entries as the driver says, or is refused: no size in a file is believed.

CODEC, LEVEL = "zstd", 1


class Unpackable(ValueError):
    """Bytes that are not so many packed entries."""


class Packing:
    """Packs and unpacks the entries of a program, in memory that is used again."""

    def __init__(self, code: Loaded) -> None:
        self._code = code
        self.entry = 8 * (code.program.words + 2)
        self._columns = column_bytes(code.program.words)
        self._hashes: Region | None = None
        self._room: Region | None = None

    @cached_property
    def _codec(self) -> Any:
        import pyarrow as pa

        return pa.Codec(CODEC, LEVEL)

    def pack(self, entries: memoryview) -> tuple[memoryview, memoryview]:
        """The two parts of a stretch. They are there until the next one is packed."""
        count = len(entries) // self.entry
        hashes = self._hashes = _grown(self._hashes, count * HASH_BYTES)
        columns = self._room = _grown(self._room, count * self._columns)
        self._code.to_columns(_where(entries), hashes.address, columns.address, count)
        packed = self._codec.compress(_memory(columns.address, count * self._columns), asbytes=True)
        return _memory(hashes.address, count * HASH_BYTES), memoryview(packed)

    def unpack(self, packed: memoryview, count: int) -> int:
        """Where so many entries lie that were packed, until others are unpacked. Raises Unpackable."""
        parts = packed[: count * HASH_BYTES], packed[count * HASH_BYTES :]
        try:
            columns = self._codec.decompress(parts[1], count * self._columns)  # it raises if there are fewer, or more
        except (OSError, ValueError) as error:  # whichever of them Arrow has for it
            raise Unpackable(f"is not {count:,} entries: {error}") from error
        room = self._room = _grown(self._room, count * self.entry)
        self._code.to_records(room.address, _where(packed), columns.address, count)
        return room.address


@lru_cache(maxsize=1)
def _of(code: Loaded) -> Packing:
    return Packing(code)


def packing_for(storage: Storage, code: Loaded) -> Packing | None:
    """How entries are packed for a storage; None where they are not, on a file system of this machine."""
    return _of(code) if storage.local is None else None


def _grown(region: Region | None, size: int) -> Region:
    if region is None:
        return Region(size)
    region.grow(size)
    return region


def _memory(address: int, size: int) -> memoryview:
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")


def _where(content: memoryview) -> int:
    return ctypes.addressof((ctypes.c_char * len(content)).from_buffer(content))


FOLDER = "exchange"


class ExchangeLost(Exception):
    """A stretch of the exchange is not what was written. The level is expanded again."""


@dataclass(frozen=True)
class Stretch:
    """Entries for one owner in a file of the exchange: `size` bytes from `offset` on, with their CRC-32.

    `sender` is the partition that has the states before. `packed` is how many entries they are if they are packed.
    """

    sender: int
    name: str
    offset: int
    size: int
    checksum: int
    packed: int = 0


Inbox = tuple[Stretch, ...]
"""What a partition is sent."""


def folder_of(driver: str, level: int) -> str:
    """Where what is sent to a level lies."""
    return f"{FOLDER}/{driver}/level-{level:05d}"


class Outbox:
    """Writes the file of one task, if there is anything to write: what it sends to the owners of a level."""

    def __init__(self, storage: Storage, folder: str, shard: int, token: str, packing: Packing | None = None) -> None:
        self._storage, self._shard, self._name = storage, shard, f"{folder}/part-{shard:05d}-{token}.entries"
        self._packing = packing
        self._file: Stream | None = None
        self._end = 0
        self._sent: list[tuple[int, Stretch]] = []

    def put(self, entries: memoryview, sizes: Sequence[int], first: int = 0) -> None:
        """Write entries sorted by owner, so many bytes for each from the owner `first` on. Raises OSError."""
        if not entries:
            return
        if self._file is None:
            self._file = self._storage.create(self._name)
        if self._packing is None:
            self._file.write(entries)
        start = 0
        for owner, size in enumerate(sizes, first):
            if size:
                part = entries[start : start + size]
                if self._packing is None:
                    self._note(owner, size, zlib.crc32(part))
                else:
                    self._write_packed(owner, part, self._file, self._packing)
                start += size

    def _write_packed(self, owner: int, entries: memoryview, file: Stream, packing: Packing) -> None:
        hashes, columns = packing.pack(entries)
        file.write(hashes)
        file.write(columns)
        checksum = zlib.crc32(columns, zlib.crc32(hashes))
        self._note(owner, len(hashes) + len(columns), checksum, len(entries) // packing.entry)

    def _note(self, owner: int, size: int, checksum: int, packed: int = 0) -> None:
        self._sent.append((owner, Stretch(self._shard, self._name, self._end, size, checksum, packed)))
        self._end += size

    @property
    def sent(self) -> tuple[tuple[int, Stretch], ...]:
        """What each owner was sent."""
        return tuple(self._sent)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """The file is complete. Of a task that has failed there is none."""
        if self._file is not None:
            if kind is None:
                self._file.close()
            else:
                self._file.abandon()


class Reader:
    """Reads stretches into memory that is used again for the next one."""

    def __init__(self) -> None:
        self._region: Region | None = None

    def read(
        self, storage: Storage, inbox: Iterable[Stretch], packing: Packing | None = None
    ) -> Iterator[tuple[int, int, int]]:
        """The address, size and sender of the entries of one stretch after the other, each checked.

        Raises ExchangeLost.
        """
        for stretch in inbox:
            if self._region is None:
                self._region = Region(stretch.size)
            self._region.grow(stretch.size)
            address = self._region.address
            content = memoryview((ctypes.c_char * stretch.size).from_address(address)).cast("B")
            try:
                got = storage.read_into(stretch.name, stretch.offset, content)
            except OSError as error:
                raise ExchangeLost(f"{storage.path(stretch.name)} cannot be read: {error}") from error
            if got != stretch.size:
                raise ExchangeLost(f"{storage.path(stretch.name)} ends too early")
            if zlib.crc32(content) != stretch.checksum:
                raise ExchangeLost(f"{storage.path(stretch.name)} has another content than the one that was written")
            if packing is None:
                yield address, stretch.size, stretch.sender
                continue
            try:
                entries = packing.unpack(content, stretch.packed)
            except Unpackable as error:
                raise ExchangeLost(f"a part of {storage.path(stretch.name)} {error}") from error
            yield entries, stretch.packed * packing.entry, stretch.sender


def inboxes(sent: Iterable[tuple[int, Stretch]]) -> dict[int, Inbox]:
    """What each partition is sent, of those that are sent anything."""
    found: dict[int, list[Stretch]] = {}
    for owner, stretch in sent:
        found.setdefault(owner, []).append(stretch)
    return {owner: tuple(found[owner]) for owner in sorted(found)}
