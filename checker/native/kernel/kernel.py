"""The search kernel: breadth-first expansion over packed states, as LLVM text for a given shape of search.

States are kept whole (no two are ever confused) in records: the words of the state and one word with its parent and
the instance that led to it. The visited table is open addressing over 8-byte slots: the top half of the state's hash
and, in the lower half, the index of its record plus one (with several workers, the number of its worker above that). A
slot lies in the bucket of eight that the top of the hash, scaled to the table's size, says, or beyond: so the table can
have any number of buckets and grows by one sequential sweep; several workers share a table in parts (`visited`).

Of all steps that reach a state at its level, the one with the least instance, and of those the one from the state with
the least hash, is kept as its predecessor. So the order in which states are found does not matter, and neither
does the number of workers: counts, traces and digests depend on the specification alone.

Steps are taken (`take`) and their successors gathered to a batch (`gather`), and their buckets are prefetched; then
these are looked at and the records that they lead to are prefetched; only then are the states compared (`batch`). Three
batches are on their way at a time (`flight`). Memory and unpredictable branches are what a search waits for, and this
hides most of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..llvm.instructions import NULL, Bit, Label, Pointer, Variable, Word, word
from ..llvm.lanes import LANES
from .insert import insertion_texts, table_texts
from .successors import IN_FLIGHT, Batch, Flight, batch_texts, gathering_texts, taking_texts
from .vocabulary import INSTANCE, LINE, NO_INSTANCE, KernelText, Variant

# -- evaluate ---------------------------------------------------------------------------------------------------------
# Evaluating the properties on states that are new: eight at a time where there is code for that.
#
# Which states show something does not depend on when, nor on how many at once, they are looked at: of all findings of a
# level the one with the least key is kept. So records are evaluated some time after they have been written, when there
# are eight of them, and before the kernel returns.

CONTEXT = Pointer("%context")


def evaluation_texts(words: int) -> list[str]:
    """The functions that evaluate properties on records."""
    return [_evaluate(words), _trial(words), _add_states(words), _count_discovered(words)]


class Evaluation:
    """The records of a worker that have not been evaluated, while a kernel function runs that adds to them."""

    def __init__(self, k: KernelText) -> None:
        self._k = k
        self._next: Variable[Word] = k.variable(Word, k.number("count"))

    def go_on(self) -> None:
        """Evaluate the records that can be evaluated eight at a time."""
        self._until(0)

    def finish(self) -> None:
        """Evaluate all of them."""
        self._until(1)

    def _until(self, all: int) -> None:
        k = self._k
        self._next.set(k.call64("evaluate", CONTEXT, self._next.get(), k.number("count"), word(all)))


def _evaluate(words: int) -> str:
    """`evaluate(context, first, end, all)`: note what these records show; the first that is not evaluated yet.

    Fewer than eight are left where there is code for eight, unless `all` is 1.
    """
    k = KernelText("i64 @evaluate(ptr noalias %context, i64 %first, i64 %end, i64 %all)", words)
    index, end, eight = k.variable(Word, Word("%first")), Word("%end"), k.pointer("eight")
    alone = k.label("alone")
    with k.where(k.ne(k.number("eight"), 0)):
        with k.loop() as (_, fewer):
            i = index.get()
            k.jump_if(k.ugt(k.add(i, LANES), end), fewer)
            shown = k.and_(k.call64(eight, k.record(i)), k.number("pending"))
            with k.where(k.ne(shown, 0)), k.each(i, k.add(i, LANES)) as one:
                _evaluate_record(k, one)
            index.set(k.add(i, LANES))
        k.jump_if(k.ne(Word("%all"), 0), alone)
        k.call("add_states", CONTEXT, Word("%first"), index.get())
        k.return_here(index.get())
    k.jump(alone)
    k.unreachable()
    k.block(alone)
    with k.each(index.get(), end) as one:
        _evaluate_record(k, one)
    k.call("add_states", CONTEXT, Word("%first"), end)
    k.ret(end)
    return k.text()


def _add_states(words: int) -> str:
    """`add_states(context, first, end)`: add these records to the digest of states."""
    k = KernelText("void @add_states(ptr noalias %context, i64 %first, i64 %end)", words)
    low, high = k.variable(Word, 0), k.variable(Word, 0)
    with k.each(Word("%first"), Word("%end")) as i:
        state = k.state_at(k.record(i))
        low.set(k.add(low.get(), k.hash(state, 0)))
        high.set(k.add(high.get(), k.hash(state, 1)))
    k.bump("digest_low", low.get())
    k.bump("digest_high", high.get())
    k.ret()
    return k.text()


def _count_discovered(words: int) -> str:
    """`count_discovered(context, first, end, counts)`: count these records by the instances that led to them."""
    k = KernelText("void @count_discovered(ptr noalias %context, i64 %first, i64 %end, ptr %counts)", words)
    records = k.pointer("records")
    with k.each(Word("%first"), Word("%end")) as i:
        predecessor = k.field(k.element(records, k.mul(i, words + 1)), words)
        at = k.element(Pointer("%counts"), k.and_(predecessor, INSTANCE))
        k.store64(k.add(k.load64(at), 1), at)
    k.ret()
    return k.text()


def _evaluate_record(k: KernelText, index: Word) -> None:
    """Note what a record shows."""
    state = k.record(index)
    shown = k.evaluate(state)
    with k.where(k.ne(shown, 0)):
        key = (k.state_hash(state), k.own_name(index), word(NO_INSTANCE), word(0), word(0))
        k.call("note_state", CONTEXT, shown, *key)


def _trial(words: int) -> str:
    """`trial(context, eight, first, end)`: evaluate records and note nothing, to see how long it takes.

    With an address of code for eight it is used, and with zero each record is evaluated alone; the number of records
    must be divisible by eight. The result is what they show.
    """
    k = KernelText("i64 @trial(ptr noalias %context, ptr %eight, i64 %first, i64 %end)", words)
    index, shown = k.variable(Word, Word("%first")), k.variable(Word, 0)
    alone = k.eq(Pointer("%eight"), NULL)
    with k.loop() as (again, done):
        i = index.get()
        k.jump_if(k.uge(i, Word("%end")), done)
        with k.where(alone):
            shown.set(k.or_(shown.get(), k.evaluate(k.record(i))))
            index.set(k.add(i, 1))
            k.jump(again)
        shown.set(k.or_(shown.get(), k.call64(Pointer("%eight"), k.record(i))))
        index.set(k.add(i, LANES))
    k.ret(k.and_(shown.get(), k.number("pending")))
    return k.text()


# -- expand -----------------------------------------------------------------------------------------------------------
# Expanding states, in the search of one worker alone: a batch of their successors at a time.
#
# First the successors of some states are written, one state after the other; then loops without unpredictable branches
# go over all of them. How many successors a state has cannot be predicted, so each branch on it would be dear.


def expand_text(words: int, symmetric: bool) -> str:
    """`expand(context)`: alone, expand the frontier from the cursor to its end, or that of the quantum or capacity."""
    k = KernelText("void @expand(ptr noalias %context)", words)
    evaluation, flight = Evaluation(k), Flight(k, Variant.ALONE)
    batch = Batch(k, Variant.ALONE, flight, symmetric)
    with k.loop() as (_, done):
        end = k.umin(k.number("level_end"), k.number("stop_at"))
        k.jump_if(k.uge(k.number("cursor"), end), done)
        needed = k.add(k.number("count"), k.mul(k.number("buffer_entries"), IN_FLIGHT))
        k.jump_if(k.ugt(needed, k.number("capacity")), done)
        batch.begin()
        with k.loop() as (_, full):
            cursor = k.number("cursor")
            k.jump_if(k.uge(cursor, end), full)
            k.jump_if(batch.full(), full)
            taken = batch.add(k.record(cursor), k.own_name(cursor), k.sub(end, cursor))
            k.set_number("cursor", k.add(cursor, taken))
        batch.send()
        evaluation.go_on()
    flight.land()
    evaluation.finish()
    k.ret()
    return k.text()


# -- shared -----------------------------------------------------------------------------------------------------------
# Several workers share a search: each takes states of the frontier a batch at a time, whoever found them.
#
# The states of the frontier lie with the workers that found them, in the order in which they did. A worker takes its
# own
# first and then those of the others, so neighbouring states are much alike: that is good for cache locality and for
# branch prediction. Nobody waits for anybody before the end of a level or of a quantum; nothing is locked: see
# `visited`.

STRIDE = 2 * LINE
"""What different workers write lies so many words apart."""

TAKEN, STOP = 0, STRIDE
"""The signals: how many states have been taken in this quantum, and whether everybody is to stop."""

BATCH = 64
"""How many states a worker takes at a time."""


def expand_shared_text(words: int, symmetric: bool) -> str:
    """`expand_shared(context)`: what each worker runs, all at the same time, until a level or a quantum is done."""
    k = KernelText(f"void @{Variant.SHARED.named('expand')}(ptr noalias %context)", words)
    over, passed = k.variable(Bit, 0), k.variable(Word, 0)
    evaluation, flight = Evaluation(k), Flight(k, Variant.SHARED)
    batch = Batch(k, Variant.SHARED, flight, symmetric)
    with k.loop() as (_, done):
        k.jump_if(over.get(), done)
        _stop_if_full(k, done)
        batch.begin()
        with k.loop() as (again, full):
            at = k.number("batch")
            k.jump_if(batch.full(), full)
            with k.where(k.uge(at, k.number("batch_end"))):
                _take(k, passed, over, again, full)
            worker = k.number("batch_of")
            left = k.sub(k.number("batch_end"), at)
            taken = batch.add(k.record_of(worker, at), k.name_of(worker, at), left)
            k.set_number("batch", k.add(at, taken))
        batch.send()
        evaluation.go_on()
    flight.land()
    evaluation.finish()
    k.ret()
    return k.text()


def _stop_if_full(k: KernelText, done: Label) -> None:
    """Stop, and let the others stop, if one more batch could fill the records or some part of the table."""
    buffered, capacity = k.mul(k.number("buffer_entries"), IN_FLIGHT), k.number("capacity")
    occupancies, limits = k.pointer("occupancy"), k.pointer("limits")
    needed = k.add(k.number("count"), buffered)
    full = k.variable(Bit, 0)
    full.set(k.ugt(needed, capacity))
    with k.each(0, k.number("workers")) as part:
        occupancy = k.load64(k.element(occupancies, part))
        limit = k.load64(k.element(limits, part))
        part_full = k.ugt(k.add(occupancy, buffered), limit)
        full.set(k.either(full.get(), part_full))
    with k.where(full.get()):
        k.store_relaxed(1, k.signal(STOP))
        k.jump(done)


def _take(k: KernelText, passed: Variable[Word], over: Variable[Bit], again: Label, full: Label) -> None:
    """Take a batch of the frontier and go on with it; if there is none, or the quantum is done, it is over."""
    ended = k.label("ended")
    stop = k.load_relaxed(k.signal(STOP))
    k.jump_if(k.ne(stop, 0), ended)
    taken = k.fetch_add(k.signal(TAKEN), BATCH)
    k.jump_if(k.uge(taken, k.number("quantum")), ended)
    with k.loop():
        others = passed.get()
        k.jump_if(k.uge(others, k.number("workers")), ended)
        number = k.add(k.number("worker"), others)
        around = k.sub(number, k.number("workers"))
        beyond = k.uge(number, k.number("workers"))
        worker = k.select(beyond, around, number)
        cursor = k.element(k.pointer("cursors"), k.mul(worker, STRIDE))
        first = k.fetch_add(cursor, BATCH)
        end = k.load64(k.at("level_ends", worker))
        with k.where(k.ult(first, end)):
            last = k.umin(k.add(first, BATCH), end)
            k.set_number("batch", first)
            k.set_number("batch_end", last)
            k.set_number("batch_of", worker)
            k.jump(again)
        passed.set(k.add(others, 1))
    k.unreachable()
    k.block(ended)
    over.set(1)
    k.jump(full)


DECLARATIONS = (
    "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    "declare i64 @llvm.umin.i64(i64, i64)",
    "declare i64 @llvm.cttz.i64(i64, i1)",
    "declare i64 @llvm.ctpop.i64(i64)",
)


@dataclass(frozen=True)
class Shape:
    """What the kernel's code depends on.

    `words` is the size of a state. `constrained` says that there is a state constraint, `compacted` that older levels
    are known by their fingerprints only (hash compaction), and `symmetric` that each state is replaced by its
    representative.
    """

    words: int
    constrained: bool = False
    compacted: bool = False
    symmetric: bool = False


def kernel_text(shape: Shape) -> str:
    """The LLVM module of the kernel."""
    parts = [
        *DECLARATIONS,
        *insertion_texts(shape.words, shape.constrained, shape.compacted),
        *evaluation_texts(shape.words),
        *batch_texts(shape.words, simple=not (shape.constrained or shape.compacted)),
        *taking_texts(shape.words),
        *gathering_texts(shape.words, shape.compacted, shape.symmetric),
        expand_text(shape.words, shape.symmetric),
        expand_shared_text(shape.words, shape.symmetric),
        *table_texts(shape.words),
    ]
    return "\n".join(parts)
