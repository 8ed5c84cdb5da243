"""`epochal.lockstep_controller_coverage`: which branches of the controller's rules Kafka's own controller has taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from epochal.checker.base.numbers import counted
from epochal.checker.documents import document
from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.errors import Inconclusive
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.closure import ClosureFound
from epochal.kafka.lockstep.controller_coverage import ControllerCoverage, ControllerCovered, closures_for_coverage
from epochal.kafka.lockstep.coverage import Coverage, shown_branch
from epochal.kafka.lockstep.harness import CONTROLLER, running
from epochal.kafka.lockstep.judged import model_of
from epochal.kafka.lockstep.models import shown_kafka
from epochal.report import lockstep_documents as documents
from epochal.report.page import Page
from epochal.spec.kraft.configuration import ConfigurableKraft

from .lockstep_controller import knows_elr, rules_of, settings_beside
from .result import Result, question

NOT_REACHED = "Not reached: the settings allow it, and no state of these closures has it"


@dataclass(frozen=True, repr=False)
class ControllerBranchesOnKafka(Result):
    """Which branches of the controller's rules Kafka has taken, and what the closures have found."""

    covered: ControllerCovered
    reference: str
    kafka: KafkaClasses

    @property
    def coverage(self) -> Coverage:
        """What is known of each branch."""
        return self.covered.coverage

    @property
    def exit_code(self) -> ExitCode:
        """20 if Kafka and the specification differ in a request; 30 if a budget was spent."""
        if self.covered.differences:
            return ExitCode.DRIFTED
        return ExitCode.INCONCLUSIVE if self.covered.cut else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        """The answer in one line."""
        found = self.coverage
        taken, unreached = len(found.taken), len(found.unreached)
        of = f"{taken} of the {counted(taken + len(found.missing), 'branch', 'branches')} that it may take"
        rest = f"; {counted(unreached, 'branch', 'branches')} more in no state of these closures" if unreached else ""
        differ = f"; {counted(self.covered.differences, 'request')} differ" if self.covered.differences else ""
        cut = f"; {self.covered.cut}" if self.covered.cut else ""
        return (
            f"the controller of {shown_kafka(self.kafka)} has taken {found.percent:.0f} % of {self.reference}: "
            f"{of}{rest}{differ}{cut}"
        )

    @property
    def outcome(self) -> str:
        """What the exit code means here."""
        return {ExitCode.HOLDS: "the same", ExitCode.DRIFTED: "they differ"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """What differs."""
        differing = {key for _, found in self.covered.closures for key in found.differing}
        return [f"{action}: {kind}" for action, kind in sorted(differing)]

    def to_dict(self) -> documents.LockstepControllerCoverage:
        """The answer as plain data."""
        return document(documents.LockstepControllerCoverage, self.covered, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        coverage, bad = self.coverage, self.covered.differences or self.coverage.missing
        page.line(self.headline, "bad" if bad else "good")
        page.title("Closures")
        page.table(
            [
                (str(asked), f"{one.states:,}", f"{one.asked:,}", f"{one.differences:,}")
                for asked, one in self.covered.closures
            ],
            header=("", "STATES", "REQUESTS", "DIFFER"),
            right=(1, 2, 3),
        )
        page.title("Branches")
        parts = (coverage.taken, coverage.missing, coverage.unreached, coverage.elsewhere)
        counts = [Counter(one.branch.action for one in some) for some in parts]
        page.table(
            [
                (action, *(f"{count[action]:,}" for count in counts))
                for action in sorted({one.branch.action for one in coverage.branches})
            ],
            header=("ACTION", "TAKEN", "MISSING", "NOT REACHED", "OTHER SETTINGS"),
            right=(1, 2, 3, 4),
        )
        for title, some in zip(("Missing", NOT_REACHED, "Other settings"), parts[1:], strict=True):
            if some:
                page.title(title)
                page.table([(one.branch.action, shown_branch(one.branch), one.reason) for one in some])
        page.written(files)


@question
def lockstep_controller_coverage(
    *,
    kafka: str | None = None,
    classpath: str | None = None,
    classes: str | Path | Sequence[str | Path] = (),
    fixes: Sequence[str] = (),
    model: str | None = None,
    brokers: int = 3,
    budget: float | None = None,
    progress: Callable[[ClosureFound], None] | None = None,
) -> ControllerBranchesOnKafka:
    """Make the closures of `lockstep_controller` under several settings, and tell which branches were taken in them.

    A branch is one way out of an `if` of a rule of the controller, in one action. It counts as taken if Kafka has taken
    a step that takes it. Which Kafka runs, and by which release's rules, is said as in `lockstep_controller`; `brokers`
    is the number of brokers in the larger closures. `budget` is in seconds.

    Raises UsageError where no class path or two are said; EngineError without a JDK or jars, or if the classes do not
    fit; Inconclusive if the budget is spent before anything is compared.
    """
    patience = Deadline(budget)
    coverage: ControllerCoverage | None = None
    cut = ""
    try:
        with patience.watching("making the harness"):
            of_kafka = kafka_classes(kafka, classpath, cast("Sequence[Path]", classes), fixes)
            rules, reference = rules_of(ConfigurableKraft, "kraft", model or model_of(of_kafka.version))
            asked = closures_for_coverage(
                lambda minimum, unclean: settings_beside(rules, of_kafka.version, None, minimum, unclean),
                knows_elr(of_kafka.version, rules.version),
                brokers,
            )
            with running(CONTROLLER, of_kafka) as run:
                coverage = ControllerCoverage(run, ConfigurableKraft, progress or (lambda _: None))
                patience("comparing the controllers")
                for one in asked:
                    coverage.ask(one)
    except BudgetExceeded as spent:
        if coverage is None or not any(found.asked for _, found in coverage.closures):
            raise Inconclusive(f"{spent}; nothing was compared.", "Raise the limit.") from spent
        cut = str(spent)
    return ControllerBranchesOnKafka(coverage.found(cut), reference, of_kafka)
