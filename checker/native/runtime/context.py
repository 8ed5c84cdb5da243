"""What a worker shares with the kernel: named numbers, and room for successors."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import overload

from ..kernel.vocabulary import CONTEXT, LINE
from ..program.program import EXTRA_WORDS

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


_SLOT = {name: at for at, name in enumerate(CONTEXT)}
"""Which word of a context has a name."""


class Context:
    """The kernel's context: named 64-bit numbers in memory shared with it."""

    def __init__(self) -> None:
        self._words = Words(len(CONTEXT))

    @property
    def address(self) -> int:
        """Where the context lies."""
        return self._words.address

    def __getitem__(self, name: str) -> int:
        return self._words[_SLOT[name]]

    def __setitem__(self, name: str, value: int) -> None:
        self._words[_SLOT[name]] = value


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
