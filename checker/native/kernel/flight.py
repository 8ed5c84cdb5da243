"""Batches on their way into the table: three at a time, each waiting for memory while the others are worked on.

A batch is gathered and its buckets are asked for; when the next has been gathered, its buckets are looked at and the
records that they lead to are asked for; one batch later it is settled.
"""

from __future__ import annotations

from ..llvm.operands import Pointer, Word
from .variants import Variant
from .vocabulary import KernelText

CONTEXT = Pointer("%context")

IN_FLIGHT = 3
"""How many batches there are at a time: gathered, looked up, and to be settled."""


class Flight:
    """The batches of a kernel function that runs in some variant."""

    def __init__(self, k: KernelText, variant: Variant) -> None:
        self._k, self._variant = k, variant
        buffer, size = k.pointer("buffer"), k.number("buffer_entries")
        self._batches = [k.variable(Pointer, k.entry(buffer, k.mul(size, 1 + i))) for i in range(IN_FLIGHT)]
        self._sizes = [k.variable(Word, 0) for _ in range(IN_FLIGHT)]

    @property
    def free(self) -> Pointer:
        """Where the next batch is to be gathered."""
        return self._batches[0].get()

    def add(self, count: Word) -> None:
        """The next batch has been gathered, and has so many entries: move the others on."""
        gathered, looked_up, last = self._batches
        self._settle()
        self._look()
        free = last.get()
        last.set(looked_up.get())
        looked_up.set(gathered.get())
        gathered.set(free)
        self._sizes[2].set(self._sizes[1].get())
        self._sizes[1].set(count)

    def land(self) -> None:
        """Bring all of them into the table."""
        _, looked_up, last = self._batches
        self._settle()
        self._look()
        last.set(looked_up.get())
        self._sizes[2].set(self._sizes[1].get())
        self._settle()
        self._sizes[1].set(0)
        self._sizes[2].set(0)

    def _look(self) -> None:
        self._k.call(self._variant.named("look"), CONTEXT, self._batches[1].get(), self._sizes[1].get())

    def _settle(self) -> None:
        self._k.call(self._variant.named("settle"), CONTEXT, self._batches[2].get(), self._sizes[2].get())
