"""Who makes a level: the driver itself while levels are small, tasks on Spark from then on."""

from __future__ import annotations

import ctypes
import functools
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from typing import Protocol as Shape

from ...host.numbers import counted
from .errors import ClusterError
from .expander import Expander, fixed
from .findings import Report
from .log import read_log
from .mappings import ALL, OF_ONE_TABLE
from .master import on_this_machine
from .memory import in_memory
from .owner import Owner
from .program import Program, loaded
from .tasks import Inserted, Job, Order, Outcome, admit, run_task, settle

T = TypeVar("T")


class OnDriver:
    """Levels with a single partition, in this process: one of some thousand states is not worth a Spark job."""

    def __init__(self, job: Job) -> None:
        """The state of a search as of the levels of a job, which are read from its log."""
        code = loaded(job.program())
        self._owner, self._expander = Owner(code, 0, 1, job.owning, in_memory), Expander(code, 1, job.owning)
        admit(self._owner, job.storage, job.levels, 0, 1)

    def __call__(self, job: Job) -> tuple[Report, list[Inserted]]:
        """Make one level: what was counted when the last was expanded, and what is new."""
        self._owner.begin_level()
        self._expander.begin(0, job.pending, job.levels[-1].count)
        for file in job.levels[-1].written:
            states = read_log(job.storage, file)
            self._expander.expand(fixed(states.address), states.count, self._insert)
        expanded = self._expander.finish(self._insert)
        return expanded, [settle(self._owner, job, 0, uuid.uuid4().hex[:12])]

    def initial(self, job: Job, entries: memoryview) -> tuple[Report, list[Inserted]]:
        """Make the first level, of the initial states."""
        self._owner.begin_level()
        self._insert(entries, [len(entries)])
        return Report(), [settle(self._owner, job, 0, uuid.uuid4().hex[:12])]

    def _insert(self, entries: memoryview, sizes: Sequence[int]) -> None:
        self._owner.insert(ctypes.addressof(ctypes.c_char.from_buffer(entries)), sum(sizes), 0)

    def close(self) -> None:
        """Free the memory."""
        self._owner.close()
        self._expander.close()


class Supersteps(Shape):
    """What runs the tasks of many partitions."""

    parallelism: int
    """How many tasks run at a time."""

    @property
    def program(self) -> Callable[[], Program]:
        """How a task gets at the machine code."""

    def __call__(self, job: Job, orders: Sequence[Order]) -> list[Outcome]:
        """Run a task for each order; what they hand back, in their order."""

    def share(self, value: T) -> Callable[[], T]:
        """How a task gets at a value that all of them need."""

    def each(self, name: str, task: Callable[[str], str], orders: Sequence[str]) -> list[str]:
        """What a task answers to each order, in their order."""

    def cancel(self) -> None:
        """Stop the tasks that are running."""

    def standing(self) -> str:
        """How far the tasks that are running are, in words; "" if there is nothing to say."""


class OnSpark:
    """Tasks of a level as a Spark job of one stage. Each carries its own order, and nothing of the others."""

    def __init__(self, session: Any, program: Program, group: str) -> None:
        self._context = context = session.sparkContext
        self.parallelism = int(context.defaultParallelism)
        self._shared = context.broadcast(program)
        self._group = group
        self._mappings = ALL if on_this_machine(context.master) else OF_ONE_TABLE
        self._doing = ""
        page = context.uiWebUrl
        self._page = f" ({page})" if page else ""

    @property
    def program(self) -> Callable[[], Program]:
        """How a task gets at the program: sent to each executor once."""
        return functools.partial(_value, self._shared)

    def share(self, value: T) -> Callable[[], T]:
        """How a task gets at a value: sent to each executor once."""
        return functools.partial(_value, self._context.broadcast(value))

    def each(self, name: str, task: Callable[[str], str], orders: Sequence[str]) -> list[str]:
        """Run a task for each order."""
        context = self._context
        context.setJobGroup(self._group, name, interruptOnCancel=False)
        return list(context.parallelize(orders, len(orders)).map(task).collect())

    def __call__(self, job: Job, orders: Sequence[Order]) -> list[Outcome]:
        """Run a task for each order. Raises ClusterError if what one hands back is missing."""
        context = self._context
        self._doing = f"level {job.number}"
        context.setJobGroup(self._group, self._doing, interruptOnCancel=False)
        sent = replace(job.slim(), mappings=self._mappings)
        tasks = context.parallelize(orders, len(orders)).map(functools.partial(run_task, sent))
        outcomes: list[Outcome] = tasks.collect()
        if [one.shard for one in outcomes] != [order.shard for order in orders]:
            raise ClusterError(f"level {job.number} lacks the result of a partition")
        return outcomes

    def standing(self) -> str:
        """The level, its tasks, and where Spark shows more."""
        context = self._context
        tracker = context.statusTracker()
        stages = [found for number in tracker.getActiveStageIds() if (found := tracker.getStageInfo(number))]
        done, tasks = sum(one.numCompletedTasks for one in stages), sum(one.numTasks for one in stages)
        return f"{self._doing}: {done} of {counted(tasks, 'task')}{self._page}" if stages else ""

    def cancel(self) -> None:
        """Stop the tasks that are running."""
        self._context.cancelJobGroup(self._group)


def _value(shared: Any) -> Any:
    return shared.value
