"""`epochal.lockstep_lines`: lines of the harness, put to Kafka's own classes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.kafka.lockstep.lines import AnsweredLine, played_again, read_lines, story
from epochal.kafka.lockstep.models import shown_kafka

from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.report.documents import lockstep as documents
    from epochal.report.page import Page


@dataclass(frozen=True, repr=False)
class PlayedLines(Result):
    """Each line of a file, and what Kafka's classes answer now."""

    lines: tuple[AnsweredLine, ...]
    name: str
    kafka: KafkaClasses

    @property
    def exit_code(self) -> ExitCode:
        """20 if an answer is not the one in the file."""
        return ExitCode.HOLDS if all(one.same for one in self.lines) else ExitCode.DRIFTED

    @property
    def headline(self) -> str:
        """The answer in one line."""
        kept = [one for one in self.lines if one.kept]
        differing = sum(not one.same for one in kept)
        said = f"{differing} of {len(kept)} answers differ" if differing else "every answer that was kept is the same"
        return f"{self.name} on {shown_kafka(self.kafka)}: {counted(len(self.lines), 'line')}: {said}"

    @property
    def findings(self) -> list[str]:
        """The lines that are answered in another way."""
        return [one.line for one in self.lines if not one.same]

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the lines with their answers now, and the answer as JSON; their paths."""
        from epochal.checker.trace.output_folder import opened

        folder = opened(folder)
        again = story((one.line for one in self.lines), (one.now for one in self.lines))
        return [str(folder.write_text("run.steps", again)), str(folder.write_document("result.json", self.to_dict()))]

    def to_dict(self) -> documents.LockstepLines:
        """The answer as plain data."""
        from epochal.checker.documents import document
        from epochal.report.documents import lockstep

        return document(lockstep.LockstepLines, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.lockstep import render_lines

        render_lines(page, self.lines, self.headline)
        page.written(files)


@question
def lockstep_lines(
    file: str | Path,
    *,
    kafka: str | None = None,
    classpath: str | None = None,
    classes: Sequence[Path] = (),
    fixes: Sequence[str] = (),
) -> PlayedLines:
    """Put the lines of a file (*.steps) to Kafka's own classes again, and compare the answers.

    Which Kafka runs is said as in `lockstep_run`. Raises UsageError for a file without lines of the harness;
    EngineError without a JDK or jars, or if the process ends.
    """
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {path}", "Give a file *.steps, as --out writes it.")
    lines, found = read_lines(path), kafka_classes(kafka, classpath, classes, fixes)
    with running(CLUSTER, found) as harness:
        return PlayedLines(tuple(played_again(harness, lines)), str(path), found)
