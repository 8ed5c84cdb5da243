"""Segments of Kafka's logs: batches, and the records in them (message format 2)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from kafka.errors import CorruptRecordError, UnsupportedCodecError
from kafka.record.memory_records import MemoryRecords

from .place import EvidenceError

HEADER = struct.Struct(">qiibIhiqqqhii")
"""The header of a batch: the magic number is the byte at 16."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record of a log: its offset, the epoch of the leader that appended it, and its content.

    `control` says whether it is one of Kafka's own marks: a change of leader in the metadata log, the end of a
    transaction in a partition.
    """

    offset: int
    epoch: int
    control: bool
    key: bytes | None
    value: bytes | None


def stored_records(content: bytes, name: str) -> Iterator[StoredRecord]:
    """The records of a segment, or of a snapshot of metadata, in their order. `name` is for messages.

    A batch at the end that was not written whole, as after a crash, is no record. Raises EvidenceError for a batch that
    does not agree with its checksum, and for what is no segment at all.
    """
    last: int | None = None
    try:
        batches = MemoryRecords(content)
        while (batch := batches.next_batch()) is not None:
            if batch.magic != 2:
                raise EvidenceError(f"{name}: message format {batch.magic}, of a Kafka before 0.11, is not read")
            if not batch.validate_crc():
                raise EvidenceError(f"{name}: {_after(last)}a batch does not agree with its checksum")
            control = bool(batch.is_control_batch)
            for record in batch:
                last = record.offset
                yield StoredRecord(record.offset, batch.leader_epoch, control, record.key, record.value)
    except (CorruptRecordError, UnsupportedCodecError, ValueError, IndexError, struct.error) as error:
        raise EvidenceError(f"{name}: {_after(last)}no segment of a log: {error}") from error


def _after(last: int | None) -> str:
    return "" if last is None else f"after offset {last}: "
