"""The records of the metadata log that say something of brokers and partitions, and how they are written.

Fields by version and tag as in Kafka's `metadata/src/main/resources/common/metadata`, 3.9 to 4.4. A record becomes what
`kafka-dump-log --cluster-metadata-decoder` prints of it: the name of its type and its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import wire
from .wire import Read, array, boolean, int8, int16, int32, int64, string, uint16, unsigned, uuid

FRAME_VERSION = 1
"""The version of the frame around each record (AbstractApiMessageSerde)."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record: since which version, and its tag if it is a tagged one."""

    name: str
    read: Read
    since: int = 0
    tag: int | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """A type of record: its name, the newest version that is known, and its fields."""

    name: str
    newest: int
    fields: tuple[Field, ...]


def _struct(*fields: tuple[str, Read]) -> Read:
    """A structure in an array, with tagged fields that nobody uses yet."""

    def read(data: bytes, at: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        for name, of in fields:
            found[name], at = of(data, at)
        return found, _skip_tags(data, at)

    return read


def _skip_tags(data: bytes, at: int) -> int:
    count, at = unsigned(data, at)
    for _ in range(count):
        _, at = unsigned(data, at)
        size, at = unsigned(data, at)
        at += size
    return at


_brokers, _uuids = array(int32), array(uuid)
_endpoints = array(_struct(("name", string), ("host", string), ("port", uint16), ("securityProtocol", int16)))
_features = array(_struct(("name", string), ("minSupportedVersion", int16), ("maxSupportedVersion", int16)))

SCHEMAS: Mapping[int, Schema] = {
    0: Schema(
        "REGISTER_BROKER_RECORD",
        4,
        (
            Field("brokerId", int32),
            Field("isMigratingZkBroker", boolean, since=2),
            Field("incarnationId", uuid),
            Field("brokerEpoch", int64),
            Field("endPoints", _endpoints),
            Field("features", _features),
            Field("rack", string),
            Field("fenced", boolean),
            Field("inControlledShutdown", boolean, since=1),
            Field("logDirs", _uuids, since=3, tag=0),
            Field("cordonedLogDirs", _uuids, since=4, tag=1),
        ),
    ),
    1: Schema("UNREGISTER_BROKER_RECORD", 0, (Field("brokerId", int32), Field("brokerEpoch", int64))),
    2: Schema("TOPIC_RECORD", 0, (Field("name", string), Field("topicId", uuid))),
    3: Schema(
        "PARTITION_RECORD",
        2,
        (
            Field("partitionId", int32),
            Field("topicId", uuid),
            Field("replicas", _brokers),
            Field("isr", _brokers),
            Field("removingReplicas", _brokers),
            Field("addingReplicas", _brokers),
            Field("leader", int32),
            Field("leaderRecoveryState", int8, tag=0),
            Field("leaderEpoch", int32),
            Field("partitionEpoch", int32),
            Field("directories", _uuids, since=1),
            Field("eligibleLeaderReplicas", _brokers, since=2, tag=1),
            Field("lastKnownElr", _brokers, since=2, tag=2),
        ),
    ),
    4: Schema(
        "CONFIG_RECORD",
        0,
        (Field("resourceType", int8), Field("resourceName", string), Field("name", string), Field("value", string)),
    ),
    5: Schema(
        "PARTITION_CHANGE_RECORD",
        2,
        (
            Field("partitionId", int32),
            Field("topicId", uuid),
            Field("isr", _brokers, tag=0),
            Field("leader", int32, tag=1),
            Field("replicas", _brokers, tag=2),
            Field("removingReplicas", _brokers, tag=3),
            Field("addingReplicas", _brokers, tag=4),
            Field("leaderRecoveryState", int8, tag=5),
            Field("eligibleLeaderReplicas", _brokers, since=2, tag=6),
            Field("lastKnownElr", _brokers, since=2, tag=7),
            Field("directories", _uuids, since=1, tag=8),
        ),
    ),
    9: Schema("REMOVE_TOPIC_RECORD", 0, (Field("topicId", uuid),)),
    12: Schema("FEATURE_LEVEL_RECORD", 0, (Field("name", string), Field("featureLevel", int16))),
    17: Schema(
        "BROKER_REGISTRATION_CHANGE_RECORD",
        3,
        (
            Field("brokerId", int32),
            Field("brokerEpoch", int64),
            Field("fenced", int8, tag=0),
            Field("inControlledShutdown", int8, since=1, tag=1),
            Field("logDirs", _uuids, since=2, tag=2),
            Field("cordonedLogDirs", _uuids, since=3, tag=3),
        ),
    ),
    20: Schema("NO_OP_RECORD", 0, ()),
    23: Schema("BEGIN_TRANSACTION_RECORD", 0, (Field("name", string, tag=0),)),
    24: Schema("END_TRANSACTION_RECORD", 0, ()),
    25: Schema("ABORT_TRANSACTION_RECORD", 0, (Field("reason", string, tag=0),)),
    28: Schema("CLEAR_ELR_RECORD", 0, (Field("topicName", string),)),
}
"""The types of record by their number. The others (quotas, users, tokens, controllers) say nothing of partitions."""


def decoded(value: bytes) -> tuple[str, dict[str, Any]]:
    """The type and the fields of a record; of a type that is not needed its number, and no fields.

    Raises ValueError if it is no such record, or of a version that is newer than those known.
    """
    try:
        return _decoded(value)
    except IndexError:
        raise ValueError("the record is too short") from None


def _decoded(value: bytes) -> tuple[str, dict[str, Any]]:
    frame, at = unsigned(value, 0)
    if frame != FRAME_VERSION:
        raise ValueError(f"no record of metadata: its frame has version {frame}, not {FRAME_VERSION}")
    number, at = unsigned(value, at)
    version, at = unsigned(value, at)
    schema = SCHEMAS.get(number)
    if schema is None:
        return f"type {number}", {}
    if version > schema.newest:
        raise ValueError(f"{schema.name} has version {version}; the newest known is {schema.newest}")
    found: dict[str, Any] = {}
    tags = {}
    for field in schema.fields:
        if field.tag is not None:
            tags[field.tag] = field
        elif field.since <= version:
            found[field.name], at = field.read(value, at)
    count, at = wire.unsigned(value, at)
    for _ in range(count):
        tag, at = unsigned(value, at)
        size, at = unsigned(value, at)
        if (known := tags.get(tag)) is not None:
            found[known.name], _ = known.read(value, at)
        at += size
    if at != len(value):
        raise ValueError(f"{schema.name} has {len(value)} bytes, of which {at} are its fields")
    return schema.name, found
