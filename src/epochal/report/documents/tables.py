"""The documents of the commands that write tables: export and sweep."""

from __future__ import annotations

from typing import Annotated, TypedDict

from .common import Bounds, Counts, Ended


class TableOf(TypedDict):
    """One table: how many rows it has, its files relative to `out`, and their bytes."""

    name: str
    rows: int
    bytes: Annotated[int, "size"]
    files: list[str]


class Export(Ended):
    """`epochal export`: of which search which tables were written. Not `exhaustive` says that states are missing."""

    protocol: str
    bounds: Bounds
    run: str
    out: Annotated[str, "folder"]
    states: int
    levels: int
    exhaustive: bool
    tables: list[TableOf]


class FailedTask(TypedDict):
    """A task without an answer: it was `refused`, with the exit code of that, or `lost` with its process."""

    task: str
    ended: str
    message: str
    exit_code: int


class Sweep(Ended):
    """`epochal sweep`: how many tasks are answered, and how many rows of the tables in `files` say what."""

    file: str
    tasks: int
    done_before: Annotated[int, "before"]
    done: int
    left: int
    verdicts: Counts
    failed: list[FailedTask]
    files: list[str]
