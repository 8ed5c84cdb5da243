"""Which value of a setting is in force for a topic, as Kafka decides it.

`min.insync.replicas` is read by the broker that leads: from the topic, else from what was set for this broker, else for
all, else from its own file, else Kafka's default. With eligible leader replicas on (KIP-966) no value of a single
broker counts: the controller forbids it and sets one for all
(ConfigurationControlManager.maybeGenerateElrSafetyRecords).
`unclean.leader.election.enable` is read by the controller that leads, from its own file in place of a broker's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .cluster import BROKER, MIN_ISR, STATIC, UNCLEAN, Cluster, Node, Topic
from .said import Said, number_of, yes

DEFAULTS = {MIN_ISR: "1", UNCLEAN: "false"}
"""What Kafka does if nobody says anything."""


@dataclass(frozen=True)
class InForce:
    """A value that decides, and where it is said. `said` is None for Kafka's default, or where nobody says anything.

    `level` is who has set it, for people. `others` are values of other nodes, which count when those lead. `assumed`
    says that no file tells what is in force: there are settings that would come before `value`, and no file has them.
    """

    value: str
    said: Said | None
    level: str
    others: tuple[Said, ...] = ()
    assumed: bool = False

    @property
    def place(self) -> str:
        """Where it is said; "" for a default."""
        return "" if self.said is None else str(self.said.place)

    @property
    def told(self) -> tuple[Said, ...]:
        """Every value that a file says, and that counts by who leads."""
        return (*(() if self.said is None else (self.said,)), *self.others)

    @property
    def values(self) -> tuple[str, ...]:
        """Every value that counts, by who leads."""
        return tuple(dict.fromkeys((self.value, *(one.value for one in self.others))))


def min_isr(cluster: Cluster, topic: Topic, elr: bool) -> InForce:
    """`min.insync.replicas` of a topic: where nodes differ, the smallest that may count, beside the others.

    Raises EvidenceError for what is no number.
    """
    leaders = [] if elr else _leaders(cluster, topic)
    every = bool(leaders) and {node.id for node in leaders} >= _replicas(topic) > set()
    found = _in_force(cluster, topic, MIN_ISR, leaders, elr, every, every)
    smallest = min((found.value, *(one.value for one in found.others)), key=int)
    if smallest == found.value:
        return found
    weakest = next(one for one in found.others if one.value == smallest)
    rest = (*(() if found.said is None else (found.said,)), *(one for one in found.others if one is not weakest))
    return InForce(smallest, weakest, found.level, rest, found.assumed)


def unclean(cluster: Cluster, topic: Topic, elr: bool) -> InForce:
    """`unclean.leader.election.enable` of a topic: on, if any controller has it so, beside the others.

    Raises EvidenceError for what is neither true nor false.
    """
    controllers = [node for node in cluster.nodes.values() if node.is_controller]
    nodes = controllers or list(cluster.nodes.values())
    found = _in_force(cluster, topic, UNCLEAN, nodes, elr, bool(controllers), bool(nodes))
    on = next((one for one in found.others if yes(one, UNCLEAN)), None)
    if on is not None and found.said is not None and not yes(found.said, UNCLEAN):
        return InForce("true", on, found.level, (found.said,), found.assumed)
    return found


def _leaders(cluster: Cluster, topic: Topic) -> list[Node]:
    """The nodes that may lead partitions of a topic, as far as something is known of them."""
    replicas = _replicas(topic)
    known = [node for node in cluster.nodes.values() if not node.roles or "broker" in node.roles]
    return [node for node in known if not replicas or node.id in replicas]


def _replicas(topic: Topic) -> set[int]:
    return {number for one in topic.partitions.values() for number in one.replicas}


def _in_force(
    cluster: Cluster, topic: Topic, name: str, nodes: list[Node], elr: bool, every: bool, told: bool
) -> InForce:
    """What counts on `nodes`; `every` says whether these are all that may decide it, `told` whether they tell enough
    of a topic of which its own settings are known.
    """
    own = topic.own.get(name)
    if own is not None:
        return _checked(InForce(own.value, own, "topic"), name)
    of_nodes = [] if elr and name == MIN_ISR else list(_of_nodes(cluster, nodes, name))
    if topic.seen is not None and not (every and len(of_nodes) == len(nodes) and _of_who_answered(topic.seen, name)):
        return _checked(_as_seen(cluster, topic.seen.get(name), name, of_nodes), name)
    own_told = topic.told or topic.seen is not None
    for_all = cluster.everywhere.get(name) or (None if of_nodes else cluster.planned.get(name))
    if for_all is not None and not any(level == "broker" for level, _ in of_nodes):
        return _checked(InForce(for_all.value, for_all, "cluster", assumed=not own_told), name)
    if of_nodes:
        level, first = of_nodes[0]
        others = tuple(one for _, one in of_nodes[1:] if one.value != first.value)
        return _checked(
            InForce(first.value, first, level, others, not (own_told and (told or name in cluster.planned))), name
        )
    all_told = told or bool(cluster.planned) or cluster.resource is not None
    known = own_told and all_told and not (elr and name == MIN_ISR)
    return InForce(DEFAULTS[name], None, "default", assumed=not known)


def _of_who_answered(seen: Mapping[str, Said], name: str) -> bool:
    """Whether a value is of the broker that was asked, which may be none of those that decide."""
    return name in seen and seen[name].source in (STATIC, BROKER)


def _as_seen(cluster: Cluster, seen: Said | None, name: str, of_nodes: list[tuple[str, Said]]) -> InForce:
    """What a broker said is in force for a topic, whoever has set it, beside what other nodes would say."""
    if seen is None or seen.source == "DEFAULT_CONFIG":
        others = tuple(one for _, one in of_nodes if one.value != DEFAULTS[name])
        return InForce(DEFAULTS[name], None, "default", others)
    for_all = cluster.everywhere.get(name)
    if for_all is not None and for_all.value == seen.value and not any(level == "broker" for level, _ in of_nodes):
        return InForce(seen.value, for_all, "cluster")
    if seen.source == "SHOWN" and not any(one.value == seen.value for _, one in of_nodes):
        return InForce(seen.value, seen, "topic")  # no node has it, so it is the topic's own
    others = tuple(one for _, one in of_nodes if one.value != seen.value)
    return InForce(seen.value, seen, "broker" if others or seen.source != "SHOWN" else "topic or broker", others)


def _of_nodes(cluster: Cluster, nodes: list[Node], name: str) -> Iterator[tuple[str, Said]]:
    """What each node would say, where it says something, and whether it was set for it alone while it ran."""
    for node in sorted(nodes, key=lambda one: one.id):
        if name in node.dynamic:
            yield "broker", node.dynamic[name]
        elif name in cluster.everywhere:
            yield "cluster", cluster.everywhere[name]
        elif name in node.static:
            yield "file", node.static[name]
        elif name in cluster.planned:
            yield "cluster", cluster.planned[name]
    if not nodes and name in cluster.planned and name not in cluster.everywhere:
        yield "cluster", cluster.planned[name]


def _checked(found: InForce, name: str) -> InForce:
    """The same, after every value was looked at."""
    for said in found.told:
        if name == MIN_ISR:
            number_of(said, name)
        else:
            yes(said, name)
    return found
