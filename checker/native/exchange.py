"""Several workers together: each expands its own states, and settles what all of them have found for it.

Every worker owns the states whose hash falls to it, with their records and their table, and nobody else writes there.
For each pair of workers there is a ring of entries from the one to the other (and one from a worker to itself). Only
the producer moves its tail and only the consumer its head, so nothing is locked, and nobody waits for anybody except
where a ring is full or the level ends. Positions count on for ever; the ring's size is a power of two.

A worker expands only if all its rings have room for whatever one state leads to, and says so before it expands for the
last time in a call. So when one of them needs room and stops settling, no more can come than its rings hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .expansion import prefetch_slots, successors
from .kernel_text import DONE, LINE, KernelText
from .tables import owner

STOP, IDLE, ABANDONED, SIGNALS = 0, LINE, 2 * LINE, 3 * LINE
"""Where the signals to all workers lie, in words, each on a cache line of its own: somebody needs room or has run for
long enough; how many workers expand no more in this call; somebody has failed."""

BATCH = 256
"""About how many successors are made before what came in is settled."""

SETTLE_AT_ONCE = 256
AHEAD = 16
"""How many entries ahead a ring is fetched: what another worker has written is in that one's cache. What it has not
made known yet is left there, since it is writing to those lines."""

ABANDON = 2


def exchange_texts(words: int, compact: bool, symmetric: bool) -> list[str]:
    """`explore_together(context)`, and what it calls."""
    return [_explore_together(words, symmetric, compact), _settle_incoming(words, compact), _pause()]


def _explore_together(words: int, symmetric: bool, compact: bool) -> str:
    """What each worker runs, all at the same time, until a level is done or all stop; the rings are empty then."""
    k = KernelText("i64 @explore_together(ptr noalias %context)", words)
    workers, me, capacity = k.load("workers"), k.load("worker"), k.load("ring_entries")
    reserve = k.value(f"shl i64 {k.value(f'mul i64 {capacity}, {workers}')}, 1")
    slack, made_so_far, made = (k.variable("i64", "0") for _ in range(3))
    with k.loop() as (again, done):
        _publish(k, workers, me)
        _leave_if_abandoned(k)
        cursor = k.load("cursor")
        crowded = _crowded(k, reserve)
        tired = k.value(f"icmp uge i64 {cursor}, {k.load('stop_at')}")
        with k.where(k.value(f"or i1 {crowded}, {tired}")):
            k.do(f"store atomic i64 1, ptr {k.signal(STOP)} monotonic, align 8")
        stopped = k.value(f"load atomic i64, ptr {k.signal(STOP)} monotonic, align 8")
        k.leave(k.value(f"icmp ne i64 {stopped}, 0"), done)
        k.leave(k.value(f"icmp uge i64 {cursor}, {k.load('level_end')}"), done)
        settled = k.value("call i64 @settle_incoming(ptr %context)")
        _find_slack(k, workers, me, capacity, slack)
        spare = k.value(f"load i64, ptr {slack}")
        limit = k.value(f"sub i64 {spare}, {k.load('out_degree')}")
        with k.where(k.value(f"icmp slt i64 {limit}, 0")):
            k.do(f"call void @pause(i64 {settled})")
            k.go(again)
        limit = k.value(f"call i64 @llvm.umin.i64(i64 {limit}, i64 {BATCH})")
        k.do(f"store i64 0, ptr {made_so_far}")
        with k.loop() as (_, full):
            cursor, so_far = k.load("cursor"), k.value(f"load i64, ptr {made_so_far}")
            k.leave(k.value(f"icmp uge i64 {cursor}, {k.load('level_end')}"), full)
            k.leave(k.value(f"icmp ugt i64 {so_far}, {limit}"), full)
            with successors(k, cursor, k.pointer("buffer"), made, symmetric) as (entry, hash):
                _route(k, entry, hash, me, compact)
            total = k.value(f"add i64 {so_far}, {k.value(f'load i64, ptr {made}')}")
            k.do(f"store i64 {total}, ptr {made_so_far}")
            k.store("cursor", k.value(f"add i64 {cursor}, 1"))
    k.do(f"atomicrmw add ptr {k.signal(IDLE)}, i64 1 release")
    with k.loop() as (again, over):
        _leave_if_abandoned(k)
        idle = k.value(f"load atomic i64, ptr {k.signal(IDLE)} acquire, align 8")
        last = k.value(f"icmp uge i64 {idle}, {workers}")
        crowded = _crowded(k, reserve)
        with k.where(crowded):
            k.do(f"store atomic i64 1, ptr {k.signal(STOP)} monotonic, align 8")
        with k.where(k.value(f"and i1 {crowded}, {k.value(f'xor i1 {last}, 1')}")):
            k.do("call void @pause(i64 0)")
            k.go(again)
        settled = k.value("call i64 @settle_incoming(ptr %context)")
        k.leave(k.value(f"and i1 {last}, {k.value(f'icmp eq i64 {settled}, 0')}"), over)
        k.do(f"call void @pause(i64 {settled})")
    k.do(f"ret i64 {DONE}")
    return k.text()


def _leave_if_abandoned(k: KernelText) -> None:
    abandoned = k.value(f"load atomic i64, ptr {k.signal(ABANDONED)} acquire, align 8")
    with k.where(k.value(f"icmp ne i64 {abandoned}, 0")):
        k.give_back(f"ret i64 {ABANDON}")


def _crowded(k: KernelText, reserve: str) -> str:
    """Whether there may be no room for twice what the rings hold: what is in them, and what comes meanwhile."""
    needed = k.value(f"add i64 {k.load('count')}, {reserve}")
    return k.value(f"icmp ugt i64 {needed}, {k.load('room')}")


@contextmanager
def _each(k: KernelText, n: str) -> Iterator[str]:
    """What follows runs for every number below n."""
    index = k.variable("i64", "0")
    k.do(f"store i64 0, ptr {index}")
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, {n}"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        yield i


# -- rings ------------------------------------------------------------------------------------------------------------


def _ring(k: KernelText, producer: str, consumer: str) -> str:
    """The number of the ring from one worker to another."""
    workers = k.load("workers")
    return k.value(f"add i64 {k.value(f'mul i64 {producer}, {workers}')}, {consumer}")


def _end(k: KernelText, which: str, ring: str) -> str:
    """The address of the tail or head of a ring, each on a cache line of its own."""
    return k.value(f"getelementptr i64, ptr {k.pointer(which)}, i64 {k.value(f'mul i64 {ring}, {LINE}')}")


def _place(k: KernelText, ring: str, position: str) -> str:
    """The address of an entry of a ring."""
    capacity = k.load("ring_entries")
    within = k.value(f"and i64 {position}, {k.value(f'sub i64 {capacity}, 1')}")
    at = k.value(f"add i64 {k.value(f'mul i64 {ring}, {capacity}')}, {within}")
    return k.queued(k.pointer("rings"), at)


def _written(k: KernelText, to: str) -> str:
    """The address of the tail of a ring as its producer knows it, who makes it known to the consumer later."""
    return k.value(f"getelementptr i64, ptr {k.pointer('written')}, i64 {to}")


def _route(k: KernelText, entry: str, hash: str, me: str, compact: bool) -> None:
    """Append an entry to the ring to its owner; if that is this worker itself, ask for its slot."""
    to = owner(k, hash, k.load("workers"))
    at = _written(k, to)
    tail = k.value(f"load i64, ptr {at}")
    place = _place(k, _ring(k, me, to), tail)
    for w in range(k.words + 2):
        k.put(place, w, k.word(entry, w))
    k.do(f"store i64 {k.value(f'add i64 {tail}, 1')}, ptr {at}")
    prefetch_slots(k, hash, compact, k.value(f"icmp eq i64 {to}, {me}"))


def _publish(k: KernelText, workers: str, me: str) -> None:
    """Let the consumers see what has been written for them."""
    with _each(k, workers) as to:
        tail = k.value(f"load i64, ptr {_written(k, to)}")
        k.do(f"store atomic i64 {tail}, ptr {_end(k, 'tails', _ring(k, me, to))} release, align 8")


def _find_slack(k: KernelText, workers: str, me: str, capacity: str, slack: str) -> None:
    """How many entries the fullest of this worker's rings has room for."""
    k.do(f"store i64 {capacity}, ptr {slack}")
    with _each(k, workers) as to:
        head = k.value(f"load atomic i64, ptr {_end(k, 'heads', _ring(k, me, to))} acquire, align 8")
        used = k.value(f"sub i64 {k.value(f'load i64, ptr {_written(k, to)}')}, {head}")
        free = k.value(f"sub i64 {capacity}, {used}")
        least = k.value(f"load i64, ptr {slack}")
        k.do(f"store i64 {k.value(f'call i64 @llvm.umin.i64(i64 {free}, i64 {least})')}, ptr {slack}")


def _settle_incoming(words: int, compact: bool) -> str:
    """`settle_incoming(context)`: settle what has come in, from each worker so many at most; how many there were.

    What a worker found itself was asked for when it was found; the slots of the rest are fetched meanwhile.
    """
    k = KernelText("i64 @settle_incoming(ptr noalias %context) noinline", words)
    workers, me, total = k.load("workers"), k.load("worker"), k.variable("i64", "0")
    with _each(k, workers) as producer:
        ring = _ring(k, producer, me)
        head = k.value(f"load i64, ptr {_end(k, 'heads', ring)}")
        tail = k.value(f"load atomic i64, ptr {_end(k, 'tails', ring)} acquire, align 8")
        waiting = k.value(f"sub i64 {tail}, {head}")
        own = k.value(f"icmp eq i64 {producer}, {me}")
        some = k.value(f"call i64 @llvm.umin.i64(i64 {waiting}, i64 {SETTLE_AT_ONCE})")
        n = k.value(f"select i1 {own}, i64 {waiting}, i64 {some}")
        k.do(f"store i64 {n}, ptr {_seen(k, producer)}")
        before = k.value(f"load i64, ptr {total}")
        k.do(f"store i64 {k.value(f'add i64 {before}, {n}')}, ptr {total}")
        last = k.value(f"sub i64 {n}, 1")
        with _each(k, k.value(f"select i1 {own}, i64 0, i64 {n}")) as i:
            entry = _place(k, ring, k.value(f"add i64 {head}, {i}"))
            ahead = k.value(f"call i64 @llvm.umin.i64(i64 {k.value(f'add i64 {i}, {AHEAD}')}, i64 {last})")
            k.prefetch(_place(k, ring, k.value(f"add i64 {head}, {ahead}")))
            prefetch_slots(k, k.word(entry, words + 1), compact)
    _settle_ring(k, me, me)
    with _each(k, workers) as producer, k.where(k.value(f"icmp ne i64 {producer}, {me}")):
        _settle_ring(k, producer, me)
    k.do(f"ret i64 {k.value(f'load i64, ptr {total}')}")
    return k.text()


def _seen(k: KernelText, producer: str) -> str:
    """The address of the number of entries of a ring that are being settled."""
    return k.value(f"getelementptr i64, ptr {k.pointer('seen')}, i64 {producer}")


def _settle_ring(k: KernelText, producer: str, me: str) -> None:
    """Settle the entries of a ring that have been seen: those up to the end of its memory, and those after it."""
    ring, n = _ring(k, producer, me), k.value(f"load i64, ptr {_seen(k, producer)}")
    head_at = _end(k, "heads", ring)
    head, capacity = k.value(f"load i64, ptr {head_at}"), k.load("ring_entries")
    within = k.value(f"and i64 {head}, {k.value(f'sub i64 {capacity}, 1')}")
    to_end = k.value(f"sub i64 {capacity}, {within}")
    first = k.value(f"call i64 @llvm.umin.i64(i64 {n}, i64 {to_end})")
    k.do(f"call void @settle(ptr %context, ptr {_place(k, ring, head)}, i64 {first}, i64 {k.words + 2})")
    rest = k.value(f"sub i64 {n}, {first}")
    start = _place(k, ring, k.value(f"add i64 {head}, {first}"))
    k.do(f"call void @settle(ptr %context, ptr {start}, i64 {rest}, i64 {k.words + 2})")
    k.do(f"store atomic i64 {k.value(f'add i64 {head}, {n}')}, ptr {head_at} release, align 8")


def _pause() -> str:
    """`pause(settled)`: wait for a moment, unless something has been settled meanwhile."""
    k = KernelText("void @pause(i64 %settled) noinline", 0)
    with k.where(k.value("icmp eq i64 %settled, 0")):
        k.do("call i32 @sched_yield()")
    k.do("ret void")
    return k.text()
