"""What the evidence says, for people."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.checker.host.numbers import counted
from epochal.conformance.brokers import BrokersVerdict
from epochal.conformance.controller import ControllerVerdict, Refused
from epochal.conformance.image import Partition
from epochal.conformance.judged import Judged
from epochal.conformance.lost_records import ClientsVerdict
from epochal.conformance.noticed import Noticed, Weight
from epochal.evidence.metadata_log import MetadataLog
from epochal.render.conform_noticed import told_together
from epochal.render.conform_runs import render_runs
from epochal.render.page import Page, Style

STEPS = {
    "fence": "a broker is fenced",
    "shut_down": "a broker shuts down",
    "restart": "a broker registers",
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
    "and no file says what was before, so that nothing can be judged. A loss that logs tell by themselves is",
    "noticed all the same; 'epochal list' has protocols of that time, to be searched.",
)
"""Why such a cluster is not judged, and what there is."""


def render_conform(page: Page, found: Judged, headline: str, files: Sequence[str] = ()) -> None:
    """The verdict, what was judged, every place that is refused, what was read, and where to go on."""
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
        page.line(f"not judged: {counted(number, 'record')}: {reason}", "warn", indent=2)


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
        page.line(f"not judged: {counted(number, 'change')}: {reason}", "warn", indent=2)
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
        page.line(f"not judged: {counted(number, 'line')}: {reason}", "warn", indent=2)
    if verdict.cut:
        page.line(f"cut off: {counted(len(verdict.cut), 'line')}, the first {verdict.cut[0]}", "warn", indent=2)
    for one in verdict.refused[:MOST_REFUSED]:
        page.line()
        page.line(f"{one.place}: {one.partition} on broker {one.broker}", "bad")
        page.line(f"found     {one.found}", indent=2)
        page.line(f"expected  {one.expected}", indent=2)
    if len(verdict.refused) > MOST_REFUSED:
        page.line(f"and {len(verdict.refused) - MOST_REFUSED:,} more lines: --format json has all", "bad", indent=2)


def _refused(page: Page, one: Refused) -> None:
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
