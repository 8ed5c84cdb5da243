"""Disks in the evidence: log directories that fail, are missing, are new or come back, and replicas without their log.

KIP-858 gives every log directory a name in its meta.properties, by which registrations tell of it (JBOD).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from epochal.evidence.broker_events import PartitionMade, RoleKept, RoleTaken
from epochal.evidence.broker_log import BrokerLog
from epochal.evidence.metadata_log import MetadataLog, MetadataRecord
from epochal.evidence.place import partition_named
from epochal.evidence.replicas import LogDirectory

from .findings import finding
from .held import Known
from .image import Image
from .noticed import Noticed
from .partition_history import Life

FAILED, REPLACED = "KIP-858", finding("H4").name

MOST_NAMED = 5
"""How many partitions of a directory are named."""


def lost_disks(log: MetadataLog, directories: Iterable[LogDirectory]) -> Iterator[Noticed]:
    """What the registrations of brokers say of their log directories. `directories` tell where one with a name lies."""
    lie = {one.directory_id: one.name for one in directories if one.directory_id is not None}
    image, seen = Image(), dict[int, set[str]]()
    for record in (*log.begins_with, *log.records):
        if record.kind in ("BROKER_REGISTRATION_CHANGE_RECORD", "REGISTER_BROKER_RECORD"):
            broker = record.data["brokerId"]
            for about, says in _said(record, image, seen.setdefault(broker, set()), lie):
                yield Noticed(record.place, record.offset, f"broker {broker}", about, says)
            seen[broker] |= set(record.data.get("logDirs") or ())
        image.apply(record)


def _said(record: MetadataRecord, image: Image, seen: set[str], lie: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What a record about a broker says of its disks, and the finding that it is about."""
    broker = record.data["brokerId"]
    if record.kind == "BROKER_REGISTRATION_CHANGE_RECORD":
        for directory in sorted(image.lost_directories(record)):
            yield FAILED, f"lost the log directory {_named(directory, lie)}: {_lying(image, broker, directory)}"
        return
    known, now = image.brokers.get(broker), frozenset(record.data.get("logDirs") or ())
    if known is None or not known.directories or not now:
        return
    for directory in sorted(known.directories - now):
        lying = _lying(image, broker, directory)
        yield REPLACED, f"registers without the log directory {_named(directory, lie)} that it had: {lying}"
    for directory in sorted(now - known.directories):
        back = directory in seen
        yield (
            FAILED if back else REPLACED,
            f"has the log directory {_named(directory, lie)} again"
            if back
            else f"registers with a new log directory {_named(directory, lie)}, which has no records yet",
        )


def _named(directory: str, lie: Mapping[str, str]) -> str:
    return f"{directory} ({lie[directory]})" if directory in lie else directory


def _lying(image: Image, broker: int, directory: str) -> str:
    """The replicas in a directory."""
    there = [of for of in image.partitions_of(broker) if image.partitions[of].directory(broker) == directory]
    if not there:
        return "no replica is in it"
    named = ", ".join(image.name_of(of) for of in there[:MOST_NAMED])
    more = f" and {len(there) - MOST_NAMED:,} more" if len(there) > MOST_NAMED else ""
    return f"its replicas of {named}{more} are not there"


def lost_folders(logs: Iterable[BrokerLog], known: Known) -> Iterator[Noticed]:
    """A replica whose log is empty when its broker starts, and was not before: its folder is gone, or its disk is new.

    Whether the process before was shut down in good order stands in another file. A crash loses what was not flushed,
    which seldom is everything. A replica that was taken away in between is made anew as well.
    """
    for log in logs:
        had: dict[_Of, _Had] = {}
        made: dict[_Of, str] = {}
        fresh: set[_Of] = set()
        for one in log.events:
            event = one.event
            if not isinstance(event, (PartitionMade, RoleTaken, RoleKept)):
                continue
            of = (one.broker, event.topic, event.number)
            if isinstance(event, PartitionMade):
                if made.setdefault(of, event.topic_id) != event.topic_id:
                    had.pop(of, None)
                made[of] = event.topic_id
                fresh.add(of)
                continue
            before = had.get(of, _Had(0, event.partition_epoch))
            if isinstance(event, RoleTaken) and of in fresh and event.offset == 0 < before.high_watermark:
                life = next((life for life in known.history.get(of[1:], []) if life.topic_id == made[of]), None)
                if life is not None and _stayed(one.broker, before.partition_epoch, event.partition_epoch, life):
                    says = (
                        f"broker {one.broker} starts with an empty log, and had a high watermark of "
                        f"{before.high_watermark} before: the folder of its replica is gone, or the disk is new"
                    )
                    yield Noticed(one.place, None, partition_named(event.topic, event.number), REPLACED, says)
            kept = before.high_watermark if event.high_watermark is None else event.high_watermark
            had[of] = _Had(kept, event.partition_epoch)
            fresh.discard(of)


_Of = tuple[int, str, int]
"""A broker's replica of a partition."""


class _Had(NamedTuple):
    """The high watermark that a replica last said, and when."""

    high_watermark: int
    partition_epoch: int


def _stayed(broker: int, before: int, after: int, life: Life) -> bool:
    """Whether a broker had its replica all the time between two partition epochs."""
    return all(epoch in life.at and broker in life.at[epoch].replicas for epoch in range(before, after + 1))
