"""Who runs a superstep: the driver itself while levels are small, Spark from then on."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar
from typing import Protocol as Shape

from ...host.numbers import counted
from .errors import ClusterError
from .memory import in_memory
from .owner import Owner
from .program import Program, loaded
from .tasks import Inserted, Job, admit_log, expand, insert, insert_into, inserted_of

PACKETS = "owner int, entries binary, report string"
INSERTED = "inserted string"

T = TypeVar("T")


class OnDriver:
    """Supersteps with a single partition, in this process: a level of some thousand states is not worth a Spark job."""

    def __init__(self, job: Job) -> None:
        """The state of a search as of the levels of a job, which are read from its log."""
        self._owner = Owner(loaded(job.program()), 0, 1, in_memory)
        admit_log(self._owner, job, 0)

    def __call__(self, job: Job) -> list[Inserted]:
        """Run one superstep."""
        return [self.insert(job, ((entries, report) for _, entries, report in expand(job, 0)))]

    def insert(self, job: Job, packets: Iterable[tuple[bytes, str]]) -> Inserted:
        """Decide which entries are new."""
        return insert_into(self._owner, job, 0, uuid.uuid4().hex[:12], packets)

    def close(self) -> None:
        """Free the memory."""
        self._owner.close()


class Supersteps(Shape):
    """What runs the supersteps of many partitions."""

    parallelism: int
    """How many tasks run at a time."""

    @property
    def program(self) -> Callable[[], Program]:
        """How a task gets at the machine code."""

    def __call__(self, job: Job) -> list[Inserted]:
        """Run one superstep; the result of every partition, in their order."""

    def share(self, value: T) -> Callable[[], T]:
        """How a task gets at a value that all of them need."""

    def each(self, name: str, task: Callable[[str], str], orders: Sequence[str]) -> list[str]:
        """What a task answers to each order, in their order."""

    def cancel(self) -> None:
        """Stop the superstep that is running."""

    def standing(self) -> str:
        """How far the superstep that is running is, in words; "" if there is nothing to say."""


class OnSpark:
    """Supersteps as Spark jobs of two stages: expansion, the exchange by owner, and the owners' decision."""

    def __init__(self, session: Any, program: Program, group: str) -> None:
        self._session = session
        self.parallelism = int(session.sparkContext.defaultParallelism)
        self._shared = session.sparkContext.broadcast(program)
        self._group = group
        self._doing = ""
        page = session.sparkContext.uiWebUrl
        self._page = f" ({page})" if page else ""

    @property
    def program(self) -> Callable[[], Program]:
        """How a task gets at the program: sent to each executor once."""
        return functools.partial(_value, self._shared)

    def share(self, value: T) -> Callable[[], T]:
        """How a task gets at a value: sent to each executor once."""
        return functools.partial(_value, self._session.sparkContext.broadcast(value))

    def each(self, name: str, task: Callable[[str], str], orders: Sequence[str]) -> list[str]:
        """Run a task for each order."""
        context = self._session.sparkContext
        context.setJobGroup(self._group, name, interruptOnCancel=False)
        return list(context.parallelize(orders, len(orders)).map(task).collect())

    def __call__(self, job: Job) -> list[Inserted]:
        """Run one superstep. Raises ClusterError if a partition is missing from the result."""
        context = self._session.sparkContext
        self._doing = f"level {job.number}"
        context.setJobGroup(self._group, self._doing, interruptOnCancel=False)
        expanded = self._session.range(0, job.shards, 1, job.shards).mapInArrow(
            functools.partial(_expand_partition, job), PACKETS
        )
        inserted = expanded.repartitionById(job.shards, "owner").mapInArrow(
            functools.partial(_insert_partition, job), INSERTED
        )
        results = [inserted_of(row.inserted) for row in inserted.collect()]
        results.sort(key=lambda one: one.file.partition)
        if [one.file.partition for one in results] != list(range(job.shards)):
            raise ClusterError(f"level {job.number} lacks the result of a partition")
        return results

    def standing(self) -> str:
        """The level, its tasks, and where Spark shows more."""
        context = self._session.sparkContext
        tracker = context.statusTracker()
        stages = [found for number in tracker.getActiveStageIds() if (found := tracker.getStageInfo(number))]
        done, tasks = sum(one.numCompletedTasks for one in stages), sum(one.numTasks for one in stages)
        return f"{self._doing}: {done} of {counted(tasks, 'task')}{self._page}" if stages else ""

    def cancel(self) -> None:
        """Stop the superstep that is running."""
        self._session.sparkContext.cancelJobGroup(self._group)


def _value(shared: Any) -> Any:
    return shared.value


def _expand_partition(job: Job, batches: Iterable[Any]) -> Iterator[Any]:
    """The task of the first stage: packets of what the partition's states lead to."""
    import pyarrow as pa

    for batch in batches:
        for shard in batch.column(0).to_pylist():
            for owner, entries, report in expand(job, shard):
                columns = [pa.array([owner], pa.int32()), pa.array([entries], pa.binary()), pa.array([report])]
                yield pa.RecordBatch.from_arrays(columns, names=["owner", "entries", "report"])


def _insert_partition(job: Job, batches: Iterable[Any]) -> Iterator[Any]:
    """The task of the second stage: which of the entries for a partition are new."""
    import pyarrow as pa
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None, "a task runs inside of Spark"
    result = insert(job, context.partitionId(), _received(batches))
    yield pa.RecordBatch.from_arrays([pa.array([result.text()])], names=["inserted"])


def _received(batches: Iterable[Any]) -> Iterator[tuple[bytes, str]]:
    for batch in batches:
        entries, reports = batch.column("entries"), batch.column("report")
        for i in range(batch.num_rows):
            yield entries[i].as_py(), reports[i].as_py()
