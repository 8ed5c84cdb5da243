"""A cluster put together from what several files say of it, with what they contradict each other in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from epochal.evidence.place import EvidenceError, escaped

from .cluster import BROKER, COMPARED, EVERYWHERE, STATIC, TOPIC, Cluster, Contradiction, Node, Producer, Topic
from .dump import Dump, PropertiesFile
from .formats.configs import ConfigBlock
from .formats.features import ELR
from .formats.topics import TopicTable
from .from_strimzi import add_resources
from .said import Place, Said, is_number, refuse, topic_name


def assembled(dump: Dump, name: str, producers: Sequence[tuple[str, str]] = ()) -> Cluster:
    """The cluster of all files of a dump. `producers` says which topics a file is for: a pattern, and the file.

    Raises EvidenceError if there is no topic, two clusters, or a file of a producer that is none.
    """
    found = Cluster(name, unread=dump.unread, paths=dump.paths)
    for file in dump.nodes:
        _add_node(found, file)
    for table in dump.topics.values():
        found.topics[table.name] = _topic(table)
    for block in dump.configs:
        _add_block(found, block)
    for feature in dump.features:
        if feature.release:
            found.releases.append(Said(feature.release, feature.place))
        if feature.name == ELR and is_number(feature.final):
            _agree(found, Said("true" if int(feature.final) else "false", feature.place))
    for voter in dump.voters:
        if voter.node not in found.voters or voter.lag is not None:
            found.voters[voter.node] = voter
    add_resources(found, dump.resources)
    found.producers = _producers(dump.producers, producers, found.topics)
    if not found.topics:
        unread = f"Of no known form: {', '.join(escaped(one) for one in found.unread[:3])}. " if found.unread else ""
        raise EvidenceError(
            f"{escaped(name)}: no file describes a topic",
            f"{unread}Add the output of 'kafka-topics --describe', or resources of Strimzi (KafkaTopic).",
        )
    return found


def _agree(found: Cluster, said: Said) -> None:
    """Note whether ELR is on: files of one moment say the same."""
    if found.elr is not None and found.elr.value != said.value:
        left, right = (replace(one, value="1" if one.value == "true" else "0") for one in (found.elr, said))
        found.contradictions.append(Contradiction("the cluster", ELR, left, right))
        said = said if said.value == "false" else found.elr
    found.elr = said


def _add_node(found: Cluster, file: PropertiesFile) -> None:
    settings = file.settings
    zookeeper = settings.get("zookeeper.connect")
    if zookeeper is not None and "process.roles" not in settings:
        found.zookeeper = zookeeper
    said = settings.get("node.id") or settings.get("broker.id")
    if said is None:
        raise refuse(Place(file.file), "a node without node.id or broker.id", "Add the line: rules differ by node.")
    if not is_number(said.value):
        raise refuse(said.place, f"node.id is {escaped(said.value[:60])!r}, and not a number")
    number = int(said.value)
    if number in found.nodes:
        raise refuse(said.place, f"a second file of node {number}, after {found.nodes[number].place}", ONE_CLUSTER)
    roles = settings["process.roles"].value if "process.roles" in settings else ""
    named = frozenset(part.strip() for part in roles.split(",") if part.strip())
    found.nodes[number] = Node(number, said.place, dict(settings), roles=named)


ONE_CLUSTER = "Name files of one cluster."


def _topic(table: TopicTable) -> Topic:
    return Topic(table.name, table.place, None, table.partitions, seen=table.shown)


def _add_block(found: Cluster, block: ConfigBlock) -> None:
    if block.kind == "topic":
        topic = found.topics.setdefault(topic_name(block.name, block.place), Topic(block.name, block.place))
        _add_topic_block(found, topic, block)
    elif block.kind == "broker" and block.name:
        if not is_number(block.name):
            raise refuse(block.place, f"{escaped(block.name[:60])!r} is no number of a broker")
        number = int(block.name)
        node = found.nodes.setdefault(number, Node(number, block.place))
        for name, said in block.values.items():
            for one in block.synonyms.get(name) or [replace(said, source=BROKER)]:
                _add_value(found, node, name, one)
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
