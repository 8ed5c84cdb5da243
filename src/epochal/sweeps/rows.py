"""What a task answers: rows for the table of a sweep, the same wherever it ran, and apart from them what it took."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from .task import Task

if TYPE_CHECKING:
    from epochal.checker.trace.trace import Trace

COLUMNS: Final = (
    ("task", "string"),
    ("kind", "string"),
    ("protocol", "string"),
    ("bounds", "string"),
    ("about", "string"),
    ("property", "string"),
    ("verdict", "string"),
    ("length", "int64"),
    ("exhaustive", "bool"),
    ("states", "int64"),
    ("steps", "int64"),
    ("depth", "int64"),
    ("state_digest", "string"),
    ("step_digest", "string"),
    ("note", "string"),
    ("trace", "string"),
)
"""The columns of `results`, with their types. `bounds` and `trace` (ITF) are JSON."""

MEASURES: Final = (("task", "string"), ("cpu_seconds", "double"), ("wall_seconds", "double"), ("memory_bytes", "int64"))
"""The columns of `measures`: what each task took. These are others every time."""

Row = dict[str, Any]
Ended = Literal["done", "refused", "failed", "lost"]


@dataclass(frozen=True)
class Outcome:
    """How a task ended. One that is not `done` has no rows and is not kept: `message` says why, with its exit code.

    It is `refused` in words of Epochal, has `failed` by an error that nobody expected, or its process is `lost`. It is
    plain data, which other processes send.
    """

    ended: Ended
    rows: tuple[Row, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    message: str = ""
    exit_code: int = 0


def row(
    task: Task,
    property: str,
    verdict: str,
    length: int | None = None,
    trace: Trace | None = None,
    note: str = "",
    **facts: Any,
) -> Row:
    """A row of `results`; what `facts` do not say is null."""
    from epochal.checker.trace.itf import encode

    known: Row = {
        "task": task.key,
        "kind": task.kind,
        "protocol": task.protocol,
        "bounds": json.dumps(dict(task.bounds)),
        "about": task.about,
        "property": property,
        "verdict": verdict,
        "length": length,
        "note": note or None,
        "trace": None if trace is None else json.dumps(encode(trace), separators=(",", ":")),
        **facts,
    }
    return {name: known.get(name) for name, _ in COLUMNS}
