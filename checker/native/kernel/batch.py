"""What becomes of a batch of successors: most are known, and are seen to be without an unpredictable branch.

`look` reads the bucket of each entry at once. Where a slot has the upper half of its hash, that leads to the record
which is likely to hold it; where none has and one is free, the state is new. `settle` compares the states. What remains
goes on two lists: entries of which nothing is certain yet, which are inserted one by one, and those that may come by a
lesser step to a state of the next frontier.

The first free slot of a bucket is the only one that a state of it can go to. So a state that was not in the bucket is
still new if that slot is still free: a worker that shares the table takes it by one exchange, which says what is there
if another state was faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..llvm.instructions import Variable
from ..llvm.lanes import LANES
from ..llvm.operands import Bit, Pointer, Word
from .lookup import INDEX_MASK, Seen, see
from .variants import Variant
from .visited import Visited
from .vocabulary import INSTANCE, SLOT_INDEX, KernelText

CONTEXT, ENTRIES, COUNT = Pointer("%context"), Pointer("%entries"), Word("%n")

NEXT, UNCERTAIN = 1, 2
"""Bits of the address of a record, that an entry has in its last word: the record is of the next frontier; or there is
none, and the entry must be inserted."""


def batch_texts(words: int, simple: bool) -> list[str]:
    """`look` and `settle` in both variants; `simple` if every state that is not in the table is new and kept."""
    alone = _look_alone(words) if simple else _look(words, Variant.ALONE, False)
    return [alone, _look(words, Variant.SHARED, simple), *(_settle(words, variant, simple) for variant in Variant)]


@dataclass(frozen=True)
class _List:
    """Entries that need more work; what is not to stay is overwritten by the next."""

    k: KernelText
    start: Pointer
    length: Variable[Word]

    @classmethod
    def numbered(cls, k: KernelText, number: int) -> _List:
        """One of the lists that a worker has room for."""
        room = k.add(k.number("buffer_entries"), 1)
        return cls(k, k.at("lists", k.mul(room, number)), k.variable(Word, 0))

    def add(self, entry: Pointer, stays: Bit) -> None:
        """Add an entry, if it is to stay."""
        k, n = self.k, self.length.get()
        k.store(Pointer, entry, k.element(self.start, n))
        self.length.set(k.add(n, k.as_word(stays)))

    @contextmanager
    def each(self) -> Iterator[Pointer]:
        """What follows runs for every entry."""
        k = self.k
        with k.each(0, self.length.get()) as i:
            yield k.load(Pointer, k.element(self.start, i))


def _found(k: KernelText, record: Pointer, earlier: Bit) -> Word:
    """The last word of an entry that a record is likely to hold."""
    return k.or_(k.address_of(record), k.as_word(k.not_(earlier)))


def _look_alone(words: int) -> str:
    """`look(context, entries, n)`: each entry is written to the next record, and stays there if it is new."""
    k = KernelText("void @look(ptr noalias %context, ptr %entries, i64 %n)", words)
    visited, count = Visited(k, shared=False), k.variable(Word, k.number("count"))
    end = k.number("level_end")
    with k.each(0, COUNT) as i:
        entry, next = k.entry(ENTRIES, i), count.get()
        hash, bucket = k.field(entry, words + 1), k.load(Pointer, k.element(entry, words + 2))
        seen = see(k, bucket, hash, racing=False)
        slot, record = k.load64(seen.slot), k.record(next)
        for w in range(words + 1):
            k.put(record, w, k.field(entry, w))
        k.store64(k.select(seen.new, visited.slot(hash, next), slot), seen.slot)
        index = k.select(seen.new, next, k.and_(k.sub(slot, 1), SLOT_INDEX))
        certain = k.either(seen.new, seen.like)
        found = _found(k, k.record(index), k.ult(index, end))
        where = k.select(certain, found, k.or_(k.address_of(entry), UNCERTAIN))
        k.put(entry, words + 2, where)
        _ask(k, certain, where, bucket)
        count.set(k.add(next, k.as_word(seen.new)))
    k.set_number("count", count.get())
    k.ret()
    return k.text()


def _look(words: int, variant: Variant, claims: bool) -> str:
    """`look(context, entries, n)`: with `claims`, what is new is kept; else it is uncertain."""
    k = KernelText(f"void @{variant.named('look')}(ptr noalias %context, ptr %entries, i64 %n)", words)
    shared = variant is Variant.SHARED
    visited, new = Visited.at_entry(k, shared), _List.numbered(k, 0)
    with k.each(0, COUNT) as i:
        entry = k.entry(ENTRIES, i)
        bucket = k.load(Pointer, k.element(entry, words + 2))
        seen = see(k, bucket, k.field(entry, words + 1), racing=shared)
        where = _where(k, visited, entry, seen)
        kept = k.select(seen.new, k.address_of(seen.slot), where) if claims else where
        k.put(entry, words + 2, kept)
        _ask(k, k.either(seen.like, seen.new), where, bucket)
        new.add(entry, seen.new)
    if claims:
        count = k.variable(Word, k.number("count"))
        with new.each() as entry:
            _claim(k, visited, entry, count)
        k.set_number("count", count.get())
    k.ret()
    return k.text()


def _where(k: KernelText, visited: Visited, entry: Pointer, seen: Seen) -> Word:
    """The last word of an entry whose bucket was seen, if it has been found or is uncertain."""
    record, earlier = visited.known(visited.load(seen.slot))
    return k.select(seen.like, _found(k, record, earlier), k.or_(k.address_of(entry), UNCERTAIN))


def _ask(k: KernelText, certain: Bit, where: Word, bucket: Pointer) -> None:
    """Ask for the record that is likely to hold a state; for the next bucket if this one is full of others."""
    k.prefetch(k.select_pointer(certain, k.pointer_to(where), k.element(bucket, LANES)))


def _ask_beyond(k: KernelText, visited: Visited, entry: Pointer) -> None:
    """Ask for the record in the bucket after its own that is likely to hold the state of an entry."""
    hash = k.field(entry, k.words + 1)
    table = visited.table(hash)
    beyond = table.following(table.home(hash), LANES)
    seen = see(k, table.place(beyond), hash, visited.racing)
    record = visited.known(visited.load(seen.slot))[0]
    k.prefetch(k.select_pointer(seen.like, record, entry))


def _claim(k: KernelText, visited: Visited, entry: Pointer, count: Variable[Word]) -> None:
    """Keep a new state in the next record, if its slot is still free; else the state in the slot is likely to be it.

    A third of what is new is twice in a batch, so a branch on that would be dear: the exchange is tried without, and
    says what the slot holds. What it has written for a state that is known is overwritten by the next.
    """
    hash, next = k.field(entry, k.words + 1), count.get()
    slot, record = k.load(Pointer, k.element(entry, k.words + 2)), k.record(next)
    for w in range(k.words + 1):
        k.put(record, w, k.field(entry, w))
    there, claimed = k.compare_exchange(slot, 0, visited.slot(hash, next))
    known, earlier = visited.known(there)
    like = k.not_(k.ugt(k.xor(there, hash), INDEX_MASK))
    other = k.select(like, _found(k, known, earlier), k.or_(k.address_of(entry), UNCERTAIN))
    k.put(entry, k.words + 2, k.select(claimed, k.or_(k.address_of(record), NEXT), other))
    kept = k.as_word(claimed)
    k.bump_at("occupancy", visited.part(hash), kept)
    count.set(k.add(next, kept))


def _settle(words: int, variant: Variant, simple: bool) -> str:
    """`settle(context, entries, n)`: compare the states, and do what is left to do."""
    k = KernelText(f"void @{variant.named('settle')}(ptr noalias %context, ptr %entries, i64 %n)", words)
    visited = Visited.at_entry(k, variant is Variant.SHARED)
    uncertain, lesser = _List.numbered(k, 0), _List.numbered(k, 1)
    with k.each(0, COUNT) as i:
        entry = k.entry(ENTRIES, i)
        where, predecessor = k.field(entry, words + 2), k.field(entry, words)
        record = k.pointer_to(k.and_(where, -1 << 3))
        differs = k.and_(where, UNCERTAIN)
        for w in range(words):
            differs = k.or_(differs, k.xor(k.field(entry, w), k.field(record, w)))
        before = visited.load(k.element(record, words))
        same = k.eq(differs, 0)
        least = k.ugt(k.and_(predecessor, INSTANCE), k.and_(before, INSTANCE))
        may_be_less = k.both(k.not_(least), k.ne(predecessor, before))
        uncertain.add(entry, k.not_(same))
        lesser.add(entry, k.both(k.both(same, k.ne(k.and_(where, NEXT), 0)), may_be_less))
    if simple:  # nearly all of them are beyond a bucket that is full
        with uncertain.each() as entry:
            _ask_beyond(k, visited, entry)
    with uncertain.each() as entry:
        k.call(variant.named("insert_entry"), CONTEXT, entry)
    with lesser.each() as entry:
        record = k.pointer_to(k.and_(k.field(entry, words + 2), -1 << 3))
        k.call(variant.named("prefer"), CONTEXT, record, k.field(entry, words))
    k.ret()
    return k.text()
