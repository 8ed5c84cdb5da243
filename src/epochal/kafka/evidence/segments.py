"""Segments of Kafka's logs: batches, and the records in them (message format 2); and the small files beside them."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import msgspec
from kafka.errors import CorruptRecordError, UnsupportedCodecError
from kafka.record.default_records import DefaultRecordBatch

from .place import EvidenceError, Place

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


# -- checkpoints ------------------------------------------------------------------------------------------------------
# Kafka's checkpoint files: a version, a number of lines, and the lines (`CheckpointFile`, version 0).
#
# A log directory has one file of high watermarks (`replication-offset-checkpoint`), of offsets up to which logs are
# flushed (`recovery-point-offset-checkpoint`) and of log start offsets (`log-start-offset-checkpoint`); a replica has
# `leader-epoch-checkpoint`, where each leader epoch begins (KIP-101).

BEGINS = re.compile(r"0\r?\n\d+\r?\n")
"""Every such file."""

EPOCHS, HIGH_WATERMARKS = "leader-epoch-checkpoint", "replication-offset-checkpoint"
RECOVERY_POINTS, LOG_STARTS = "recovery-point-offset-checkpoint", "log-start-offset-checkpoint"
NAMES = (EPOCHS, HIGH_WATERMARKS, RECOVERY_POINTS, LOG_STARTS)
"""Which of them it is only its name tells. `cleaner-offset-checkpoint` is of no use here."""


def epochs_in(lines: Iterable[str], name: str) -> tuple[tuple[int, int], ...]:
    """The leader epochs of a replica's log, and the offset at which each begins."""
    return tuple((int(epoch), int(start)) for _, (epoch, start) in _lines(lines, name, r"(-?\d{1,19}) (\d{1,19})"))


def offsets_in(lines: Iterable[str], name: str) -> dict[tuple[str, int], int]:
    """An offset for each partition."""
    said = _lines(lines, name, r"(\S+) (\d{1,19}) (\d{1,19})")
    return {(topic, int(number)): int(offset) for _, (topic, number, offset) in said}


def _lines(lines: Iterable[str], name: str, form: str) -> Iterator[tuple[Place, tuple[str, ...]]]:
    """The lines behind the first two. Raises EvidenceError where one is not as it should be, or some are missing."""
    said = [line.strip() for line in lines]
    if len(said) < 2 or said[0] != "0" or not re.fullmatch(r"\d{1,19}", said[1]):
        raise EvidenceError(f"{name}: no checkpoint of version 0")
    while said[-1] == "" and len(said) > 2:
        said.pop()
    if int(said[1]) != len(said) - 2:
        raise EvidenceError(f"{name}: the checkpoint has {len(said) - 2} lines, and says {said[1]}: it is cut off")
    for number, line in enumerate(said[2:], start=3):
        place = Place(name, line=number)
        found = re.fullmatch(form, line)
        if found is None:
            raise EvidenceError(f"{place}: no line of a checkpoint: {line[:60]!r}")
        yield place, found.groups()


# -- properties -------------------------------------------------------------------------------------------------------
# Files of settings: server.properties, meta.properties.


def properties_in(lines: Iterable[str]) -> dict[str, str]:
    """Settings as a properties file has them."""
    said = (line.split("=", 1) for line in lines if "=" in line and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, value in said}


# -- quorum state -----------------------------------------------------------------------------------------------------
# `quorum-state`: what a node of the metadata quorum knows of its leader, and for whom it has voted.


class QuorumStateFile(msgspec.Struct, frozen=True):
    """The leader and its epoch, and the vote in it (QuorumStateData); -1 is nobody."""

    leader: int = msgspec.field(name="leaderId")
    leader_epoch: int = msgspec.field(name="leaderEpoch")
    voted: int = msgspec.field(name="votedId", default=-1)


def quorum_state(content: bytes, name: str) -> QuorumStateFile:
    """What the file says. Raises EvidenceError where it is damaged."""
    try:
        return msgspec.json.decode(content, type=QuorumStateFile)
    except msgspec.DecodeError as error:
        raise EvidenceError(f"{name}: no quorum-state: {error}") from error
