"""A cluster put together from what several files say of it, with what they contradict each other in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from epochal.evidence.place import EvidenceError, escaped

from .cluster import BROKER, COMPARED, EVERYWHERE, STATIC, TOPIC, Cluster, Contradiction, Node, Producer, Remark, Topic
from .dump import Dump, NotRead, PropertiesFile
from .formats.configs import ConfigBlock
from .formats.features import RELEASE
from .formats.topics import TopicTable
from .from_strimzi import add_resources
from .implied import add_implied
from .said import Place, Said, is_number, quoted, refuse, short, topic_name
from .storage import FOLDERS

PROTOCOL, DEFAULT = "inter.broker.protocol.version", "DEFAULT_CONFIG"


def assembled(dump: Dump, name: str, producers: Sequence[tuple[str, str]] = ()) -> Cluster:
    """The cluster of all files of a dump. `producers` says which topics a file is for: a pattern, and the file.

    Raises EvidenceError if there is no topic, two clusters, or a file of a producer that is none.
    """
    found = Cluster(name, unread=dump.unread, paths=dump.paths)
    for file in dump.nodes:
        _add_node(found, file)
    for table in dump.topics.values():
        found.topics[table.name] = _topic(table)
    found.remarks += _remarks(dump.topics.values())
    found.releases += [Said(one.release, one.place) for one in dump.features if one.release]
    for block in dump.configs:
        _add_block(found, block)
    for voter in dump.voters:
        if voter.node not in found.voters or voter.lag is not None:
            found.voters[voter.node] = voter
    for several in dump.everywhere:
        _add_everywhere(found, several)
    add_resources(found, dump.resources)
    add_implied(found, dump.features)
    found.producers = _producers(dump.producers, producers, found.topics)
    if not found.topics:
        unread = "".join(_told(one) for one in found.unread[:3])
        left_out = {one.file for one in found.unread}
        read = ", ".join([escaped(one) for one in found.paths if one not in left_out][:3])
        raise EvidenceError(
            f"{escaped(name)}: no file describes a topic{f', nor does {read}' if read else ''}",
            f"{unread}Add the output of 'kafka-topics --describe', or resources of Strimzi (KafkaTopic).",
        )
    return found


def _told(one: NotRead) -> str:
    """What a file is that was left out, in a sentence or two."""
    return f"{escaped(one.file)}: {one.what}. {one.instead}{' ' if one.instead else ''}"


def _add_everywhere(found: Cluster, file: PropertiesFile) -> None:
    """What is set for all nodes: `server.properties` without the number of one."""
    if "zookeeper.connect" in file.settings:
        found.zookeeper = file.settings["zookeeper.connect"]
    for name, said in file.settings.items():
        before = found.planned.setdefault(name, said)
        if name in COMPARED and before.value != said.value:
            found.contradictions.append(Contradiction("all nodes", name, before, said))


def _add_node(found: Cluster, file: PropertiesFile) -> None:
    settings = file.settings
    zookeeper = settings.get("zookeeper.connect")
    if zookeeper is not None and "process.roles" not in settings:
        found.zookeeper = zookeeper
    said = settings.get("node.id") or settings.get("broker.id")
    if said is None:
        raise refuse(Place(file.file), "a node without node.id or broker.id", ADD_ID)
    if not is_number(said.value):
        raise refuse(said.place, f"node.id is {quoted(said.value)}, and not a number")
    number = int(said.value)
    if number in found.nodes:
        raise refuse(said.place, f"a second file of node {number}, after {found.nodes[number].place}", ONE_CLUSTER)
    roles = settings["process.roles"].value if "process.roles" in settings else ""
    named = frozenset(part.strip() for part in roles.split(",") if part.strip())
    found.nodes[number] = Node(number, said.place, dict(settings), roles=named)


ADD_ID = "Add the line; or leave process.roles out of what is set for all nodes: rules differ by node."
ONE_CLUSTER = "Name files of one cluster."


def _topic(table: TopicTable) -> Topic:
    return Topic(table.name, table.place, None, table.partitions, seen=table.shown)


def _remarks(tables: Iterable[TopicTable]) -> Iterator[Remark]:
    """What outputs of `kafka-topics` have that decides nothing: columns of vendors, topics that are to go."""
    columns: dict[str, Said] = {}
    for table in tables:
        for name, said in table.unknown.items():
            columns.setdefault(name, said)
        if table.marked is not None:
            why = "it is judged as if it stayed"
            yield Remark(table.name, f"{escaped(table.name)} is marked for deletion", table.marked, why)
    for name, said in columns.items():
        why = "it is not known here: whether replicas that it names may join the ISR decides what is kept"
        yield Remark(said.place.file, f"the column {name} ({short(escaped(said.value))})", said.place, why)


def _add_block(found: Cluster, block: ConfigBlock) -> None:
    if block.kind == "topic":
        topic = found.topics.setdefault(topic_name(block.name, block.place), Topic(block.name, block.place))
        _add_topic_block(found, topic, block)
    elif block.kind == "broker" and block.name:
        if not is_number(block.name):
            raise refuse(block.place, f"{quoted(block.name)} is no number of a broker")
        number = int(block.name)
        node = found.nodes.setdefault(number, Node(number, block.place))
        for name, said in block.values.items():
            for one in block.synonyms.get(name) or [replace(said, source=BROKER)]:
                _add_value(found, node, name, one)
            if name == PROTOCOL and said.source == DEFAULT and (told := RELEASE.fullmatch(said.value)):
                found.releases.append(Said(told[1], said.place))  # by default it is that of the release
            if name in FOLDERS and said.source == DEFAULT:
                node.static.setdefault(name, said)
    elif block.kind == "broker":
        found.everywhere.update(block.values)


def _add_value(found: Cluster, node: Node, name: str, said: Said) -> None:
    """A value that a broker told of itself, to where it comes from."""
    if said.source == BROKER:
        node.dynamic[name] = said
    elif said.source == EVERYWHERE:
        found.everywhere.setdefault(name, said)
    elif said.source == STATIC:
        before = node.static.get(name)
        if name in COMPARED and before is not None and before.value != said.value and not before.source:
            found.contradictions.append(Contradiction(f"node {node.id}", name, before, said))
        node.static[name] = said  # what the broker runs with counts, until it is restarted


def _add_topic_block(found: Cluster, topic: Topic, block: ConfigBlock) -> None:
    topic.told = True
    for name, said in block.values.items():
        several = block.synonyms.get(name, [])
        own = next((one for one in several if one.source == TOPIC), None)
        if own is None and not block.whole and not several:
            own = replace(said, source=TOPIC)
        if own is not None:
            topic.own[name] = own
        elsewhere = next((one for one in several if one.source == EVERYWHERE), None)
        if elsewhere is not None:
            found.everywhere.setdefault(name, elsewhere)
        seen = None if topic.seen is None else topic.seen.get(name)
        in_force = own or said
        if seen is not None and seen.value != in_force.value:
            found.contradictions.append(Contradiction(f"topic {topic.name}", name, seen, in_force))
    if block.whole:
        topic.seen = {**block.values}


def _producers(
    files: Sequence[PropertiesFile], patterns: Sequence[tuple[str, str]], topics: Mapping[str, Topic]
) -> list[Producer]:
    """The producers with their topics: those that somebody names, the one that a file is called by, or any."""
    found = []
    left = {file for _, file in patterns}
    for file in files:
        named = tuple(pattern for pattern, wanted in patterns if wanted in (file.file, f"{file.stem}.properties"))
        left -= {file.file, f"{file.stem}.properties"}
        found.append(Producer(file.file, file.settings, named or ((file.stem,) if file.stem in topics else ())))
    if left:
        raise EvidenceError(
            f"{escaped(min(left))} is no file of a producer among those that were read",
            "A producer's file has acks or enable.idempotence; name it as reports call it: 'orders*=app.properties'.",
        )
    return found
