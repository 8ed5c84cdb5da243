"""`epochal.sweep`: many questions of a file, answered side by side, as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from epochal.checker.tasks.chosen_engine import Where
from epochal.checker.tasks.worker import answers_for_another
from epochal.door.export import run_named
from epochal.door.keywords import one_of, path
from epochal.door.question import question
from epochal.door.result import Result
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode

from .expand import tasks_of
from .store import FORMATS, Answers, Format, require_format
from .sweep import Progress, Sweep, swept

if TYPE_CHECKING:
    from epochal.render.documents import tables as documents
    from epochal.render.page import Page


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
        from epochal.render.sweeps import headline

        return headline(self.file, len(self.sweep.tasks), self.sweep.before, self.sweep.done)

    def to_dict(self) -> documents.Sweep:
        """What became of the tasks, as plain data; the answers stand in the tables."""
        from epochal.render.sweeps import sweep_document

        sweep = self.sweep
        failed = [(str(task), outcome.ended, outcome.message, outcome.exit_code) for task, outcome in sweep.failed]
        counts = len(sweep.tasks), sweep.before, sweep.done, sweep.left
        return sweep_document(self.exit_code, self.file, counts, sweep.verdicts, failed, sweep.files)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write how many tasks say what, and where the tables are."""
        from epochal.render.sweeps import render_sweep

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


@question(out=run_named, to=one_of(*FORMATS), engine=one_of("local", "spark"))
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
