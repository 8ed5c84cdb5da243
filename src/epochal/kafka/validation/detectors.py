"""Every detector on a collection of evidence, each with the ticket or finding that it is about."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..evidence.broker_log import (
    UNKNOWN_BROKER,
    AnswerIgnored,
    BrokerLog,
    CutBelow,
    ElectedUncleanly,
    FetcherAdded,
    IsrUpdated,
    PartitionMade,
    RoleKept,
    RoleTaken,
    told,
)
from ..evidence.client_history import Acknowledged, ClientHistory, RecordSent, WasRead
from ..evidence.disks import DiskLog, LogDirectory
from ..evidence.metadata_log import MetadataLog, MetadataRecord
from ..evidence.place import Named, OfNamed, Place, partition_named
from .brokers import Metadata, cut_to, partitions_in, unclean_starts
from .collected import Collected
from .image import Image, Lifespan, history_of, leader_of, listed
from .noticed import (
    BY_CLEAN_EVENTS,
    H1,
    N1,
    S15,
    S20,
    S27,
    SHORT,
    LogNoticed,
    Noticed,
    Weight,
    by_clean_events,
    by_weight,
    finding,
    is_among,
    unclean_election,
)

# -- lost records -----------------------------------------------------------------------------------------------------
# What clients were told, held against the log of the present leader: records that are written, and no longer there.
#
# Where nobody leads, as after all brokers were stopped, it is the log of the last one that led.
#
# The history of the clients must be no newer than the copies of the segments: a record that was acknowledged after a
# segment had been copied is not in that copy. Where the checkpoint, the leader's own log or another replica shows that
# the leader had more than its copy has, that is told, and nothing is called lost.

WAITS = ("all", "-1", None)
"""With these a producer waits for the ISR; a consumer reads what is committed."""

ONE_COPY = "acks=1 (S25)"
UNEXPLAINED = "no event here explains it"

MOST = 40
"""How much of a value is shown."""


@dataclass
class ClientsVerdict:
    """How many records that clients were told of are in the log of the present leader; `lost` are those that are not.

    `left_out` are those of which that cannot be said, by reason.
    """

    kept: int = 0
    lost: list[Noticed] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


class _NotKnown(Exception):
    """Why it cannot be said whether a record is there."""


def judge_clients(
    histories: Iterable[ClientHistory],
    replicas: Iterable[DiskLog],
    known: Metadata,
    causes: Mapping[str, str],
    logs: Collection[BrokerLog] = (),
) -> ClientsVerdict:
    """Hold what clients were told against the logs. `causes` are, by partition, what may explain a loss.

    `logs` of brokers say how far they led.
    """
    verdict = ClientsVerdict()
    replicas = tuple(replicas)
    copies: dict[tuple[Named, int], list[DiskLog]] = {}
    for one in replicas:
        copies.setdefault((one.named, one.broker), []).append(one)
    histories = tuple(histories)
    nowhere = _without_offset(histories)
    if nowhere:
        verdict.left_out["its client was not told at which offset it is"] = nowhere
    for record in _records(histories):
        of, name = record.named, record.shown
        try:
            leader, others = _leader(known, of)
            had = _had(known, of, leader, logs, [one for one in replicas if one.named == of])
            missing = _missing(copies.get((of, leader), []), record.offset, record.value, had)
            if missing is not None and any(_has(copies.get((of, one), []), record) for one in others or ()):
                raise _NotKnown("the partition has no leader, and one that may lead has it; who led last has not")
        except _NotKnown as reason:
            verdict.left_out[str(reason)] += 1
            continue
        if missing is None:
            verdict.kept += 1
            continue
        leads = "leads" if others is None else "led last"
        says = f"{record.told()}; the log of broker {leader}, which {leads}, {missing}"
        about = causes.get(name, UNEXPLAINED) if record.acks in WAITS else ONE_COPY
        verdict.lost.append(Noticed(record.place, None, name, about, says, Weight.LOST))
    return verdict


def known_partitions(histories: Iterable[ClientHistory]) -> set[Named]:
    """The partitions of which clients were told something."""
    return {line.event.named for history in histories for line in history.lines}


@dataclass
class _Record(OfNamed):
    """A record of which clients say where it is. `acks` is None if only consumers do."""

    place: Place
    topic: str
    number: int
    offset: int
    value: str
    acks: str | None = None
    acknowledged: bool = False
    read: bool = False

    def told(self) -> str:
        """What clients were told of it."""
        how = ["acknowledged" + (f" (acks={self.acks})" if self.acks else "")] if self.acknowledged else []
        how += ["read"] if self.read else []
        return f"{self.value[:MOST]!r} at offset {self.offset} was {' and '.join(how)}"


def _answers(history: ClientHistory) -> Iterator[tuple[Place, Acknowledged | WasRead, str | None]]:
    """What clients were told of records, each with what its producer waited for, if it says so."""
    acks: dict[tuple[str, int, str], str] = {}
    for line in history.lines:
        event = line.event
        if isinstance(event, RecordSent):
            acks[*event.named, event.value] = event.acks
        elif isinstance(event, Acknowledged | WasRead):
            yield line.place, event, acks.get((*event.named, event.value))


def _records(histories: Iterable[ClientHistory]) -> Iterator[_Record]:
    """Each record once, where it is first told of. Those sent without waiting for an answer have no offset."""
    for history in histories:
        found: dict[tuple[str, int, int, str], _Record] = {}
        for place, event, acks in _answers(history):
            if event.offset is not None and event.offset >= 0:
                of = (*event.named, event.offset, event.value)
                record = found.setdefault(of, _Record(place, *of))
                if isinstance(event, Acknowledged):
                    record.acknowledged, record.acks = True, acks
                else:
                    record.read = True
        yield from found.values()


def _without_offset(histories: Iterable[ClientHistory]) -> int:
    """How many records were acknowledged without an offset to producers that waited for an answer."""
    told = ((event, acks) for history in histories for _, event, acks in _answers(history))
    return len(
        {
            (*event.named, event.value)
            for event, acks in told
            if isinstance(event, Acknowledged) and (event.offset is None or event.offset < 0) and acks != "0"
        }
    )


def _leader(known: Metadata, of: Named) -> tuple[int, AbstractSet[int] | None]:
    """The present leader of a partition; or who led last, and the others that may lead next, of ISR and ELR."""
    lives = known.history.get(of, [])
    if not lives:
        raise _NotKnown("the metadata log here has no such partition")
    if len(lives) > 1 or lives[0].removed:
        raise _NotKnown("the topic was deleted")
    now = lives[0].at[lives[0].last]
    if now.leader is not None:
        return now.leader, None
    last = lives[0].last_leader
    if last is None:
        raise _NotKnown("the partition has no leader, and who led last is from before the metadata log here begins")
    return last, (now.isr | now.elr) - {last}


def _has(copies: list[DiskLog], record: _Record) -> bool:
    """Whether a log that is here has a record, as far as it can be told."""
    try:
        return _missing(copies, record.offset, record.value) is None
    except _NotKnown:
        return False


def _had(known: Metadata, of: Named, leader: int, logs: Collection[BrokerLog], replicas: Iterable[DiskLog]) -> int:
    """Up to where the log of a leader went in the last leader epoch in which it leads, as far as others tell.

    It begins that epoch with what it says, and its high watermark is within its log as long as its process goes on;
    replicas have the records of that epoch from nobody else.
    """
    (life,) = known.history[of]
    reign = max((epoch for epoch, led in life.leaders.items() if led == leader), default=None)
    had = 0
    for one in (one for log in logs for one in log.events):
        event = one.event
        if not isinstance(event, RoleTaken | RoleKept) or (event.named, one.broker) != (of, leader):
            continue
        if event.leads and event.leader_epoch == reign:
            had = event.offset if isinstance(event, RoleTaken) else max(had, event.high_watermark or 0)
    copied = [stretch.last + 1 for one in replicas for stretch in one.stretches if stretch.leader_epoch == reign]
    return max([had, *copied])


def _missing(copies: list[DiskLog], offset: int, value: str, had: int = 0) -> str | None:
    """What the leader's log has in the place of a record; None if it has it."""
    if not copies or copies[0].end is None:
        raise _NotKnown("no whole segments of the leader are here")
    (log, *others) = copies
    if others:
        raise _NotKnown("several copies of the leader's log are here")
    assert log.end is not None and log.start is not None  # said above
    if log.end < (log.high_watermark or 0):
        raise _NotKnown("the leader's high watermark is beyond its segments here: some are missing")
    if log.end < had:
        raise _NotKnown("the leader's log ended later than its copy here: it is copied earlier, or cut off")
    if offset >= log.end:
        return f"ends at {log.end}"
    if offset < max(log.start, log.log_start or 0):
        raise _NotKnown("the leader's log begins later: records are deleted after a time")
    there = log.values.get(offset)
    if there is None:
        raise _NotKnown(
            "the leader's log does not show a value there: a dump without values, or a log that is compacted"
        )
    if there == value.encode():
        return None
    return f"has {there[:MOST].decode('utf-8', 'replace')!r} there, of leader epoch {log.epoch_at(offset)}"


# -- cut off ----------------------------------------------------------------------------------------------------------
# What replicas say to have cut off below their high watermark: it was committed, and this copy of it is gone.
#
# UnifiedLog warns of it since Kafka 4.2, and the fetchers of older releases did: no other line is needed to see it.


def cut_off(
    logs: Iterable[BrokerLog], causes: Mapping[str, str], otherwise: str, known: Collection[Noticed] = ()
) -> Iterator[Noticed]:
    """Each such line. `causes` are, by partition, what may explain it, `otherwise` what does where nothing is known.

    `known` are truncations that are noticed already.
    """
    for one, event in told(logs, CutBelow):
        who = "a replica" if one.broker == UNKNOWN_BROKER else f"broker {one.broker}"
        says = f"{who}: {cut_to(event.offset, event.high_watermark)}"
        if not any(other.partition == event.shown and other.says.startswith(says) for other in known):
            says = f"{says}: what was committed between is gone there"
            yield Noticed(one.place, None, event.shown, causes.get(event.shown, otherwise), says, Weight.GONE)


# -- diverged ---------------------------------------------------------------------------------------------------------
# Replicas that have different records at an offset below the high watermark of both: committed twice, and not alike.
#
# Records of one offset and one leader epoch are the same, so that epochs tell it. A follower may differ above its high
# watermark: that is cut off when it fetches (KIP-101).

DIVERGED = "KIP-101 (S28)"


def diverged(replicas: Iterable[DiskLog]) -> Iterator[Noticed]:
    """The first such offset of each two replicas of a partition, of whatever brokers."""
    partitions: dict[tuple[str, int, str | None], list[DiskLog]] = {}
    for one in replicas:
        if one.broker != UNKNOWN_BROKER and one.high_watermark is not None:
            partitions.setdefault((*one.named, one.topic_id), []).append(one)
    for (topic, number, _), copies in partitions.items():
        for one, other in itertools.combinations(copies, 2):
            found = _first_difference(one, other)
            if found is not None:
                offset, epochs = found
                says = (
                    f"brokers {one.broker} and {other.broker} have different records at offset {offset}, of leader "
                    f"epochs {epochs[0]} and {epochs[1]}, and their high watermarks are beyond it"
                )
                yield Noticed(Place(one.name), None, partition_named(topic, number), DIVERGED, says, Weight.GONE)


def _first_difference(one: DiskLog, other: DiskLog) -> tuple[int, tuple[int, int]] | None:
    """The least offset below both high watermarks at which the leader epochs differ, and these."""
    committed = min(one.high_watermark or 0, other.high_watermark or 0)
    mine, theirs = iter(one.stretches), iter(other.stretches)
    a, b = next(mine, None), next(theirs, None)
    while a is not None and b is not None:
        offset = max(a.first, b.first)
        if offset >= committed:
            return None
        if offset <= min(a.last, b.last) and a.leader_epoch != b.leader_epoch:
            return offset, (a.leader_epoch, b.leader_epoch)
        if a.last <= b.last:
            a = next(mine, None)
        else:
            b = next(theirs, None)
    return None


# -- lost disks -------------------------------------------------------------------------------------------------------
# Disks in the evidence: log directories that fail, are missing, are new or come back, and replicas without their log.
#
# KIP-858 gives every log directory a name in its meta.properties, by which registrations tell of it (JBOD).

FAILED, REPLACED = "KIP-858", finding("H4").name

MOST_NAMED = 5
"""How many partitions of a directory are named."""


def lost_disks(log: MetadataLog, directories: Iterable[LogDirectory]) -> Iterator[Noticed]:
    """What the registrations of brokers say of their log directories. `directories` tell where one with a name lies."""
    lie = {one.directory_id: one.name for one in directories if one.directory_id is not None}
    image, seen = Image(), dict[int, set[str]]()
    for record in (*log.begins_with, *log.records):
        if record.kind in ("BROKER_REGISTRATION_CHANGE_RECORD", "REGISTER_BROKER_RECORD"):
            broker = record.data["brokerId"]
            for about, says in _said(record, image, seen.setdefault(broker, set()), lie):
                yield Noticed(record.place, record.offset, f"broker {broker}", about, says)
            seen[broker] |= set(record.data.get("logDirs") or ())
        image.apply(record)


def _said(record: MetadataRecord, image: Image, seen: set[str], lie: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What a record about a broker says of its disks, and the finding that it is about."""
    broker = record.data["brokerId"]
    if record.kind == "BROKER_REGISTRATION_CHANGE_RECORD":
        for directory in sorted(image.lost_directories(record)):
            yield FAILED, f"lost the log directory {_named(directory, lie)}: {_lying(image, broker, directory)}"
        return
    known, now = image.brokers.get(broker), frozenset(record.data.get("logDirs") or ())
    if known is None or not known.directories or not now:
        return
    for directory in sorted(known.directories - now):
        lying = _lying(image, broker, directory)
        yield REPLACED, f"registers without the log directory {_named(directory, lie)} that it had: {lying}"
    for directory in sorted(now - known.directories):
        back = directory in seen
        yield (
            FAILED if back else REPLACED,
            f"has the log directory {_named(directory, lie)} again"
            if back
            else f"registers with a new log directory {_named(directory, lie)}, which has no records yet",
        )


def _named(directory: str, lie: Mapping[str, str]) -> str:
    return f"{directory} ({lie[directory]})" if directory in lie else directory


def _lying(image: Image, broker: int, directory: str) -> str:
    """The replicas in a directory."""
    there = [of for of in image.partitions_of(broker) if image.partitions[of].directory(broker) == directory]
    if not there:
        return "no replica is in it"
    named = ", ".join(image.name_of(of) for of in there[:MOST_NAMED])
    more = f" and {len(there) - MOST_NAMED:,} more" if len(there) > MOST_NAMED else ""
    return f"its replicas of {named}{more} are not there"


def lost_folders(logs: Iterable[BrokerLog], known: Metadata) -> Iterator[Noticed]:
    """A replica whose log is empty when its broker starts, and was not before: its folder is gone, or its disk is new.

    Whether the process before was shut down in good order stands in another file. A crash loses what was not flushed,
    which seldom is everything. A replica that was taken away in between is made anew as well.
    """
    for log in logs:
        had: dict[_Of, _Had] = {}
        made: dict[_Of, str] = {}
        fresh: set[_Of] = set()
        for one in log.events:
            event = one.event
            if not isinstance(event, (PartitionMade, RoleTaken, RoleKept)):
                continue
            of = (one.broker, *event.named)
            if isinstance(event, PartitionMade):
                if made.setdefault(of, event.topic_id) != event.topic_id:
                    had.pop(of, None)
                made[of] = event.topic_id
                fresh.add(of)
                continue
            before = had.get(of, _Had(0, event.partition_epoch))
            if isinstance(event, RoleTaken) and of in fresh and event.offset == 0 < before.high_watermark:
                life = next((life for life in known.history.get(of[1:], []) if life.topic_id == made[of]), None)
                if life is not None and _stayed(one.broker, before.partition_epoch, event.partition_epoch, life):
                    says = (
                        f"broker {one.broker} starts with an empty log, and had a high watermark of "
                        f"{before.high_watermark} before: the folder of its replica is gone, or the disk is new"
                    )
                    yield Noticed(one.place, None, event.shown, REPLACED, says)
            kept = before.high_watermark if event.high_watermark is None else event.high_watermark
            had[of] = _Had(kept, event.partition_epoch)
            fresh.discard(of)


_Of = tuple[int, str, int]
"""A broker's replica of a partition."""


class _Had(NamedTuple):
    """The high watermark that a replica last said, and when."""

    high_watermark: int
    partition_epoch: int


def _stayed(broker: int, before: int, after: int, life: Lifespan) -> bool:
    """Whether a broker had its replica all the time between two partition epochs."""
    return all(epoch in life.at and broker in life.at[epoch].replicas for epoch in range(before, after + 1))


# -- missed terms -----------------------------------------------------------------------------------------------------
# N1 and S15 in the logs of brokers: what a leader did not hear of, although it led on.
#
# Both are open in every release, and neither has a ticket. What is told here is that their precondition was there.

Leaders = Mapping[int, int | None]
"""The leader of each leader epoch that is known."""


def missed_terms(logs: Iterable[BrokerLog], leaders_of: Callable[[RoleTaken], Leaders | None]) -> Iterator[Noticed]:
    """A leader that was deposed and elected again before it heard of either (docs/kafka/findings/n1.md).

    It says so itself: it has led until now, in an epoch that is not the one before this. That matters only where
    another broker led between, so that followers may have truncated what this one believes them to have.

    `leaders_of` has the leaders of the partition that a line is about; None if it is of one that is not known.
    """
    for one, event in told(logs, RoleTaken):
        if not event.leads or event.previous != one.broker:
            continue
        between = range(event.previous_epoch + 1, event.leader_epoch)
        leaders = leaders_of(event)
        if event.previous_epoch < 0 or not between or leaders is None:
            continue
        others = {leader for epoch in between if (leader := leaders.get(epoch)) not in (None, one.broker)}
        if not others and all(epoch in leaders for epoch in between):
            continue
        who = f"broker {listed(frozenset(others))} led" if others else "it is not known who led"
        says = (
            f"broker {one.broker} leads epoch {event.leader_epoch} and believes to have led since epoch "
            f"{event.previous_epoch}; {who} between: it counts followers where they were before that"
        )
        yield Noticed(one.place, None, event.shown, N1, says)


def forgotten_proposals(logs: Iterable[BrokerLog], known: Metadata) -> Iterator[Noticed]:
    """A leader that forgot a proposal which the controller has accepted, so that it goes on with the ISR before.

    That is what replaying a partition epoch does which the leader knew from an answer. The answer to the proposal then
    finds the former ISR; where metadata were merely faster than the answer, it finds one with the new member. Only
    `kafka.cluster.Partition` at DEBUG says so. Until the change is replayed the high watermark does not wait for whom
    it adds.
    """
    for one, event in told(logs, AnswerIgnored):
        if event.added is None or event.isr is None:
            continue
        if any(_forgotten(one.broker, event, life) for life in known.history.get(event.named, [])):
            says = (
                f"broker {one.broker} has proposed at partition epoch {event.partition_epoch} to add {event.added} to "
                f"the ISR, and forgot it before the controller's answer came: it goes on with ISR {listed(event.isr)}"
            )
            yield Noticed(one.place, None, event.shown, S15, says)


def _forgotten(leader: int, event: AnswerIgnored, life: Lifespan) -> bool:
    """Whether the controller has accepted the proposal, and the leader knows the partition as it was before alone."""
    before, after = life.at.get(event.partition_epoch), life.at.get(event.partition_epoch + 1)
    if before is None or after is None or event.added is None:
        return False
    ours = all((at.leader, at.leader_epoch) == (leader, event.leader_epoch) for at in (before, after))
    later = [at.isr for epoch, at in life.at.items() if epoch > event.partition_epoch]
    return ours and after.isr == before.isr | {event.added} and event.isr == before.isr and event.isr not in later


def leaders_known(known: Metadata, event: RoleTaken) -> Leaders | None:
    """The leaders of the partition that a line is about, as the metadata log has them."""
    lives = known.history.get(event.named, [])
    return next((life.leaders for life in lives if life.topic_id == event.topic_id), None)


# -- unknown min isr --------------------------------------------------------------------------------------------------
# H1 in the logs of brokers: a leader that takes its ISR for large enough, where the controller counts more as needed.
#
# KIP-966 lets whoever leaves an ISR below `min.insync.replicas` stay eligible, because such an ISR commits nothing. A
# leader that has not heard of a higher value commits all the same (docs/kafka/findings/h1.md).


def unknown_min_isr(
    logs: Iterable[BrokerLog], known: Metadata, short: Mapping[tuple[str, int, int], int]
) -> Iterator[Noticed]:
    """An answer of the controller with an ISR that it counts as too small, and the leader does not.

    The leader says so itself: where it counts the ISR as too small its line has "(under-min-isr)". `short` is as in
    `LogNoticed`.
    """
    for one, event in told(logs, IsrUpdated):
        for life in () if event.is_short else known.history.get(event.named, []):
            least = short.get((life.topic_id, event.number, event.partition_epoch))
            at = life.at.get(event.partition_epoch)
            if least is None or at is None or at.leader != one.broker or at.isr != event.isr:
                continue
            says = (
                f"broker {one.broker} leads with the ISR {listed(event.isr)} and does not know of "
                f"min.insync.replicas={least}: what it commits, the eligible leader replicas {listed(at.elr)} may lack"
            )
            yield Noticed(one.place, None, event.shown, H1, says)


CRASH = "a crash: what is not flushed may be lost (S24)"


def known_of(evidence: Collected, metadata: MetadataLog, version: str) -> Metadata:
    """What the metadata log knows of the partitions of which brokers and clients tell."""
    wanted = partitions_in(evidence.logs) | known_partitions(evidence.histories)
    return Metadata(history_of(metadata, wanted), metadata.is_whole, version)


def detected(
    evidence: Collected, known: Metadata, seen: LogNoticed, suspected: Iterable[Noticed]
) -> tuple[tuple[Noticed, ...], ClientsVerdict | None]:
    """All that is noticed, and what became of the records that clients were told of.

    `seen` is what the metadata log shows, `suspected` are lines of brokers that lose what was committed.

    An ISR that was too small is told with the loss that came of it, where nothing else explains that.
    """
    suspected = list(suspected)
    missed = missed_terms(evidence.logs, lambda event: leaders_known(known, event))
    events = [*seen.events, *suspected, *missed, *forgotten_proposals(evidence.logs, known)]
    events += [*unknown_min_isr(evidence.logs, known, seen.short), *diverged(evidence.replicas)]
    events += [*lost_folders(evidence.logs, known)]
    if evidence.metadata is not None:
        events += lost_disks(evidence.metadata, evidence.directories)
    causes = _causes(events, evidence, known)
    events += cut_off(evidence.logs, causes, by_clean_events(known.version), suspected)
    if not evidence.histories:
        return by_weight(events), None
    clients = judge_clients(evidence.histories, evidence.replicas, known, causes, evidence.logs)
    unexplained = {one.partition for one in clients.lost if one.about == S20}
    events = [_with_loss(one) if one.about == SHORT and one.partition in unexplained else one for one in events]
    return by_weight([*events, *clients.lost]), clients


def _causes(events: Iterable[Noticed], evidence: Collected, known: Metadata) -> dict[str, str]:
    """What may explain that a partition has lost records: an event that loses some, else a small ISR, else a crash."""
    found: dict[str, list[str]] = {}
    for one in events:
        said = found.setdefault(one.partition, [])
        said += [one.about] if one.about not in said else []
    causes: dict[str, str] = {}
    for partition, said in found.items():
        strong = [about for about in said if about != SHORT and not is_among(about, said)]
        causes[partition] = " and ".join(strong) or S20
    unclean = {broker for broker, lost in unclean_starts(evidence.logs).items() if lost}
    for (topic, number), lives in known.history.items():
        if unclean & {leader for life in lives for leader in life.leaders.values()}:
            causes.setdefault(partition_named(topic, number), CRASH)
    return causes


def _with_loss(short: Noticed) -> Noticed:
    says = "acknowledged records are lost: whoever stays alone may come back without the end of its log, and leads"
    return replace(short, about=S20, says=f"{short.says}; {says}", weight=Weight.OPENED)


# -- told by logs -----------------------------------------------------------------------------------------------------
# What logs tell by themselves, without a metadata log: they refuse nothing, and a loss shows all the same.


def told_by_logs(logs: Iterable[BrokerLog], version: str) -> tuple[Noticed, ...]:
    """Unclean elections, terms that a leader missed, and what replicas have cut off. The version may not be known."""
    logs = tuple(logs)
    leaders = _leaders(logs)
    elections = list(unclean_elections(logs))
    missed = list(missed_terms(logs, lambda event: leaders.get(event.named, {})))
    causes = {one.partition: one.about for one in (*missed, *elections)}
    clean = by_clean_events(version) if version else " or ".join(finding(id).name for id in BY_CLEAN_EVENTS)
    otherwise = f"{S27}, a crash that lost the end of a log, or {clean}"
    return by_weight([*cut_off(logs, causes, otherwise), *elections, *missed])


def unclean_elections(logs: Iterable[BrokerLog]) -> Iterator[Noticed]:
    """What a controller says of an election outside the ISR, as its records would tell it."""
    for one, event in told(logs, ElectedUncleanly):
        leader, others = event.leader, event.could_lead - {event.leader}
        about, says, weight = unclean_election(leader, others, leader in event.last_known)
        yield Noticed(one.place, None, event.shown, about, says, weight)


def _leaders(logs: Iterable[BrokerLog]) -> Mapping[Named, Mapping[int, int | None]]:
    """The leader of each leader epoch of which a broker tells, whichever it is."""
    found: dict[Named, dict[int, int | None]] = {}
    for event in (one.event for log in logs for one in log.events):
        if isinstance(event, RoleTaken | RoleKept | FetcherAdded):
            found.setdefault(event.named, {})[event.leader_epoch] = leader_of(event.leader)
    return found
