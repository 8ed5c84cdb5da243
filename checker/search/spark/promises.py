"""Promises after a search on Spark: the driver takes the states from the log and judges them as after any search.

What must happen in the end is asked of whole runs, and so of all states at once. So they must fit into the memory of
the driver with the steps between them; where they do not, the result says how much would do. The states are read level
by level, so that the shortest runs are the same ones, and the run to each is told by the log.
"""

from __future__ import annotations

import bisect
import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from epochal.checker.native.engine import NativeModel, load_kernel
from epochal.checker.search.budget import Budget
from epochal.checker.search.findings import Run
from epochal.checker.search.native_search import available_workers
from epochal.checker.search.promises import asked_for, judged_natively, why_not
from epochal.checker.search.result import CheckResult, Options, Progress

from ...host.numbers import sized
from ...liveness.result import Liveness
from ...native.kernel.kernel import Shape
from ...native.kernel.vocabulary import INITIAL, LOCAL_BITS
from ...native.program.program import INSTANCE_BITS
from ...native.runtime.memory import Region
from ...native.runtime.redistribute import Segment, redistribute
from ...native.runtime.worker_pool import Totals, WorkerPool
from ...native.tuning import TUNING
from .log import Level, read_log
from .manifest import Manifest
from .storage import Storage
from .walk import Walker

TABLE_BYTES = 16
"""At most so many bytes of the table for each state."""

FIRST = INITIAL << INSTANCE_BITS
"""Says of a record that its state is an initial one; of any other it is enough that it is none."""


@dataclass(frozen=True)
class LoggedSearch:
    """The states of a log in the memory of the driver, as a native search has them."""

    options: Options
    native: NativeModel
    pool: WorkerPool
    walker: Walker

    def run_to(self, name: int, /) -> Run:
        """The run to a state, as the log tells it."""
        worker, local = name >> LOCAL_BITS, name & (1 << LOCAL_BITS) - 1
        level = bisect.bisect_right([ends[worker] for ends in self.pool.ends], local)
        return self.walker.run(level, tuple(self.pool.state(name)))

    def snapshot(self, budget: Budget, /) -> Progress:
        """How far it is."""
        return budget.snapshot(self.pool.count, self.pool.transitions, len(self.pool.ends), 0)


def judged_from_log(
    result: CheckResult, options: Options, walker: Walker, storage: Storage, manifest: Manifest, budget: Budget
) -> CheckResult:
    """The result with what machine code on the driver says of the promises, if they can be judged.

    Raises LogDamaged or OSError if the log cannot be read.
    """
    asked = asked_for(result.protocol, options)
    if not (asked or options.deadlock) or why_not(result, options):
        return result
    words = walker.model.layout.words
    wanted = budget.in_use() + manifest.states * (TABLE_BYTES + (0 if options.spill else 8 * words + 8))
    if stopped := budget.refuses(wanted):
        reason = f"memory: the driver would need {sized(wanted)} for the states, or files (spill), and {stopped}"
        return replace(result, liveness=Liveness.not_judged(asked, reason))
    native = NativeModel(walker.model)
    kernel = load_kernel(native.compiler, Shape(words, bool(result.protocol.members("constraint"))))
    nothing = (0,) * (len(walker.model.instances) + 1)
    steps = (*manifest.totals.steps, *nothing)[: len(nothing)]
    size = (options.workers or available_workers()) if manifest.states >= TUNING.share_from else 1
    pool = WorkerPool(native, kernel, size, Totals(steps, nothing), spill=options.spill)
    try:
        with ExitStack() as kept:
            redistribute(kernel, _levels(storage, manifest.levels, words, kept), pool, tables=True)
        return judged_natively(LoggedSearch(options, native, pool, walker), result, budget)
    finally:
        pool.close()


def _levels(storage: Storage, levels: Sequence[Level], words: int, kept: ExitStack) -> Iterator[Sequence[Segment]]:
    """The states of each level as records; those of a level are freed when the next but one is asked for."""
    close: list[Callable[[], None]] = []
    for number, level in enumerate(levels):
        if not level.count:
            continue
        region = Region(level.count * (8 * words + 8))
        kept.callback(region.close)
        done = 0
        for file in level.written:
            logged = read_log(storage, file)
            _put(region.address, done, words, logged.address, logged.count, 0 if number else FIRST)
            done += logged.count
        if len(close) > 1:
            close.pop(0)()
        close.append(region.close)
        yield [Segment(region.address, 0, level.count)]


def _put(records: int, first: int, words: int, states: int, count: int, predecessor: int) -> None:
    """Write states that lie one after another as records from a place on."""
    size = words + 1
    to = memoryview((ctypes.c_uint64 * (count * size)).from_address(records + 8 * size * first)).cast("B").cast("Q")
    source = memoryview((ctypes.c_uint64 * (count * words)).from_address(states)).cast("B").cast("Q")
    for word in range(words):
        to[word::size] = source[word::words]
    to[words::size] = memoryview((ctypes.c_uint64 * count)(*[predecessor] * count)).cast("B").cast("Q")
