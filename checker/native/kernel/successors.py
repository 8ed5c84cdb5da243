"""Taking the steps of some states of the frontier, into the buffer: one state at a time, or eight of them at once.

The successors stand in the same order either way, and a batch has the same states: so the states of the next level have
the same order too, whenever code for eight is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce

from ..llvm.instructions import Bit, Label, Pointer, Variable, Word, word
from ..llvm.lanes import LANES
from ..program.eight import LOOK_CLOSER
from ..program.program import INSTANCE_BITS
from .lookup import INDEX_MASK, Seen, Visited, see
from .vocabulary import FAILED_STEP, FAILURE, INSTANCE, SLOT_INDEX, KernelText, Variant

CONTEXT, STATE, NAME = Pointer("%context"), Pointer("%state"), Word("%name")

ORIGIN_WORDS = 3
"""What is known of a state whose successors are in the buffer: where they end, its name, its hash."""

COLUMNS_FROM = 3 * LANES
"""Where the columns that `eight_steps` writes begin, after three numbers for each lane: how many successors its state
has, the place of the next of them, and the hash of the state."""


class Made:
    """The successors that are in the buffer while a kernel function runs."""

    def __init__(self, k: KernelText) -> None:
        self._k = k

    def begin(self) -> None:
        """Start an empty batch."""
        self._k.set_number("made", 0)
        self._k.set_number("origin_count", 0)

    @property
    def count(self) -> Word:
        """How many there are."""
        return self._k.number("made")

    def no_room(self, count: Word) -> Bit:
        """Whether where there are so many there may be no room for the successors of one more group of states."""
        k = self._k
        most = k.mul(k.number("out_degree"), k.number("group"))
        return k.ugt(count, k.sub(k.number("buffer_entries"), most))

    def add(self, state: Pointer, name: Word, left: Word) -> Word:
        """Take the steps of a group of records from this one on, which has this name; how many, at most those left."""
        k = self._k
        count = k.umin(k.number("group"), left)
        k.call("take", CONTEXT, state, name, count)
        return count

    def add_each(self, state: Pointer, name: Word, count: Word) -> None:
        """Take the steps of so many records, of each alone."""
        k = self._k
        with k.each(0, count) as i:
            k.call("take_one", CONTEXT, k.element(state, k.mul(i, k.words + 1)), k.add(name, i))


@dataclass(frozen=True)
class Columns:
    """The successors of eight records as `eight_steps` has written them, column by column, instance by instance.

    There are `found` of them; if that is LOOK_CLOSER, each record must be looked at alone.
    """

    k: KernelText
    found: Word

    @classmethod
    def taken(cls, k: KernelText, state: Pointer, pending: Word) -> Columns:
        """Take the steps of eight records; the properties with the pending bits are looked at."""
        lanes = k.pointer("columns")
        columns, room = k.element(lanes, COLUMNS_FROM), k.number("column_room")
        return cls(k, k.call64(k.pointer("eight_steps"), state, columns, room, lanes, pending))

    def place(self, first: Word) -> Word:
        """Give each lane the places for its successors, from the first on; where they end."""
        k, lanes, end = self.k, self.k.pointer("columns"), first
        for lane in range(LANES):
            k.put(lanes, LANES + lane, end)
            end = k.add(end, k.field(lanes, lane))
        return end

    def hash_origins(self, state: Pointer) -> None:
        """Have the hash of each record."""
        k, lanes = self.k, self.k.pointer("columns")
        for lane in range(LANES):
            k.put(lanes, 2 * LANES + lane, k.state_hash(k.element(state, lane * (k.words + 1))))

    @property
    def terminal(self) -> Word:
        """How many of the records have no successor."""
        k, lanes = self.k, self.k.pointer("columns")
        return reduce(k.add, (k.as_word(k.eq(k.field(lanes, lane), 0)) for lane in range(LANES)))

    def origin(self, lane: Word) -> Word:
        """The hash of the record of a lane."""
        return self.k.load64(self.k.element(self.k.pointer("columns"), self.k.add(lane, 2 * LANES)))

    @contextmanager
    def each(self) -> Iterator[tuple[list[Word], Word, Word, Word]]:
        """What follows runs for each successor: its words, its tag with the lane above the instance, the lane, and its
        place."""
        k, lanes, room = self.k, self.k.pointer("columns"), self.k.number("column_room")
        columns = k.element(lanes, COLUMNS_FROM)
        starts = [k.element(columns, k.mul(room, w)) for w in range(k.words + 1)]
        with k.each(0, self.found) as i:
            tag = k.load64(k.element(starts[k.words], i))
            lane = k.lshr(tag, INSTANCE_BITS)
            at = k.element(lanes, k.add(lane, LANES))
            place = k.load64(at)
            k.store64(k.add(place, 1), at)
            yield [k.load64(k.element(starts[w], i)) for w in range(k.words)], tag, lane, place


def taking_texts(words: int) -> list[str]:
    """The functions that take steps."""
    return [_take(words), _take_one(words), _take_eight(words), _trial(words)]


def _take(words: int) -> str:
    """`take(context, state, name, count)`: add the successors of so many records, of which the first has this name."""
    k = KernelText("void @take(ptr noalias %context, ptr %state, i64 %name, i64 %count)", words)
    with (
        k.where(k.both(k.eq(Word("%count"), LANES), k.ne(k.number("eight_steps"), 0))),
        k.where(k.ne(k.call64("take_eight", CONTEXT, STATE, NAME), 0)),
    ):
        k.return_here()
    Made(k).add_each(STATE, NAME, Word("%count"))
    k.ret()
    return k.text()


def _take_one(words: int) -> str:
    """`take_one(context, state, name)`: add the successors of one record."""
    k = KernelText("void @take_one(ptr noalias %context, ptr %state, i64 %name)", words)
    made, origins = k.number("made"), k.number("origin_count")
    found = k.call64(k.pointer("step"), STATE, k.entry(k.pointer("buffer"), made), k.number("pending"))
    end = k.add(made, found)
    k.set_number("origin_count", _add_origin(k, origins, found, end, NAME, k.state_hash(STATE)))
    k.set_number("made", end)
    k.bump("terminal_states", k.as_word(k.eq(found, 0)))
    k.ret()
    return k.text()


def _add_origin(k: KernelText, origins: Word, found: Word, end: Word, name: Word, hash: Word) -> Word:
    """Note whose successors come before an end; how many states with successors there are then."""
    at = k.at("origins", k.mul(origins, ORIGIN_WORDS))
    for i, operand in enumerate([end, name, hash]):
        k.put(at, i, operand)
    return k.add(origins, k.as_word(k.ne(found, 0)))


def _take_eight(words: int) -> str:
    """`take_eight(context, state, name)`: add the successors of eight records; 0 if each must be looked at alone."""
    k = KernelText("i64 @take_eight(ptr noalias %context, ptr %state, i64 %name)", words)
    columns, lanes = Columns.taken(k, STATE, k.number("pending")), k.pointer("columns")
    with k.where(k.eq(columns.found, LOOK_CLOSER)):
        k.return_here(0)
    end, origins = k.number("made"), k.number("origin_count")
    k.set_number("made", columns.place(end))
    columns.hash_origins(STATE)
    k.bump("terminal_states", columns.terminal)
    for lane in range(LANES):
        count = k.field(lanes, lane)
        end = k.add(end, count)
        origins = _add_origin(k, origins, count, end, k.add(NAME, lane), columns.origin(word(lane)))
    k.set_number("origin_count", origins)
    with columns.each() as (state, tag, _, place):
        entry = k.entry(k.pointer("buffer"), place)
        for w, operand in enumerate(state):
            k.put(entry, w, operand)
        k.put(entry, words, k.and_(tag, INSTANCE))
    k.ret(1)
    return k.text()


def _trial(words: int) -> str:
    """`trial_steps(context, eight, first, end)`: take steps for nothing, to see how long it takes.

    With an address of code for eight it is used, and with zero each state is taken alone; the number of records must be
    divisible by eight.
    """
    k = KernelText("void @trial_steps(ptr noalias %context, i64 %eight, i64 %first, i64 %end)", words)
    used, terminal, made = k.number("eight_steps"), k.number("terminal_states"), Made(k)
    k.set_number("eight_steps", Word("%eight"))
    index = k.variable(Word, Word("%first"))
    with k.loop() as (_, done):
        i = index.get()
        k.jump_if(k.uge(i, Word("%end")), done)
        made.begin()
        index.set(k.add(i, made.add(k.record(i), i, k.sub(Word("%end"), i))))
    k.set_number("eight_steps", used)
    k.set_number("terminal_states", terminal)
    k.ret()
    return k.text()


# -- flight -----------------------------------------------------------------------------------------------------------
# Batches on their way into the table: three at a time, each waiting for memory while the others are worked on.
#
# A batch is gathered and its buckets are asked for; when the next has been gathered, its buckets are looked at and the
# records that they lead to are asked for; one batch later it is settled.

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


# -- gather -----------------------------------------------------------------------------------------------------------
# Making batches of successors: each with its hash, the name of the state before, and its bucket, which is asked for.
#
# `gather` makes entries of what has been written to the buffer. The steps of eight states that were taken at once
# become entries straight away, without the buffer (`gather_eight`); the entries of a batch stand in the same order
# either
# way. Representatives are made of eight successors at a time, so with symmetry reduction all of a batch are written
# to
# the buffer first.

BATCH = Pointer("%batch")


class Batch:
    """The batch that a kernel function fills with the successors of groups of states, and sends on its way."""

    def __init__(self, k: KernelText, variant: Variant, flight: Flight, symmetric: bool) -> None:
        self._k, self._variant, self._flight, self._symmetric = k, variant, flight, symmetric
        self._made, self._gathered = Made(k), k.variable(Word, 0)

    def begin(self) -> None:
        """It is empty."""
        self._made.begin()
        self._gathered.set(0)

    def full(self) -> Bit:
        """Whether there may be no room for the successors of one more group of states."""
        return self._made.no_room(self._made.count if self._symmetric else self._gathered.get())

    def add(self, state: Pointer, name: Word, left: Word) -> Word:
        """Add the successors of a group of records from this one on, which has this name; of how many, at most those
        left."""
        if self._symmetric:
            return self._made.add(state, name, left)
        k, gathered = self._k, self._gathered.get()
        count = k.umin(k.number("group"), left)
        at = k.entry(self._flight.free, gathered)
        more = k.call64(self._variant.named("gather_group"), CONTEXT, state, name, count, at)
        self._gathered.set(k.add(gathered, more))
        return count

    def send(self) -> None:
        """Send it on its way into the table."""
        k, count = self._k, self._gathered.get()
        if self._symmetric:
            count = k.call64(self._variant.named("gather"), CONTEXT, self._flight.free, self._made.count)
        self._flight.add(count)


def gathering_texts(words: int, compacted: bool, symmetric: bool) -> list[str]:
    """The functions that make batches, in both variants."""
    texts = [_gather(words, compacted, symmetric, variant) for variant in Variant]
    if not symmetric:
        texts += [_gather_group(words, variant) for variant in Variant]
        texts += [_gather_eight(words, compacted, variant) for variant in Variant]
    return texts


def _gather_group(words: int, variant: Variant) -> str:
    """`gather_group(context, state, name, count, batch)`: entries of the successors of so many records, of which the
    first has this name; how many there are."""
    parameters = "ptr noalias %context, ptr %state, i64 %name, i64 %count, ptr %batch"
    k = KernelText(f"i64 @{variant.named('gather_group')}({parameters})", words)
    with k.where(k.both(k.eq(Word("%count"), LANES), k.ne(k.number("eight_steps"), 0))):
        gathered = k.call64(variant.named("gather_eight"), CONTEXT, STATE, NAME, BATCH)
        with k.where(k.ne(gathered, LOOK_CLOSER)):
            k.return_here(gathered)
    made = Made(k)
    made.begin()
    made.add_each(STATE, NAME, Word("%count"))
    k.ret(k.call64(variant.named("gather"), CONTEXT, BATCH, made.count))
    return k.text()


def _gather_eight(words: int, compacted: bool, variant: Variant) -> str:
    """`gather_eight(context, state, name, batch)`: entries of the successors of eight records; how many there are, or
    LOOK_CLOSER if each record must be looked at alone.

    What a step shows is seen only then, so there is nothing to note here.
    """
    k = KernelText(
        f"i64 @{variant.named('gather_eight')}(ptr noalias %context, ptr %state, i64 %name, ptr %batch)", words
    )
    visited = Visited.at_entry(k, variant is Variant.SHARED)
    columns = Columns.taken(k, STATE, k.number("pending"))
    with k.where(k.eq(columns.found, LOOK_CLOSER)):
        k.return_here(LOOK_CLOSER)
    columns.place(word(0))
    columns.hash_origins(STATE)
    k.bump("terminal_states", columns.terminal)
    digest, steps, first = _StepDigest(k), k.pointer("steps"), k.shl(NAME, INSTANCE_BITS)
    with columns.each() as (state, tag, lane, place):
        entry, instance = k.entry(BATCH, place), k.and_(tag, INSTANCE)
        for w, operand in enumerate(state):
            k.put(entry, w, operand)
        hash = k.hash(state, 0)
        # The tag has the lane where a predecessor has the name of the state before.
        _finish(k, visited, entry, k.add(first, tag), hash, compacted)
        _count(k, steps, instance)
        digest.add(columns.origin(lane), instance, hash)
    digest.finish()
    k.ret(columns.found)
    return k.text()


class _StepDigest:
    """The digest of the steps that a function gathers."""

    def __init__(self, k: KernelText) -> None:
        self._k, self._low, self._high = k, k.variable(Word, 0), k.variable(Word, 0)

    def add(self, origin: Word, instance: Word, hash: Word) -> None:
        """Add a step."""
        low, high = self._k.step_lanes(origin, instance, hash)
        self._low.set(self._k.add(self._low.get(), low))
        self._high.set(self._k.add(self._high.get(), high))

    def finish(self) -> None:
        """All of them are added."""
        self._k.bump("steps_low", self._low.get())
        self._k.bump("steps_high", self._high.get())


def _finish(k: KernelText, visited: Visited, entry: Pointer, predecessor: Word, hash: Word, compacted: bool) -> None:
    """Write what an entry has beside its state, and ask for its bucket."""
    k.put(entry, k.words, predecessor)
    k.put(entry, k.words + 1, hash)
    k.store(Pointer, visited.bucket(hash, compacted), k.element(entry, k.words + 2))


def _count(k: KernelText, steps: Pointer, instance: Word) -> None:
    """Count a step."""
    at = k.element(steps, instance)
    k.store64(k.add(k.load64(at), 1), at)


def _gather(words: int, compacted: bool, symmetric: bool, variant: Variant) -> str:
    """`gather(context, batch, n)`: make a batch of the entries in the buffer; how many it has.

    A successor has a hash, the name of the state before, and the address of its bucket, which is asked for. Its step is
    counted, added to the digest and, if it shows something, noted. A step whose action cannot be evaluated is noted,
    and is no successor. With `symmetric` the successors are replaced by their representatives; what their steps show
    was found out before.
    """
    k = KernelText(f"i64 @{variant.named('gather')}(ptr noalias %context, ptr %batch, i64 %n)", words)
    visited = Visited.at_entry(k, variant is Variant.SHARED)
    state, kept, digest = k.variable(Word, 0), k.variable(Word, 0), _StepDigest(k)
    made, origins, steps = k.pointer("buffer"), k.pointer("origins"), k.pointer("steps")
    if symmetric:
        k.call(k.pointer("canonical_eight"), made, Word("%n"))
    with k.each(0, Word("%n")) as i:
        left = k.label("left_out")
        before, j = k.entry(made, i), state.get()
        j = k.add(j, k.as_word(k.eq(k.field(k.element(origins, k.mul(j, ORIGIN_WORDS)), 0), i)))
        state.set(j)
        known = k.element(origins, k.mul(j, ORIGIN_WORDS))
        parent, origin = k.field(known, 1), k.field(known, 2)
        tag = k.field(before, words)
        instance = k.and_(tag, INSTANCE)
        with k.where(k.ugt(tag, INSTANCE)):
            _note_flags(k, tag, instance, parent, origin, left)
        entry = k.entry(BATCH, kept.get())
        for w, operand in enumerate(k.state_at(before)):
            k.put(entry, w, operand)
        hash = k.state_hash(before)
        _finish(k, visited, entry, k.predecessor(parent, instance), hash, compacted)
        _count(k, steps, instance)
        digest.add(origin, instance, hash)
        kept.set(k.add(kept.get(), 1))
        k.branch(left)
        k.block(left)
    digest.finish()
    k.ret(kept.get())
    return k.text()


def _note_flags(k: KernelText, tag: Word, instance: Word, parent: Word, origin: Word, left: Label) -> None:
    """Note what a step shows; if its action could not be evaluated, it is left out."""
    with k.where(k.slt(tag, 0)):
        k.note(word(FAILURE), (word(FAILED_STEP), instance, origin, word(0)), parent, instance)
        k.jump(left)
    k.call("note_step", Pointer("%context"), k.lshr(tag, INSTANCE_BITS), parent, instance, origin)


# -- batch ------------------------------------------------------------------------------------------------------------
# What becomes of a batch of successors: most are known, and are seen to be without an unpredictable branch.
#
# `look` reads the bucket of each entry at once. Where a slot has the upper half of its hash, that leads to the record
# which is likely to hold it; where none has and one is free, the state is new. `settle` compares the states. What
# remains
# goes on two lists: entries of which nothing is certain yet, which are inserted one by one, and those that may come
# by a
# lesser step to a state of the next frontier.
#
# The first free slot of a bucket is the only one that a state of it can go to. So a state that was not in the bucket
# is
# still new if that slot is still free: a worker that shares the table takes it by one exchange, which says what is
# there
# if another state was faster.

ENTRIES, COUNT = Pointer("%entries"), Word("%n")

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
