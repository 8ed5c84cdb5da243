"""Who makes a level: the driver itself while levels are small, tasks on Spark from then on."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from typing import Protocol as Shape

from ...base.numbers import counted
from ...native.kernel.kernel import FAILURE
from ...native.runtime.memory import address_of
from .log import LogFile, Report, read_log
from .master import ClusterError, on_this_machine
from .owner import ALL, OF_ONE_TABLE, Owner, in_memory
from .program import Program, loaded
from .storage import Hold, Storage
from .tasks import (
    FOLDER,
    NOTHING,
    Expander,
    Inserted,
    Job,
    Order,
    Outcome,
    admit,
    fixed,
    folder_of,
    inboxes,
    run_task,
    settle,
)

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
        self._owner.insert(address_of(entries), sum(sizes), 0)

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

    def each(self, name: str, task: Callable[[T], Any], orders: Sequence[T]) -> list[Any]:
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

    def each(self, name: str, task: Callable[[T], Any], orders: Sequence[T]) -> list[Any]:
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


# -- stages -----------------------------------------------------------------------------------------------------------
# Level after level by tasks of one stage: a task settles a level in its partition and expands it for the next one. So
# what is expanded is a level ahead of what is recorded. It counts when the next level is recorded, and not at all if
# the level that was expanded ends the search.

TRIES = 3
"""How often the exchange of one level may be lost."""

Run = Callable[[Job, Sequence[Order]], list[Outcome]]
"""Runs a task for each order, and gives what they hand back."""


@dataclass(frozen=True)
class Sent:
    """What the expansion of a level has counted and found, and what there is for each partition: what it was sent, and
    whether it has kept what it sent itself."""

    report: Report
    orders: tuple[Order, ...]

    def after(self, pending: int, still: int) -> Sent | None:
        """What counts of it, if `still` of the pending properties are looked for when the level itself is checked. None
        if the level must be expanded again: a rule has failed, and perhaps one that is not checked any more."""
        closed = pending & ~still
        if closed and any(found.slot == FAILURE for found in self.report.findings):
            return None
        findings = tuple(found for found in self.report.findings if found.slot == FAILURE or still >> found.slot & 1)
        return replace(self, report=replace(self.report, findings=findings))


class Stages:
    """The levels that tasks make, as their driver sees them. `told` is what the user should know of it."""

    def __init__(self, storage: Storage, hold: Hold) -> None:
        self._storage, self._hold = storage, hold
        self._sent: Sent | None = None
        self._next: Sent | None = None
        self.told: list[str] = []
        hold.remove_folder(storage, FOLDER)  # of drivers before

    def make(self, job: Job, run: Run) -> tuple[Report, list[Inserted]]:
        """Make a level: what was counted when the last was expanded, and what is new in each partition. Raises
        ClusterError if what is sent to it is lost again and again."""
        lost = ""
        for _ in range(TRIES):
            self._sent = self._sent or _sent(run(job, [Order(shard) for shard in range(job.shards)]))
            settled = run(job, self._sent.orders) if self._sent.orders else []
            lost = next((one.lost for one in settled if one.lost), "")
            if not lost:
                self._next = _sent(settled)
                return self._sent.report, _with_others(job, settled)
            self._sent = None
            self.told.append(f"level {job.number - 1} was expanded again from the log: {lost}")
        raise ClusterError(
            f"what tasks sent to level {job.number} was lost {TRIES} times: {lost}.\n"
            "  Give --storage a folder that every executor sees alike, and go on with --resume last."
        )

    def recorded(self, level: int, pending: int, still: int) -> None:
        """A level counts, and of the properties that were pending `still` are: what was sent to it is not needed."""
        self._hold.remove_folder(self._storage, folder_of(self._hold.driver, level))
        self._sent = None if self._next is None else self._next.after(pending, still)

    def close(self) -> None:
        """Remove what was sent: nobody will read it."""
        self._sent = self._next = None
        self._hold.remove_own(self._storage, FOLDER)


def _sent(outcomes: Sequence[Outcome]) -> Sent:
    report = NOTHING
    for outcome in outcomes:
        report += outcome.expanded
    found = inboxes(one for outcome in outcomes for one in outcome.sent)
    kept = {outcome.shard for outcome in outcomes if outcome.kept}
    return Sent(report, tuple(Order(shard, found.get(shard, ()), shard in kept) for shard in sorted({*found, *kept})))


def _with_others(job: Job, settled: Sequence[Outcome]) -> list[Inserted]:
    """What is new in every partition. One that was sent nothing had no task: its table still has its old name."""
    last = job.levels[-1]
    tokens = [file.token for file in last.files] if last.shards == job.shards else [""] * job.shards
    found = [Inserted(LogFile(shard, token, "", 0, 0, 0), NOTHING) for shard, token in enumerate(tokens)]
    for one in settled:
        if one.inserted is not None:
            found[one.shard] = one.inserted
    return found
