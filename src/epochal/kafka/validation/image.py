"""The cluster as the metadata log describes it so far: brokers, partitions, configuration (MetadataImage)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from ..evidence.metadata_log import MetadataLog, MetadataRecord
from ..evidence.place import Named, Place, partition_named

TopicPartition = tuple[str, int]
"""A topic's id, and the number of a partition."""

Brokers = frozenset[int]

NO_BROKERS: Brokers = frozenset()
NOBODY = -1
UNCHANGED = -2
TOPIC, CLUSTER = 2, 4
"""Resource types of ConfigRecord; the defaults of a cluster are those of the broker without a name."""

ELR_FEATURE, METADATA_VERSION = "eligible.leader.replicas.version", "metadata.version"

MIGRATING, UNASSIGNED, LOST = "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg"
NO_DIRECTORIES = frozenset({MIGRATING, UNASSIGNED, LOST})
"""Names of directories that are none (DirectoryId): the first two count as online, the last as offline."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition as the controller knows it (PartitionRegistration)."""

    replicas: tuple[int, ...]
    isr: Brokers
    leader: int | None
    leader_epoch: int
    partition_epoch: int
    adding: Brokers = NO_BROKERS
    removing: Brokers = NO_BROKERS
    elr: Brokers = NO_BROKERS
    last_known_leader: int | None = None
    recovering: bool = False
    directories: tuple[str, ...] = ()
    """The log directory of each of the replicas, in their order; empty where nobody has said it (KIP-858)."""

    def directory(self, broker: int) -> str | None:
        """The log directory of a broker's replica; None if it has none, or nobody has said it."""
        found = zip(self.replicas, self.directories, strict=False)
        return next((directory for one, directory in found if one == broker), None)

    @property
    def brokers(self) -> Brokers:
        """Every broker that has to do with it."""
        last = NO_BROKERS if self.last_known_leader is None else frozenset({self.last_known_leader})
        leader = NO_BROKERS if self.leader is None else frozenset({self.leader})
        return frozenset(self.replicas) | self.isr | self.elr | self.adding | self.removing | last | leader

    def changed(self, data: Mapping[str, Any]) -> Partition:
        """After a PartitionChangeRecord: what it leaves out stays (PartitionRegistration.merge)."""
        leader = data.get("leader", UNCHANGED)
        recovering = data.get("leaderRecoveryState", -1)
        last = data.get("lastKnownElr")
        directories = data.get("directories")
        return Partition(
            replicas=self.replicas if data.get("replicas") is None else tuple(data["replicas"]),
            isr=_brokers(data.get("isr"), self.isr),
            leader=self.leader if leader == UNCHANGED else leader_of(leader),
            leader_epoch=self.leader_epoch + (leader != UNCHANGED),
            partition_epoch=self.partition_epoch + 1,
            adding=_brokers(data.get("addingReplicas"), self.adding),
            removing=_brokers(data.get("removingReplicas"), self.removing),
            elr=_brokers(data.get("eligibleLeaderReplicas"), self.elr),
            last_known_leader=self.last_known_leader if last is None else _first(last),
            recovering=self.recovering if recovering < 0 else recovering == 1,
            directories=self.directories if directories is None else tuple(directories),
        )


def listed(some: Brokers) -> str:
    """`1,2`."""
    return ",".join(map(str, sorted(some))) or "empty"


def partition_of(data: Mapping[str, Any]) -> Partition:
    """A partition from its PartitionRecord."""
    return Partition(
        replicas=tuple(data["replicas"]),
        isr=frozenset(data["isr"]),
        leader=leader_of(data["leader"]),
        leader_epoch=data["leaderEpoch"],
        partition_epoch=data["partitionEpoch"],
        adding=_brokers(data.get("addingReplicas"), NO_BROKERS),
        removing=_brokers(data.get("removingReplicas"), NO_BROKERS),
        elr=_brokers(data.get("eligibleLeaderReplicas"), NO_BROKERS),
        last_known_leader=_first(data.get("lastKnownElr")),
        recovering=data.get("leaderRecoveryState", 0) == 1,
        directories=tuple(data.get("directories") or ()),
    )


def _brokers(said: list[int] | None, before: Brokers) -> Brokers:
    return before if said is None else frozenset(said)


def leader_of(said: int) -> int | None:
    """The leader that a record or a log names; None if it says that there is none."""
    return None if said == NOBODY else said


def _first(said: list[int] | None) -> int | None:
    return leader_of(said[0]) if said else None


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker as the controller knows it (BrokerRegistration): `directories` are those of its log directories that are
    online; none before metadata.version 3.7, which had no names for them.
    """

    epoch: int
    fenced: bool
    shutting_down: bool
    directories: frozenset[str] = frozenset()

    @property
    def is_active(self) -> bool:
        """Whether the controller counts on it."""
        return not self.fenced and not self.shutting_down


@dataclass
class Image:
    """What the metadata log has said so far. Names of topics are by their ids.

    `is_whole` says that nothing is missing before it: then what it does not say is as a new cluster has it.
    """

    is_whole: bool = True
    topics: dict[str, str] = field(default_factory=dict)
    partitions: dict[TopicPartition, Partition] = field(default_factory=dict)
    brokers: dict[int, Broker] = field(default_factory=dict)
    configs: dict[tuple[int, str], dict[str, str]] = field(default_factory=dict)
    features: dict[str, int] = field(default_factory=dict)
    _by_broker: dict[int, dict[TopicPartition, None]] = field(default_factory=dict)

    def apply(self, record: MetadataRecord) -> None:
        """Take in a record. One about what was before the log begins says what it says, and no more."""
        change = getattr(self, f"_{record.kind.lower()}", None)
        if change is not None:
            change(record.data)

    def is_active(self, broker: int) -> bool:
        """Whether the controller counts on a broker."""
        known = self.brokers.get(broker)
        return known is not None and known.is_active

    def offline(self, partition: Partition) -> Brokers:
        """The brokers whose replica of a partition is in a log directory that is not online (LeaderAcceptor)."""
        if not partition.directories:
            return NO_BROKERS
        return frozenset(
            broker
            for broker, directory in zip(partition.replicas, partition.directories, strict=False)
            if not self._is_online(broker, directory)
        )

    def _is_online(self, broker: int, directory: str) -> bool:
        """DirectoryId.isOnline: a broker that has named no directories has them all."""
        known = self.brokers.get(broker)
        if directory in (MIGRATING, UNASSIGNED):
            return True
        return directory != LOST and (known is None or not known.directories or directory in known.directories)

    def lost_directories(self, change: MetadataRecord) -> frozenset[str]:
        """The log directories that a BrokerRegistrationChangeRecord, not applied yet, takes away: they have failed.

        A list of none says nothing (ClusterControlManager.replay). Where the registration is from before the log
        begins, they are among those in which replicas lie.
        """
        broker, left = change.data["brokerId"], change.data.get("logDirs")
        if not left:
            return frozenset()
        known = self.brokers.get(broker)
        before = known.directories if known is not None else frozenset()
        lie = (self.partitions[of].directory(broker) for of in self.partitions_of(broker))
        return (before or frozenset(one for one in lie if one is not None) - NO_DIRECTORIES) - frozenset(left)

    def name_of(self, partition: TopicPartition) -> str:
        """`topic-0`."""
        topic, number = partition
        return partition_named(self.topics.get(topic, topic), number)

    def config(self, topic: str, name: str) -> str | None:
        """A setting of a topic: its own, or the default of the cluster; None if the metadata log says nothing."""
        own = self.configs.get((TOPIC, self.topics.get(topic, "")), {})
        return own.get(name, self.configs.get((CLUSTER, ""), {}).get(name))

    def tells_config(self, topic: str, name: str) -> bool:
        """Whether it is known what the metadata log says of a setting of a topic."""
        own = self.configs.get((TOPIC, self.topics.get(topic, "")), {})
        by_default = topic in self.topics and name in self.configs.get((CLUSTER, ""), {})
        return self.is_whole or name in own or by_default

    def tells_feature(self, name: str) -> bool:
        """Whether the level of a feature is known."""
        return self.is_whole or name in self.features

    @property
    def elr(self) -> bool:
        """Whether eligible leader replicas are kept (KIP-966)."""
        return self.features.get(ELR_FEATURE, 0) > 0

    @property
    def metadata_version(self) -> int | None:
        """The level of metadata.version: which rules the controller follows for brokers that are older than itself."""
        return self.features.get(METADATA_VERSION)

    def partitions_of(self, broker: int) -> list[TopicPartition]:
        """The partitions that have to do with a broker, or had, in the order in which they came to it."""
        return [of for of in self._by_broker.get(broker, {}) if broker in self.partitions[of].brokers]

    def _set(self, of: TopicPartition, partition: Partition) -> None:
        before = self.partitions.get(of)
        if before is None or before.replicas != partition.replicas:
            for broker in partition.brokers:
                self._by_broker.setdefault(broker, {})[of] = None
        self.partitions[of] = partition

    def of_topic(self, topic: str) -> Iterator[TopicPartition]:
        """The partitions of a topic."""
        return (partition for partition in self.partitions if partition[0] == topic)

    # -- records --------------------------------------------------------------------------------------------------

    def _topic_record(self, data: Mapping[str, Any]) -> None:
        self.topics[data["topicId"]] = data["name"]

    def _remove_topic_record(self, data: Mapping[str, Any]) -> None:
        topic = data["topicId"]
        for partition in list(self.of_topic(topic)):
            del self.partitions[partition]
            for known in self._by_broker.values():
                known.pop(partition, None)
        self.configs.pop((TOPIC, self.topics.pop(topic, "")), None)

    def _partition_record(self, data: Mapping[str, Any]) -> None:
        self._set((data["topicId"], data["partitionId"]), partition_of(data))

    def _partition_change_record(self, data: Mapping[str, Any]) -> None:
        of = (data["topicId"], data["partitionId"])
        if of in self.partitions:
            self._set(of, self.partitions[of].changed(data))

    def _clear_elr_record(self, data: Mapping[str, Any]) -> None:
        """TopicDelta.maybeClearElr: each partition that had some counts as changed."""
        named = data.get("topicName")
        for of, partition in self.partitions.items():
            if (not named or self.topics.get(of[0]) == named) and (
                partition.elr or partition.last_known_leader is not None
            ):
                self.partitions[of] = replace(
                    partition, elr=NO_BROKERS, last_known_leader=None, partition_epoch=partition.partition_epoch + 1
                )

    def _register_broker_record(self, data: Mapping[str, Any]) -> None:
        self.brokers[data["brokerId"]] = Broker(
            data["brokerEpoch"],
            bool(data["fenced"]),
            bool(data.get("inControlledShutdown", False)),
            frozenset(data.get("logDirs") or ()),
        )

    def _broker_registration_change_record(self, data: Mapping[str, Any]) -> None:
        known = self.brokers.get(data["brokerId"])
        if known is None:
            if data.get("fenced", 0) == 0:
                return  # whether it is fenced is not known
            known = Broker(data["brokerEpoch"], True, False)
        fenced = {1: True, -1: False}.get(data.get("fenced", 0), known.fenced)
        shutting_down = known.shutting_down or data.get("inControlledShutdown", 0) == 1
        directories = frozenset(data.get("logDirs") or known.directories)
        self.brokers[data["brokerId"]] = Broker(known.epoch, fenced, shutting_down, directories)

    def _unregister_broker_record(self, data: Mapping[str, Any]) -> None:
        self.brokers.pop(data["brokerId"], None)

    def _config_record(self, data: Mapping[str, Any]) -> None:
        configs = self.configs.setdefault((data["resourceType"], data["resourceName"]), {})
        if data.get("value") is None:
            configs.pop(data["name"], None)
        else:
            configs[data["name"]] = data["value"]

    def _feature_level_record(self, data: Mapping[str, Any]) -> None:
        self.features[data["name"]] = data["featureLevel"]


# -- changes of brokers -----------------------------------------------------------------------------------------------
# What the record says that stands beside changes of partitions: they come of it.

REGISTERED, UNREGISTERED, FENCED, UNFENCED = "registers", "is unregistered", "is fenced", "is unfenced"
SHUTTING_DOWN, LOST_DIRECTORY = "shuts down", "loses a log directory"


@dataclass(frozen=True)
class BrokerChange:
    """What happens to a broker, and where it stands: many partitions may change by it.

    `lost` are log directories that are not online any more: only partitions whose replica lies there are concerned.
    """

    place: Place
    broker: int
    says: str
    record: MetadataRecord = field(compare=False, repr=False)
    lost: frozenset[str] | None = None

    def __str__(self) -> str:
        return f"broker {self.broker} {self.says}"

    def may_change(self, partition: Partition) -> bool:
        """Whether a change of a partition may come of it. Where a replica lies may not be known."""
        directory = partition.directory(self.broker)
        return self.lost is None or directory is None or directory in self.lost

    def must_change(self, partition: Partition) -> bool:
        """Whether it changes a partition if the specification says so."""
        if self.says == UNFENCED:
            return partition.leader is None
        if self.lost is not None and partition.directory(self.broker) not in self.lost:
            return False
        return self.broker == partition.leader or self.broker in partition.isr or self.broker in partition.elr


def changes_of_brokers(record: MetadataRecord, image: Image) -> tuple[BrokerChange | None, BrokerChange | None]:
    """What a record, not applied yet, says of the changes before it, and of those behind it.

    A broker that is fenced, registers, or loses a log directory stands behind them (ReplicationControlManager), one
    that is unfenced or shuts down before.
    """
    if record.kind == "REGISTER_BROKER_RECORD":
        return _happens(record, REGISTERED), None
    if record.kind == "UNREGISTER_BROKER_RECORD":
        return _happens(record, UNREGISTERED), None
    if record.kind != "BROKER_REGISTRATION_CHANGE_RECORD":
        return None, None
    fenced, lost = record.data.get("fenced", 0), image.lost_directories(record)
    behind = FENCED if fenced == 1 else LOST_DIRECTORY if lost else ""
    before = SHUTTING_DOWN if record.data.get("inControlledShutdown", 0) == 1 else UNFENCED if fenced == -1 else ""
    return _happens(record, behind, lost if behind == LOST_DIRECTORY else None), _happens(record, before)


def _happens(record: MetadataRecord, says: str, lost: frozenset[str] | None = None) -> BrokerChange | None:
    return BrokerChange(record.place, record.data["brokerId"], says, record, lost) if says else None


# -- partition history ------------------------------------------------------------------------------------------------
# What every partition was at each of its partition epochs, as the metadata log tells.

PARTITIONS = ("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")
CLEARED = "CLEAR_ELR_RECORD"
REMOVED = "REMOVE_TOPIC_RECORD"


@dataclass
class Lifespan:
    """A partition from its creation on: a topic that is made anew under its name has another."""

    topic_id: str
    at: dict[int, Partition] = field(default_factory=dict)
    leaders: dict[int, int | None] = field(default_factory=dict)
    """The leader of each leader epoch."""

    removed: bool = False
    """Whether its topic was deleted."""

    def now(self, partition: Partition) -> None:
        """What it is from now on."""
        self.at[partition.partition_epoch] = partition
        self.leaders[partition.leader_epoch] = partition.leader

    @property
    def first(self) -> int:
        """The first partition epoch that is known."""
        return min(self.at)

    @property
    def last(self) -> int:
        """The last one."""
        return max(self.at)

    @property
    def last_leader(self) -> int | None:
        """Who leads, or led last; None if nobody did that is known.

        Where that was before the metadata log begins: the last known leader, or who is left alone in the ISR (without
        ELR the leader stays there).
        """
        led = [epoch for epoch, leader in self.leaders.items() if leader is not None]
        if led:
            return self.leaders[max(led)]
        now = self.at[self.last]
        alone = min(now.isr) if len(now.isr) == 1 else None
        return now.last_known_leader if now.last_known_leader is not None else alone

    @property
    def was_uncleanly_elected(self) -> bool:
        """Whether a leader was elected that may have lacked committed records."""
        return any(partition.recovering for partition in self.at.values())


History = dict[Named, list[Lifespan]]
"""The lives of each partition, one after the other."""


def history_of(log: MetadataLog, wanted: AbstractSet[Named]) -> History:
    """The history of these partitions: each by the name or by the id of its topic.

    ClearElrRecord changes partitions without naming them: the partition epoch of each that had eligible leader replicas
    rises (TopicDelta.maybeClearElr).
    """
    image = Image()
    found: History = {}
    if not wanted:
        return found
    lives: dict[TopicPartition, Lifespan] = {}
    for record in chain(log.begins_with, log.records):
        image.apply(record)
        if record.kind in PARTITIONS:
            _note(image, (record.data["topicId"], record.data["partitionId"]), wanted, found, lives)
        elif record.kind == CLEARED:
            for of, life in lives.items():
                if of in image.partitions:
                    life.now(image.partitions[of])
        elif record.kind == REMOVED:
            for of, life in lives.items():
                life.removed = life.removed or of[0] == record.data["topicId"]
    return found


def _note(
    image: Image, of: TopicPartition, wanted: AbstractSet[Named], found: History, lives: dict[TopicPartition, Lifespan]
) -> None:
    named = (image.topics.get(of[0], ""), of[1])
    if (named in wanted or of in wanted) and of in image.partitions:
        if of not in lives:
            lives[of] = Lifespan(of[0])
            found.setdefault(named, []).append(lives[of])
        lives[of].now(image.partitions[of])
