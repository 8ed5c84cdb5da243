"""The tasks of a superstep without Spark: one after the other in this process, each tried again when it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from epochal.checker.search.spark.driver import Cluster
from epochal.checker.search.spark.program import Program
from epochal.checker.search.spark.tasks import Inserted, Job, Packet, expand, insert

TRIES = 4
T = TypeVar("T")


class InProcess:
    """Runs supersteps like Spark would: packets of every partition to their owners, failed tasks again.

    `attempts` counts the attempts of both kinds of task; with `twice` every owner's task runs a second time, and the
    result of the first attempt is the one that is thrown away.
    """

    parallelism = 2

    def __init__(self, program: Program, twice: bool = False) -> None:
        self._program = program
        self._twice = twice
        self.attempts = 0

    @property
    def program(self) -> Callable[[], Program]:
        """The machine code."""
        return lambda: self._program

    def __call__(self, job: Job) -> list[Inserted]:
        """Run one superstep."""
        packets: list[list[tuple[bytes, str]]] = [[] for _ in range(job.shards)]
        for shard in range(job.shards):
            for owner, entries, report in self._tried(partial(_expanded, job, shard)):
                packets[owner].append((entries, report))
        results = []
        for shard in range(job.shards):
            if self._twice:
                self._tried(partial(insert, job, shard, packets[shard]))
            results.append(self._tried(partial(insert, job, shard, packets[shard])))
        return results

    def share(self, value: T) -> Callable[[], T]:
        """The value."""
        return lambda: value

    def each(self, _: str, task: Callable[[str], str], orders: Sequence[str]) -> list[str]:
        """Run a task for each order."""
        results = []
        for order in orders:
            if self._twice:
                self._tried(partial(task, order))
            results.append(self._tried(partial(task, order)))
        return results

    def _tried(self, task: Callable[[], T]) -> T:
        for left in reversed(range(TRIES)):
            self.attempts += 1
            try:
                return task()
            except OSError:
                if not left:
                    raise
        raise AssertionError("a task is tried at least once")

    def standing(self) -> str:
        """Nothing: it is over at once."""
        return ""

    def cancel(self) -> None:
        """Nothing runs in the background."""


def _expanded(job: Job, shard: int) -> list[Packet]:
    return list(expand(job, shard))


def in_process(_: Cluster, program: Program, __: str) -> InProcess:
    """For `Cluster.start`."""
    return InProcess(program)


def twice(_: Cluster, program: Program, __: str) -> InProcess:
    """For `Cluster.start`: every owner's task runs twice."""
    return InProcess(program, twice=True)
