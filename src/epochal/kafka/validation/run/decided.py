"""What the controller decided about one partition and its brokers, in the order of the metadata log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from epochal.spec.kraft.settings import Settings

from ...evidence.broker_events import (
    BrokerEvent,
    FetcherAdded,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    LogLoaded,
    LogRead,
    PartitionMade,
    Process,
    RoleKept,
    RoleTaken,
    Truncated,
)
from ...evidence.disks import Replica
from ...evidence.metadata_log import MetadataLog, MetadataRecord
from ...evidence.place import Named, Place
from ..image import (
    FENCED,
    NO_BROKERS,
    REGISTERED,
    UNFENCED,
    UNREGISTERED,
    BrokerChange,
    Brokers,
    Image,
    Partition,
    TopicPartition,
    changes_of_brokers,
)
from ..rules import Rules

CREATED, CHANGE, CLEARED = "PARTITION_RECORD", "PARTITION_CHANGE_RECORD", "CLEAR_ELR_RECORD"


@dataclass(frozen=True)
class Changed:
    """The partition changes. `cleared` says that no record of its own says so (ClearElrRecord).

    `offline` are the brokers whose replica is in a log directory that is not online then.
    """

    record: MetadataRecord
    found: Partition
    settings: Settings
    cleared: bool = False
    offline: Brokers = NO_BROKERS


@dataclass(frozen=True)
class OfBroker:
    """A broker that the partition has to do with registers, is fenced, is unfenced, may shut down, or loses a disk."""

    record: MetadataRecord
    broker: int
    says: str
    settings: Settings
    offline: Brokers = NO_BROKERS


Decision = Changed | OfBroker


@dataclass(frozen=True)
class Created:
    """A partition as it was when its run begins: which of its brokers were active then, and whose replica was offline.

    `from_snapshot` says that it was there before the metadata log begins: its logs are not empty.
    """

    record: MetadataRecord
    partition: Partition
    active: Brokers
    settings: Settings
    offline: Brokers = NO_BROKERS
    from_snapshot: bool = False


@dataclass(frozen=True)
class Decided:
    """All that was decided about a partition, from its creation on, or from the snapshot with which the metadata log
    begins. `brokers` are those it ever had to do with."""

    of: TopicPartition
    name: str
    created: Created
    decisions: tuple[Decision, ...]
    brokers: tuple[int, ...]
    controllers: Mapping[int, str] = field(default_factory=dict)
    """By epoch of the metadata quorum, the version by whose rules its controller decided."""

    releases: tuple[str, ...] = ()
    """The versions of Kafka that were there, if their rules differ: nobody says of each step by which rules it was."""

    unknown: tuple[str, ...] = ()
    """What is set for it and was before the metadata log begins."""

    @property
    def named(self) -> Named:
        """The partition as logs call it."""
        topic, _, number = self.name.rpartition("-")
        return topic, int(number)

    @property
    def last_leader_epoch(self) -> int:
        """The last leader epoch that there was."""
        changes = [one.found for one in self.decisions if isinstance(one, Changed)]
        return max((one.leader_epoch for one in changes), default=self.created.partition.leader_epoch)

    def registers_first(self, broker: int) -> bool:
        """Whether a broker that is not active at first comes in a new process, and is not only unfenced."""
        for one in self.decisions:
            if isinstance(one, OfBroker) and one.broker == broker and one.says in (REGISTERED, UNFENCED):
                return one.says == REGISTERED
        return True


def decided(log: MetadataLog, rules: Rules, wanted: AbstractSet[Named]) -> Iterator[Decided]:
    """Those of the wanted partitions that are created in a metadata log, or stand in the snapshot it begins with."""
    brokers: dict[TopicPartition, set[int]] = {}
    created: dict[TopicPartition, Created] = {}
    decisions: dict[TopicPartition, list[Decision]] = {}
    names: dict[TopicPartition, str] = {}
    image = Image(log.is_whole)
    unknown: dict[TopicPartition, tuple[str, ...]] = {}

    def begins(record: MetadataRecord, of: TopicPartition, from_snapshot: bool) -> None:
        if (image.topics.get(of[0], ""), of[1]) in wanted:
            partition, unknown[of] = image.partitions[of], rules.unknown(image, of)
            active = frozenset(one for one in image.brokers if image.is_active(one))
            created[of] = Created(
                record,
                partition,
                active,
                rules.at(record.epoch)[0].settings(image, of),
                image.offline(partition),
                from_snapshot,
            )
            brokers[of], decisions[of], names[of] = set(partition.brokers), [], image.name_of(of)

    for record in log.begins_with:
        image.apply(record)
    for record in log.begins_with:
        if record.kind == CREATED and (of := _partition(record)) in image.partitions:
            begins(record, of, from_snapshot=True)
    for record in log.records:
        before = {one: image.partitions.get(one) for one in created} if record.kind == CLEARED else {}
        said = _decision_of_broker(record, image)
        of = _partition(record)
        is_new = record.kind == CREATED and of not in image.partitions
        image.apply(record)
        if is_new:
            begins(record, of, from_snapshot=False)
        elif record.kind == CHANGE and of in created:
            found = image.partitions[of]
            brokers[of] |= found.brokers
            decisions[of].append(
                Changed(record, found, rules.at(record.epoch)[0].settings(image, of), offline=image.offline(found))
            )
        elif record.kind == CLEARED:
            for other, was in before.items():
                if was is not None and (now := image.partitions[other]) != was:
                    settings = rules.at(record.epoch)[0].settings(image, other)
                    decisions[other].append(Changed(record, now, settings, cleared=True, offline=image.offline(now)))
        elif said is not None:
            for other in created:
                still = image.partitions.get(other)
                if still is not None and (said.lost is None or still.directory(said.broker) in said.lost):
                    settings = rules.at(record.epoch)[0].settings(image, other)
                    says = FENCED if said.says == UNREGISTERED else said.says
                    decisions[other].append(OfBroker(record, said.broker, says, settings, image.offline(still)))
    for of, one in created.items():
        concerned = tuple(
            decision for decision in decisions[of] if isinstance(decision, Changed) or decision.broker in brokers[of]
        )
        epochs = {decision.record.epoch for decision in (one, *concerned)}
        controllers = {epoch: rules.at(epoch)[0].version for epoch in sorted(epochs)}
        yield Decided(
            of, names[of], one, concerned, tuple(sorted(brokers[of])), controllers, rules.releases, unknown[of]
        )


def _partition(record: MetadataRecord) -> TopicPartition:
    return record.data.get("topicId", ""), record.data.get("partitionId", -1)


def _decision_of_broker(record: MetadataRecord, image: Image) -> BrokerChange | None:
    """What a record, not applied yet, says of a broker, if it says anything new."""
    behind, before = changes_of_brokers(record, image)
    change = behind or before
    if change is not None and change.says == REGISTERED:
        known = image.brokers.get(change.broker)
        return None if known is not None and known.epoch == record.data["brokerEpoch"] else change
    return change


# -- lives ------------------------------------------------------------------------------------------------------------
# What one broker says of a partition, process by process, in as many orders as it has log files.

Lane = tuple[BrokerEvent, ...]

EXPLAINED = (RoleTaken, RoleKept, IsrUpdated, IsrShrinks, HighWatermarkMoved, Truncated, FetcherAdded)
"""The lines that a run has to explain. Others repeat what these say, or are of nothing that the specification has."""


@dataclass(frozen=True)
class Start:
    """How a broker took up its log: whether in a new process, where the log ends on disk, and the high watermark there.

    What is not in the evidence is None. `process.clean` says whether the process before it was shut down. `is_either`
    says that it may be a new process, or a replica that was given to a running one: state-change.log alone tells of
    both by "Creating new partition".
    """

    process: Process | None = None
    kept: int | None = None
    stored: int | None = None
    is_either: bool = False


@dataclass(frozen=True)
class Life:
    """A broker's events from taking up the log to the next time, a lane for each of its log files.

    Without a start the evidence begins in the middle. `disk` is what is found on its disk after all that it says: then
    this is the last life, and has no lanes. `place` is where the log was loaded.
    """

    start: Start | None
    lanes: tuple[Lane, ...]
    disk: Replica | None = None
    place: Place | None = None


EITHER = Start(Process(None), is_either=True)


def lives_of(logs: Iterable[Sequence[BrokerEvent]]) -> tuple[Life, ...]:
    """The lives of a broker's replica. Log files that tell of fewer lives than others lack the first."""
    logs = tuple(logs)
    told = any(isinstance(one.event, Process) for events in logs for one in events)
    lanes = [lives for lives in (_lives_of_lane(events, told) for events in logs) if lives]
    most = max(map(len, lanes), default=0)
    found: list[Life] = []
    for number in range(most):
        parts = [lives[number - (most - len(lives))] for lives in lanes if number >= most - len(lives)]
        starts = [life.start for life in parts]
        start = None if None in starts else next((one for one in starts if one not in (Start(), EITHER)), starts[0])
        place = next((life.place for life in parts if life.start == start and life.place is not None), None)
        found.append(Life(start, tuple(lane for life in parts for lane in life.lanes if lane), place=place))
    return tuple(found)


def _lives_of_lane(events: Sequence[BrokerEvent], processes: bool) -> list[Life]:
    """The lives that one log file tells of: they begin where the log is loaded, else where the partition is made.

    Where no log of the broker tells of `processes`, each partition that is made may be that of a new one.
    """
    loads = any(isinstance(one.event, LogLoaded) for one in events)
    found: list[tuple[Start | None, list[BrokerEvent], Place | None]] = []
    start: Start | None = None
    for one in events:
        event = one.event
        if isinstance(event, Process):
            start = Start(_both(start.process, event) if start is not None and start.process is not None else event)
        elif isinstance(event, LogRead):
            start = replace(start or Start(), kept=event.end)
        elif isinstance(event, LogLoaded):
            if start is not None:  # else it is the log of a move to another directory
                found.append((replace(start, stored=event.high_watermark), [], one.place))
            start = None
        elif isinstance(event, PartitionMade):
            if not loads:
                found.append((Start() if processes else EITHER, [], one.place))
        elif isinstance(event, EXPLAINED):
            if not found:
                found.append((None, [], None))
            found[-1][1].append(one)
    return [Life(begins, (tuple(said),), place=place) for begins, said, place in found]


def _both(one: Process, other: Process) -> Process:
    """A process says of each of its log directories whether it was closed, and a new directory says nothing.

    Where they say different things it is not known of which the partition is, nor whether there were two processes.
    """
    said = {process.clean for process in (one, other) if process.clean is not None}
    return Process(said.pop() if len(said) == 1 else None)


def offsets_of(life: Life) -> Iterable[int]:
    """Every offset that a life speaks of."""
    if life.disk is not None and life.disk.end is not None:
        yield life.disk.end
        yield from (stretch.first for stretch in life.disk.stretches)
    if life.start is not None:
        yield from (one for one in (life.start.kept, life.start.stored) if one is not None)
    for one in (one for lane in life.lanes for one in lane):
        event = one.event
        if isinstance(event, RoleTaken):
            yield from (event.offset, event.high_watermark)
        elif isinstance(event, RoleKept) and event.high_watermark is not None:
            yield event.high_watermark
        elif isinstance(event, IsrShrinks):
            yield from (event.high_watermark, event.end)
            yield from (end for _, end in event.slow if end is not None and end >= 0)
        elif isinstance(event, HighWatermarkMoved):
            yield event.high_watermark
        elif isinstance(event, Truncated):
            yield event.offset
