"""The visited table as the kernel sees it: of one worker alone, or in parts that all workers share.

With several workers the table has a part for each, which that worker makes larger; a state belongs to the part that its
hash's lower half says, and to the position in it that the upper half says. Every worker looks up and enters states in
all parts, without locks: it first writes the record, then tries to put it into a slot that is free, and looks again if
another was faster. A slot that has been taken never changes until all have stopped.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..llvm.operands import Bit, Pointer, Word
from .vocabulary import SLOT_INDEX, KernelText

PART_WORDS = 4
"""A part: the address of its table and the slots of it, the address of its filter and the slots of that."""


def part_of(k: KernelText, hash: Word, parts: Word) -> Word:
    """The part that a state belongs to: its hash's lower half, scaled; the upper half is for the slot."""
    low = k.and_(hash, (1 << 32) - 1)
    return k.lshr(k.mul(low, parts), 32)


@dataclass(frozen=True)
class Table:
    """A table of slots: where it lies and how many there are."""

    k: KernelText
    address: Pointer
    slots: Word

    def place(self, position: Word) -> Pointer:
        """The address of a slot."""
        return self.k.element(self.address, position)

    def home(self, hash: Word) -> Word:
        """The position where a hash belongs: its upper half, scaled."""
        top = self.k.lshr(hash, 32)
        return self.k.lshr(self.k.mul(top, self.slots), 32)

    def following(self, position: Word) -> Word:
        """The position after this one, around the end."""
        following = self.k.add(position, 1)
        return self.k.select(self.k.eq(following, self.slots), 0, following)


@dataclass(frozen=True)
class Visited:
    """What has been visited, as a kernel function sees it; `shared` if other workers enter states at the same time."""

    k: KernelText
    shared: bool

    def table(self, hash: Word) -> Table:
        """The table where a state with this hash is looked up."""
        if not self.shared:
            return Table(self.k, self.k.pointer("table"), self.k.number("slots"))
        return self._part(hash, 0)

    def filter(self, hash: Word) -> Table:
        """The table of fingerprints where a state with this hash is looked up."""
        if not self.shared:
            return Table(self.k, self.k.pointer("filter"), self.k.number("filter_slots"))
        return self._part(hash, 2)

    def _part(self, hash: Word, first: int) -> Table:
        k = self.k
        number = part_of(k, hash, k.number("workers"))
        part = k.element(k.pointer("parts"), k.mul(number, PART_WORDS))
        return Table(k, k.load(Pointer, k.element(part, first)), k.field(part, first + 1))

    def load(self, place: Pointer) -> Word:
        """What a slot holds now."""
        return self.k.load_acquire(place) if self.shared else self.k.load64(place)

    def prefetch(self, hash: Word, compact: bool) -> None:
        """Ask for the slots where a state with this hash would be."""
        for table in (self.table(hash), *((self.filter(hash),) if compact else ())):
            self.k.prefetch(table.place(table.home(hash)))

    def known(self, slot: Word) -> tuple[Pointer, Bit]:
        """The address of the record that a slot points to, and whether it is of the level explored now or before.

        For a free slot, some address.
        """
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
        """What points to one of this worker's records, with the upper half of its state's hash."""
        k = self.k
        top = k.and_(hash, -1 << 32)
        if self.shared:
            first = k.shl(k.number("worker"), k.number("index_bits"))
            index = k.add(first, index)
        return k.or_(top, k.add(index, 1))
