"""The manifest of a run: the driver's record of which files of the log count. It is the only truth of a search.

What it says of a level is written once, to a file of its own, and its head names these files by their digests. A head
is written after every level, last of all (`heads`). So what is written for a level hardly grows with the number of
those before.
What the head does not name does not exist: files of failed, repeated or superseded attempts, and of levels that a
driver could not record any more, lie beside those that count, and nobody reads them. The file of a level is called by
its digest, so a driver that has lost the storage to another cannot change what that one has written.
"""

from __future__ import annotations

import functools
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from ...native.kernel.vocabulary import FAILURE
from ..stop import StopReason
from .errors import LogDamaged, ResumeRefused
from .findings import EncodedFinding, Report, found_of, report_of
from .heads import Head, digest_of, newest_head, read_head, write_head
from .log import Level, LogFile
from .owning import Owning
from .storage import Storage

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
