"""The search kernel: breadth-first expansion over packed states, as LLVM text for a given number of words a state.

States are kept whole (no two are ever confused) in an array in the order of their discovery, each with the index of its
parent and of the instance that led to it. The visited table is open addressing over 8-byte slots: the top half of the
state's hash and, in the lower half, its index plus one. A slot's position is the top of the hash scaled to the table's
size, so the table can have any size and grows by one sequential sweep.

Within a state the steps are taken in the order of the instances, whatever order the code finds them in: the order of
discovery, and with it the counterexample, depends on the specification alone.

A batch of states is expanded into a buffer and the table's slots are prefetched; then, slot by slot, the states they
point to; only then are the successors looked up. Memory is what the search waits for, and this hides most of it.
"""

from __future__ import annotations

from checker.search.digest import SECRETS

from .expressions import signed
from .kernel_text import DONE, GROW, NO_PARENT, STOPPED, KernelText
from .program import FAILED, INSTANCE_BITS


def kernel_text(words: int, constrained: bool) -> str:
    """The LLVM module of the kernel for states of this many words; `constrained` if there is a state constraint."""
    return "\n".join(
        [
            "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
            "declare i64 @llvm.umin.i64(i64, i64)",
            _settle(words, constrained),
            _explore(words),
            _hash(words),
            _rehash(),
        ]
    )


def _explore(words: int) -> str:
    """`explore(context)`: expand states from the cursor up to the end of the level or `stop_at`."""
    k = KernelText("i64 @explore(ptr noalias %context)", words)
    filled = k.variable("i64", "0")
    with k.loop() as (_, done):
        level_end, stop_at = k.load("level_end"), k.load("stop_at")
        end = k.value(f"call i64 @llvm.umin.i64(i64 {level_end}, i64 {stop_at})")
        k.leave(k.value(f"icmp uge i64 {k.load('cursor')}, {end}"), done)
        needed = k.value(f"add i64 {k.load('count')}, {k.load('buffer_entries')}")
        with k.where(k.value(f"icmp ugt i64 {needed}, {k.load('room')}")):
            k.give_back(f"ret i64 {GROW}")
        k.do(f"store i64 0, ptr {filled}")
        limit = k.value(f"sub i64 {k.load('buffer_entries')}, {k.load('out_degree')}")
        with k.loop() as (_, full):
            cursor, n = k.load("cursor"), k.value(f"load i64, ptr {filled}")
            k.leave(k.value(f"icmp uge i64 {cursor}, {end}"), full)
            k.leave(k.value(f"icmp ugt i64 {n}, {limit}"), full)
            total = _expand(k, cursor, n)
            k.do(f"store i64 {total}, ptr {filled}")
            k.store("cursor", k.value(f"add i64 {cursor}, 1"))
        result = k.value(f"call i64 @settle(ptr %context, i64 {k.value(f'load i64, ptr {filled}')})")
        with k.where(k.value(f"icmp ne i64 {result}, {DONE}")):
            k.give_back(f"ret i64 {result}")
    k.do(f"ret i64 {DONE}")
    return k.text()


def _expand(k: KernelText, cursor: str, filled: str) -> str:
    """Write the successors of a state to the buffer, hash them and ask for their slots; the new filling."""
    state = k.state(cursor)
    made = k.value(f"call i64 {k.pointer('step')}(ptr {state}, ptr {k.entry(filled)}, i64 {k.load('open')})")
    with k.where(k.value(f"icmp eq i64 {made}, 0")):
        k.bump("dead_ends", "1")
    origin = k.hash([k.word(state, w) for w in range(k.words)], 0)
    end = k.value(f"add i64 {filled}, {made}")
    index = k.variable("i64", filled)
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, {end}"), done)
        entry = k.entry(i)
        hash = k.hash([k.word(entry, w) for w in range(k.words)], 0)
        k.do(f"store i64 {cursor}, ptr {k.value(f'getelementptr i64, ptr {entry}, i64 {k.words + 1}')}")
        k.do(f"store i64 {hash}, ptr {k.value(f'getelementptr i64, ptr {entry}, i64 {k.words + 2}')}")
        k.prefetch(k.table_slot(k.home(hash)))
        instance = k.value(f"and i64 {k.word(entry, k.words)}, {(1 << INSTANCE_BITS) - 1}")
        k.bump_at("steps", instance)
        low, high = _step_lanes(k, origin, instance, hash)
        k.bump("steps_low", low)
        k.bump("steps_high", high)
        _insert_in_order(k, filled, i, instance)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
    return end


def _insert_in_order(k: KernelText, first: str, entry: str, instance: str) -> None:
    """Put an entry in its place among those of its state, which count in the order of the instances."""
    key = k.value(f"or i64 {k.value(f'shl i64 {instance}, 32')}, {entry}")
    order, place = k.pointer("order"), k.variable("i64", entry)
    with k.loop() as (_, found):
        at = k.value(f"load i64, ptr {place}")
        k.leave(k.value(f"icmp eq i64 {at}, {first}"), found)
        before = k.value(f"sub i64 {at}, 1")
        other = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr {order}, i64 {before}')}")
        k.leave(k.value(f"icmp ult i64 {other}, {key}"), found)
        k.do(f"store i64 {other}, ptr {k.value(f'getelementptr i64, ptr {order}, i64 {at}')}")
        k.do(f"store i64 {before}, ptr {place}")
    at = k.value(f"load i64, ptr {place}")
    k.do(f"store i64 {key}, ptr {k.value(f'getelementptr i64, ptr {order}, i64 {at}')}")


def _step_lanes(k: KernelText, origin: str, instance: str, hash: str) -> tuple[str, str]:
    """The two lanes of a step's hash, as `checker.search.digest.step_hash` defines them."""
    at = k.value(f"getelementptr i64, ptr {k.pointer('constants')}, i64 {instance}")
    constant = k.value(f"load i64, ptr {at}")
    low = k.fold(k.value(f"xor i64 {origin}, {constant}"), k.xor(hash, SECRETS[2]))
    return low, k.fold(k.value(f"add i64 {origin}, {constant}"), k.xor(hash, SECRETS[5]))


def _settle(words: int, constrained: bool) -> str:
    """`settle(context, n)`: look up the first n entries of the buffer, keep the new states, judge them."""
    k = KernelText("i64 @settle(ptr noalias %context, i64 %n)", words)
    _fetch_states(k)
    index, position = k.variable("i64", "0"), k.variable("i64", "0")
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        order_at = k.value(f"getelementptr i64, ptr {k.pointer('order')}, i64 {i}")
        key = k.value(f"load i64, ptr {order_at}")
        _settle_entry(k, k.entry(k.value(f"and i64 {key}, {NO_PARENT}")), position, constrained)
    k.do(f"ret i64 {DONE}")
    return k.text()


def _fetch_states(k: KernelText) -> None:
    """Read the home slot of every entry; where its hash agrees, prefetch the state it points to."""
    index = k.variable("i64", "0")
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        hash = k.word(k.entry(i), k.words + 2)
        slot = k.value(f"load i64, ptr {k.table_slot(k.home(hash))}")
        differs = k.value(f"icmp ugt i64 {k.value(f'xor i64 {slot}, {hash}')}, {NO_PARENT}")
        known = k.state(k.value(f"sub i64 {k.value(f'and i64 {slot}, {NO_PARENT}')}, 1"))
        k.prefetch(k.value(f"select i1 {differs}, ptr %context, ptr {known}"))


def _settle_entry(k: KernelText, entry: str, position: str, constrained: bool) -> None:
    state = [k.word(entry, w) for w in range(k.words)]
    tag, parent, hash = (k.word(entry, k.words + extra) for extra in range(3))
    instance = k.value(f"and i64 {tag}, {(1 << INSTANCE_BITS) - 1}")
    with k.where(k.value(f"icmp ugt i64 {tag}, {(1 << INSTANCE_BITS) - 1}")):
        _settle_flags(k, k.value(f"lshr i64 {tag}, {INSTANCE_BITS}"), parent, instance)
    settled, fresh = k.fresh("settled"), k.fresh("new")
    slots, wanted = k.load("slots"), k.value(f"lshr i64 {hash}, 32")
    k.do(f"store i64 {k.home(hash)}, ptr {position}")
    with k.loop() as (head, _):
        at = k.value(f"load i64, ptr {position}")
        slot = k.value(f"load i64, ptr {k.table_slot(at)}")
        k.leave(k.value(f"icmp eq i64 {slot}, 0"), fresh)
        k.do(f"store i64 {k.step_to(at, slots)}, ptr {position}")
        k.leave(k.value(f"icmp ne i64 {k.value(f'lshr i64 {slot}, 32')}, {wanted}"), head)
        known = k.state(k.value(f"sub i64 {k.value(f'and i64 {slot}, {NO_PARENT}')}, 1"))
        total = "0"
        for w in range(k.words):
            difference = k.value(f"xor i64 {k.word(known, w)}, {state[w]}")
            total = k.value(f"or i64 {total}, {difference}")
        k.leave(k.value(f"icmp eq i64 {total}, 0"), settled)
    k.do("unreachable")
    k.block(fresh)
    if constrained:
        _check_constraint(k, entry, parent, instance, hash, settled)
    _admit(k, state, parent, instance, hash, position)
    k.do(f"br label %{settled}")
    k.block(settled)


def _settle_flags(k: KernelText, flags: str, parent: str, instance: str) -> None:
    """Note what a step violates or shows, and stop if it, or a property of it, could not be evaluated."""
    shown = k.value(f"and i64 {flags}, {k.load('open')}")
    with k.where(k.value(f"icmp ne i64 {shown}, 0")):
        k.report(shown, parent, instance, "0")
    _stop_if_failed(k, flags, parent, instance)


def _stop_if_failed(k: KernelText, flags: str, index: str, instance: str) -> None:
    with k.where(k.value(f"icmp ne i64 {k.value(f'and i64 {flags}, {1 << FAILED}')}, 0")):
        k.report("0", index, instance, "1")
        k.give_back(f"ret i64 {STOPPED}")


def _check_constraint(k: KernelText, entry: str, parent: str, instance: str, hash: str, settled: str) -> None:
    """A state outside the constraint is judged, but not kept, and the step to it is taken out of the digest."""
    inside = k.value(f"call i64 {k.pointer('within')}(ptr {entry})")
    with k.where(k.value(f"icmp ne i64 {inside}, 1")):
        with k.where(k.value(f"icmp eq i64 {inside}, 2")):
            k.report("0", parent, instance, "1")
            k.give_back(f"ret i64 {STOPPED}")
        k.bump("left_constraint", "1")
        before = k.state(parent)
        origin = k.hash([k.word(before, w) for w in range(k.words)], 0)
        low, high = _step_lanes(k, origin, instance, hash)
        k.bump("steps_low", k.value(f"sub i64 0, {low}"))
        k.bump("steps_high", k.value(f"sub i64 0, {high}"))
        _judge(k, entry, parent, instance)
        k.go(settled)


def _judge(k: KernelText, state: str, index: str, instance: str) -> None:
    """Judge a state that has just been found."""
    shown = k.value(f"call i64 {k.pointer('judge')}(ptr {state}, i64 {k.load('open')})")
    with k.where(k.value(f"icmp ne i64 {shown}, 0")):
        bits = k.value(f"and i64 {shown}, {(1 << FAILED) - 1}")
        with k.where(k.value(f"icmp ne i64 {bits}, 0")):
            k.report(bits, index, instance, "0")
        _stop_if_failed(k, shown, index, instance)


def _admit(k: KernelText, state: list[str], parent: str, instance: str, hash: str, position: str) -> None:
    """Keep a new state."""
    count = k.load("count")
    to = k.state(count)
    for w, operand in enumerate(state):
        k.do(f"store i64 {operand}, ptr {k.value(f'getelementptr i64, ptr {to}, i64 {w}')}")
    parent_at = k.value(f"getelementptr i32, ptr {k.pointer('parents')}, i64 {count}")
    k.do(f"store i32 {k.value(f'trunc i64 {parent} to i32')}, ptr {parent_at}")
    action_at = k.value(f"getelementptr i16, ptr {k.pointer('actions')}, i64 {count}")
    k.do(f"store i16 {k.value(f'trunc i64 {instance} to i16')}, ptr {action_at}")
    following = k.value(f"add i64 {count}, 1")
    k.store("count", following)
    top = k.value(f"and i64 {hash}, {signed(0xFFFFFFFF00000000)}")
    slot_at = k.table_slot(k.value(f"load i64, ptr {position}"))
    k.do(f"store i64 {k.value(f'or i64 {top}, {following}')}, ptr {slot_at}")
    k.bump_at("new_states", instance)
    k.bump("digest_low", hash)
    k.bump("digest_high", k.hash(state, 1))
    _judge(k, to, count, "-1")


def _hash(words: int) -> str:
    """`hash(state)`: the lane-0 hash of a state, for entries that the caller makes."""
    k = KernelText("i64 @hash(ptr %state)", words)
    k.do(f"ret i64 {k.hash([k.word('%state', w) for w in range(words)], 0)}")
    return k.text()


def _rehash() -> str:
    """`rehash(old, n, new, slots)`: move n slots of an old table, in order, into a new one that has room."""
    k = KernelText("void @rehash(ptr noalias %old, i64 %n, ptr noalias %new, i64 %slots)", 0)
    index, position = k.variable("i64", "0"), k.variable("i64", "0")
    with k.loop() as (next_one, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, %n"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        slot = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr %old, i64 {i}')}")
        k.leave(k.value(f"icmp eq i64 {slot}, 0"), next_one)
        top = k.value(f"lshr i64 {slot}, 32")
        home = k.value(f"lshr i64 {k.value(f'mul i64 {top}, %slots')}, 32")
        k.do(f"store i64 {home}, ptr {position}")
        with k.loop() as (_, free):
            at = k.value(f"load i64, ptr {position}")
            place = k.value(f"getelementptr i64, ptr %new, i64 {at}")
            k.leave(k.value(f"icmp eq i64 {k.value(f'load i64, ptr {place}')}, 0"), free)
            k.do(f"store i64 {k.step_to(at, '%slots')}, ptr {position}")
        at = k.value(f"load i64, ptr {position}")
        k.do(f"store i64 {slot}, ptr {k.value(f'getelementptr i64, ptr %new, i64 {at}')}")
    k.do("ret void")
    return k.text()
