"""What the evidence says, for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epochal.checker.base.numbers import counted, sized, timed
from epochal.kafka.evidence.metadata_log import MetadataLog
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.brokers import BrokersVerdict
from epochal.kafka.validation.controller import ControllerVerdict, UnexplainedChange
from epochal.kafka.validation.detectors import ClientsVerdict
from epochal.kafka.validation.image import Partition
from epochal.kafka.validation.judged import Judged
from epochal.kafka.validation.noticed import SHORT, Noticed, Weight
from epochal.kafka.validation.run.as_trace import ToldRun
from epochal.kafka.validation.run.judged_runs import PartitionRun, RunsVerdict

from .page import Page, Style
from .shown import shown_text

if TYPE_CHECKING:
    from epochal.kafka.validation.meter import Progress


# -- conform noticed --------------------------------------------------------------------------------------------------
# What is told in one line: of many partitions to which the same happens by one event, and of many records.

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


# -- conform runs -----------------------------------------------------------------------------------------------------
# What the search for whole runs has found, for people.

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
        page.line(
            f"not decided: {one.partition}: {one.given_up}",
            "warn",
            indent=2,
        )
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


def render_conform(page: Page, found: Judged, headline: str, files: Sequence[str] = ()) -> None:
    """The verdict, what was checked, every place that is refused, what was read, and where to go on."""
    lost = found.clients is not None and bool(found.clients.lost)
    tone: Style = "bad" if found.refused else "good" if found.accepted and not lost else "warn"
    page.line(headline, tone)
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
    page.lines((f"{name}: {counted(number, 'file')}" for name, number in sorted(found.evidence.read.items())), indent=2)
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


class ConformTelling:
    """The progress of `epochal conform`."""

    def in_words(self, now: Progress) -> str:
        """The progress on one line."""
        doing = shown_text(now.doing)
        if now.read is not None:
            return f"{doing}, {sized(now.read)} in all, {timed(now.seconds)}"
        return f"{doing}, {now.done:,} of {now.of:,} records, {timed(now.seconds)}"

    def document(self, now: Progress) -> dict[str, Any]:
        """The progress as an object."""
        said = {name: value for name, value in dataclasses.asdict(now).items() if value is not None}
        return {**said, "seconds": round(now.seconds, 3)}

    def far(self, now: Progress) -> None:
        """Not said: the search for a run begins after the records, and takes what it takes."""
