"""The visited table as the kernel sees it: of one worker alone, or in parts that all workers share.

With several workers the table has a part for each, which that worker makes larger; a state belongs to the part that its
hash's lower half says, and to the position in it that the upper half says. Every worker looks up and inserts states in
all parts, without locks: it first writes the record, then tries to put it into a slot that is free, and looks again if
another was faster. A slot that has been taken never changes until all have stopped.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..llvm.operands import Bit, Pointer, Word
from .lookup import Buckets, Lookup, Table, lower_half, slot_of
from .vocabulary import SLOT_INDEX, KernelText

PART_WORDS = 4
"""A part: the address of its table and the slots of it, the address of its filter and the slots of that."""


@dataclass(frozen=True)
class Visited(Lookup[Bit]):
    """What has been visited, as a kernel function sees it; `shared` if other workers insert at the same time.

    Of a record it is known whether it is of the frontier or of a level before.
    """

    k: KernelText
    shared: bool

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
        return lower_half(self.k, hash, self.k.number("workers"))

    def _part(self, hash: Word, first: int) -> tuple[Pointer, Word]:
        k = self.k
        number = self.part(hash)
        part = k.element(k.pointer("parts"), k.mul(number, PART_WORDS))
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
        bits = k.number("index_bits")
        worker = k.lshr(index, bits)
        first = k.shl(worker, bits)
        local = k.sub(index, first)
        end = k.load64(k.at("level_ends", worker))
        return k.record_of(worker, local), k.ult(local, end)

    def slot(self, hash: Word, index: Word) -> Word:
        """What leads to one of this worker's records, with the upper half of its state's hash."""
        k = self.k
        if self.shared:
            first = k.shl(k.number("worker"), k.number("index_bits"))
            index = k.add(first, index)
        return slot_of(k, hash, index)
