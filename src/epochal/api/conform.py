"""`epochal.conform`: whether what brokers left behind is a run of the specification."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from epochal.checker.base.numbers import counted, sized, timed
from epochal.checker.documents import document
from epochal.checker.search.budget import BudgetExceeded, Deadline
from epochal.checker.trace.trace import Trace
from epochal.errors import Inconclusive, UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.metadata_log import MetadataLog
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.brokers import BrokersVerdict, judge_brokers
from epochal.kafka.validation.collected import Collected, collected
from epochal.kafka.validation.controller import ControllerVerdict, RuleSet, UnexplainedChange, controller_of, settled
from epochal.kafka.validation.detectors import ClientsVerdict, detected, known_of, told_by_logs
from epochal.kafka.validation.image import Partition
from epochal.kafka.validation.meter import Meter, Progress
from epochal.kafka.validation.noticed import SHORT, Noticed, Weight, noticed
from epochal.kafka.validation.run.as_trace import Judged, ToldRun
from epochal.kafka.validation.run.as_trace import told as as_trace
from epochal.kafka.validation.run.judged_runs import PartitionRun, RunsVerdict, judge_runs
from epochal.report import kafka_documents as documents
from epochal.report.page import Page, Style, shown_text
from epochal.report.progress import Telling
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import numbered
from epochal.spec.language import BoundsError
from epochal.spec.language.configurable import reference_to, with_configuration
from epochal.spec.loading import load_protocol

from .result import Result, question


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
        return {ExitCode.HOLDS: "accepted", ExitCode.DRIFTED: "refused"}.get(self.exit_code, super().outcome)

    @property
    def findings(self) -> list[str]:
        """Where something is refused."""
        places = [one.record.place for one in self.controller.refused] if self.controller is not None else []
        places += [one.place for one in self.brokers.refused] if self.brokers is not None else []
        places += [one.stopped[0].place for one in self.judged.runs.refused] if self.judged.runs is not None else []
        return [str(place) for place in places]

    def to_dict(self) -> documents.Conform:
        return document(documents.Conform, self.judged, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        found = self.judged
        lost = found.clients is not None and bool(found.clients.lost)
        tone: Style = "bad" if found.refused else "good" if found.accepted and not lost else "warn"
        page.line(self.headline, tone)
        log, verdict = found.evidence.metadata, found.controller
        if log is None or verdict is None:
            _not_judged(page, found)
        else:
            page.line(f"Kafka {found.version}, held against {found.reference}", indent=2)
            _controller(page, log, verdict)
        if found.brokers is not None:
            _brokers_did(page, found.brokers)
        if found.runs is not None:
            render_runs(page, found.runs, found.told)
        if found.clients is not None:
            _clients_were_told(page, found.clients)
        _noticed(page, found.noticed)
        page.title("Read")
        page.lines(
            (f"{name}: {counted(number, 'file')}" for name, number in sorted(found.evidence.read.items())), indent=2
        )
        page.lines((f"read up to there: {one}" for one in found.evidence.damaged), indent=2)
        if found.evidence.copies:
            copies = counted(len(found.evidence.copies), "log")
            page.line(f"{copies} left out: the same as another, line by line", "faint", indent=2)
        if found.evidence.copied_lines:
            copied = counted(found.evidence.copied_lines, "line")
            page.line(f"{copied} left out: the same was written before, at the same time", "faint", indent=2)
        if found.evidence.unplaced:
            unplaced = counted(len(found.evidence.unplaced), "segment or dump", "segments or dumps")
            what = f"{unplaced} of no partition that can be told, or of replicas not in use"
            page.line(f"{what}: {_names(found.evidence.unplaced)}", "faint", indent=2)
        if found.evidence.unread:
            unread = counted(len(found.evidence.unread), "other file")
            page.line(f"{unread} of no known kind: {_names(found.evidence.unread)}", "faint", indent=2)
        page.written(files)


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
    if not evidence.versions and evidence.metadata is not None:
        raise UsageError("nothing here says which version of Kafka it is", "Give --kafka, such as --kafka 3.9.2.")
    return sorted(evidence.versions, key=numbered, reverse=True)


NAMED = 3
"""So many partitions are named."""


@dataclass(frozen=True)
class Line:
    """One line for what belongs together: where the first of it stands, and what is said of all."""

    place: Place
    says: str
    about: str
    weight: Weight


def told_together(events: Iterable[Noticed]) -> list[Line]:
    """The lines for these events, the heaviest first, and else in the order of the first of each."""
    groups: dict[Hashable, list[Noticed]] = {}
    for one in sorted(events, key=lambda one: one.weight):
        groups.setdefault(_together(one), []).append(one)
    return [_line(some) for some in groups.values()]


def _together(one: Noticed) -> Hashable:
    """What has the same of this goes into one line."""
    if one.weight is Weight.LOST:
        return one.partition, one.about
    where: Hashable = one.event or (one.place if one.offset is not None else one.place.file)
    return where, one.about, "" if one.about == SHORT and one.event is not None else one.says


def _line(some: list[Noticed]) -> Line:
    first, *others = some
    if not others:
        return Line(first.place, f"{first.partition}: {first.says}", first.about, first.weight)
    if first.weight is Weight.LOST:
        more = counted(len(others), "more record")
        says = f"{first.partition}: {first.says}; and {more} of it that clients were told of"
        return Line(first.place, says, first.about, first.weight)
    names = [one.partition for one in some]
    which = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")
    said = "below min.insync.replicas: acks=all is refused" if first.about == SHORT else first.says
    if first.event is None:
        return Line(first.place, f"{counted(len(names), 'partition')}: {said}: {which}", first.about, first.weight)
    says = f"{first.event}: {counted(len(names), 'partition')}: {said}: {which}"
    return Line(first.event.place, says.replace(": below ", " below "), first.about, first.weight)


MOST = 20
MOST_WAITING = 8


def render_runs(page: Page, verdict: RunsVerdict, told: Sequence[ToldRun] = ()) -> None:
    """For how many partitions there is a run, and where the nearest one ends for the others."""
    page.title("One run of it all")
    if not verdict.runs and not verdict.left_out:
        page.line("No log here tells of a partition.", "warn", indent=2)
    if verdict.whole:
        lines = sum(one.evidence.events for one in verdict.whole)
        steps = sum(len(one.steps) for one in verdict.whole)
        which = counted(len(verdict.whole), "partition")
        told_of = counted(lines, "decision and line", "decisions and lines")
        if steps:
            page.line(f"{which}: {told_of} are explained by", indent=2)
            page.line(f"{counted(steps, 'step')} of the specification, hidden ones included", indent=2)
        else:
            page.line(f"{which}: {told_of}, and nothing has happened since it was created", indent=2)
    _failing(page, told)
    for one in verdict.undecided[:MOST]:
        page.line(f"not decided: {one.partition}: {one.given_up}", "warn", indent=2)
    if len(verdict.undecided) > MOST:
        page.line(f"and {len(verdict.undecided) - MOST:,} more: --format json has all", "warn", indent=2)
    for reason, number in sorted(verdict.left_out.items()):
        page.line(f"not checked: {counted(number, 'partition')}: {reason}", "warn", indent=2)
    for one in verdict.refused[:MOST]:
        _refused_runs(page, one)
    if len(verdict.refused) > MOST:
        page.line(f"and {len(verdict.refused) - MOST:,} more partitions: --format json has all", "bad", indent=2)


def _failing(page: Page, told: Sequence[ToldRun]) -> None:
    """The properties of the specification that fail on the way, though every step is allowed."""
    for one in told:
        if one.violated:
            what = f"{one.partition}: what the specification should keep and does not, in the run that was found"
            page.line(f"{what}{_losing(one.losses)} (others may explain it, too):", "bad", indent=2)
            page.table([(name, f"after step {state}") for name, state in one.violated])
        if one.why_not:
            judged = "" if one.is_judged else ", and its properties are not checked"
            page.line(f"{one.partition}: the run is no trace{judged}: {one.why_not}", "faint", indent=2)
    if any(one.trace is not None for one in told):
        page.line("--out DIR writes each run as a trace, which 'epochal replay' tells as a story", "faint", indent=2)


def _losing(losses: int) -> str:
    """What a run does of which nobody tells: a reader has to know it before the loss is believed."""
    if not losses:
        return ""
    return f", where {counted(losses, 'crash', 'crashes')} {'loses' if losses == 1 else 'lose'} the end of a log"


def _refused_runs(page: Page, one: PartitionRun) -> None:
    """Where the nearest run ends."""
    page.line()
    first, *others = one.stopped
    page.line(f"{first.place}: {one.partition}{_of(first.of)}", "bad")
    page.line(f"found     {first.found}", indent=2)
    page.line(f"expected  {first.expected}", indent=2)
    page.line(
        f"No run explains all {one.evidence.events:,} decisions and lines: the nearest explains {one.explained:,}, "
        f"and goes on at none of these:",
        indent=2,
    )
    for other in others[:MOST_WAITING]:
        page.line(f"{other.place}{_of(other.of)}: {other.found}; {other.expected}", "faint", indent=4)


def _of(broker: int | None) -> str:
    return "" if broker is None else f" on broker {broker}"


STEPS = {
    "fence": "a broker is fenced",
    "shut_down": "a broker shuts down",
    "restart": "a broker registers",
    "unregister": "a broker is unregistered",
    "unfence": "a broker is unfenced",
    "handle_alter_partition": "AlterPartition of the leader",
    "elect_preferred_leader": "election of a preferred leader",
    "elect_any_leader": "election where no live broker led",
    "elect_uncleanly": "unclean election by an operator",
    "reassign": "a reassignment begins, or is done at once",
    "override_reassignment": "a reassignment is overridden",
    "cancel_reassignment": "a reassignment is cancelled",
    "assign_directory": "a replica is assigned to a log directory",
    "lose_directory": "a log directory fails",
}
"""What the steps of the specification are called here."""

MOST_REFUSED = 20
MOST_EXPECTED = 4
MOST_NAMED = 5

NOT_OF_ZOOKEEPER = (
    "In KRaft every decision of the controller stands in a log, in order. ZooKeeper has what is decided now,",
    "and no file says what was before, so that nothing can be checked. A loss that logs show by themselves is",
    "noticed all the same; 'epochal list' has protocols of that time, to be searched.",
)
"""Why such a cluster is not checked, and what there is."""


def _not_judged(page: Page, found: Judged) -> None:
    """Why nothing is held against the specification, and what to give instead."""
    page.line(f"Kafka {found.version}" if found.version else "No log says which version of Kafka it is", indent=2)
    page.line()
    if found.evidence.is_of_zookeeper:
        page.line(f"{found.evidence.zookeeper}: only a cluster on ZooKeeper has such a line.", "warn")
        page.lines(NOT_OF_ZOOKEEPER, indent=2)
    else:
        page.line("Without a metadata log nothing says what the controller has decided.", "warn")
        page.line("Give __cluster_metadata-0 of any node, or what kafka-dump-log has printed of it.", indent=2)


def _names(files: Sequence[str]) -> str:
    """Some of these files by name."""
    more = len(files) - MOST_NAMED
    return ", ".join(files[:MOST_NAMED]) + (f" and {more:,} more: --format json has all" if more > 0 else "")


def _clients_were_told(page: Page, verdict: ClientsVerdict) -> None:
    page.title("What clients were told")
    if verdict.kept:
        page.line(f"{counted(verdict.kept, 'record')} in the log of the present leader", indent=2)
    if verdict.lost:
        page.line(f"{counted(len(verdict.lost), 'record')} not there any more", "bad", indent=2)
    for reason, number in sorted(verdict.left_out.items()):
        page.line(f"not checked: {counted(number, 'record')}: {reason}", "warn", indent=2)


def _noticed(page: Page, events: Sequence[Noticed]) -> None:
    """What to look at, though the specification allows it."""
    if not events:
        return
    page.title("Where records may have been lost: the specification allows these")
    lines = told_together(events)
    for one in lines[:MOST_REFUSED]:
        tone: Style = "bad" if one.weight is Weight.LOST else "warn"
        page.line(f"{one.place}: {one.says}  [{one.about}]", tone, indent=2)
    if len(lines) > MOST_REFUSED:
        page.line(f"and {len(lines) - MOST_REFUSED:,} more: --format json has all", "warn", indent=2)


def _controller(page: Page, log: MetadataLog, verdict: ControllerVerdict) -> None:
    page.title("What the controller did")
    first, last = log.records[0].offset, log.records[-1].offset
    page.line(
        f"offsets {first} to {last} of the metadata log: every change of a partition, and every one due", indent=2
    )
    if not log.is_whole:
        page.line(
            "The log begins later than the cluster, without a snapshot: brokers and partitions from before", "warn"
        )
        page.line("are unknown. Add the newest *.checkpoint of that folder.", "warn")
    if verdict.assumed:
        settings = " and ".join(f"{name}={value}" for name, value in verdict.assumed.items())
        page.line(
            f"No file here says {settings}, and only so it is accepted. Add server.properties of a controller.", "warn"
        )
    page.table([(STEPS.get(step, step), f"{n:,}") for step, n in sorted(verdict.explained.items())], right=(1,))
    for reason, number in sorted(verdict.left_out.items()):
        page.line(f"not checked: {counted(number, 'change')}: {reason}", "warn", indent=2)
    for one in verdict.refused[:MOST_REFUSED]:
        _refused(page, one)
    if len(verdict.refused) > MOST_REFUSED:
        page.line(f"and {len(verdict.refused) - MOST_REFUSED:,} more places: --format json has all", "bad", indent=2)


def _brokers_did(page: Page, verdict: BrokersVerdict) -> None:
    page.title("What the brokers did")
    if not (verdict.judged or verdict.refused or verdict.left_out):
        page.line("No log here tells of it: give state-change.log and server.log of each broker.", "warn", indent=2)
    if verdict.judged:
        lines, partitions = counted(verdict.accepted, "line"), counted(len(verdict.partitions), "partition")
        page.line(f"{lines} of {partitions} on {counted(len(verdict.brokers), 'broker')} agree with it:", indent=2)
        page.table([(kind, f"{number:,}") for kind, number in sorted(verdict.judged.items())], right=(1,))
    for reason, number in sorted(verdict.left_out.items()):
        page.line(f"not checked: {counted(number, 'line')}: {reason}", "warn", indent=2)
    if verdict.cut:
        page.line(f"cut off: {counted(len(verdict.cut), 'line')}, the first {verdict.cut[0]}", "warn", indent=2)
    for one in verdict.refused[:MOST_REFUSED]:
        page.line()
        page.line(f"{one.place}: {one.partition} on broker {one.broker}", "bad")
        page.line(f"found     {one.found}", indent=2)
        page.line(f"expected  {one.expected}", indent=2)
    if len(verdict.refused) > MOST_REFUSED:
        page.line(f"and {len(verdict.refused) - MOST_REFUSED:,} more lines: --format json has all", "bad", indent=2)


def _refused(page: Page, one: UnexplainedChange) -> None:
    """A place, what stands there, and what the specification would have."""
    page.line()
    page.line(f"{one.record.place}: {one.partition}", "bad")
    page.line(f"before    {_told(one.before)}", indent=2)
    if one.missing:
        page.line(f"found     {one.record.kind}, and the partition stays as it is", indent=2)
    else:
        page.line(f"found     {_told(one.found)}", indent=2)
    for step, after in one.expected[:MOST_EXPECTED]:
        page.line(f"expected  {_told(after)}: {STEPS.get(step, step)}", indent=2)
    if not one.expected:
        page.line("no step of the specification leads there: nothing beside it tells of a broker", indent=2)


def _told(one: Partition) -> str:
    """`leader 2 e1, ISR 2,3`, and what else there is."""
    leader = "no leader" if one.leader is None else f"leader {one.leader}"
    said = [f"{leader} e{one.leader_epoch}", f"ISR {_brokers(one.isr)}"]
    said += [f"ELR {_brokers(one.elr)}"] if one.elr else []
    said += [f"last known leader {one.last_known_leader}"] if one.last_known_leader is not None else []
    said += ["recovering"] if one.recovering else []
    said += [f"adding {_brokers(one.adding)}"] if one.adding else []
    said += [f"removing {_brokers(one.removing)}"] if one.removing else []
    return f"{', '.join(said)}, replicas {','.join(map(str, one.replicas))}"


def _brokers(some: frozenset[int]) -> str:
    return ",".join(map(str, sorted(some))) or "empty"


# -- conform progress -------------------------------------------------------------------------------------------------
# How far the reading and checking of evidence is, on one line or as an object.


def _in_words(now: Progress) -> str:
    doing = shown_text(now.doing)
    if now.read is not None:
        return f"{doing}, {sized(now.read)} in all, {timed(now.seconds)}"
    return f"{doing}, {now.done:,} of {now.of:,} records, {timed(now.seconds)}"


def _as_object(now: Progress) -> dict[str, Any]:
    said = {name: value for name, value in dataclasses.asdict(now).items() if value is not None}
    return {**said, "seconds": round(now.seconds, 3)}


TELLING = Telling(_in_words, _as_object)
"""The progress of `epochal conform`."""
