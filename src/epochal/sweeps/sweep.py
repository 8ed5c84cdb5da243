"""A run of a sweep: what is missing is answered, each answer is kept at once, and the tables are written at the end."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from epochal.api.options import path
from epochal.api.result import Result, question
from epochal.checker.base.files import write_atomically
from epochal.checker.base.machine import memory_limit
from epochal.checker.search.budget import Deadline, why_stopped
from epochal.checker.search.result import INTERRUPTED, StopReason
from epochal.checker.workers.chosen_engine import Where, apart
from epochal.checker.workers.pool import usable_processes
from epochal.checker.workers.worker import answers_for_another
from epochal.errors import EngineError, UsageError, not_installed
from epochal.exit_codes import ExitCode
from epochal.sentences import Given

from .answering import COLUMNS, MEASURES, Outcome, Row, Sweeper, lost
from .file import tasks_of
from .task import Task

if TYPE_CHECKING:
    from epochal.report.documents import tables as documents
    from epochal.report.page import Page


# -- store ------------------------------------------------------------------------------------------------------------
# Where a sweep keeps its answers: a file for each task that is done, and the tables made of them.
#
# A file appears as a whole as soon as its task is done, so nothing that was answered is lost. The tables are written
# again at every end of a run, from the tasks that the file asks for: the same bytes for the same answers.

DONE: Final = "done"
Format = Literal["json", "parquet"]


class _Place(Protocol):
    """A folder that answers are kept in."""

    def read(self, name: str) -> bytes | None:
        """A file; None if there is none."""

    def write(self, name: str, content: bytes) -> None:
        """Write a whole file, or leave what was there."""

    def path(self, name: str) -> str:
        """How a file is called."""


class _Folder:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / DONE).mkdir(parents=True, exist_ok=True)

    def read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        write_atomically(self._folder / name, content)

    def path(self, name: str) -> str:
        return str(self._folder / name)


class _Remote:
    """A folder of an object store, or of another file system that `pyarrow.fs` knows."""

    def __init__(self, uri: str) -> None:
        from epochal.checker.search.spark.storage import open_storage

        self._storage = open_storage(uri)

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(self._storage.read(name))
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        self._storage.write(name, content)

    def path(self, name: str) -> str:
        return self._storage.path(name)


class Answers:
    """The answers of sweeps in a folder, or below a URI. Raises EngineError if it cannot be used."""

    def __init__(self, where: str) -> None:
        try:
            self._place: _Place = _Remote(where) if "://" in where else _Folder(Path(where))
        except OSError as error:
            raise EngineError(
                f"{where}: nothing can be written there: {error.strerror or error}",
                "Give --out a folder where you may write, on a disk with room.",
            ) from error

    def find(self, task: Task) -> Outcome | None:
        """The answer to a task; None if there is none, or none that is whole."""
        content = self._place.read(_name(task))
        if content is None:
            return None
        try:
            document = json.loads(content)
            rows = tuple(document["rows"])
            if document["key"] != task.key or document["digest"] != _digest(rows):
                return None
            return Outcome("done", rows, document["measures"])
        except (ValueError, KeyError, TypeError):  # damaged: as good as none
            return None

    def keep(self, task: Task, outcome: Outcome) -> None:
        """Keep the answer to a task. Raises OSError."""
        document = {
            "key": task.key,
            "question": task.document,
            "rows": outcome.rows,
            "digest": _digest(outcome.rows),
            "measures": outcome.measures,
        }
        self._place.write(_name(task), (json.dumps(document, indent=1) + "\n").encode())

    def write_tables(self, tasks: Sequence[Task], to: Format) -> list[str]:
        """Write `results` and `measures` of the tasks that are done, in their order; the paths."""
        answers = [(task, self.find(task)) for task in tasks]
        done = [(task, found) for task, found in answers if found is not None]
        rows = [one for _, found in done for one in found.rows]
        measures = [{"task": task.key, **found.measures} for task, found in done]
        return [self._table("results", rows, COLUMNS, to), self._table("measures", measures, MEASURES, to)]

    def _table(self, name: str, rows: Iterable[Row], columns: Sequence[tuple[str, str]], to: Format) -> str:
        file = f"{name}.parquet" if to == "parquet" else f"{name}.jsonl"
        content = _parquet(rows, columns) if to == "parquet" else _lines(rows, columns)
        self._place.write(file, content)
        return self._place.path(file)


def require_format(to: str) -> None:
    """Raise EngineError where tables of a format cannot be written."""
    if to == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise not_installed("Parquet", "pyarrow", "spark", (", or take ", Given("to", "json")))


def _name(task: Task) -> str:
    return f"{DONE}/{task.key}.json"


def _digest(rows: Sequence[Row]) -> str:
    return hashlib.blake2b(json.dumps(list(rows), sort_keys=True).encode(), digest_size=16).hexdigest()


def _lines(rows: Iterable[Row], columns: Sequence[tuple[str, str]]) -> bytes:
    lines = (json.dumps({name: one.get(name) for name, _ in columns}) for one in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _parquet(rows: Iterable[Row], columns: Sequence[tuple[str, str]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types: dict[str, Any] = {"string": pa.string(), "int64": pa.int64(), "bool": pa.bool_(), "double": pa.float64()}
    listed = list(rows)
    arrays = [pa.array([one.get(name) for one in listed], types[kind]) for name, kind in columns]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, names=[name for name, _ in columns]), sink, compression="zstd")
    return bytes(sink.getvalue())


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
            patience = Deadline(budget, begun=begun)
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


# -- door -------------------------------------------------------------------------------------------------------------
# `epochal.sweep`: many questions of a file, answered side by side, as a table.


@dataclass(frozen=True, repr=False)
class SweepResult(Result):
    """What became of a sweep: `sweep` counts its tasks, and has those that failed."""

    sweep: Sweep
    file: str

    @property
    def exit_code(self) -> ExitCode:
        """0 when every task is answered, whatever the answers are; else why not."""
        return self.sweep.exit_code

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended it."""
        return self.sweep.interrupted

    @property
    def outcome(self) -> str:
        """Code 0 says that every task is answered, not what the answers are."""
        return "every task is answered" if self.exit_code == ExitCode.HOLDS else super().outcome

    @property
    def findings(self) -> list[str]:
        """The tasks that have failed."""
        return [str(task) for task, _ in self.sweep.failed]

    @property
    def headline(self) -> str:
        """How many tasks are answered."""
        from epochal.report.sweeps import headline

        return headline(self.file, len(self.sweep.tasks), self.sweep.before, self.sweep.done)

    def to_dict(self) -> documents.Sweep:
        """What became of the tasks, as plain data; the answers stand in the tables."""
        from epochal.checker.documents import document
        from epochal.report.documents import tables

        failed = [document(tables.FailedTask, outcome, task=task) for task, outcome in self.sweep.failed]
        return document(tables.Sweep, self.sweep, self, failed=failed)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write how many tasks say what, and where the tables are."""
        from epochal.report.sweeps import render_sweep

        sweep = self.sweep
        failed = [(str(task), outcome.message) for task, outcome in sweep.failed]
        refused = sum(outcome.ended == "refused" for _, outcome in sweep.failed)
        render_sweep(
            page,
            self.headline,
            sweep.verdicts,
            failed,
            sweep.left - len(failed),
            sweep.files,
            str(sweep.cut or ""),
            refused,
        )


@question
def sweep(
    file: str | Path,
    *,
    out: str | Path,
    to: str = "json",
    engine: str = "local",
    workers: int | None = None,
    master: str | None = None,
    budget: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SweepResult:
    """Answer the questions of a file, each combination of its choices in a task of its own, and write what they say.

    The file is TOML or JSON; `docs/sweeps.md` has its form. `out` is a folder, or a URI that `pyarrow.fs` knows: with a
    file for each task that is done, so that another run does what is missing, and the tables `results` and `measures`,
    as JSON lines or Parquet. Tasks run in `workers` processes (None: one for each processor), or with `engine="spark"`
    on the executors of a `master`. `budget` is in seconds; what is not answered by then is left for another run.

    A task loads the file of its protocol, which runs: a script that sweeps its own class does so under
    `if __name__ == "__main__":`.

    Raises ConfigurationError for a mistake in the file, with its place; EngineError if there is no cluster or nothing
    can be written; UsageError in a file that a sweep loads; Interrupted after Ctrl-C, when what was done is kept.
    """
    if engine == "local" and master is not None:
        raise UsageError("a master is for engine='spark'", "Give both, or neither.")
    if answers_for_another():
        raise UsageError(
            "a file that a sweep loads begins a sweep itself, at its top level, where it would never end",
            "Put that under `if __name__ == '__main__':`.",
        )
    require_format(to)
    tasks = tasks_of(path("file", file))
    found = swept(tasks, Answers(str(out)), cast(Format, to), Where(engine, workers, master), progress, budget)
    return SweepResult(found, str(file))
