"""Making every step again: the edges between the states that a search has found.

A step that changes nothing is no edge. As in the search, the successors of a batch of states are made first, then the
slots of the table are asked for, then the records, and only then they are looked up.
"""

from __future__ import annotations

from ..llvm.instructions import Variable
from ..llvm.operands import Word
from ..program.program import INSTANCE_BITS
from .lookup import find_or_insert
from .promise_vocabulary import OUTSIDE, Numbered, PromiseText

INSTANCE = (1 << INSTANCE_BITS) - 1


def edges_text(words: int, shared: bool) -> str:
    """`edges(context)`: from the cursor to `stop_at`, or until there may be no room for the next batch."""
    k = PromiseText("void @edges(ptr noalias %context)", words)
    lookup = Numbered(k, shared)
    buffer = k.pointer("buffer")
    filled, made, position = k.variable(Word, 0), k.variable(Word, 0), k.variable(Word, 0)
    closed = k.variable(Word, k.number("cursor"))
    with k.loop() as (_, done):
        k.jump_if(k.uge(k.number("cursor"), k.number("stop_at")), done)
        needed = k.add(k.number("edges"), k.number("buffer_entries"))
        k.jump_if(k.ugt(needed, k.number("room")), done)
        filled.set(0)
        limit = k.sub(k.number("buffer_entries"), k.number("out_degree"))
        with k.loop() as (_, full):
            number, n = k.number("cursor"), filled.get()
            k.jump_if(k.uge(number, k.number("stop_at")), full)
            k.jump_if(k.ugt(n, limit), full)
            made.set(k.call64(k.pointer("step"), k.state_of(number), k.entry(buffer, n), Word("0")))
            with k.each(n, k.add(n, made.get())) as i:
                entry = k.entry(buffer, i)
                hash = k.state_hash(entry)
                k.put(entry, words + 1, hash)
                k.put(entry, words + 2, number)
                lookup.prefetch_slot(hash)
            filled.set(k.add(n, made.get()))
            k.set_number("cursor", k.add(number, 1))
        with k.each(0, filled.get()) as i:
            lookup.prefetch_record(k.field(k.entry(buffer, i), words + 1))
        with k.each(0, filled.get()) as i:
            entry = k.entry(buffer, i)
            origin = k.field(entry, words + 2)
            _close(k, closed, origin)
            _keep(k, lookup, i, origin, position)
        _close(k, closed, k.number("cursor"))
    k.ret()
    return k.text()


def _close(k: PromiseText, closed: Variable[Word], state: Word) -> None:
    """Note that the edges of a state begin here, and those of the states before it that have none."""
    with k.loop() as (_, done):
        k.jump_if(k.uge(closed.get(), state), done)
        closed.set(k.add(closed.get(), 1))
        k.put_wide("offsets", closed.get(), k.number("edges"))


def _keep(k: PromiseText, lookup: Numbered, i: Word, origin: Word, position: Variable[Word]) -> None:
    """Keep a step as an edge, unless it changes nothing."""
    entry = k.entry(k.pointer("buffer"), i)
    target, looked_up, next = k.variable(Word, OUTSIDE), k.label("looked_up"), k.label("kept")
    target.set(OUTSIDE)
    with find_or_insert(lookup, k.state_at(entry), k.field(entry, k.words + 1), position) as match:
        target.set(match.fact)
        k.jump(looked_up)
    k.bump("missing", 1)
    k.branch(looked_up)
    k.block(looked_up)
    k.jump_if(k.eq(target.get(), origin), next)
    edge = k.number("edges")
    k.put_narrow("targets", edge, target.get())
    k.store_narrowed(k.and_(k.field(entry, k.words), INSTANCE), k.at("labels", edge, "i16"), "i16")
    k.set_number("edges", k.add(edge, 1))
    k.branch(next)
    k.block(next)
