"""The files of a collection of evidence: folders, archives and compressed files, each recognised by its content."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from . import checkpoints
from .client_history import is_history
from .metadata_schema import decoded
from .place import EvidenceError
from .segments import HEADER, batches


class Kind(Enum):
    """What a file is, as far as it is of use. The value is for people."""

    METADATA = "a segment of the metadata log"
    SNAPSHOT = "a snapshot of metadata"
    SEGMENT = "a segment of a partition"
    METADATA_DUMP = "kafka-dump-log of the metadata log"
    DATA_DUMP = "kafka-dump-log of partitions"
    LOG = "a log of a broker or controller"
    PROPERTIES = "server.properties"
    META_PROPERTIES = "meta.properties"
    PARTITION_METADATA = "partition.metadata"
    CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
    EPOCHS = "leader-epoch-checkpoint"
    OFFSETS = "a checkpoint of offsets"
    QUORUM_STATE = "quorum-state"
    HISTORY = "a history of clients"


@dataclass(frozen=True)
class EvidenceFile:
    """A file, uncompressed: `name` is its path from what was given, `content` what is in it.

    `path` is the whole of it, through archives as through folders: it tells where a file lies.
    """

    name: str
    path: str
    content: bytes
    kind: Kind | None

    def stream(self) -> BinaryIO:
        """What is in it, to read from the beginning."""
        return io.BytesIO(self.content)

    def lines(self) -> Iterator[str]:
        """Its lines of text, each with its end, counted as editors do: a stray carriage return ends none."""
        return iter(io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", errors="replace", newline="\n"))


METADATA_FOLDER = "__cluster_metadata-0"
SEGMENT_NAME = re.compile(r"\d{20}\.log")

LOOK = 8192
"""How many bytes say what a text is."""

DUMP = re.compile(r"^Dumping /?\S|^baseOffset: \d+ lastOffset: \d+|^\|? ?offset: \d+ ", re.MULTILINE)
METADATA_PAYLOAD = re.compile(r'payload: \{\s*"type"\s*:\s*"[A-Z_]+_RECORD"')
LOG_LINE = re.compile(r"^\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d", re.MULTILINE)
PROPERTIES = re.compile(r"^process\.roles\s*=", re.MULTILINE)
META_PROPERTIES = re.compile(r"^cluster\.id\s*=", re.MULTILINE)
PARTITION_METADATA = re.compile(r"version: \d+\s+topic_id: ")
QUORUM_STATE = re.compile(r"\{[^{}]*\"leaderId\":")
CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
"""Kafka's mark of a clean shutdown is known by its name: until 3.6 it was empty."""


def evidence_files(paths: Iterable[Path]) -> Iterator[EvidenceFile]:
    """Every file below these paths, and in archives, in the order of their names.

    Raises EvidenceError for a path where nothing is, and for an archive that is damaged.
    """
    for path in paths:
        whole = path.absolute().resolve()
        if path.is_dir():
            for file in sorted(one for one in path.rglob("*") if one.is_file()):
                name = file.relative_to(path).as_posix()
                yield from _unpacked(name, (whole / name).as_posix(), _read(file))
        elif path.exists():
            yield from _unpacked(path.name, whole.as_posix(), _read(path))
        else:
            raise EvidenceError(f"there is no file or folder {path}")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EvidenceError(f"{path}: {error.strerror or error}") from error


UNPACK = {b"\x1f\x8b": gzip.decompress, b"\xfd7zXZ\x00": lzma.decompress, b"BZh": bz2.decompress}
"""What begins so is compressed."""


def _unpacked(name: str, path: str, content: bytes) -> Iterator[EvidenceFile]:
    """A file; of an archive every file in it."""
    for start, unpack in UNPACK.items():
        if content.startswith(start):
            try:
                content = unpack(content)
            except (OSError, EOFError, lzma.LZMAError) as error:
                raise EvidenceError(f"{name} is damaged: {error}") from error
    if content[257:262] != b"ustar":
        yield EvidenceFile(name, path, content, kind_of(content, path))
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            members = sorted((one for one in archive.getmembers() if one.isfile()), key=lambda one: one.name)
            for member in members:
                inner = archive.extractfile(member)
                assert inner is not None  # it is a file
                name = member.name.removeprefix("./")
                yield from _unpacked(name, f"{path}/{name}", inner.read())
    except tarfile.TarError as error:
        raise EvidenceError(f"{name} is damaged: {error}") from error


def kind_of(content: bytes, path: str) -> Kind | None:
    """What a file is, by what is in it; None if it is nothing that is read.

    Its name says what an empty segment is, and which checkpoint it is: they are written alike.
    """
    name = PurePosixPath(path).name
    if name == CLEAN_SHUTDOWN:
        return Kind.CLEAN_SHUTDOWN
    if not content:
        return Kind.SEGMENT if SEGMENT_NAME.fullmatch(name) else None
    if len(content) >= HEADER.size and content[16] == 2:
        return _kind_of_batches(content, path)
    text = content[:LOOK].decode("utf-8", errors="replace")  # a crash may leave zeros or garbage in a log
    if name in checkpoints.NAMES and checkpoints.BEGINS.match(text):
        return Kind.EPOCHS if name == checkpoints.EPOCHS else Kind.OFFSETS
    if DUMP.search(text):
        whole = content[: LOOK * 32].decode("utf-8", "replace")
        return Kind.METADATA_DUMP if METADATA_PAYLOAD.search(whole) else Kind.DATA_DUMP
    if text.startswith("{") and is_history(text.split("\n", 1)[0]):
        return Kind.HISTORY
    for kind, form in ((Kind.PARTITION_METADATA, PARTITION_METADATA), (Kind.QUORUM_STATE, QUORUM_STATE)):
        if form.match(text):
            return kind
    if LOG_LINE.search(text):
        return Kind.LOG
    if PROPERTIES.search(text):
        return Kind.PROPERTIES
    return Kind.META_PROPERTIES if META_PROPERTIES.search(text) else None


def properties_in(lines: Iterable[str]) -> dict[str, str]:
    """Settings as a properties file has them."""
    said = (line.split("=", 1) for line in lines if "=" in line and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, value in said}


SNAPSHOT_HEADER = 3
"""The type of the control record with which a snapshot begins (ControlRecordType)."""


def _kind_of_batches(content: bytes, path: str) -> Kind | None:
    """Metadata, if every record of the first ones is a record of metadata; else records of a partition.

    What is named as a segment and cannot be read is one all the same: whoever reads it says what is wrong.
    """
    try:
        for seen, batch in enumerate(batches(io.BytesIO(content), "")):
            if batch.compressed:
                return Kind.SEGMENT
            for record in batch.records(""):
                if record.control and record.key is not None and seen == 0:
                    if int.from_bytes(record.key[2:4], "big") == SNAPSHOT_HEADER:
                        return Kind.SNAPSHOT
                elif not record.control:
                    decoded(record.value or b"")
            if seen > 8:
                break
    except EvidenceError:
        if not SEGMENT_NAME.fullmatch(PurePosixPath(path).name):
            return None
        return Kind.METADATA if PurePosixPath(path).parent.name == METADATA_FOLDER else Kind.SEGMENT
    except ValueError:
        return Kind.SEGMENT
    return Kind.METADATA
