"""Memory for tables: growing blocks in this process or in files, and the kernel's context."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol as Shape

from ...native.kernel.superstep_vocabulary import SUPERSTEP_CONTEXT
from ...native.runtime.memory import Region
from .mappings import MAPPINGS

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
