"""Memory for tables: growing blocks in this process or in files, and the kernel's context."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol as Shape

from ...native.kernel.kernel import SUPERSTEP_CONTEXT
from ...native.runtime.memory import Region

# -- mappings ---------------------------------------------------------------------------------------------------------
# Mapped files that a process keeps from task to task, so that a page which was touched once is not faulted in again.
#
# A mapping is known by the device and inode of its file. The descriptor that is kept with it keeps the inode from being
# given to another file meanwhile.

ALL = 1 << 30
OF_ONE_TABLE = 4
"""How many mappings are kept: all of them where tasks run on the machine of the driver. Elsewhere those of the last
table, as some cluster managers count every page once for each process that has it mapped."""


class Mappings:
    """The mappings that are not in use."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], tuple[int, mmap.mmap]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, file: int) -> mmap.mmap:
        """The mapping of the whole of an open file: one that is kept, or a new one. Raises OSError."""
        status = os.fstat(file)
        kept = self._kept.pop((status.st_dev, status.st_ino), None)
        if kept is None:
            return mmap.mmap(file, 0)
        _, mapped = kept
        if len(mapped) == status.st_size:
            os.close(kept[0])
            return mapped
        _close(kept)  # another process has made the file larger
        return mmap.mmap(file, 0)

    def keep(self, file: int, mapped: mmap.mmap) -> None:
        """Keep a mapping, with a descriptor of its file, until it is asked for again."""
        status = os.fstat(file)
        self._kept[status.st_dev, status.st_ino] = (file, mapped)

    def tidy(self, most: int) -> None:
        """Let go of the mappings of files that are gone, and of those least lately used beyond so many."""
        for key, kept in list(self._kept.items()):
            if not os.fstat(kept[0]).st_nlink or len(self._kept) > most:
                del self._kept[key]
                _close(kept)


def _close(kept: tuple[int, mmap.mmap]) -> None:
    file, mapped = kept
    mapped.close()
    os.close(file)


MAPPINGS = Mappings()
"""Those of this process."""

WORD = ctypes.c_uint64


class Block(Shape):
    """Zeroed memory that can grow."""

    @property
    def address(self) -> int:
        """Where it begins; changes when it grows."""

    def grow(self, size: int) -> None:
        """Make it at least this large."""

    def close(self) -> None:
        """Give it back."""


MakeBlock = Callable[[str, int], Block]


def in_memory(_: str, size: int) -> Block:
    """A block of this process's own memory."""
    return Region(size)


class FileBlock:
    """A block that is a file: other processes find it later, and the system can write it out when memory is short."""

    def __init__(self, path: Path, size: int, new: bool) -> None:
        """A new block, zeroed; or one that is there, with so many bytes at least. Raises OSError, ValueError."""
        self._file = os.open(path, os.O_RDWR | (os.O_CREAT | os.O_EXCL if new else 0), 0o600)
        try:
            if new:
                self._reserve(size)
            elif (there := os.fstat(self._file).st_size) < size:
                raise ValueError(f"{path} has {there:,} bytes instead of {size:,}")  # the rest would be zeros
            self._map = MAPPINGS.take(self._file)
        except BaseException:
            os.close(self._file)
            raise

    def _reserve(self, size: int) -> None:
        """Have the disk space now: a full disk is an error here, and a crash when mapped memory is written."""
        if size > os.fstat(self._file).st_size:
            os.posix_fallocate(self._file, 0, size)

    @property
    def address(self) -> int:
        """Where the block begins; changes when it grows."""
        return ctypes.addressof(ctypes.c_char.from_buffer(self._map))

    def grow(self, size: int) -> None:
        """Make the file at least this large; the rest is zero."""
        if size > len(self._map):
            self._reserve(size)
            self._map.resize(size)

    def close(self) -> None:
        """Leave the mapping to the next task of this process; the file stays."""
        MAPPINGS.keep(self._file, self._map)


class SuperstepContext:
    """The kernel's context: named 64-bit numbers in memory shared with it."""

    def __init__(self) -> None:
        self._words = (WORD * len(SUPERSTEP_CONTEXT))()
        self._at = {name: i for i, name in enumerate(SUPERSTEP_CONTEXT)}

    @property
    def address(self) -> int:
        """Where the context lies."""
        return ctypes.addressof(self._words)

    def __getitem__(self, name: str) -> int:
        return self._words[self._at[name]]

    def __setitem__(self, name: str, value: int) -> None:
        self._words[self._at[name]] = value

    def update(self, values: dict[str, int]) -> None:
        """Set several slots."""
        for name, value in values.items():
            self[name] = value
