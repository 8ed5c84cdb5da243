"""`epochal.lockstep_coverage`: which branches of the specification's actions Kafka's own classes have taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted
from epochal.checker.search.budget import Deadline
from epochal.checker.search.engines import semantics_of
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.coverage import MOST_STATES, Coverage
from epochal.kafka.lockstep.covering import Covered, cover
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.kafka.lockstep.models import shown_kafka
from epochal.kafka.lockstep.runs import DEFAULT_STEPS, Runs, RunsProgress

from .lockstep_runs import DEFAULT_RUNS, brokers_beside, written_runs
from .options import reference_of
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.report.documents import lockstep as documents
    from epochal.report.page import Page
    from epochal.spec.language import Protocol


@dataclass(frozen=True, repr=False)
class CoverageOnKafka(Result):
    """Which branches Kafka has taken, and how the runs ended that were made for it."""

    covered: Covered
    model: Protocol
    kafka: KafkaClasses
    seed: int
    seconds: float

    @property
    def coverage(self) -> Coverage:
        """What is known of each branch."""
        return self.covered.coverage

    @property
    def reference(self) -> str:
        """How the command line calls the model."""
        return reference_of(self.model)

    @property
    def exit_code(self) -> ExitCode:
        """20 if Kafka and the model differ in a run, or Kafka does what a guard forbids; 30 if a budget was spent."""
        if self.covered.runs.differing or self.covered.not_refused:
            return ExitCode.DRIFTED
        return ExitCode.INCONCLUSIVE if self.covered.runs.cut else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        """The answer in one line."""
        found, runs = self.coverage, self.covered.runs
        taken = len(found.taken)
        of = f"{taken} of the {counted(taken + len(found.missing), 'branch', 'branches')} that it may take"
        differing = f"; {counted(len(runs.differing), 'run differs', 'runs differ')}" if runs.differing else ""
        changed = len(self.covered.not_refused)
        differing += f"; it does what {counted(changed, 'guard forbids', 'guards forbid')}" if changed else ""
        cut = f"; {runs.cut}" if runs.cut else ""
        return f"{shown_kafka(self.kafka)} has taken {found.percent:.0f} % of {self.model.name}: {of}{differing}{cut}"

    @property
    def outcome(self) -> str:
        """What the exit code means here."""
        return {ExitCode.HOLDS: "the same", ExitCode.DRIFTED: "differs"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """How runs differ: the action, and the leaves."""
        return [" ".join(one.kind) for one, _ in self.covered.runs.kinds]

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the shortest run of each kind of difference, as ITF and as lines of the harness; the paths."""
        from epochal.checker.trace.output_folder import opened

        folder = opened(folder)
        written = written_runs(folder, self.covered.runs, self.reference, self.seed)
        return [*written, str(folder.write_document("result.json", self.to_dict()))]

    def to_dict(self) -> documents.LockstepCoverage:
        """The answer as plain data."""
        from epochal.checker.documents import document
        from epochal.report.documents import lockstep

        return document(lockstep.LockstepCoverage, self.covered, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.lockstep_coverage import render_coverage

        render_coverage(page, self.covered, self.headline, self.kafka, files)
        page.written(files)


@question
def lockstep_coverage(
    *,
    kafka: str | None = None,
    classpath: str | None = None,
    classes: Sequence[Path] = (),
    fixes: Sequence[str] = (),
    model: str | None = None,
    brokers: int = 3,
    elr: bool | None = None,
    min_insync_replicas: int | None = None,
    unclean_leader_election: bool = False,
    seed: int = 0,
    runs: int = DEFAULT_RUNS,
    steps: int = DEFAULT_STEPS,
    max_states: int = MOST_STATES,
    budget: float | None = None,
    progress: Callable[[RunsProgress], None] | None = None,
) -> CoverageOnKafka:
    """Take every branch of the specification's actions on Kafka's own classes, as far as that is possible.

    Which Kafka runs is said as in `lockstep_run`, and the model as in `lockstep_runs`. First there are so many random
    `runs` of at most `steps` steps, which draw what was taken least. For what is still missing a shortest run is
    searched for, among all runs of two brokers, and the first `max_states` states of three; it is played. The same
    `seed` gives the same runs. Then each guard of an action is left out, and Kafka is asked for a step that the others
    allow: it must refuse, or change nothing. `budget` is in seconds.

    Raises BoundsError for settings that cannot be; EngineError without a JDK or jars, or if the process ends.
    """
    patience = Deadline(budget)
    found = kafka_classes(kafka, classpath, classes, fixes)
    beside = brokers_beside(found, model, brokers, elr, min_insync_replicas, unclean_leader_election)

    def tell(_: str, now: Runs) -> None:
        if progress is not None:
            seconds = time.monotonic() - patience.begun
            progress(RunsProgress(now.runs, runs, now.compared, len(now.differing), seconds))

    with running(CLUSTER, found) as harness:
        semantics = semantics_of("python", beside)
        covered = cover(harness, semantics, beside, seed, steps, runs, max_states, patience, tell)
    return CoverageOnKafka(covered, beside, found, seed, time.monotonic() - patience.begun)
