"""From files that lie in folders to replicas and log directories: what belongs together, and whose it is.

A log directory is whose its meta.properties says. A dump tells the paths of segments on the broker's own machine; whose
they are say the `log.dirs` of the one broker that has that folder.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO

from . import segments as checkpoints
from .broker_log import UNKNOWN_BROKER, of_dump
from .files import EvidenceFile, Kind
from .place import EvidenceError, Named, OfNamed, Place
from .segments import batches, properties_in

# -- replicas ---------------------------------------------------------------------------------------------------------
# What a broker has on its disks: its log directories, and in them the replicas of partitions.


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Records one behind the other, from the first offset to the last, that leaders of one epoch have appended.

    Where a log was compacted, some of the offsets between may have no record.
    """

    first: int
    last: int
    leader_epoch: int


@dataclass(frozen=True)
class DiskLog(OfNamed):
    """A replica of a partition as its files have it. `name` is the folder or the dump that tells.

    `broker` is UNKNOWN_BROKER where nothing says whose folder it is. `start` and `end` are the first offset and the one
    behind the last, None if no segment is here; there is no `end` either where a segment is damaged. `epochs` is the
    leader-epoch-checkpoint: epochs, and where each begins. The next two are what the checkpoints of the log directory
    say of it; None where they do not. `values` are those of some records: of the offsets that somebody asks for.
    """

    name: str
    broker: int
    topic: str
    number: int
    topic_id: str | None
    stretches: tuple[OffsetRange, ...]
    start: int | None
    end: int | None
    epochs: tuple[tuple[int, int], ...] | None
    high_watermark: int | None
    log_start: int | None
    values: Mapping[int, bytes] = field(default_factory=dict)

    def epoch_at(self, offset: int) -> int | None:
        """The leader epoch in which the record at an offset was appended; None if it has none there."""
        return next((one.leader_epoch for one in self.stretches if one.first <= offset <= one.last), None)


@dataclass(frozen=True)
class LogDirectory:
    """A log directory: whose it is by meta.properties, and whether its broker was shut down cleanly after all else."""

    name: str
    broker: int
    directory_id: str | None
    clean: bool


def lengthen(found: list[OffsetRange], one: OffsetRange) -> None:
    """Add records to others: to the last stretch, if they lie behind that and are of its epoch."""
    if found and found[-1].leader_epoch == one.leader_epoch and found[-1].last + 1 == one.first:
        found[-1] = OffsetRange(found[-1].first, one.last, one.leader_epoch)
    else:
        found.append(one)


# -- data log ---------------------------------------------------------------------------------------------------------
# The segments of a partition: which offsets they have, and the leader epoch of each.
#
# They are read from the files of `T-P/*.log` themselves, or from what `kafka-dump-log` has printed of them.

SEGMENT_NAME = re.compile(r"(\d{20})\.log(?:\.(?:gz|bz2|xz))?$")
"""A segment is named after the first offset that it may have."""

FOLDER = re.compile(r"(?P<topic>[\w.-]{1,249})-(?P<number>\d+)")
"""A folder of a replica."""

METADATA = "__cluster_metadata"

NOT_IN_USE = re.compile(r"\.[0-9a-f]{32}-(?:future|delete|stray)$")
"""Folders of replicas that are being moved, deleted or given up."""

Wanted = Mapping[Named, Set[int]]
"""Of partitions the offsets whose values are wanted."""


@dataclass
class SegmentRead:
    """What a segment has. `start` is the offset after which it is named, or its first; `folder` is where it lies.

    `damaged` says what is wrong with it, if something is: then it may have more than that.
    """

    folder: str
    partition: Named
    start: int
    stretches: list[OffsetRange] = field(default_factory=list)
    values: dict[int, bytes] = field(default_factory=dict)
    damaged: str = ""


def _parent(path: str) -> str:
    return str(PurePosixPath(path).parent)


def partition_of(folder: str) -> Named | None:
    """The partition whose replica a folder is; None if it is none, or not in use."""
    name = PurePosixPath(folder).name
    found = FOLDER.fullmatch(name)
    if found is None or NOT_IN_USE.search(name) or found["topic"] == METADATA:
        return None
    return found["topic"], int(found["number"])


def segment_of(stream: BinaryIO, path: str, name: str, wanted: Wanted) -> SegmentRead | None:
    """A segment file at a path; None if its folder does not say of which partition it is, or is not in use.

    A crash may leave a damaged one: Kafka itself cuts it off there, and so all before is what it has.
    """
    folder = _parent(path)
    partition = partition_of(folder)
    if partition is None:
        return None
    ordered = sorted(wanted.get(partition, ()))
    named = SEGMENT_NAME.search(path)
    read = SegmentRead(folder, partition, int(named[1]) if named is not None else 0)
    try:
        for batch in batches(stream, name):
            asked = ordered[bisect_left(ordered, batch.first) : bisect_right(ordered, batch.last)]
            found = {record.offset: record.value for record in batch.records(name)} if asked else {}
            read.values |= {offset: value for offset in asked if (value := found.get(offset)) is not None}
            lengthen(read.stretches, OffsetRange(batch.first, batch.last, batch.leader_epoch))
    except EvidenceError as error:
        read.damaged = str(error)
    if named is None and read.stretches:
        read.start = read.stretches[0].first
    return read


DUMPING = re.compile(r"Dumping (\S.*)$")
BATCH = re.compile(
    r"baseOffset: (?P<first>\d{1,19}) lastOffset: (?P<last>\d{1,19}) .*?partitionLeaderEpoch: (?P<epoch>-?\d{1,19})"
)
BEGINS = "baseOffset: "
RECORD = re.compile(
    r"\|? ?offset: (?P<offset>\d{1,19}) .*? headerKeys: \[[^\]]*\] (?:key: .*? )?payload: (?P<payload>.*)$"
)
CORRUPT = re.compile(r"isvalid: false")


def segments_of_dump(lines: Iterable[str], name: str, wanted: Wanted) -> Iterator[SegmentRead]:
    """The segments that `kafka-dump-log` has printed, of the partitions that its `Dumping PATH` lines name.

    Raises EvidenceError for a line that is cut off, and for a batch that Kafka itself found damaged.
    """
    now: SegmentRead | None = None
    for number, line in enumerate(map(of_dump, lines), start=1):
        if (opens := DUMPING.match(line)) is not None:
            path = opens[1].strip()
            folder = _parent(path)
            partition, named = partition_of(folder), SEGMENT_NAME.search(path)
            if now is not None:
                yield now
            now = None
            if partition is not None and named is not None:
                now = SegmentRead(folder, partition, int(named[1]))
        elif now is None:
            continue
        elif line.startswith(BEGINS):
            found = BATCH.match(line)
            if found is None or not line.endswith("\n"):
                raise EvidenceError(f"{Place(name, line=number)}: the batch is cut off: {line[:60]!r}")
            if CORRUPT.search(line):
                raise EvidenceError(f"{Place(name, line=number)}: a batch does not agree with its checksum")
            lengthen(now.stretches, OffsetRange(int(found["first"]), int(found["last"]), int(found["epoch"])))
        elif (record := RECORD.match(line)) is not None and int(record["offset"]) in wanted.get(now.partition, ()):
            now.values[int(record["offset"])] = record["payload"].rstrip("\r").encode()
    if now is not None:
        yield now


NODE = ("node.id", "broker.id")
TOPIC_ID = re.compile(r"topic_id: (\S+)")

Offsets = dict[str, dict[Named, int]]
"""A checkpoint of offsets of each log directory."""


@dataclass
class Disks:
    """The files of disks by the folder in which they lie, as they are read one after the other."""

    meta: dict[str, Mapping[str, str]] = field(default_factory=dict)
    clean: set[str] = field(default_factory=set)
    offsets: dict[str, Offsets] = field(default_factory=lambda: {name: {} for name in checkpoints.NAMES[1:]})
    epochs: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    topic_ids: dict[str, str] = field(default_factory=dict)
    segments: list[SegmentRead] = field(default_factory=list)
    dumped: list[tuple[str, SegmentRead]] = field(default_factory=list)
    nodes: list[Mapping[str, str]] = field(default_factory=list)
    """The server.properties of nodes."""

    shown: dict[str, str] = field(default_factory=dict)
    """How a folder is called in reports."""

    def take(self, file: EvidenceFile) -> None:
        """A file of a log directory that is no segment. Raises EvidenceError where it is damaged."""
        folder = self._folder(file)
        match file.kind:
            case Kind.EPOCHS:
                self.epochs[folder] = checkpoints.epochs_in(file.lines(), file.name)
            case Kind.OFFSETS:
                self.offsets[PurePosixPath(file.path).name][folder] = checkpoints.offsets_in(file.lines(), file.name)
            case Kind.PARTITION_METADATA:
                for line in file.lines():
                    if (found := TOPIC_ID.match(line)) is not None:
                        self.topic_ids[folder] = found[1]
            case Kind.META_PROPERTIES:
                self.meta[folder] = properties_in(file.lines())
            case Kind.CLEAN_SHUTDOWN:
                self.clean.add(folder)

    def take_segments(self, file: EvidenceFile, wanted: Wanted) -> bool:
        """A segment, or a dump of several, with the values at some offsets; False if it says of no partition."""
        if file.kind is Kind.SEGMENT:
            one = segment_of(file.stream, file.path, file.name, wanted)
            if one is None:
                return False
            self._folder(file)
            self.segments.append(one)
            return True
        found = [(file.name, one) for one in segments_of_dump(file.lines(), file.name, wanted)]
        self.dumped += found
        return bool(found)

    def _folder(self, file: EvidenceFile) -> str:
        folder = _parent(file.path)
        parent = _parent(file.name)
        self.shown[folder] = PurePosixPath(folder).name if parent == "." else parent
        return folder

    def directories(self) -> tuple[LogDirectory, ...]:
        """The log directories that have a meta.properties, or a checkpoint of offsets."""
        folders = self.meta.keys() | self.clean | {one for said in self.offsets.values() for one in said}
        return tuple(
            LogDirectory(
                self.shown.get(folder, folder),
                self._broker(folder),
                self.meta.get(folder, {}).get("directory.id"),
                folder in self.clean,
            )
            for folder in sorted(folders)
        )

    def replicas(self) -> tuple[DiskLog, ...]:
        """The replicas whose folders are here, or segments of them in a dump.

        What a dump tells of a replica whose segments are here as well is left out.
        """
        folders: dict[str, list[SegmentRead]] = {
            folder: [] for folder in (*self.epochs, *self.topic_ids) if partition_of(folder) is not None
        }
        for one in self.segments:
            folders.setdefault(one.folder, []).append(one)
        dumps: dict[tuple[str, str], list[SegmentRead]] = {}
        for name, one in self.dumped:
            dumps.setdefault((name, one.folder), []).append(one)
        owners = {of: (self._owner(of[1]), parts[0].partition) for of, parts in dumps.items()}
        places = {(self._broker(_parent(folder)), partition_of(folder)): folder for folder in folders}
        told: set[tuple[str, str]] = set()
        for of, parts in sorted(dumps.items()):
            here = places.get(owners[of]) if owners[of][0] != UNKNOWN_BROKER else None
            if here is not None:
                told.add(of)
                folders[here] = folders[here] or parts
        found = []
        for folder, parts in sorted(folders.items()):
            partition = partition_of(folder)
            assert partition is not None  # folders of others are not collected
            found.append(self._assembled(self.shown[folder], self._broker(_parent(folder)), partition, parts, folder))
        for of, parts in sorted(dumps.items()):
            if of not in told:
                found.append(self._assembled(f"{of[0]}: {of[1]}", *owners[of], parts, None))
        return tuple(found)

    def _assembled(
        self, name: str, broker: int, partition: Named, parts: list[SegmentRead], folder: str | None
    ) -> DiskLog:
        """A replica of its segments, in the order of their offsets."""
        order = sorted(parts, key=lambda one: one.start)
        stretches: list[OffsetRange] = []
        for stretch in (stretch for one in order for stretch in one.stretches):
            lengthen(stretches, stretch)
        values = {offset: value for one in order for offset, value in one.values.items()}
        directory = "" if folder is None else _parent(folder)
        said = {kind: self.offsets[kind].get(directory, {}).get(partition) for kind in checkpoints.NAMES[1:]}
        return DiskLog(
            name,
            broker,
            *partition,
            topic_id=self.topic_ids.get(folder or ""),
            stretches=tuple(stretches),
            start=order[0].start if order else None,
            end=_end(order, stretches),
            epochs=self.epochs.get(folder or ""),
            high_watermark=said[checkpoints.HIGH_WATERMARKS],
            log_start=said[checkpoints.LOG_STARTS],
            values=values,
        )

    def _broker(self, directory: str) -> int:
        """Whose log directory it is."""
        said = self.meta.get(directory, {})
        number = next((said[name] for name in NODE if name in said), "")
        return int(number) if re.fullmatch(r"\d{1,10}", number) else UNKNOWN_BROKER

    def _owner(self, folder: str) -> int:
        """The one node that has this folder of a replica in its log.dirs."""
        directory = PurePosixPath(folder).parent
        found = {
            node[name]
            for node in self.nodes
            for name in NODE
            if name in node and directory in [PurePosixPath(one.strip()) for one in _log_dirs(node)]
        }
        (number,) = found if len(found) == 1 else ("",)
        return int(number) if re.fullmatch(r"\d{1,10}", number) else UNKNOWN_BROKER


def _log_dirs(node: Mapping[str, str]) -> list[str]:
    return (node.get("log.dirs") or node.get("log.dir") or "").split(",")


def _end(order: list[SegmentRead], stretches: list[OffsetRange]) -> int | None:
    """The offset behind the last record: an empty newest segment is named after it.

    Where a segment is damaged that is not known: not all of it was read.
    """
    if not order or any(one.damaged for one in order):
        return None
    return max(order[-1].start, stretches[-1].last + 1 if stretches else 0)
