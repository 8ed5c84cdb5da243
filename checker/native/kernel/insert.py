"""Settling successors: which are new, how a state was reached, what is violated."""

from __future__ import annotations

from ..program.expressions import signed
from ..program.program import INSTANCE_BITS
from .expand import step_lanes
from .visited import Table, Visited, part_of
from .vocabulary import FAILED_ON_STATE, FAILED_ON_STEP, FAILURE, FINDING_WORDS, NO_INSTANCE, SLOT_INDEX, KernelText

INSTANCE = (1 << INSTANCE_BITS) - 1


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
    position = k.variable("i64", "0")
    with k.each("0", "%n") as i:
        _settle_entry(k, visited, k.entry("%entries", i), position, constrained, compact)
    k.do("ret void")
    return k.text()


def _fetch_records(k: KernelText, visited: Visited) -> None:
    """Read the home slot of every entry; where its hash agrees, prefetch the record it points to."""
    with k.each("0", "%n") as i:
        hash = k.word(k.entry("%entries", i), k.words + 1)
        table = visited.table(hash)
        slot = visited.load(table.place(table.home(hash)))
        differs = k.value(f"icmp ugt i64 {k.value(f'xor i64 {slot}, {hash}')}, {SLOT_INDEX}")
        k.prefetch(k.value(f"select i1 {differs}, ptr %context, ptr {visited.known(slot)[0]}"))


def _settle_entry(k: KernelText, visited: Visited, entry: str, position: str, constrained: bool, compact: bool) -> None:
    state = [k.word(entry, w) for w in range(k.words)]
    way, hash = k.word(entry, k.words), k.word(entry, k.words + 1)
    instance = k.value(f"and i64 {way}, {INSTANCE}")
    settled, fresh = k.fresh("settled"), k.fresh("new")
    if compact:
        _look_up_fingerprint(k, visited.filter(hash), hash, position, settled)
    table, wanted = visited.table(hash), k.value(f"lshr i64 {hash}, 32")
    k.do(f"store i64 {table.home(hash)}, ptr {position}")
    with k.loop() as (head, _):
        at = k.value(f"load i64, ptr {position}")
        slot = visited.load(table.place(at))
        k.leave(k.value(f"icmp eq i64 {slot}, 0"), fresh)
        k.do(f"store i64 {table.following(at)}, ptr {position}")
        k.leave(k.value(f"icmp ne i64 {k.value(f'lshr i64 {slot}, 32')}, {wanted}"), head)
        known, older = visited.known(slot)
        total = "0"
        for w in range(k.words):
            difference = k.value(f"xor i64 {k.word(known, w)}, {state[w]}")
            total = k.value(f"or i64 {total}, {difference}")
        k.leave(k.value(f"icmp ne i64 {total}, 0"), head)
        k.leave(older, settled)
        before = visited.load(k.value(f"getelementptr i64, ptr {known}, i64 {k.words}"))
        k.leave(k.value(f"icmp ugt i64 {instance}, {k.value(f'and i64 {before}, {INSTANCE}')}"), settled)
        k.do(f"call void @{_named('prefer', visited.shared)}(ptr %context, ptr {known}, i64 {way})")
        k.go(settled)
    k.do("unreachable")
    k.block(fresh)
    if constrained:
        _check_constraint(k, entry, k.value(f"lshr i64 {way}, {INSTANCE_BITS}"), instance, hash, settled)
    place = table.place(k.value(f"load i64, ptr {position}"))
    _admit(k, visited, state, way, instance, hash, place, head)
    k.do(f"br label %{settled}")
    k.block(settled)


def _look_up_fingerprint(k: KernelText, table: Table, hash: str, position: str, settled: str) -> None:
    """Leave if the filter has the fingerprint of the state, which then counts as known."""
    wanted, absent = k.fingerprint(hash), k.fresh("absent")
    k.do(f"store i64 {table.home(hash)}, ptr {position}")
    with k.loop() as (_, _):
        at = k.value(f"load i64, ptr {position}")
        slot = k.value(f"load i64, ptr {table.place(at)}")
        k.leave(k.value(f"icmp eq i64 {slot}, 0"), absent)
        k.leave(k.value(f"icmp eq i64 {slot}, {wanted}"), settled)
        k.do(f"store i64 {table.following(at)}, ptr {position}")
    k.do("unreachable")
    k.block(absent)


def _check_constraint(k: KernelText, entry: str, parent: str, instance: str, hash: str, settled: str) -> None:
    """A state outside the constraint is judged, but not kept, and the step to it is taken out of the digest."""
    inside = k.value(f"call i64 {k.pointer('within')}(ptr {entry})")
    with k.where(k.value(f"icmp ne i64 {inside}, 1")):
        origin = k.state_hash(k.named(parent))
        low, high = step_lanes(k, origin, instance, hash)
        k.bump("steps_low", k.value(f"sub i64 0, {low}"))
        k.bump("steps_high", k.value(f"sub i64 0, {high}"))
        with k.where(k.value(f"icmp eq i64 {inside}, 2")):
            k.note(str(FAILURE), (str(FAILED_ON_STEP), instance, origin, "0"), parent, instance)
            k.go(settled)
        k.bump("left_constraint", "1")
        _judge(k, entry, hash, (parent, instance, k.value(f"add i64 {instance}, 1"), origin))
        k.go(settled)


def _judge(k: KernelText, state: str, hash: str, about: tuple[str, str, str, str]) -> None:
    """Judge a state that has just been found: its name and instance for a finding, and the rest of the key."""
    shown = k.value(f"call i64 {k.pointer('judge')}(ptr {state}, i64 {k.load('open')})")
    with k.where(k.value(f"icmp ne i64 {shown}, 0")):
        operands = ", ".join(f"i64 {operand}" for operand in (shown, hash, *about))
        k.do(f"call void @note_state(ptr %context, {operands})")


def _admit(
    k: KernelText, visited: Visited, state: list[str], way: str, instance: str, hash: str, place: str, again: str
) -> None:
    """Keep a new state: in a record, and in this slot; if another worker has taken that, look again."""
    count = k.load("count")
    to = k.record(count)
    for w, operand in enumerate(state):
        k.put(to, w, operand)
    k.put(to, k.words, way)
    slot = visited.slot(hash, count)
    if visited.shared:
        tried = k.value(f"cmpxchg ptr {place}, i64 0, i64 {slot} acq_rel monotonic")
        k.leave(k.value(f"icmp eq i1 {k.value(f'extractvalue {{ i64, i1 }} {tried}, 1')}, 0"), again)
        k.bump_at("entered", part_of(k, hash, k.load("workers")))
    else:
        k.do(f"store i64 {slot}, ptr {place}")
    k.store("count", k.value(f"add i64 {count}, 1"))
    k.bump_at("new_states", instance)
    k.bump("digest_low", hash)
    k.bump("digest_high", k.hash(state, 1))
    _judge(k, to, hash, (k.own_name(count), str(signed(NO_INSTANCE)), "0", "0"))


def _prefer(words: int, shared: bool) -> str:
    """`prefer(context, record, way)`: keep the lesser of two ways to a state of the level that is being found."""
    k = KernelText(f"void @{_named('prefer', shared)}(ptr noalias %context, ptr %record, i64 %way) noinline", words)
    place = k.value(f"getelementptr i64, ptr %record, i64 {words}")
    instance = k.value(f"and i64 %way, {INSTANCE}")
    with k.loop() as (_, done):
        before = Visited(k, shared).load(place)
        kept = k.value(f"and i64 {before}, {INSTANCE}")
        k.leave(k.value(f"icmp ugt i64 {instance}, {kept}"), done)
        with k.where(k.value(f"icmp eq i64 {kept}, {instance}")):
            mine = k.state_hash(k.named(k.value(f"lshr i64 %way, {INSTANCE_BITS}")))
            other = k.state_hash(k.named(k.value(f"lshr i64 {before}, {INSTANCE_BITS}")))
            k.leave(k.value(f"icmp uge i64 {mine}, {other}"), done)
        if shared:
            tried = k.value(f"cmpxchg ptr {place}, i64 {before}, i64 %way acq_rel monotonic")
            kept_it = k.value(f"extractvalue {{ i64, i1 }} {tried}, 1")
        else:
            k.do(f"store i64 %way, ptr {place}")
            kept_it = "1"
        with k.where(kept_it):
            k.bump_at("new_states", kept, "-1")
            k.bump_at("new_states", instance)
            k.give_back("ret void")
    k.do("ret void")
    return k.text()


def _note() -> str:
    """`note(findings, slot, key, name, instance)`: keep a finding if its key is less than that of the one there is."""
    words = ", ".join(f"i64 %w{i}" for i in range(1, FINDING_WORDS))
    k = KernelText(f"void @note(ptr %findings, i64 %slot, {words}) noinline", 0)
    at = k.value(f"getelementptr i64, ptr %findings, i64 {k.value(f'mul i64 %slot, {FINDING_WORDS}')}")
    keep, leave = k.fresh("keep"), k.fresh("leave")
    k.leave(k.value(f"icmp eq i64 {k.word(at, 0)}, 0"), keep)
    for i in range(1, 5):
        kept = k.word(at, i)
        k.leave(k.value(f"icmp ult i64 %w{i}, {kept}"), keep)
        k.leave(k.value(f"icmp ugt i64 %w{i}, {kept}"), leave)
    k.go(leave)
    k.do("unreachable")
    k.block(keep)
    k.put(at, 0, "1")
    for i in range(1, FINDING_WORDS):
        k.put(at, i, f"%w{i}")
    k.do(f"br label %{leave}")
    k.block(leave)
    k.do("ret void")
    return k.text()


def _note_step(words: int) -> str:
    """`note_step(context, bits, parent, instance, origin)`: what a step shows, and if a property of it failed."""
    operands = "i64 %shown, i64 %parent, i64 %instance, i64 %origin"
    k = KernelText(f"void @note_step(ptr noalias %context, {operands}) noinline", words)
    with k.bits("%shown") as bit:
        kind = k.value(f"select i1 {k.value(f'icmp eq i64 {bit}, {FAILURE}')}, i64 {FAILED_ON_STEP}, i64 0")
        k.note(bit, (kind, "%instance", "%origin", "0"), "%parent", "%instance")
    k.do("ret void")
    return k.text()


def _note_state(words: int) -> str:
    """`note_state(context, bits, hash, name, instance, key...)`: what a state shows, and if a property of it failed."""
    operands = "i64 %shown, i64 %hash, i64 %name, i64 %instance, i64 %by, i64 %origin"
    k = KernelText(f"void @note_state(ptr noalias %context, {operands}) noinline", words)
    with k.bits("%shown") as bit:
        kind = k.value(f"select i1 {k.value(f'icmp eq i64 {bit}, {FAILURE}')}, i64 {FAILED_ON_STATE}, i64 0")
        k.note(bit, (kind, "%hash", "%by", "%origin"), "%name", "%instance")
    k.do("ret void")
    return k.text()
