"""Inserting successors: which states are new, and by which step each is reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..llvm.instructions import TRUE, Bit, Label, Pointer, Variable, Word, word
from ..llvm.lanes import LANES
from ..program.program import INSTANCE_BITS
from .lookup import Buckets, Match, StepNotes, Table, Visited, check_constraint, find_or_insert, put_slot
from .vocabulary import (
    FAILED_ON_STATE,
    FAILED_ON_STEP,
    FAILURE,
    FINDING_WORDS,
    INITIAL,
    INSTANCE,
    LOCAL_BITS,
    KernelText,
    Variant,
)

CONTEXT = Pointer("%context")
SHOWN, PARENT, REACHED_BY, ORIGIN = Word("%shown"), Word("%parent"), Word("%instance"), Word("%origin")


def insertion_texts(words: int, constrained: bool, compacted: bool) -> list[str]:
    """`insert_entry(context, at)` in both variants and what it calls, and `insert(context, entries, n)` for initial
    states.
    """
    return [
        _note(),
        _note_step(words),
        _note_state(words),
        *(_prefer(words, variant) for variant in Variant),
        *(_insert_one(words, constrained, compacted, variant) for variant in Variant),
        _insert(words),
    ]


def _insert(words: int) -> str:
    k = KernelText("void @insert(ptr noalias %context, ptr %entries, i64 %n)", words)
    with k.each(0, Word("%n")) as i:
        k.call(Variant.ALONE.named("insert_entry"), CONTEXT, k.entry(Pointer("%entries"), i))
    k.ret()
    return k.text()


def _insert_one(words: int, constrained: bool, compacted: bool, variant: Variant) -> str:
    k = KernelText(f"void @{variant.named('insert_entry')}(ptr noalias %context, ptr %at) noinline", words)
    visited, position = Visited.at_entry(k, variant is Variant.SHARED), k.variable(Word, 0)
    _insert_entry(k, visited, Pointer("%at"), position, constrained, compacted)
    k.ret()
    return k.text()


@dataclass(frozen=True)
class _Notes(StepNotes):
    """What is noted of a step: the name of the state before and its hash, and the instance."""

    k: KernelText
    parent: Word
    instance: Word
    origin: Word

    def failed(self, kind: int) -> None:
        key = (word(kind), self.instance, self.origin, word(0))
        self.k.note(word(FAILURE), key, self.parent, self.instance)

    def shown_outside(self, shown: Word, hash: Word) -> None:
        about = (self.parent, self.instance, self.k.add(self.instance, 1), self.origin)
        self.k.call("note_state", CONTEXT, shown, hash, *about)


def _insert_entry(
    k: KernelText, visited: Visited, entry: Pointer, position: Variable[Word], constrained: bool, compacted: bool
) -> None:
    state = k.state_at(entry)
    predecessor, hash = k.field(entry, k.words), k.field(entry, k.words + 1)
    instance = k.and_(predecessor, INSTANCE)
    done = k.label("inserted")
    if compacted:
        _look_up_fingerprint(k, visited.filter(hash), hash, position, done)
    with find_or_insert(visited, state, hash, position) as found:
        k.jump_if(found.fact, done)
        before = visited.load(k.element(found.record, k.words))
        k.jump_if(k.ugt(instance, k.and_(before, INSTANCE)), done)
        variant = Variant.SHARED if visited.shared else Variant.ALONE
        k.call(variant.named("prefer"), CONTEXT, found.record, predecessor)
        k.jump(done)
    if constrained:

        def outside() -> StepNotes:
            parent = k.lshr(predecessor, INSTANCE_BITS)
            origin = k.state_hash(k.named(parent))
            low, high = k.step_lanes(origin, instance, hash)
            k.bump("steps_low", k.sub(0, low))
            k.bump("steps_high", k.sub(0, high))
            return _Notes(k, parent, instance, origin)

        check_constraint(k, entry, hash, outside, done)
    _keep(k, visited, state, predecessor, hash, found)
    k.branch(done)
    k.block(done)


def _look_up_fingerprint(k: KernelText, table: Table, hash: Word, position: Variable[Word], known: Label) -> None:
    """Leave if the filter has the fingerprint of the state, which then counts as known."""
    wanted, absent = k.fingerprint(hash), k.label("absent")
    position.set(table.home(hash))
    with k.loop() as (_, _):
        at = position.get()
        slot = k.load64(table.place(at))
        k.jump_if(k.eq(slot, 0), absent)
        k.jump_if(k.eq(slot, wanted), known)
        position.set(table.following(at))
    k.unreachable()
    k.block(absent)


def _keep(
    k: KernelText, visited: Visited, state: Sequence[Word], predecessor: Word, hash: Word, found: Match[Bit]
) -> None:
    """Keep a new state: in a record, and in the free slot; if another worker has taken that, look again."""
    place, count = found.free(), k.number("count")
    to = k.record(count)
    for w, operand in enumerate([*state, predecessor]):
        k.put(to, w, operand)
    slot = visited.slot(hash, count)
    if visited.shared:
        _, taken = k.compare_exchange(place, 0, slot)
        k.jump_if(k.not_(taken), found.again)
        k.bump_at("occupancy", visited.part(hash))
    else:
        k.store64(slot, place)
    k.set_number("count", k.add(count, 1))


def _prefer(words: int, variant: Variant) -> str:
    """`prefer(context, record, predecessor)`: keep the lesser of two steps to a state of the next frontier."""
    signature = f"void @{variant.named('prefer')}(ptr noalias %context, ptr %record, i64 %predecessor) noinline"
    k = KernelText(signature, words)
    shared, predecessor = variant is Variant.SHARED, Word("%predecessor")
    place = k.element(Pointer("%record"), words)
    instance = k.and_(predecessor, INSTANCE)
    with k.loop() as (_, done):
        before = Visited(k, shared).load(place)
        kept = k.and_(before, INSTANCE)
        k.jump_if(k.ugt(instance, kept), done)
        with k.where(k.eq(kept, instance)):
            mine = k.state_hash(k.named(k.lshr(predecessor, INSTANCE_BITS)))
            other = k.state_hash(k.named(k.lshr(before, INSTANCE_BITS)))
            k.jump_if(k.uge(mine, other), done)
        if shared:
            _, replaced = k.compare_exchange(place, before, predecessor)
        else:
            k.store64(predecessor, place)
            replaced = TRUE
        with k.where(replaced):
            k.return_here()
    k.ret()
    return k.text()


def _note() -> str:
    """`note(findings, slot, key, name, instance)`: keep a finding if its key is less than that of the one there is."""
    given = [Word(f"%w{i}") for i in range(1, FINDING_WORDS)]
    parameters = ", ".join(f"i64 {one}" for one in given)
    k = KernelText(f"void @note(ptr %findings, i64 %slot, {parameters}) noinline", 0)
    at = k.element(Pointer("%findings"), k.mul(Word("%slot"), FINDING_WORDS))
    keep, leave = k.label("keep"), k.label("leave")
    k.jump_if(k.eq(k.field(at, 0), 0), keep)
    for i, mine in enumerate(given[:4], start=1):
        kept = k.field(at, i)
        k.jump_if(k.ult(mine, kept), keep)
        k.jump_if(k.ugt(mine, kept), leave)
    k.jump(leave)
    k.unreachable()
    k.block(keep)
    k.put(at, 0, 1)
    for i, mine in enumerate(given, start=1):
        k.put(at, i, mine)
    k.branch(leave)
    k.block(leave)
    k.ret()
    return k.text()


def _note_step(words: int) -> str:
    """`note_step(context, bits, parent, instance, origin)`: what a step shows, and if a property of it failed."""
    operands = "i64 %shown, i64 %parent, i64 %instance, i64 %origin"
    k = KernelText(f"void @note_step(ptr noalias %context, {operands}) noinline", words)
    with k.bits(SHOWN) as bit:
        kind = k.select(k.eq(bit, FAILURE), FAILED_ON_STEP, 0)
        k.note(bit, (kind, REACHED_BY, ORIGIN, word(0)), PARENT, REACHED_BY)
    k.ret()
    return k.text()


def _note_state(words: int) -> str:
    """`note_state(context, bits, hash, name, instance, key...)`: what a state shows, and if a property of it failed."""
    operands = "i64 %shown, i64 %hash, i64 %name, i64 %instance, i64 %by, i64 %origin"
    k = KernelText(f"void @note_state(ptr noalias %context, {operands}) noinline", words)
    with k.bits(SHOWN) as bit:
        kind = k.select(k.eq(bit, FAILURE), FAILED_ON_STATE, 0)
        k.note(bit, (kind, Word("%hash"), Word("%by"), ORIGIN), Word("%name"), REACHED_BY)
    k.ret()
    return k.text()


# -- rehash -----------------------------------------------------------------------------------------------------------
# What the kernel does to whole tables: move them, remember fingerprints, hand records to other workers.


def table_texts(words: int) -> list[str]:
    """The functions on whole tables."""
    return [
        _hash(words),
        _spread_buckets(),
        _spread_filter(),
        _absorb(words),
        _adopt(words, table=True),
        _adopt(words, table=False),
    ]


def _hash(words: int) -> str:
    """`hash(state)`: the lane-0 hash of a state."""
    k = KernelText("i64 @hash(ptr %state)", words)
    k.ret(k.state_hash(Pointer("%state")))
    return k.text()


COUNTED = 4
"""For so many times as many buckets as a piece had it is counted how full they are, while it is put back."""


def aside_words(piece: int) -> int:
    """The room that `spread` and `spread_filter` need aside, for pieces of so many slots."""
    return piece + piece * COUNTED // LANES // 8 + 1


def _spread_filter() -> str:
    """`spread_filter(table, old, slots, aside, piece)`: move the slots of a table that has become larger to where they
    belong.

    Positions only grow, in the order of the hashes, so pieces are taken out from the end to the beginning, into `aside`
    with room for a piece, whose size is a power of two, and put back. A slot that would belong before its piece, among
    those not yet taken out, would be displaced a thousand times as far as hashes make plausible: then the result is 1,
    and the table is of no use.
    """
    sweep = _Sweep("spread_filter", Table)
    k = sweep.k
    with k.loop() as (_, done):
        start, _, taken = sweep.next_piece(done)
        sweep.put_back(taken, start)
    k.ret(0)
    return k.text()


def _spread_buckets() -> str:
    """`spread(table, old, slots, aside, piece)`: likewise for a table of buckets, of which `aside` counts the slots
    that are taken in those where a piece goes to.

    A bucket is filled from its first slot on, so a count says where the next one goes. To look at the bucket instead
    would be to wait for what has just been written to it. What belongs elsewhere, or to a bucket that is full, is put
    back one by one.
    """
    sweep = _Sweep("spread", Buckets)
    k, aside, piece = sweep.k, sweep.aside, Word("%piece")
    old, new = k.lshr(Word("%old"), 3), k.lshr(Word("%slots"), 3)
    counts, room = k.element(aside, piece), k.lshr(k.mul(piece, COUNTED), 3)
    left = k.variable(Word, 0)
    with k.loop() as (_, done):
        start, end, taken = sweep.next_piece(done)
        low, high = (k.udiv(k.mul(k.lshr(at, 3), new), old) for at in (start, end))
        counted = k.umin(k.sub(k.umin(k.add(high, 1), new), low), room)
        with k.each(0, counted) as i:
            bucket = sweep.table.place(k.shl(k.add(low, i), 3))
            free = k.halves_of_line(bucket, word(0), racing=False)[1]
            k.store_narrowed(k.sub(LANES, k.popcount(free)), k.element(counts, i, "i8"), "i8")
        left.set(0)
        with k.each(0, taken) as i:
            slot = k.load64(k.element(aside, i))
            home = sweep.table.home(slot)
            index = k.sub(k.lshr(home, 3), low)
            fits = k.variable(Bit, 0)
            with k.where(k.ult(index, counted)):
                at = k.element(counts, index, "i8")
                count = k.load_widened(at, "i8")
                with k.where(k.ult(count, LANES)):
                    k.store64(slot, sweep.table.place(k.add(home, count)))
                    k.store_narrowed(k.add(count, 1), at, "i8")
                    fits.set(1)
            with k.where(k.not_(fits.get())):
                n = left.get()
                k.store64(slot, k.element(aside, n))
                left.set(k.add(n, 1))
        sweep.put_back(left.get(), start)
    k.ret(0)
    return k.text()


class _Sweep:
    """A function that moves the slots of a table, a piece at a time."""

    def __init__(self, name: str, kind: type[Table]) -> None:
        parameters = "ptr noalias %table, i64 %old, i64 %slots, ptr noalias %aside, i64 %piece"
        self.k = k = KernelText(f"i64 @{name}({parameters})", 0)
        self.aside, self.table = Pointer("%aside"), kind(k, Pointer("%table"), Word("%slots"))
        self._taken, self._position = k.variable(Word, 0), k.variable(Word, 0)
        self._rest: Variable[Word] = k.variable(Word, Word("%old"))
        self._mask = k.sub(0, Word("%piece"))

    def next_piece(self, done: Label) -> tuple[Word, Word, Word]:
        """Take the last piece out that has not been: from where to where it was, and how many slots are aside now."""
        k = self.k
        end = self._rest.get()
        k.jump_if(k.eq(end, 0), done)
        start = k.and_(k.sub(end, 1), self._mask)
        self._rest.set(start)
        self._taken.set(0)
        with k.each(start, end) as i:
            place = self.table.place(i)
            slot, n = k.load64(place), self._taken.get()
            k.store64(0, place)
            k.store64(slot, k.element(self.aside, n))
            self._taken.set(k.add(n, k.as_word(k.ne(slot, 0))))
        return start, end, self._taken.get()

    def put_back(self, count: Word, start: Word) -> None:
        """Put so many slots back that are aside, of a piece from `start` on; return 1 if one belongs before it."""
        k = self.k
        with k.each(0, count) as i:
            slot = k.load64(k.element(self.aside, i))
            home = self.table.home(slot)
            with k.where(k.ult(home, start)):
                k.return_here(1)
            put_slot(self.table, slot, home, self._position)


def _absorb(words: int) -> str:
    """`absorb(context, first, end)`: put the fingerprints of these records into the filters, which have room."""
    k = KernelText("void @absorb(ptr noalias %context, i64 %first, i64 %end)", words)
    position = k.variable(Word, 0)
    visited = Visited(k, shared=True)
    with k.each(Word("%first"), Word("%end")) as i:
        hash = k.state_hash(k.record(i))
        table, slot = visited.filter(hash), k.fingerprint(hash)
        put_slot(table, slot, table.home(slot), position)
    k.ret()
    return k.text()


def _adopt(words: int, table: bool) -> str:
    """`adopt(context, from, first, end, before, names)`: hand records to a worker, which has room, as has the table.

    `from` are the records of one level of one former worker; `before` has for each former worker the address at which
    the new names of the level before stand, by its former indices; `names` receives the new name of each record.
    `adopt_records` leaves the table alone.
    """
    name = "adopt" if table else "adopt_records"
    signature = f"void @{name}(ptr noalias %context, ptr %from, i64 %first, i64 %end, ptr %before, ptr %names)"
    k = KernelText(signature, words)
    position, parent = k.variable(Word, 0), k.variable(Word, 0)
    with k.each(Word("%first"), Word("%end")) as i:
        source = k.element(Pointer("%from"), k.mul(i, words + 1))
        hash = k.state_hash(source)
        count = k.number("count")
        predecessor = k.field(source, words)
        former = k.lshr(predecessor, INSTANCE_BITS)
        parent.set(former)
        with k.where(k.ne(former, INITIAL)):
            worker = k.lshr(former, LOCAL_BITS)
            base = k.load(Pointer, k.element(Pointer("%before"), worker, "ptr"))
            local = k.and_(former, (1 << LOCAL_BITS) - 1)
            parent.set(k.load64(k.element(base, local)))
        record = k.record(count)
        for w in range(words):
            k.put(record, w, k.field(source, w))
        instance = k.and_(predecessor, INSTANCE)
        k.put(record, words, k.predecessor(parent.get(), instance))
        k.store64(k.own_name(count), k.element(Pointer("%names"), i))
        k.set_number("count", k.add(count, 1))
        if table:
            visited = Visited(k, shared=True)
            part = visited.table(hash)
            put_slot(part, visited.slot(hash, count), part.home(hash), position)
        k.bump_at("occupancy", Visited(k, shared=True).part(hash))
    k.ret()
    return k.text()
