"""What Strimzi's resources say of a cluster: the operator writes them to every broker and topic."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.evidence.place import EvidenceError, escaped

from .cluster import Cluster, Topic
from .formats.strimzi import Resource
from .said import number_of, topic_name

CONFIG = "spec/kafka/config"


def add_resources(found: Cluster, resources: Sequence[Resource]) -> None:
    """Add resources to a cluster. Raises EvidenceError if they are of two clusters."""
    clusters = {one.name: one for one in resources if one.kind == "Kafka"}
    if len(clusters) > 1:
        first, second, *_ = clusters.values()
        raise EvidenceError(
            f"{second.place}: a second cluster, {escaped(second.name)}, beside {escaped(first.name)} in {first.place}",
            "Name the files of one cluster.",
        )
    for kafka in clusters.values():
        found.name = kafka.name
        if "spec/kafka/version" in kafka.values:
            found.releases.append(kafka.values["spec/kafka/version"])
        found.planned.update(kafka.below(CONFIG))
        found.resource = kafka.place
        if "spec/zookeeper/replicas" in kafka.values:
            found.zookeeper = kafka.values["spec/zookeeper/replicas"]
    for one in resources:
        if one.kind == "KafkaTopic":
            _add_topic(found, one)


def _add_topic(found: Cluster, resource: Resource) -> None:
    said = resource.values.get("spec/topicName")
    name = resource.name if said is None else said.value
    topic = found.topics.setdefault(topic_name(name, resource.place), Topic(name, resource.place))
    topic.own.update(resource.below("spec/config"))
    topic.told = True
    copies = resource.values.get("spec/replicas") or found.planned.get("default.replication.factor")
    if topic.copies is None and copies is not None:
        topic.copies = number_of(copies, "spec.replicas")
