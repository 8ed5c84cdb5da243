"""`epochal.lockstep_controller`: whether Kafka's own controller classes do what the specification does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from epochal.checker.base.numbers import counted
from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.errors import Inconclusive, UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.closure import Closure, ClosureBounds, ClosureFound
from epochal.kafka.lockstep.harness import CONTROLLER, QUEUED_CONTROLLER, running
from epochal.kafka.lockstep.judged import ControllerInForce, LockstepJudged, model_of, release_of
from epochal.kafka.validation.controller import RuleSet, controller_of

from .result import Result, question

if TYPE_CHECKING:
    from epochal.report.documents import lockstep_controller as documents
    from epochal.report.page import Page
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.kraft.settings import Settings


@dataclass(frozen=True, repr=False)
class LockstepControllerResult(Result):
    """How Kafka's controller and the specification's compare."""

    judged: LockstepJudged

    @property
    def exit_code(self) -> ExitCode:
        """20 if they differ anywhere; 30 if a budget was spent and nothing differs in what was seen."""
        if self.judged.found.differences:
            return ExitCode.DRIFTED
        return ExitCode.INCONCLUSIVE if self.judged.cut else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        """The answer in one line."""
        found = self.judged.found
        both = f"the controller of {self.judged.kafka} and {self.judged.reference}"
        seen = f"{counted(found.states, 'state')}, {counted(found.asked, 'request')}"
        if found.differences:
            verb = "differs" if found.differences == 1 else "differ"
            return f"{both}: {counted(found.differences, 'request')} of {found.asked:,} {verb}"
        if self.judged.cut:
            return f"{both}: inconclusive: {self.judged.cut}; nothing differs until then: {seen}"
        return f"{both} do the same: {seen}"

    @property
    def outcome(self) -> str:
        """What the exit code means here."""
        return {ExitCode.HOLDS: "the same", ExitCode.DRIFTED: "they differ"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """What differs."""
        return [f"{action}: {kind}" for action, kind in sorted(self.judged.found.differing)]

    def to_dict(self) -> documents.LockstepController:
        """The answer as plain data."""
        from epochal.checker.documents import document
        from epochal.report.documents.lockstep_controller import LockstepController

        return document(LockstepController, self.judged, self.judged.in_force, self.judged.bounds, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.lockstep_controller import render_controller

        render_controller(page, self.judged, self.headline, files)


@question
def lockstep_controller(
    *,
    kafka: str | None = None,
    classpath: str | None = None,
    classes: str | Path | Sequence[str | Path] = (),
    fixes: Sequence[str] = (),
    model: str | None = None,
    protocol: str | type[ConfigurableKraft] = "kraft",
    brokers: int = 3,
    replication_factor: int | None = None,
    elr: bool | None = None,
    min_insync_replicas: int = 2,
    unclean_leader_election: bool = False,
    reassignments: int = 0,
    directories: bool = False,
    shutdowns: bool = False,
    setting_changes: bool = False,
    default_minimum: bool = False,
    second_partition: int = 0,
    quorum_controller: bool = False,
    budget: float | None = None,
    progress: Callable[[ClosureFound], None] | None = None,
) -> LockstepControllerResult:
    """Hold Kafka's own controller classes against the specification: every reachable state, and every request in it.

    `kafka` is a pinned release such as `4.3.1`, or `classpath` says where the classes are; `classes` are folders of
    changed classes that stand before either. `model` is the release whose rules are meant (None: the same), and
    `protocol` is kraft or a class derived from `ConfigurableKraft`. `elr` is as the release ships it, unless said.
    `reassignments` is how many a run may have; with `directories` log directories may fail. With `shutdowns` brokers
    shut down heartbeat by heartbeat, and other controllers take office meanwhile; with `setting_changes`
    min.insync.replicas and the ELR feature change, and with `default_minimum` that is the default of the cluster.
    `second_partition` is the number of replicas of another partition of the topic. With `quorum_controller` the whole
    QuorumController runs, with its event queue, and not its managers alone.
    `budget` is in seconds: what was not seen by then is not compared, and the answer says so.

    Raises UsageError where no class path or two are said, for a Kafka without ELR that shall have it, and for a class
    path without Kafka or with two; EngineError without a JDK or jars, or if the classes do not fit; Inconclusive if the
    budget is spent before anything is compared.
    """
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.loading import load_protocol

    kind = load_protocol(protocol) if isinstance(protocol, str) else protocol
    name = protocol if isinstance(protocol, str) else kind.__name__
    if not issubclass(kind, ConfigurableKraft):
        raise UsageError(f"{kind.__name__} is not kraft: Kafka is held against kraft and what derives from it")
    patience = Deadline(budget)
    replicas = brokers if replication_factor is None else replication_factor
    if replicas > brokers:
        raise UsageError(f"{counted(replicas, 'replica')} need as many brokers, and there are {brokers}")
    if second_partition > brokers:
        raise UsageError(f"{counted(second_partition, 'replica')} need as many brokers, and there are {brokers}")
    _together(reassignments, directories, shutdowns or setting_changes, second_partition)
    if default_minimum and not setting_changes:
        raise UsageError("a default minimum is one that changes", "Say --setting-changes as well.")
    before = cast("Sequence[Path]", classes)  # the table of options makes paths of them
    closure: Closure | None = None
    try:
        with patience.watching("making the harness"):
            of_kafka = kafka_classes(kafka, classpath, before, fixes)
            rules, reference = rules_of(kind, name, model or model_of(of_kafka.version))
            min_isr = min(min_insync_replicas, replicas)
            settings = settings_beside(rules, of_kafka.version, elr, min_isr, unclean_leader_election)
            bounds = ClosureBounds(
                brokers,
                replicas,
                reassignments,
                directories,
                shutdowns,
                setting_changes,
                setting_changes and not default_minimum and knows_elr(of_kafka.version, rules.version),
                default_minimum,
                second_partition,
                min_insync_replicas if second_partition else 0,
            )
            with running(QUEUED_CONTROLLER if quorum_controller else CONTROLLER, of_kafka) as run:
                closure = Closure(run, kind, settings, bounds, progress or (lambda _: None))
                patience("comparing the controllers")
                closure.run()
    except BudgetExceeded as spent:
        if closure is None or not closure.found.asked:
            raise Inconclusive(f"{spent}; nothing was compared.", "Raise the limit.") from spent
        cut = str(spent)
    else:
        cut = ""
    in_force = ControllerInForce(settings.elr, settings.min_insync_replicas, settings.unclean_leader_election)
    judged = LockstepJudged(of_kafka, reference, rules.version, in_force, bounds, closure.found, cut, quorum_controller)
    return LockstepControllerResult(judged)


def _together(reassignments: int, directories: bool, changing: bool, second_partition: int) -> None:
    """Raise UsageError for what is not compared at once: too many states."""
    if second_partition and (reassignments or directories or changing):
        raise UsageError("another partition is compared without reassignments, directories, shutdowns and changes")
    if changing and reassignments:
        raise UsageError("shutdowns and changes of settings are compared without reassignments")


def knows_elr(*versions: str) -> bool:
    """Whether all of these versions have eligible leader replicas."""
    from epochal.spec.kraft.generations import FIRST_WITH_ELR, numbered

    return all(numbered(release_of(one)) >= FIRST_WITH_ELR for one in versions)


def rules_of(kind: type[ConfigurableKraft], name: str, model: str) -> tuple[RuleSet, str]:
    """The rules of a release, and how the command line calls the specification that has them. Raises BoundsError."""
    from epochal.spec.language.configurable import reference_to, with_configuration

    judging = with_configuration(controller_of(kind, kind.settings), {"kafka": model})
    settings = cast("type[ConfigurableKraft]", judging).settings
    reference = reference_to(name, with_configuration(kind, {"kafka": model}))
    return RuleSet(kind, settings, model), reference


def settings_beside(rules: RuleSet, version: str, elr: bool | None, min_isr: int, unclean: bool) -> Settings:
    """The settings of the specification that both sides have. Raises UsageError."""
    shipped = rules.shipped
    elr = shipped.elr if elr is None else elr
    if elr and not knows_elr(version, rules.version):
        raise UsageError(
            "there are eligible leader replicas since Kafka 4.0, and not in "
            f"{rules.version if knows_elr(version) else version}",
            "Turn them off: --no-elr.",
        )
    return rules.settings_under(min_isr, unclean, elr, shipped.shrink_bumps_leader_epoch)
