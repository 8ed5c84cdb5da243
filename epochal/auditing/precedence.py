"""Which value of a setting is in force for a topic, as Kafka decides it.

`min.insync.replicas` is read by the broker that leads: from the topic, else from what was set for this broker, else for
all, else from its own file, else Kafka's default. With eligible leader replicas on (KIP-966) no value of a single
broker counts: the controller forbids it and sets one for all
(ConfigurationControlManager.maybeGenerateElrSafetyRecords).
`unclean.leader.election.enable` is read by the controller that leads, from its own file in place of a broker's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .cluster import BROKER, MIN_ISR, STATIC, UNCLEAN, Cluster, Node, Topic
from .said import UNSET, Said, number_of, yes

DEFAULTS = {MIN_ISR: "1", UNCLEAN: "false"}
"""What Kafka does if nobody says anything."""


@dataclass(frozen=True)
class InForce:
    """A value that decides, and where it is said. `said` is None for Kafka's default, or where nobody says anything.

    `level` is who has set it, for people. `others` are values of other nodes, which count when those lead. `assumed`
    says that no file tells what is in force: there are settings that would come before `value`, and no file has them.
    `disputed` are values that another file has in place of one of these.
    """

    value: str
    said: Said | None
    level: str
    others: tuple[Said, ...] = ()
    assumed: bool = False
    disputed: tuple[Said, ...] = ()

    @property
    def place(self) -> str:
        """Where it is said; "" for a default."""
        return "" if self.said is None else str(self.said.place)

    @property
    def told(self) -> tuple[Said, ...]:
        """Every value that a file says, and that counts by who leads, or by which of two files is right."""
        return (*(() if self.said is None else (self.said,)), *self.others, *self.disputed)

    @property
    def values(self) -> tuple[str, ...]:
        """Every value that counts, by who leads, or by which of two files is right."""
        return tuple(dict.fromkeys((self.value, *(one.value for one in (*self.others, *self.disputed)))))


def min_isr(cluster: Cluster, topic: Topic, elr: bool) -> InForce:
    """`min.insync.replicas` of a topic: where nodes differ, the smallest that may count, beside the others.

    Raises EvidenceError for what is no number.
    """
    leaders = [] if elr else _leaders(cluster, topic)
    every = bool(leaders) and {node.id for node in leaders} >= _replicas(topic) > set()
    found = _in_force(cluster, topic, MIN_ISR, leaders, elr, every, every)
    return _first(found, min(found.values, key=int))


def unclean(cluster: Cluster, topic: Topic, elr: bool) -> InForce:
    """`unclean.leader.election.enable` of a topic: on, if any controller has it so, beside the others.

    Raises EvidenceError for what is neither true nor false.
    """
    controllers = [node for node in cluster.nodes.values() if node.is_controller]
    nodes = controllers or [node for node in cluster.nodes.values() if not node.roles]
    every, told = bool(controllers), bool(nodes)
    if elects_nobody(cluster) and topic.seen is not None:
        found = _in_force(cluster, replace(topic, seen=None, told=True), UNCLEAN, nodes, elr, every, told)
        found = _beside_shown(cluster, topic, topic.seen.get(UNCLEAN), found)
    else:
        found = _in_force(cluster, topic, UNCLEAN, nodes, elr, every, told)
    on = next((one.value for one in found.told if yes(one, UNCLEAN)), found.value)
    return _first(found, on)


def elects_nobody(cluster: Cluster) -> list[Node]:
    """The brokers that are known to be no controllers: what they have of unclean election does not count."""
    return [node for node in cluster.nodes.values() if node.roles and not node.is_controller]


def _beside_shown(cluster: Cluster, topic: Topic, seen: Said | None, found: InForce) -> InForce:
    """What the controllers say, beside what `kafka-topics` shows, which may be of the topic, or of who was asked."""
    if seen is None or seen.source != "SHOWN" or topic.told or seen.value == found.value:
        return found
    of_broker = any(
        seen.value == node.static[UNCLEAN].value for node in elects_nobody(cluster) if UNCLEAN in node.static
    )
    rest = (found.told or (replace(seen, value=found.value, others=()),)) if of_broker else ()
    level = "topic or broker" if of_broker else "topic"
    return _checked(InForce(seen.value, seen, level, disputed=rest), UNCLEAN)


def _first(found: InForce, value: str) -> InForce:
    """The same with one of its values as the first."""
    if value == found.value:
        return found
    before = () if found.said is None else (found.said,)
    one = next(said for said in (*found.others, *found.disputed) if said.value == value)
    others, disputed = (
        (*before, *(said for said in several if said is not one)) if one in several else several
        for several in (found.others, found.disputed)
    )
    return replace(found, value=value, said=one, others=others, disputed=disputed)


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
        alone = replace(own, others=tuple(one for one in own.others if one.source != UNSET))
        if len(alone.others) == len(own.others):
            return _checked(InForce(own.value, own, "topic"), name)
        unset = next(one for one in own.others if one.source == UNSET)
        left = {other: said for other, said in topic.own.items() if other != name}
        below = _in_force(cluster, replace(topic, own=left, seen=None), name, nodes, elr, every, told)
        rest = below.told or (replace(unset, value=below.value),)
        return _checked(InForce(own.value, alone, "topic", disputed=rest, assumed=below.assumed), name)
    of_nodes = [] if elr and name == MIN_ISR else list(_of_nodes(cluster, nodes, name))
    if topic.seen is not None and not (every and len(of_nodes) == len(nodes) and _of_who_answered(topic.seen, name)):
        return _checked(_as_seen(cluster, topic.seen.get(name), name, of_nodes), name)
    own_told = topic.told or topic.seen is not None
    of_all = () if of_nodes else (("cluster", cluster.planned),)
    _, for_all = _of_levels((("cluster", cluster.everywhere), *of_all), name) or ("", None)
    doubted = any(one.source == UNSET for said in (cluster.everywhere.get(name),) if said for one in said.others)
    if for_all is not None and not (doubted and of_nodes) and not any(level == "broker" for level, _ in of_nodes):
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
        told = _of_levels((("cluster", cluster.everywhere),), name)
        said = of_nodes or ([] if told is None else [told])
        others = tuple(each for _, one in said for each in one.each if each.value != DEFAULTS[name])
        return InForce(DEFAULTS[name], None, "default", others)
    for_all = cluster.everywhere.get(name)
    if for_all is not None and for_all.value == seen.value and not any(level == "broker" for level, _ in of_nodes):
        return InForce(seen.value, replace(for_all, others=(*for_all.others, *seen.others)), "cluster")
    if seen.source == "SHOWN" and not any(one.value == seen.value for _, one in of_nodes):
        return InForce(seen.value, seen, "topic")  # no node has it, so it is the topic's own
    others = tuple(one for _, one in of_nodes if one.value != seen.value)
    return InForce(seen.value, seen, "broker" if others or seen.source != "SHOWN" else "topic or broker", others)


def _of_nodes(cluster: Cluster, nodes: list[Node], name: str) -> Iterator[tuple[str, Said]]:
    """What each node would say, where it says something, and whether it was set for it alone while it ran."""
    for node in sorted(nodes, key=lambda one: one.id):
        levels = (("broker", node.dynamic), ("cluster", cluster.everywhere), ("file", node.static))
        said = _of_levels((*levels, ("cluster", cluster.planned)), name)
        if said is not None:
            yield said
    if not nodes and name in cluster.planned and name not in cluster.everywhere:
        yield "cluster", cluster.planned[name]


def _of_levels(levels: Iterable[tuple[str, Mapping[str, Said]]], name: str) -> tuple[str, Said] | None:
    """The first that is set, and by whom. Where a file says that it is not, what comes behind counts beside it."""
    found: tuple[str, Said] | None = None
    for level, values in levels:
        if name not in values:
            continue
        said = values[name]
        found = (level, said) if found is None else (found[0], _in_place_of_unset(found[1], said.each))
        if all(one.source != UNSET for one in found[1].others):
            return found
    if found is None:
        return None
    unset = next(one for one in found[1].others if one.source == UNSET)
    return found[0], _in_place_of_unset(found[1], (replace(unset, value=DEFAULTS[name], source=""),))


def _in_place_of_unset(said: Said, several: Sequence[Said]) -> Said:
    """A value that may not be set, with those that then count."""
    set_ones = (one for one in said.others if one.source != UNSET)
    others = {one.value: one for one in (*several, *set_ones) if one.value != said.value}
    return replace(said, others=tuple(others.values()))


def _checked(found: InForce, name: str) -> InForce:
    """The same with what other files have in place of its values, after every value was looked at."""
    several = [one for said in found.told for one in said.others if one.value not in found.values]
    disputed = {one.value: one for one in (*several, *found.disputed)}
    said, others = (None if found.said is None else found.said.each[0]), tuple(one.each[0] for one in found.others)
    found = replace(found, said=said, others=others, disputed=tuple(disputed.values()))
    for said in found.told:
        if name == MIN_ISR:
            number_of(said, name)
        else:
            yes(said, name)
    return found
