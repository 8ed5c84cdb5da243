"""How entries lie in a file of the exchange where the storage is remote: packed, as its bytes cost more than packing.

Of a stretch there are first the hashes of the states before, as they are: they are random. Then the other columns,
compressed by zstd at its first level. So a stretch has half the bytes (docs/decisions/004-spark-keeps-a-log.md).

What is unpacked has as many entries as the driver says, or is refused: no size in a file is believed.
"""

from __future__ import annotations

import ctypes
from functools import cached_property, lru_cache
from typing import Any

from ...native.kernel.columns import HASH_BYTES, column_bytes
from ...native.runtime.memory import Region
from .program import Loaded
from .storage import Storage

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
