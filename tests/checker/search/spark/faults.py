"""Faults for distributed searches: hooks that fail a task or the driver at a named moment, once.

A hook may run in another process than the one that made it, so what it remembers is a file.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark.driver import Cluster
from epochal.checker.search.spark.program import Program
from epochal.checker.search.spark.tasks import Job, Order, Outcome, run_task
from epochal.spec.language import Protocol


@dataclass(frozen=True)
class Once:
    """Acts the first time that a moment comes for a partition (or, of the driver, for a level)."""

    moment: str
    number: int
    mark: Path
    after: int = 0

    def __call__(self, moment: str, number: int) -> None:
        """Called by the tasks and by the driver."""
        if (moment, number) != (self.moment, self.number):
            return
        seen = len(list(self.mark.parent.glob(f"{self.mark.name}.*")))
        self.mark.with_name(f"{self.mark.name}.{seen}").touch()
        if seen == self.after:
            self.act()

    def act(self) -> None:
        """What goes wrong."""
        raise NotImplementedError

    @property
    def happened(self) -> bool:
        """Whether it did."""
        return self.mark.with_name(f"{self.mark.name}.{self.after}").exists()


class Fails(Once):
    """A task raises an exception."""

    def act(self) -> None:
        """Raise it."""
        raise OSError("a fault of the test")


class Dies(Once):
    """The process of a task, or the driver, is killed."""

    def act(self) -> None:
        """Kill this process."""
        os.kill(os.getpid(), signal.SIGKILL)


class LosesExecutor(Once):
    """The JVM that runs the executor is killed with everything that belongs to it."""

    def act(self) -> None:
        """Kill the parent of the daemon that this worker was forked by, which is the executor."""
        daemon = os.getppid()
        fields = Path(f"/proc/{daemon}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        os.kill(int(fields[1]), signal.SIGKILL)
        time.sleep(60)


class Waits(Once):
    """A task takes its time."""

    def act(self) -> None:
        """Be slow."""
        time.sleep(25)


# The tasks of a level without Spark: one after the other in this process, each tried again when it fails.

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

    def each(self, _: str, task: Callable[[T], Any], orders: Sequence[T]) -> list[Any]:
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


# Holding a distributed search against the native one.


def facts(result: CheckResult) -> dict[str, Any]:
    """Everything that must not depend on the engine."""
    return {
        "cut": result.cut,
        "exit code": result.exit_code,
        "states": result.distinct_states,
        "steps": result.transitions,
        "depth": result.depth,
        "state digest": result.state_digest,
        "step digest": result.step_digest,
        "dead ends": result.terminal_states,
        "left": result.left_constraint,
        "steps of actions": [(a.name, a.steps) for a in result.actions],
        "new states of actions": [(a.name, a.new_states) for a in result.actions],
        "traces": [(p.trace.initial, p.trace.steps) if p.trace else None for p in result.properties],
        "properties": [(p.member.name, p.verdict, p.length) for p in result.properties],
        "error": _told(result),
    }


def _told(result: CheckResult) -> object:
    """The rule that could not be evaluated, in words, with its run."""
    error = result.error
    if error is None:
        return None
    return error.message, error.where, error.rule, error.trace.initial, error.trace.steps


@lru_cache(maxsize=64)
def _native(protocol: Protocol, options: Options) -> dict[str, Any]:
    """What the native engine finds, which the tests of a protocol are all held against."""
    return facts(breadth_first.check(protocol, options))


def same_as_native(result: CheckResult, protocol: Protocol, options: Options) -> None:
    """Assert that the native engine finds the same."""
    assert facts(result) == _native(protocol, options)
