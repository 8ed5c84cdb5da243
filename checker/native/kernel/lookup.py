"""What the kernels of a worker and of a superstep must do alike: look a state up in a table, and check the constraint.

A table is open addressing over 64-bit slots: the top half of a state's hash and, in the lower half, what leads to its
record. How that is found, and what else is known of a record, differs, so a `Lookup` says it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ..llvm.instructions import Bit, Label, Pointer, Variable, Word, word
from ..llvm.lanes import LANES
from .vocabulary import FAILED_ON_STEP, SLOT_INDEX, KernelText

INDEX_MASK = (1 << 32) - 1
"""The lower half of a slot."""

Fact = TypeVar("Fact")


def scaled_half(k: KernelText, half: Word, size: Word) -> Word:
    """Half a hash, scaled to a number below a size: monotone in the half."""
    return k.lshr(k.mul(half, size), 32)


def lower_half(k: KernelText, hash: Word, size: Word) -> Word:
    """The part, or the partition, that a state belongs to: its hash's lower half, scaled."""
    return scaled_half(k, k.and_(hash, INDEX_MASK), size)


def slot_of(k: KernelText, hash: Word, index: Word) -> Word:
    """A slot with the upper half of a hash and an index, plus one: a free slot is zero."""
    top = k.and_(hash, -1 << 32)
    return k.or_(top, k.add(index, 1))


def put_slot(table: Table, slot: Word, home: Word, position: Variable[Word]) -> None:
    """Put a slot, which is not in the table yet, at the first free position from its home on."""
    table.seek_free(home, position)
    table.k.store64(slot, table.place(position.get()))


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
        return scaled_half(self.k, self.k.lshr(hash, 32), self.slots)

    def following(self, position: Word, by: int = 1) -> Word:
        """The position after this one, or so many after it, around the end."""
        following = self.k.add(position, by)
        return self.k.select(self.k.eq(following, self.slots), 0, following)

    def seek_free(self, home: Word, position: Variable[Word]) -> None:
        """Set a variable to the first free position from a home on."""
        k = self.k
        position.set(home)
        with k.loop() as (_, free):
            at = position.get()
            k.jump_if(k.eq(k.load64(self.place(at)), 0), free)
            position.set(self.following(at))


class Buckets(Table):
    """A table whose slots come in buckets of eight, a cache line each, so that one comparison looks at all of it.

    The number of slots must be divisible by eight. What finds no free slot in its bucket goes to the next.
    """

    def home(self, hash: Word) -> Word:
        k = self.k
        bucket = scaled_half(k, k.lshr(hash, 32), k.lshr(self.slots, 3))
        return k.shl(bucket, 3)

    def seek_free(self, home: Word, position: Variable[Word]) -> None:
        k = self.k
        position.set(home)
        with k.loop() as (_, found):
            at = position.get()
            free = k.halves_of_line(self.place(at), word(0), racing=False)[1]
            with k.where(k.ne(free, 0)):
                position.set(k.add(at, k.lowest_bit(free)))
                k.jump(found)
            position.set(self.following(at, LANES))


@dataclass(frozen=True)
class Seen:
    """What the bucket of a hash shows: whether a slot is like it, whether none is and one is free, and that slot."""

    like: Bit
    new: Bit
    slot: Pointer


def see(k: KernelText, bucket: Pointer, hash: Word, racing: bool) -> Seen:
    """Look at all slots of a bucket at once."""
    same, free = k.halves_of_line(bucket, k.lshr(hash, 32), racing)
    same = k.and_(same, k.xor(free, -1))  # the upper half of a hash may be zero too
    like = k.ne(same, 0)
    lane = k.lowest_bit(k.or_(k.select(like, same, free), 1 << LANES))
    new = k.both(k.not_(like), k.ne(free, 0))
    return Seen(like, new, k.element(bucket, k.and_(lane, LANES - 1)))


class Lookup(ABC, Generic[Fact]):
    """Some records and the table over them, as a kernel function sees them."""

    k: KernelText

    @property
    def racing(self) -> bool:
        """Whether others insert at the same time."""
        return False

    @abstractmethod
    def table(self, hash: Word) -> Table:
        """The table where a state with this hash is looked up."""

    @abstractmethod
    def load(self, place: Pointer) -> Word:
        """What a slot holds now."""

    @abstractmethod
    def known(self, slot: Word) -> tuple[Pointer, Fact]:
        """The address of the record that a slot leads to, and what else is known of it; for a free slot, any."""

    def prefetch_slot(self, hash: Word) -> None:
        """Ask for the slot where a state with this hash would be."""
        table = self.table(hash)
        self.k.prefetch(table.place(table.home(hash)))

    def prefetch_record(self, hash: Word) -> None:
        """Read the slots where a state with this hash would be first; ask for the record if one is like it."""
        k, table = self.k, self.table(hash)
        place = table.place(table.home(hash))
        if isinstance(table, Buckets):
            seen = see(k, place, hash, self.racing)
            like, slot = seen.like, self.load(seen.slot)
        else:
            slot = self.load(place)
            like = k.not_(k.ugt(k.xor(slot, hash), INDEX_MASK))
        k.prefetch(k.select_pointer(like, self.known(slot)[0], Pointer("%context")))


@dataclass(frozen=True)
class Match(Generic[Fact]):
    """Where the search for a state is: the record that holds it, and, after that, the slot that is free for it."""

    record: Pointer
    fact: Fact
    again: Label
    """Where to look once more, should somebody else take the free slot."""
    table: Table
    position: Variable[Word]

    def free(self) -> Pointer:
        """The address of the free slot."""
        return self.table.place(self.position.get())


@contextmanager
def find_or_insert(
    lookup: Lookup[Fact], state: Sequence[Word], hash: Word, position: Variable[Word]
) -> Iterator[Match[Fact]]:
    """Look a state up; what is written inside runs where it is known, and must jump away.

    What follows runs where it is not known, and has to fill the free slot of the match.
    """
    k, fresh = lookup.k, lookup.k.label("new")
    table, wanted = lookup.table(hash), k.lshr(hash, 32)
    position.set(table.home(hash))
    if isinstance(table, Buckets):
        yield from _find_in_buckets(lookup, table, state, wanted, position, fresh)
    else:
        with k.loop() as (head, _):
            at = position.get()
            slot = lookup.load(table.place(at))
            k.jump_if(k.eq(slot, 0), fresh)
            position.set(table.following(at))
            k.jump_if(k.ne(k.lshr(slot, 32), wanted), head)
            record, fact = lookup.known(slot)
            k.jump_if(_differs(k, record, state), head)
            yield Match(record, fact, head, table, position)
    k.unreachable()
    k.block(fresh)


def _find_in_buckets(
    lookup: Lookup[Fact], table: Buckets, state: Sequence[Word], wanted: Word, position: Variable[Word], fresh: Label
) -> Iterator[Match[Fact]]:
    """Likewise: those slots of a bucket that may lead to the state, then the next bucket if this one is full."""
    k = lookup.k
    alike = k.variable(Word, 0)
    with k.loop() as (again, _):
        at = k.and_(position.get(), -LANES)
        bucket = table.place(at)
        same, free = k.halves_of_line(bucket, wanted, lookup.racing)
        alike.set(k.and_(same, k.xor(free, -1)))
        with k.loop() as (head, none):
            left = alike.get()
            k.jump_if(k.eq(left, 0), none)
            alike.set(k.and_(left, k.sub(left, 1)))
            record, fact = lookup.known(lookup.load(k.element(bucket, k.lowest_bit(left))))
            k.jump_if(_differs(k, record, state), head)
            yield Match(record, fact, again, table, position)
        with k.where(k.ne(free, 0)):
            position.set(k.add(at, k.lowest_bit(free)))
            k.jump(fresh)
        position.set(table.following(at, LANES))


def _differs(k: KernelText, record: Pointer, state: Sequence[Word]) -> Bit:
    """Whether a record holds another state."""
    total = word(0)
    for w, operand in enumerate(state):
        total = k.or_(total, k.xor(k.field(record, w), operand))
    return k.ne(total, 0)


class StepNotes(ABC):
    """How a kernel notes what it finds out about a step."""

    @abstractmethod
    def failed(self, kind: int) -> None:
        """A rule could not be evaluated."""

    @abstractmethod
    def shown_outside(self, shown: Word, hash: Word) -> None:
        """The state that it leads to, which has this hash and lies outside the constraint, shows some properties."""


def check_constraint(
    k: KernelText, entry: Pointer, hash: Word, outside: Callable[[], StepNotes], refused: Label
) -> None:
    """Evaluate the properties of a state outside the constraint and refuse it, or a state where that is not known.

    `outside` writes what else is done then, and tells how to note what is found.
    """
    inside = k.call64(k.pointer("within"), entry)
    with k.where(k.ne(inside, 1)):
        notes = outside()
        with k.where(k.eq(inside, 2)):
            notes.failed(FAILED_ON_STEP)
            k.jump(refused)
        k.bump("left_constraint", 1)
        shown = k.evaluate(entry)
        with k.where(k.ne(shown, 0)):
            notes.shown_outside(shown, hash)
        k.jump(refused)


# -- visited ----------------------------------------------------------------------------------------------------------
# The visited table as the kernel sees it: of one worker alone, or in parts that all workers share.
#
# With several workers the table has a part for each, which that worker makes larger; a state belongs to the part that
# its hash's lower half says, and to the position in it that the upper half says. Every worker looks up and inserts
# states in all parts, without locks: it first writes the record, then tries to put it into a slot that is free, and
# looks again if another was faster. A slot that has been taken never changes until all have stopped.

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
