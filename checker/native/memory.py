"""Growing arrays outside Python's heap: anonymous memory that is only resident where it has been touched."""

from __future__ import annotations

import ctypes
import mmap

PAGE = mmap.PAGESIZE
HUGE = 1 << 21


class Region:
    """A block of zeroed memory. It can grow without copying where the system can remap pages."""

    def __init__(self, size: int) -> None:
        self._map = _mapped(size)
        self.size = len(self._map)

    @property
    def address(self) -> int:
        """Where the block begins; changes when it grows."""
        return ctypes.addressof(ctypes.c_char.from_buffer(self._map))

    def grow(self, size: int) -> None:
        """Make the block at least this large; what it holds stays, the rest is zero."""
        size = _rounded(size)
        if size <= self.size:
            return
        try:
            self._map.resize(size)
        except (SystemError, ValueError):
            larger = _mapped(size)
            larger[: self.size] = self._map[:]
            self._map.close()
            self._map = larger
        _advise(self._map)
        self.size = size

    def forget(self, start: int, length: int) -> None:
        """Give pages back to the system; they read as zero from then on."""
        first = -(-start // PAGE) * PAGE
        last = (start + length) // PAGE * PAGE
        if last > first and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, first, last - first)

    def close(self) -> None:
        """Free the block."""
        self._map.close()
        self.size = 0


def _rounded(size: int) -> int:
    unit = HUGE if size >= HUGE else PAGE
    return max(-(-size // unit) * unit, PAGE)


def _mapped(size: int) -> mmap.mmap:
    try:
        made = mmap.mmap(-1, _rounded(size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"the system gives no {size >> 20:,} MiB of memory") from error
    _advise(made)
    return made


def _advise(block: mmap.mmap) -> None:
    if hasattr(mmap, "MADV_HUGEPAGE") and len(block) >= HUGE:
        block.madvise(mmap.MADV_HUGEPAGE)
