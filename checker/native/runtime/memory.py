"""Growing arrays outside Python's heap: anonymous memory, resident only where it has been touched, or a mapped file."""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
from pathlib import Path

PAGE = mmap.PAGESIZE
HUGE = 1 << 21


class Region:
    """A block of zeroed memory. It can grow without copying where the system can remap pages.

    With a folder, the block is a file there, mapped into memory: the system writes it back when memory is short. The
    file has no name, so it is gone with the process, however that ends. Raises MemoryError, or OSError if the folder
    cannot be written or the disk is full.
    """

    def __init__(self, size: int, folder: Path | None = None) -> None:
        self._file = _nameless_file(folder) if folder is not None else None
        self.size = _rounded(size)
        try:
            self._map = self._mapped(self.size)
        except BaseException:
            self._close_file()
            raise

    def _mapped(self, size: int) -> mmap.mmap:
        if self._file is not None:
            os.posix_fallocate(self._file, 0, size)
            return mmap.mmap(self._file, size, flags=mmap.MAP_SHARED)
        try:
            made = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except OSError as error:
            raise MemoryError(f"the system gives no {size >> 20:,} MiB of memory") from error
        _advise(made)
        return made

    @property
    def address(self) -> int:
        """Where the block begins; changes when it grows."""
        return ctypes.addressof(ctypes.c_char.from_buffer(self._map))

    def grow(self, size: int) -> None:
        """Make the block at least this large; what it holds stays, the rest is zero."""
        size = _rounded(size)
        if size <= self.size:
            return
        if self._file is not None:
            before, self._map = self._map, self._mapped(size)
            before.close()
        else:
            self._grow_anonymous(size)
        self.size = size

    def _grow_anonymous(self, size: int) -> None:
        try:
            self._map.resize(size)
        except (SystemError, ValueError):
            larger = self._mapped(size)
            larger[: self.size] = self._map[: self.size]
            before, self._map = self._map, larger
            before.close()
        _advise(self._map)

    def forget(self, start: int, length: int) -> None:
        """Give the memory of these pages back; anonymous ones read as zero from then on, those of a file as written."""
        first = -(-start // PAGE) * PAGE
        last = (start + length) // PAGE * PAGE
        if last > first and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, first, last - first)

    def clear(self) -> None:
        """Make every byte zero."""
        if self._file is None and hasattr(mmap, "MADV_DONTNEED"):
            self.forget(0, self.size)
        else:
            ctypes.memset(self.address, 0, self.size)

    def _close_file(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def close(self) -> None:
        """Free the block."""
        self._map.close()
        self._close_file()
        self.size = 0


def _nameless_file(folder: Path) -> int:
    handle, name = tempfile.mkstemp(prefix="records-", dir=folder)
    Path(name).unlink()
    return handle


def _rounded(size: int) -> int:
    unit = HUGE if size >= HUGE else PAGE
    return max(-(-size // unit) * unit, PAGE)


def _advise(block: mmap.mmap) -> None:
    if hasattr(mmap, "MADV_HUGEPAGE") and len(block) >= HUGE:
        block.madvise(mmap.MADV_HUGEPAGE)
