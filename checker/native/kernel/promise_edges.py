"""Making every step again: the edges between the states that a search has found.

A step that changes nothing is no edge. As in the search, the successors of a batch of states are made first, then the
slots of the table are asked for, then the records, and only then they are looked up. Where the search has code for the
steps of eight states, it is used again.
"""

from __future__ import annotations

from ..llvm.instructions import Variable
from ..llvm.lanes import LANES
from ..llvm.operands import Pointer, Word, word
from ..program.eight_steps import LOOK_CLOSER
from ..program.program import INSTANCE_BITS
from .lookup import find_or_insert
from .promise_vocabulary import OUTSIDE, Numbered, PromiseText
from .take import Columns

INSTANCE = (1 << INSTANCE_BITS) - 1


def edges_text(words: int, shared: bool) -> str:
    """`edges(context)`: from the cursor to `stop_at`, or until there may be no room for the next batch."""
    k = PromiseText("void @edges(ptr noalias %context)", words)
    lookup = Numbered(k, shared)
    buffer, eight = k.pointer("buffer"), k.ne(k.number("eight_steps"), 0)
    filled, position = k.variable(Word, 0), k.variable(Word, 0)
    closed = k.variable(Word, k.number("cursor"))
    group = k.select(eight, word(LANES), word(1))
    limit = k.sub(k.number("buffer_entries"), k.mul(k.number("out_degree"), group))
    with k.loop() as (_, done):
        k.jump_if(k.uge(k.number("cursor"), k.number("stop_at")), done)
        needed = k.add(k.number("edges"), k.number("buffer_entries"))
        k.jump_if(k.ugt(needed, k.number("room")), done)
        filled.set(0)
        with k.loop() as (_, full):
            number = k.number("cursor")
            k.jump_if(k.uge(number, k.number("stop_at")), full)
            k.jump_if(k.ugt(filled.get(), limit), full)
            count = k.umin(group, k.sub(k.number("stop_at"), number))
            _make(k, lookup, number, count, filled)
            k.set_number("cursor", k.add(number, count))
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


def _make(k: PromiseText, lookup: Numbered, number: Word, count: Word, filled: Variable[Word]) -> None:
    """Write the successors of so many states from this number on: of eight at once, if they are that many."""
    buffer, made, alone = k.pointer("buffer"), k.label("made"), k.label("alone")
    k.jump_if(k.not_(k.both(k.eq(count, LANES), k.ne(k.number("eight_steps"), 0))), alone)
    columns = Columns.taken(k, k.state_of(number), word(0))
    k.jump_if(k.eq(columns.found, LOOK_CLOSER), alone)
    end = columns.place(filled.get())
    with columns.each() as (state, tag, lane, place):
        entry = k.entry(buffer, place)
        for w, operand in enumerate([*state, k.and_(tag, INSTANCE)]):
            k.put(entry, w, operand)
        _prepare(k, lookup, entry, k.add(number, lane))
    filled.set(end)
    k.jump(made)
    k.unreachable()
    k.block(alone)
    with k.each(number, k.add(number, count)) as one:
        n = filled.get()
        next = k.add(n, k.call64(k.pointer("step"), k.state_of(one), k.entry(buffer, n), word(0)))
        with k.each(n, next) as i:
            _prepare(k, lookup, k.entry(buffer, i), one)
        filled.set(next)
    k.branch(made)
    k.block(made)


def _prepare(k: PromiseText, lookup: Numbered, entry: Pointer, origin: Word) -> None:
    """Write what an entry has beside its state and instance, and ask for its slot."""
    hash = k.state_hash(entry)
    k.put(entry, k.words + 1, hash)
    k.put(entry, k.words + 2, origin)
    lookup.prefetch_slot(hash)


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
