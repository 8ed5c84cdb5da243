"""What Strimzi's resources say of a cluster: the operator writes them to every broker and topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from epochal.evidence.place import EvidenceError, escaped

from .agreeing import COPIES, DECIDING, add, add_all, add_for_all, tell
from .cluster import Cluster, Pool, Remark, Topic
from .formats.strimzi import Resource
from .said import UNSET, Said, is_number, number_of, refuse, short, topic_name
from .storage import storage_of

CONFIG, RACK, STORAGE = "spec/kafka/config", "spec/kafka/rack/topologyKey", "spec/kafka/storage"
ANNOTATION = "metadata/annotations/strimzi.io/"
ONE_CLUSTER = "Name the files of one cluster."


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


def _copies(found: Cluster, resource: Resource) -> tuple[Said, ...]:
    """How many replicas the topic of a resource gets: as it says, else as brokers do, whose files may differ.

    Kafka's default counts where one of these leaves it out; where there are none nobody knows.
    """
    said = resource.values.get("spec/replicas")
    if said is not None and said.value not in OF_BROKERS:
        return said.each
    of_brokers = found.planned.get(BY_DEFAULT) or found.unset.get((id(found.planned), BY_DEFAULT))
    each = () if of_brokers is None else of_brokers.each
    return tuple(replace(one, value="1") if one.source == UNSET else one for one in each)


BY_DEFAULT = "default.replication.factor"
OF_BROKERS = ("", "null", "-1")
"""What `spec.replicas` is where brokers decide it."""


def _add_topic(found: Cluster, resource: Resource) -> None:
    said = resource.values.get("spec/topicName")
    name = resource.name if said is None else said.value
    topic = found.topics.setdefault(topic_name(name, resource.place), Topic(name, resource.place))
    add_all(found, topic.own, f"topic {name}", resource.below("spec/config"), DECIDING, resource.place)
    topic.told = True
    for one in _copies(found, resource):
        number = number_of(one, COPIES)
        topic.copies = tuple(dict.fromkeys((*topic.copies, number)))
        said = replace(one, value=str(number), place=resource.place)
        add(found, found.declared.setdefault(name, {}), f"topic {name}", COPIES, said)
    for annotation, unless in (("managed", "true"), ("pause-reconciliation", "false")):
        noted = resource.values.get(f"{ANNOTATION}{annotation}")
        if noted is not None and noted.value != unless:
            why = "the operator does not bring the topic to what its resource says, which is taken all the same"
            told = f"{name} has strimzi.io/{annotation}: {noted.value}"
            found.remarks.append(Remark(name, told, noted.place, why))
