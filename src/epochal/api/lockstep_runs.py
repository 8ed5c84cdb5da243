"""`epochal.lockstep_runs`: random runs of the specification, each step of which Kafka's own classes take as well."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted
from epochal.checker.search.budget import Deadline
from epochal.checker.search.engines import semantics_of
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.coverage import Guide, Watched
from epochal.kafka.lockstep.harness import CLUSTER, QUORUM, running
from epochal.kafka.lockstep.judged import model_of
from epochal.kafka.lockstep.models import protocol_beside, shown_kafka, with_rules
from epochal.kafka.lockstep.quorum.models import quorum_beside
from epochal.kafka.lockstep.quorum.runs import DEFAULT_BOUNDS as DEFAULT_QUORUM
from epochal.kafka.lockstep.quorum.runs import run_randomly as run_quorum_randomly
from epochal.kafka.lockstep.runs import DEFAULT_BOUNDS, DEFAULT_STEPS, DifferingRun, Runs, RunsProgress, run_randomly
from epochal.spec.loading import load_protocol
from epochal.spec.quorum.state import QuorumState

from .options import reference_of
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.checker.trace.trace import Trace
    from epochal.report.documents import lockstep as documents
    from epochal.report.page import Page
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.language import Protocol, SettingValue

LONG_RUNS = 8_000
LONG_BUDGET = 60.0
"""So many steps, or seconds, are worth compiling the model to machine code: 5 s, and then 1.3 ms less for each step."""

DEFAULT_RUNS = 20
"""How many runs are made if neither their number nor a budget is said."""


@dataclass(frozen=True, repr=False)
class RandomRuns(Result):
    """What random runs have found. `asked` is how many runs were asked for, None if as many as the budget allows."""

    runs: Runs
    model: Protocol
    kafka: KafkaClasses
    seed: int
    asked: int | None
    seconds: float

    @property
    def reference(self) -> str:
        """How the command line calls the model."""
        return reference_of(self.model)

    @property
    def exit_code(self) -> ExitCode:
        """20 if Kafka and the model differ; 30 if a budget was spent before as many runs were made as asked for."""
        if self.runs.differing:
            return ExitCode.DRIFTED
        return ExitCode.INCONCLUSIVE if self.runs.cut and self.asked is not None else ExitCode.HOLDS

    @property
    def headline(self) -> str:
        """The answer in one line."""
        much = f"{counted(self.runs.runs, 'run')}, {counted(self.runs.compared, 'step')} compared"
        differing = counted(len(self.runs.differing), "run differs", "runs differ")
        verdict = differing if self.runs.differing else "the same in all"
        cut = f"; {self.runs.cut}" if self.exit_code == ExitCode.INCONCLUSIVE else ""
        return f"{self.model.name} and {shown_kafka(self.kafka)}: {much}: {verdict}{cut}"

    @property
    def outcome(self) -> str:
        """What the exit code means here."""
        return {ExitCode.HOLDS: "the same", ExitCode.DRIFTED: "differs"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """How runs differ: the action, and the leaves."""
        return [" ".join(one.kind) for one, _ in self.runs.kinds]

    def trace_of(self, one: DifferingRun) -> Trace:
        """A run that differs, as one of the model."""
        return _trace_of(one, self.reference, self.seed)

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the shortest run of each kind of difference, as ITF and as lines of the harness; the paths."""
        from epochal.checker.trace.output_folder import opened

        folder = opened(folder)
        written = written_runs(folder, self.runs, self.reference, self.seed)
        return [*written, str(folder.write_document("result.json", self.to_dict()))]

    def to_dict(self) -> documents.LockstepRuns:
        """The answer as plain data."""
        from epochal.checker.documents import document
        from epochal.report.documents import lockstep

        return document(lockstep.LockstepRuns, self.runs, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.lockstep import render_runs

        render_runs(page, self.runs, self.headline, self.kafka, files)
        page.written(files)


def _trace_of(one: DifferingRun, reference: str, seed: int) -> Trace:
    return replace(one.trace, facts={**one.trace.facts, "protocol": reference, "seed": seed})


def written_runs(folder: OutputFolder, runs: Runs, reference: str, seed: int) -> list[str]:
    """Write the shortest run of each kind of difference, as ITF and as lines of the harness; the paths."""
    from epochal.kafka.lockstep.lines import story

    written: list[str] = []
    for number, (one, _) in enumerate(runs.kinds, start=1):
        trace = _trace_of(one, reference, seed)
        written.append(str(folder.write_trace("differs", str(number), trace, report=False)))
        written.append(str(folder.write_text(f"differs-{number}.steps", story(one.lines, one.answers))))
    return written


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
    found = kafka_classes(kafka, classpath, classes, fixes)
    kind = load_protocol(protocol) if isinstance(protocol, str) else protocol
    asked = runs if runs is not None or budget is not None else DEFAULT_RUNS

    def tell(now: Runs) -> None:
        if progress is not None:
            seconds = time.monotonic() - patience.begun
            progress(RunsProgress(now.runs, asked, now.compared, len(now.differing), seconds))

    if issubclass(kind, QuorumState):
        if unclean_leader_election or rules or guided or (elr, min_insync_replicas) != (None, None):
            raise UsageError("a quorum has no such settings and rules", "Derive a class, and say --protocol FILE:NAME.")
        quorum = quorum_beside(model or found.version, kind, {**DEFAULT_QUORUM, "voters": brokers, **(bounds or {})})
        with running(QUORUM, found) as harness:
            made = run_quorum_randomly(harness, PythonSemantics(quorum), quorum, seed, steps, asked, patience, tell)
        return RandomRuns(made, quorum, found, seed, asked, time.monotonic() - patience.begun)
    plain = brokers_beside(found, model, brokers, elr, min_insync_replicas, unclean_leader_election, kind, bounds)
    beside = with_rules(plain, rules or {})
    guide = Guide(Watched(beside)) if guided else None
    long = (budget or 0) >= LONG_BUDGET if asked is None else asked * steps >= LONG_RUNS
    semantics = semantics_of("native" if engine == "native" or (engine == "auto" and long) else "python", beside)
    with running(CLUSTER, found) as harness:
        made = run_randomly(harness, semantics, beside, seed, steps, asked, patience, tell, guide)
    return RandomRuns(made, beside, found, seed, asked, time.monotonic() - patience.begun)
