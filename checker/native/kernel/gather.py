"""Making batches of successors: each with its hash, the name of the state before, and its bucket, which is asked for.

`gather` makes entries of what has been written to the buffer. The steps of eight states that were taken at once
become entries straight away, without the buffer (`gather_eight`); the entries of a batch stand in the same order either
way. Representatives are made of eight successors at a time, so with symmetry reduction all of a batch are written to
the buffer first.
"""

from __future__ import annotations

from ..llvm.lanes import LANES
from ..llvm.operands import Bit, Label, Pointer, Word, word
from ..program.eight_steps import LOOK_CLOSER
from ..program.program import INSTANCE_BITS
from .flight import Flight
from .take import ORIGIN_WORDS, Columns, Made
from .variants import Variant
from .visited import Visited
from .vocabulary import FAILED_STEP, FAILURE, INSTANCE, KernelText

CONTEXT, STATE, NAME, BATCH = Pointer("%context"), Pointer("%state"), Word("%name"), Pointer("%batch")


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
