"""What a search has found, as its page shows it: curves, the matrix of a proof, the table of guarantees, the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epochal.exit_codes import ExitCode

from .jobs import Job

WIDTH, HEIGHT = 600, 200
"""The size of a curve, in its own units."""

MOST_POINTS: Final = 600

PROMISES: Final = {"acknowledged": "acknowledged kept", "read": "read kept", "logs": "logs agree"}
"""The questions of guarantees, as columns."""


@dataclass(frozen=True)
class Curves:
    """Two lines over time, as points of an SVG: states, and those that wait."""

    states: str
    queue: str


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, how it is coloured, and the run behind it, if there is one."""

    text: str
    tone: str = ""
    file: str = ""
    behind: tuple[str, ...] = ()


SIGNS: Final = {
    **dict.fromkeys(("proved", "trivial", "holds"), Cell("✓", "good")),
    "untouched": Cell("·"),
}
"""How cells of a proof are drawn that are not open."""


@dataclass(frozen=True)
class Matrix:
    """A table of lemmas (rows) by actions (columns)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class FaultRow:
    """A fault, and what it does to each promise."""

    fault: str
    title: str
    cells: tuple[Cell, ...]

    @property
    def broken(self) -> bool:
        """Whether a promise is broken, so that there is a run to show."""
        return any(cell.tone == "bad" for cell in self.cells)


@dataclass(frozen=True)
class FaultTable:
    """What one release, or its design, promises. `fields` are those of the form that asked."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[FaultRow, ...]
    fields: tuple[tuple[str, str], ...]


def answers_of(job: Job) -> dict[str, Any]:
    """What the page of a search shows besides the search itself."""
    document = job.document if job.status == "ended" else None
    told = [one for one in job.said if "queue" in one]
    tables = fault_tables(document) if document is not None and "tables" in document else ()
    return {
        "verdict": verdict(job),
        "curves": _curves(told) if len(told) > 1 else None,
        "most_states": f"{max(one['states'] for one in told):,}" if len(told) > 1 else "",
        "most_queue": f"{max(one['queue'] for one in told):,}" if len(told) > 1 else "",
        "matrix": matrix(document) if document is not None and "matrix" in document else None,
        "tables": tables,
        "found": _sorted_runs(job, document),
        "report": "" if job.question.as_json and job.code in MEANT else without_files(job.output),
    }


def _sorted_runs(job: Job, document: Mapping[str, Any] | None) -> list[tuple[str, list[str]]]:
    """The runs that were found: what goes wrong first, then what should be reachable and is."""
    told = (document or {}).get("properties")
    reached = told if isinstance(told, list) else ()  # guarantees call their questions so
    good = [
        one["id"].replace("_", "-") for one in reached if one.get("kind") == "reachable" and one["verdict"] == "holds"
    ]
    fine = [name for name in job.traces if name.removesuffix(".itf.json").endswith(tuple(good))] if good else []
    wrong = [name for name in job.traces if name not in fine]
    groups = [("Runs that go wrong", wrong), ("Runs to what should be reachable", fine)]
    return [(title, names) for title, names in groups if names]


MEANT: Final = frozenset({ExitCode.HOLDS, ExitCode.INCONCLUSIVE})
"""How a command ends whose JSON is shown as a table."""


def verdict(job: Job) -> str:
    """How a search stands, in a few words."""
    if job.code is None:
        return job.status
    known = {int(code): code.title for code in ExitCode}
    good = job.question.good if job.code == ExitCode.HOLDS else ""
    said = good or known.get(job.code, "ended")
    return f"{said} (exit code {job.code}, {job.seconds:.1f} s)"


def without_files(report: str) -> str:
    """A report without the files that it has written, which the page has as links."""
    kept, leaving = [], False
    for line in report.splitlines():
        leaving = line == WRITTEN or (leaving and line.startswith(" "))
        kept += [] if leaving else [line]
    return "\n".join(kept)


WRITTEN: Final = "Written"
"""How the part of a report begins that names files."""


def _curves(told: Sequence[Mapping[str, Any]]) -> Curves:
    step = max(1, len(told) // MOST_POINTS)
    some = told[::step]
    return Curves(_points([one["states"] for one in some]), _points([one["queue"] for one in some]))


def _points(values: Sequence[int]) -> str:
    """Values as the points of a line, from left to right, the greatest at the top."""
    most = max(1, *values)
    last = max(1, len(values) - 1)
    return " ".join(
        f"{at / last * WIDTH:.1f},{HEIGHT - value / most * (HEIGHT - 8):.1f}" for at, value in enumerate(values)
    )


def matrix(document: Mapping[str, Any]) -> Matrix:
    """The cells of a proof; one with a counterexample to induction leads to it, by its number."""
    cells: dict[str, dict[str, Cell]] = {}
    columns: dict[str, None] = {}
    for number, one in enumerate(document["matrix"]):
        file = f"cell-{number}" if one.get("trace") else ""
        word = one["verdict"]
        cell = SIGNS.get(word) or Cell("✗" if file else word, "bad", file)
        cells.setdefault(one["column"], {})[one["action"]] = cell
        columns[one["action"]] = None
    empty = Cell("·")
    rows = tuple((name, tuple(row.get(action, empty) for action in columns)) for name, row in cells.items())
    return Matrix(tuple(columns), rows)


def fault_tables(document: Mapping[str, Any]) -> tuple[FaultTable, ...]:
    """The tables of guarantees; a promise that is broken says in how many states, and what is behind it."""
    return tuple(_fault_table(one, document["bounds"]) for one in document["tables"])


def _fault_table(table: Mapping[str, Any], bounds: Mapping[str, int]) -> FaultTable:
    rows = []
    for fault in table["faults"]:
        cells = [_promise(fault["answers"].get(name)) for name in PROMISES]
        cells.append(_writes(fault["writes_with_one_down"]))
        rows.append(FaultRow(fault["fault"], fault["title"], tuple(cells)))
    fields = [
        (name, str(value).lower() if isinstance(value, bool) else str(value))
        for name, value in table["configuration"].items()
    ]
    fields.append(("replication_factor", str(bounds.get("replication_factor", 3))))
    return FaultTable(table["title"], (*PROMISES.values(), "writes with one down"), tuple(rows), tuple(fields))


def _promise(answer: Mapping[str, Any] | None) -> Cell:
    if answer is None:
        return Cell("-")
    if answer["verdict"] == "violated":
        return Cell(f"NO, {answer['length']} states", "bad", behind=tuple(answer["behind"]))
    return Cell("yes", "good") if answer["verdict"] == "holds" else Cell(answer["verdict"])


def _writes(said: bool | None) -> Cell:
    return Cell("-") if said is None else Cell("yes", "good") if said else Cell("NO", "bad")
