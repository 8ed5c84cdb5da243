"""What a worker shares with the kernel: named numbers, and room for successors."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from .kernel_text import CONTEXT
from .program import EXTRA_WORDS

WORD = ctypes.c_uint64


class Context:
    """The kernel's context: named 64-bit numbers in memory shared with it."""

    def __init__(self) -> None:
        self._words = (WORD * len(CONTEXT))()

    @property
    def address(self) -> int:
        """Where the context lies."""
        return ctypes.addressof(self._words)

    def __getitem__(self, name: str) -> int:
        return self._words[CONTEXT.index(name)]

    def __setitem__(self, name: str, value: int) -> None:
        self._words[CONTEXT.index(name)] = value


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
