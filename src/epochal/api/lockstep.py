"""Kafka's own classes beside the specification: runs and lines played on them, random runs, branches, known holes."""

from __future__ import annotations

import functools
import shlex
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from epochal.checker.base.numbers import counted, timed
from epochal.checker.documents import document
from epochal.checker.search.budget import Deadline
from epochal.checker.search.engines import search_of, semantics_of
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.explain import sentence, told_as
from epochal.checker.trace.itf_reader import TraceReader, read_trace
from epochal.checker.trace.output_folder import OutputFolder, opened, slug
from epochal.checker.trace.replay import replay as replayed
from epochal.checker.trace.trace import Trace
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.catalogue import asking, chosen, judged, trace_file
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.compared import LeafDifference
from epochal.kafka.lockstep.coverage import MOST_STATES, Coverage, Guide, Watched, shown_branch, shown_place
from epochal.kafka.lockstep.covering import Covered, cover
from epochal.kafka.lockstep.directed import Played, PlayProgress
from epochal.kafka.lockstep.harness import CLUSTER, QUORUM, JavaProgram, RunningKafka, running
from epochal.kafka.lockstep.judged import model_of
from epochal.kafka.lockstep.known import PLAYED, HolesProgress, KnownHole, Standing, layer_of, own_model
from epochal.kafka.lockstep.lines import BEGINS_QUORUM, AnsweredLine, played_again, read_lines, story
from epochal.kafka.lockstep.models import protocol_beside, shown_kafka, with_rules
from epochal.kafka.lockstep.quorum.models import quorum_beside
from epochal.kafka.lockstep.quorum.runs import DEFAULT_BOUNDS as DEFAULT_QUORUM
from epochal.kafka.lockstep.quorum.runs import run_randomly as run_quorum_randomly
from epochal.kafka.lockstep.refused import Answer, GuardAsked
from epochal.kafka.lockstep.runs import DEFAULT_BOUNDS, DEFAULT_STEPS, DifferingRun, Runs, RunsProgress, run_randomly
from epochal.report import lockstep_documents as documents
from epochal.report.page import Page, Row
from epochal.report.progress import Counted, Telling
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import Protocol, SettingValue
from epochal.spec.loading import instantiate, load_protocol
from epochal.spec.quorum.state import QuorumState
from epochal.spec.registry import registered

from .options import reference_of
from .result import Result, question

# -- run --------------------------------------------------------------------------------------------------------------
# `epochal.lockstep_run`: a run of the specification, played on Kafka's own classes.


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
        folder = opened(folder)
        kept = folder.write_text("run.steps", story(self.played.lines, self.played.answers))
        return [str(kept), str(folder.write_document("result.json", self.to_dict()))]

    def to_dict(self) -> documents.LockstepRun:
        return document(documents.LockstepRun, self.played, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        page.line(self.headline, "bad" if self.played.holds is False else "good")
        order = f"replicas in the order {', '.join(self.played.order)}; " if self.played.order else ""
        page.line(f"{order}every step compared with {layer_of(self.played.trace.protocol).with_what}", indent=2)
        if self.played.differs:
            render_step(page, self.played.trace, self.played.taken, self.played.differs)
        if self.name.endswith(".json"):  # a file, and no trace of the caller's
            page.commands(
                [
                    f"epochal trace show {shlex.quote(self.name)}",
                    f"epochal lockstep run {shlex.quote(self.name)} {shlex.join(self.kafka.told)} --out found",
                ]
            )
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
    """Play a run on Kafka's own classes, step by step, and compare both states after each: of `kraft`, a quorum, a
    transactional id or a share group.

    The steps of `kraft` are taken by whole ReplicaManagers with the classes of the controller, those of a quorum by
    voters with a KafkaRaftClient each, those of a transactional id by the TransactionCoordinators of two brokers, and
    those of a share group by the SharePartitions of two brokers and by the shards of both coordinators.

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


# -- lines ------------------------------------------------------------------------------------------------------------
# `epochal.lockstep_lines`: lines of the harness, put to Kafka's own classes again.


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
        folder = opened(folder)
        again = story((one.line for one in self.lines), (one.now for one in self.lines))
        return [str(folder.write_text("run.steps", again)), str(folder.write_document("result.json", self.to_dict()))]

    def to_dict(self) -> documents.LockstepLines:
        return document(documents.LockstepLines, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        page.line(self.headline, "good" if all(one.same for one in self.lines) else "bad")
        for one in self.lines:
            page.verbatim(one.line)
            page.verbatim(one.now, "" if one.same else "bad", indent=4)
            if not one.same:
                page.verbatim(f"in the file: {one.kept}", "warn", indent=4)
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

    They are for brokers, or for the voters of the metadata quorum: their first line tells which. Which Kafka runs is
    said as in `lockstep_run`. Raises UsageError for a file without lines of the harness; EngineError without a JDK or
    jars, or if the process ends.
    """
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {path}", "Give a file *.steps, as --out writes it.")
    lines, found = read_lines(path), kafka_classes(kafka, classpath, classes, fixes)
    with running(QUORUM if lines[0][0].startswith(BEGINS_QUORUM) else CLUSTER, found) as harness:
        return PlayedLines(tuple(played_again(harness, lines)), str(path), found)


# -- runs -------------------------------------------------------------------------------------------------------------
# `epochal.lockstep_runs`: random runs of the specification, each step of which Kafka's own classes take as well.


LONG_RUNS = 8_000
LONG_BUDGET = 60.0
"""So many steps, or seconds, are worth compiling the model to machine code: 5 s, and then 1.3 ms less for each step."""

DEFAULT_RUNS = 20
"""How many runs are made if neither their number nor a budget is said."""


@dataclass(frozen=True, repr=False)
class _RunsBeside(Result):
    """Runs of a model that Kafka's own classes have taken as well."""

    model: Protocol
    kafka: KafkaClasses
    seed: int
    seconds: float

    @property
    @abstractmethod
    def _runs(self) -> Runs:
        """What was run, and where the two differ."""

    @property
    def reference(self) -> str:
        """How the command line calls the model."""
        return reference_of(self.model)

    @property
    def outcome(self) -> str:
        return {ExitCode.HOLDS: "the same", ExitCode.DRIFTED: "differs"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """How runs differ: the action, and the leaves."""
        return [" ".join(one.kind) for one, _ in self._runs.kinds]

    def trace_of(self, one: DifferingRun) -> Trace:
        """A run that differs, as one of the model."""
        return replace(one.trace, facts={**one.trace.facts, "protocol": self.reference, "seed": self.seed})

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the shortest run of each kind of difference, as ITF and as lines of the harness; the paths."""
        folder = opened(folder)
        written: list[str] = []
        for number, (one, _) in enumerate(self._runs.kinds, start=1):
            written.append(str(folder.write_trace("differs", str(number), self.trace_of(one), report=False)))
            written.append(str(folder.write_text(f"differs-{number}.steps", story(one.lines, one.answers))))
        return [*written, str(folder.write_document("result.json", self.to_dict()))]


@dataclass(frozen=True, repr=False)
class RandomRuns(_RunsBeside):
    """What random runs have found. `asked` is how many runs were asked for, None if as many as the budget allows."""

    runs: Runs
    asked: int | None

    @property
    def _runs(self) -> Runs:
        return self.runs

    @property
    def exit_code(self) -> ExitCode:
        """20 if Kafka and the model differ; 30 if a budget was spent before as many runs were made as asked for."""
        if self.runs.differing:
            return ExitCode.DRIFTED
        return ExitCode.INCONCLUSIVE if self.runs.cut and self.asked is not None else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        much = f"{counted(self.runs.runs, 'run')}, {counted(self.runs.compared, 'step')} compared"
        differing = counted(len(self.runs.differing), "run differs", "runs differ")
        verdict = differing if self.runs.differing else "the same in all"
        cut = f"; {self.runs.cut}" if self.exit_code == ExitCode.INCONCLUSIVE else ""
        return f"{self.model.name} and {shown_kafka(self.kafka)}: {much}: {verdict}{cut}"

    def to_dict(self) -> documents.LockstepRuns:
        return document(documents.LockstepRuns, self.runs, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        found = self.runs
        page.line(self.headline, "bad" if found.differing else "good")
        page.line(f"steps: {shown_steps(found)}", indent=2)
        if found.second_rounds:
            page.line(
                f"{counted(found.second_rounds, 'fetch', 'fetches')} of two rounds, as by a former leader", indent=2
            )
        for reason, count in sorted(found.left_out.items()):
            page.line(f"left out: {reason}: {count:,} times", "faint", indent=2)
        render_kinds(page, found, self.kafka, files)
        page.written(files)


def brokers_beside(
    kafka: KafkaClasses,
    model: str | None,
    brokers: int,
    elr: bool | None,
    min_insync_replicas: int | None,
    unclean_leader_election: bool,
    protocol: str | type[Protocol] = "kraft",
    bounds: Mapping[str, int] | None = None,
) -> ConfigurableKraft:
    """The model that stands beside brokers and controller. Raises BoundsError for settings that cannot be."""
    said = {"min_insync_replicas": min_insync_replicas, "elr": elr}
    settings: dict[str, SettingValue] = {name: value for name, value in said.items() if value is not None}
    if unclean_leader_election:
        settings["unclean_leader_election"] = True
    within = {**DEFAULT_BOUNDS, "replication_factor": brokers, **(bounds or {})}
    return protocol_beside(model or model_of(kafka.version), protocol, settings, within)


@question
def lockstep_runs(
    *,
    kafka: str | None = None,
    classpath: str | None = None,
    classes: Sequence[Path] = (),
    fixes: Sequence[str] = (),
    model: str | None = None,
    protocol: str | type[Protocol] = "kraft",
    brokers: int = 3,
    elr: bool | None = None,
    min_insync_replicas: int | None = None,
    unclean_leader_election: bool = False,
    rules: Mapping[str, str] | None = None,
    bounds: Mapping[str, int] | None = None,
    seed: int = 0,
    runs: int | None = None,
    steps: int = DEFAULT_STEPS,
    guided: bool = False,
    engine: str = "auto",
    budget: float | None = None,
    progress: Callable[[RunsProgress], None] | None = None,
) -> RandomRuns:
    """Make random runs, put every step to Kafka's own classes as well, and compare the states after it.

    Which Kafka runs is said as in `lockstep_run`. The model is that of its release, or of the release `model`, with
    these settings, which the harness makes as well; `protocol` is kraft or a class derived from `ConfigurableKraft`,
    and `rules` replaces rules by their names. `elr` is as the release ships it, unless said. The same `seed` gives the
    same runs. Without `runs` and `budget`, which is in seconds, there are 20 runs of at most `steps` steps; with a
    budget alone as many as it allows. `engine` is what computes the steps of the model: machine code, python, or auto,
    which is python for few steps, because machine code takes some seconds to compile. `guided` runs draw what takes
    branches of the actions that were taken least (`lockstep_coverage`).

    Of a quorum, voters with a KafkaRaftClient each take the steps, and `brokers` are the voters. `quorum` is the quorum
    of the release, and there are no settings.

    Raises BoundsError for settings or bounds that cannot be; EngineError without a JDK or jars, or if the process ends.
    """
    patience = Deadline(budget)
    kind = load_protocol(protocol) if isinstance(protocol, str) else protocol
    if issubclass(kind, QuorumState):
        if guided:
            raise UsageError("runs of the quorum are drawn by chance alone", "Leave out --guided.")
        if unclean_leader_election or rules or (elr, min_insync_replicas) != (None, None):
            raise UsageError(
                "the metadata quorum has no min.insync.replicas, ELR or unclean election, and no rules to replace",
                "Leave these out. For another rule derive a class, and say --protocol FILE:NAME.",
            )
    found = kafka_classes(kafka, classpath, classes, fixes)
    asked = runs if runs is not None or budget is not None else DEFAULT_RUNS

    def tell(now: Runs) -> None:
        if progress is not None:
            seconds = time.monotonic() - patience.begun
            progress(RunsProgress(now.runs, asked, now.compared, len(now.differing), seconds))

    if issubclass(kind, QuorumState):
        quorum = quorum_beside(model or found.version, kind, {**DEFAULT_QUORUM, "voters": brokers, **(bounds or {})})
        with running(QUORUM, found) as harness:
            made = run_quorum_randomly(harness, PythonSemantics(quorum), quorum, seed, steps, asked, patience, tell)
        return RandomRuns(quorum, found, seed, time.monotonic() - patience.begun, made, asked)
    plain = brokers_beside(found, model, brokers, elr, min_insync_replicas, unclean_leader_election, kind, bounds)
    beside = with_rules(plain, rules or {})
    guide = Guide(Watched(beside)) if guided else None
    long = (budget or 0) >= LONG_BUDGET if asked is None else asked * steps >= LONG_RUNS
    semantics = semantics_of("native" if engine == "native" or (engine == "auto" and long) else "python", beside)
    with running(CLUSTER, found) as harness:
        made = run_randomly(harness, semantics, beside, seed, steps, asked, patience, tell, guide)
    return RandomRuns(beside, found, seed, time.monotonic() - patience.begun, made, asked)


# -- coverage ---------------------------------------------------------------------------------------------------------
# `epochal.lockstep_coverage`: which branches of the specification's actions Kafka's own classes have taken.


NOT_REACHED = "Not reached: these settings allow it, and no run within the bounds takes it"


@dataclass(frozen=True, repr=False)
class CoverageOnKafka(_RunsBeside):
    """Which branches Kafka has taken, and how the runs ended that were made for it."""

    covered: Covered

    @property
    def _runs(self) -> Runs:
        return self.covered.runs

    @property
    def coverage(self) -> Coverage:
        """What is known of each branch."""
        return self.covered.coverage

    @property
    def exit_code(self) -> ExitCode:
        """20 if Kafka and the model differ in a run, or Kafka does what a guard forbids; 30 if a budget was spent."""
        if self.covered.runs.differing or self.covered.not_refused:
            return ExitCode.DRIFTED
        return ExitCode.INCONCLUSIVE if self.covered.runs.cut else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        found, runs = self.coverage, self.covered.runs
        taken = len(found.taken)
        of = f"{taken} of the {counted(taken + len(found.missing), 'branch', 'branches')} that it may take"
        differing = f"; {counted(len(runs.differing), 'run differs', 'runs differ')}" if runs.differing else ""
        changed = len(self.covered.not_refused)
        differing += f"; it does what {counted(changed, 'guard forbids', 'guards forbid')}" if changed else ""
        cut = f"; {runs.cut}" if runs.cut else ""
        return f"{shown_kafka(self.kafka)} has taken {found.percent:.0f} % of {self.model.name}: {of}{differing}{cut}"

    def to_dict(self) -> documents.LockstepCoverage:
        return document(documents.LockstepCoverage, self.covered, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        found, coverage = self.covered, self.coverage
        page.line(self.headline, "bad" if found.runs.differing or coverage.missing else "good")
        page.line(f"steps: {shown_steps(found.runs)}", indent=2)
        for one in coverage.looked:
            protocol = one.watched.protocol
            bounds = ", ".join(f"{name} {value}" for name, value in protocol.bounds.as_dict().items())
            page.line(f"a search for what was missing, with {shown_place(protocol)}: {bounds}", "faint", indent=2)
        render_branches(page, coverage, NOT_REACHED)
        _guards(page, found.guards)
        render_kinds(page, found.runs, self.kafka, files)
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
    return CoverageOnKafka(beside, found, seed, time.monotonic() - patience.begun, covered)


# -- catalogue --------------------------------------------------------------------------------------------------------
# `epochal.lockstep_catalogue`: every known hole of Kafka with KRaft, played on Kafka's own classes.


MOST_STATES_OF_A_HOLE = 3_000_000
"""Of a search for the run of a known hole."""


@dataclass(frozen=True, repr=False)
class HolesOnKafka(Result):
    """What became of known holes. `cut` is the budget that was spent before all of them were played; "" if none."""

    holes: tuple[KnownHole, ...]
    asked: int
    kafka: KafkaClasses
    cut: str

    @property
    def exit_code(self) -> ExitCode:
        """12 if a hole is shown that the release's model has closed; 21 if an open one is not shown; 30 for a cut."""
        unexpected = {one.standing for one in self.holes if not one.as_expected}
        if Standing.SHOWN in unexpected:
            return ExitCode.VIOLATED
        if unexpected:
            return ExitCode.EXPECTATION_MISSED
        return ExitCode.INCONCLUSIVE if self.cut else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        counts = [f"{sum(one.standing == which for one in self.holes)} {which.value}" for which in Standing]
        unexpected = sum(not one.as_expected for one in self.holes)
        verdict = f"{unexpected} not as the model of {self.release} says" if unexpected else "all as its model says"
        cut = f"; {self.cut}" if self.cut else ""
        return f"{shown_kafka(self.kafka)}: {counted(self.asked, 'known hole')}: {', '.join(counts)}: {verdict}{cut}"

    @property
    def release(self) -> str:
        """The release whose model says what is to be expected."""
        return model_of(self.kafka.version)

    @property
    def outcome(self) -> str:
        return "as expected" if self.exit_code == ExitCode.HOLDS else super().outcome

    @property
    def findings(self) -> list[str]:
        """The holes that are not as the model says."""
        return [one.id for one in self.holes if not one.as_expected]

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the lines of each hole that was played, and the answer as JSON; their paths."""
        folder = opened(folder)
        written = [
            str(folder.write_text(f"{slug(one.id)}.steps", story(one.played.lines, one.played.answers)))
            for one in self.holes
            if one.played is not None
        ]
        return [*written, str(folder.write_document("result.json", self.to_dict()))]

    def to_dict(self) -> documents.LockstepCatalogue:
        return document(documents.LockstepCatalogue, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        page.line(self.headline, "good" if all(one.as_expected for one in self.holes) else "bad")
        rows: list[Row] = []
        for one in sorted(self.holes, key=lambda one: (one.as_expected, one.played is None)):
            expected = "" if one.as_expected else f"; the model of the release: {one.expected.value}"
            rows.append((one.id, one.title, (f"{one.says}{expected}", "" if one.as_expected else "bad")))
        page.table(rows, header=("ID", "HOLE", "ON THIS KAFKA"))
        page.written(files)


@question
def lockstep_catalogue(
    *keys: str,
    kafka: str | None = None,
    classpath: str | None = None,
    classes: Sequence[Path] = (),
    fixes: Sequence[str] = (),
    traces: str | Path | None = None,
    budget: float | None = None,
    progress: Callable[[HolesProgress], None] | None = None,
) -> HolesOnKafka:
    """Play the shortest run of each known hole of Kafka with KRaft on Kafka's own classes: shown, or closed.

    `keys` are as in `epochal.catalogue`, and Kafka is said as in `lockstep_run`. `traces` is a folder of
    counterexamples, as `epochal counterexamples` writes it; without one each run is searched for. Of a hole that
    the catalogue knows in this release, and that is not shown by that run, the run is searched for that the release has
    of its own. What is to be expected is what the release's own model does with the run. A run is not mapped if it has
    a step or a setting that cannot be put to these classes, or changes what is not compared.

    Raises UsageError for a key that no entry has; EngineError without a JDK or jars, or if the process ends.
    """
    patience, found = Deadline(budget), kafka_classes(kafka, classpath, classes, fixes)
    asked = [bug for bug in chosen(keys, CATALOGUE) if issubclass(registered(bug.without_rule), PLAYED)]
    folder = None if traces is None else Path(traces)
    holes: list[KnownHole] = []
    cut = ""
    with ExitStack() as held:

        @functools.cache
        def harness(program: JavaProgram) -> RunningKafka:
            return held.enter_context(running(program, found))

        for bug in asked:
            spent = patience.spent()
            if spent is not None:
                cut = spent.text
                break
            if progress is not None:
                progress(HolesProgress(len(holes), len(asked), bug.id, time.monotonic() - patience.begun))
            holes.append(_played(harness, found, bug, folder))
    return HolesOnKafka(tuple(holes), len(asked), found, cut)


def _played(
    harness: Callable[[JavaProgram], RunningKafka], kafka: KafkaClasses, bug: KnownBug, folder: Path | None
) -> KnownHole:
    """What became of one hole.

    A release that has it by a run of its own leaves the one that is kept of it, because of another rule: there its own
    model is searched (`own_model`).
    """
    trace = _run_of(bug, folder)
    if trace is None:
        return KnownHole(bug.id, bug.title, None, None, "there is no run of it")
    hole = _put(harness, kafka, bug, trace)
    if hole.standing == Standing.SHOWN or (hole.played is None and not _has(kafka, bug)):
        return hole
    model = own_model(trace.protocol, kafka.version, bug)
    own = None if model is None else _searched(model, bug)
    again = None if own is None else _put(harness, kafka, bug, own)
    return hole if again is None or (isinstance(model, Kraft) and again.standing != Standing.SHOWN) else again


def _has(kafka: KafkaClasses, bug: KnownBug) -> bool:
    """Whether the catalogue says that this release has the hole."""
    return bug.was_in(model_of(kafka.version))


def _put(harness: Callable[[JavaProgram], RunningKafka], kafka: KafkaClasses, bug: KnownBug, trace: Trace) -> KnownHole:
    """What becomes of a hole by this run."""
    layer = layer_of(trace.protocol)
    why = layer.not_mapped(trace, kafka.version)
    if why:
        return KnownHole(bug.id, bug.title, None, None, why)
    played = layer.play(harness(layer.program), trace, lambda order, orders: None)
    if played.refused:
        return KnownHole(bug.id, bug.title, None, None, played.refused)
    if played.followed and played.holds is None:
        return KnownHole(bug.id, bug.title, None, None, f"{trace.property_id} is about no single state or step")
    return KnownHole(bug.id, bug.title, played, layer.left_by_model(trace, kafka.version, bug))


def _run_of(bug: KnownBug, folder: Path | None) -> Trace | None:
    """The shortest run of a hole: in the folder, or searched for."""
    if folder is not None:
        file = folder / trace_file(bug.without_rule, bug.property_id, bug.other_bounds)
        return read_trace(file, registered) if file.is_file() else None
    return _searched(instantiate(registered(bug.without_rule), dict(bug.other_bounds)), bug)


def _searched(protocol: Protocol, bug: KnownBug) -> Trace | None:
    """The shortest run of a hole in a protocol; None if it has none within so many states."""
    return judged(search_of("auto")(protocol, asking(bug, protocol, Options(max_states=MOST_STATES_OF_A_HOLE)))).trace


# -- reports ----------------------------------------------------------------------------------------------------------


def shown_steps(found: Runs) -> str:
    """How many steps of each action were compared."""
    return ", ".join(f"{action} {count:,}" for action, count in sorted(found.steps.items())) or "none"


def render_kinds(page: Page, found: Runs, kafka: KafkaClasses, files: Sequence[str]) -> None:
    """The shortest run of each kind of difference."""
    traces = [name for name in files if name.endswith(".itf.json")]
    for place, (one, runs) in enumerate(found.kinds):
        alike = f"the shortest of {counted(runs, 'run')} like it: " if runs > 1 else ""
        page.title(f"{alike}run {one.number}, Kafka says {' '.join(one.said)}")
        render_step(page, one.trace, len(one.trace.steps), one.differs)
        if place < len(traces):
            page.commands([f"epochal lockstep run {shlex.quote(traces[place])} --same {shlex.join(kafka.told)}"])


def render_step(page: Page, trace: Trace, number: int, differs: Sequence[LeafDifference]) -> None:
    """A step after which the states differ, and each leaf with both values."""
    if number:
        instance = trace.steps[number - 1].instance
        page.title(f"Step {number}")
        page.line(told_as(instance.label, sentence(instance)), indent=2)
    else:
        page.title("Initial state")
    page.table([(one.leaf, one.kafka, one.model) for one in differs], header=("", "KAFKA", "MODEL"))


def _runs_in_words(now: RunsProgress) -> str:
    runs = f"run {now.runs:,}" + (f" of {now.asked:,}" if now.asked is not None else "")
    return f"{runs}, {counted(now.steps, 'step')}, {now.differing:,} differ, {timed(now.seconds)}"


RUNS_TELLING = Telling(_runs_in_words, far=lambda now: None if now.asked is None else Counted(now.runs - 1, now.asked))
HOLES_TELLING = Telling[HolesProgress](
    lambda now: f"{now.done} of {counted(now.asked, 'hole')}, now {now.id}, {timed(now.seconds)}",
    far=lambda now: Counted(now.done, now.asked),
)
PLAY_TELLING = Telling[PlayProgress](
    lambda now: f"order {now.order} of {now.orders} of the replicas, {timed(now.seconds)}"
)
"""The progress of random runs, of the catalogue, and of a run that is played."""

TOLD = (Answer.COMPOSED, Answer.CHANGED, Answer.LEFT_OUT, Answer.UNREACHED)
"""The guards of which more is told than their number."""


def _guards(page: Page, guards: Sequence[GuardAsked]) -> None:
    """How many guards Kafka has, and each that it has not shown."""
    if not guards:
        return
    counts = Counter(one.answer for one in guards)
    told = ", ".join(f"{one.value} {counts[one]}" for one in Answer if counts[one])
    page.title(f"Guards, each with a request that it alone forbids: {told}")
    for one in guards:
        if one.answer not in TOLD:
            continue
        page.line(f"{one.guard.action}, {one.guard.where}: {one.guard.text}", indent=2)
        steps = 0 if one.run is None else len(one.run.steps)
        asked = f"{one.request} after {counted(steps, 'step')}: {' '.join(one.said)}" if one.said else ""
        page.line("; ".join(filter(None, (one.answer.value, asked, one.reason))), "faint", indent=4)
        if one.answer == Answer.CHANGED:
            page.table([(leaf.leaf, leaf.model, leaf.kafka) for leaf in one.changed], header=("", "BEFORE", "AFTER"))


def render_branches(page: Page, coverage: Coverage, not_reached: str) -> None:
    """How many branches of each action Kafka has taken, and every other. `not_reached` is the title of some of them."""
    parts = (coverage.taken, coverage.missing, coverage.unreached, coverage.elsewhere)
    counts = [Counter(one.branch.action for one in some) for some in parts]
    actions = sorted({one.branch.action for one in coverage.branches})
    page.table(
        [(action, *(f"{count[action]:,}" for count in counts)) for action in actions],
        header=("ACTION", "TAKEN", "MISSING", "NOT REACHED", "OTHER SETTINGS"),
        right=(1, 2, 3, 4),
    )
    for title, some in zip(("Missing", not_reached, "Other settings"), parts[1:], strict=True):
        if some:
            page.title(title)
            page.table([(one.branch.action, shown_branch(one.branch), one.reason) for one in some])
