"""The visited table as the kernel sees it: of one worker alone, or in parts that all workers share.

With several workers the table has a part for each, which that worker makes larger; a state belongs to the part that its
hash's lower half says, and to the position in it that the upper half says. Every worker looks up and inserts states in
all parts, without locks: it first writes the record, then tries to put it into a slot that is free, and looks again if
another was faster. A slot that has been taken never changes until all have stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..llvm.operands import Bit, Pointer, Word
from .lookup import Buckets, Lookup, Table, lower_half, slot_of
from .vocabulary import SLOT_INDEX, KernelText

PART_WORDS = 4
"""A part: the address of its table and the slots of it, the address of its filter and the slots of that."""

PLACE_WORDS = 2
"""A worker's records, as slots count them: where those from number zero on would lie, and the first of the next
frontier. A slot's number of a record is that of the worker above the index, so the worker's first is not zero."""

HELD = ("workers", "worker", "index_bits", "parts", "places")
"""What never changes while a kernel function runs."""


@dataclass(frozen=True)
class Visited(Lookup[Bit]):
    """What has been visited, as a kernel function sees it; `shared` if other workers insert at the same time.

    Of a record it is known whether it is of the frontier or of a level before.
    """

    k: KernelText
    shared: bool
    _held: Mapping[str, Word] = field(default_factory=dict)

    @classmethod
    def at_entry(cls, k: KernelText, shared: bool) -> Visited:
        """As a function sees it that begins here: what never changes is read once, if others insert at the same time.

        Otherwise LLVM sees to that; but it reads all again after what another thread may have written in between.
        """
        return cls(k, shared, {name: k.number(name) for name in HELD} if shared else {})

    def _number(self, name: str) -> Word:
        return self._held.get(name) or self.k.number(name)

    @property
    def racing(self) -> bool:
        return self.shared

    def table(self, hash: Word) -> Buckets:
        if not self.shared:
            return Buckets(self.k, self.k.pointer("table"), self.k.number("slots"))
        return Buckets(self.k, *self._part(hash, 0))

    def filter(self, hash: Word) -> Table:
        """The table of fingerprints where a state with this hash is looked up."""
        if not self.shared:
            return Table(self.k, self.k.pointer("filter"), self.k.number("filter_slots"))
        return Table(self.k, *self._part(hash, 2))

    def part(self, hash: Word) -> Word:
        """The number of the part that a state belongs to."""
        return lower_half(self.k, hash, self._number("workers"))

    def _part(self, hash: Word, first: int) -> tuple[Pointer, Word]:
        k = self.k
        offset = k.mul(self.part(hash), PART_WORDS)
        part = k.element(k.pointer_to(self._number("parts")), offset)
        return k.load(Pointer, k.element(part, first)), k.field(part, first + 1)

    def load(self, place: Pointer) -> Word:
        return self.k.load_acquire(place) if self.shared else self.k.load64(place)

    def bucket(self, hash: Word, compacted: bool) -> Pointer:
        """The slots where a state with this hash would be, which are asked for."""
        table = self.table(hash)
        place = table.place(table.home(hash))
        self.k.prefetch(place)
        if compacted:
            fingerprints = self.filter(hash)
            self.k.prefetch(fingerprints.place(fingerprints.home(hash)))
        return place

    def known(self, slot: Word) -> tuple[Pointer, Bit]:
        k = self.k
        index = k.and_(k.sub(slot, 1), SLOT_INDEX)
        if not self.shared:
            return k.record(index), k.ult(index, k.number("level_end"))
        worker = k.lshr(index, self._number("index_bits"))
        place = k.element(k.pointer_to(self._number("places")), k.mul(worker, PLACE_WORDS))
        offset = k.mul(index, k.words + 1)
        return k.element(k.load(Pointer, place), offset), k.ult(index, k.field(place, 1))

    def slot(self, hash: Word, index: Word) -> Word:
        """What leads to one of this worker's records, with the upper half of its state's hash."""
        k = self.k
        if self.shared:
            index = k.add(k.shl(self._number("worker"), self._number("index_bits")), index)
        return slot_of(k, hash, index)
