"""Questions answered by the executors of a Spark cluster. They get plain data, and need no protocol's file.

The premises go to every executor once, by broadcast; each question is a task of its own, so a lost executor costs what
it was at work on and no more. Answers come back through an accumulator, which the driver reads while tasks run.
"""

from __future__ import annotations

import os
import pickle
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark.accumulators import AccumulatorParam

from ..base.processes import Background
from ..search.spark.master import ClusterError
from ..search.spark.session import check_installation, open_session, plain
from .pool import A, Answering, Engine, Make, P, Q
from .worker import ANSWERS

POLL_SECONDS = 0.1

_known: dict[bytes, Answering[Any, Any]] = {}
"""In an executor's Python process: who answers questions, by the bytes of its premises. One is kept."""

Answers = list[tuple[int, Any]]


class _Gathered(AccumulatorParam[Answers]):
    """The answers of finished tasks, in the order of their end. Spark counts each task that succeeds once."""

    def zero(self, value: Answers) -> Answers:
        """No answers."""
        return []

    def addInPlace(self, value1: Answers, value2: Answers) -> Answers:  # noqa: N802
        """The answers of both."""
        value1.extend(value2)
        return value1


def on_spark(
    master: str,
    make: Make[P, Q, A],
    order: Callable[[Sequence[tuple[int, Q]]], Iterable[tuple[int, Q]]] = list,
    conf: Mapping[str, str] | None = None,
) -> Engine[P, Q, A]:
    """The engine that answers on a cluster, where `make` makes who does.

    Raises ClusterError if there is none, or if it gives up.
    """

    def engine(premises: P, questions: Sequence[tuple[int, Q]]) -> Iterator[tuple[int, A]]:
        check_installation()
        context = open_session(master, dict(conf or {})).sparkContext
        shared = context.broadcast(pickle.dumps((make, premises)))
        gathered: Any = context.accumulator([], _Gathered())
        tasks = context.parallelize(list(order(questions)), len(questions))
        group, answer, told = f"epochal-questions-{uuid.uuid4().hex[:12]}", partial(_answer, shared, gathered), 0

        def work() -> None:
            context.setJobGroup(group, "questions", interruptOnCancel=False)
            tasks.foreach(answer)

        job = Background("questions", work)  # the driver reads answers meanwhile
        try:
            while told < len(questions):
                running = not job.over
                ready = gathered.value[told:]  # more come while these are looked at
                told += len(ready)
                yield from ready
                if not running and told < len(questions):
                    why = job.failure
                    raise ClusterError(f"the cluster gave up: {plain(why) if why else 'no reason given'}")
                job.join(POLL_SECONDS)
        finally:
            if not job.over:
                context.cancelJobGroup(group)
            job.join()
            shared.destroy()

    return engine


def _answer(shared: Any, gathered: Any, numbered: tuple[int, Any]) -> None:
    """One task: in an executor."""
    os.environ[ANSWERS] = "spark"
    if shared.value not in _known:
        make, premises = pickle.loads(shared.value)
        _known.clear()
        _known[shared.value] = make(premises)
    number, question = numbered
    gathered.add([(number, _known[shared.value].answer(question))])
