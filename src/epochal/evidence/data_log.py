"""The segments of a partition: which offsets they have, and the leader epoch of each.

They are read from the files of `T-P/*.log` themselves, or from what `kafka-dump-log` has printed of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from .layouts import of_dump
from .place import EvidenceError, Place
from .replicas import Named, Stretch, joined
from .segments import batches

SEGMENT_NAME = re.compile(r"(\d{20})\.log(?:\.(?:gz|bz2|xz))?$")
"""A segment is named after the first offset that it may have."""

FOLDER = re.compile(r"(?P<topic>[\w.-]{1,249})-(?P<number>\d+)")
"""A folder of a replica."""

METADATA = "__cluster_metadata"

NOT_IN_USE = re.compile(r"\.[0-9a-f]{32}-(?:future|delete|stray)$")
"""Folders of replicas that are being moved, deleted or given up."""

Wanted = Mapping[Named, Set[int]]
"""Of partitions the offsets whose values are wanted."""


@dataclass(frozen=True)
class SegmentRead:
    """What a segment has. `start` is the offset after which it is named, or its first; `folder` is where it lies.

    `damaged` says what is wrong with it, if something is: then it may have more than that.
    """

    folder: str
    partition: Named
    start: int
    stretches: tuple[Stretch, ...]
    values: dict[int, bytes]
    damaged: str = ""


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
    folder = str(PurePosixPath(path).parent)
    partition = partition_of(folder)
    if partition is None:
        return None
    ordered = sorted(wanted.get(partition, ()))
    stretches: list[Stretch] = []
    values: dict[int, bytes] = {}
    damaged = ""
    try:
        for batch in batches(stream, name):
            asked = ordered[bisect_left(ordered, batch.first) : bisect_right(ordered, batch.last)]
            found = {record.offset: record.value for record in batch.records(name)} if asked else {}
            values |= {offset: value for offset in asked if (value := found.get(offset)) is not None}
            stretches.append(Stretch(batch.first, batch.last, batch.leader_epoch))
    except EvidenceError as error:
        damaged = str(error)
    named = SEGMENT_NAME.search(path)
    start = int(named[1]) if named is not None else stretches[0].first if stretches else 0
    return SegmentRead(folder, partition, start, joined(stretches), values, damaged)


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
    stretches: list[Stretch] = []
    for number, line in enumerate(map(of_dump, lines), start=1):
        if (opens := DUMPING.match(line)) is not None:
            if now is not None:
                yield _closed(now, stretches)
            path = opens[1].strip()
            folder = str(PurePosixPath(path).parent)
            partition, named = partition_of(folder), SEGMENT_NAME.search(path)
            now = None
            if partition is not None and named is not None:
                now = SegmentRead(folder, partition, int(named[1]), (), {})
            stretches = []
        elif now is None:
            continue
        elif line.startswith(BEGINS):
            found = BATCH.match(line)
            if found is None or not line.endswith("\n"):
                raise EvidenceError(f"{Place(name, line=number)}: the batch is cut off: {line[:60]!r}")
            if CORRUPT.search(line):
                raise EvidenceError(f"{Place(name, line=number)}: a batch does not agree with its checksum")
            stretches.append(Stretch(int(found["first"]), int(found["last"]), int(found["epoch"])))
        elif (record := RECORD.match(line)) is not None and int(record["offset"]) in wanted.get(now.partition, ()):
            now.values[int(record["offset"])] = record["payload"].rstrip("\r").encode()
    if now is not None:
        yield _closed(now, stretches)


def _closed(one: SegmentRead, stretches: list[Stretch]) -> SegmentRead:
    return SegmentRead(one.folder, one.partition, one.start, joined(stretches), one.values)
