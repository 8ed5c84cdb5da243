"""The visited table as the kernel sees it: of one worker alone, or in parts that all workers share.

With several workers the table has a part for each, which that worker makes larger; a state belongs to the part that its
hash's lower half says, and to the position in it that the upper half says. Every worker looks up and enters states in
all parts, without locks: it first writes the record, then tries to put it into a slot that is free, and looks again if
another was faster. A slot that has been taken never changes until all have stopped.
"""

from __future__ import annotations

from dataclasses import dataclass

from .vocabulary import SLOT_INDEX, KernelText

PART_WORDS = 4
"""A part: the address of its table and the slots of it, the address of its filter and the slots of that."""


def part_of(k: KernelText, hash: str, workers: str) -> str:
    """The part that a state belongs to: its hash's lower half, scaled; the upper half is for the slot."""
    low = k.value(f"and i64 {hash}, {(1 << 32) - 1}")
    return k.value(f"lshr i64 {k.value(f'mul i64 {low}, {workers}')}, 32")


@dataclass(frozen=True)
class Table:
    """A table of slots: where it lies and how many there are."""

    k: KernelText
    address: str
    slots: str

    def place(self, position: str) -> str:
        """The address of a slot."""
        return self.k.value(f"getelementptr i64, ptr {self.address}, i64 {position}")

    def home(self, hash: str) -> str:
        """The position where a hash belongs: its upper half, scaled."""
        top = self.k.value(f"lshr i64 {hash}, 32")
        return self.k.value(f"lshr i64 {self.k.value(f'mul i64 {top}, {self.slots}')}, 32")

    def following(self, position: str) -> str:
        """The position after this one, around the end."""
        return self.k.step_to(position, self.slots)


@dataclass(frozen=True)
class Visited:
    """What has been visited, as a kernel function sees it; `shared` if other workers enter states at the same time."""

    k: KernelText
    shared: bool

    def table(self, hash: str) -> Table:
        """The table where a state with this hash is looked up."""
        if not self.shared:
            return Table(self.k, self.k.pointer("table"), self.k.load("slots"))
        return self._part(hash, 0)

    def filter(self, hash: str) -> Table:
        """The table of fingerprints where a state with this hash is looked up."""
        return (
            self._part(hash, 2) if self.shared else Table(self.k, self.k.pointer("filter"), self.k.load("filter_slots"))
        )

    def _part(self, hash: str, first: int) -> Table:
        k = self.k
        number = part_of(k, hash, k.load("workers"))
        part = k.value(f"getelementptr i64, ptr {k.pointer('parts')}, i64 {k.value(f'mul i64 {number}, {PART_WORDS}')}")
        at = k.value(f"getelementptr i64, ptr {part}, i64 {first}")
        return Table(k, k.value(f"load ptr, ptr {at}"), k.word(part, first + 1))

    def load(self, place: str) -> str:
        """What a slot holds now."""
        load = "load atomic i64, ptr {} acquire, align 8" if self.shared else "load i64, ptr {}"
        return self.k.value(load.format(place))

    def prefetch(self, hash: str, compact: bool) -> None:
        """Ask for the slots where a state with this hash would be."""
        for table in (self.table(hash), *((self.filter(hash),) if compact else ())):
            self.k.prefetch(table.place(table.home(hash)))

    def known(self, slot: str) -> tuple[str, str]:
        """The address of the record that a slot points to, and whether it is of the level explored now or before.

        For a free slot, some address.
        """
        k = self.k
        index = k.value(f"and i64 {k.value(f'sub i64 {slot}, 1')}, {SLOT_INDEX}")
        if not self.shared:
            return k.record(index), k.value(f"icmp ult i64 {index}, {k.load('level_end')}")
        bits = k.load("index_bits")
        worker = k.value(f"lshr i64 {index}, {bits}")
        first = k.value(f"shl i64 {worker}, {bits}")
        local = k.value(f"sub i64 {index}, {first}")
        ends = k.value(f"getelementptr i64, ptr {k.pointer('level_ends')}, i64 {worker}")
        end = k.value(f"load i64, ptr {ends}")
        return k.record_of(worker, local), k.value(f"icmp ult i64 {local}, {end}")

    def slot(self, hash: str, index: str) -> str:
        """What points to one of this worker's records, with the upper half of its state's hash."""
        k = self.k
        top = k.value(f"and i64 {hash}, {-1 << 32}")
        if self.shared:
            first = k.value(f"shl i64 {k.load('worker')}, {k.load('index_bits')}")
            index = k.value(f"add i64 {first}, {index}")
        return k.value(f"or i64 {top}, {k.value(f'add i64 {index}, 1')}")
