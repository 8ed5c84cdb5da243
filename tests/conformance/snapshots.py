"""Metadata logs that begin with a snapshot, made of those that begin at the beginning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epochal.kafka.evidence.metadata_log import MetadataLog, MetadataRecord
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.image import Image


def beginning_at(records: Sequence[MetadataRecord], first: int) -> MetadataLog:
    """The log from its record with this number on: what was before is in a snapshot, as SnapshotGenerator writes it."""
    image = Image()
    for record in records[:first]:
        image.apply(record)
    said: list[tuple[str, dict[str, Any]]] = [
        ("FEATURE_LEVEL_RECORD", {"name": name, "featureLevel": level}) for name, level in image.features.items()
    ]
    for broker, known in image.brokers.items():
        told = {"fenced": known.fenced, "inControlledShutdown": known.shutting_down, "logDirs": [*known.directories]}
        said.append(("REGISTER_BROKER_RECORD", {"brokerId": broker, "brokerEpoch": known.epoch, **told}))
    for topic, name in image.topics.items():
        said.append(("TOPIC_RECORD", {"topicId": topic, "name": name}))
    for (topic, number), one in image.partitions.items():
        last = [] if one.last_known_leader is None else [one.last_known_leader]
        epochs = {"leaderEpoch": one.leader_epoch, "partitionEpoch": one.partition_epoch}
        lists = {"isr": [*one.isr], "addingReplicas": [*one.adding], "removingReplicas": [*one.removing]}
        lists |= {"eligibleLeaderReplicas": [*one.elr], "lastKnownElr": last, "replicas": [*one.replicas]}
        leader = {"leader": -1 if one.leader is None else one.leader, "leaderRecoveryState": int(one.recovering)}
        said.append(
            (
                "PARTITION_RECORD",
                {
                    "topicId": topic,
                    "partitionId": number,
                    **epochs,
                    **lists,
                    **leader,
                    "directories": [*one.directories],
                },
            )
        )
    for (kind, name), settings in image.configs.items():
        of = {"resourceType": kind, "resourceName": name}
        said += [("CONFIG_RECORD", {**of, "name": key, "value": value}) for key, value in settings.items()]
    snapshot = (
        MetadataRecord(offset, 1, kind, data, Place("snapshot.checkpoint", offset=offset))
        for offset, (kind, data) in enumerate(said)
    )
    return MetadataLog(tuple(records[first:]), tuple(snapshot))
