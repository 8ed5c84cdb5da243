"""Expanding states: their successors, hashed and counted, and the search of one worker alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...ir.digest import SECRETS
from ..program.program import INSTANCE_BITS
from .visited import Visited
from .vocabulary import FAILED_STEP, FAILURE, KernelText


def explore_text(words: int, compact: bool, symmetric: bool) -> str:
    """`explore(context)`: alone, expand states from the cursor to the end of the level, the stretch or the room."""
    k = KernelText("void @explore(ptr noalias %context)", words)
    filled = k.variable("i64", "0")
    buffer = k.pointer("buffer")
    with k.loop() as (_, done):
        end = k.value(f"call i64 @llvm.umin.i64(i64 {k.load('level_end')}, i64 {k.load('stop_at')})")
        k.leave(k.value(f"icmp uge i64 {k.load('cursor')}, {end}"), done)
        needed = k.value(f"add i64 {k.load('count')}, {k.load('buffer_entries')}")
        with k.where(k.value(f"icmp ugt i64 {needed}, {k.load('room')}")):
            k.give_back("ret void")
        k.do(f"store i64 0, ptr {filled}")
        limit = k.value(f"sub i64 {k.load('buffer_entries')}, {k.load('out_degree')}")
        with k.loop() as (_, full):
            cursor, n = k.load("cursor"), k.value(f"load i64, ptr {filled}")
            k.leave(k.value(f"icmp uge i64 {cursor}, {end}"), full)
            k.leave(k.value(f"icmp ugt i64 {n}, {limit}"), full)
            made = k.variable("i64", "0")
            state, name = k.record(cursor), k.own_name(cursor)
            with successors(k, state, name, k.entry(buffer, n), made, symmetric) as (_, hash):
                Visited(k, shared=False).prefetch(hash, compact)
            total = k.value(f"add i64 {n}, {k.value(f'load i64, ptr {made}')}")
            k.do(f"store i64 {total}, ptr {filled}")
            k.store("cursor", k.value(f"add i64 {cursor}, 1"))
        n = k.value(f"load i64, ptr {filled}")
        k.do(f"call void @settle(ptr %context, ptr {buffer}, i64 {n})")
    k.do("ret void")
    return k.text()


@contextmanager
def successors(
    k: KernelText, state: str, parent: str, to: str, made: str, symmetric: bool
) -> Iterator[tuple[str, str]]:
    """Write the successors of a record with this name to a buffer; what follows runs for each: its address, its hash.

    Its tag is replaced by how it was reached and the hash added; the step is counted, added to the digest and, if it
    shows something, noted. `made` is a variable for the number of successors. A step whose action cannot be evaluated
    is noted, and is no successor. With `symmetric` a successor is replaced by its representative, after its step has
    been judged.
    """
    found = k.value(f"call i64 {k.pointer('step')}(ptr {state}, ptr {to}, i64 {k.load('open')})")
    k.do(f"store i64 {found}, ptr {made}")
    with k.where(k.value(f"icmp eq i64 {found}, 0")):
        k.bump("dead_ends", "1")
    origin = k.state_hash(state)
    index = k.variable("i64", "0")
    k.do(f"store i64 0, ptr {index}")
    with k.loop() as (again, done):
        i, n = k.value(f"load i64, ptr {index}"), k.value(f"load i64, ptr {made}")
        k.leave(k.value(f"icmp uge i64 {i}, {n}"), done)
        entry = k.entry(to, i)
        tag = k.word(entry, k.words)
        instance = k.value(f"and i64 {tag}, {(1 << INSTANCE_BITS) - 1}")
        with k.where(k.value(f"icmp ugt i64 {tag}, {(1 << INSTANCE_BITS) - 1}")):
            _note_flags(k, to, entry, n, made, (tag, instance, parent, origin), again)
        if symmetric:
            k.do(f"call void {k.pointer('canonical')}(ptr {entry})")
        hash = k.state_hash(entry)
        k.put(entry, k.words, k.way(parent, instance))
        k.put(entry, k.words + 1, hash)
        k.bump_at("steps", instance)
        low, high = step_lanes(k, origin, instance, hash)
        k.bump("steps_low", low)
        k.bump("steps_high", high)
        yield entry, hash
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")


def _note_flags(
    k: KernelText, to: str, entry: str, n: str, made: str, step: tuple[str, str, str, str], again: str
) -> None:
    """Note what a step shows; if its action could not be evaluated, put the last entry in its place and go on there."""
    tag, instance, parent, origin = step
    with k.where(k.value(f"icmp slt i64 {tag}, 0")):
        k.note(str(FAILURE), (str(FAILED_STEP), instance, origin, "0"), parent, instance)
        last = k.value(f"sub i64 {n}, 1")
        k.do(f"store i64 {last}, ptr {made}")
        size = 8 * (k.words + 1)
        k.do(f"call void @llvm.memmove.p0.p0.i64(ptr {entry}, ptr {k.entry(to, last)}, i64 {size}, i1 0)")
        k.go(again)
    bits = k.value(f"lshr i64 {tag}, {INSTANCE_BITS}")
    k.do(f"call void @note_step(ptr %context, i64 {bits}, i64 {parent}, i64 {instance}, i64 {origin})")


def step_lanes(k: KernelText, origin: str, instance: str, hash: str) -> tuple[str, str]:
    """The two lanes of a step's hash, as `checker.ir.digest.step_hash` defines them."""
    at = k.value(f"getelementptr i64, ptr {k.pointer('constants')}, i64 {instance}")
    constant = k.value(f"load i64, ptr {at}")
    low = k.fold(k.value(f"xor i64 {origin}, {constant}"), k.xor(hash, SECRETS[2]))
    return low, k.fold(k.value(f"add i64 {origin}, {constant}"), k.xor(hash, SECRETS[5]))
