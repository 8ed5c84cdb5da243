"""Topics of the same settings are one class: what decides what is guaranteed, and nothing else."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from epochal.spec.kraft.heeded import AT_MOST_COPIES, MIN_ISR, UNCLEAN, Mode, heeds

from ..evidence.place import Place
from .cluster import (
    BROKER,
    DEFAULT,
    STATIC,
    Cluster,
    Node,
    ProducerFile,
    Topic,
    alternatives,
    lacking,
    loses_logs,
    only,
    readings,
)
from .said import SHOWN, TRUE, Said, number_of, refuse, some_of, trimmed, yes

# -- precedence -------------------------------------------------------------------------------------------------------
# Which value of a setting is in force for a topic, as Kafka decides it.
#
# `min.insync.replicas` is read by the broker that leads: from the topic, else from what was set for this broker, else
# for all, else from its own file, else Kafka's default. With eligible leader replicas on (KIP-966) no value of a single
# broker counts: the controller forbids it and sets one for all
# (ConfigurationControlManager.maybeGenerateElrSafetyRecords). `unclean.leader.election.enable` is read by the
# controller that leads, from its own file in place of a broker's.
#
# Where files differ in what somebody has set, each of the values may be right: what is in force is asked for each of
# them alone, and every answer counts.

DEFAULTS = {MIN_ISR: "1", UNCLEAN: "false"}
"""What Kafka does if nobody says anything."""


@dataclass(frozen=True)
class InForce:
    """A value that decides, and where it is said. `said` is None for Kafka's default, or where nobody says anything.

    `level` is who has set it, for people. `others` are values of other nodes, which count when those lead. `assumed`
    says that no file tells what is in force: there are settings that would come before `value`, and no file has them.
    `disputed` are values that are in force if another file is right.
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
        """Every value that a file says, and that counts by who leads, or by which file is right."""
        return (*(() if self.said is None else (self.said,)), *self.others, *self.disputed)

    @property
    def values(self) -> tuple[str, ...]:
        """Every value that counts, by who leads, or by which file is right."""
        return tuple(dict.fromkeys((self.value, *(one.value for one in (*self.others, *self.disputed)))))


def min_isr(cluster: Cluster, topic: Topic, elr: bool) -> InForce:
    """`min.insync.replicas` of a topic: where nodes or files differ, the smallest that may count, beside the others.

    Raises EvidenceError for what is no number.
    """
    leaders = [] if elr else _leaders(cluster, topic)
    every = bool(leaders) and {node.id for node in leaders if node.tells(MIN_ISR)} >= _replicas(topic) > set()
    several = _each(cluster, topic, MIN_ISR, leaders)
    found = [(_in_force(one, of, MIN_ISR, nodes, elr, every, every), at) for one, of, nodes, at in several]
    first = [(_beginning_with(one, min(one.values, key=int)), at) for one, at in found]
    known = _contested(_together(first, int), MIN_ISR, leaders)
    return replace(known, assumed=True) if MIN_ISR in topic.unknown else known


def unclean(cluster: Cluster, topic: Topic, elr: bool) -> InForce:
    """`unclean.leader.election.enable` of a topic: on, if any controller or any file has it so, beside the others.

    Raises EvidenceError for what is neither true nor false.
    """
    controllers = [node for node in cluster.nodes.values() if node.is_controller]
    nodes = controllers or [node for node in cluster.nodes.values() if not node.roles]
    several = _each(cluster, topic, UNCLEAN, nodes)
    found = [(_elects(one, of, few, elr, bool(controllers)), at) for one, of, few, at in several]
    on = [
        (_beginning_with(one, next((said.value for said in one.told if yes(said, UNCLEAN)), one.value)), at)
        for one, at in found
    ]
    return _contested(_together(on, lambda one: one.strip().lower() != TRUE), UNCLEAN, nodes)


def _elects(cluster: Cluster, topic: Topic, nodes: list[Node], elr: bool, every: bool) -> InForce:
    """What controllers say, beside what a broker shows, which may be of the topic, or of the broker that was asked."""
    told = any(node.tells(UNCLEAN) for node in nodes)
    if not elects_nobody(cluster) or topic.seen is None or UNCLEAN not in topic.seen:
        return _in_force(cluster, topic, UNCLEAN, nodes, elr, every, told)
    seen = topic.seen.get(UNCLEAN)
    asked = replace(topic, seen=None, told=True)
    found = _in_force(cluster, asked, UNCLEAN, nodes, elr, every, told)
    if seen is None or seen.source != SHOWN or topic.told or UNCLEAN in topic.own or seen.value == found.value:
        return found
    of_brokers = (said for node in elects_nobody(cluster) for said in alternatives(node.static, UNCLEAN))
    if not any(said is not None and said.value == seen.value for said in of_brokers):
        return _checked(InForce(seen.value, seen, "topic"), UNCLEAN)
    rest = found.told or (replace(seen, value=found.value),)
    return _checked(InForce(seen.value, seen, "topic or broker", disputed=rest), UNCLEAN)


def elects_nobody(cluster: Cluster) -> list[Node]:
    """The brokers that are known to be no controllers: what they have of unclean election does not count."""
    return [node for node in cluster.nodes.values() if node.roles and not node.is_controller]


Reading = tuple[Cluster, Topic, list[Node], Place | None]


def _each(cluster: Cluster, topic: Topic, name: str, nodes: list[Node]) -> Iterator[Reading]:
    """Each way in which files that differ may be right. A node that they differ in stands there once for each value;
    and where one says that a node has none, it may be that no node has.
    """
    several = [one for node in nodes for one in _ways(node, name)]
    unset = next((at for node in nodes for at in _unset(node, name) if at is not None), None)
    for one, of, place in readings(cluster, topic, name):
        yield one, of, [way for way, _ in several], place
        if unset is not None:
            yield one, of, [way for way, is_least in several if is_least], place or unset


def _ways(node: Node, name: str) -> Iterator[tuple[Node, bool]]:
    """A node with each alternative alone, and whether nothing is set in it that may not be."""
    unset = _unset(node, name)
    for static in alternatives(node.static, name):
        for dynamic in alternatives(node.dynamic, name):
            is_least = all(at is None or said is None for at, said in zip(unset, (static, dynamic), strict=True))
            in_file, running = only(node.static, name, static), only(node.dynamic, name, dynamic)
            yield replace(node, static=in_file, dynamic=running), is_least


def _unset(node: Node, name: str) -> tuple[Place | None, Place | None]:
    """Where files say that a node does not have what others say that it has: in its file, and while it ran."""
    return lacking(node.static, name), lacking(node.dynamic, name)


def _together(found: Sequence[tuple[InForce, Place | None]], order: Callable[[str], int]) -> InForce:
    """What is in force in every reading as one: the one with the weakest value, and what else may be in force."""
    (first, _), *rest = sorted(found, key=lambda one: order(one[0].value))
    disputed: dict[str, Said] = {}
    for one, place in rest:
        default = () if one.said is not None or place is None else (Said(one.value, place),)
        for said in (*default, *one.told):
            if said.value not in first.values:
                disputed.setdefault(said.value, said)
    assumed = any(one.assumed for one, _ in found)
    return replace(first, assumed=assumed, disputed=(*first.disputed, *disputed.values()))


def _contested(found: InForce, name: str, nodes: Sequence[Node]) -> InForce:
    """The same, in which what two files say of one node does not count by who leads, but by which file is right."""
    several = [values[name] for node in nodes for values in (node.static, node.dynamic) if name in values]
    doubted = [one for said in several if said.others for one in said.each]
    others = tuple(one for one in found.others if one not in doubted)
    return replace(found, others=others, disputed=(*(one for one in found.others if one in doubted), *found.disputed))


def _beginning_with(found: InForce, value: str) -> InForce:
    """The same with one of its values as the first."""
    if value == found.value or found.said is None:
        return found
    one = next(said for said in found.told if said.value == value)
    others = (found.said, *(said for said in found.others if said is not one))
    disputed = tuple(said for said in found.disputed if said is not one)
    return replace(found, value=value, said=one, others=others, disputed=disputed)


def _leaders(cluster: Cluster, topic: Topic) -> list[Node]:
    """The nodes that may lead partitions of a topic, as far as something is known of them."""
    replicas = _replicas(topic)
    known = [node for node in cluster.nodes.values() if node.may_lead]
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
    shown = (
        topic.seen is not None and name in topic.seen
    )  # of a whole output that was cut off or sifted it is not known
    if (
        topic.seen is not None
        and shown
        and not (every and len(of_nodes) == len(nodes) and _of_who_answered(topic.seen, name))
    ):
        return _checked(_as_seen(cluster, topic.seen.get(name), name, of_nodes), name)
    own_told = topic.told or shown
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
    if seen is None or seen.source == DEFAULT:
        others = tuple(one for _, one in of_nodes if one.value != DEFAULTS[name])
        return InForce(DEFAULTS[name], None, "default", others)
    for_all = cluster.everywhere.get(name)
    if for_all is not None and for_all.value == seen.value and not any(level == "broker" for level, _ in of_nodes):
        return InForce(seen.value, for_all, "cluster")
    if seen.source == SHOWN and not any(one.value == seen.value for _, one in of_nodes):
        return InForce(seen.value, seen, "topic")  # no node has it, so it is the topic's own
    others = tuple(one for _, one in of_nodes if one.value != seen.value)
    return InForce(seen.value, seen, "broker" if others or seen.source != SHOWN else "topic or broker", others)


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


# -- classes ----------------------------------------------------------------------------------------------------------
# Where one thing may have several values, each is checked: a partition has as many replicas as it has, a value counts
# when the node that has it leads, and each producer waits for what it waits for. None of these is weakest in every way:
# where as many replicas are needed as there are some holes cannot happen, and writes stop with one broker.

ACKS = {"0": "0", "1": "1", "all": "all", "-1": "all"}
WEAKEST_FIRST = ("0", "1", "all")


@dataclass(frozen=True, order=True)
class Kind:
    """The settings that determine the guarantees of a partition: its class.

    `min_isr` is the effective one, never more than there are copies. With `refuses` it is set to more, and a release
    runs that compares with what is set: every write with acks=all is refused. `unclean` says whether the controller
    elects so, `acks_known` is False if no producer says what it waits for. `ephemeral` says that a broker comes back
    from a restart without its log.
    """

    copies: int
    min_isr: int
    acks: str
    unclean: bool
    elr: bool
    acks_known: bool = True
    refuses: bool = False
    ephemeral: bool = False


@dataclass(frozen=True)
class Supposition:
    """The classes that partitions of a topic are of, or may come to be of while it is led by others.

    `supposed` is the value of `min.insync.replicas` in this case, if no file says it; None if one does.
    """

    supposed: int | None
    kinds: tuple[Kind, ...]


@dataclass(frozen=True)
class Classified:
    """A topic with its classes, and where each value comes from.

    There is one case, or one for each value of `min.insync.replicas` that may be in force. `acks` are what its
    producers say, the weakest first.
    """

    topic: Topic
    cases: tuple[Supposition, ...]
    min_isr: InForce
    unclean: InForce
    acks: tuple[Said, ...]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Every class that it is, or may be, of."""
        return tuple(dict.fromkeys(kind for case in self.cases for kind in case.kinds))

    def only(self, kinds: Iterable[Kind]) -> Iterator[str]:
        """To what it is limited that is true of some of its classes: some partitions, or a value that it may have."""
        some = set(kinds)
        supposed = [case.supposed for case in self.cases if not some.isdisjoint(case.kinds)]
        copies = {kind.copies for kind in self.kinds if kind in some}
        if copies and self.topic.partitions and copies != set(self.topic.numbers):
            yield f"only {partitions_with(self.topic, copies)}"
        if len(supposed) < len(self.cases):
            yield f"only if {MIN_ISR} is {' or '.join(map(str, supposed))}"


def partitions_with(topic: Topic, copies: Iterable[int]) -> str:
    """The partitions that have so many replicas: `partition 2, which has 2 replicas`."""
    wanted = sorted(copies)
    numbers = [str(one.number) for one in topic.partitions.values() if one.copies in wanted]
    replicas = f"{' or '.join(map(str, wanted))} replica{'s' if wanted != [1] else ''}"
    if not numbers:
        return f"the topic, if it has {replicas}"
    if len(numbers) == 1:
        return f"partition {numbers[0]}, which has {replicas}"
    return f"partitions {some_of(numbers, MOST_NUMBERS)}, which have {replicas}"


MOST_NUMBERS = 8


def classified(
    cluster: Cluster, elr: bool, releases: Sequence[str], most_copies: int, default_copies: int | None = None
) -> tuple[list[Classified], list[Topic]]:
    """The topics with their classes in the order of their names, and those whose replication factor nobody says.

    `releases` are those that run; none: nobody says which. With more than `most_copies` nothing is searched. Raises
    EvidenceError for a value that Kafka would refuse.
    """
    found, unknown = [], []
    for _, topic in sorted(cluster.topics.items()):
        copies = topic.numbers or ((default_copies,) if default_copies else ())
        if not copies:
            unknown.append(topic)
            continue
        wanted, election = min_isr(cluster, topic, elr), unclean(cluster, topic, elr)
        said = _acks(cluster.producers, topic)
        known = topic.is_internal or bool(said)
        acks = ["all"] if topic.is_internal or not said else [ACKS[trimmed(one.value)] for one in said]
        unclean_by = _elects_uncleanly(election, releases, cluster.zookeeper is not None)
        emptied = loses_logs(cluster, topic) is not None
        cases = []
        for supposed in _supposed(max(copies), most_copies) if wanted.assumed else (None,):
            values = [int(one) for one in wanted.values] if supposed is None else [supposed]
            kinds = (
                kind
                for many, value, waits, by in itertools.product(copies, values, acks, unclean_by)
                for kind in _kinds(Kind(many, value, waits, by, elr, known, ephemeral=emptied), releases)
            )
            cases.append(Supposition(supposed, tuple(dict.fromkeys(kinds))))
        found.append(Classified(topic, tuple(cases), wanted, election, () if topic.is_internal else said))
    return found, unknown


def _supposed(copies: int, most_copies: int) -> range:
    """The values that `min.insync.replicas` may have where no file says it: more than there are replicas mean no more.

    Of a topic that nobody searches two stand for all.
    """
    return range(1, (copies if copies <= most_copies else 2) + 1)


def _elects_uncleanly(said: InForce, releases: Sequence[str], zookeeper: bool) -> list[bool]:
    """Whether controllers elect uncleanly: as each value says that may count, and as each release heeds it."""
    mode: Mode = "zookeeper" if zookeeper else "kraft"
    heeded = {heeds(one, UNCLEAN, mode=mode) for one in releases} or {True}  # who does not know expects the worse
    on = {value.strip().lower() == TRUE for value in said.values}
    return sorted({value and heed for value in on for heed in heeded})


def _kinds(wanted: Kind, releases: Sequence[str]) -> Iterator[Kind]:
    """The class with as many replicas waited for as there are, at most; and one whose writes are refused for that."""
    above = wanted.min_isr > wanted.copies and wanted.acks == "all"
    effective = replace(wanted, min_isr=min(wanted.min_isr, wanted.copies))
    for heeded in sorted({heeds(one, MIN_ISR, AT_MOST_COPIES) for one in releases} or {True}) if above else [True]:
        yield effective if heeded else replace(effective, refuses=True)


def _acks(producers: Iterable[ProducerFile], topic: Topic) -> tuple[Said, ...]:
    """The `acks` of the producers that write to a topic, or may, each value once, the weakest first."""
    said: dict[str, Said] = {}
    for one in producers:
        writes = not one.topics or any(fnmatch.fnmatchcase(topic.name, pattern) for pattern in one.topics)
        if writes and (found := _acks_of(one)) is not None:
            said.setdefault(ACKS[trimmed(found.value)], found)
    return tuple(said[value] for value in WEAKEST_FIRST if value in said)


def _acks_of(producer: ProducerFile) -> Said | None:
    """What a producer waits for, if it says so. One that is idempotent, as one with transactions is, waits for all."""
    said, idempotence = producer.settings.get("acks"), producer.settings.get("enable.idempotence")
    if said is None and idempotence is None and "transactional.id" in producer.settings:
        return replace(producer.settings["transactional.id"], value="all")
    idempotent = idempotence is not None and yes(idempotence, "enable.idempotence")
    if said is None:
        return Said("all", idempotence.place) if idempotence is not None and idempotent else None
    value = ACKS.get(trimmed(said.value))
    if value is None:
        raise refuse(said.place, f"acks is {said.value[:60]!r}", "Kafka knows 0, 1, all and -1, which is all.")
    if idempotence is not None and idempotent and value != "all":
        advice = "The producer does not start so: write acks=all, or enable.idempotence=false."
        raise refuse(said.place, f"acks is {value}, beside enable.idempotence=true ({idempotence.place})", advice)
    return said


def by_kind(topics: Sequence[Classified]) -> dict[Kind, list[Classified]]:
    """The topics by each class that they are, or may be, of, in the order in which they come."""
    found: dict[Kind, list[Classified]] = {}
    for one in topics:
        for kind in one.kinds:
            found.setdefault(kind, []).append(one)
    return found


def by_cases(topics: Sequence[Classified]) -> dict[tuple[Supposition, ...], list[Classified]]:
    """The topics that are of the same classes in every case: a row of the table each."""
    found: dict[tuple[Supposition, ...], list[Classified]] = {}
    for one in topics:
        found.setdefault(one.cases, []).append(one)
    return found


def with_acks(kind: Kind, acks: str) -> Kind:
    """The same class with other producers."""
    return replace(kind, acks=acks, acks_known=True, refuses=False)
