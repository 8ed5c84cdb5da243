"""Where a sweep keeps its answers: a file for each task that is done, and the tables made of them.

A file appears as a whole as soon as its task is done, so nothing that was answered is lost. The tables are written
again at every end of a run, from the tasks that the file asks for: the same bytes for the same answers.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from epochal.checker.host.files import write_atomically
from epochal.errors import EngineError, not_installed
from epochal.sentences import Given

from .rows import COLUMNS, MEASURES, Outcome, Row
from .task import Task

DONE: Final = "done"
Format = Literal["json", "parquet"]
FORMATS: Final = ("json", "parquet")


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
