"""`epochal.conform`: whether what brokers left behind is a run of the specification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from epochal.checker.base.numbers import counted
from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.errors import Inconclusive, UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.validation.brokers import BrokersVerdict, judge_brokers
from epochal.kafka.validation.collected import Collected, collected
from epochal.kafka.validation.controller import ControllerVerdict, RuleSet, controller_of, settled
from epochal.kafka.validation.detectors import ClientsVerdict, detected, known_of, told_by_logs
from epochal.kafka.validation.judged import Judged
from epochal.kafka.validation.meter import Meter, Progress
from epochal.kafka.validation.noticed import Noticed, Weight, noticed
from epochal.kafka.validation.run.as_trace import ToldRun
from epochal.kafka.validation.run.as_trace import told as as_trace
from epochal.kafka.validation.run.judged_runs import RunsVerdict, judge_runs

from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.trace.trace import Trace
    from epochal.report.documents import conform as documents
    from epochal.report.page import Page
    from epochal.spec.kraft.configuration import ConfigurableKraft


@dataclass(frozen=True, repr=False)
class Conformance(Result):
    """What the evidence says of a specification."""

    judged: Judged

    @property
    def controller(self) -> ControllerVerdict | None:
        """What the controller did; None without a metadata log."""
        return self.judged.controller

    @property
    def brokers(self) -> BrokersVerdict | None:
        """What the brokers did, as their logs tell; None without a metadata log."""
        return self.judged.brokers

    @property
    def traces(self) -> dict[str, Trace]:
        """The run that explains a partition, as `result.traces["t-0"]`.

        Beside it stands, by partition and property, the run up to the state in which a property of the specification
        fails: `result.traces["t-0 committed_never_lost"]`.
        """
        found: dict[str, Trace] = {}
        for one in self.judged.told:
            if one.trace is not None:
                found[one.partition] = one.trace
                for name, length in one.violated:
                    found[f"{one.partition} {name}"] = one.counterexample(name, length)
        return found

    @property
    def exit_code(self) -> ExitCode:
        """20 if the evidence does something that the specification does not; 30 if nothing could be checked, or not all
        within the budget."""
        if self.judged.refused:
            return ExitCode.DRIFTED
        return ExitCode.HOLDS if self.judged.accepted and not self.judged.cut else ExitCode.INCONCLUSIVE

    @property
    def headline(self) -> str:
        """The answer in one line."""
        name, lost = self.judged.name, self._lost
        if self.controller is None or self.brokers is None:
            on_zookeeper = self.judged.evidence.is_of_zookeeper
            why = "its brokers were on ZooKeeper" if on_zookeeper else "there is no metadata log"
            return f"{name}: nothing could be checked: {why}{lost}"
        changes, lines = self.controller, self.brokers
        if self.judged.refused:
            refused = [counted(len(changes.refused), "place") + " that no step explains"] if changes.refused else []
            refused += [counted(len(lines.refused), "line") + " of brokers that cannot be"] if lines.refused else []
            runs = len(self.judged.runs.refused) if self.judged.runs is not None else 0
            refused += [counted(runs, "partition") + " that no run explains as a whole"] if runs else []
            return f"{name}: refused: {' and '.join(refused)}{lost}"
        if not self.judged.accepted:
            return f"{name}: nothing could be checked: no partition changes, and no broker tells of any{lost}"
        accepted = [counted(changes.judged, "change") + " of partitions"] if changes.judged else []
        accepted += [counted(lines.accepted, "line") + " of brokers"] if lines.accepted else []
        verdict = f"inconclusive: {self.judged.cut}; accepted until then" if self.judged.cut else "accepted"
        return f"{name}: {verdict}: {' and '.join(accepted)}{lost}"

    @property
    def _lost(self) -> str:
        """What is lost, as a headline ends: records that clients were told of, else what replicas have cut off."""
        clients = self.judged.clients
        if clients is not None and clients.lost:
            lost = len(clients.lost)
            return f"; {counted(lost, 'record')} that clients were told of {'is' if lost == 1 else 'are'} lost"
        gone = len({one.partition for one in self.judged.noticed if one.weight is Weight.GONE})
        return f"; of {counted(gone, 'partition')} a replica has cut off what was committed" if gone else ""

    @property
    def outcome(self) -> str:
        """What the exit code means here."""
        return {ExitCode.HOLDS: "accepted", ExitCode.DRIFTED: "refused"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """Where something is refused."""
        places = [one.record.place for one in self.controller.refused] if self.controller is not None else []
        places += [one.place for one in self.brokers.refused] if self.brokers is not None else []
        places += [one.stopped[0].place for one in self.judged.runs.refused] if self.judged.runs is not None else []
        return [str(place) for place in places]

    def to_dict(self) -> documents.Conform:
        """The answer as plain data."""
        from epochal.checker.documents import document
        from epochal.report.documents import conform

        return document(conform.Conform, self.judged, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report."""
        from epochal.report.conform import render_conform

        render_conform(page, self.judged, self.headline, files)


@question
def conform(
    *paths: str | Path,
    protocol: str | type[ConfigurableKraft] = "kraft",
    kafka: str | None = None,
    budget: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Conformance:
    """Say whether what Kafka left behind is a run of the specification: `conform("/var/lib/kafka/metadata")`.

    `paths` are files, folders and archives; each file is recognised by its content. `kafka` is the version whose rules
    are meant (None: the version that the logs name; in a rolling upgrade that of the controller which was active).
    `protocol` is kraft, or a class derived from `ConfigurableKraft`.
    `budget` is in seconds: partitions for which no run was looked for by then are left out, and the answer says so.
    `progress` is called now and then with how far it is.

    What is checked is what the evidence has: with a metadata log every change of a partition must be a step of the
    specification from the state before it, under the registrations at that moment; and what brokers say of their
    partitions in `state-change.log` and `server.log` must agree with it, and with the rules for leaders and followers;
    and for each partition of which brokers tell there must be one run that explains all of that, disks included.

    Raises EvidenceError for files that are damaged, or none that Kafka writes, and where no version is named;
    UsageError without a path; BoundsError for a version that is not known; Inconclusive if the budget is
    spent before anything is checked.
    """
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.loading import load_protocol

    if not paths:
        raise UsageError("conform takes what Kafka left behind: files, folders or archives")
    kind = load_protocol(protocol) if isinstance(protocol, str) else protocol
    if not issubclass(kind, ConfigurableKraft):
        raise UsageError(f"{kind.__name__} is not kraft: evidence is held against kraft and what derives from it")
    meter, patience = Meter(progress), Deadline(budget)
    try:
        return _judged(paths, kind, protocol if isinstance(protocol, str) else kind.__name__, kafka, meter, patience)
    except BudgetExceeded as spent:
        raise Inconclusive(f"{spent}; nothing was checked.", "Raise the limit, or give fewer files.") from spent


def _judged(
    paths: Sequence[str | Path],
    kind: type[ConfigurableKraft],
    name: str,
    kafka: str | None,
    meter: Meter,
    patience: Deadline,
) -> Conformance:
    """The evidence, read and checked. Raises BudgetExceeded if the budget is spent before anything is."""
    from epochal.spec.language import BoundsError
    from epochal.spec.language.configurable import reference_to, with_configuration

    with patience.watching("reading the files"):
        evidence = collected([Path(path) for path in paths], meter)
    versions = [kafka] if kafka is not None else _versions(evidence)
    version = versions[0] if versions else ""
    configured = kind
    try:
        if versions and not evidence.is_of_zookeeper:
            for each in reversed(versions):  # all must be known; the newest stays
                configured = cast("type[ConfigurableKraft]", with_configuration(kind, {"kafka": each}))
    except BoundsError as unknown:
        if kafka is not None:
            raise
        raise UsageError(
            f"the logs are of Kafka {' and '.join(versions)}, which is not known here. {unknown.advice}",
            "Give --kafka: the release of Apache Kafka whose rules are meant.",
        ) from unknown
    controller: ControllerVerdict | None = None
    brokers: BrokersVerdict | None = None
    events: tuple[Noticed, ...] = ()
    clients: ClientsVerdict | None = None
    runs: RunsVerdict | None = None
    if evidence.metadata is not None:
        rules = _rules(kind, versions, evidence)
        with patience.watching("checking the controller and the brokers"):
            rules, controller = settled(evidence.metadata, rules, meter)
            seen = noticed(evidence.metadata, rules, meter)
            known = known_of(evidence, evidence.metadata, version)
            brokers = judge_brokers(evidence.logs, known)
            events, clients = detected(evidence, known, seen, brokers.suspected)
        refused = [*(one.partition for one in controller.refused), *(one.partition for one in brokers.refused)]
        runs = judge_runs(kind, evidence, evidence.metadata, rules, refused, meter, patience)
    else:
        events = told_by_logs(evidence.logs, "" if evidence.is_of_zookeeper else version)
    traces, cut = _as_traces(runs, version, patience) if runs is not None else ((), "")
    told = ", ".join(str(path) for path in paths)
    reference = reference_to(name, configured)
    said = " and ".join(reversed(versions))
    judged = Judged(told, reference, said, evidence, controller, brokers, events, clients, runs, traces, cut)
    return Conformance(judged)


def _as_traces(runs: RunsVerdict, version: str, patience: Deadline) -> tuple[tuple[ToldRun, ...], str]:
    """The runs that explain a partition as traces; and the budget that was spent before all was looked at."""
    traces, cut = list[ToldRun](), runs.cut
    for run in runs.whole:
        if not cut:
            try:
                with patience.watching("checking the properties in the runs"):
                    trace = as_trace(run, version)
            except BudgetExceeded as spent:
                cut = str(spent)
        traces.append(ToldRun(run.partition, None, why_not=cut, is_judged=False) if cut else trace)
    return tuple(traces), cut


def _rules(kind: type[ConfigurableKraft], versions: Sequence[str], evidence: Collected) -> RuleSet:
    """The rules of the first of these versions, with those of the others: in a rolling upgrade several are there.

    A version's rules for steps that the core leaves out, such as reassignments, are those of who has the steps.
    """
    from epochal.spec.language.configurable import with_configuration

    rules: list[RuleSet] = []
    for version in reversed(versions):
        judging = with_configuration(controller_of(kind, kind.settings), {"kafka": version})
        settings = cast("type[ConfigurableKraft]", judging).settings
        rules.append(RuleSet(kind, settings, version, evidence.static, tuple(rules), evidence.terms))
    return rules[-1]


def _versions(evidence: Collected) -> list[str]:
    """The versions that the logs name, the newest first; none where nothing is checked by them.

    Raises UsageError where something is, and they name none.
    """
    from epochal.spec.kraft.generations import numbered

    if not evidence.versions and evidence.metadata is not None:
        raise UsageError("nothing here says which version of Kafka it is", "Give --kafka, such as --kafka 3.9.2.")
    return sorted(evidence.versions, key=numbered, reverse=True)
