"""The kernel of a distributed search: what one partition does to a level, as LLVM text.

A superstep expands the states of one level and exchanges what it finds by owner. `expand` takes the steps of a stretch
of states, counts them and keeps one entry for each successor; `count_owners` and `scatter` sort the entries by the
partition that owns them; there `settle` decides which are new, and `judge_new` judges those. `admit` enters states that
a log already names into a table; `find` looks a hash up in a log.

An entry is the words of the state, then the instance that reached it and the lane-0 hash of the state before. Of equal
states the entry with the least (instance, hash before) is kept, in `expand` and in `settle`: attribution is the same
for any order and any number of partitions. The owner of a state is the low half of its hash scaled to the number of
partitions; its place in a table comes from the top half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..llvm.instructions import Variable
from ..llvm.operands import Label, Narrow, Pointer, Word, word
from ..program.program import INSTANCE_BITS
from .expand import INSTANCE
from .superstep_vocabulary import CHUNK, SuperstepText
from .vocabulary import FAILED_ON_STATE, FAILED_ON_STEP, FAILED_STEP, FAILURE

CONTEXT = Pointer("%context")


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
            _settle(words),
            _admit(words),
            _judge_new(words),
            _find(words),
            _rehash(words),
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
    with k.where(k.eq(k.owner(origin), k.number("shard"))):
        k.bump("expanded", 1)
        made = k.call64(k.pointer("step"), state, k.scratch(n), k.number("open"))
        with k.where(k.eq(made, 0)):
            k.bump("dead_ends", 1)
        end = k.add(n, made)
        index = k.variable(Word, n)
        with k.loop() as (head, done):
            i = index.get()
            k.jump_if(k.uge(i, end), done)
            index.set(k.add(i, 1))
            _take_step(k, state, origin, k.scratch(i), head, constrained)
        filled.set(end)


def _take_step(
    k: SuperstepText, state: Pointer, origin: Word, entry: Pointer, following: Label, constrained: bool
) -> None:
    """Count a step and finish its entry; a step that fails or leaves the constraint is taken out of the entries."""
    tag = k.field(entry, k.words)
    instance = k.and_(tag, INSTANCE)
    tag_at = k.element(entry, k.words)
    k.store64(-1, tag_at)
    with k.where(k.slt(tag, 0)):
        k.note_least(word(FAILURE), [word(FAILED_STEP), instance, origin, word(0)], state)
        k.jump(following)
    with k.where(k.ugt(tag, INSTANCE)):
        k.note_all(k.lshr(tag, INSTANCE_BITS), FAILED_ON_STEP, [instance, origin, word(0)], state)
    k.bump_at("steps", instance)
    hash = k.state_hash(entry)
    if constrained:
        _check_constraint(k, state, entry, hash, instance, origin, following)
    low, high = k.step_lanes(origin, instance, hash)
    k.bump("steps_low", low)
    k.bump("steps_high", high)
    k.store64(instance, tag_at)
    k.put(entry, k.words + 1, origin)
    k.put(entry, k.words + 2, hash)
    k.prefetch(k.at("sent_table", k.place(hash, "sent_slots")))


def _check_constraint(
    k: SuperstepText, state: Pointer, entry: Pointer, hash: Word, instance: Word, origin: Word, following: Label
) -> None:
    """A state outside the constraint is judged, but not sent to its owner, and the step to it is in no digest."""
    inside = k.call64(k.pointer("within"), entry)
    with k.where(k.eq(inside, 2)):
        k.note_least(word(FAILURE), [word(FAILED_ON_STEP), instance, origin, word(0)], state)
        k.jump(following)
    with k.where(k.eq(inside, 0)):
        k.bump("left_constraint", 1)
        judged = k.call64(k.pointer("judge"), entry, k.number("open"))
        with k.where(k.ne(judged, 0)):
            by = k.add(instance, 1)
            k.note_all(judged, FAILED_ON_STATE, [hash, by, origin], state)
        k.jump(following)


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
        k.jump_if(k.eq(instance, -1), head)
        state = k.state_at(entry)
        with k.look_up("sent", state, hash, position, words + 2) as (known, slot_at):
            k.keep_least(k.element(known, words), k.element(known, words + 1), instance, origin, narrow=False)
            k.jump(head)
        count = k.number("sent_count")
        to = k.at("sent", k.mul(count, words + 2))
        for w, operand in enumerate([*state, instance, origin]):
            k.put(to, w, operand)
        k.occupy(slot_at, hash, count)
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
        owner = k.owner(k.state_hash(entry))
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


def _batches(k: SuperstepText, stride: int, settle_one: Each) -> None:
    """Go through `%n` records of `stride` words at `%records`, asking for the memory of a batch before using it."""
    n = Word("%n")
    base, index = k.variable(Word, 0), k.variable(Word, 0)
    with k.loop() as (_, done):
        first = base.get()
        k.jump_if(k.uge(first, n), done)
        size = k.umin(k.sub(n, first), CHUNK)
        base.set(k.add(first, size))
        batch = _Batch(k, index, first, size, stride)
        with batch.each() as (record, hash_at, _):
            hash = k.state_hash(record)
            k.store64(hash, hash_at)
            k.prefetch(k.at("table", k.place(hash, "slots")))
        with batch.each() as (_, hash_at, _):
            hash = k.load64(hash_at)
            slot = k.load64(k.at("table", k.place(hash, "slots")))
            differs = k.ugt(k.xor(slot, hash), (1 << 32) - 1)
            known = k.at("states", k.mul(k.index_in(slot), k.words))
            k.prefetch(k.select_pointer(differs, CONTEXT, known))
        with batch.each() as (record, hash_at, head):
            settle_one(record, k.load64(hash_at), head)


def _settle(words: int) -> str:
    """`settle(context, records, n)`: enter n entries; new states are kept with their least (instance, hash before)."""
    k = SuperstepText("void @settle(ptr noalias %context, ptr noalias %records, i64 %n)", words)
    position = k.variable(Word, 0)

    def settle_one(record: Pointer, hash: Word, head: Label) -> None:
        state = k.state_at(record)
        instance, origin = k.field(record, words), k.field(record, words + 1)
        start = k.number("level_start")
        with k.look_up("states", state, hash, position, words, "table", "slots") as (known, slot_at):
            at = k.distance(known, k.pointer("states"), 8 * words)
            k.jump_if(k.ult(at, start), head)
            new = k.sub(at, start)
            k.keep_least(k.at("actions", new, "i16"), k.at("parents", new), instance, origin, narrow=True)
            k.jump(head)
        new = k.sub(k.number("count"), start)
        k.store(Narrow, k.narrowed(instance), k.at("actions", new, "i16"))
        k.store64(origin, k.at("parents", new))
        k.append(state, hash, slot_at)

    _batches(k, words + 2, settle_one)
    k.ret()
    return k.text()


def _admit(words: int) -> str:
    """`admit(context, records, n)`: enter those of n logged states that this partition owns."""
    k = SuperstepText("void @admit(ptr noalias %context, ptr noalias %records, i64 %n)", words)
    position = k.variable(Word, 0)

    def settle_one(record: Pointer, hash: Word, head: Label) -> None:
        k.jump_if(k.ne(k.owner(hash), k.number("shard")), head)
        state = k.state_at(record)
        with k.look_up("states", state, hash, position, words, "table", "slots") as (_, slot_at):
            k.jump(head)
        k.append(state, hash, slot_at)

    _batches(k, words, settle_one)
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
        position.set(k.place(slot, "slots"))
        with k.loop() as (_, free):
            at = k.at("table", position.get())
            k.jump_if(k.eq(k.load64(at), 0), free)
            position.set(k.step_to(position.get(), k.number("slots")))
        k.store64(slot, k.at("table", position.get()))
    k.ret()
    return k.text()


def _judge_new(words: int) -> str:
    """`judge_new(context)`: count, add to the digest and judge the states that are new in this level."""
    k = SuperstepText("void @judge_new(ptr noalias %context)", words)
    index = k.variable(Word, k.number("level_start"))
    with k.loop() as (head, done):
        i = index.get()
        k.jump_if(k.uge(i, k.number("count")), done)
        index.set(k.add(i, 1))
        state = k.at("states", k.mul(i, words))
        new = k.sub(i, k.number("level_start"))
        instance = k.load_widened(k.at("actions", new, "i16"), "i16")
        k.bump_at("new_states", instance)
        hash = k.state_hash(state)
        k.bump("digest_low", hash)
        k.bump("digest_high", k.state_hash(state, 1))
        judged = k.call64(k.pointer("judge"), state, k.number("open"))
        k.jump_if(k.eq(judged, 0), head)
        k.note_all(judged, FAILED_ON_STATE, [hash, word(0), word(0)], state)
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
