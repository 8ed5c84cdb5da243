"""`epochal.lockstep_run`: a run of the specification, played on Kafka's own classes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.replay import replay as replayed
from epochal.checker.trace.trace import Trace
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.directed import Played, PlayProgress
from epochal.kafka.lockstep.harness import running
from epochal.kafka.lockstep.layers import layer_of
from epochal.kafka.lockstep.models import shown_kafka

from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.report.documents import lockstep as documents
    from epochal.report.page import Page
    from epochal.spec.language import Protocol


@dataclass(frozen=True, repr=False)
class PlayedRun(Result):
    """How far Kafka follows a run, and what holds at its end in Kafka's own state.

    `name` is how the trace was called. With `same` Kafka was to follow to the end.
    """

    played: Played
    name: str
    kafka: KafkaClasses
    same: bool

    @property
    def lost(self) -> bool:
        """Whether Kafka follows to the end, and the property of the run is violated in its own state."""
        return self.played.holds is False

    @property
    def exit_code(self) -> ExitCode:
        """12 if the property is violated in Kafka's state; 20 if Kafka leaves a run that it was to follow."""
        if self.lost:
            return ExitCode.VIOLATED
        return ExitCode.DRIFTED if self.same and not self.played.followed else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        """The answer in one line."""
        of = len(self.played.trace.steps)
        run, about = f"{self.played.trace.protocol.name} on {shown_kafka(self.kafka)}", self.played.trace.property_id
        if not self.played.followed:
            return f"{run}: kept: Kafka leaves the run at step {self.played.taken} of {of}"
        judged = {
            True: f"kept: all {of} steps are the same, and {about} holds in Kafka's own state",
            False: f"lost: all {of} steps are the same, and {about} is violated in Kafka's own state",
            None: f"followed: all {of} steps are the same",
        }
        return f"{run}: {judged[self.played.holds]}"

    @property
    def outcome(self) -> str:
        """What the exit code means here."""
        if self.exit_code == ExitCode.HOLDS:
            return "followed" if self.played.holds is None and self.played.followed else "kept"
        return "lost" if self.lost else "left"

    @property
    def findings(self) -> list[str]:
        """Where Kafka is elsewhere than the run, or the property that it violates."""
        return [one.leaf for one in self.played.differs] or ([self.played.trace.property_id] if self.lost else [])

    @property
    def counterexample(self) -> Trace | None:
        """The run, if Kafka has violated its property."""
        return self.played.trace if self.lost else None

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the lines of the harness, with its answers, and the answer as JSON; their paths."""
        from epochal.checker.trace.output_folder import opened
        from epochal.kafka.lockstep.lines import story

        folder = opened(folder)
        kept = folder.write_text("run.steps", story(self.played.lines, self.played.answers))
        return [str(kept), str(folder.write_document("result.json", self.to_dict()))]

    def to_dict(self) -> documents.LockstepRun:
        """The answer as plain data."""
        from epochal.checker.documents import document
        from epochal.report.documents import lockstep

        return document(lockstep.LockstepRun, self.played, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.lockstep import render_played

        render_played(page, self.played, self.headline, self.name, self.kafka)
        page.written(files)


@question
def lockstep_run(
    trace: Trace | str | Path,
    *,
    protocols: Sequence[str | type[Protocol]] = (),
    kafka: str | None = None,
    classpath: str | None = None,
    classes: Sequence[Path] = (),
    fixes: Sequence[str] = (),
    same: bool = False,
    progress: Callable[[PlayProgress], None] | None = None,
) -> PlayedRun:
    """Play a run of `kraft` or of a quorum on Kafka's own classes, step by step, and compare both states after each.

    The steps of `kraft` are taken by whole ReplicaManagers with the classes of the controller, those of a quorum by
    voters with a KafkaRaftClient each.

    `kafka` is a release whose jars are pinned, or `classpath` the jars and folders of any build; `classes` are folders
    of changed classes before either. Which replica is elected depends on the order of the replicas, so that every
    order is tried. `same` says that Kafka is to follow to the end. A run of a specification of your own needs
    `protocols`, as in `epochal.replay`.

    Raises TraceError for a file that is no trace; UsageError for a run that cannot be put to Kafka's classes, with what
    is missing; EngineError without a JDK or jars, or if the process ends.
    """
    begun = time.monotonic()
    found = kafka_classes(kafka, classpath, classes, fixes)
    name, run = ("the trace", trace) if isinstance(trace, Trace) else (str(trace), _read(Path(trace), protocols))
    layer = layer_of(run.protocol)
    why = layer.not_mapped(run, found.version)
    if why:
        raise UsageError(f"{name} cannot be played: {why}")
    if not replayed(run, [PythonSemantics(run.protocol)]).ok:
        raise UsageError(f"{name} is no run of its protocol any more", "epochal replay says at which step.")

    def tell(order: int, orders: int) -> None:
        if progress is not None:
            progress(PlayProgress(order, orders, time.monotonic() - begun))

    with running(layer.program, found) as harness:
        played = layer.play(harness, run, tell)
    if played.refused:
        step = run.steps[played.taken].instance.label
        raise UsageError(f"{name} cannot be played: step {played.taken + 1}, {step}: {played.refused}")
    return PlayedRun(played, name, found, same)


def _read(path: Path, protocols: Sequence[str | type[Protocol]]) -> Trace:
    """The run in a file. Raises UsageError without one, TraceError for a file that is none."""
    if not path.is_file():
        raise UsageError(f"there is no trace {path}", "Give a file *.itf.json.")
    return TraceReader(protocols).read(path)
