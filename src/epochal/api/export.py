"""`epochal.export`: the states of a search that was kept, as tables for SQL."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted, sized, timed
from epochal.checker.documents import document
from epochal.errors import not_installed
from epochal.report import documents
from epochal.report.page import Page
from epochal.report.progress import Counted, Telling
from epochal.spec.language import Protocol

from .options import run_named
from .result import WrittenResult, question

if TYPE_CHECKING:
    from epochal.checker.tables.tables import Export, Written


@dataclass(frozen=True, repr=False)
class ExportResult(WrittenResult):
    """What was written: `export` says which tables, and of which search."""

    export: Export

    @property
    def headline(self) -> str:
        """How many states were written, and whether these are all."""
        export = self.export
        of = "all within the bounds" if export.exhaustive else "of a search that has not seen all"
        return f"{export.protocol}: {counted(export.states, 'state')} on {counted(export.levels, 'level')}, {of}"

    def to_dict(self) -> documents.Export:
        """What was written, as plain data."""
        return document(documents.Export, self.export, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write which tables there are, and where."""
        page.line(self.headline, "good" if self.export.exhaustive else "warn")
        page.line(", ".join(f"{name} {value}" for name, value in self.export.bounds.items()), indent=2)
        page.title(f"Written to {self.export.folder}")
        page.table(
            [
                (one.name, f"{one.rows:,}", counted(len(one.files), "file"), sized(one.size))
                for one in self.export.tables
            ],
            header=("TABLE", "ROWS", "FILES", "SIZE"),
            right=(1,),
        )


def require_arrow() -> None:
    """Raise EngineError where tables cannot be made."""
    missing = next((name for name in ("pyarrow", "numpy") if importlib.util.find_spec(name) is None), None)
    if missing is not None:
        raise not_installed("export", missing, "spark")


@question
def export(
    run: str | Path,
    *,
    out: str | Path,
    to: str = "parquet",
    protocol: str | type[Protocol] | None = None,
    questions: Sequence[str] = (),
    progress: Callable[[Written], None] | None = None,
) -> ExportResult:
    """Write every state of a search that was kept as a table, with its levels, findings and runs.

    `run` is the folder of a checkpoint (`check(..., checkpoint="run")`), or the storage of a search on Spark, which may
    be a URI that `pyarrow.fs` knows. So may `out`, which must be empty or not there. `protocol` is the one that the
    search was of, a class or a reference with its settings; a registered one without settings need not be named.
    `questions` are functions of files that were asked of it (`mine.py:never_alone`).

    Raises UsageError for what is no search or one of other rules, EngineError without pyarrow, or if nothing can be
    written.
    """
    require_arrow()
    from epochal.checker.tables.kept_run import opened
    from epochal.checker.tables.tables import write

    where, target = run_named("run", run), str(out)
    with opened(where, protocol, tuple(questions)) as kept:
        return ExportResult(write(kept, target, progress))


TELLING: Telling[Written] = Telling(
    lambda now: f"{now.rows:,} of {counted(now.of, 'state')} written, {timed(now.seconds)}",
    lambda now: {"states": now.rows, "of": now.of, "seconds": round(now.seconds, 3)},
    lambda now: Counted(now.rows, now.of),
)
"""The progress of `epochal export`."""
