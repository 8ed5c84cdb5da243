"""A cluster as its files describe it: nodes, topics, producers, and which release it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .dump import NotRead
from .formats.quorum import Voter
from .formats.topics import Partition
from .said import Place, Said, Settings

MIN_ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"
TOPIC, BROKER, EVERYWHERE, STATIC, DEFAULT = (
    "DYNAMIC_TOPIC_CONFIG",
    "DYNAMIC_BROKER_CONFIG",
    "DYNAMIC_DEFAULT_BROKER_CONFIG",
    "STATIC_BROKER_CONFIG",
    "DEFAULT_CONFIG",
)
"""Where Kafka has a value from, as `kafka-configs` calls it."""

FILLED_IN = "${"
"""How a value begins that a node fills in when it starts: nobody knows what with."""

COMPARED = frozenset(
    {
        MIN_ISR,
        UNCLEAN,
        "auto.create.topics.enable",
        "broker.rack",
        "default.replication.factor",
        "offsets.topic.replication.factor",
        "share.coordinator.state.topic.replication.factor",
        "transaction.state.log.replication.factor",
    }
)
"""What a node's file and the node itself should say alike. Others decide nothing here, and some are secret."""

INTERNAL = (
    "__consumer_offsets",
    "__transaction_state",
    "__share_group_state",
    "__cluster_metadata",
    "__remote_log_metadata",
)
"""Topics that Kafka writes to itself, and waits for all of the ISR (`acks=all`)."""


@dataclass
class Node:
    """A broker or controller. `static` is from its file or what it started with, `dynamic` was set while it ran.

    `told` says whether there is its file, or all that it runs with: what is not there is not set.
    """

    id: int
    place: Place
    static: dict[str, Said] = field(default_factory=dict)
    dynamic: dict[str, Said] = field(default_factory=dict)
    roles: frozenset[str] = frozenset()
    told: bool = False

    def tells(self, name: str) -> bool:
        """Whether it is known what it has for a setting, or that it has none."""
        return self.told or name in self.static or name in self.dynamic

    @property
    def racks(self) -> tuple[str, ...]:
        """Its rack, or each in which a file has it; none if none is known."""
        said = self.static.get("broker.rack")
        each = () if said is None else said.each
        return tuple(one.value for one in each if one.value not in ("", "null") and not one.value.startswith(FILLED_IN))

    @property
    def is_controller(self) -> bool:
        """Whether it is known to be a controller."""
        return "controller" in self.roles


@dataclass
class Topic:
    """A topic. `own` is what was set for it; `seen` is what a broker said is in force, None if none was asked.

    `copies` are the replication factors that somebody says beside its partitions, each once. `told` says
    whether some file has its own settings, all of them.
    """

    name: str
    place: Place
    copies: tuple[int, ...] = ()
    partitions: Mapping[int, Partition] = field(default_factory=dict)
    own: dict[str, Said] = field(default_factory=dict)
    seen: dict[str, Said] | None = None
    told: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        """How many replicas its partitions have, each number once, the fewest first; none if nobody says."""
        of_partitions = sorted({one.copies for one in self.partitions.values()})
        return tuple(of_partitions) or tuple(sorted(self.copies))

    @property
    def is_internal(self) -> bool:
        """Whether Kafka writes to it itself."""
        return self.name in INTERNAL


@dataclass(frozen=True)
class Producer:
    """What a producer is configured with, and the topics that it writes to: patterns as of a shell, none: any."""

    file: str
    settings: Settings
    topics: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contradiction:
    """Two values of one setting that cannot both be in force. `about` is a topic, or a node. `why` it may be so."""

    about: str
    setting: str
    left: Said
    right: Said
    why: str = ""


@dataclass(frozen=True)
class Remark:
    """Something that a file says and that decides nothing here, and why. `about` is a file, a topic or a resource."""

    about: str
    said: str
    place: Place
    why: str


@dataclass(frozen=True)
class Pool:
    """Nodes that a resource asks for. `emptied` and `forgets` are where it says that a restart loses the logs of
    partitions, or a controller's vote and log. `nodes` are the numbers that they have, none if nobody says.
    """

    name: str
    place: Place
    count: int
    roles: frozenset[str]
    emptied: Said | None = None
    forgets: Said | None = None
    nodes: frozenset[int] = frozenset()


@dataclass
class Cluster:
    """A cluster. `releases` are the versions of Kafka that the files tell of; `elr` is None if nobody tells.

    `everywhere` is what was set for all brokers while they ran (`DYNAMIC_DEFAULT_BROKER_CONFIG`), `planned` what the
    files of all nodes have, and `resource` where a resource is that says all of it. `unset` is where a file lacks a
    setting of such values, which are known by their identity. `kraft` is where a file says that
    the cluster has KRaft, `zookeeper` that it has none.
    """

    name: str
    releases: list[Said] = field(default_factory=list)
    elr: Said | None = None
    kraft: Said | None = None
    zookeeper: Said | None = None
    nodes: dict[int, Node] = field(default_factory=dict)
    everywhere: dict[str, Said] = field(default_factory=dict)
    topics: dict[str, Topic] = field(default_factory=dict)
    voters: dict[int, Voter] = field(default_factory=dict)
    producers: list[Producer] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    planned: dict[str, Said] = field(default_factory=dict)
    resource: Place | None = None
    pools: list[Pool] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    unread: list[NotRead] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)
    declared: dict[str, dict[str, Said]] = field(default_factory=dict, repr=False)
    unset: dict[tuple[int, str], Said] = field(default_factory=dict, repr=False)

    @property
    def brokers(self) -> set[int]:
        """The numbers of all brokers that some file names."""
        found = {node.id for node in self.nodes.values() if not node.roles or "broker" in node.roles}
        for topic in self.topics.values():
            for partition in topic.partitions.values():
                found.update(partition.replicas)
        return found

    @property
    def racks(self) -> dict[int, tuple[str, ...]]:
        """The racks of brokers, of those that say one: several where files differ, each of which counts."""
        return {node.id: node.racks for node in self.nodes.values() if node.racks}
