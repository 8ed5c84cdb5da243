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
import ctypes
import functools
import hashlib
import json
import re
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...ir.layout import MASK
from ...native.kernel.kernel import FAILED_ON_STATE, FAILURE, FINDINGS, KEY_WORDS, finding_words
from ..findings import Key
from ..result import StopReason
from .master import LogDamaged, ResumeRefused
from .storage import Bytes, Storage

# -- findings ---------------------------------------------------------------------------------------------------------
# What partitions report of a level: counts, digests and findings, and how reports add up to one of the whole level.

WORD = ctypes.c_uint64

Owning = tuple[int, ...]
"""The bits of a state, word by word, that say which partition owns it: `owning` chooses them."""


@dataclass(frozen=True)
class EncodedFinding:
    """A finding of the kernel: `slot` is the bit of a property, or FAILURE for a rule that could not be evaluated.

    The key is that of `checker.search.findings.Finding`. `words` are those of the state that the finding is about, or
    of the state before the step that it is about.
    """

    slot: int
    key: Key
    words: tuple[int, ...]

    def document(self) -> list[Any]:
        """The finding as JSON values."""
        return [self.slot, list(self.key), list(self.words)]

    def instance(self, of_steps: bool) -> int | None:
        """The instance of the step that the finding is about, which may lead out of the constraint; None for a state.

        `of_steps` says whether the property is one of steps.
        """
        kind, first, second, _ = self.key
        if self.slot == FAILURE:
            of_steps = kind != FAILED_ON_STATE
        if of_steps:
            return first
        return second - 1 if second else None


@dataclass(frozen=True)
class Report:
    """Sums over some states of a level, and the least findings among them."""

    expanded: int = 0
    terminal_states: int = 0
    left_constraint: int = 0
    steps_low: int = 0
    steps_high: int = 0
    digest_low: int = 0
    digest_high: int = 0
    steps: tuple[int, ...] = ()
    discovered: tuple[int, ...] = ()
    findings: tuple[EncodedFinding, ...] = ()

    def __add__(self, other: Report) -> Report:
        """The report of both."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        digests = {name: (getattr(self, name) + getattr(other, name)) & MASK for name in DIGESTS}
        return Report(
            **sums,
            **digests,
            steps=_added(self.steps, other.steps),
            discovered=_added(self.discovered, other.discovered),
            findings=least((*self.findings, *other.findings)),
        )

    def document(self) -> dict[str, Any]:
        """The report as JSON values."""
        found = [f.document() for f in self.findings]
        counts = {key: getattr(self, name) for name, key in KEYS.items()}
        return {**counts, "steps": list(self.steps), "new_states": list(self.discovered), "findings": found}


SUMS = ("expanded", "terminal_states", "left_constraint")
DIGESTS = ("steps_low", "steps_high", "digest_low", "digest_high")
KEYS = {name: "dead_ends" if name == "terminal_states" else name for name in (*SUMS, *DIGESTS)}
"""What a sum is called in documents."""


def report_of(document: dict[str, Any]) -> Report:
    """The report that a document stands for."""
    found = tuple(found_of(one) for one in document["findings"])
    return Report(
        **{name: document[key] for name, key in KEYS.items()},
        steps=tuple(document["steps"]),
        discovered=tuple(document["new_states"]),
        findings=found,
    )


def found_of(document: list[Any]) -> EncodedFinding:
    """The finding that a document stands for."""
    slot, key, words = document
    return EncodedFinding(slot, tuple(key), tuple(words))


def least(findings: tuple[EncodedFinding, ...]) -> tuple[EncodedFinding, ...]:
    """The least finding for each property, and the least failure."""
    best: dict[int, EncodedFinding] = {}
    for found in findings:
        if found.slot not in best or found.key < best[found.slot].key:
            best[found.slot] = found
    return tuple(best[slot] for slot in sorted(best))


def _added(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    if not one or not other:
        return one or other
    return tuple(a + b for a, b in zip(one, other, strict=True))


@dataclass
class Tally:
    """The counters and findings that the kernel writes, for one task."""

    words: int
    instances: int
    arrays: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arrays["findings"] = (WORD * (FINDINGS * finding_words(self.words)))()
        for name in ("steps", "discovered"):
            self.arrays[name] = (WORD * (self.instances + 1))()

    def addresses(self) -> dict[str, int]:
        """Where the arrays lie, by their names in the kernel's context."""
        return {name: ctypes.addressof(array) for name, array in self.arrays.items()}

    def report(self, context: Any) -> Report:
        """What the kernel has counted and found."""
        return replace(
            Report(**{name: context[name] for name in (*SUMS, *DIGESTS)}),
            steps=tuple(self.arrays["steps"][: self.instances]),
            discovered=tuple(self.arrays["discovered"][: self.instances]),
            findings=tuple(self._found()),
        )

    def _found(self) -> list[EncodedFinding]:
        array, size = self.arrays["findings"], finding_words(self.words)
        found = []
        for slot in range(FINDINGS):
            at = slot * size
            if array[at]:
                first, second, third, fourth = array[at + 1 : at + 1 + KEY_WORDS]
                words = tuple(array[at + 1 + KEY_WORDS : at + size])
                found.append(EncodedFinding(slot, (first, second, third, fourth), words))
        return found


@dataclass(frozen=True)
class LogFile:
    """One attempt's file. `token` is unique to the attempt; without states there is no file and `name` is ""."""

    partition: int
    token: str
    name: str
    count: int
    size: int
    checksum: int


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
        files = [vars(file) for file in level.files]
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
