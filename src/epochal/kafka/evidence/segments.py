"""Segments of Kafka's logs: batches, and the records in them (message format 2)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from kafka.errors import CorruptRecordError, UnsupportedCodecError
from kafka.record.default_records import DefaultRecordBatch

from .place import EvidenceError

HEADER = struct.Struct(">qiibIhiqqqhii")
"""The header of a batch: the magic number is the byte at 16."""

LENGTH = struct.Struct(">qi")
"""How it begins: the base offset, and the length of what follows."""

LEAST = HEADER.size - LENGTH.size


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


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of records as its header tells: the offsets it stands for, and the epoch of the leader that appended it.

    `compressed` says whether its records are.
    """

    first: int
    last: int
    leader_epoch: int
    control: bool
    compressed: bool
    content: Any

    def records(self, name: str) -> Iterator[StoredRecord]:
        """What is in it. Raises EvidenceError where it cannot be read. `name` is for messages."""
        try:
            for one in self.content:
                yield StoredRecord(one.offset, self.leader_epoch, self.control, one.key, one.value)
        except (CorruptRecordError, UnsupportedCodecError, ValueError, IndexError, struct.error) as error:
            raise EvidenceError(f"{name}: the batch at offset {self.first} cannot be read: {error}") from error


def batches(stream: BinaryIO, name: str) -> Iterator[Batch]:
    """The batches of a segment, or of a snapshot of metadata, one after the other.

    A batch at the end that was not written whole, as after a crash, is none; nor are zeros of a file that was made
    larger beforehand. Raises EvidenceError for a batch that does not agree with its checksum, and for what is no
    segment at all.
    """
    last: int | None = None
    while len(start := stream.read(LENGTH.size)) == LENGTH.size:
        base, length = LENGTH.unpack(start)
        if length == 0 and base == 0:
            return
        if length < LEAST:
            raise EvidenceError(f"{name}: {_after(last)}no segment of a log: a batch of {length} bytes")
        rest = stream.read(length)
        if len(rest) < length:
            return
        magic = rest[16 - LENGTH.size]
        if magic != 2:
            raise EvidenceError(f"{name}: {_after(last)}message format {magic}, of a Kafka before 0.11, is not read")
        batch: Any = DefaultRecordBatch(start + rest)
        if not batch.validate_crc():
            raise EvidenceError(f"{name}: {_after(last)}a batch does not agree with its checksum")
        last = int(batch.last_offset)
        yield _batch(batch)


def records_at_first(head: bytes) -> Iterator[tuple[Batch, StoredRecord]]:
    """The first records of a segment, from its first bytes: of a batch that goes on behind them as many as are there.

    Its checksum is not looked at. Raises EvidenceError as `batches` does; a compressed batch gives one record.
    """
    position = 0
    while position + HEADER.size <= len(head):
        base, length = LENGTH.unpack_from(head, position)
        if length < LEAST or base < 0 or head[position + 16] != 2:
            raise EvidenceError("no segment of a log")
        end = position + LENGTH.size + length
        content: Any = DefaultRecordBatch(head[position:end])
        batch = _batch(content)
        if batch.compressed:
            yield batch, StoredRecord(batch.first, batch.leader_epoch, batch.control, None, None)
        else:
            try:
                for record in batch.records(""):
                    yield batch, record
            except EvidenceError:
                if end <= len(head):
                    raise
        position = end


def _batch(content: Any) -> Batch:
    return Batch(
        first=int(content.base_offset),
        last=int(content.last_offset),
        leader_epoch=int(content.leader_epoch),
        control=bool(content.is_control_batch),
        compressed=content.compression_type != content.CODEC_NONE,
        content=content,
    )


def stored_records(stream: BinaryIO, name: str) -> Iterator[StoredRecord]:
    """The records of a segment in their order. `name` is for messages. Raises EvidenceError as `batches` does."""
    for batch in batches(stream, name):
        yield from batch.records(name)


def _after(last: int | None) -> str:
    return "" if last is None else f"after offset {last}: "
