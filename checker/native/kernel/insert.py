"""Settling successors: which are new, how a state was reached, what is violated."""

from __future__ import annotations

from ..llvm.instructions import Variable
from ..llvm.operands import Bit, Label, Pointer, Word, word
from ..program.program import INSTANCE_BITS
from .expand import INSTANCE
from .visited import Table, Visited, part_of
from .vocabulary import FAILED_ON_STATE, FAILED_ON_STEP, FAILURE, FINDING_WORDS, NO_INSTANCE, SLOT_INDEX, KernelText


def settling_texts(words: int, constrained: bool, compact: bool) -> list[str]:
    """`settle(context, entries, n)`, the same for workers that share a table, and what they call."""
    return [
        "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)",
        _note(),
        _note_step(words),
        _note_state(words),
        *(_prefer(words, shared) for shared in (False, True)),
        *(_settle(words, constrained, compact, shared) for shared in (False, True)),
    ]


def _named(name: str, shared: bool) -> str:
    return f"{name}_together" if shared else name


def _settle(words: int, constrained: bool, compact: bool, shared: bool) -> str:
    k = KernelText(f"void @{_named('settle', shared)}(ptr noalias %context, ptr %entries, i64 %n)", words)
    visited = Visited(k, shared)
    _fetch_records(k, visited)
    position = k.variable(Word, 0)
    with k.each(0, Word("%n")) as i:
        _settle_entry(k, visited, k.entry(Pointer("%entries"), i), position, constrained, compact)
    k.ret()
    return k.text()


def _fetch_records(k: KernelText, visited: Visited) -> None:
    """Read the home slot of every entry; where its hash agrees, prefetch the record it points to."""
    with k.each(0, Word("%n")) as i:
        hash = k.field(k.entry(Pointer("%entries"), i), k.words + 1)
        table = visited.table(hash)
        slot = visited.load(table.place(table.home(hash)))
        differs = k.ugt(k.xor(slot, hash), SLOT_INDEX)
        k.prefetch(k.select_pointer(differs, Pointer("%context"), visited.known(slot)[0]))


def _settle_entry(
    k: KernelText, visited: Visited, entry: Pointer, position: Variable[Word], constrained: bool, compact: bool
) -> None:
    state = k.state_at(entry)
    way, hash = k.field(entry, k.words), k.field(entry, k.words + 1)
    instance = k.and_(way, INSTANCE)
    settled, fresh = k.label("settled"), k.label("new")
    if compact:
        _look_up_fingerprint(k, visited.filter(hash), hash, position, settled)
    table, wanted = visited.table(hash), k.lshr(hash, 32)
    position.set(table.home(hash))
    with k.loop() as (head, _):
        at = position.get()
        slot = visited.load(table.place(at))
        k.jump_if(k.eq(slot, 0), fresh)
        position.set(table.following(at))
        k.jump_if(k.ne(k.lshr(slot, 32), wanted), head)
        known, older = visited.known(slot)
        total = word(0)
        for w in range(k.words):
            total = k.or_(total, k.xor(k.field(known, w), state[w]))
        k.jump_if(k.ne(total, 0), head)
        k.jump_if(older, settled)
        before = visited.load(k.element(known, k.words))
        k.jump_if(k.ugt(instance, k.and_(before, INSTANCE)), settled)
        k.call(_named("prefer", visited.shared), Pointer("%context"), known, way)
        k.jump(settled)
    k.unreachable()
    k.block(fresh)
    if constrained:
        _check_constraint(k, entry, k.lshr(way, INSTANCE_BITS), instance, hash, settled)
    place = table.place(position.get())
    _admit(k, visited, state, way, instance, hash, place, head)
    k.branch(settled)
    k.block(settled)


def _look_up_fingerprint(k: KernelText, table: Table, hash: Word, position: Variable[Word], settled: Label) -> None:
    """Leave if the filter has the fingerprint of the state, which then counts as known."""
    wanted, absent = k.fingerprint(hash), k.label("absent")
    position.set(table.home(hash))
    with k.loop() as (_, _):
        at = position.get()
        slot = k.load64(table.place(at))
        k.jump_if(k.eq(slot, 0), absent)
        k.jump_if(k.eq(slot, wanted), settled)
        position.set(table.following(at))
    k.unreachable()
    k.block(absent)


def _check_constraint(k: KernelText, entry: Pointer, parent: Word, instance: Word, hash: Word, settled: Label) -> None:
    """A state outside the constraint is judged, but not kept, and the step to it is taken out of the digest."""
    inside = k.call64(k.pointer("within"), entry)
    with k.where(k.ne(inside, 1)):
        origin = k.state_hash(k.named(parent))
        low, high = k.step_lanes(origin, instance, hash)
        k.bump("steps_low", k.sub(0, low))
        k.bump("steps_high", k.sub(0, high))
        with k.where(k.eq(inside, 2)):
            k.note(word(FAILURE), (word(FAILED_ON_STEP), instance, origin, word(0)), parent, instance)
            k.jump(settled)
        k.bump("left_constraint", 1)
        _judge(k, entry, hash, (parent, instance, k.add(instance, 1), origin))
        k.jump(settled)


def _judge(k: KernelText, state: Pointer, hash: Word, about: tuple[Word, Word, Word, Word]) -> None:
    """Judge a state that has just been found: its name and instance for a finding, and the rest of the key."""
    shown = k.call64(k.pointer("judge"), state, k.number("open"))
    with k.where(k.ne(shown, 0)):
        k.call("note_state", Pointer("%context"), shown, hash, *about)


def _admit(
    k: KernelText,
    visited: Visited,
    state: list[Word],
    way: Word,
    instance: Word,
    hash: Word,
    place: Pointer,
    again: Label,
) -> None:
    """Keep a new state: in a record, and in this slot; if another worker has taken that, look again."""
    count = k.number("count")
    to = k.record(count)
    for w, operand in enumerate(state):
        k.put(to, w, operand)
    k.put(to, k.words, way)
    slot = visited.slot(hash, count)
    if visited.shared:
        entered = k.compare_exchange(place, 0, slot)
        k.jump_if(k.eq(entered, 0), again)
        k.bump_at("entered", part_of(k, hash, k.number("workers")))
    else:
        k.store64(slot, place)
    k.set_number("count", k.add(count, 1))
    k.bump_at("new_states", instance)
    k.bump("digest_low", hash)
    k.bump("digest_high", k.hash(state, 1))
    _judge(k, to, hash, (k.own_name(count), word(NO_INSTANCE), word(0), word(0)))


def _prefer(words: int, shared: bool) -> str:
    """`prefer(context, record, way)`: keep the lesser of two ways to a state of the level that is being found."""
    k = KernelText(f"void @{_named('prefer', shared)}(ptr noalias %context, ptr %record, i64 %way) noinline", words)
    way = Word("%way")
    place = k.element(Pointer("%record"), words)
    instance = k.and_(way, INSTANCE)
    with k.loop() as (_, done):
        before = Visited(k, shared).load(place)
        kept = k.and_(before, INSTANCE)
        k.jump_if(k.ugt(instance, kept), done)
        with k.where(k.eq(kept, instance)):
            mine = k.state_hash(k.named(k.lshr(way, INSTANCE_BITS)))
            other = k.state_hash(k.named(k.lshr(before, INSTANCE_BITS)))
            k.jump_if(k.uge(mine, other), done)
        if shared:
            kept_it = k.compare_exchange(place, before, way)
        else:
            k.store64(way, place)
            kept_it = Bit("1")
        with k.where(kept_it):
            k.bump_at("new_states", kept, -1)
            k.bump_at("new_states", instance)
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


SHOWN, PARENT, INSTANCE_OF, ORIGIN = Word("%shown"), Word("%parent"), Word("%instance"), Word("%origin")


def _note_step(words: int) -> str:
    """`note_step(context, bits, parent, instance, origin)`: what a step shows, and if a property of it failed."""
    operands = "i64 %shown, i64 %parent, i64 %instance, i64 %origin"
    k = KernelText(f"void @note_step(ptr noalias %context, {operands}) noinline", words)
    with k.bits(SHOWN) as bit:
        kind = k.select(k.eq(bit, FAILURE), FAILED_ON_STEP, 0)
        k.note(bit, (kind, INSTANCE_OF, ORIGIN, word(0)), PARENT, INSTANCE_OF)
    k.ret()
    return k.text()


def _note_state(words: int) -> str:
    """`note_state(context, bits, hash, name, instance, key...)`: what a state shows, and if a property of it failed."""
    operands = "i64 %shown, i64 %hash, i64 %name, i64 %instance, i64 %by, i64 %origin"
    k = KernelText(f"void @note_state(ptr noalias %context, {operands}) noinline", words)
    with k.bits(SHOWN) as bit:
        kind = k.select(k.eq(bit, FAILURE), FAILED_ON_STATE, 0)
        k.note(bit, (kind, Word("%hash"), Word("%by"), ORIGIN), Word("%name"), INSTANCE_OF)
    k.ret()
    return k.text()
