"""The tasks of a level without Spark: one after the other in this process, each tried again when it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from epochal.checker.search.spark.driver import Cluster
from epochal.checker.search.spark.program import Program
from epochal.checker.search.spark.tasks import Job, Order, Outcome, run_task

TRIES = 4
T = TypeVar("T")


class InProcess:
    """Runs tasks like Spark would, failed ones again.

    `attempts` counts the attempts; with `twice` every task runs a second time, and the result of the first attempt is
    the one that is thrown away.
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

    def __call__(self, job: Job, orders: Sequence[Order]) -> list[Outcome]:
        """Run a task for each order."""
        results = []
        for order in orders:
            if self._twice:
                self._tried(partial(run_task, job.slim(), order))
            results.append(self._tried(partial(run_task, job.slim(), order)))
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


def in_process(_: Cluster, program: Program, __: str) -> InProcess:
    """For `Cluster.start`."""
    return InProcess(program)


def twice(_: Cluster, program: Program, __: str) -> InProcess:
    """For `Cluster.start`: every task runs twice."""
    return InProcess(program, twice=True)
