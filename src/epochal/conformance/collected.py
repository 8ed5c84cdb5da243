"""What a collection of evidence has: the metadata log, the version, settings; and what it lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from epochal.evidence.broker_log import BrokerLog
from epochal.evidence.client_history import Acknowledged, ClientHistory, WasRead, history_of
from epochal.evidence.disks import Disks
from epochal.evidence.files import evidence_files, refuse_utf_16
from epochal.evidence.kinds import Kind
from epochal.evidence.metadata_log import (
    MetadataLog,
    MetadataRecord,
    OneOrder,
    records_of_dump,
    records_of_segment,
)
from epochal.evidence.place import EvidenceError, Place
from epochal.evidence.properties import properties_in
from epochal.evidence.quorum_state import QuorumState, quorum_state
from epochal.evidence.replicas import LogDirectory, Named, Replica

from .meter import SILENT, Meter
from .rotated import Logs

ROLES = "process.roles"


@dataclass(frozen=True)
class Collected:
    """The evidence: `read` says how many files of each kind there are, `unread` names those of no known kind.

    `versions` are those that brokers and controllers said they are; `static` the settings in the properties file of a
    controller, or of any node if no controller's is there. `logs` are those in which brokers tell of partitions,
    `histories` are what clients saw, `replicas` and `directories` what brokers have on their disks, with the values of
    the records that clients were told of. `unplaced` are segments and dumps that do not say of which partition they
    are, or of a replica that is not in use. `damaged` says what is wrong with segments. `copies` are files that say
    what others say already, and `copied_lines` counts lines of others that are there twice. `terms` are the versions of
    the nodes that led the metadata quorum, by epoch.
    `zookeeper` is where a line is that only a cluster on ZooKeeper has.
    """

    metadata: MetadataLog | None
    versions: tuple[str, ...]
    static: Mapping[str, str]
    read: Mapping[str, int]
    unread: tuple[str, ...]
    logs: tuple[BrokerLog, ...] = ()
    histories: tuple[ClientHistory, ...] = ()
    replicas: tuple[Replica, ...] = ()
    directories: tuple[LogDirectory, ...] = ()
    quorum: tuple[QuorumState, ...] = ()
    unplaced: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    copied_lines: int = 0
    terms: Mapping[int, str] = field(default_factory=dict)
    zookeeper: Place | None = None

    @property
    def is_of_zookeeper(self) -> bool:
        """Whether it is of a cluster on ZooKeeper. With a metadata log it is one that moves to KRaft."""
        return self.zookeeper is not None and self.metadata is None


SEGMENTS = (Kind.SEGMENT, Kind.DATA_DUMP)
"""What is read last: of which records the values are wanted the histories of clients say."""


def collected(paths: Sequence[Path], meter: Meter = SILENT) -> Collected:
    """Read every file below these paths. Raises EvidenceError for what is damaged, and where nothing is found."""
    metadata = OneOrder()
    snapshots: list[list[MetadataRecord]] = []
    logs = Logs()
    histories: list[ClientHistory] = []
    quorum: list[QuorumState] = []
    disks = Disks()
    properties: list[dict[str, str]] = []
    read: Counter[str] = Counter()
    unread: list[str] = []
    for file in evidence_files(paths, meter.took):
        if file.kind is None:
            refuse_utf_16(file.name, file.head(), file.path)
            unread.append(file.name)
            continue
        read[file.kind.value] += 1
        match file.kind:
            case Kind.METADATA:
                metadata.take(records_of_segment(file.stream, file.name))
            case Kind.METADATA_DUMP:
                metadata.take(records_of_dump(file.lines(), file.name))
            case Kind.SNAPSHOT:
                snapshots.append(list(records_of_segment(file.stream, file.name)))
            case Kind.LOG:
                logs.take(file)
            case Kind.PROPERTIES:
                properties.append(properties_in(file.lines()))
            case Kind.HISTORY:
                histories.append(history_of(file.lines(), file.name))
            case Kind.QUORUM_STATE:
                quorum.append(quorum_state(file.stream.read(), file.name))
            case Kind.SEGMENT | Kind.DATA_DUMP:
                continue
            case _:
                disks.take(file)
    if not read:
        raise EvidenceError(
            "nothing here is a file that Kafka writes",
            "Give the folder of __cluster_metadata-0, of logs, or what kafka-dump-log has printed.",
        )
    disks.nodes += properties
    unplaced: list[str] = []
    if any(kind.value in read for kind in SEGMENTS):
        wanted = _told(histories)
        segments = (file for file in evidence_files(paths, meter.took) if file.kind in SEGMENTS)
        unplaced = [file.name for file in segments if not disks.take_segments(file, wanted)]
    controllers = [one for one in properties if "controller" in one.get(ROLES, "")]
    joined = logs.joined()
    return Collected(
        metadata=_log(metadata.records(), snapshots),
        versions=tuple(sorted(logs.versions())),
        static=next(iter(controllers or properties), {}),
        read=dict(read),
        unread=tuple(unread),
        logs=joined,
        histories=tuple(histories),
        replicas=disks.replicas(),
        directories=disks.directories(),
        quorum=tuple(quorum),
        unplaced=tuple(unplaced),
        copies=tuple(sorted(logs.copies)),
        copied_lines=logs.copied,
        terms=logs.terms(),
        zookeeper=logs.zookeeper,
        damaged=tuple(sorted(one.damaged for one in disks.segments if one.damaged)),
    )


def _told(histories: Iterable[ClientHistory]) -> dict[Named, set[int]]:
    """The offsets of each partition of which clients say what is there."""
    found: dict[Named, set[int]] = {}
    for line in (line for one in histories for line in one.lines):
        if isinstance(line.event, Acknowledged | WasRead) and line.event.offset is not None:
            found.setdefault((line.event.topic, line.event.number), set()).add(line.event.offset)
    return found


def _log(records: tuple[MetadataRecord, ...], snapshots: list[list[MetadataRecord]]) -> MetadataLog | None:
    """The log in one order. Where its beginning is gone the first snapshot behind that stands for it, if the log goes
    on after the snapshot."""
    if not records:
        return None
    if records[0].offset == 0:
        return MetadataLog(records)
    first, last = records[0].offset, records[-1].offset
    usable = [one for one in snapshots if (end := _end(one)) is not None and first <= end <= last]
    if not usable:
        return MetadataLog(records)
    chosen = min(usable, key=lambda one: (_end(one), one[0].place.file))
    end = _end(chosen)
    assert end is not None  # it is usable
    return MetadataLog(tuple(record for record in records if record.offset >= end), tuple(chosen))


SNAPSHOT_NAME = re.compile(r"(\d{20})-(\d{10})\.checkpoint$")


def _end(snapshot: list[MetadataRecord]) -> int | None:
    """The first offset that is not in a snapshot, which its file's name says; None of a bootstrap snapshot."""
    found = SNAPSHOT_NAME.search(snapshot[0].place.file) if snapshot else None
    return None if found is None else int(found[1])
