"""The kernel of a distributed search: what one partition does to a level, as LLVM text.

A superstep expands the frontier and exchanges what it finds by owner. `expand` takes the steps of some states, counts
them and keeps one entry for each successor; `count_owners` and `scatter` sort the entries by the partition that owns
them; there `insert` decides which are new, and `evaluate_new` evaluates the properties on those. `admit` inserts states
that a log already names into a table; `find` looks a hash up in a log. `columns.py` makes columns of entries.

An entry is the words of the state, then the instance that reached it and the lane-0 hash of the state before. Of equal
states the entry with the least (instance, hash before) is kept, in `expand` and in `insert`: attribution is the same
for any order and any number of partitions. The owner of a state is the low half of a hash of some of its bits, scaled
to the number of partitions; its place in a table comes from the top half of the hash of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..llvm.instructions import FALSE, Bit, Label, Narrow, Pointer, Variable, Word, word
from ..program.program import INSTANCE_BITS
from .lookup import (
    INDEX_MASK,
    Lookup,
    StepNotes,
    Table,
    check_constraint,
    find_or_insert,
    lower_half,
    put_slot,
    slot_of,
)
from .vocabulary import FAILED_ON_STATE, FAILED_ON_STEP, FAILED_STEP, FAILURE, INSTANCE, KernelText

# -- superstep vocabulary ---------------------------------------------------------------------------------------------
# Short words for writing the kernel of a distributed search: its context, its tables, its findings.

BATCH = 64
"""How many records an owner asks for at once: enough to hide the latency of memory, few enough to stay in the cache."""

SUPERSTEP_CONTEXT = (
    *("frontier", "cursor", "end", "pending", "shard", "shards", "owning"),
    *("scratch", "scratch_entries", "out_degree"),
    *("sent", "sent_count", "sent_room", "sent_table", "sent_slots", "wire", "offsets"),
    *("states", "table", "slots", "count", "level_start", "parents", "actions", "hashes"),
    *("sender", "senders"),
    *("expanded", "terminal_states", "left_constraint", "steps_low", "steps_high", "digest_low", "digest_high"),
    *("steps", "discovered", "constants"),
    "findings",
    *("step", "judge", "within"),
)
"""The slots of the context, one 64-bit word each."""

KEY_WORDS = 4
"""A finding is 1 if there is one, four words of key (those of `vocabulary.FINDING_WORDS`), and the words of a state:
the one before the step that the finding is about, or the one that it is about itself."""

FINDINGS = FAILURE + 1
"""One finding for each property, and one for a rule that fails."""


def finding_words(words: int) -> int:
    """The size of a finding, in words."""
    return 1 + KEY_WORDS + words


class SuperstepText(KernelText):
    """A function of the distributed search."""

    context = SUPERSTEP_CONTEXT

    def scratch(self, index: Word) -> Pointer:
        """The address of an entry as `step` writes it."""
        return self.entry(self.pointer("scratch"), index)

    def owner(self, state: Pointer) -> Word:
        """The partition that owns a state: the low half of a hash of the bits that say so, scaled."""
        owning = self.pointer("owning")
        bits = [self.and_(self.field(state, w), self.field(owning, w)) for w in range(self.words)]
        return lower_half(self, self.hash(bits, 0), self.number("shards"))

    def append(self, state: Sequence[Word], hash: Word, free: Pointer) -> None:
        """Add a state to the owner's array, and to its table in the slot that is free."""
        count = self.number("count")
        to = self.at("states", self.mul(count, self.words))
        for w, operand in enumerate(state):
            self.put(to, w, operand)
        self.store64(slot_of(self, hash, count), free)
        self.set_number("count", self.add(count, 1))

    def keep_least(self, entry: Pointer, instance: Word, hash: Word) -> None:
        """Replace the (instance, hash) of an entry by another where that is less."""
        instance_at, hash_at = self.element(entry, self.words), self.element(entry, self.words + 1)
        with self.where(self._less([instance, hash], [self.load64(instance_at), self.load64(hash_at)])):
            self.store64(instance, instance_at)
            self.store64(hash, hash_at)

    def reached_less(self, new: Word, instance: Word, hash: Word) -> None:
        """Replace how a new state was reached, (instance, hash before), by another where that is less."""
        known = self.load_widened(self.at("actions", new, "i16"), "i16")
        with self.where(self._less([instance, hash], [known, self.load64(self.at("parents", new))])):
            self.reached(new, instance, hash)

    def reached(self, new: Word, instance: Word, hash: Word) -> None:
        """Say how a new state was reached, and which partition has the state before."""
        self.store(Narrow, self.narrowed(instance), self.at("actions", new, "i16"))
        self.store64(hash, self.at("parents", new))
        self.store(Narrow, self.narrowed(self.number("sender")), self.at("senders", new, "i16"))

    def _less(self, key: Sequence[Word], other: Sequence[Word]) -> Bit:
        """Whether a key comes before another, word by word."""
        less = FALSE
        for mine, theirs in reversed(list(zip(key, other, strict=True))):
            same = self.eq(mine, theirs)
            below = self.ult(mine, theirs)
            rest = self.both(same, less)
            less = self.either(below, rest)
        return less

    def note_all(self, shown: Word, failure: int, key: Sequence[Word], state: Pointer) -> None:
        """Note a finding for each pending property among the bits, and for a failure; `failure` is its kind."""
        with self.bits(shown) as bit:
            failed = self.eq(bit, FAILURE)
            self.note_least(bit, [self.select(failed, failure, 0), *key], state)

    def note_least(self, slot: Word, key: Sequence[Word], state: Pointer) -> None:
        """Note a finding with the words of a state, unless one with a lesser key is known."""
        at = self.at("findings", self.mul(slot, finding_words(self.words)))
        absent = self.eq(self.field(at, 0), 0)
        less = self._less(key, [self.field(at, 1 + i) for i in range(len(key))])
        with self.where(self.either(absent, less)):
            for i, operand in enumerate([word(1), *key, *self.state_at(state)]):
                self.put(at, i, operand)


@dataclass(frozen=True)
class Records(Lookup[Word]):
    """Records in an array of the context, `stride` words each, and the table over them; of each its index is known."""

    k: SuperstepText
    array: str
    stride: int
    slots_at: str
    slots: str

    def table(self, hash: Word) -> Table:
        return Table(self.k, self.k.pointer(self.slots_at), self.k.number(self.slots))

    def load(self, place: Pointer) -> Word:
        return self.k.load64(place)

    def known(self, slot: Word) -> tuple[Pointer, Word]:
        k = self.k
        index = k.sub(k.and_(slot, INDEX_MASK), 1)
        return k.at(self.array, k.mul(index, self.stride)), index


def sent(k: SuperstepText) -> Records:
    """The entries that are to be sent."""
    return Records(k, "sent", k.words + 2, "sent_table", "sent_slots")


def owned(k: SuperstepText) -> Records:
    """The states of the owner."""
    return Records(k, "states", k.words, "table", "slots")


# -- columns ----------------------------------------------------------------------------------------------------------
# Entries of a distributed search as columns: they have no unused bytes, and compress better than rows.
#
# A row is an entry: the words of a state, the instance that reached it, the hash of the state before. Hashes are a
# column by themselves, as no compression makes them smaller. The others lie one behind the other: each word of the
# states, then the instances, in two bytes each.

HASH_BYTES = 8
NARROW = f"i{INSTANCE_BITS}"
SIGNATURE = "void @{}(ptr noalias %records, ptr noalias %hashes, ptr noalias %columns, i64 %n)"
COUNT = Word("%n")


def column_bytes(words: int) -> int:
    """How many bytes of an entry are in the columns beside the hash, for states of so many words."""
    return 8 * words + INSTANCE_BITS // 8


def to_columns(words: int) -> str:
    """`to_columns(records, hashes, columns, n)`: write n entries as columns."""
    k = SuperstepText(SIGNATURE.format("to_columns"), words)
    wide, instances = _columns(k)
    with k.each(0, COUNT) as i:
        entry = k.element(Pointer("%records"), k.mul(i, words + 2))
        for at, column in wide.items():
            k.store64(k.field(entry, at), k.element(column, i))
        k.store_narrowed(k.field(entry, words), k.element(instances, i, NARROW), NARROW)
    k.ret()
    return k.text()


def to_records(words: int) -> str:
    """`to_records(records, hashes, columns, n)`: write n entries as rows."""
    k = SuperstepText(SIGNATURE.format("to_records"), words)
    wide, instances = _columns(k)
    with k.each(0, COUNT) as i:
        entry = k.element(Pointer("%records"), k.mul(i, words + 2))
        for at, column in wide.items():
            k.put(entry, at, k.load64(k.element(column, i)))
        k.put(entry, words, k.load_widened(k.element(instances, i, NARROW), NARROW))
    k.ret()
    return k.text()


def _columns(k: SuperstepText) -> tuple[dict[int, Pointer], Pointer]:
    """Where the columns of whole words begin, by the word of an entry; and where that of the instances does."""
    *states, instances = (k.element(Pointer("%columns"), k.mul(COUNT, w)) for w in range(k.words + 1))
    return {**dict(enumerate(states)), k.words + 1: Pointer("%hashes")}, instances


CONTEXT = Pointer("%context")

NO_ENTRY = -1
"""The instance of a scratch entry that is to be left out."""


def superstep_text(words: int, constrained: bool) -> str:
    """The LLVM module of the superstep for states of this many words; `constrained` if there is a state constraint."""
    return "\n".join(
        [
            "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
            "declare i64 @llvm.umin.i64(i64, i64)",
            "declare i64 @llvm.cttz.i64(i64, i1)",
            _expand(words, constrained),
            _keep(words),
            _by_owner(words, "count_owners", None),
            _by_owner(words, "scatter", _copy_entry),
            _insert(words),
            _admit(words),
            _evaluate_new(words),
            _find(words),
            _rehash(words),
            to_columns(words),
            to_records(words),
        ]
    )


# -- expansion ----------------------------------------------------------------------------------------------------


def _expand(words: int, constrained: bool) -> str:
    """`expand(context)`: take the steps of the states from the cursor on, until the end or until there is no room."""
    k = SuperstepText("void @expand(ptr noalias %context)", words)
    filled = k.variable(Word, 0)
    with k.loop() as (_, done):
        k.jump_if(k.uge(k.number("cursor"), k.number("end")), done)
        needed = k.add(k.number("sent_count"), k.number("scratch_entries"))
        k.jump_if(k.ugt(needed, k.number("sent_room")), done)
        filled.set(0)
        limit = k.sub(k.number("scratch_entries"), k.number("out_degree"))
        with k.loop() as (_, full):
            cursor, n = k.number("cursor"), filled.get()
            k.jump_if(k.uge(cursor, k.number("end")), full)
            k.jump_if(k.ugt(n, limit), full)
            _expand_state(k, cursor, n, filled, constrained)
            k.set_number("cursor", k.add(cursor, 1))
        k.call("keep", CONTEXT, filled.get())
    k.ret()
    return k.text()


def _expand_state(k: SuperstepText, cursor: Word, n: Word, filled: Variable[Word], constrained: bool) -> None:
    """Write the successors of a state that this partition owns to the scratch entries, and count them."""
    offset = k.mul(cursor, k.words)
    state = k.at("frontier", offset)
    origin = k.state_hash(state)
    with k.where(k.eq(k.owner(state), k.number("shard"))):
        k.bump("expanded", 1)
        made = k.call64(k.pointer("step"), state, k.scratch(n), k.number("pending"))
        with k.where(k.eq(made, 0)):
            k.bump("terminal_states", 1)
        end = k.add(n, made)
        index = k.variable(Word, n)
        with k.loop() as (head, done):
            i = index.get()
            k.jump_if(k.uge(i, end), done)
            index.set(k.add(i, 1))
            _take_step(k, state, origin, k.scratch(i), head, constrained)
        filled.set(end)


@dataclass(frozen=True)
class _Notes(StepNotes):
    """What is noted of a step: the address of the state before and its hash, and the instance."""

    k: SuperstepText
    state: Pointer
    instance: Word
    origin: Word

    def failed(self, kind: int) -> None:
        self.k.note_least(word(FAILURE), [word(kind), self.instance, self.origin, word(0)], self.state)

    def shown(self, bits: Word) -> None:
        """The step shows some properties."""
        self.k.note_all(bits, FAILED_ON_STEP, [self.instance, self.origin, word(0)], self.state)

    def shown_outside(self, shown: Word, hash: Word) -> None:
        by = self.k.add(self.instance, 1)
        self.k.note_all(shown, FAILED_ON_STATE, [hash, by, self.origin], self.state)


def _take_step(
    k: SuperstepText, state: Pointer, origin: Word, entry: Pointer, following: Label, constrained: bool
) -> None:
    """Count a step and finish its entry; a step that fails or leaves the constraint is taken out of the entries."""
    tag = k.field(entry, k.words)
    instance = k.and_(tag, INSTANCE)
    notes = _Notes(k, state, instance, origin)
    k.put(entry, k.words, NO_ENTRY)
    with k.where(k.slt(tag, 0)):
        notes.failed(FAILED_STEP)
        k.jump(following)
    with k.where(k.ugt(tag, INSTANCE)):
        notes.shown(k.lshr(tag, INSTANCE_BITS))
    k.bump_at("steps", instance)
    hash = k.state_hash(entry)
    if constrained:
        check_constraint(k, entry, hash, lambda: notes, following)
    k.add_step(origin, instance, hash)
    for extra, operand in enumerate((instance, origin, hash)):
        k.put(entry, k.words + extra, operand)
    sent(k).prefetch_slot(hash)


def _keep(words: int) -> str:
    """`keep(context, n)`: merge the first n scratch entries into those to be sent."""
    k = SuperstepText("void @keep(ptr noalias %context, i64 %n)", words)
    index, position = k.variable(Word, 0), k.variable(Word, 0)
    with k.loop() as (head, done):
        i = index.get()
        k.jump_if(k.uge(i, Word("%n")), done)
        index.set(k.add(i, 1))
        entry = k.scratch(i)
        instance, origin, hash = (k.field(entry, words + extra) for extra in range(3))
        k.jump_if(k.eq(instance, NO_ENTRY), head)
        state = k.state_at(entry)
        with find_or_insert(sent(k), state, hash, position) as found:
            k.keep_least(found.record, instance, origin)
            k.jump(head)
        count = k.number("sent_count")
        to = k.at("sent", k.mul(count, words + 2))
        for w, operand in enumerate([*state, instance, origin]):
            k.put(to, w, operand)
        k.store64(slot_of(k, hash, count), found.free())
        k.set_number("sent_count", k.add(count, 1))
    k.ret()
    return k.text()


def _by_owner(words: int, name: str, also: Callable[[SuperstepText, Pointer, Word], None] | None) -> str:
    """`count_owners(context)`: the entries of each owner; `scatter(context)`: copy each to its owner's next place."""
    k = SuperstepText(f"void @{name}(ptr noalias %context)", words)
    index = k.variable(Word, 0)
    with k.loop() as (_, done):
        i = index.get()
        k.jump_if(k.uge(i, k.number("sent_count")), done)
        index.set(k.add(i, 1))
        entry = k.at("sent", k.mul(i, words + 2))
        owner = k.owner(entry)
        if also is not None:
            also(k, entry, k.load64(k.at("offsets", owner)))
        k.bump_at("offsets", owner)
    k.ret()
    return k.text()


def _copy_entry(k: SuperstepText, entry: Pointer, place: Word) -> None:
    to = k.at("wire", k.mul(place, k.words + 2))
    for w in range(k.words + 2):
        k.put(to, w, k.field(entry, w))


# -- the owner ----------------------------------------------------------------------------------------------------

Each = Callable[[Pointer, Word, Label], None]
"""What is done with the address of a record, its hash, and the label to go on with."""


@dataclass(frozen=True)
class _Batch:
    """The records of a batch in their order: `size` of them from number `first` on, of `stride` words each."""

    k: SuperstepText
    index: Variable[Word]
    first: Word
    size: Word
    stride: int

    @contextmanager
    def each(self) -> Iterator[tuple[Pointer, Pointer, Label]]:
        """What follows runs for each: the address of the record, that of its hash, and the label to go on with."""
        k = self.k
        self.index.set(0)
        with k.loop() as (head, end):
            j = self.index.get()
            k.jump_if(k.uge(j, self.size), end)
            self.index.set(k.add(j, 1))
            offset = k.mul(k.add(self.first, j), self.stride)
            yield k.element(Pointer("%records"), offset), k.at("hashes", j), head


def _batches(k: SuperstepText, stride: int, insert_one: Each) -> None:
    """Go through `%n` records of `stride` words at `%records`, asking for the memory of a batch before using it."""
    n, states = Word("%n"), owned(k)
    base, index = k.variable(Word, 0), k.variable(Word, 0)
    with k.loop() as (_, done):
        first = base.get()
        k.jump_if(k.uge(first, n), done)
        size = k.umin(k.sub(n, first), BATCH)
        base.set(k.add(first, size))
        batch = _Batch(k, index, first, size, stride)
        with batch.each() as (record, hash_at, _):
            hash = k.state_hash(record)
            k.store64(hash, hash_at)
            states.prefetch_slot(hash)
        with batch.each() as (_, hash_at, _):
            states.prefetch_record(k.load64(hash_at))
        with batch.each() as (record, hash_at, head):
            insert_one(record, k.load64(hash_at), head)


def _insert(words: int) -> str:
    """`insert(context, records, n)`: enter n entries; new states are kept with their least (instance, hash before)."""
    k = SuperstepText("void @insert(ptr noalias %context, ptr noalias %records, i64 %n)", words)
    position = k.variable(Word, 0)

    def insert_one(record: Pointer, hash: Word, head: Label) -> None:
        state = k.state_at(record)
        instance, origin = k.field(record, words), k.field(record, words + 1)
        start = k.number("level_start")
        with find_or_insert(owned(k), state, hash, position) as found:
            k.jump_if(k.ult(found.fact, start), head)
            k.reached_less(k.sub(found.fact, start), instance, origin)
            k.jump(head)
        k.reached(k.sub(k.number("count"), start), instance, origin)
        k.append(state, hash, found.free())

    _batches(k, words + 2, insert_one)
    k.ret()
    return k.text()


def _admit(words: int) -> str:
    """`admit(context, records, n)`: enter those of n logged states that this partition owns."""
    k = SuperstepText("void @admit(ptr noalias %context, ptr noalias %records, i64 %n)", words)
    position = k.variable(Word, 0)

    def insert_one(record: Pointer, hash: Word, head: Label) -> None:
        k.jump_if(k.ne(k.owner(record), k.number("shard")), head)
        state = k.state_at(record)
        with find_or_insert(owned(k), state, hash, position) as found:
            k.jump(head)
        k.append(state, hash, found.free())

    _batches(k, words, insert_one)
    k.ret()
    return k.text()


def _rehash(words: int) -> str:
    """`rehash(context, old, n)`: move n slots of an old table, in order, into the table of the context."""
    k = SuperstepText("void @rehash(ptr noalias %context, ptr noalias %old, i64 %n)", words)
    index, position = k.variable(Word, 0), k.variable(Word, 0)
    with k.loop() as (head, done):
        i = index.get()
        k.jump_if(k.uge(i, Word("%n")), done)
        index.set(k.add(i, 1))
        slot = k.load64(k.element(Pointer("%old"), i))
        k.jump_if(k.eq(slot, 0), head)
        table = owned(k).table(slot)
        put_slot(table, slot, table.home(slot), position)
    k.ret()
    return k.text()


def _evaluate_new(words: int) -> str:
    """`evaluate_new(context)`: count the states that are new in this level, and evaluate the properties on them."""
    k = SuperstepText("void @evaluate_new(ptr noalias %context)", words)
    index = k.variable(Word, k.number("level_start"))
    with k.loop() as (head, done):
        i = index.get()
        k.jump_if(k.uge(i, k.number("count")), done)
        index.set(k.add(i, 1))
        state = k.at("states", k.mul(i, words))
        new = k.sub(i, k.number("level_start"))
        instance = k.load_widened(k.at("actions", new, "i16"), "i16")
        hash = k.state_hash(state)
        k.add_state(k.state_at(state), instance, hash)
        shown = k.evaluate(state)
        k.jump_if(k.eq(shown, 0), head)
        k.note_all(shown, FAILED_ON_STATE, [hash, word(0), word(0)], state)
    k.ret()
    return k.text()


def _find(words: int) -> str:
    """`find(records, from, n, hash)`: the first of n states, from `from` on, with this hash; n if there is none."""
    k = SuperstepText("i64 @find(ptr %records, i64 %from, i64 %n, i64 %hash)", words)
    index = k.variable(Word, Word("%from"))
    with k.loop() as (_, done):
        i = index.get()
        k.jump_if(k.uge(i, Word("%n")), done)
        state = k.element(Pointer("%records"), k.mul(i, words))
        k.jump_if(k.eq(k.state_hash(state), Word("%hash")), done)
        index.set(k.add(i, 1))
    k.ret(index.get())
    return k.text()
