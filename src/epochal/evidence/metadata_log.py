"""The metadata log: what the controller has decided, in its order, from whatever file tells it.

It is read from the files of `__cluster_metadata-0` themselves, segments and snapshots, or from what
`kafka-dump-log --cluster-metadata-decoder` has printed of them.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import msgspec

from .layouts import of_dump
from .metadata_schema import SCHEMAS, decoded
from .place import EvidenceError, Place
from .segments import stored_records

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
