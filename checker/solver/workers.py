"""Questions answered by worker processes: Z3 holds a lock in each process, so threads would wait for each other."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from .ask import Engine, Numbered, in_this_process, largest_first
from .questions import Found, Premises, Question
from .solve import Solver

_solver: list[Solver] = []
"""In a worker process: what answers its questions, made once when the process starts."""


class WorkerLost(Exception):
    """A worker process ended before it answered, for want of memory, say."""


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_workers(count: int) -> Engine:
    """The engine that keeps `count` processes busy; with one, this process. Raises WorkerLost if one of them dies."""

    def engine(premises: Premises, questions: Sequence[Numbered]) -> Iterator[tuple[int, tuple[Found, ...]]]:
        if min(count, len(questions)) <= 1:
            yield from in_this_process(premises, questions)
            return
        others = set(multiprocessing.active_children())
        executor = ProcessPoolExecutor(
            min(count, len(questions)),
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(premises,),
        )
        try:
            waiting = {executor.submit(_answer, question): number for number, question in largest_first(questions)}
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        except BrokenProcessPool as error:
            raise WorkerLost("a worker process of the proof ended before it had an answer") from error
        except BaseException:
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            raise
        finally:
            executor.shutdown(cancel_futures=True)

    return engine


def _begin(premises: Premises) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    _solver[:] = [Solver(premises)]


def _answer(question: Question) -> tuple[Found, ...]:
    return _solver[0].answer(question)
