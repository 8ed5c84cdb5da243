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
from pathlib import Path

from .metadata_schema import decoded
from .place import EvidenceError
from .segments import HEADER, stored_records


class Kind(Enum):
    """What a file is, as far as it is of use. The value is for people."""

    METADATA = "a segment of the metadata log"
    SNAPSHOT = "a snapshot of metadata"
    SEGMENT = "a segment of a partition"
    METADATA_DUMP = "kafka-dump-log of the metadata log"
    LOG = "a log of a broker or controller"
    PROPERTIES = "server.properties"
    META_PROPERTIES = "meta.properties"


@dataclass(frozen=True)
class EvidenceFile:
    """A file, uncompressed: `name` is its path from what was given, `content` what is in it."""

    name: str
    content: bytes
    kind: Kind | None

    def lines(self) -> Iterator[str]:
        """Its lines of text, each with its end, counted as editors do: a stray carriage return ends none."""
        return iter(io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", errors="replace", newline="\n"))


LOOK = 8192
"""How many bytes say what a text is."""

DUMP = re.compile(r"^baseOffset: \d+ lastOffset: \d+|^\|? ?offset: \d+ ", re.MULTILINE)
METADATA_PAYLOAD = re.compile(r'payload: \{\s*"type"\s*:\s*"[A-Z_]+_RECORD"')
LOG_LINE = re.compile(r"^\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d", re.MULTILINE)
PROPERTIES = re.compile(r"^process\.roles\s*=", re.MULTILINE)
META_PROPERTIES = re.compile(r"^cluster\.id\s*=", re.MULTILINE)


def evidence_files(paths: Iterable[Path]) -> Iterator[EvidenceFile]:
    """Every file below these paths, and in archives, in the order of their names.

    Raises EvidenceError for a path where nothing is, and for an archive that is damaged.
    """
    for path in paths:
        if path.is_dir():
            for file in sorted(one for one in path.rglob("*") if one.is_file()):
                yield from _unpacked(str(file.relative_to(path)), _read(file))
        elif path.exists():
            yield from _unpacked(path.name, _read(path))
        else:
            raise EvidenceError(f"there is no file or folder {path}")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EvidenceError(f"{path}: {error.strerror or error}") from error


UNPACK = {b"\x1f\x8b": gzip.decompress, b"\xfd7zXZ\x00": lzma.decompress, b"BZh": bz2.decompress}
"""What begins so is compressed."""


def _unpacked(name: str, content: bytes) -> Iterator[EvidenceFile]:
    """A file; of an archive every file in it."""
    for start, unpack in UNPACK.items():
        if content.startswith(start):
            try:
                content = unpack(content)
            except (OSError, EOFError, lzma.LZMAError) as error:
                raise EvidenceError(f"{name} is damaged: {error}") from error
    if not content:
        return
    if content[257:262] != b"ustar":
        yield EvidenceFile(name, content, kind_of(content))
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            members = sorted((one for one in archive.getmembers() if one.isfile()), key=lambda one: one.name)
            for member in members:
                inner = archive.extractfile(member)
                assert inner is not None  # it is a file
                yield from _unpacked(member.name.removeprefix("./"), inner.read())
    except tarfile.TarError as error:
        raise EvidenceError(f"{name} is damaged: {error}") from error


def kind_of(content: bytes) -> Kind | None:
    """What a file is, by what is in it; None if it is nothing that is read."""
    if len(content) >= HEADER.size and content[16] == 2:
        return _kind_of_batches(content)
    text = content[:LOOK].decode("utf-8", errors="replace")  # a crash may leave zeros or garbage in a log
    if DUMP.search(text):
        return Kind.METADATA_DUMP if METADATA_PAYLOAD.search(content[: LOOK * 32].decode("utf-8", "replace")) else None
    if LOG_LINE.search(text):
        return Kind.LOG
    if META_PROPERTIES.search(text):
        return Kind.META_PROPERTIES
    return Kind.PROPERTIES if PROPERTIES.search(text) else None


SNAPSHOT_HEADER = 3
"""The type of the control record with which a snapshot begins (ControlRecordType)."""


def _kind_of_batches(content: bytes) -> Kind | None:
    """Metadata, if every record of the first ones is a record of metadata; else records of a partition."""
    try:
        for seen, record in enumerate(stored_records(content, "")):
            if record.control and record.key is not None and seen == 0:
                if int.from_bytes(record.key[2:4], "big") == SNAPSHOT_HEADER:
                    return Kind.SNAPSHOT
            elif not record.control:
                decoded(record.value or b"")
            if seen > 8:
                break
    except EvidenceError:
        return None
    except ValueError:
        return Kind.SEGMENT
    return Kind.METADATA
