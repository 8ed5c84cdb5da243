"""A cluster put together from what several files say of it, with what they contradict each other in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from epochal.spec.kraft.generations import known_as, numbered
from epochal.spec.kraft.heeded import UNCLEAN

from ..evidence.place import EvidenceError, Place, escaped
from .cluster import (
    BROKER,
    COMPARED,
    COPIES,
    DEFAULT,
    EACH_IS_JUDGED,
    EVERYWHERE,
    FOLDERS,
    NOT_SET,
    STATIC,
    TAKEN,
    TOPIC,
    TWO_MOMENTS,
    Cluster,
    Node,
    Pool,
    ProducerFile,
    Remark,
    SettingConflict,
    Topic,
    add,
    add_all,
    add_for_all,
    beside,
    plain,
    storage_of,
    tell,
)
from .decided import known_release, may_have_elr
from .declared import DeclaredTopic, with_maps
from .dump import OF_A_NODE, Dump, NotRead, PropertiesFile
from .resources import Resource
from .said import (
    DECIDING,
    SHOWN,
    UNSET,
    Said,
    either,
    is_number,
    listed_in,
    number_of,
    quoted,
    refuse,
    short,
    topic_name,
)
from .tool_output import ELR, METADATA_VERSION, RELEASE, ConfigBlock, Feature, Partition, TopicTable, Voter
from .topic_class import DEFAULTS, elects_nobody

# -- from strimzi -----------------------------------------------------------------------------------------------------
# What Strimzi's resources say of a cluster: the operator writes them to every broker and topic.

CONFIG, RACK, STORAGE = "spec/kafka/config", "spec/kafka/rack/topologyKey", "spec/kafka/storage"
ANNOTATION = "metadata/annotations/strimzi.io/"


def add_resources(found: Cluster, resources: Sequence[Resource]) -> None:
    """Add resources to a cluster. Raises EvidenceError if they are of two clusters."""
    kafkas = [one for one in resources if one.kind == "Kafka"]
    clusters = {one.name: one for one in reversed(kafkas)}
    if len(clusters) > 1:
        first, second = kafkas[0], next(one for one in kafkas if one.name != kafkas[0].name)
        raise EvidenceError(
            f"{second.place}: a second cluster, {escaped(second.name)}, beside {escaped(first.name)} in {first.place}",
            ONE_CLUSTER,
        )
    of_clusters = [one for one in resources if one.kind in ("Kafka", "KafkaNodePool", "KafkaTopic") and one.cluster]
    for one in of_clusters:
        first = (kafkas or of_clusters)[0]
        if one.cluster != first.cluster:
            beside = f"{_named(one.cluster)}, beside {_named(first.cluster)} in {first.place}"
            raise refuse(one.place, f"{_named(one.name)} is of the cluster {beside}", ONE_CLUSTER)
    pools = [one for one in resources if one.kind == "KafkaNodePool"]
    for kafka in kafkas:
        _add_kafka(found, kafka, bool(pools))
    for one in pools:
        _add_pool(found, one)
    for one in resources:
        if one.kind == "KafkaTopic":
            _add_topic(found, one)


def _named(text: str) -> str:
    return escaped(short(text))


def _add_kafka(found: Cluster, kafka: Resource, has_pools: bool) -> None:
    values = kafka.values
    found.name = kafka.name
    if "spec/kafka/version" in values:
        found.releases.append(values["spec/kafka/version"])
    add_for_all(found, kafka.below(CONFIG), kafka.place)
    found.resource = kafka.place
    annotated = values.get(f"{ANNOTATION}kraft")
    if annotated is not None and annotated.value == "enabled":  # the section of ZooKeeper is ignored then
        found.kraft = annotated
    elif "spec/zookeeper/replicas" in values:
        found.zookeeper = values["spec/zookeeper/replicas"]
    elif "spec/kafka/metadataVersion" in values:
        found.kraft = values["spec/kafka/metadataVersion"]
    if RACK in values:
        why = "no resource says which broker is where: add the output of 'kafka-configs --describe --all' of brokers"
        found.remarks.append(Remark("racks", f"rack.topologyKey is {values[RACK].value}", values[RACK].place, why))
    by_pools = values.get(f"{ANNOTATION}node-pools")
    if not has_pools and by_pools is not None and by_pools.value == "enabled":
        why = "their resources are not among the files, so roles and storage are not known: add each KafkaNodePool"
        found.remarks.append(Remark("storage", f"{kafka.name} is made of node pools", by_pools.place, why))
    elif not has_pools and "spec/kafka/replicas" in values:
        emptied, _ = storage_of(kafka, STORAGE)
        count = number_of(values["spec/kafka/replicas"], "spec.kafka.replicas")
        _add(found, Pool(kafka.name, kafka.place, count, frozenset({"broker"}), emptied))


def _add_pool(found: Cluster, resource: Resource) -> None:
    roles = frozenset(said.value for said in resource.below("spec/roles").values())
    count = resource.values.get("spec/replicas")
    emptied, forgets = storage_of(resource, "spec/storage")
    nodes = 0 if count is None or count.value == "0" else number_of(count, "spec.replicas")
    ids = resource.below("status/nodeIds").values()
    numbers = frozenset(int(said.value) for said in ids if is_number(said.value))
    numbers = numbers if len(numbers) == len(ids) >= nodes else frozenset()  # nodes are being added, as it seems
    _add(found, Pool(resource.name, resource.place, nodes, roles, emptied, forgets, numbers))
    if "controller" in roles and found.kraft is None:
        found.kraft = next(said for said in resource.below("spec/roles").values() if said.value == "controller")


def _add(found: Cluster, pool: Pool) -> None:
    """Add a pool. Of one that two resources describe the fewest nodes count, and the storage that loses most."""
    at = next((place for place, one in enumerate(found.pools) if one.name == pool.name), None)
    if at is None:
        found.pools.append(pool)
        return
    before = found.pools[at]
    storage = ["ephemeral" if one.emptied or one.forgets else "not ephemeral" for one in (before, pool)]
    ids = [",".join(map(str, sorted(one.nodes))) or "not known" for one in (before, pool)]
    counts = [str(one.count) for one in (before, pool)]
    for name, (left, right) in ((COPIES, counts), ("spec.storage", storage), ("status.nodeIds", ids)):
        tell(found, f"node pool {pool.name}", name, Said(left, before.place), Said(right, pool.place))
    found.pools[at] = replace(
        before,
        count=min(before.count, pool.count),
        roles=before.roles | pool.roles,
        emptied=before.emptied or pool.emptied,
        forgets=before.forgets or pool.forgets,
        nodes=before.nodes | pool.nodes if before.nodes and pool.nodes else frozenset(),
    )


def _copies(found: Cluster, said: Said | None) -> tuple[Said, ...]:
    """How many replicas a topic gets: as who declares it says, else as brokers do, whose files may differ.

    Kafka's default counts where one of these leaves it out; where there are none nobody knows.
    """
    if said is not None:
        return said.each
    of_brokers = found.planned.get(BY_DEFAULT) or found.unset.get((id(found.planned), BY_DEFAULT))
    each = () if of_brokers is None else of_brokers.each
    return tuple(replace(one, value="1") if one.source == UNSET else one for one in each)


BY_DEFAULT = "default.replication.factor"
OF_BROKERS = ("", "null", "-1")
"""What `spec.replicas` is where brokers decide it."""


def _add_topic(found: Cluster, resource: Resource) -> None:
    said = resource.values.get("spec/topicName")
    copies = resource.values.get("spec/replicas")
    if copies is not None and copies.value in OF_BROKERS:
        copies = None
    remarks = []
    for annotation, unless in (("managed", "true"), ("pause-reconciliation", "false")):
        noted = resource.values.get(f"{ANNOTATION}{annotation}")
        if noted is not None and noted.value != unless:
            remarks.append((replace(noted, value=f"strimzi.io/{annotation}: {noted.value}"), NOT_RECONCILED))
    name = topic_name(resource.name if said is None else said.value, resource.place)
    settings = resource.below("spec/config")
    declare(found, DeclaredTopic(name, resource.place, copies, settings, remarks=tuple(remarks)))


DEFERRED = "a later plan makes or changes it: audit that one, too"
NOT_RECONCILED = "the operator does not bring the topic to what its resource says, which is taken all the same"


def declare(found: Cluster, one: DeclaredTopic) -> None:
    """Add a topic that a resource or a plan declares: its settings are all that it has, unless some are not known.

    A truth value that is not known yet is each of the two.
    """
    name = one.name
    topic = found.topics.setdefault(name, Topic(name, one.place))
    topic.unknown |= one.unknown
    settings = {known: said for known, said in one.settings.items() if known not in one.unknown}
    if UNCLEAN in one.unknown:
        settings[UNCLEAN] = either(one.place)
    wanted = [needed for needed in DECIDING if needed not in one.unknown]
    add_all(found, topic.own, f"topic {name}", settings, wanted, one.place)
    topic.told = topic.told or not one.unknown
    for copies in _copies(found, one.copies):
        number = number_of(copies, COPIES)
        topic.copies = tuple(dict.fromkeys((*topic.copies, number)))
        said = replace(copies, value=str(number), place=one.place)
        add(found, found.declared.setdefault(name, {}), f"topic {name}", COPIES, said)
    for said, why in one.remarks:
        found.remarks.append(Remark(name, f"{name} has {said.value}", said.place, why))


# -- implied ----------------------------------------------------------------------------------------------------------
# What the files of a cluster imply without saying it: asked before anything is assumed.
#
# An ELR that is not empty, or an ISR that is, is there only where eligible leader replicas are on, and so only since
# Kafka 4.0 and with KRaft. A quorum of controllers, a metadata version and `process.roles` are there only with KRaft.

WITHOUT_ZOOKEEPER = (4, 0)
"""The first release that has KRaft alone."""

ON, OFF = "true", "false"
SEEN_BY = {"": "", "SEEN": ", as an ELR or an empty ISR shows"}
SWITCHED_OFF = (
    "Either it was switched off while replicas were eligible, which then stay so; or the files are of two moments. "
    "It is taken for off."
)


def add_implied(found: Cluster, features: Sequence[Feature]) -> None:
    """Add to a cluster what its files imply, and what two of them cannot both be right in."""
    for said in _elr(features):
        _agree(found, said)
    seen = _seen_elr(found)
    if seen is not None:
        _agree(found, seen)
    old = too_old_for_elr(found.releases)
    if old is not None and found.elr is not None and found.elr.value == ON:
        found.contradictions.append(without_elr(old, found.elr))
    elif old is not None and found.elr is None:
        found.elr = Said(OFF, old.place)
    found.kraft = found.kraft or next(_kraft(found, features), None)
    if found.kraft is not None and found.zookeeper is not None:
        kraft, zookeeper = (
            replace(one, value=word) for one, word in ((found.kraft, "KRaft"), (found.zookeeper, "ZooKeeper"))
        )
        found.contradictions.append(
            SettingConflict("the cluster", "what runs it", kraft, zookeeper, "It is taken to be run by ZooKeeper.")
        )


def _elr(features: Sequence[Feature]) -> Iterator[Said]:
    """Whether eligible leader replicas are on, as features say it."""
    for one in features:
        if one.name == ELR and is_number(one.final):
            yield Said(ON if int(one.final) else OFF, one.place)


def _seen_elr(found: Cluster) -> Said | None:
    """The first partition whose replicas say that eligible leader replicas are on."""
    for topic in found.topics.values():
        for one in topic.partitions.values():
            if _only_with_elr(one):
                return Said(ON, one.place, "SEEN")
    return None


def _only_with_elr(one: Partition) -> bool:
    """Whether a partition is in a state that only the controller makes which keeps an ELR (KIP-966)."""
    return bool(one.elr or one.last_known or not one.isr)


def _agree(found: Cluster, said: Said) -> None:
    """Note whether ELR is on: files of one moment say the same."""
    before = found.elr
    if before is not None and before.value != said.value:
        levels = {ON: "1", OFF: "0"}
        left, right = (replace(one, value=f"{levels[one.value]}{SEEN_BY[one.source]}") for one in (before, said))
        why = SWITCHED_OFF if "SEEN" in (left.source, right.source) else TWO_MOMENTS
        found.contradictions.append(SettingConflict("the cluster", ELR, left, right, why))
    if before is None or said.value == OFF:
        found.elr = said


def too_old_for_elr(releases: Sequence[Said]) -> Said | None:
    """The oldest of some releases, if all are known and none of them can have eligible leader replicas."""
    named = [replace(one, value=known_as(one.value)) for one in releases]
    if not named or any(not known_release(one.value) or may_have_elr(one.value) for one in named):
        return None
    return min(named, key=lambda one: numbered(one.value))


def without_elr(release: Said, elr: Said) -> SettingConflict:
    """That a release before 4.0 cannot be what runs where eligible leader replicas are on."""
    why = "No broker before 4.0 has an ELR: another release runs, or the files are of two clusters."
    return SettingConflict("the cluster", "the release", release, replace(elr, value="4.0 or newer"), why)


def _kraft(found: Cluster, features: Sequence[Feature]) -> Iterator[Said]:
    """Where a file says that the cluster has KRaft, or something that only such a cluster has."""
    for node in found.nodes.values():
        roles = node.static.get("process.roles")
        if roles is not None and roles.value:
            yield roles
    for voter in found.voters.values():
        yield Said(str(voter.node), voter.place)
    for one in features:
        if one.name == METADATA_VERSION and RELEASE.fullmatch(one.final):
            yield Said(one.final, one.place)
    if found.elr is not None and found.elr.value == ON:
        yield found.elr
    for release in found.releases:
        if is_kraft_only(release.value):
            yield release


def is_kraft_only(release: str) -> bool:
    """Whether a release knows no ZooKeeper."""
    name = known_as(release)
    return known_release(name) and numbered(name) >= WITHOUT_ZOOKEEPER


PROTOCOL = "inter.broker.protocol.version"


def assembled(dump: Dump, name: str, producers: Sequence[tuple[str, str]] = (), may_be_empty: bool = False) -> Cluster:
    """The cluster of all files of a dump. `producers` says which topics a file is for: a pattern, and the file. It
    `may_be_empty` where there were topics before.

    Raises EvidenceError if there is no topic, two clusters, or a file of a producer that is none.
    """
    found = Cluster(name, unread=dump.unread, paths=dump.paths, plans=dump.plans)
    for file in dump.nodes:
        _add_node(found, file)
    for table in dump.topics.values():
        found.topics[table.name] = _topic(found, table)
    found.remarks += _remarks(dump.topics.values())
    found.remarks += (Remark(one.value, "a topic that the plan defers", one.place, DEFERRED) for one in dump.deferred)
    found.remarks += _repeated((*dump.nodes, *dump.everywhere, *dump.producers))
    found.releases += [Said(one.release, one.place) for one in dump.features if one.release]
    for block in sorted(dump.configs, key=lambda one: one.kind == "broker" and not one.name):
        _add_block(found, block)  # a place in what is set for all brokers is told before one that repeats it
    for voter in dump.voters:
        _add_voter(found, voter)
    for several in dump.everywhere:
        _add_everywhere(found, several)
    add_resources(found, dump.resources)
    found.releases += dump.releases
    for declared in dump.declared:
        declare(found, with_maps(declared, dump.maps))
    for topic in found.topics.values():
        _settle(found, topic)
    add_implied(found, dump.features)
    found.remarks += _without_a_vote(found)
    found.producers = _producers(dump.producers, producers, found.topics)
    if not found.topics and not may_be_empty:
        raise no_topic(found)
    return found


def no_topic(found: Cluster) -> EvidenceError:
    """The error for files of which none describes a topic."""
    unread = "".join(_told(one) for one in found.unread[:3])
    left_out = {one.file for one in found.unread}
    read = ", ".join([escaped(one) for one in found.paths if one not in left_out][:3])
    return EvidenceError(
        f"{escaped(found.name)}: no file describes a topic{f', nor does {read}' if read else ''}",
        f"{unread}Add the output of 'kafka-topics --describe', or resources of Strimzi (KafkaTopic), or a plan.",
    )


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
        why = f"{TWO_MOMENTS} It is taken to be behind."
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
    found.nodes[number] = Node(number, said.place, dict(settings), roles=frozenset(listed_in(roles)), told=True)


ADD_ID = "Add the line; or leave process.roles out of what is set for all nodes: rules differ by node."
ONE_CLUSTER = "Name the files of one cluster."


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
            why = "it is checked as if it stayed"
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
            node.roles = frozenset(listed_in(levels[STATIC]["process.roles"].value))
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
) -> list[ProducerFile]:
    """The producers with their topics: those that somebody names, the one that a file is called by, or any."""
    found = []
    left = {file for _, file in patterns}
    for file in files:
        named = tuple(pattern for pattern, wanted in patterns if wanted in (file.file, f"{file.stem}.properties"))
        left -= {file.file, f"{file.stem}.properties"}
        found.append(ProducerFile(file.file, file.settings, named or ((file.stem,) if file.stem in topics else ())))
    if left:
        raise EvidenceError(
            f"{escaped(min(left))} is no file of a producer among those that were read",
            "A producer's file has acks or enable.idempotence; name it as reports call it: 'orders*=app.properties'.",
        )
    return found
