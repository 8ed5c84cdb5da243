"""The cluster as the metadata log describes it so far: brokers, partitions, configuration (MetadataImage)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from epochal.evidence.metadata_log import MetadataRecord
from epochal.evidence.place import partition_named

TopicPartition = tuple[str, int]
"""A topic's id, and the number of a partition."""

Brokers = frozenset[int]

NOBODY: Brokers = frozenset()
NO_LEADER = -1
UNCHANGED = -2
TOPIC, CLUSTER = 2, 4
"""Resource types of ConfigRecord; the defaults of a cluster are those of the broker without a name."""

ELR_FEATURE = "eligible.leader.replicas.version"


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition as the controller knows it (PartitionRegistration)."""

    replicas: tuple[int, ...]
    isr: Brokers
    leader: int | None
    leader_epoch: int
    partition_epoch: int
    adding: Brokers = NOBODY
    removing: Brokers = NOBODY
    elr: Brokers = NOBODY
    last_known_leader: int | None = None
    recovering: bool = False

    @property
    def brokers(self) -> Brokers:
        """Every broker that has to do with it."""
        last = NOBODY if self.last_known_leader is None else frozenset({self.last_known_leader})
        leader = NOBODY if self.leader is None else frozenset({self.leader})
        return frozenset(self.replicas) | self.isr | self.elr | self.adding | self.removing | last | leader

    def changed(self, data: Mapping[str, Any]) -> Partition:
        """After a PartitionChangeRecord: what it leaves out stays (PartitionRegistration.merge)."""
        leader = data.get("leader", UNCHANGED)
        recovering = data.get("leaderRecoveryState", -1)
        last = data.get("lastKnownElr")
        return Partition(
            replicas=self.replicas if data.get("replicas") is None else tuple(data["replicas"]),
            isr=_brokers(data.get("isr"), self.isr),
            leader=self.leader if leader == UNCHANGED else _leader(leader),
            leader_epoch=self.leader_epoch + (leader != UNCHANGED),
            partition_epoch=self.partition_epoch + 1,
            adding=_brokers(data.get("addingReplicas"), self.adding),
            removing=_brokers(data.get("removingReplicas"), self.removing),
            elr=_brokers(data.get("eligibleLeaderReplicas"), self.elr),
            last_known_leader=self.last_known_leader if last is None else (last[0] if last else None),
            recovering=self.recovering if recovering < 0 else recovering == 1,
        )


def partition_of(data: Mapping[str, Any]) -> Partition:
    """A partition from its PartitionRecord."""
    last = data.get("lastKnownElr")
    return Partition(
        replicas=tuple(data["replicas"]),
        isr=frozenset(data["isr"]),
        leader=_leader(data["leader"]),
        leader_epoch=data["leaderEpoch"],
        partition_epoch=data["partitionEpoch"],
        adding=_brokers(data.get("addingReplicas"), NOBODY),
        removing=_brokers(data.get("removingReplicas"), NOBODY),
        elr=_brokers(data.get("eligibleLeaderReplicas"), NOBODY),
        last_known_leader=last[0] if last else None,
        recovering=data.get("leaderRecoveryState", 0) == 1,
    )


def _brokers(said: list[int] | None, before: Brokers) -> Brokers:
    return before if said is None else frozenset(said)


def _leader(said: int) -> int | None:
    return None if said == NO_LEADER else said


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker as the controller knows it (BrokerRegistration)."""

    epoch: int
    fenced: bool
    shutting_down: bool

    @property
    def is_active(self) -> bool:
        """Whether the controller counts on it."""
        return not self.fenced and not self.shutting_down


@dataclass
class Image:
    """What the metadata log has said so far. Names of topics are by their ids."""

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

    def name_of(self, partition: TopicPartition) -> str:
        """`topic-0`."""
        topic, number = partition
        return partition_named(self.topics.get(topic, topic), number)

    def config(self, topic: str, name: str) -> str | None:
        """A setting of a topic: its own, or the default of the cluster; None if the metadata log says nothing."""
        own = self.configs.get((TOPIC, self.topics.get(topic, "")), {})
        return own.get(name, self.configs.get((CLUSTER, ""), {}).get(name))

    @property
    def elr(self) -> bool:
        """Whether eligible leader replicas are kept (KIP-966)."""
        return self.features.get(ELR_FEATURE, 0) > 0

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
                    partition, elr=NOBODY, last_known_leader=None, partition_epoch=partition.partition_epoch + 1
                )

    def _register_broker_record(self, data: Mapping[str, Any]) -> None:
        self.brokers[data["brokerId"]] = Broker(
            data["brokerEpoch"], bool(data["fenced"]), bool(data.get("inControlledShutdown", False))
        )

    def _broker_registration_change_record(self, data: Mapping[str, Any]) -> None:
        known = self.brokers.get(data["brokerId"])
        if known is None:
            if data.get("fenced", 0) == 0:
                return  # whether it is fenced is not known
            known = Broker(data["brokerEpoch"], True, False)
        fenced = {1: True, -1: False}.get(data.get("fenced", 0), known.fenced)
        shutting_down = known.shutting_down or data.get("inControlledShutdown", 0) == 1
        self.brokers[data["brokerId"]] = Broker(known.epoch, fenced, shutting_down)

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
