"""Expanding states: their successors, hashed and counted, and the search of one worker alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..llvm.instructions import Variable
from ..llvm.operands import Label, Pointer, Word, word
from ..program.program import INSTANCE_BITS
from .evaluate import Evaluation
from .visited import Visited
from .vocabulary import FAILED_STEP, FAILURE, KernelText

INSTANCE = (1 << INSTANCE_BITS) - 1
"""The bits of a tag, and of the last word of a record, that hold an instance."""


def expand_text(words: int, compacted: bool, symmetric: bool) -> str:
    """`expand(context)`: alone, expand the frontier from the cursor to its end, or that of the quantum or capacity."""
    k = KernelText("void @expand(ptr noalias %context)", words)
    filled, evaluation = k.variable(Word, 0), Evaluation(k)
    buffer = k.pointer("buffer")
    with k.loop() as (_, done):
        end = k.umin(k.number("level_end"), k.number("stop_at"))
        k.jump_if(k.uge(k.number("cursor"), end), done)
        needed = k.add(k.number("count"), k.number("buffer_entries"))
        k.jump_if(k.ugt(needed, k.number("capacity")), done)
        filled.set(0)
        limit = k.sub(k.number("buffer_entries"), k.number("out_degree"))
        with k.loop() as (_, full):
            cursor, n = k.number("cursor"), filled.get()
            k.jump_if(k.uge(cursor, end), full)
            k.jump_if(k.ugt(n, limit), full)
            made = k.variable(Word, 0)
            state, name = k.record(cursor), k.own_name(cursor)
            with successors(k, state, name, k.entry(buffer, n), made, symmetric) as hash:
                Visited(k, shared=False).prefetch(hash, compacted)
            filled.set(k.add(n, made.get()))
            k.set_number("cursor", k.add(cursor, 1))
        k.call("insert", Pointer("%context"), buffer, filled.get())
        evaluation.go_on()
    evaluation.finish()
    k.ret()
    return k.text()


@contextmanager
def successors(
    k: KernelText, state: Pointer, parent: Word, to: Pointer, made: Variable[Word], symmetric: bool
) -> Iterator[Word]:
    """Write the successors of a record with this name to a buffer; what follows runs for each, with its hash.

    Its tag is replaced by its predecessor and the hash added; the step is counted, added to the digest and, if it
    shows something, noted. `made` is a variable for the number of successors. A step whose action cannot be evaluated
    is noted, and is no successor. With `symmetric` a successor is replaced by its representative, after its step has
    been evaluated.
    """
    found = k.call64(k.pointer("step"), state, to, k.number("pending"))
    made.set(found)
    with k.where(k.eq(found, 0)):
        k.bump("terminal_states", 1)
    origin = k.state_hash(state)
    index = k.variable(Word, 0)
    index.set(0)
    with k.loop() as (again, done):
        i, n = index.get(), made.get()
        k.jump_if(k.uge(i, n), done)
        entry = k.entry(to, i)
        tag = k.field(entry, k.words)
        instance = k.and_(tag, INSTANCE)
        with k.where(k.ugt(tag, INSTANCE)):
            _note_flags(k, to, entry, n, made, (tag, instance, parent, origin), again)
        if symmetric:
            k.call(k.pointer("canonical"), entry)
        hash = k.state_hash(entry)
        k.put(entry, k.words, k.predecessor(parent, instance))
        k.put(entry, k.words + 1, hash)
        k.bump_at("steps", instance)
        k.add_step(origin, instance, hash)
        yield hash
        index.set(k.add(i, 1))


def _note_flags(
    k: KernelText,
    to: Pointer,
    entry: Pointer,
    n: Word,
    made: Variable[Word],
    step: tuple[Word, Word, Word, Word],
    again: Label,
) -> None:
    """Note what a step shows; if its action could not be evaluated, put the last entry in its place and go on there."""
    tag, instance, parent, origin = step
    with k.where(k.slt(tag, 0)):
        k.note(word(FAILURE), (word(FAILED_STEP), instance, origin, word(0)), parent, instance)
        last = k.sub(n, 1)
        made.set(last)
        k.move(entry, k.entry(to, last), 8 * (k.words + 1))
        k.jump(again)
    k.call("note_step", Pointer("%context"), k.lshr(tag, INSTANCE_BITS), parent, instance, origin)
