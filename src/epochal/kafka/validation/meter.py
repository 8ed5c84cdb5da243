"""How far the reading and checking of evidence is, for whoever waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

One = TypeVar("One")

EVERY = 0.25
"""Seconds between two reports."""

MANY = 1024
"""How many records go by between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done: a file of which so many bytes are read, or so many of all records checked."""

    doing: str
    read: int | None
    done: int | None
    of: int | None
    seconds: float


class Meter:
    """Tells how far it is, now and then; nothing without a listener."""

    def __init__(self, report: Callable[[Progress], None] | None = None) -> None:
        self._report, self._began, self._next, self._read = report, time.monotonic(), 0.0, 0

    def took(self, name: str, number: int) -> None:
        """So many more bytes of a file were read. The count is that of all files."""
        self._read += number
        self._tell(f"reading {name}", self._read, None, None)

    def each(self, doing: str, items: Sequence[One]) -> Iterator[One]:
        """The same items, one after the other."""
        for number, item in enumerate(items):
            if number % MANY == 0:
                self._tell(doing, None, number, len(items))
            yield item

    def reached(self, doing: str, done: int, of: int) -> None:
        """So much of it is done."""
        self._tell(doing, None, done, of)

    def _tell(self, doing: str, read: int | None, done: int | None, of: int | None) -> None:
        now = time.monotonic() - self._began
        if self._report is not None and now >= self._next:
            self._next = now + EVERY
            self._report(Progress(doing, read, done, of, now))


SILENT = Meter()
