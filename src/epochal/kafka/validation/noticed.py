"""What to look at in a metadata log: events by which records may have been lost, each with its ticket or finding.

None of these is a refusal: Kafka did what its rules allow. They are where an incident begins.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug

from ..evidence.metadata_log import MetadataLog, MetadataRecord
from ..evidence.place import Place
from .controller import RuleSet
from .image import ELR_FEATURE, BrokerChange, Brokers, Image, Partition, changes_of_brokers, listed
from .meter import SILENT, Meter

# -- findings ---------------------------------------------------------------------------------------------------------
# The bugs and holes that evidence may show, by the names that the catalogue has for them.

_BY_ID = {bug.id: bug for bug in KNOWN_BUGS}


def finding(id: str) -> KnownBug:
    """The entry of the catalogue with a number."""
    return _BY_ID[id]


N1, S15, H1, H14, H15 = (finding(id).name for id in ("N1", "S15", "H1", "H14", "H15"))
N2, S18, S20, S27 = (finding(id).name for id in ("N2", "S18", "S20", "S27"))

BY_CLEAN_EVENTS = ("N1", "S10", "S15", "H1")
"""What loses a committed record without a crash and without an unclean election."""


def by_clean_events(version: str) -> str:
    """Those of a version: `Replica.resetReplicaState (N1) or Partition.makeLeader (S15)`."""
    return " or ".join(bug.name for bug in map(finding, BY_CLEAN_EVENTS) if bug.was_in(version))


def is_among(about: str, of: Iterable[str]) -> bool:
    """Whether what may be one of several findings is one of these for sure."""
    return " or " in about and any(one in about.split(" or ") for one in of)


# -- events ------------------------------------------------------------------------------------------------------------
# Each record of the log in its turn.

CHANGE = "PARTITION_CHANGE_RECORD"
REGISTER, CLEAR_ELR = "REGISTER_BROKER_RECORD", "CLEAR_ELR_RECORD"

SHORT = "KIP-966"
"""An ISR below min.insync.replicas."""


class Weight(enum.IntEnum):
    """How bad it is, the worst first: what reports begin with."""

    LOST = 1
    """A record that a client was told of is not there any more."""

    GONE = 2
    """A replica has cut off what was committed, or has something else there."""

    ELECTED = 3
    """A leader was elected that may lack what was committed."""

    OPENED = 4
    """What such a loss needs has happened."""

    REFUSED = 5
    """Writes are refused."""


@dataclass(frozen=True)
class Noticed:
    """An event: `about` is the ticket, KIP or finding that tells what may come of it.

    `offset` is that of a record of metadata, None of a line of a log. `event` is what happened to a broker, where that
    is known to be why a partition has changed.
    """

    place: Place
    offset: int | None
    partition: str
    about: str
    says: str
    weight: Weight = Weight.OPENED
    event: BrokerChange | None = None


def by_weight(events: Iterable[Noticed]) -> tuple[Noticed, ...]:
    """The worst first, and else in their order."""
    return tuple(sorted(events, key=lambda one: one.weight))


@dataclass(frozen=True)
class LogNoticed:
    """The events in a log, in its order, and what the logs of brokers are to be held against.

    `short` is the `min.insync.replicas` of every change that leaves fewer than that in the ISR, and others eligible
    beside it: by the topic's id, the partition and its epoch.
    """

    events: tuple[Noticed, ...]
    short: Mapping[tuple[str, int, int], int]


def noticed(log: MetadataLog, rules: RuleSet, meter: Meter = SILENT) -> LogNoticed:
    """Look through a metadata log."""
    image = Image(log.is_whole)
    for record in log.begins_with:
        image.apply(record)
    found: list[Noticed] = []
    short: dict[tuple[str, int, int], int] = {}
    changed: list[tuple[frozenset[int], Noticed]] = []
    before: BrokerChange | None = None
    for record in meter.each("looking for what may lose records", log.records):
        if record.kind != CHANGE:  # it tells of the changes just before it, or of those behind it
            behind, before = changes_of_brokers(record, image)
            found += [_by(one, behind, brokers) for brokers, one in changed]
            changed = []
        if record.kind == CHANGE:
            of = (record.data["topicId"], record.data["partitionId"])
            was = image.partitions.get(of)
            if was is not None:
                least = rules.min_isr(image, of)
                name, now = image.name_of(of), was.changed(record.data)
                if len(now.isr) < least and now.elr:
                    short[*of, now.partition_epoch] = least
                events = _of_change(record, was, now, least, image.elr or not image.tells_feature(ELR_FEATURE))
                brokers = _concerned(was, now)
                for about, says, weight in events:
                    one = Noticed(record.place, record.offset, name, about, says, weight)
                    changed.append((brokers, _by(one, before, brokers)))
        elif record.kind == REGISTER:
            found += _of_registration(record, image)
        elif record.kind == CLEAR_ELR:
            found += _of_cleared(record, image)
        image.apply(record)
    return LogNoticed((*found, *(one for _, one in changed)), short)


def _by(one: Noticed, event: BrokerChange | None, brokers: frozenset[int]) -> Noticed:
    """The same with the event of a broker by which it came, if it concerns that one, and no other event is known."""
    return replace(one, event=event) if event is not None and one.event is None and event.broker in brokers else one


def _concerned(was: Partition, now: Partition) -> frozenset[int]:
    """Which brokers a change takes into the ISR or out of it, or makes leader or deposes."""
    led = {was.leader, now.leader} if was.leader != now.leader else set[int | None]()
    return (was.isr ^ now.isr) | {leader for leader in led if leader is not None}


def _of_change(
    record: MetadataRecord, was: Partition, now: Partition, least: int, has_elr: bool
) -> Iterator[tuple[str, str, Weight]]:
    """What is to be said of a change of a partition. `has_elr`: eligible leader replicas are on, or nobody says."""
    if now.recovering and not was.recovering:
        others = (was.isr | was.elr) - {now.leader}
        yield unclean_election(now.leader, others, not was.isr and now.leader == was.last_known_leader)
    if len(now.isr) < least <= len(was.isr):
        isr = f"the ISR {listed(now.isr)}" if now.isr else "the ISR, which is empty,"
        yield SHORT, f"{isr} is smaller than min.insync.replicas={least}: acks=all is refused", Weight.REFUSED
    if was.elr and not now.elr and record.data.get("directories") is not None and record.data.get("isr") is None:
        says = f"a log directory is assigned, and the eligible leader replicas {listed(was.elr)} are forgotten"
        yield "H3", says, Weight.OPENED
    if now.leader in was.elr - was.isr and not has_elr:
        says = f"broker {now.leader} is elected from an ELR that is left over, and may lack what was committed since"
        yield H14, says, Weight.ELECTED
    gone = now.last_known_leader
    if gone in was.replicas and gone not in now.replicas:
        says = f"broker {gone} has no replica any more, and is the last known leader: the controller may resign by that"
        yield H15, says, Weight.OPENED


def unclean_election(leader: int | None, others: Brokers, is_last_known: bool) -> tuple[str, str, Weight]:
    """What is to be said of an election outside the ISR. `others` could have led: members of the ISR and the ELR."""
    if is_last_known and not others:
        return N2, f"broker {leader} is elected as the last known leader, whatever its log has", Weight.ELECTED
    had = listed(others) if others else "others"
    return S27, f"unclean election of broker {leader}: what only {had} had is lost", Weight.ELECTED


def _of_registration(record: MetadataRecord, image: Image) -> Iterator[Noticed]:
    """A broker that registers while its old incarnation counts as active, and stays leader or in the ISR."""
    broker = record.data["brokerId"]
    known = image.brokers.get(broker)
    if known is None or not known.is_active:
        return
    for of in image.partitions_of(broker):
        partition = image.partitions[of]
        if partition.leader == broker:
            says = f"broker {broker} registers again before it was fenced, and still leads: it may have lost its log"
            yield Noticed(record.place, record.offset, image.name_of(of), S18, says)


def _of_cleared(record: MetadataRecord, image: Image) -> Iterator[Noticed]:
    """ELR that is cleared by a change of min.insync.replicas (KAFKA-16540)."""
    named = record.data.get("topicName")
    for of, partition in image.partitions.items():
        if partition.elr and (not named or image.topics.get(of[0]) == named):
            says = f"the eligible leader replicas {listed(partition.elr)} are cleared"
            yield Noticed(record.place, record.offset, image.name_of(of), "KAFKA-16540", says)
