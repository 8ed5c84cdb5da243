"""A run of a sweep: what is missing is answered, each answer is kept at once, and the tables are written at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from epochal.checker.host.measure import memory_limit
from epochal.checker.search.patience import Patience, why_stopped
from epochal.checker.search.stop import INTERRUPTED, StopReason
from epochal.checker.tasks.chosen_engine import Where, apart
from epochal.checker.tasks.worker_processes import usable_processes
from epochal.exit_codes import ExitCode

from .answering import Sweeper, lost
from .rows import Outcome
from .store import Answers, Format
from .task import Task

EVERY = 1.0
"""Seconds after which people hear that something is still going on."""


@dataclass(frozen=True)
class Progress:
    """How far a sweep is: tasks done, those of them that were done before, all; the last one, and seconds."""

    done: int
    before: int
    of: int
    last: str
    seconds: float


@dataclass
class Sweep:
    """What became of the tasks. `failed` are those that ended without an answer, which the next run tries again."""

    tasks: Sequence[Task]
    before: int
    done: int = 0
    failed: list[tuple[Task, Outcome]] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    cut: StopReason | None = None
    seconds: float = 0.0
    last: str = ""

    @property
    def left(self) -> int:
        """How many tasks have no answer, for whatever reason."""
        return len(self.tasks) - self.before - self.done

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended it."""
        return self.cut is INTERRUPTED

    @property
    def exit_code(self) -> ExitCode:
        """0 when every task is answered, whatever it says; else that of the worst failure, or 30."""
        codes = [outcome.exit_code for _, outcome in self.failed]
        return ExitCode.most_severe([*codes, ExitCode.INCONCLUSIVE] if self.left else codes)


def swept(
    tasks: Sequence[Task],
    answers: Answers,
    to: Format,
    where: Where,
    progress: Callable[[Progress], None] | None = None,
    budget: float | None = None,
) -> Sweep:
    """Answer the tasks that are missing. After Ctrl-C what is done is kept, and the tables are of that; and once a
    budget of seconds is spent.

    Raises EngineError if there is no cluster, or nothing can be written; then, too, what is done is kept.
    """
    begun = time.monotonic()
    known = [answers.find(task) for task in tasks]
    todo = [(number, task) for number, task in enumerate(tasks) if known[number] is None]
    sweep = Sweep(tasks, len(tasks) - len(todo))

    def tell() -> None:
        if progress is not None:
            done = sweep.before + sweep.done + len(sweep.failed)
            progress(Progress(done, sweep.before, len(tasks), sweep.last, time.monotonic() - begun))

    try:
        if todo:
            patience = Patience(budget, begun=begun)
            with (
                telling(tell),
                apart(where, Sweeper, len(todo), lost) as engine,
                patience.watching("answering tasks"),
            ):
                for number, outcome in engine(_limits(where), todo):
                    if outcome.ended == "done":
                        answers.keep(tasks[number], outcome)
                        sweep.done += 1
                    else:
                        sweep.failed.append((tasks[number], outcome))
                    sweep.last = str(tasks[number])
                    tell()
    except KeyboardInterrupt as stopped:
        sweep.cut = why_stopped(stopped)
    finally:
        sweep.files = answers.write_tables(tasks, to)
    for task in tasks:
        found = answers.find(task)
        for row in found.rows if found is not None else ():
            sweep.verdicts[row["verdict"]] = sweep.verdicts.get(row["verdict"], 0) + 1
    sweep.failed.sort(key=lambda one: tasks.index(one[0]))
    sweep.seconds = time.monotonic() - begun
    return sweep


@contextmanager
def telling(tell: Callable[[], None]) -> Iterator[None]:
    """While this lasts, `tell` now and then, however long a task takes."""
    done = threading.Event()

    def repeat() -> None:
        while not done.wait(EVERY):
            tell()

    thread = threading.Thread(target=repeat, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _limits(where: Where) -> dict[str, Any]:
    """What each task may take: its share of this machine's memory; on a cluster what its executor has."""
    if where.engine == "spark":
        return {}
    return {"max_memory": memory_limit() // usable_processes(where.workers)}
