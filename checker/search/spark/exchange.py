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
from typing import Self

from ...native.runtime.memory import Region
from .packing import Packing, Unpackable
from .storage import Storage, Stream

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
