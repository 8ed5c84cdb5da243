"""`epochal.lockstep_catalogue`: every known hole of Kafka with KRaft, played on Kafka's own classes."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted
from epochal.checker.search.budget import Deadline
from epochal.checker.search.engines import search_of
from epochal.checker.search.result import Options
from epochal.checker.trace.itf_reader import read_trace
from epochal.exit_codes import ExitCode
from epochal.kafka.catalogue.catalogue import asking, chosen, judged
from epochal.kafka.catalogue.gallery import trace_file
from epochal.kafka.lockstep.class_path import KafkaClasses, kafka_classes
from epochal.kafka.lockstep.harness import JavaProgram, RunningKafka, running
from epochal.kafka.lockstep.judged import model_of
from epochal.kafka.lockstep.known import HolesProgress, KnownHole, Standing, own_model
from epochal.kafka.lockstep.layers import layer_of
from epochal.kafka.lockstep.models import shown_kafka
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.loading import instantiate
from epochal.spec.quorum.state import QuorumState
from epochal.spec.registry import registered

from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.checker.trace.trace import Trace
    from epochal.report.documents import lockstep as documents
    from epochal.report.page import Page
    from epochal.spec.bugs.known_bug import KnownBug
    from epochal.spec.language import Protocol

MOST_STATES = 3_000_000
"""Of a search for a run."""


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
        """The answer in one line."""
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
        """What the exit code means here."""
        return "as expected" if self.exit_code == ExitCode.HOLDS else super().outcome

    @property
    def findings(self) -> list[str]:
        """The holes that are not as the model says."""
        return [one.id for one in self.holes if not one.as_expected]

    def write(self, folder: OutputFolder | str | Path) -> list[str]:
        """Write the lines of each hole that was played, and the answer as JSON; their paths."""
        from epochal.checker.trace.output_folder import opened, slug
        from epochal.kafka.lockstep.lines import story

        folder = opened(folder)
        written = [
            str(folder.write_text(f"{slug(one.id)}.steps", story(one.played.lines, one.played.answers)))
            for one in self.holes
            if one.played is not None
        ]
        return [*written, str(folder.write_document("result.json", self.to_dict()))]

    def to_dict(self) -> documents.LockstepCatalogue:
        """The answer as plain data."""
        from epochal.checker.documents import document
        from epochal.report.documents import lockstep

        return document(lockstep.LockstepCatalogue, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.lockstep import render_holes

        render_holes(page, self.holes, self.headline)
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
    """Play the shortest run of each known hole of `kraft` and of the quorum on Kafka's own classes: shown, or closed.

    `keys` are as in `epochal.catalogue`, and Kafka is said as in `lockstep_run`. `traces` is a folder of
    counterexamples, as `epochal counterexamples` writes it; without one each run is searched for. Of a hole that
    the catalogue knows in this release, and that is not shown by that run, the run is searched for that the release has
    of its own. What is to be expected is what the release's own model does with the run. A run is not mapped if it has
    a step or a setting that cannot be put to these classes, or changes what is not compared.

    Raises UsageError for a key that no entry has; EngineError without a JDK or jars, or if the process ends.
    """
    from epochal.spec.bugs.catalogue import CATALOGUE

    patience, found = Deadline(budget), kafka_classes(kafka, classpath, classes, fixes)
    asked = [bug for bug in chosen(keys, CATALOGUE) if issubclass(registered(bug.without_rule), (Kraft, QuorumState))]
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
    model is searched.
    """
    trace = _run_of(bug, folder)
    if trace is None:
        return KnownHole(bug.id, bug.title, None, None, "there is no run of it")
    hole = _put(harness, kafka, bug, trace)
    if hole.standing == Standing.SHOWN or not _has(kafka, bug) or not isinstance(trace.protocol, Kraft):
        return hole
    own = _searched(own_model(trace.protocol, kafka.version, bug), bug)
    again = None if own is None else _put(harness, kafka, bug, own)
    return again if again is not None and again.standing == Standing.SHOWN else hole


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
    """The shortest run of a hole in a protocol; None if it has none, or none within MOST_STATES."""
    return judged(search_of("auto")(protocol, asking(bug, protocol, Options(max_states=MOST_STATES)))).trace
