"""The durable log: for every level and partition the new states, each with how it was reached: the hash of its parent,
its action, and the partition that has its parent.

A file is written once, under a name that no other attempt uses, as an Arrow IPC file. What the manifest says of it (how
many states, how many bytes, a checksum of them) is checked whenever it is read.

The checksum is a CRC-32, as in the exchange: it is there to notice damage. Every damage to one or two bits (of up to
512 MiB), or within 32 bits in a row, changes it; of other damage one in 2 to the 32nd does not. A cryptographic digest,
blake2b, took a twentieth of the processor time of a search.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import re
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...native.kernel.vocabulary import FAILURE
from ..stop import StopReason
from .errors import LogDamaged, ResumeRefused
from .findings import EncodedFinding, Report, found_of, report_of
from .owning import Owning
from .storage import Bytes, Storage


@dataclass(frozen=True)
class LogFile:
    """One attempt's file. `token` is unique to the attempt; without states there is no file and `name` is ""."""

    partition: int
    token: str
    name: str
    count: int
    size: int
    checksum: int

    def document(self) -> dict[str, Any]:
        """The record as JSON values."""
        return dict(vars(self))


@dataclass(frozen=True)
class Level:
    """The files of a level: one for each of `shards` partitions, in their order; a single one has all states."""

    shards: int
    files: tuple[LogFile, ...]

    @cached_property
    def count(self) -> int:
        """How many states the level has."""
        return sum(file.count for file in self.files)

    @property
    def written(self) -> tuple[LogFile, ...]:
        """The files with states."""
        return tuple(file for file in self.files if file.count)

    def of(self, shard: int, shards: int) -> tuple[LogFile, ...]:
        """The files that hold the states of one of `shards` partitions, perhaps among others."""
        files = self.files if self.shards != shards else (self.files[shard],)
        return tuple(file for file in files if file.count)


@dataclass(frozen=True)
class New:
    """States for a file: their words, the hashes of their parents, their actions, the partitions of their parents."""

    count: int
    states: Bytes
    parents: Bytes
    actions: Bytes
    senders: Bytes


@dataclass(frozen=True)
class LoggedStates:
    """What a file holds: `states` packed one after another, with how each was reached."""

    buffer: Any
    count: int
    states: Any
    parents: Any
    actions: Any
    senders: Any

    @property
    def address(self) -> int:
        """Where the states lie, as long as this object lives."""
        return int(self.states.address)


def write_log(storage: Storage, level: int, partition: int, token: str, words: int, new: New) -> LogFile:
    """Write the new states of a level and partition; the record for the manifest. Raises OSError."""
    import pyarrow as pa

    count = new.count
    if not count:
        return LogFile(partition, token, "", 0, 0, 0)
    columns = {
        "state": pa.FixedSizeBinaryArray.from_buffers(pa.binary(8 * words), count, [None, pa.py_buffer(new.states)]),
        "parent": pa.UInt64Array.from_buffers(pa.uint64(), count, [None, pa.py_buffer(new.parents)]),
        "action": pa.UInt16Array.from_buffers(pa.uint16(), count, [None, pa.py_buffer(new.actions)]),
        "sender": pa.UInt16Array.from_buffers(pa.uint16(), count, [None, pa.py_buffer(new.senders)]),
    }
    batch = pa.RecordBatch.from_pydict(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content = sink.getvalue()
    name = f"log/level-{level:05d}/part-{partition:05d}-{token}.arrow"
    storage.write(name, content)
    return LogFile(partition, token, name, count, content.size, zlib.crc32(content))


def read_log(storage: Storage, file: LogFile) -> LoggedStates:
    """What a file holds. Raises LogDamaged if it is not what its record says."""
    import pyarrow as pa

    try:
        content = storage.read(file.name)
    except OSError as error:
        raise LogDamaged(_damaged_file(storage, file, f"cannot be read: {error}")) from error
    if content.size != file.size:
        raise LogDamaged(_damaged_file(storage, file, f"has {content.size:,} bytes instead of {file.size:,}"))
    if zlib.crc32(content) != file.checksum:
        raise LogDamaged(_damaged_file(storage, file, "has another content than the one that was written"))
    batch = pa.ipc.open_file(content).get_batch(0)
    state, *reached = (batch.column(name) for name in ("state", "parent", "action", "sender"))
    return LoggedStates(content, batch.num_rows, state.buffers()[1], *reached)


def _damaged_file(storage: Storage, file: LogFile, what: str) -> str:
    return (
        f"{storage.path(file.name)} {what}.\n"
        "  The search cannot go on without it. Restore it and go on with --resume last, or search again with an empty "
        "--storage."
    )


# -- heads ------------------------------------------------------------------------------------------------------------
# The heads of a manifest: every record of a run is a file of its own, and the newest one that is whole counts.
#
# No head is ever written over. Not every file system can replace a file at once: on HDFS a driver that is killed
# meanwhile leaves none, or half of one. So a head gets a number, and its name has its size and its digest as well. One
# that is shorter than its name says was being written when its driver was killed. It does not count, and the one before
# it does, which is removed only when a newer one is whole. One of the right size with another content is damaged.
#
# A driver that has lost the storage to another, and does not know it yet, may still write a head. It has another
# content, and so another name; and it is as true as any, for what it names is there.

FOLDER = "heads"

KEPT = 2
"""How many heads there are, but for what drivers leave that are killed: one is left while another is written."""

LOOKS = 100
"""How often a reader looks again, where the head that it was about to read is gone because there are newer ones."""

_NAME = re.compile(rf"{FOLDER}/head-(\d+)-(\d+)-([0-9a-f]{{32}})\.json")


@dataclass(frozen=True, order=True)
class Head:
    """What the name of a head says: its number, how many bytes it has, and their digest."""

    number: int
    size: int
    digest: str

    @property
    def name(self) -> str:
        """Where it lies."""
        return f"{FOLDER}/head-{self.number:05d}-{self.size}-{self.digest}.json"


def digest_of(content: bytes) -> str:
    """The digest by which heads, and the files of levels, are called."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def heads_in(storage: Storage) -> dict[Head, int]:
    """The heads of a storage, in their order, and how many bytes of each are there. Raises OSError."""
    found = {}
    for name, size in storage.sizes(FOLDER).items():
        if said := _NAME.fullmatch(name):
            found[Head(int(said[1]), int(said[2]), said[3])] = size
    return dict(sorted(found.items()))


def write_head(storage: Storage, before: tuple[Head, ...], content: bytes) -> tuple[Head, ...]:
    """Write the head that follows the last of those before, which are removed but for that one; what there is then.

    Raises OSError; then the last one before still counts.
    """
    head = Head(before[-1].number + 1 if before else 0, len(content), digest_of(content))
    storage.write(head.name, content)
    kept = (*before[-1:], head)[-KEPT:]
    for old in before:
        if old not in kept:
            with contextlib.suppress(OSError):  # it is left: a newer one is whole
                storage.remove(old.name)
    return kept


def read_head(storage: Storage, head: Head) -> bytes | None:
    """The content of a head; None if it is not there, or not as a whole. Raises LogDamaged, OSError."""
    try:
        content = bytes(storage.read(head.name))
    except FileNotFoundError:
        return None
    if len(content) < head.size:
        return None
    if digest_of(content) != head.digest:
        raise LogDamaged(
            f"{storage.path(head.name)} is damaged: it has another content than the one that was written.\n"
            "  Restore it, or search again with an empty --storage."
        )
    return content


def newest_head(storage: Storage) -> tuple[tuple[Head, ...], bytes] | None:
    """The heads of a storage, the newest that is whole as the last, and its content; None if none was ever whole.

    Raises LogDamaged, OSError.
    """
    for _ in range(LOOKS):
        found = heads_in(storage)
        whole = [head for head, size in found.items() if size >= head.size]
        if not whole:
            if any(head.number for head in found):
                raise LogDamaged(
                    f"{storage.path(FOLDER)} has no head that is whole, and once had one.\n"
                    "  Restore it, or search again with an empty --storage."
                )
            return None
        content = read_head(storage, whole[-1])
        if content is not None:
            return (*(head for head in found if head != whole[-1]), whole[-1]), content
    raise OSError(f"the heads in {storage.path(FOLDER)} are listed, and cannot be read")


# -- manifest ---------------------------------------------------------------------------------------------------------
# The manifest of a run: the driver's record of which files of the log count. It is the only truth of a search.
#
# What it says of a level is written once, to a file of its own, and its head names these files by their digests. A head
# is written after every level, last of all (`heads`). So what is written for a level hardly grows with the number of
# those before. What the head does not name does not exist: files of failed, repeated or superseded attempts, and of
# levels that a driver could not record any more, lie beside those that count, and nobody reads them. The file of a
# level is called by its digest, so a driver that has lost the storage to another cannot change what that one has
# written.

FORMAT = 3

BEFORE = "manifest.json"
"""The head of formats before, which was replaced; and the manifest of a native checkpoint."""

LEVELS = "levels"
"""The folder with a file for each level."""

READERS = 16
"""How many files of levels are asked of an object store at a time: most of their time is waiting for its answer."""


@dataclass(frozen=True)
class Manifest:
    """A run up to its last complete level.

    `question` says what is searched (protocol, bounds, properties) and `digest` is that of the machine code, so that a
    run is only ever continued by the same search. `pending` are the bits of the properties looked for; `totals` the
    sums over all levels; `findings` those of the level where each property was first shown, with the number of that
    level; where a rule failed nothing is closed. `expanded` is how many levels were. `finished` says that the search is
    over, and `stopped` why before it was exhaustive. `recorded` are the digests of the files of the first levels, those
    that have been written. `owning` are the bits of a state that say which of the `shards` partitions owns it, as soon
    as there are some. `heads` are those that the storage has, the one that says all this as the last.
    """

    run: str
    question: dict[str, Any]
    digest: str
    shards: int
    pending: int
    levels: tuple[Level, ...] = ()
    totals: Report = field(default_factory=Report)
    findings: tuple[tuple[int, EncodedFinding], ...] = ()
    expanded: int = 0
    finished: bool = False
    stopped: StopReason | None = None
    recorded: tuple[str, ...] = ()
    owning: Owning = ()
    heads: tuple[Head, ...] = ()

    @property
    def states(self) -> int:
        """How many distinct states the log has."""
        return sum(level.count for level in self.levels)

    @property
    def depth(self) -> int:
        """How many levels there are; if a rule failed, how many of them were expanded."""
        return self.expanded if self.failure is not None else len(self.levels)

    @property
    def failure(self) -> tuple[int, EncodedFinding] | None:
        """The rule that could not be evaluated, with the number of the level that was being built."""
        return next(((number, found) for number, found in self.findings if found.slot == FAILURE), None)

    def with_level(self, level: Level, report: Report) -> Manifest:
        """The run with one more level."""
        number = len(self.levels)
        failed = any(found.slot == FAILURE for found in report.findings)
        closed = 0 if failed else sum(1 << found.slot for found in report.findings)
        levels = (*self.levels, level) if level.count else self.levels
        return replace(
            self,
            levels=levels,
            totals=replace(self.totals + report, findings=()),
            findings=(*self.findings, *((number, f) for f in report.findings)),
            pending=self.pending & ~closed,
            expanded=self.expanded + bool(self.levels),
        )

    def head(self) -> str:
        """The head as it is written, when the files of all levels have been."""
        assert len(self.recorded) == len(self.levels), "the head names files that are there"
        document = {
            "format": FORMAT,
            "run": self.run,
            "question": self.question,
            "digest": self.digest,
            "shards": self.shards,
            "owning": list(self.owning),
            "open": self.pending,
            "levels": list(self.recorded),
            "totals": self.totals.document(),
            "findings": [[number, found.document()] for number, found in self.findings],
            "expanded": self.expanded,
            "finished": self.finished,
            "cut": self.stopped.text if self.stopped else "",
        }
        return json.dumps(document, indent=1)


def level_file(number: int, digest: str) -> str:
    """Where the file of a level lies, by its number and digest."""
    return f"{LEVELS}/level-{number:05d}-{digest}.json"


def write_levels(storage: Storage, manifest: Manifest) -> Manifest:
    """Write the files of levels that have none yet. Raises OSError; then nothing of them counts."""
    recorded = list(manifest.recorded)
    for number, level in enumerate(manifest.levels[len(recorded) :], len(recorded)):
        files = [file.document() for file in level.files]
        content = json.dumps({"shards": level.shards, "files": files}, separators=(",", ":")).encode()
        recorded.append(digest_of(content))
        storage.write(level_file(number, recorded[-1]), content)
    return replace(manifest, recorded=tuple(recorded))


def write_manifest(storage: Storage, manifest: Manifest) -> Manifest:
    """Write what is new of the manifest, and the head last. Raises OSError; then the old one counts, untouched."""
    manifest = write_levels(storage, manifest)
    return replace(manifest, heads=write_head(storage, manifest.heads, manifest.head().encode()))


def read_manifest(storage: Storage) -> Manifest | None:
    """The manifest of a storage, or None if it has none. Raises LogDamaged, or ResumeRefused for another format."""
    found = newest_head(storage)
    if found is None:
        _refuse_before(storage)
        return None
    return _read(storage, *found)


def read_recorded(storage: Storage, head: Head) -> Manifest | None:
    """The manifest with this head; None if the head is not there, or not yet. Raises LogDamaged."""
    content = read_head(storage, head)
    return None if content is None else _read(storage, (head,), content)


def _read(storage: Storage, heads: tuple[Head, ...], content: bytes) -> Manifest:
    name = heads[-1].name
    try:
        document = json.loads(content)
        if document["format"] != FORMAT:
            raise _other_format(storage, name, document["format"])
        found = _manifest(document)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(storage, name, f"is damaged: {error}") from error
    return replace(found, levels=read_levels(storage, found.recorded), heads=heads)


def _refuse_before(storage: Storage) -> None:
    """Raise ResumeRefused for a storage that has an older format or holds foreign files."""
    try:
        content = bytes(storage.read(BEFORE))
    except FileNotFoundError:
        return
    try:
        format = json.loads(content)["manifest"]["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ResumeRefused(
            f"{storage.path(BEFORE)} belongs to no search on Spark.\n  Give --storage an empty folder."
        ) from None
    raise _other_format(storage, BEFORE, format)


def _other_format(storage: Storage, name: str, format: object) -> ResumeRefused:
    return ResumeRefused(
        f"{storage.path(name)} was written by another version of Epochal, in format {format}; this version reads "
        f"format {FORMAT}.\n  Use that version, or search again with an empty --storage."
    )


def _manifest(document: dict[str, Any]) -> Manifest:
    """What the head says: all but the levels."""
    return Manifest(
        run=document["run"],
        question=document["question"],
        digest=document["digest"],
        shards=document["shards"],
        owning=tuple(document["owning"]),
        pending=document["open"],
        totals=report_of(document["totals"]),
        findings=tuple((number, found_of(found)) for number, found in document["findings"]),
        expanded=document["expanded"],
        finished=document["finished"],
        stopped=StopReason(document["cut"]) if document["cut"] else None,
        recorded=tuple(document["levels"]),
    )


def read_levels(storage: Storage, digests: tuple[str, ...]) -> tuple[Level, ...]:
    """The first levels, whose files have these digests. Raises LogDamaged."""
    read = functools.partial(_level, storage)
    if storage.local is not None:
        return tuple(map(read, range(len(digests)), digests))
    with ThreadPoolExecutor(READERS) as readers:
        return tuple(readers.map(read, range(len(digests)), digests))


def _level(storage: Storage, number: int, digest: str) -> Level:
    name = level_file(number, digest)
    try:
        content = bytes(storage.read(name))
    except OSError as error:
        raise _damaged(storage, name, f"cannot be read: {error}") from error
    if digest_of(content) != digest:
        raise _damaged(storage, name, "is damaged: it has another content than the one that was written")
    try:
        document = json.loads(content)
        return Level(document["shards"], tuple(LogFile(**file) for file in document["files"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(storage, name, f"is damaged: {error}") from error


def _damaged(storage: Storage, name: str, what: str) -> LogDamaged:
    return LogDamaged(f"{storage.path(name)} {what}.\n  Restore it, or search again with an empty --storage.")
