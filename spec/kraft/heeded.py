"""Since which release Kafka heeds what is set, with KRaft and with ZooKeeper: a release may accept a setting and do
nothing with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .generations import GENERATIONS, known_as, numbered

Mode = Literal["kraft", "zookeeper"]

LAST_WITH_ZOOKEEPER = "3.9"


@dataclass(frozen=True)
class Since:
    """The first release in which something is heeded, "" for none, and where that can be read."""

    release: str
    source: str


@dataclass(frozen=True)
class Heeded:
    """A setting, as Kafka calls it, or one thing that it does; and since when that is so, by who runs the cluster."""

    setting: str
    does: str
    kraft: Since
    zookeeper: Since


MIN_ISR, UNCLEAN, ELR = "min.insync.replicas", "unclean.leader.election.enable", "eligible.leader.replicas.version"

REFUSES = "a write with acks=all is refused while the ISR is smaller"
AT_MOST_COPIES = "no more replicas are waited for than the partition has"
FOR_ALL_BROKERS = "with eligible leader replicas on, a value of a single broker does not count"
ELECTS = "where no clean candidate is live, another replica is elected"

FIRST = "2.8"
"""The first release with KRaft."""

TABLE: tuple[Heeded, ...] = (
    Heeded(MIN_ISR, REFUSES, Since(FIRST, "KIP-500"), Since("0.8.2", "KAFKA-1555")),
    Heeded(
        MIN_ISR,
        AT_MOST_COPIES,
        Since("3.7", "KAFKA-15583, apache/kafka#14594; KAFKA-21110"),
        Since("3.7", "KAFKA-15583, apache/kafka#14594; KAFKA-21110"),
    ),
    Heeded(MIN_ISR, FOR_ALL_BROKERS, Since("4.0", "KIP-966, KAFKA-16540"), Since("", "KIP-966 is KRaft's")),
    Heeded(
        UNCLEAN,
        ELECTS,
        Since("3.9", "KAFKA-12670, apache/kafka#16866; KAFKA-17412"),
        Since("0.8.2", "KAFKA-1028"),
    ),
    Heeded(
        ELR,
        "the ISR may become empty, and who left it may lead",
        Since("4.0", "KIP-966"),
        Since("", "KIP-966 is KRaft's"),
    ),
    Heeded(
        "acks", "a producer is told of success by one replica or all", Since(FIRST, "KIP-500"), Since("0.8", "KAFKA-49")
    ),
    Heeded(
        "enable.idempotence",
        "a batch that is sent again is not appended again",
        Since(FIRST, "KIP-500; ids that outlive a restart since 3.0, KIP-730"),
        Since("0.11", "KIP-98"),
    ),
    Heeded("broker.rack", "new replicas are spread over racks", Since(FIRST, "KIP-631"), Since("0.10", "KIP-36")),
    Heeded(
        "auto.create.topics.enable",
        "a topic that somebody writes to is made",
        Since(FIRST, "BrokerServer, DefaultAutoTopicCreationManager"),
        Since("0.8", "KafkaConfig"),
    ),
    Heeded(
        "default.replication.factor",
        "how many replicas such a topic gets",
        Since(FIRST, "ControllerServer, setDefaultReplicationFactor"),
        Since("0.8", "KafkaConfig"),
    ),
    Heeded(
        "offsets.topic.replication.factor",
        "how many replicas `__consumer_offsets` gets",
        Since(FIRST, "KIP-500"),
        Since("0.8.2", "KAFKA-1012; as many as it says since 0.11, KIP-115"),
    ),
    Heeded(
        "transaction.state.log.replication.factor",
        "how many replicas `__transaction_state` gets",
        Since("3.0", "KIP-730: no transactions with KRaft before"),
        Since("0.11", "KIP-98"),
    ),
    Heeded(
        "share.coordinator.state.topic.replication.factor",
        "how many replicas `__share_group_state` gets",
        Since("4.0", "KIP-932"),
        Since("", "KIP-932 is KRaft's"),
    ),
    Heeded(
        "remote.storage.enable",
        "closed segments are copied to a remote store",
        Since("3.6", "KIP-405, early access up to 3.8"),
        Since("3.6", "KIP-405, early access up to 3.8"),
    ),
    Heeded(
        "remote.log.metadata.topic.min.isr",
        "min.insync.replicas of `__remote_log_metadata`, where that is made anew",
        Since("4.3", "KIP-1235, KAFKA-19858, apache/kafka#20811"),
        Since("", "KIP-1235 is newer than the last release with ZooKeeper"),
    ),
)
"""Every setting that decides what is guaranteed, and of each what a release does or does not do yet."""


def since(setting: str, does: str = "", mode: Mode = "kraft") -> Since:
    """Since when a setting is heeded; `does` says what is asked about, where it does several things."""
    row = next(one for one in TABLE if one.setting == setting and does in ("", one.does))
    return row.kraft if mode == "kraft" else row.zookeeper


def heeds(release: str, setting: str, does: str = "", mode: Mode = "kraft") -> bool:
    """Whether a release, such as 3.8, heeds a setting. A generation does everything that its KIPs describe."""
    if release.upper() in GENERATIONS:
        return True
    first = since(setting, does, mode).release
    return bool(first) and numbered(known_as(release)) >= numbered(first)
