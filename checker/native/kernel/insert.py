"""Inserting successors: which states are new, and by which step each is reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..llvm.instructions import Variable
from ..llvm.operands import TRUE, Bit, Label, Pointer, Word, word
from ..program.program import INSTANCE_BITS
from .lookup import Match, StepNotes, Table, check_constraint, find_or_insert
from .variants import Variant
from .visited import Visited
from .vocabulary import FAILED_ON_STATE, FAILED_ON_STEP, FAILURE, FINDING_WORDS, INSTANCE, KernelText

CONTEXT = Pointer("%context")
SHOWN, PARENT, REACHED_BY, ORIGIN = Word("%shown"), Word("%parent"), Word("%instance"), Word("%origin")


def insertion_texts(words: int, constrained: bool, compacted: bool) -> list[str]:
    """`insert_entry(context, at)` in both variants and what it calls, and `insert(context, entries, n)` for initial
    states.
    """
    return [
        _note(),
        _note_step(words),
        _note_state(words),
        *(_prefer(words, variant) for variant in Variant),
        *(_insert_one(words, constrained, compacted, variant) for variant in Variant),
        _insert(words),
    ]


def _insert(words: int) -> str:
    k = KernelText("void @insert(ptr noalias %context, ptr %entries, i64 %n)", words)
    with k.each(0, Word("%n")) as i:
        k.call(Variant.ALONE.named("insert_entry"), CONTEXT, k.entry(Pointer("%entries"), i))
    k.ret()
    return k.text()


def _insert_one(words: int, constrained: bool, compacted: bool, variant: Variant) -> str:
    k = KernelText(f"void @{variant.named('insert_entry')}(ptr noalias %context, ptr %at) noinline", words)
    visited, position = Visited.at_entry(k, variant is Variant.SHARED), k.variable(Word, 0)
    _insert_entry(k, visited, Pointer("%at"), position, constrained, compacted)
    k.ret()
    return k.text()


@dataclass(frozen=True)
class _Notes(StepNotes):
    """What is noted of a step: the name of the state before and its hash, and the instance."""

    k: KernelText
    parent: Word
    instance: Word
    origin: Word

    def failed(self, kind: int) -> None:
        key = (word(kind), self.instance, self.origin, word(0))
        self.k.note(word(FAILURE), key, self.parent, self.instance)

    def shown_outside(self, shown: Word, hash: Word) -> None:
        about = (self.parent, self.instance, self.k.add(self.instance, 1), self.origin)
        self.k.call("note_state", CONTEXT, shown, hash, *about)


def _insert_entry(
    k: KernelText, visited: Visited, entry: Pointer, position: Variable[Word], constrained: bool, compacted: bool
) -> None:
    state = k.state_at(entry)
    predecessor, hash = k.field(entry, k.words), k.field(entry, k.words + 1)
    instance = k.and_(predecessor, INSTANCE)
    done = k.label("inserted")
    if compacted:
        _look_up_fingerprint(k, visited.filter(hash), hash, position, done)
    with find_or_insert(visited, state, hash, position) as found:
        k.jump_if(found.fact, done)
        before = visited.load(k.element(found.record, k.words))
        k.jump_if(k.ugt(instance, k.and_(before, INSTANCE)), done)
        variant = Variant.SHARED if visited.shared else Variant.ALONE
        k.call(variant.named("prefer"), CONTEXT, found.record, predecessor)
        k.jump(done)
    if constrained:

        def outside() -> StepNotes:
            parent = k.lshr(predecessor, INSTANCE_BITS)
            origin = k.state_hash(k.named(parent))
            low, high = k.step_lanes(origin, instance, hash)
            k.bump("steps_low", k.sub(0, low))
            k.bump("steps_high", k.sub(0, high))
            return _Notes(k, parent, instance, origin)

        check_constraint(k, entry, hash, outside, done)
    _keep(k, visited, state, predecessor, hash, found)
    k.branch(done)
    k.block(done)


def _look_up_fingerprint(k: KernelText, table: Table, hash: Word, position: Variable[Word], known: Label) -> None:
    """Leave if the filter has the fingerprint of the state, which then counts as known."""
    wanted, absent = k.fingerprint(hash), k.label("absent")
    position.set(table.home(hash))
    with k.loop() as (_, _):
        at = position.get()
        slot = k.load64(table.place(at))
        k.jump_if(k.eq(slot, 0), absent)
        k.jump_if(k.eq(slot, wanted), known)
        position.set(table.following(at))
    k.unreachable()
    k.block(absent)


def _keep(
    k: KernelText, visited: Visited, state: Sequence[Word], predecessor: Word, hash: Word, found: Match[Bit]
) -> None:
    """Keep a new state: in a record, and in the free slot; if another worker has taken that, look again."""
    place, count = found.free(), k.number("count")
    to = k.record(count)
    for w, operand in enumerate([*state, predecessor]):
        k.put(to, w, operand)
    slot = visited.slot(hash, count)
    if visited.shared:
        _, taken = k.compare_exchange(place, 0, slot)
        k.jump_if(k.not_(taken), found.again)
        k.bump_at("occupancy", visited.part(hash))
    else:
        k.store64(slot, place)
    k.set_number("count", k.add(count, 1))


def _prefer(words: int, variant: Variant) -> str:
    """`prefer(context, record, predecessor)`: keep the lesser of two steps to a state of the next frontier."""
    signature = f"void @{variant.named('prefer')}(ptr noalias %context, ptr %record, i64 %predecessor) noinline"
    k = KernelText(signature, words)
    shared, predecessor = variant is Variant.SHARED, Word("%predecessor")
    place = k.element(Pointer("%record"), words)
    instance = k.and_(predecessor, INSTANCE)
    with k.loop() as (_, done):
        before = Visited(k, shared).load(place)
        kept = k.and_(before, INSTANCE)
        k.jump_if(k.ugt(instance, kept), done)
        with k.where(k.eq(kept, instance)):
            mine = k.state_hash(k.named(k.lshr(predecessor, INSTANCE_BITS)))
            other = k.state_hash(k.named(k.lshr(before, INSTANCE_BITS)))
            k.jump_if(k.uge(mine, other), done)
        if shared:
            _, replaced = k.compare_exchange(place, before, predecessor)
        else:
            k.store64(predecessor, place)
            replaced = TRUE
        with k.where(replaced):
            k.return_here()
    k.ret()
    return k.text()


def _note() -> str:
    """`note(findings, slot, key, name, instance)`: keep a finding if its key is less than that of the one there is."""
    given = [Word(f"%w{i}") for i in range(1, FINDING_WORDS)]
    parameters = ", ".join(f"i64 {one}" for one in given)
    k = KernelText(f"void @note(ptr %findings, i64 %slot, {parameters}) noinline", 0)
    at = k.element(Pointer("%findings"), k.mul(Word("%slot"), FINDING_WORDS))
    keep, leave = k.label("keep"), k.label("leave")
    k.jump_if(k.eq(k.field(at, 0), 0), keep)
    for i, mine in enumerate(given[:4], start=1):
        kept = k.field(at, i)
        k.jump_if(k.ult(mine, kept), keep)
        k.jump_if(k.ugt(mine, kept), leave)
    k.jump(leave)
    k.unreachable()
    k.block(keep)
    k.put(at, 0, 1)
    for i, mine in enumerate(given, start=1):
        k.put(at, i, mine)
    k.branch(leave)
    k.block(leave)
    k.ret()
    return k.text()


def _note_step(words: int) -> str:
    """`note_step(context, bits, parent, instance, origin)`: what a step shows, and if a property of it failed."""
    operands = "i64 %shown, i64 %parent, i64 %instance, i64 %origin"
    k = KernelText(f"void @note_step(ptr noalias %context, {operands}) noinline", words)
    with k.bits(SHOWN) as bit:
        kind = k.select(k.eq(bit, FAILURE), FAILED_ON_STEP, 0)
        k.note(bit, (kind, REACHED_BY, ORIGIN, word(0)), PARENT, REACHED_BY)
    k.ret()
    return k.text()


def _note_state(words: int) -> str:
    """`note_state(context, bits, hash, name, instance, key...)`: what a state shows, and if a property of it failed."""
    operands = "i64 %shown, i64 %hash, i64 %name, i64 %instance, i64 %by, i64 %origin"
    k = KernelText(f"void @note_state(ptr noalias %context, {operands}) noinline", words)
    with k.bits(SHOWN) as bit:
        kind = k.select(k.eq(bit, FAILURE), FAILED_ON_STATE, 0)
        k.note(bit, (kind, Word("%hash"), Word("%by"), ORIGIN), Word("%name"), REACHED_BY)
    k.ret()
    return k.text()
