"""What there is of one partition: what was decided, what each broker says, which of its lines are missing.

Records between two offsets at which something happened always go together, so that they count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, dropwhile

from epochal.spec.kraft.settings import Settings

from ...evidence.broker_log import (
    UNKNOWN_BROKER,
    BrokerEvent,
    BrokerLog,
    Event,
    FetcherAdded,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    LogLoaded,
    LogRead,
    OfPartition,
    PartitionMade,
    Process,
    RoleKept,
    RolesFollow,
    RoleTaken,
    Truncated,
)
from ...evidence.client_history import ClientHistory, RecordSent
from ...evidence.disks import DiskLog
from ...evidence.metadata_log import MetadataLog, MetadataRecord
from ...evidence.place import Named, Place
from ..controller import RuleSet
from ..image import (
    FENCED,
    NO_BROKERS,
    NOBODY,
    REGISTERED,
    SHUTTING_DOWN,
    UNFENCED,
    UNREGISTERED,
    BrokerChange,
    Brokers,
    Image,
    Partition,
    TopicPartition,
    changes_of_brokers,
)

CREATED, CHANGE, CLEARED = "PARTITION_RECORD", "PARTITION_CHANGE_RECORD", "CLEAR_ELR_RECORD"


@dataclass(frozen=True)
class ChangedTo:
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


Decision = ChangedTo | OfBroker


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
class DecidedPartition:
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
        changes = [one.found for one in self.decisions if isinstance(one, ChangedTo)]
        return max((one.leader_epoch for one in changes), default=self.created.partition.leader_epoch)

    def registers_first(self, broker: int) -> bool:
        """Whether a broker that is not active at first comes in a new process, and is not only unfenced."""
        for one in self.decisions:
            if isinstance(one, OfBroker) and one.broker == broker and one.says in (REGISTERED, UNFENCED):
                return one.says == REGISTERED
        return True


def decided(log: MetadataLog, rules: RuleSet, wanted: AbstractSet[Named]) -> Iterator[DecidedPartition]:
    """Those of the wanted partitions that are created in a metadata log, or stand in the snapshot it begins with."""
    image = Image(log.is_whole)
    begun: dict[TopicPartition, _Begun] = {}

    def in_force(record: MetadataRecord, of: TopicPartition) -> tuple[Settings, Brokers]:
        return rules.at(record.epoch)[0].settings(image, of), image.offline(image.partitions[of])

    def begins(record: MetadataRecord, of: TopicPartition, from_snapshot: bool) -> None:
        if (image.topics.get(of[0], ""), of[1]) in wanted:
            partition, active = image.partitions[of], frozenset(one for one in image.brokers if image.is_active(one))
            created = Created(record, partition, active, *in_force(record, of), from_snapshot)
            begun[of] = _Begun(image.name_of(of), created, rules.unknown(image, of), set(partition.brokers))

    def changes(record: MetadataRecord, of: TopicPartition) -> None:
        settings, offline = in_force(record, of)
        changed = ChangedTo(record, image.partitions[of], settings, record.kind == CLEARED, offline)
        begun[of].decisions.append(changed)

    for record in log.begins_with:
        image.apply(record)
    for record in log.begins_with:
        if record.kind == CREATED and (of := _partition(record)) in image.partitions:
            begins(record, of, from_snapshot=True)
    for record in log.records:
        before = {one: image.partitions.get(one) for one in begun} if record.kind == CLEARED else {}
        said = _decision_of_broker(record, image)
        of = _partition(record)
        is_new = record.kind == CREATED and of not in image.partitions
        image.apply(record)
        if is_new:
            begins(record, of, from_snapshot=False)
        elif record.kind == CHANGE and of in begun:
            begun[of].brokers |= image.partitions[of].brokers
            changes(record, of)
        elif record.kind == CLEARED:
            for other, was in before.items():
                if was is not None and image.partitions[other] != was:
                    changes(record, other)
        elif said is not None:
            says = FENCED if said.says == UNREGISTERED else said.says
            for other, one in begun.items():
                still = image.partitions.get(other)
                if still is not None and (said.lost is None or still.directory(said.broker) in said.lost):
                    one.decisions.append(OfBroker(record, said.broker, says, *in_force(record, other)))
    for of, one in begun.items():
        concerned = tuple(made for made in one.decisions if isinstance(made, ChangedTo) or made.broker in one.brokers)
        epochs = {made.record.epoch for made in (one.created, *concerned)}
        controllers = {epoch: rules.at(epoch)[0].version for epoch in sorted(epochs)}
        brokers = tuple(sorted(one.brokers))
        yield DecidedPartition(of, one.name, one.created, concerned, brokers, controllers, rules.releases, one.unknown)


@dataclass
class _Begun:
    """A partition whose run has begun, with the brokers and decisions so far."""

    name: str
    created: Created
    unknown: tuple[str, ...]
    brokers: set[int]
    decisions: list[Decision] = field(default_factory=list)


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
class LifeStart:
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

    start: LifeStart | None
    lanes: tuple[Lane, ...]
    disk: DiskLog | None = None
    place: Place | None = None


EITHER = LifeStart(Process(None), is_either=True)


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
        start = None if None in starts else next((one for one in starts if one not in (LifeStart(), EITHER)), starts[0])
        place = next((life.place for life in parts if life.start == start and life.place is not None), None)
        found.append(Life(start, tuple(lane for life in parts for lane in life.lanes if lane), place=place))
    return tuple(found)


def _lives_of_lane(events: Sequence[BrokerEvent], processes: bool) -> list[Life]:
    """The lives that one log file tells of: they begin where the log is loaded, else where the partition is made.

    Where no log of the broker tells of `processes`, each partition that is made may be that of a new one.
    """
    loads = any(isinstance(one.event, LogLoaded) for one in events)
    found: list[tuple[LifeStart | None, list[BrokerEvent], Place | None]] = []
    start: LifeStart | None = None
    for one in events:
        event = one.event
        if isinstance(event, Process):
            start = LifeStart(_both(start.process, event) if start is not None and start.process is not None else event)
        elif isinstance(event, LogRead):
            start = replace(start or LifeStart(), kept=event.end)
        elif isinstance(event, LogLoaded):
            if start is not None:  # else it is the log of a move to another directory
                found.append((replace(start, stored=event.high_watermark), [], one.place))
            start = None
        elif isinstance(event, PartitionMade):
            if not loads:
                found.append((LifeStart() if processes else EITHER, [], one.place))
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
    for event in (one.event for lane in life.lanes for one in lane):
        yield from (one for one in named_by(event) if one is not None)
        if isinstance(event, IsrShrinks):
            yield from (end for _, end in event.slow if end is not None and end >= 0)


def named_by(event: Event) -> tuple[int | None, int | None]:
    """The log end and the high watermark that a line names; None for what it does not."""
    if isinstance(event, RoleTaken):
        return event.offset, event.high_watermark
    if isinstance(event, IsrShrinks):
        return event.end, event.high_watermark
    if isinstance(event, RoleKept | HighWatermarkMoved):
        return None, event.high_watermark
    return (event.offset, None) if isinstance(event, Truncated) else (None, None)


# -- missing lines ----------------------------------------------------------------------------------------------------
# Which lines of brokers are not in the evidence, as far as the rest of it tells: that nobody says so is no refusal.
#
# A run has to explain the lines that are there, and does without a line only what no broker writes one of. So where
# lines are missing (of an excerpt, of a file that is not here, of a log that begins later or ends earlier) there may be
# none although everything was as it should be. What a log tells twice says whether it is whole:
#
# * `Transitioning n partition(s)` is followed by n roles, and a partition is made where a log is loaded;
# * every registration of a broker is of a new process, which reads its logs;
# * who follows a leader begins to fetch from it, unless it is shutting down and out of the ISR; and a leader whose
#   followers leave the ISR has asked for that;
# * who is active at the end acts on the last change.

OF_STATES = (PartitionMade, RoleTaken, RoleKept)
"""What state-change.log tells; the rest is in server.log."""


def missing_lines(
    decided: DecidedPartition,
    logs: Iterable[BrokerLog],
    lanes: Mapping[int, Sequence[Sequence[BrokerEvent]]],
    lives: Mapping[int, Sequence[Life]],
) -> str:
    """The first thing that says that lines of a broker are missing; nothing if each log looks whole."""
    gaps = _gaps(logs)
    for broker in decided.brokers:
        found = next(_of_broker(decided, broker, lanes.get(broker, ()), lives.get(broker, ())), "")
        if not found and broker in gaps:
            found = f"between the lines of broker {broker} before {gaps[broker]}"
        if found:
            return found
    return ""


def tells_no_roles(decided: DecidedPartition, lanes: Mapping[int, Sequence[Sequence[BrokerEvent]]]) -> str:
    """The broker whose lines tell that it holds the partition, and never in which role, so that no run can be found."""
    for broker in decided.brokers:
        said = [one.event for lane in lanes.get(broker, ()) for one in lane if not isinstance(one.event, Process)]
        if said and not any(isinstance(event, RoleTaken | RoleKept) for event in said):
            return f"state-change.log of broker {broker}"
    return ""


def _of_broker(
    decided: DecidedPartition, broker: int, lanes: Sequence[Sequence[BrokerEvent]], lives: Sequence[Life]
) -> Iterator[str]:
    """What is missing of one broker."""
    events = [one.event for lane in lanes for one in lane]
    states = sum(isinstance(event, OF_STATES) for event in events)
    if not states or states == len(events):
        which = "the logs" if not events else "server.log" if states else "state-change.log"
        yield f"{which} of broker {broker}"
        return
    if len(lanes) > 2:
        yield f"the order of the {len(lanes)} files that broker {broker} wrote"
    if any(life.start is None for life in lives if life.disk is None):
        yield f"the beginning of the logs of broker {broker}"
    loaded = _loaded(lanes)
    if loaded != sum(isinstance(event, PartitionMade) for event in events) or any(
        life.start.kept is None for life in lives if life.start is not None and life.disk is None
    ):
        yield f"what broker {broker} says when it takes up its log"
    processes = sum(life.start is not None and life.start.process is not None for life in lives if life.disk is None)
    registered = _registrations(decided, broker)
    if processes != registered:
        yield f"the start of a process of broker {broker}: it has registered for {registered}, and tells of {processes}"
    fetches = {event.leader_epoch for event in events if isinstance(event, FetcherAdded)}
    roles = [event for event in events if isinstance(event, RoleTaken) and not event.leads and event.leader != NOBODY]
    first, idle = decided.created.partition.partition_epoch, _idle(decided, broker)
    acted = [event for event in roles if event.partition_epoch >= first and event.partition_epoch not in idle]
    due = {event.leader_epoch for event in acted}
    if not due <= fetches <= {event.leader_epoch for event in roles}:
        yield f"in which leader epochs broker {broker} follows, or fetches"
    if any(shrunk not in _shrinks(events) for shrunk in _shrunk(decided, broker)):
        yield f"that broker {broker} asks for a smaller ISR"
    if _last_to_act_on(decided, broker) > max(
        (event.partition_epoch for event in events if isinstance(event, RoleTaken | RoleKept)), default=-1
    ):
        yield f"the end of the logs of broker {broker}"


def _gaps(logs: Iterable[BrokerLog]) -> Mapping[int, Place]:
    """For each broker the first place before which roles are missing, or the line that announces them.

    So is, where a line is that of nobody knows whom, one for all who write there.
    """
    found: dict[int, Place] = {}
    for log in logs:
        expected: dict[int, int] = {}
        for one in log.events:
            if isinstance(one.event, RolesFollow):
                if expected.get(one.broker):
                    found.setdefault(one.broker, one.place)
                expected[one.broker] = one.event.number
            elif isinstance(one.event, RoleTaken | RoleKept):
                expected[one.broker] = expected.get(one.broker, 0) - 1
                if expected[one.broker] < 0:
                    found.setdefault(one.broker, one.place)
        for broker, number in expected.items():
            if number > 0:
                found.setdefault(broker, log.events[-1].place)
        unknown = next((one.place for one in log.events if one.broker == UNKNOWN_BROKER), None)
        if unknown is not None:
            for broker in {one.broker for one in log.events}:
                found.setdefault(broker, unknown)
    return found


BEGINS, ENDS = (REGISTERED, UNFENCED), (FENCED, UNREGISTERED, SHUTTING_DOWN)
"""After which of its changes a broker runs, and after which it may not run any more."""


def _registrations(decided: DecidedPartition, broker: int) -> int:
    """How many processes of a broker there were that had a replica, from when the partition was created.

    One that starts when the broker has none any more, or not yet, says nothing of the partition.
    """
    runs = broker in decided.created.active or not decided.registers_first(broker)
    has = broker in decided.created.partition.replicas
    counted = found = int(runs and has)
    for one in decided.decisions:
        if isinstance(one, ChangedTo):
            has = broker in one.found.replicas
        elif one.broker == broker:
            counted = 0 if one.says == REGISTERED else counted
            runs = one.says in BEGINS or (runs and one.says not in ENDS)
        if has and runs and not counted:
            counted, found = 1, found + 1
    return found


def _loaded(lanes: Iterable[Sequence[BrokerEvent]]) -> int:
    """How often the log was taken up, and not loaded for a move to another directory, or once more, in between."""
    of_server = (lane for lane in lanes if not any(isinstance(one.event, OF_STATES) for one in lane))
    return sum(life.start is not None for life in lives_of(of_server))


def _idle(decided: DecidedPartition, broker: int) -> set[int]:
    """The partition epochs in which a broker that follows may begin no fetch: while it shuts down and is out of the ISR
    (ReplicaManager.applyLocalFollowersDelta). Its process knows that it shuts down before the controller does."""
    found: set[int] = set()
    here, shuts_down = _out_of_isr(decided.created.partition, broker), False
    for one in decided.decisions:
        if isinstance(one, ChangedTo):
            here |= _out_of_isr(one.found, broker)
        elif one.broker == broker and one.says == SHUTTING_DOWN:
            shuts_down = True
        elif one.broker == broker and one.says == REGISTERED:
            found |= here if shuts_down else set()
            here, shuts_down = set(), False
    return found | here if shuts_down else found


def _out_of_isr(partition: Partition, broker: int) -> set[int]:
    return set() if broker in partition.isr else {partition.partition_epoch}


def _shrinks(events: Iterable[object]) -> set[tuple[frozenset[int], frozenset[int]]]:
    return {(event.before, event.after) for event in events if isinstance(event, IsrShrinks)}


def _shrunk(decided: DecidedPartition, leader: int) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """The smaller ISRs that a leader must have asked for: no record about a broker stands beside them."""
    was, before = decided.created.partition, None
    for number, one in enumerate(decided.decisions):
        if isinstance(one, ChangedTo):
            following = decided.decisions[number + 1] if number + 1 < len(decided.decisions) else None
            same = (was.leader, was.leader_epoch) == (leader, one.found.leader_epoch) and was.leader == one.found.leader
            alone = not isinstance(before, OfBroker) and not isinstance(following, OfBroker)
            if same and alone and one.found.isr < was.isr:
                yield was.isr, one.found.isr
            was = one.found
        before = one


def _last_to_act_on(decided: DecidedPartition, broker: int) -> int:
    """The last partition epoch on which a broker acted, if it is active when it comes."""
    active, last = broker in decided.created.active, -1
    partition = decided.created.partition
    for one in (None, *decided.decisions):
        if isinstance(one, ChangedTo):
            partition = one.found
        elif isinstance(one, OfBroker) and one.broker == broker:
            active = one.says == UNFENCED if one.says in (FENCED, UNFENCED, REGISTERED) else active
        if active and broker in partition.replicas:
            last = partition.partition_epoch
    return last


# -- since snapshot ---------------------------------------------------------------------------------------------------
# A partition that was there before the metadata log begins: what brokers say since then, and what was in logs.
#
# Every cluster that has run for a week has such a log, while those of its brokers go further back. What they say of the
# life at the snapshot counts from the first line on that names a later partition epoch or leader epoch. What was in the
# replicas then nobody says, but their disks have it still: the records of leader epochs before that of the snapshot.


def lives_since(decided: DecidedPartition, broker: int, lives: tuple[Life, ...]) -> tuple[Life, ...]:
    """The lives of a broker's replica that the metadata log has.

    There is one for each registration, and the one before them if the broker was running; how that began is not known.
    """
    registrations = sum(
        1 for one in decided.decisions if isinstance(one, OfBroker) and (one.broker, one.says) == (broker, REGISTERED)
    )
    running = broker in decided.created.active or not decided.registers_first(broker)
    most = registrations + running
    kept = lives[-most:] if most else ()
    if not running or not kept:
        return kept
    if len(kept) < most:
        return (Life(None, ()), *kept)
    lanes = (_since(decided.created, lane) for lane in kept[0].lanes)
    return (replace(kept[0], start=None, lanes=tuple(lane for lane in lanes if lane)), *kept[1:])


def epochs_before(created: Created, lives: Mapping[int, tuple[Life, ...]], offsets: Iterable[int]) -> list[int]:
    """The leader epochs of the first records, of as many as are on a disk and from before the epoch of the snapshot."""
    disks = [life.disk for some in lives.values() for life in some if life.disk is not None]
    found: list[int] = []
    for offset in offsets:
        said = [epoch for disk in disks if (epoch := disk.epoch_at(offset)) is not None]
        if not said or min(said) >= created.partition.leader_epoch:
            break
        found.append(min(said))
    return found


def _since(created: Created, lane: Lane) -> Lane:
    return tuple(dropwhile(lambda one: not _is_later(created, one), lane))


def _is_later(created: Created, one: BrokerEvent) -> bool:
    event, then = one.event, created.partition
    if isinstance(event, (RoleTaken, RoleKept, IsrUpdated)):
        return event.partition_epoch > then.partition_epoch
    return isinstance(event, FetcherAdded) and event.leader_epoch > then.leader_epoch


WAITS_FOR_ISR = frozenset({"all", "-1"})
"""With these acks a producer is answered when the whole ISR has the record, and refused where that is too small."""


@dataclass(frozen=True)
class PartitionEvidence:
    """What was decided, and the lives of each broker's replica, by broker. A broker without lives left no log.

    `beyond` counts the lines that are about decisions after the end of the metadata log; they are left out. `missing`
    are lines that are not here, so that not finding a run says nothing; `without_roles` those without which no run can
    be found. `acks` is what producers waited for, as clients say; empty if they do not.
    """

    decided: DecidedPartition
    lives: Mapping[int, tuple[Life, ...]]
    beyond: int
    missing: str = ""
    without_roles: str = ""
    acks: frozenset[str] = frozenset()

    @property
    def any_acks(self) -> bool:
        """Whether producers are known to wait for less than the whole ISR."""
        return not self.acks <= WAITS_FOR_ISR

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The offsets at which something happened, in order."""
        said = chain.from_iterable(offsets_of(life) for lives in self.lives.values() for life in lives)
        return tuple(sorted({0, *said}))

    def _otherwise(self, change: Callable[[int, int, Life], Life | None]) -> PartitionEvidence:
        """The same with other lives, each by its broker and number; None for one that is left out."""
        lives = {
            broker: tuple(one for number, life in enumerate(some) if (one := change(broker, number, life)) is not None)
            for broker, some in self.lives.items()
        }
        return replace(self, lives=lives)

    def without(self, said: BrokerEvent) -> PartitionEvidence:
        """The same without one line."""

        def left(lanes: tuple[Lane, ...]) -> tuple[Lane, ...]:
            return tuple(tuple(one for one in lane if one is not said) for lane in lanes)

        return self._otherwise(lambda _, __, life: replace(life, lanes=left(life.lanes)))

    def with_line(self, life: int, said: BrokerEvent) -> PartitionEvidence:
        """The same with one line more, somewhere in that life of its broker: nobody says between which others."""
        here = said.broker, life
        return self._otherwise(
            lambda broker, number, one: replace(one, lanes=(*one.lanes, (said,))) if (broker, number) == here else one
        )

    def without_start(self, place: Place) -> PartitionEvidence:
        """The same without what a process found on its disk when it began: it is not known how it ended, either."""
        unknown = LifeStart(Process(None))
        return self._otherwise(
            lambda _, number, life: replace(life, start=unknown) if number and life.place == place else life
        )

    def without_disks(self, but_of: Collection[int] = ()) -> PartitionEvidence:
        """The same without what lies on disks, but for those of some brokers."""
        return self._otherwise(lambda broker, _, life: life if life.disk is None or broker in but_of else None)

    @property
    def events(self) -> int:
        """How many decisions and lines there are."""
        lines = sum(len(lane) for lives in self.lives.values() for life in lives for lane in life.lanes)
        return len(self.decided.decisions) + lines


def evidence_of(
    decided: DecidedPartition,
    logs: Iterable[BrokerLog],
    replicas: Iterable[DiskLog] = (),
    histories: Iterable[ClientHistory] = (),
) -> PartitionEvidence:
    """The evidence of a partition from all logs of brokers, from what lies on their disks, and what clients say.

    What lies there is taken to be from after the last line of that broker. What state-change.log has and what
    server.log has are two orders, also where both are in one file: it may have been put together by time.
    """
    logs = tuple(logs)
    changes = [one.found.partition_epoch for one in decided.decisions if isinstance(one, ChangedTo)]
    last = max(changes, default=decided.created.partition.partition_epoch)
    by_broker: dict[int, list[list[BrokerEvent]]] = {broker: [] for broker in decided.brokers}
    beyond = 0
    for log in logs:
        lanes: dict[tuple[int, bool], list[BrokerEvent]] = {}
        ended: set[int] = set()
        for one in log.events:
            event = one.event
            if one.broker not in by_broker or not (isinstance(event, Process) or _is_of(event, decided.named)):
                continue
            if isinstance(event, (RoleTaken, RoleKept, IsrUpdated)) and event.partition_epoch > last:
                ended.add(one.broker)
            if one.broker in ended:
                beyond += 1
            else:
                lanes.setdefault((one.broker, isinstance(event, OF_STATES)), []).append(one)
        for (broker, _), lane in lanes.items():
            by_broker[broker].append(lane)
    lives = {broker: lives_of(lanes) for broker, lanes in by_broker.items()}
    if decided.created.from_snapshot:
        lives = {broker: lives_since(decided, broker, some) for broker, some in lives.items()}
    missing = missing_lines(decided, logs, by_broker, lives)
    without_roles = tells_no_roles(decided, by_broker)
    for disk in replicas:
        if disk.named == decided.named and disk.end is not None and disk.broker in lives:
            said = lives[disk.broker] or (Life(None, ()),)
            lives[disk.broker] = (*said, Life(LifeStart(kept=disk.end), (), disk))
    told = {broker: some for broker, some in lives.items() if some}
    return PartitionEvidence(decided, told, beyond, missing, without_roles, _acks(decided.named, histories))


def _acks(of: Named, histories: Iterable[ClientHistory]) -> frozenset[str]:
    """What producers waited for, as clients say."""
    events = (line.event for one in histories for line in one.lines)
    return frozenset(
        "all" if one.acks == "-1" else one.acks for one in events if isinstance(one, RecordSent) and one.named == of
    )


def _is_of(event: object, of: Named) -> bool:
    return isinstance(event, OfPartition) and event.named == of
