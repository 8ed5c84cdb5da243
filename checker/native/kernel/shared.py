"""Several workers share a search: each takes states of the frontier a batch at a time, whoever found them.

The states of the frontier lie with the workers that found them, in the order in which they did. A worker takes its own
first and then those of the others, so neighbouring states are much alike: that is good for cache locality and for
branch prediction. Nobody waits for anybody before the end of a level or of a quantum; nothing is locked: see `visited`.
"""

from __future__ import annotations

from ..llvm.instructions import Variable
from ..llvm.operands import Bit, Label, Word
from .evaluate import Evaluation
from .flight import IN_FLIGHT, Flight
from .gather import Batch
from .variants import Variant
from .vocabulary import LINE, KernelText

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
