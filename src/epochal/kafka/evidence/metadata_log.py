"""The metadata log: what the controller has decided, in its order, from whatever file tells it.

It is read from the files of `__cluster_metadata-0` themselves, segments and snapshots, or from what
`kafka-dump-log --cluster-metadata-decoder` has printed of them.
"""

from __future__ import annotations

import base64
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import msgspec

from .broker_log import of_dump
from .place import EvidenceError, Place
from .segments import stored_records

# -- wire -------------------------------------------------------------------------------------------------------------
# How Kafka writes plain values: the flexible encoding of its messages (KIP-482).

Read = Callable[[bytes, int], tuple[Any, int]]
"""Reads a value at a position: the value, and the position behind it."""


def unsigned(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned number of variable length, seven bits a byte, the least first."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")


def _signed(size: int) -> Read:
    def read(data: bytes, at: int) -> tuple[int, int]:
        end = at + size
        if end > len(data):
            raise ValueError("the record is too short")
        return int.from_bytes(data[at:end], "big", signed=True), end

    return read


int8, int16, int32, int64 = (_signed(size) for size in (1, 2, 4, 8))


def uint16(data: bytes, at: int) -> tuple[int, int]:
    """A port."""
    value, at = int16(data, at)
    return value & 0xFFFF, at


def boolean(data: bytes, at: int) -> tuple[bool, int]:
    """True or false, in one byte."""
    value, at = int8(data, at)
    return value != 0, at


def uuid(data: bytes, at: int) -> tuple[str, int]:
    """A Uuid as Kafka prints it: URL-safe base64 without padding."""
    end = at + 16
    if end > len(data):
        raise ValueError("the record is too short")
    return base64.urlsafe_b64encode(data[at:end]).decode("ascii").rstrip("="), end


def string(data: bytes, at: int) -> tuple[str | None, int]:
    """A compact string; None if it is null."""
    length, at = unsigned(data, at)
    if length == 0:
        return None, at
    end = at + length - 1
    if end > len(data):
        raise ValueError("the record is too short")
    return data[at:end].decode("utf-8"), end


def array(of: Read) -> Read:
    """A compact array; None if it is null."""

    def read(data: bytes, at: int) -> tuple[list[Any] | None, int]:
        length, at = unsigned(data, at)
        if length == 0:
            return None, at
        if length > len(data):
            raise ValueError("an array is longer than the record")
        values = []
        for _ in range(length - 1):
            value, at = of(data, at)
            values.append(value)
        return values, at

    return read


# -- metadata schema --------------------------------------------------------------------------------------------------
# The records of the metadata log that say something of brokers and partitions, and how they are written.
#
# Fields by version and tag as in Kafka's `metadata/src/main/resources/common/metadata`, 3.9 to 4.4. A record becomes
# what `kafka-dump-log --cluster-metadata-decoder` prints of it: the name of its type and its fields.

FRAME_VERSION = 1
"""The version of the frame around each record (AbstractApiMessageSerde)."""


@dataclass(frozen=True, slots=True)
class WireField:
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
    fields: tuple[WireField, ...]


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
            WireField("brokerId", int32),
            WireField("isMigratingZkBroker", boolean, since=2),
            WireField("incarnationId", uuid),
            WireField("brokerEpoch", int64),
            WireField("endPoints", _endpoints),
            WireField("features", _features),
            WireField("rack", string),
            WireField("fenced", boolean),
            WireField("inControlledShutdown", boolean, since=1),
            WireField("logDirs", _uuids, since=3, tag=0),
            WireField("cordonedLogDirs", _uuids, since=4, tag=1),
        ),
    ),
    1: Schema("UNREGISTER_BROKER_RECORD", 0, (WireField("brokerId", int32), WireField("brokerEpoch", int64))),
    2: Schema("TOPIC_RECORD", 0, (WireField("name", string), WireField("topicId", uuid))),
    3: Schema(
        "PARTITION_RECORD",
        2,
        (
            WireField("partitionId", int32),
            WireField("topicId", uuid),
            WireField("replicas", _brokers),
            WireField("isr", _brokers),
            WireField("removingReplicas", _brokers),
            WireField("addingReplicas", _brokers),
            WireField("leader", int32),
            WireField("leaderRecoveryState", int8, tag=0),
            WireField("leaderEpoch", int32),
            WireField("partitionEpoch", int32),
            WireField("directories", _uuids, since=1),
            WireField("eligibleLeaderReplicas", _brokers, since=2, tag=1),
            WireField("lastKnownElr", _brokers, since=2, tag=2),
        ),
    ),
    4: Schema(
        "CONFIG_RECORD",
        0,
        (
            WireField("resourceType", int8),
            WireField("resourceName", string),
            WireField("name", string),
            WireField("value", string),
        ),
    ),
    5: Schema(
        "PARTITION_CHANGE_RECORD",
        2,
        (
            WireField("partitionId", int32),
            WireField("topicId", uuid),
            WireField("isr", _brokers, tag=0),
            WireField("leader", int32, tag=1),
            WireField("replicas", _brokers, tag=2),
            WireField("removingReplicas", _brokers, tag=3),
            WireField("addingReplicas", _brokers, tag=4),
            WireField("leaderRecoveryState", int8, tag=5),
            WireField("eligibleLeaderReplicas", _brokers, since=2, tag=6),
            WireField("lastKnownElr", _brokers, since=2, tag=7),
            WireField("directories", _uuids, since=1, tag=8),
        ),
    ),
    9: Schema("REMOVE_TOPIC_RECORD", 0, (WireField("topicId", uuid),)),
    12: Schema("FEATURE_LEVEL_RECORD", 0, (WireField("name", string), WireField("featureLevel", int16))),
    17: Schema(
        "BROKER_REGISTRATION_CHANGE_RECORD",
        3,
        (
            WireField("brokerId", int32),
            WireField("brokerEpoch", int64),
            WireField("fenced", int8, tag=0),
            WireField("inControlledShutdown", int8, since=1, tag=1),
            WireField("logDirs", _uuids, since=2, tag=2),
            WireField("cordonedLogDirs", _uuids, since=3, tag=3),
        ),
    ),
    20: Schema("NO_OP_RECORD", 0, ()),
    23: Schema("BEGIN_TRANSACTION_RECORD", 0, (WireField("name", string, tag=0),)),
    24: Schema("END_TRANSACTION_RECORD", 0, ()),
    25: Schema("ABORT_TRANSACTION_RECORD", 0, (WireField("reason", string, tag=0),)),
    28: Schema("CLEAR_ELR_RECORD", 0, (WireField("topicName", string),)),
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
    for one in schema.fields:
        if one.tag is not None:
            tags[one.tag] = one
        elif one.since <= version:
            found[one.name], at = one.read(value, at)
    count, at = unsigned(value, at)
    for _ in range(count):
        tag, at = unsigned(value, at)
        size, at = unsigned(value, at)
        if (known := tags.get(tag)) is not None:
            found[known.name], _ = known.read(value, at)
        at += size
    if at != len(value):
        raise ValueError(f"{schema.name} has {len(value)} bytes, of which {at} are its fields")
    return schema.name, found


JUDGED = frozenset(schema.name for schema in SCHEMAS.values())
"""The types of record whose fields are read from segments, too."""

NEEDED: Mapping[str, Mapping[str, type]] = {
    "REGISTER_BROKER_RECORD": {"brokerId": int, "brokerEpoch": int, "fenced": bool},
    "UNREGISTER_BROKER_RECORD": {"brokerId": int},
    "TOPIC_RECORD": {"name": str, "topicId": str},
    "PARTITION_RECORD": {
        "topicId": str,
        "partitionId": int,
        "replicas": list,
        "isr": list,
        **dict.fromkeys(("leader", "leaderEpoch", "partitionEpoch"), int),
    },
    "CONFIG_RECORD": {"resourceType": int, "resourceName": str, "name": str},
    "PARTITION_CHANGE_RECORD": {"topicId": str, "partitionId": int},
    "REMOVE_TOPIC_RECORD": {"topicId": str},
    "FEATURE_LEVEL_RECORD": {"name": str, "featureLevel": int},
    "BROKER_REGISTRATION_CHANGE_RECORD": {"brokerId": int, "brokerEpoch": int},
}
"""The fields that a dump must have: a segment always has them."""

LEADER_CHANGE = "LEADER_CHANGE"
"""The mark with which a leader of the metadata quorum begins its epoch."""


@dataclass(frozen=True, slots=True)
class MetadataRecord:
    """A record of the metadata log: its type and fields as `kafka-dump-log` prints them, and where it stands.

    `epoch` is that of the controller that wrote it, -1 where a dump does not say.
    """

    offset: int
    epoch: int
    kind: str
    data: Mapping[str, Any]
    place: Place


@dataclass(frozen=True)
class MetadataLog:
    """Records one after the other. `begins_with` are those of a snapshot that stands for all before the first."""

    records: tuple[MetadataRecord, ...]
    begins_with: tuple[MetadataRecord, ...] = field(default=())

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing before the first record."""
        return bool(self.begins_with) or (bool(self.records) and self.records[0].offset == 0)


def records_of_segment(stream: BinaryIO, name: str) -> Iterator[MetadataRecord]:
    """The records of a segment or a snapshot. Raises EvidenceError where it cannot be read."""
    topics: dict[str, str] = {}
    for record in stored_records(stream, name):
        place = Place(name, offset=record.offset)
        if record.control:
            yield MetadataRecord(record.offset, record.epoch, LEADER_CHANGE, {}, place)
            continue
        try:
            kind, data = decoded(record.value or b"")
        except ValueError as error:
            raise EvidenceError(f"{place}: {error}", "Is it a segment of __cluster_metadata-0?") from error
        _share(data, topics)
        yield MetadataRecord(record.offset, record.epoch, kind, data, place)


BEGINS = "baseOffset: "
BATCH = re.compile(r"baseOffset: \d+ lastOffset: \d+ .*?partitionLeaderEpoch: (-?\d{1,19})")
LINE = re.compile(
    r"\|? ?offset: (\d{1,19}) .*?(?:payload: (.*)|headerKeys: \[\] (?:controlType: (\w+)|([A-Z]\w+):? \{).*)$"
)
"""A record. A mark of Kafka's own has a name: `controlType: LEADER_CHANGE(2)`; since 4.1 `LeaderChange: {...}`, and
in a quorum whose voters may change (KIP-853) `KRaftVersion {...}` and `KRaftVoters {...}`."""


def records_of_dump(lines: Iterable[str], name: str) -> Iterator[MetadataRecord]:
    """The records that `kafka-dump-log --cluster-metadata-decoder` has printed.

    Raises EvidenceError for a line that is cut off.
    """
    epoch = -1
    topics: dict[str, str] = {}
    for number, line in enumerate(map(of_dump, lines), start=1):
        if line.startswith(BEGINS):
            epoch = int(batch[1]) if (batch := BATCH.match(line)) is not None else -1
        elif (found := LINE.match(line)) is not None:
            place = Place(name, line=number)
            if found[2] is None:
                mark = found[3] or found[4]
                kind = LEADER_CHANGE if mark == "LeaderChange" else mark
                yield MetadataRecord(int(found[1]), epoch, kind, {}, place)
                continue
            kind, data = _payload(found[2].strip(), place)
            _share(data, topics)
            yield MetadataRecord(int(found[1]), epoch, kind, data, place)


def _share(data: dict[str, Any], topics: dict[str, str]) -> None:
    """Have one text for all records of a topic."""
    if isinstance(topic := data.get("topicId"), str):
        data["topicId"] = topics.setdefault(topic, topic)


def _payload(text: str, place: Place) -> tuple[str, dict[str, Any]]:
    """Type and fields, from JSON."""
    try:
        payload = msgspec.json.decode(text)
        kind, data = sys.intern(payload["type"]), dict(payload["data"])
    except (msgspec.DecodeError, ValueError, KeyError, TypeError) as error:
        raise EvidenceError(f"{place}: the record is cut off or no JSON: {text[:60]!r}") from error
    for name, of in NEEDED.get(kind, {}).items():
        if not isinstance(data.get(name), of):
            raise EvidenceError(f"{place}: {kind} has no {name} that can be read: {str(data.get(name))[:40]}")
    return kind, data


class OneOrder:
    """The records of several files: each offset once.

    Copies of the log by several nodes may overlap; the longest tells most. A copy is held against what is known, record
    by record, and not kept.
    """

    def __init__(self) -> None:
        self._found: dict[int, MetadataRecord] = {}

    def take(self, records: Iterable[MetadataRecord]) -> None:
        """One file. Raises EvidenceError where it disagrees with another one about an offset."""
        for record in records:
            known = self._found.setdefault(record.offset, record)
            if record.kind in JUDGED and (known.kind, known.data) != (record.kind, record.data):
                raise EvidenceError(
                    f"{record.place}: {known.place} has another record at offset {record.offset}",
                    "Are both of one cluster?",
                )

    def records(self) -> tuple[MetadataRecord, ...]:
        """All of them in order. Raises EvidenceError where offsets are missing between two files."""
        order = sorted(self._found)
        for before, after in itertools.pairwise(order):
            if after != before + 1:
                raise EvidenceError(
                    f"{self._found[after].place}: offsets {before + 1} to {after - 1} are missing before it",
                    "Give all segments of the log, or leave out those before the gap.",
                )
        return tuple(self._found[offset] for offset in order)
