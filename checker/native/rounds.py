"""Several workers together: rounds of expanding one's own states and settling what the others found for one.

Every worker owns the states whose hash falls to it, with their records and their table, and nobody else writes there.
In a round each worker expands states of its own and puts every successor into a queue for its owner; all meet at a
barrier; then each settles the queues that are for it. There are two sets of queues in turn, so one meeting a round is
enough. Nothing is locked: a worker writes its own queues before the meeting and reads those of the others after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .expansion import prefetch_slots, successors
from .kernel_text import AGAIN, DONE, LINE, KernelText
from .tables import owner

ARRIVED, GENERATION, ABANDONED, FLAGS = 0, LINE, 2 * LINE, 3 * LINE
"""Where the signals of a meeting lie, in words, each on a cache line of its own; the flags of each worker follow."""

STOP, FINISHED = 1, 2
"""The flags of a worker in a round: it needs room or has run for long enough; it has no more states to expand."""

SETTLE_AT_ONCE = 128
AHEAD = 16
"""How many entries ahead a queue is fetched: what another worker has written is in that one's cache."""
FORWARD = 12
"""How many entries ahead the place to write is fetched: the other worker, who has read it, has to give it up."""
SPINS = 2000
ABANDON = 2


def explore_together_text(words: int, compact: bool, symmetric: bool) -> str:
    """`explore_together(context)`: what each worker runs, all at the same time, until a level is done or all stop."""
    k = KernelText("i64 @explore_together(ptr noalias %context)", words)
    parity, greatest = k.variable("i64", "0"), k.variable("i64", "0")
    workers, me = k.load("workers"), k.load("worker")
    entries = k.load("queue_entries")
    limit = k.value(f"sub i64 {entries}, {k.load('out_degree')}")
    incoming = k.value(f"mul i64 {entries}, {workers}")
    reserve = k.value(f"shl i64 {incoming}, 1")
    with k.loop() as (_, done):
        side = k.value(f"load i64, ptr {parity}")
        rows = k.value(f"mul i64 {side}, {workers}")
        row = k.value(f"add i64 {rows}, {me}")
        needed = k.value(f"add i64 {k.load('count')}, {reserve}")
        crowded = k.value(f"icmp ugt i64 {needed}, {k.load('room')}")
        own_queues, own_fills = _queue(k, row, "0"), _fill(k, row, "0")
        with _each(k, workers) as to:
            k.do(f"store i64 0, ptr {_fill(k, row, to)}")
        k.do(f"store i64 0, ptr {greatest}")
        with k.loop() as (_, full):
            cursor = k.load("cursor")
            k.leave(k.value(f"icmp uge i64 {cursor}, {k.load('level_end')}"), full)
            k.leave(k.value(f"icmp ugt i64 {k.value(f'load i64, ptr {greatest}')}, {limit}"), full)
            made = k.variable("i64", "0")
            with successors(k, cursor, k.pointer("buffer"), made, symmetric) as (entry, hash):
                _route(k, entry, owner(k, hash, workers), own_queues, own_fills, greatest)
            k.store("cursor", k.value(f"add i64 {cursor}, 1"))
        cursor = k.load("cursor")
        finished = k.value(f"icmp uge i64 {cursor}, {k.load('level_end')}")
        tired = k.value(f"icmp uge i64 {cursor}, {k.load('stop_at')}")
        stop = k.value(f"or i1 {crowded}, {tired}")
        flags = k.value(f"select i1 {stop}, i64 {STOP}, i64 0")
        flags = k.value(f"or i64 {flags}, {k.value(f'select i1 {finished}, i64 {FINISHED}, i64 0')}")
        k.do(f"store i64 {flags}, ptr {_flag(k, row)}")
        k.do("call void @meet(ptr %context)")
        abandoned = k.value(f"load atomic i64, ptr {k.signal(ABANDONED)} acquire, align 8")
        with k.where(k.value(f"icmp ne i64 {abandoned}, 0")):
            k.give_back(f"ret i64 {ABANDON}")
        some, all = k.variable("i64", "0"), k.variable("i64", "0")
        k.do(f"store i64 0, ptr {some}")
        k.do(f"store i64 {STOP | FINISHED}, ptr {all}")
        with _each(k, workers) as other:
            from_row = k.value(f"add i64 {rows}, {other}")
            flag = k.value(f"load i64, ptr {_flag(k, from_row)}")
            for operation, place in (("or", some), ("and", all)):
                so_far = k.value(f"load i64, ptr {place}")
                k.do(f"store i64 {k.value(f'{operation} i64 {flag}, {so_far}')}, ptr {place}")
            filled = k.value(f"load i64, ptr {_fill(k, from_row, me)}")
            _settle_queue(k, _queue(k, from_row, me), filled, compact)
        over = k.value(f"icmp uge i64 {k.value(f'load i64, ptr {all}')}, {FINISHED}")
        k.leave(over, done)
        with k.where(k.value(f"trunc i64 {k.value(f'load i64, ptr {some}')} to i1")):
            k.give_back(f"ret i64 {AGAIN}")
        k.do(f"store i64 {k.value(f'xor i64 {side}, 1')}, ptr {parity}")
    k.do(f"ret i64 {DONE}")
    return k.text() + _meet()


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


def _fill(k: KernelText, row: str, to: str) -> str:
    """The address of the number of entries in a queue."""
    rounded = k.value(f"add i64 {k.load('workers')}, {LINE - 1}")
    stride = k.value(f"and i64 {rounded}, {-LINE}")
    at = k.value(f"add i64 {k.value(f'mul i64 {row}, {stride}')}, {to}")
    return k.value(f"getelementptr i64, ptr {k.pointer('fills')}, i64 {at}")


def _queue(k: KernelText, row: str, to: str) -> str:
    """The address of a queue: `row` is twice the number of workers long, one for each set and producer."""
    first = k.value(f"mul i64 {row}, {k.load('workers')}")
    at = k.value(f"add i64 {first}, {to}")
    return k.queued(k.pointer("queues"), k.value(f"mul i64 {at}, {k.load('queue_entries')}"))


def _flag(k: KernelText, row: str) -> str:
    """The address of a worker's flags in a round."""
    at = k.value(f"add i64 {k.value(f'mul i64 {row}, {LINE}')}, {FLAGS}")
    return k.value(f"getelementptr i64, ptr {k.pointer('signals')}, i64 {at}")


def _route(k: KernelText, entry: str, to: str, queues: str, fills: str, greatest: str) -> None:
    """Append an entry to the queue of its owner, among the queues of this worker."""
    at = k.value(f"getelementptr i64, ptr {fills}, i64 {to}")
    fill = k.value(f"load i64, ptr {at}")
    first = k.value(f"mul i64 {to}, {k.load('queue_entries')}")
    place = k.queued(queues, k.value(f"add i64 {first}, {fill}"))
    k.prefetch(k.queued(place, str(FORWARD)), write=True)
    for w in range(k.words + 2):
        k.put(place, w, k.word(entry, w))
    following = k.value(f"add i64 {fill}, 1")
    k.do(f"store i64 {following}, ptr {at}")
    most = k.value(f"load i64, ptr {greatest}")
    more = k.value(f"icmp ugt i64 {following}, {most}")
    k.do(f"store i64 {k.value(f'select i1 {more}, i64 {following}, i64 {most}')}, ptr {greatest}")


def _settle_queue(k: KernelText, queue: str, filled: str, compact: bool) -> None:
    """Settle the entries of a queue, some at a time; the slots of the next ones are fetched meanwhile."""
    first = k.variable("i64", "0")
    k.do(f"store i64 0, ptr {first}")
    _prefetch_part(k, queue, "0", filled, compact)
    with k.loop() as (_, done):
        start = k.value(f"load i64, ptr {first}")
        k.leave(k.value(f"icmp uge i64 {start}, {filled}"), done)
        following = k.value(f"add i64 {start}, {SETTLE_AT_ONCE}")
        _prefetch_part(k, queue, following, filled, compact)
        end = k.value(f"call i64 @llvm.umin.i64(i64 {following}, i64 {filled})")
        n = k.value(f"sub i64 {end}, {start}")
        k.do(f"call void @settle(ptr %context, ptr {k.queued(queue, start)}, i64 {n}, i64 {k.words + 2})")
        k.do(f"store i64 {following}, ptr {first}")


def _prefetch_part(k: KernelText, queue: str, start: str, filled: str, compact: bool) -> None:
    """Ask for the slots of some entries of a queue, and for the entries after them."""
    index = k.variable("i64", "0")
    k.do(f"store i64 {start}, ptr {index}")
    limit = k.value(f"add i64 {start}, {SETTLE_AT_ONCE}")
    end = k.value(f"call i64 @llvm.umin.i64(i64 {limit}, i64 {filled})")
    with k.loop() as (_, done):
        i = k.value(f"load i64, ptr {index}")
        k.leave(k.value(f"icmp uge i64 {i}, {end}"), done)
        k.do(f"store i64 {k.value(f'add i64 {i}, 1')}, ptr {index}")
        entry = k.queued(queue, i)
        k.prefetch(k.queued(queue, k.value(f"add i64 {i}, {AHEAD}")))
        prefetch_slots(k, k.word(entry, k.words + 1), compact)


def _meet() -> str:
    """`meet(context)`: wait until every worker is here, or somebody has abandoned the search."""
    k = KernelText("void @meet(ptr %context) noinline", 0)
    generation_at, spins = k.signal(GENERATION), k.variable("i64", "0")
    generation = k.value(f"load atomic i64, ptr {generation_at} acquire, align 8")
    before = k.value(f"atomicrmw add ptr {k.signal(ARRIVED)}, i64 1 acq_rel")
    here = k.value(f"add i64 {before}, 1")
    with k.where(k.value(f"icmp eq i64 {here}, {k.load('workers')}")):
        k.do(f"store atomic i64 0, ptr {k.signal(ARRIVED)} monotonic, align 8")
        following = k.value(f"add i64 {generation}, 1")
        k.do(f"store atomic i64 {following}, ptr {generation_at} release, align 8")
        k.give_back("ret void")
    with k.loop() as (_, done):
        now = k.value(f"load atomic i64, ptr {generation_at} acquire, align 8")
        k.leave(k.value(f"icmp ne i64 {now}, {generation}"), done)
        abandoned = k.value(f"load atomic i64, ptr {k.signal(ABANDONED)} acquire, align 8")
        k.leave(k.value(f"icmp ne i64 {abandoned}, 0"), done)
        n = k.value(f"load i64, ptr {spins}")
        k.do(f"store i64 {k.value(f'add i64 {n}, 1')}, ptr {spins}")
        with k.where(k.value(f"icmp ugt i64 {n}, {SPINS}")):
            k.do("call i32 @sched_yield()")
    k.do("ret void")
    return k.text()
