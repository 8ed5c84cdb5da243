"""Growing arrays outside Python's heap: anonymous memory, resident only where it has been touched, or a mapped file."""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import overload

from ..kernel.kernel import LINE
from ..program.program import EXTRA_WORDS

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
        return address_of(self._map)

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


# -- context ----------------------------------------------------------------------------------------------------------
# What a worker shares with the kernel: named numbers, and room for successors.

WORD = ctypes.c_uint64


class Words:
    """An array of 64-bit numbers, zero at first, on cache lines that nothing else is on.

    What one worker writes all the time must not share a line, nor the line beside it that the processor fetches with
    it, with what another worker needs.
    """

    def __init__(self, length: int) -> None:
        lines = -(-length // (2 * LINE)) * 2 * LINE
        self._array = (WORD * (lines + 2 * LINE))()
        self._first = -ctypes.addressof(self._array) // 8 % (2 * LINE)
        self._length = length

    @property
    def address(self) -> int:
        """Where the array lies."""
        return ctypes.addressof(self._array) + 8 * self._first

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[int, ...]: ...

    def __getitem__(self, at: int | slice) -> int | tuple[int, ...]:
        if isinstance(at, slice):
            return tuple(self._array[self._first : self._first + self._length][at])
        return self._array[self._first + at]

    def __setitem__(self, at: int, value: int) -> None:
        self._array[self._first + at] = value

    def put(self, values: Sequence[int]) -> None:
        """Set all of them."""
        self._array[self._first : self._first + self._length] = list(values)

    def clear(self) -> None:
        """Make every number zero."""
        ctypes.memset(self.address, 0, 8 * self._length)


class Context:
    """A kernel's context: 64-bit numbers in memory shared with it, by the names of their slots."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names, self._words = names, Words(len(names))
        self._at = {name: at for at, name in enumerate(names)}

    @property
    def address(self) -> int:
        """Where the context lies."""
        return self._words.address

    def __getitem__(self, name: str) -> int:
        return self._words[self._at[name]]

    def __setitem__(self, name: str, value: int) -> None:
        self._words[self._at[name]] = value

    def update(self, values: Mapping[str, int]) -> None:
        """Set several slots."""
        for name, value in values.items():
            self[name] = value

    def copy(self) -> Context:
        """Another one with the same values."""
        made = Context(self._names)
        made._words.put(self._words[:])
        return made


def bytes_at(address: int, size: int) -> memoryview:
    """So many bytes of memory that somebody else holds."""
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")


def address_of(content: memoryview | mmap.mmap) -> int:
    """Where bytes that can be written lie."""
    return ctypes.addressof((ctypes.c_char * len(content)).from_buffer(content))


class SuccessorBuffer:
    """Room for the successors of a few states of so many words, as `program` and `kernel` lay it out."""

    def __init__(self, words: int, entries: int) -> None:
        self.words = words
        self.entry_words = words + EXTRA_WORDS
        self.entries = entries
        self.array = (WORD * (self.entries * self.entry_words))()

    @property
    def address(self) -> int:
        """Where the buffer lies."""
        return ctypes.addressof(self.array)

    def state(self, entry: int) -> tuple[int, ...]:
        """The words of the state of an entry."""
        at = entry * self.entry_words
        return tuple(self.array[at : at + self.words])

    def tag(self, entry: int) -> int:
        """The tag of an entry."""
        return self.array[entry * self.entry_words + self.words]

    def put(self, entry: int, state: Sequence[int], rest: Sequence[int]) -> None:
        """Write an entry: the words of its state, then the rest."""
        at = entry * self.entry_words
        self.array[at : at + self.entry_words] = [*state, *rest]
