"""Several workers together: each takes states of the level a few at a time, whoever found them, and explores them.

The states of a level lie with the workers that found them, in the order in which they did. A worker takes its own first
and then those of the others. So its states are much alike, one after the other, which the processor's caches and its
prediction of branches live on; nobody waits for anybody before the end of a level or of a stretch; nothing is locked:
see `visited`.
"""

from __future__ import annotations

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
    filled, over, passed = k.variable("i64", "0"), k.variable("i1", "0"), k.variable("i64", "0")
    buffer, visited = k.pointer("buffer"), Visited(k, shared=True)
    limit = k.value(f"sub i64 {k.load('buffer_entries')}, {k.load('out_degree')}")
    with k.loop() as (_, done):
        k.leave(k.value(f"load i1, ptr {over}"), done)
        _stop_if_full(k)
        k.do(f"store i64 0, ptr {filled}")
        with k.loop() as (again, full):
            n, at = k.value(f"load i64, ptr {filled}"), k.load("chunk")
            k.leave(k.value(f"icmp ugt i64 {n}, {limit}"), full)
            with k.where(k.value(f"icmp uge i64 {at}, {k.load('chunk_end')}")):
                _take(k, passed, over, again, full)
            worker, made = k.load("chunk_of"), k.variable("i64", "0")
            state, name = k.record_of(worker, at), k.name_of(worker, at)
            with successors(k, state, name, k.entry(buffer, n), made, symmetric) as (_, hash):
                visited.prefetch(hash, compact)
            total = k.value(f"add i64 {n}, {k.value(f'load i64, ptr {made}')}")
            k.do(f"store i64 {total}, ptr {filled}")
            k.store("chunk", k.value(f"add i64 {at}, 1"))
        n = k.value(f"load i64, ptr {filled}")
        k.do(f"call void @settle_together(ptr %context, ptr {buffer}, i64 {n})")
    k.do("ret void")
    return k.text()


def _stop_if_full(k: KernelText) -> None:
    """Stop, and let the others stop, if a batch might not find room among the records or in some part of the table."""
    batch, capacity = k.load("buffer_entries"), k.load("capacity")
    entered_at, limits_at = k.pointer("entered"), k.pointer("limits")
    needed = k.value(f"add i64 {k.load('count')}, {batch}")
    crowded = k.variable("i1", "0")
    k.do(f"store i1 {k.value(f'icmp ugt i64 {needed}, {capacity}')}, ptr {crowded}")
    with k.each("0", k.load("workers")) as part:
        entered = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr {entered_at}, i64 {part}')}")
        limit = k.value(f"load i64, ptr {k.value(f'getelementptr i64, ptr {limits_at}, i64 {part}')}")
        full = k.value(f"icmp ugt i64 {k.value(f'add i64 {entered}, {batch}')}, {limit}")
        before = k.value(f"load i1, ptr {crowded}")
        k.do(f"store i1 {k.value(f'or i1 {before}, {full}')}, ptr {crowded}")
    with k.where(k.value(f"load i1, ptr {crowded}")):
        k.do(f"store atomic i64 1, ptr {k.signal(STOP)} monotonic, align 8")
        k.give_back("ret void")


def _take(k: KernelText, passed: str, over: str, again: str, full: str) -> None:
    """Take a chunk of the level and go on with it; if there is none, or the stretch is done, it is over."""
    ended = k.fresh("ended")
    stop = k.value(f"load atomic i64, ptr {k.signal(STOP)} monotonic, align 8")
    k.leave(k.value(f"icmp ne i64 {stop}, 0"), ended)
    taken = k.value(f"atomicrmw add ptr {k.signal(TAKEN)}, i64 {CHUNK} monotonic")
    k.leave(k.value(f"icmp uge i64 {taken}, {k.load('stretch')}"), ended)
    with k.loop():
        others = k.value(f"load i64, ptr {passed}")
        k.leave(k.value(f"icmp uge i64 {others}, {k.load('workers')}"), ended)
        number = k.value(f"add i64 {k.load('worker')}, {others}")
        around = k.value(f"sub i64 {number}, {k.load('workers')}")
        beyond = k.value(f"icmp uge i64 {number}, {k.load('workers')}")
        worker = k.value(f"select i1 {beyond}, i64 {around}, i64 {number}")
        cursor = k.value(f"getelementptr i64, ptr {k.pointer('cursors')}, i64 {k.value(f'mul i64 {worker}, {STRIDE}')}")
        first = k.value(f"atomicrmw add ptr {cursor}, i64 {CHUNK} monotonic")
        ends = k.value(f"getelementptr i64, ptr {k.pointer('level_ends')}, i64 {worker}")
        end = k.value(f"load i64, ptr {ends}")
        with k.where(k.value(f"icmp ult i64 {first}, {end}")):
            last = k.value(f"call i64 @llvm.umin.i64(i64 {k.value(f'add i64 {first}, {CHUNK}')}, i64 {end})")
            k.store("chunk", first)
            k.store("chunk_end", last)
            k.store("chunk_of", worker)
            k.go(again)
        k.do(f"store i64 {k.value(f'add i64 {others}, 1')}, ptr {passed}")
    k.do("unreachable")
    k.block(ended)
    k.do(f"store i1 1, ptr {over}")
    k.go(full)
