"""The files of a collection of evidence: folders, archives and compressed files, each recognised by its content."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import itertools
import lzma
import os
import re
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, cast

from epochal.checker.base.permitted import open_permitted, require_permitted

from . import segments as checkpoints
from .broker_log import is_log, of_dump
from .client_history import is_history
from .metadata_log import decoded
from .place import EvidenceError, escaped
from .segments import HEADER, records_at_first

# -- kinds ------------------------------------------------------------------------------------------------------------
# What a file is, by what is in it: Kafka's files are recognised under whatever name they were copied.


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


METADATA_FOLDER = "__cluster_metadata-0"
SEGMENT_NAME = re.compile(r"\d{20}\.log")

DELETED = ".deleted"
"""How the name of a file ends that Kafka removes after `file.delete.delay.ms` (LogFileUtils)."""

LOOK_OF_A_TEXT = 8192
"""How many bytes say what a text is."""

DUMP = re.compile(r"^Dumping /?\S|^baseOffset: \d+ lastOffset: \d+|^\|? ?offset: \d+ ", re.MULTILINE)
METADATA_PAYLOAD = re.compile(r'payload: \{\s*"type"\s*:\s*"[A-Z_]+_RECORD"')
PROPERTIES = re.compile(r"^process\.roles\s*=", re.MULTILINE)
META_PROPERTIES = re.compile(r"^cluster\.id\s*=", re.MULTILINE)
PARTITION_METADATA = re.compile(r"version: \d+\s+topic_id: ")
QUORUM_STATE = re.compile(r"\{[^{}]*\"leaderId\":")
CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
"""Kafka's mark of a clean shutdown is known by its name: until 3.6 it was empty."""


def _is_one_document(text: str) -> bool:
    """Whether a text is one JSON object over several lines: it may quote a log, and is none."""
    end = text.find("\n}\n")
    return text.startswith("{\n") and (end < 0 or not text[end + 3 :].strip())


def kind_of(head: bytes, path: str) -> Kind | None:
    """What a file is, by how it begins; None if it is nothing that is read.

    Its name says what an empty segment is, and which checkpoint it is: they are written alike. A segment that is to be
    deleted has another name first, and is no part of the log any more.
    """
    name = PurePosixPath(path).name
    if name.endswith(DELETED):
        return None
    if name == CLEAN_SHUTDOWN:
        return Kind.CLEAN_SHUTDOWN
    if not head:
        return Kind.SEGMENT if SEGMENT_NAME.fullmatch(name) else None
    if SEGMENT_NAME.fullmatch(name) or (len(head) >= HEADER.size and head[16] == 2):
        return _kind_of_batches(head, path)
    text = head[:LOOK_OF_A_TEXT].decode("utf-8", errors="replace")  # a crash may leave zeros or garbage in a log
    if name in checkpoints.NAMES and checkpoints.BEGINS.match(text):
        return Kind.EPOCHS if name == checkpoints.EPOCHS else Kind.OFFSETS
    if DUMP.search("\n".join(map(of_dump, text.splitlines()))):
        whole = head.decode("utf-8", "replace")
        return Kind.METADATA_DUMP if METADATA_PAYLOAD.search(whole) else Kind.DATA_DUMP
    if text.startswith("{") and is_history(text.split("\n", 1)[0]):
        return Kind.HISTORY
    for kind, form in ((Kind.PARTITION_METADATA, PARTITION_METADATA), (Kind.QUORUM_STATE, QUORUM_STATE)):
        if form.match(text):
            return kind
    for kind, form in ((Kind.META_PROPERTIES, META_PROPERTIES), (Kind.PROPERTIES, PROPERTIES)):
        if form.search(text):
            return kind
    return Kind.LOG if is_log(text) and not _is_one_document(text) else None


SNAPSHOT_HEADER = 3
"""The type of the control record with which a snapshot begins (ControlRecordType)."""

SEEN = 16
"""How many records are looked at."""


def _kind_of_batches(head: bytes, path: str) -> Kind | None:
    """Metadata, if every record of the first ones is a record of metadata; else records of a partition.

    What is named as a segment and cannot be read is one all the same: whoever reads it says what is wrong.
    """
    try:
        seen = False
        for batch, record in itertools.islice(records_at_first(head), SEEN):
            if batch.compressed:
                return Kind.SEGMENT
            if record.control and record.key is not None and not seen:
                if int.from_bytes(record.key[2:4], "big") == SNAPSHOT_HEADER:
                    return Kind.SNAPSHOT
            elif not record.control:
                decoded(record.value or b"")
            seen = True
        if seen:
            return Kind.METADATA
    except EvidenceError:
        if seen:
            return Kind.METADATA
    except ValueError:
        return Kind.SEGMENT
    if not SEGMENT_NAME.fullmatch(PurePosixPath(path).name):
        return None
    return Kind.METADATA if PurePosixPath(path).parent.name == METADATA_FOLDER else Kind.SEGMENT


# -- sifting ----------------------------------------------------------------------------------------------------------
# The few lines of a long log that have one of some words: found in blocks, without looking at each line.

BLOCK = 1 << 20


def sifted(stream: BufferedReader, words: Sequence[bytes], longest: int) -> Iterator[tuple[int, bytes]]:
    """Those lines with their numbers, counted from 1, in their order.

    Each ends in a line feed but a last one without, and one that is longer than `longest`, whose rest is left out.
    """
    before, rest = 0, b""
    while block := stream.read(BLOCK):
        block = rest + block
        end = block.rfind(b"\n") + 1
        rest = block[end:]
        if len(rest) > longest:
            rest = rest[: longest + 1]  # what is behind it is of the same line, until one ends
        if end:
            yield from _of_block(block[:end], words, before, longest)
            before += block.count(b"\n", 0, end)
    if rest:
        yield from _of_block(rest, words, before, longest)


def _of_block(block: bytes, words: Sequence[bytes], before: int, longest: int) -> Iterator[tuple[int, bytes]]:
    """Of whole lines those that have a word. `before` is how many lines there were before these."""
    found: dict[int, int] = {}
    for word in words:
        at = block.find(word)
        while at >= 0:
            end = block.find(b"\n", at) + 1 or len(block)
            found[block.rfind(b"\n", 0, at) + 1] = end
            at = block.find(word, end)
    number, counted = before + 1, 0
    for start, end in sorted(found.items()):
        number += block.count(b"\n", counted, start)
        counted = start
        yield number, block[start : min(end, start + longest)]


# -- unpacking --------------------------------------------------------------------------------------------------------
# Folders, archives and compressed files as one row of streams, each read from its beginning to its end, once.
#
# No file is held as a whole, and nothing but a large .zip is copied to a disk.

LOOK = 1 << 18
"""How many bytes are looked at before a file is read."""

DEEPEST = 8
"""How many archives and compressed files may lie one in the other."""

DAMAGED = (EOFError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile)

Tick = Callable[[str, int], None]
"""Is told of a file that so many more bytes of it were read."""

Readable = IO[bytes] | io.BufferedIOBase

UNREADABLE = (RuntimeError, NotImplementedError, ValueError, struct.error, OverflowError)
"""What else a .zip may be: with a password, compressed by another method, or with a table that leads nowhere."""

UNPACK: dict[bytes, tuple[str, Callable[[BinaryIO], Readable]]] = {
    b"\x1f\x8b": (".gz", lambda stream: gzip.GzipFile(fileobj=stream)),
    b"\xfd7zXZ\x00": (".xz", lzma.LZMAFile),
    b"BZh": (".bz2", bz2.BZ2File),
}
"""What begins so is compressed, and how its name ends."""

TAR, TAR_AT = b"ustar", 257
ZIP = b"PK\x03\x04"
"""A jar begins so, too: only what is called .zip is opened."""

COPIED = 1 << 26
MOST_COPIED = 1 << 30


LONGEST = 1 << 24
"""Of a longer line the rest is left out: what has no line ends at all is no log."""


@dataclass(frozen=True)
class EvidenceFile:
    """A file: `name` is its path from what was given, `path` the whole of it, through archives as through folders.

    It is read once, and before the next one is asked for. `kind` is None also of an archive.
    """

    name: str
    path: str
    stream: BufferedReader
    kind: Kind | None = None

    def lines(self) -> Iterator[str]:
        """Its lines of text, counted as editors do. Each ends in a line feed but a last one without, and one too long.

        Windows writes a carriage return before it, which is left out; elsewhere such a character ends no line.
        """
        read = self.stream.readline
        while line := read(LONGEST):
            yield _text(line)
            while len(line) == LONGEST and not line.endswith(b"\n"):
                line = read(LONGEST)

    def lines_with(self, words: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The lines that have one of these words, as `lines` has them, with their numbers."""
        for number, line in sifted(self.stream, [word.encode() for word in words], LONGEST):
            yield number, _text(line)

    def head(self) -> bytes:
        """How it begins; it is still read from there."""
        return self.stream.peek(LOOK)[:LOOK]


def _text(line: bytes) -> str:
    """A crash may leave zeros or garbage in a log."""
    return (line[:-2] + b"\n" if line.endswith(b"\r\n") else line).decode("utf-8", "replace")


class _Whole(io.RawIOBase):
    """A stream that fills what it is asked for, and says what is wrong with the file it comes from."""

    def __init__(self, stream: Readable, name: str, tick: Tick | None = None) -> None:
        self._stream, self._file, self._tick = stream, name, tick

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        filled = 0
        try:
            while filled < len(view) and (part := self._stream.read(len(view) - filled)):
                view[filled : filled + len(part)] = part
                filled += len(part)
        except DAMAGED as error:
            raise _damaged(self._file, error) from error
        except OSError as error:
            raise EvidenceError(f"{self._file}: {error.strerror or error}") from error
        if self._tick is not None:
            self._tick(self._file, filled)
        return filled


def _damaged(name: str, error: Exception) -> EvidenceError:
    return EvidenceError(f"{name} is damaged: {error}")


def evidence_files(paths: Iterable[Path], tick: Tick | None = None) -> Iterator[EvidenceFile]:
    """Every file below these paths, and in archives. Of several paths the names begin with what was given.

    `tick` is told how many bytes were read of each file on a disk.

    Raises EvidenceError for a path where nothing is, for what may not be read, and for an archive that is damaged.
    """
    given = list(paths)
    for path in given:
        whole = Path(os.path.normpath(path.absolute()))  # symbolic links keep their names
        require_permitted(path)
        if path.is_dir():
            for file in _below(path):
                name = file.relative_to(path).as_posix()
                called = name if len(given) == 1 else file.as_posix()
                yield from _opened(file, called, (whole / name).as_posix(), False, tick)
        elif path.exists():
            alone = len(given) == 1
            yield from _opened(path, path.name if alone else path.as_posix(), whole.as_posix(), alone, tick)
        else:
            raise EvidenceError(f"there is no file or folder {path}")


def _below(folder: Path) -> list[Path]:
    """The files below a folder, in the order of their names."""

    def refuse(error: OSError) -> None:
        raise EvidenceError(f"{error.filename}: {error.strerror}")

    found = (Path(at, name) for at, _, names in os.walk(folder, onerror=refuse) for name in names)
    try:
        return sorted(one for one in found if one.is_file())
    except OSError as error:
        raise EvidenceError(f"{error.filename}: {error.strerror}") from error
    except RecursionError as error:
        raise EvidenceError(f"{folder}: too many folders lie one in the other") from error


def _opened(file: Path, name: str, path: str, alone: bool, tick: Tick | None) -> Iterator[EvidenceFile]:
    """A file on a disk, and what is in it. Names in an archive that is `alone` are those that it has itself."""
    try:
        stream = open_permitted(file)
    except OSError as error:
        raise EvidenceError(f"{escaped(name)}: {error.strerror or error}") from error
    with stream:
        whole = io.BufferedReader(_Whole(stream, escaped(name), tick), LOOK)
        yield from _layers(escaped(name), path, whole, "" if alone else f"{escaped(name)}/", DEEPEST)


def _layers(name: str, path: str, raw: Readable, within: str, deepest: int) -> Iterator[EvidenceFile]:
    """A file; of a compressed one what is in it, and of an archive every file in it, called `within` and its name."""
    if deepest < 0:
        raise EvidenceError(f"{name}: more than {DEEPEST} archives lie one in the other", "Unpack it yourself.")
    one = EvidenceFile(name, path, io.BufferedReader(_Whole(raw, name), LOOK))
    head = one.head()
    for start, (ending, unpack) in UNPACK.items():
        if head.startswith(start):
            yield from _layers(name, path.removesuffix(ending), unpack(one.stream), within, deepest - 1)
            return
    if head[TAR_AT:].startswith(TAR):
        yield from _of_tar(one, within, deepest - 1)
    elif head.startswith(ZIP) and path.endswith(".zip"):
        yield from _of_zip(one, within, deepest - 1)
    else:
        yield replace(one, kind=kind_of(head, path))


def _of_tar(one: EvidenceFile, within: str, deepest: int) -> Iterator[EvidenceFile]:
    try:
        with tarfile.open(fileobj=one.stream, mode="r|") as archive:
            for member in archive:
                inner = archive.extractfile(member) if member.isfile() else None
                if inner is not None:
                    yield from _member(one, member.name, inner, within, deepest)
    except DAMAGED as error:
        raise _damaged(one.name, error) from error


def _of_zip(one: EvidenceFile, within: str, deepest: int) -> Iterator[EvidenceFile]:
    """Its table of contents is at the end, so that it is copied first: to memory, or to a disk if it is large."""
    try:
        with tempfile.SpooledTemporaryFile(COPIED) as copy:
            _copied(one, copy)
            with zipfile.ZipFile(cast(BinaryIO, copy)) as archive:
                for member in archive.infolist():
                    if not member.is_dir():
                        with archive.open(member) as inner:
                            yield from _member(one, member.filename, inner, within, deepest)
    except (*DAMAGED, *UNREADABLE) as error:
        raise _damaged(one.name, error) from error


def _copied(one: EvidenceFile, to: IO[bytes]) -> None:
    """Copy an archive. Raises EvidenceError for one of which a small file makes very much."""
    while block := one.stream.read(COPIED):
        to.write(block)
        if to.tell() > MOST_COPIED:
            raise EvidenceError(
                f"{one.name} is a zip of more than {MOST_COPIED >> 20:,} MiB",
                "Unpack it, and name the folder.",
            )


def _member(one: EvidenceFile, name: str, inner: Readable, within: str, deepest: int) -> Iterator[EvidenceFile]:
    """A file in an archive. Where the archive itself ends too early, that is what is told."""
    name = escaped(name.removeprefix("./"))
    called = f"{within}{name}"
    whole = io.BufferedReader(_Whole(inner, one.name), LOOK)
    yield from _layers(called, f"{one.path}/{name}", whole, f"{called}/", deepest)


UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
AS_UTF_8 = "Write it as UTF-8: COMMAND | Out-File -Encoding utf8 FILE."


def refuse_utf_16(name: str, head: bytes, path: str | None = None) -> None:
    """Raise EvidenceError for a text that begins so, if it is of a kind that is read; of any without a path."""
    encoding = UTF_16.get(head[:2])
    if encoding is None:
        return
    text = head[2 : 2 + len(head[2:]) // 2 * 2].decode(encoding, "replace").replace("\r\n", "\n")
    if path is None or kind_of(text.encode("utf-8", "replace"), path) is not None:
        raise EvidenceError(f"{escaped(name)} is UTF-16, as PowerShell writes it", AS_UTF_8)
