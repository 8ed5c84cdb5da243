"""Questions answered by the executors of a Spark cluster. They get plain data, and need no protocol's file.

The premises go to every executor once, by broadcast; each question is a task of its own, so a lost executor costs what
it was at work on and no more. Answers come back through an accumulator, which the driver reads while tasks run.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark.accumulators import AccumulatorParam

from epochal.checker.search.spark.errors import ClusterError
from epochal.checker.search.spark.session import check_installation, open_session, plain

from .answer import Solver
from .dispatch import Engine, Numbered, largest_first
from .queries import Assumptions, Query, SolverResult

DEFAULT_MASTER = "local[*]"
POLL_SECONDS = 0.1

_solvers: dict[str, Solver] = {}
"""In an executor's Python process: what answers questions, by the key of its premises. One is kept."""

Answered = tuple[int, tuple[SolverResult, ...]]


class _Gathered(AccumulatorParam[list[Answered]]):
    """The answers of finished tasks, in the order of their end. Spark counts each task that succeeds once."""

    def zero(self, value: list[Answered]) -> list[Answered]:
        """No answers."""
        return []

    def addInPlace(self, value1: list[Answered], value2: list[Answered]) -> list[Answered]:  # noqa: N802
        """The answers of both."""
        value1.extend(value2)
        return value1


def on_spark(master: str = DEFAULT_MASTER, conf: Mapping[str, str] | None = None) -> Engine:
    """The engine that answers on a cluster. Raises ClusterError if there is none, or if it gives up."""

    def engine(premises: Assumptions, questions: Sequence[Numbered]) -> Iterator[Answered]:
        check_installation()
        context = open_session(master, dict(conf or {})).sparkContext
        shared = context.broadcast(pickle.dumps(premises))
        gathered: Any = context.accumulator([], _Gathered())
        tasks = context.parallelize(largest_first(questions), len(questions))
        job = _Job(tasks, partial(_answer, shared, gathered))
        told = 0
        try:
            while told < len(questions):
                running = job.is_alive()
                ready = gathered.value
                yield from ready[told:]
                told = len(ready)
                if not running and told < len(questions):
                    why = job.failure
                    raise ClusterError(f"the cluster gave up on the proof: {plain(why) if why else 'no reason given'}")
                job.join(POLL_SECONDS)
        finally:
            if job.is_alive():
                context.cancelAllJobs()
            job.join()
            shared.destroy()

    return engine


class _Job(threading.Thread):
    """The tasks, run by a thread of their own while the driver reads answers."""

    def __init__(self, tasks: Any, answer: Any) -> None:
        super().__init__(name="proof", daemon=True)
        self.failure: BaseException | None = None
        self._tasks, self._answer = tasks, answer
        self.start()

    def run(self) -> None:
        """Wait for all tasks."""
        try:
            self._tasks.foreach(self._answer)
        except BaseException as error:  # told where the answers are waited for
            self.failure = error


def _answer(shared: Any, gathered: Any, numbered: tuple[int, Query]) -> None:
    """One task: in an executor."""
    premises: Assumptions = pickle.loads(shared.value)
    if premises.key not in _solvers:
        _solvers.clear()
        _solvers[premises.key] = Solver(premises)
    number, question = numbered
    gathered.add([(number, _solvers[premises.key].answer(question))])
