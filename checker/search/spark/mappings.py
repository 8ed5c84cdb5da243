"""Mapped files that a process keeps from task to task, so that a page which was touched once is not faulted in again.

A mapping is known by the device and inode of its file. The descriptor that is kept with it keeps the inode from being
given to another file meanwhile.
"""

from __future__ import annotations

import mmap
import os

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
