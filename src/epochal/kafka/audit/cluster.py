"""A cluster as its files describe it: nodes, topics, producers, and which release it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from epochal.spec.kraft.heeded import MIN_ISR, UNCLEAN

from ..evidence.place import Place
from .dump import NotRead
from .resources import Resource
from .said import DECIDING, FALSE, SHOWN, TRUE, UNSET, Said, Settings
from .tool_output import Partition, Voter

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
    def may_lead(self) -> bool:
        """Whether it is a broker, or nobody says that it is none."""
        return not self.roles or "broker" in self.roles

    @property
    def is_controller(self) -> bool:
        """Whether it is known to be a controller."""
        return "controller" in self.roles


@dataclass
class Topic:
    """A topic. `own` is what was set for it; `seen` is what a broker said is in force, None if none was asked.

    `copies` are the replication factors that somebody says beside its partitions, each once. `told` says
    whether some file has its own settings, all of them. `unknown` are those that a change will set to a value that is
    known only later: whatever other files say of them is of before.
    """

    name: str
    place: Place
    copies: tuple[int, ...] = ()
    partitions: Mapping[int, Partition] = field(default_factory=dict)
    own: dict[str, Said] = field(default_factory=dict)
    seen: dict[str, Said] | None = None
    told: bool = False
    unknown: frozenset[str] = frozenset()

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
class ProducerFile:
    """What a producer is configured with, and the topics that it writes to: patterns as of a shell, none: any."""

    file: str
    settings: Settings
    topics: tuple[str, ...] = ()


@dataclass(frozen=True)
class SettingConflict:
    """Two values of one setting that cannot both be in force. `about` is a topic, or a node. `why` it may be so."""

    about: str
    setting: str
    left: Said
    right: Said
    why: str


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
    setting of such values, which are known by their identity. `plans` are files of plans, which say what was before.
    `kraft` is where a file says that
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
    producers: list[ProducerFile] = field(default_factory=list)
    contradictions: list[SettingConflict] = field(default_factory=list)
    planned: dict[str, Said] = field(default_factory=dict)
    resource: Place | None = None
    pools: list[Pool] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    unread: list[NotRead] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)
    plans: list[Path] = field(default_factory=list)
    declared: dict[str, dict[str, Said]] = field(default_factory=dict, repr=False)
    unset: dict[tuple[int, str], Said] = field(default_factory=dict, repr=False)

    @property
    def brokers(self) -> set[int]:
        """The numbers of all brokers that some file names."""
        found = {node.id for node in self.nodes.values() if node.may_lead}
        for topic in self.topics.values():
            for partition in topic.partitions.values():
                found.update(partition.replicas)
        return found

    @property
    def racks(self) -> dict[int, tuple[str, ...]]:
        """The racks of brokers, of those that say one: several where files differ, each of which counts."""
        return {node.id: node.racks for node in self.nodes.values() if node.racks}


# -- storage ----------------------------------------------------------------------------------------------------------
# Storage that does not outlive a restart: an emptyDir of Kubernetes, or a folder that a machine empties.
#
# Who comes back from there comes back without its log: each restart and each crash is what a crash that loses data is
# elsewhere. A controller has lost its vote as well.

TEMPORARY = re.compile(r"(?:[A-Za-z]:)?[/\\](?:tmp|run|var/run|dev/shm)(?:[/\\]|$)")
"""Folders that are emptied when the machine starts, or live in its memory."""

LOGS, LOG, METADATA = "log.dirs", "log.dir", "metadata.log.dir"
FOLDERS = (LOGS, LOG, METADATA)
NO_VALUE = ("", "null")
EPHEMERAL = "ephemeral"


def loses_logs(cluster: Cluster, topic: Topic) -> Said | None:
    """Where it is said that a broker which has replicas of a topic, or may have, comes back from a restart without."""
    replicas = {number for one in topic.partitions.values() for number in one.members}
    for pool in cluster.pools:
        elsewhere = replicas and pool.nodes and replicas.isdisjoint(pool.nodes)
        if pool.emptied is not None and "broker" in pool.roles and not elsewhere:
            return pool.emptied
    for node in cluster.nodes.values():
        if node.may_lead and (not replicas or node.id in replicas):
            said = _temporary(node.static, (LOGS, LOG))
            if said is not None:
                return said
    return _temporary(cluster.planned, (LOGS, LOG))


def forgetful_controllers(cluster: Cluster) -> Iterator[tuple[str, Said]]:
    """Controllers that come back from a restart without their vote and their log, and where it is said."""
    for pool in cluster.pools:
        if pool.forgets is not None and "controller" in pool.roles:
            yield f"node pool {pool.name}", pool.forgets
    for node in cluster.nodes.values():
        said = _temporary(node.static, (METADATA, LOGS, LOG)) if node.is_controller else None
        if said is not None:
            yield f"node {node.id}", said


def _temporary(settings: dict[str, Said], names: Sequence[str]) -> Said | None:
    """The setting, if it has a temporary folder. The first of the names that is set counts, as in Kafka."""
    for said in (settings[name] for name in names if name in settings):
        set_ones = [one for one in said.each if one.value not in NO_VALUE]
        for one in set_ones:
            if any(TEMPORARY.match(folder.strip()) for folder in one.value.split(",")):
                return one
        if len(set_ones) == len(said.each):
            break
    return None


def storage_of(resource: Resource, path: str) -> tuple[Said | None, Said | None]:
    """Where a resource says that a restart loses logs of partitions, and that it loses the metadata log."""
    said = resource.values.get(f"{path}/type")
    if said is None or said.value != "jbod":
        ephemeral = said if said is not None and said.value == EPHEMERAL else None
        return ephemeral, ephemeral
    volumes: dict[str, dict[str, Said]] = {}
    for name, value in resource.below(f"{path}/volumes").items():
        number, _, field = name.partition("/")
        volumes.setdefault(number, {})[field] = value
    emptied = [one["type"] for one in volumes.values() if "type" in one and one["type"].value == EPHEMERAL]
    for_metadata = min(volumes.values(), key=_before, default={}).get("type")
    forgets = for_metadata if for_metadata is not None and for_metadata.value == EPHEMERAL else None
    return next(iter(emptied), None), forgets


def _before(volume: dict[str, Said]) -> tuple[bool, int]:
    """The volume that has the metadata log comes first: the one that says so, or else the one with the lowest id."""
    id = volume["id"].value if "id" in volume else ""
    return "kraftMetadata" not in volume, int(id) if id.isdecimal() else 0


# -- agreeing ---------------------------------------------------------------------------------------------------------
# What several files say of one thing: equal values are one, different ones are told, and each of them may be right.
#
# Only what is said of one level of one thing is compared, as what was set for a topic, or what the file of a node has:
# Kafka decides between levels. That a setting is not set there is something that a file says, too.

COPIES = "spec.replicas"
NOT_SET = "not set"
NOTHING = Said("", Place(""), UNSET)
"""What is shown where nobody was asked."""


def add(found: Cluster, values: dict[str, Said], about: str, name: str, said: Said, why: str = "") -> None:
    """Add what a file says of a setting to what others say of it, and tell where that is something else."""
    before = values.get(name) or found.unset.get((id(values), name))
    if before is not None:
        tell(found, about, name, before, said, why)
    values[name] = said if before is None else beside(before, said)


def add_all(
    found: Cluster, values: dict[str, Said], about: str, settings: Mapping[str, Said], wanted: Iterable[str], at: Place
) -> None:
    """Add all that a file says of something, and which of the names that are `wanted` it lacks."""
    for name, said in settings.items():
        add(found, values, about, name, said)
    for name in wanted:
        if name not in settings:
            unset = Said(NOT_SET, at, UNSET)
            if name in values:
                add(found, values, about, name, unset)
            else:
                found.unset.setdefault((id(values), name), unset)


def add_for_all(found: Cluster, settings: Mapping[str, Said], at: Place) -> None:
    """Add what a file has for all nodes. What decides nothing is not compared."""
    for name, said in settings.items():
        if name in TAKEN:
            add(found, found.planned, "all nodes", name, said)
        else:
            found.planned.setdefault(name, said)
    add_all(found, found.planned, "all nodes", {}, [name for name in PLANNED if name not in settings], at)


PLANNED = (*DECIDING, "auto.create.topics.enable", "default.replication.factor")
"""Settings of which it counts that a file for all nodes lacks them."""

TAKEN = COMPARED | set(FOLDERS)
"""Settings of which it counts what several files say. Others decide nothing, and some are secret."""


def beside(before: Said, said: Said) -> Said:
    """Both as one, in which each value is there once, with the place that tells most of it."""
    several: dict[tuple[str, bool], Said] = {}
    for one in (*before.each, *said.each):
        key = plain(one), one.source == DEFAULT  # to be set to Kafka's default is not the same as not to be set
        known = several.get(key)
        if known is None or _rank(one) <= _rank(known):
            several[key] = one
    first = min(several.values(), key=_rank)
    return replace(first, others=tuple(one for one in several.values() if one is not first))


def tell(found: Cluster, about: str, name: str, before: Said, said: Said, why: str = "") -> None:
    """Note that two files say different things of a setting, each pair once."""
    known = {plain(one) for one in before.each}
    for other in said.each:
        if plain(other) not in known:
            one = SettingConflict(about, name, replace(before, others=()), other, why or _why(about, name))
            if not any(_pair(one) == _pair(told) for told in found.contradictions):
                found.contradictions.append(one)


def alternatives(values: Mapping[str, Said], name: str) -> tuple[Said | None, ...]:
    """What may be set: each value that a file has, and None where one says that none is, or no file says anything."""
    said = values.get(name)
    return (None,) if said is None else tuple(None if one.source == UNSET else one for one in said.each)


def lacking(values: Mapping[str, Said], name: str) -> Place | None:
    """Where a file says that a setting is not set that another one has."""
    return next((one.place for one in values[name].each if one.source == UNSET), None) if name in values else None


def only(values: Mapping[str, Said], name: str, said: Said | None) -> dict[str, Said]:
    """The same values with one alternative of a setting."""
    rest = {other: one for other, one in values.items() if other != name}
    return rest if said is None else {**rest, name: said}


def readings(cluster: Cluster, topic: Topic, name: str) -> Iterator[tuple[Cluster, Topic, Place | None]]:
    """The topic and its cluster with each alternative alone that decides a setting, and a place of one that was chosen.

    Where something is set for the topic nothing else counts.
    """
    for own in alternatives(topic.own, name):
        mine = replace(topic, own=only(topic.own, name, own))
        if own is not None:
            yield cluster, mine, own.place
            continue
        for seen in _shown(topic, name):
            shown = None if topic.seen is None or seen is NOTHING else only(topic.seen, name, seen)
            for everywhere in alternatives(cluster.everywhere, name):
                for planned in alternatives(cluster.planned, name):
                    one = replace(
                        cluster,
                        everywhere=only(cluster.everywhere, name, everywhere),
                        planned=only(cluster.planned, name, planned),
                    )
                    yield one, replace(mine, seen=shown), _place_of(topic, cluster, name, seen)


def _shown(topic: Topic, name: str) -> tuple[Said | None, ...]:
    """What brokers may show where nothing is set for the topic: not what is, according to another file."""
    several = alternatives(topic.seen or {}, name)
    if name not in topic.own:
        return several
    return tuple(one for one in several if one is None or one.source not in (SHOWN, TOPIC)) or (NOTHING,)


def _place_of(topic: Topic, cluster: Cluster, name: str, seen: Said | None) -> Place | None:
    """Where a file says that nothing is set, so that Kafka's default is in force."""
    if seen is not None and seen is not NOTHING:
        return seen.place
    several = (lacking(values, name) for values in (topic.own, cluster.everywhere, cluster.planned))
    return next((place for place in several if place is not None), None)


def _rank(said: Said) -> int:
    """What comes first: what a broker has told with its source, what a file has, and what is so if nobody sets it."""
    if said.source in (UNSET, DEFAULT):
        return 2
    return 1 if said.source in ("", SHOWN) else 0


JUDGED = (*DECIDING, COPIES)


def _why(about: str, name: str) -> str:
    """How it may be that two files say different things, and what is made of it."""
    of_node = about.startswith("node ")
    why = (
        "The broker has not been started with its file since, or the files are of two moments."
        if of_node
        else TWO_MOMENTS
    )
    return f"{why[:-1]}: {EACH_IS_JUDGED}" if name in JUDGED else why


TWO_MOMENTS = "The files are of two moments, or of two clusters."
EACH_IS_JUDGED = "each value is checked, and each column shows the worst."


def _pair(one: SettingConflict) -> tuple[str, str, frozenset[str]]:
    return one.about, one.setting, frozenset((plain(one.left), plain(one.right)))


def plain(said: Said) -> str:
    """A value as it is compared: Kafka reads truth values in letters of any size."""
    text = said.value.strip()
    return text.lower() if text.lower() in (TRUE, FALSE) else text
