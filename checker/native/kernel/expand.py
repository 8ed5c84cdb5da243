"""Expanding states: a batch of their successors at a time, and the search of one worker alone.

First `take` writes the successors of some states, one state after the other; then a loop without unpredictable branches
goes over all of them. How many successors a state has cannot be predicted, so each branch on it would be dear.
"""

from __future__ import annotations

from ..llvm.operands import Label, Pointer, Word, word
from ..program.program import INSTANCE_BITS
from .evaluate import Evaluation
from .flight import IN_FLIGHT, Flight
from .take import ORIGIN_WORDS, Made
from .variants import Variant
from .visited import Visited
from .vocabulary import FAILED_STEP, FAILURE, INSTANCE, KernelText


def expansion_texts(words: int, compacted: bool, symmetric: bool) -> list[str]:
    """`expand(context)`, and what gathers a batch in both variants."""
    return [_expand(words), *(_gather(words, compacted, symmetric, variant) for variant in Variant)]


def _expand(words: int) -> str:
    """`expand(context)`: alone, expand the frontier from the cursor to its end, or that of the quantum or capacity."""
    k = KernelText("void @expand(ptr noalias %context)", words)
    evaluation, flight, made = Evaluation(k), Flight(k, Variant.ALONE), Made(k)
    with k.loop() as (_, done):
        end = k.umin(k.number("level_end"), k.number("stop_at"))
        k.jump_if(k.uge(k.number("cursor"), end), done)
        needed = k.add(k.number("count"), k.mul(k.number("buffer_entries"), IN_FLIGHT))
        k.jump_if(k.ugt(needed, k.number("capacity")), done)
        made.begin()
        with k.loop() as (_, full):
            cursor = k.number("cursor")
            k.jump_if(k.uge(cursor, end), full)
            k.jump_if(made.full(), full)
            taken = made.add(k.record(cursor), k.own_name(cursor), k.sub(end, cursor))
            k.set_number("cursor", k.add(cursor, taken))
        flight.add(k.number("made"))
        evaluation.go_on()
    flight.land()
    evaluation.finish()
    k.ret()
    return k.text()


def _gather(words: int, compacted: bool, symmetric: bool, variant: Variant) -> str:
    """`gather(context, batch, n)`: make a batch of the entries that `take` has written; how many it has.

    A successor has a hash, the name of the state before, and the address of its bucket, which is asked for. Its step is
    counted, added to the digest and, if it shows something, noted. A step whose action cannot be evaluated is noted,
    and is no successor. With `symmetric` the successors are replaced by their representatives; what their steps show
    was found out before.
    """
    k = KernelText(f"i64 @{variant.named('gather')}(ptr noalias %context, ptr %batch, i64 %n)", words)
    visited = Visited.at_entry(k, variant is Variant.SHARED)
    state, kept = k.variable(Word, 0), k.variable(Word, 0)
    low, high = k.variable(Word, 0), k.variable(Word, 0)
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
        entry = k.entry(Pointer("%batch"), kept.get())
        for w, operand in enumerate(k.state_at(before)):
            k.put(entry, w, operand)
        hash = k.state_hash(before)
        k.put(entry, words, k.predecessor(parent, instance))
        k.put(entry, words + 1, hash)
        k.store(Pointer, visited.bucket(hash, compacted), k.element(entry, words + 2))
        at = k.element(steps, instance)
        k.store64(k.add(k.load64(at), 1), at)
        one, other = k.step_lanes(origin, instance, hash)
        low.set(k.add(low.get(), one))
        high.set(k.add(high.get(), other))
        kept.set(k.add(kept.get(), 1))
        k.branch(left)
        k.block(left)
    k.bump("steps_low", low.get())
    k.bump("steps_high", high.get())
    k.ret(kept.get())
    return k.text()


def _note_flags(k: KernelText, tag: Word, instance: Word, parent: Word, origin: Word, left: Label) -> None:
    """Note what a step shows; if its action could not be evaluated, it is left out."""
    with k.where(k.slt(tag, 0)):
        k.note(word(FAILURE), (word(FAILED_STEP), instance, origin, word(0)), parent, instance)
        k.jump(left)
    k.call("note_step", Pointer("%context"), k.lshr(tag, INSTANCE_BITS), parent, instance, origin)
