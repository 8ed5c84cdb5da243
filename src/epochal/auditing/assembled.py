"""A cluster put together from what several files say of it, with what they contradict each other in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from epochal.evidence.place import EvidenceError, escaped

from .agreeing import COPIES, DECIDING, EACH_IS_JUDGED, NOT_SET, TAKEN, add, add_all, add_for_all, beside, plain, tell
from .cluster import (
    BROKER,
    COMPARED,
    DEFAULT,
    EVERYWHERE,
    STATIC,
    TOPIC,
    UNCLEAN,
    Cluster,
    Node,
    Producer,
    Remark,
    Topic,
)
from .dump import Dump, NotRead, PropertiesFile
from .formats.configs import ConfigBlock
from .formats.features import RELEASE
from .formats.properties import OF_A_NODE
from .formats.quorum import Voter
from .formats.topics import TopicTable
from .from_strimzi import add_resources
from .implied import add_implied
from .precedence import DEFAULTS, elects_nobody
from .said import SHOWN, Place, Said, is_number, quoted, refuse, short, topic_name
from .storage import FOLDERS

PROTOCOL = "inter.broker.protocol.version"


def assembled(dump: Dump, name: str, producers: Sequence[tuple[str, str]] = ()) -> Cluster:
    """The cluster of all files of a dump. `producers` says which topics a file is for: a pattern, and the file.

    Raises EvidenceError if there is no topic, two clusters, or a file of a producer that is none.
    """
    found = Cluster(name, unread=dump.unread, paths=dump.paths)
    for file in dump.nodes:
        _add_node(found, file)
    for table in dump.topics.values():
        found.topics[table.name] = _topic(found, table)
    found.remarks += _remarks(dump.topics.values())
    found.remarks += _repeated((*dump.nodes, *dump.everywhere, *dump.producers))
    found.releases += [Said(one.release, one.place) for one in dump.features if one.release]
    for block in sorted(dump.configs, key=lambda one: one.kind == "broker" and not one.name):
        _add_block(found, block)  # a place in what is set for all brokers is told before one that repeats it
    for voter in dump.voters:
        _add_voter(found, voter)
    for several in dump.everywhere:
        _add_everywhere(found, several)
    add_resources(found, dump.resources)
    for topic in found.topics.values():
        _settle(found, topic)
    add_implied(found, dump.features)
    found.remarks += _without_a_vote(found)
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


def _without_a_vote(found: Cluster) -> Iterator[Remark]:
    """What brokers have of unclean election where they are no controllers, each file once."""
    for node in elects_nobody(found):
        said = node.static.get(UNCLEAN)
        if said is not None:
            why = (
                "with KRaft the controller that leads decides it, by its own file: the line of a broker does not count"
            )
            yield Remark(f"node {node.id}", f"{UNCLEAN}={short(said.value)} of a broker", said.place, why)


def _add_voter(found: Cluster, voter: Voter) -> None:
    """A voter as one output has it: the worst that any tells of it counts."""
    before = found.voters.setdefault(voter.node, voter)
    if before.is_behind != voter.is_behind and None not in (before.lag, voter.lag):
        why = "The files are of two moments, or of two clusters. It is taken to be behind."
        tell(found, f"node {voter.node}", "its state in the quorum", before.state, voter.state, why)
    found.voters[voter.node] = max(before, voter, key=lambda one: (not one.heard, -1 if one.lag is None else one.lag))


def _add_everywhere(found: Cluster, file: PropertiesFile) -> None:
    """What is set for all nodes: `server.properties` without the number of one."""
    if "zookeeper.connect" in file.settings:
        found.zookeeper = file.settings["zookeeper.connect"]
    add_for_all(found, file.settings, Place(file.file))


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
    found.nodes[number] = Node(number, said.place, dict(settings), roles=_roles(roles), told=True)


def _roles(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


ADD_ID = "Add the line; or leave process.roles out of what is set for all nodes: rules differ by node."
ONE_CLUSTER = "Name files of one cluster."


def _topic(found: Cluster, table: TopicTable) -> Topic:
    topic = Topic(table.name, table.place, (), table.partitions)
    for place, shown in table.shown:  # Kafka's defaults are left out there
        _add_seen(topic, {**{name: Said(DEFAULTS[name], place, DEFAULT) for name in DECIDING}, **shown})
        add_all(found, topic.own, f"topic {topic.name}", {}, [one for one in DECIDING if one not in shown], place)
    return topic


def _add_seen(topic: Topic, values: Mapping[str, Said]) -> None:
    """What a broker said is in force for a topic."""
    topic.seen = {} if topic.seen is None else topic.seen
    for name, said in values.items():
        before = topic.seen.get(name)
        topic.seen[name] = said if before is None else beside(before, said)


def _settle(found: Cluster, topic: Topic) -> None:
    """Tell where brokers show what cannot be in force. What `kafka-topics` shows may have been set for the topic."""
    about = f"topic {topic.name}"
    for name, said in (topic.seen or {}).items():
        if name not in COMPARED:
            continue
        if name in topic.own:
            for one in said.each:
                if one.source == SHOWN:
                    add(found, topic.own, about, name, one)
        else:
            first, *rest = (replace(one, value=NOT_SET) if one.source == DEFAULT else one for one in said.each)
            if any(not _is_of_broker(found, name, one) for one in said.each):
                for one in rest:
                    tell(found, about, name, first, one, TWO_ANSWERED)
    declared = found.declared.get(topic.name, {}).get(COPIES)
    for one in () if declared is None else declared.each:
        other = next((each for each in topic.partitions.values() if each.copies != int(one.value)), None)
        if other is not None:
            tell(found, about, COPIES, one, Said(str(other.copies), other.place), AS_THERE)


def _is_of_broker(found: Cluster, name: str, said: Said) -> bool:
    """Whether a broker is known that would answer so of a topic for which nothing is set."""
    for node in found.nodes.values():
        levels = [values[name] for values in (node.dynamic, node.static) if name in values]
        if any(plain(one) == plain(said) for level in levels for one in level.each):
            return True
        if said.source == DEFAULT and node.static and not levels:
            return True
    return False


TWO_ANSWERED = f"Two brokers with different settings have answered, or the files are of two moments: {EACH_IS_JUDGED}"


AS_THERE = (
    "Who applies the resource has not brought the topic to it, or the files are of two moments: what is there counts."
)


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


def _repeated(files: Iterable[PropertiesFile]) -> Iterator[Remark]:
    """What a file has twice with different values: as in Java the last counts, unless these are two files in one."""
    for file in files:
        for name, said in file.repeated.items():
            if name in TAKEN or name in (*OF_A_NODE, "acks", "enable.idempotence"):
                last = file.settings[name]
                told = f"{name}={escaped(short(said.value))}, as {last.place} has it again"
                why = f"the last counts, {escaped(short(last.value))}; of two files in one give each for itself"
                yield Remark(file.file, told, said.place, why)


def _add_block(found: Cluster, block: ConfigBlock) -> None:
    if block.kind == "topic":
        topic = found.topics.setdefault(topic_name(block.name, block.place), Topic(block.name, block.place))
        _add_topic_block(found, topic, block)
    elif block.kind == "broker" and block.name:
        if not is_number(block.name):
            raise refuse(block.place, f"{quoted(block.name)} is no number of a broker")
        number = int(block.name)
        node = found.nodes.setdefault(number, Node(number, block.place))
        levels: dict[str, dict[str, Said]] = {BROKER: {}, EVERYWHERE: {}, STATIC: {}}
        for name, said in block.values.items():
            for one in block.synonyms.get(name) or [replace(said, source=BROKER)]:
                levels.get(one.source, {})[name] = one
            if name == PROTOCOL and said.source == DEFAULT and (told := RELEASE.fullmatch(said.value)):
                found.releases.append(Said(told[1], said.place))  # by default it is that of the release
            if name in FOLDERS and said.source == DEFAULT:
                node.static.setdefault(name, said)
        node.told = node.told or (block.whole and all(name in block.values for name in DECIDING))
        if "process.roles" in levels[STATIC] and not node.roles:
            node.roles = _roles(levels[STATIC]["process.roles"].value)
        about = f"node {node.id}"
        wanted = [name for name in DECIDING if name in block.values or not block.whole]
        listed = [name for name in wanted if any(one.source == DEFAULT for one in block.synonyms.get(name, []))]
        _add_level(found, node.dynamic, about, levels[BROKER], wanted, block.place)
        _add_level(found, found.everywhere, ALL, levels[EVERYWHERE], listed, block.place)
        _add_level(found, node.static, about, levels[STATIC], listed, block.place)
    elif block.kind == "broker":
        values = {name: replace(said, source=EVERYWHERE) for name, said in block.values.items()}
        _add_level(found, found.everywhere, ALL, values, DECIDING, block.place)


ALL = "all brokers"


def _add_level(
    found: Cluster,
    values: dict[str, Said],
    about: str,
    settings: Mapping[str, Said],
    wanted: Iterable[str],
    place: Place,
) -> None:
    """What a broker told of where its values come from. What decides nothing is not compared."""
    values.update({name: said for name, said in settings.items() if name not in TAKEN})
    add_all(found, values, about, {name: said for name, said in settings.items() if name in TAKEN}, wanted, place)


def _add_topic_block(found: Cluster, topic: Topic, block: ConfigBlock) -> None:
    topic.told = topic.told or not block.whole or all(name in block.values for name in DECIDING)
    about = f"topic {topic.name}"
    settings: dict[str, Said] = {}
    for name, said in block.values.items():
        several = block.synonyms.get(name, [])
        own = next((one for one in several if one.source == TOPIC), None)
        if own is None and not block.whole and not several:
            own = replace(said, source=TOPIC)
        if own is not None:
            settings[name] = own
        elsewhere = next((one for one in several if one.source == EVERYWHERE), None)
        if elsewhere is not None:
            add(found, found.everywhere, ALL, name, elsewhere)
    lacking = [name for name in DECIDING if name in block.values or not block.whole]
    if block.whole:
        _add_seen(topic, block.values)
    add_all(found, topic.own, about, settings, lacking, block.place)


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
