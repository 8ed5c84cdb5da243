"""Several workers together: each takes states of the level a few at a time, whoever found them, and explores them.

The states of a level lie with the workers that found them, in the order in which they did. A worker takes its own first
and then those of the others. So its states are much alike, one after the other, which the processor's caches and its
prediction of branches live on; nobody waits for anybody before the end of a level or of a stretch; nothing is locked:
see `visited`.
"""

from __future__ import annotations

from ..llvm.instructions import Variable
from ..llvm.operands import Bit, Label, Pointer, Word
from .expand import successors
from .visited import Visited
from .vocabulary import LINE, KernelText

STRIDE = 2 * LINE
"""What different workers write lies so many words apart."""

TAKEN, STOP = 0, STRIDE
"""The signals: how many states have been taken in this stretch, and whether everybody is to stop."""

CHUNK = 64
"""How many states a worker takes at a time."""


def explore_together_text(words: int, compact: bool, symmetric: bool) -> str:
    """`explore_together(context)`: what each worker runs, all at the same time, until a level or a stretch is done."""
    k = KernelText("void @explore_together(ptr noalias %context)", words)
    filled, over, passed = k.variable(Word, 0), k.variable(Bit, 0), k.variable(Word, 0)
    buffer, visited = k.pointer("buffer"), Visited(k, shared=True)
    limit = k.sub(k.number("buffer_entries"), k.number("out_degree"))
    with k.loop() as (_, done):
        k.jump_if(over.get(), done)
        _stop_if_full(k)
        filled.set(0)
        with k.loop() as (again, full):
            n, at = filled.get(), k.number("chunk")
            k.jump_if(k.ugt(n, limit), full)
            with k.where(k.uge(at, k.number("chunk_end"))):
                _take(k, passed, over, again, full)
            worker, made = k.number("chunk_of"), k.variable(Word, 0)
            state, name = k.record_of(worker, at), k.name_of(worker, at)
            with successors(k, state, name, k.entry(buffer, n), made, symmetric) as hash:
                visited.prefetch(hash, compact)
            filled.set(k.add(n, made.get()))
            k.set_number("chunk", k.add(at, 1))
        k.call("settle_together", Pointer("%context"), buffer, filled.get())
    k.ret()
    return k.text()


def _stop_if_full(k: KernelText) -> None:
    """Stop, and let the others stop, if a batch might not find room among the records or in some part of the table."""
    batch, capacity = k.number("buffer_entries"), k.number("capacity")
    entered_at, limits_at = k.pointer("entered"), k.pointer("limits")
    needed = k.add(k.number("count"), batch)
    crowded = k.variable(Bit, 0)
    crowded.set(k.ugt(needed, capacity))
    with k.each(0, k.number("workers")) as part:
        entered = k.load64(k.element(entered_at, part))
        limit = k.load64(k.element(limits_at, part))
        full = k.ugt(k.add(entered, batch), limit)
        crowded.set(k.either(crowded.get(), full))
    with k.where(crowded.get()):
        k.store_relaxed(1, k.signal(STOP))
        k.return_here()


def _take(k: KernelText, passed: Variable[Word], over: Variable[Bit], again: Label, full: Label) -> None:
    """Take a chunk of the level and go on with it; if there is none, or the stretch is done, it is over."""
    ended = k.label("ended")
    stop = k.load_relaxed(k.signal(STOP))
    k.jump_if(k.ne(stop, 0), ended)
    taken = k.fetch_add(k.signal(TAKEN), CHUNK)
    k.jump_if(k.uge(taken, k.number("stretch")), ended)
    with k.loop():
        others = passed.get()
        k.jump_if(k.uge(others, k.number("workers")), ended)
        number = k.add(k.number("worker"), others)
        around = k.sub(number, k.number("workers"))
        beyond = k.uge(number, k.number("workers"))
        worker = k.select(beyond, around, number)
        cursor = k.element(k.pointer("cursors"), k.mul(worker, STRIDE))
        first = k.fetch_add(cursor, CHUNK)
        end = k.load64(k.at("level_ends", worker))
        with k.where(k.ult(first, end)):
            last = k.umin(k.add(first, CHUNK), end)
            k.set_number("chunk", first)
            k.set_number("chunk_end", last)
            k.set_number("chunk_of", worker)
            k.jump(again)
        passed.set(k.add(others, 1))
    k.unreachable()
    k.block(ended)
    over.set(1)
    k.jump(full)
