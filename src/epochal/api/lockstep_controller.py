"""Kafka's own controller classes beside the specification: whether they do the same, and which branches they take."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from epochal.checker.base.numbers import counted
from epochal.checker.documents import document
from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.errors import Inconclusive, UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.closure import Closure, ClosureBounds, ClosureFound, ControllerDifference
from epochal.kafka.lockstep.controller_coverage import ControllerCoverage, ControllerCovered, closures_for_coverage
from epochal.kafka.lockstep.controller_lines import KnownState, ThrownStep, places
from epochal.kafka.lockstep.coverage import Coverage
from epochal.kafka.lockstep.harness import CONTROLLER, QUEUED_CONTROLLER, running
from epochal.kafka.lockstep.judged import ControllerInForce, LockstepJudged, model_of, release_of
from epochal.kafka.lockstep.models import shown_kafka
from epochal.kafka.validation.controller import Outline, RuleSet, controller_of
from epochal.kafka.validation.image import NOBODY
from epochal.report import lockstep_documents as documents
from epochal.report.page import Page, Style
from epochal.report.progress import Telling
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import FIRST_WITH_ELR, numbered
from epochal.spec.kraft.settings import Settings
from epochal.spec.language.configurable import reference_to, with_configuration
from epochal.spec.loading import load_protocol

from .lockstep import render_branches
from .result import Result, question


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
        return {ExitCode.HOLDS: "the same", ExitCode.DRIFTED: "they differ"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """What differs."""
        return [f"{action}: {kind}" for action, kind in sorted(self.judged.found.differing)]

    def to_dict(self) -> documents.LockstepController:
        return document(documents.LockstepController, self.judged, self.judged.in_force, self.judged.bounds, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        judged, found = self.judged, self.judged.found
        tone: Style = "bad" if found.differences else "warn" if judged.cut else "good"
        page.line(self.headline, tone)
        page.line(_shown_settings(judged), indent=2)
        if judged.is_of_another_release:
            page.line(
                f"The specification follows the rules of Kafka {judged.model}, not those of {judged.kafka.version}.",
                "warn",
                indent=2,
            )
        page.title("Requests")
        differ = {name: sum(n for (one, _), n in found.differing.items() if one == name) for name in found.requests}
        page.table(
            [
                (name, f"{made:,}", f"{found.without_step[name]:,}", f"{differ[name]:,}")
                for name, made in sorted(found.requests.items())
            ],
            header=("REQUEST", "MADE", "NO CHANGE", "DIFFER"),
            right=(1, 2, 3),
        )
        page.line(f"{counted(found.executions, 'step')} of Kafka's classes, in every order of the replicas", indent=2)
        for key, one in sorted(found.shortest.items()):
            _difference(page, one, found.differing[key])
        page.title("Not asked")
        page.lines(judged.not_asked, indent=2)
        if found.differences:
            page.commands([again(judged)])
        page.written(files)


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
    return all(numbered(release_of(one)) >= FIRST_WITH_ELR for one in versions)


def rules_of(kind: type[ConfigurableKraft], name: str, model: str) -> tuple[RuleSet, str]:
    """The rules of a release, and how the command line calls the specification that has them. Raises BoundsError."""
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


MOST_OUTCOMES = 4


def again(judged: LockstepJudged) -> str:
    """The command that asks once more."""
    bounds, in_force = judged.bounds, judged.in_force
    words = ["epochal", "lockstep", "controller", *judged.kafka.told]
    if judged.is_of_another_release:
        words += ["--model", judged.model]
    words += ["--brokers", str(bounds.brokers), "--replication-factor", str(bounds.replicas)]
    words += ["--elr" if in_force.elr else "--no-elr"]
    words += ["--min-insync-replicas", str(max(in_force.min_insync_replicas, bounds.minimum))]
    words += ["--unclean-leader-election"] if in_force.unclean_leader_election else []
    words += ["--reassignments", str(bounds.reassignments)] if bounds.reassignments else []
    words += ["--directories"] if bounds.directories else []
    words += ["--shutdowns"] if bounds.shutdowns else []
    words += ["--setting-changes"] if bounds.settings else []
    words += ["--default-minimum"] if bounds.minimum_is_default else []
    words += ["--second-partition", str(bounds.second)] if bounds.second else []
    words += ["--quorum-controller"] if judged.quorum_controller else []
    return shlex.join(words)


def _shown_settings(judged: LockstepJudged) -> str:
    bounds, in_force = judged.bounds, judged.in_force
    said = [
        counted(bounds.brokers, "broker"),
        counted(bounds.replicas, "replica"),
        f"min.insync.replicas {max(in_force.min_insync_replicas, bounds.minimum)}",
        "ELR on" if in_force.elr else "ELR off",
    ]
    said += ["unclean leader election"] if in_force.unclean_leader_election else []
    said += [f"at most {counted(bounds.reassignments, 'reassignment')} in a run"] if bounds.reassignments else []
    said += ["log directories fail"] if bounds.directories else []
    said += ["brokers wait until they may shut down"] if bounds.shutdowns else []
    minimum = "the default of min.insync.replicas" if bounds.minimum_is_default else "min.insync.replicas"
    said += [f"{minimum}{' and the ELR feature' if bounds.elr_changes else ''} may change"] if bounds.settings else []
    said += ["QuorumController with its event queue"] if judged.quorum_controller else []
    said += [f"another partition with {counted(bounds.second, 'replica')}"] if bounds.second else []
    return ", ".join(said)


def _difference(page: Page, one: ControllerDifference, requests: int) -> None:
    """The shortest run to a difference of its kind, with what each side does alone."""
    page.line()
    page.line(f"{one.request}: {one.kind} ({counted(requests, 'request')})", "bad")
    page.line(f"before  {told(one.before)}", indent=2)
    for line, state in one.kafka[:MOST_OUTCOMES]:
        page.line(f"Kafka   {told(state)}", indent=2)
        page.verbatim(f"by {line}", "faint", indent=10)
    if not one.kafka:
        page.line("Kafka   nothing that the specification has not", indent=2)
    for state in one.model[:MOST_OUTCOMES]:
        page.line(f"model   {told(state)}", indent=2)
    if not one.model:
        page.line("model   nothing that Kafka has not", indent=2)
    if one.run:
        page.line(f"The state before is reached in {counted(len(one.run), 'step')}:", "faint", indent=2)
        page.lines((f"{step.request}: {told(step.after)}" for step in one.run), indent=4)


def told(state: KnownState | ThrownStep) -> str:
    """`leader 0, ISR 0,1; active 0,1,2`, and how much the leader epoch has grown."""
    if isinstance(state, ThrownStep):
        return f"throws {state.said}"
    said = [_partition(state.partition)]
    said += [f"partition 1: {_partition(state.second)}"] if state.second is not None else []
    active = f"active {_brokers(places(state.active))}"
    active += f", directory offline of {_brokers(places(state.offline))}" if state.offline else ""
    active += f", waiting to shut down {_brokers(places(state.leaving))}" if state.leaving else ""
    active += f", waiting under another controller {_brokers(places(state.forgotten))}" if state.forgotten else ""
    said.append(active)
    if state.in_force is not None:
        said.append(f"min.insync.replicas {state.in_force.min_isr}, ELR {'on' if state.in_force.elr else 'off'}")
    return "; ".join(said)


def _partition(now: Outline) -> str:
    said = ["no leader" if now.leader == NOBODY else f"leader {now.leader}"]
    said[0] += f" e+{now.epoch}" if now.epoch else ""
    said.append(f"ISR {_brokers(places(now.isr))}")
    for name, some in (("ELR", now.elr), ("adding", now.adding), ("removing", now.removing)):
        said += [f"{name} {_brokers(places(some))}"] if some else []
    said += [f"last known leader {now.last_known_leader}"] if now.last_known_leader != NOBODY else []
    said += ["recovering"] if now.recovering else []
    said.append(f"replicas {_brokers(places(now.replicas))}")
    return ", ".join(said)


def _brokers(some: Iterable[int]) -> str:
    return ",".join(map(str, some)) or "nobody"


TELLING = Telling[ClosureFound](
    lambda now: (
        f"{now.states:,} states, {now.asked:,} requests, {now.waiting:,} states waiting, {now.differences:,} differ"
    ),
    lambda now: {"states": now.states, "requests": now.asked, "waiting": now.waiting, "differ": now.differences},
)
"""The progress of `epochal lockstep controller`."""


# -- coverage ---------------------------------------------------------------------------------------------------------
# `epochal.lockstep_controller_coverage`: which branches of the controller's rules Kafka's controller has taken.

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
        return {ExitCode.HOLDS: "the same", ExitCode.DRIFTED: "they differ"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """What differs."""
        differing = {key for _, found in self.covered.closures for key in found.differing}
        return [f"{action}: {kind}" for action, kind in sorted(differing)]

    def to_dict(self) -> documents.LockstepControllerCoverage:
        return document(documents.LockstepControllerCoverage, self.covered, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
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
        render_branches(page, coverage, NOT_REACHED)
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
