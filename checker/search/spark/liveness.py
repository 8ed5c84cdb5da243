"""Liveness properties after a search on Spark: by the driver, which takes the states from the log, or by the executors.

What must happen in the end is asked of whole runs, and so of all states and the steps between them. Where they fit into
the memory of the driver, it checks them as after any search: it reads the states level by level, so that the shortest
runs are the same ones. Where they do not, executors check them part by part (`parts`), with the same answer.
"""

from __future__ import annotations

import bisect
import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir.model import CompiledLiveness
from ...liveness.edges import COMPONENT_BYTES, EDGE_BYTES, MARK_BYTES, STATE_BYTES
from ...liveness.native import Question
from ...liveness.result import Liveness
from ...native.engine import NativeModel, load_kernel
from ...native.kernel.kernel import INITIAL, LOCAL_BITS, Shape
from ...native.program.program import INSTANCE_BITS
from ...native.runtime.memory import Region
from ...native.runtime.worker_pool import Segment, Totals, WorkerPool, redistribute
from ...native.tuning import TUNING
from ...semantics.fairness import Assumptions
from ...trace.run import PlainRun
from ..budget import Budget
from ..liveness import judged_natively
from ..native import available_workers
from ..result import Options
from .log import Level, read_log
from .storage import Storage
from .walk import Walker

if TYPE_CHECKING:
    from .parts.driver import Cluster

TABLE_BYTES = 16
"""At most so many bytes of the table for each state."""

RUN_BYTES = 44
"""So many bytes for each state are needed besides to find the run that breaks a liveness property."""

FIRST = INITIAL << INSTANCE_BITS
"""Says of a record that its state is an initial one; of any other it is enough that it is none."""


def judged_after(
    options: Options,
    walker: Walker,
    executors: Callable[[], Cluster],
    promises: Sequence[CompiledLiveness],
    assumed: Assumptions,
    budget: Budget,
) -> Liveness:
    """What is known of liveness properties: by the driver if it has the memory, or files, for all states and steps, by
    the
    executors otherwise.

    Raises LivenessFails, NotJudged; LogDamaged, ClusterError or OSError if the log cannot be read, or a task fails.
    """
    manifest, words = walker.manifest, walker.model.layout.words
    wanted = TABLE_BYTES * manifest.states
    if not options.spill:
        wanted += (8 * words + 8 + STATE_BYTES + COMPONENT_BYTES + MARK_BYTES + RUN_BYTES) * manifest.states
        wanted += EDGE_BYTES * sum(manifest.totals.steps)
    if not budget.refuses(budget.in_use() + wanted):
        return _judged_here(options, walker, promises, assumed, budget)
    from .parts.driver import JudgedByParts

    started, begun = time.process_time(), time.monotonic()
    question = Question(walker.model, promises, assumed, options.needs, options.deadlock)
    found = JudgedByParts(executors(), question, walker, manifest, budget).run()
    return replace(found, cpu_seconds=time.process_time() - started, wall_seconds=time.monotonic() - begun)


def _judged_here(
    options: Options, walker: Walker, promises: Sequence[CompiledLiveness], assumed: Assumptions, budget: Budget
) -> Liveness:
    """What machine code on the driver says of liveness properties."""
    manifest, model = walker.manifest, walker.model
    native, words = NativeModel(model), model.layout.words
    kernel = load_kernel(native.compiler, Shape(words, bool(model.protocol.members("constraint"))))
    nothing = (0,) * (len(model.instances) + 1)
    steps = (*manifest.totals.steps, *nothing)[: len(nothing)]
    workers = options.workers or available_workers()
    size = workers if manifest.states >= TUNING.shared_from(workers) else 1
    pool = WorkerPool(native, kernel, size, Totals(steps, nothing), spill=options.spill)

    def run_to(name: int) -> PlainRun:
        """The run to a state, as the log tells it."""
        worker, local = name >> LOCAL_BITS, name & (1 << LOCAL_BITS) - 1
        level = bisect.bisect_right([ends[worker] for ends in pool.ends], local)
        return walker.run(level, tuple(pool.state(name)))

    try:
        with ExitStack() as kept:
            levels = _levels(walker.storage, manifest.levels, words, kept)
            redistribute(kernel, levels, pool, tables=True)
        return judged_natively(native, pool, run_to, options, promises, assumed, budget, len(pool.ends))
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
