"""The manifest of a run: the driver's record of which files of the log count. It is the only truth of a search.

It is replaced as a whole after every level. What it does not name does not exist: files of failed, repeated or
superseded attempts lie beside those that count, and nobody reads them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any

from ...native.kernel.vocabulary import FAILURE
from ..stop import StopReason
from .errors import LogDamaged, ResumeRefused
from .findings import EncodedFinding, Report, found_of, report_of
from .log import Level, LogFile
from .owning import Owning
from .storage import Storage

NAME = "manifest.json"
FORMAT = 2


@dataclass(frozen=True)
class Manifest:
    """A run up to its last complete level.

    `question` says what is searched (protocol, bounds, properties) and `digest` is that of the machine code, so that a
    run is only ever continued by the same search. `pending` are the bits of the properties looked for; `totals` the
    sums over all levels; `findings` those of the level where each property was first shown, with the number of that
    level; where a rule failed nothing is closed. `expanded` is how many levels were. `finished` says that the search is
    over, and `stopped` why before it was exhaustive. `owning` are the bits of a state that say which of the `shards`
    partitions owns it, as soon as there are some.
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
    owning: Owning = ()

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

    def text(self) -> str:
        """The manifest as it is written."""
        body = json.dumps(
            {
                "format": FORMAT,
                "run": self.run,
                "question": self.question,
                "digest": self.digest,
                "shards": self.shards,
                "owning": list(self.owning),
                "open": self.pending,
                "levels": [
                    {"shards": level.shards, "files": [file.document() for file in level.files]}
                    for level in self.levels
                ],
                "totals": self.totals.document(),
                "findings": [[number, found.document()] for number, found in self.findings],
                "expanded": self.expanded,
                "finished": self.finished,
                "cut": self.stopped.text if self.stopped else "",
            },
            indent=1,
        )
        return json.dumps({"checksum": _checksum(body), "manifest": json.loads(body)}, indent=1)


def _checksum(body: str) -> str:
    return hashlib.blake2b(json.dumps(json.loads(body)).encode(), digest_size=16).hexdigest()


def write_manifest(storage: Storage, manifest: Manifest) -> None:
    """Replace the manifest. Raises OSError; then the old one is untouched."""
    storage.write(NAME, manifest.text().encode())


def read_manifest(storage: Storage) -> Manifest | None:
    """The manifest of a storage, or None if it has none. Raises LogDamaged, or ResumeRefused for another version."""
    try:
        text = bytes(storage.read(NAME))
    except FileNotFoundError:
        return None
    try:
        outer = json.loads(text)
        document = outer["manifest"]
        if outer["checksum"] != _checksum(json.dumps(document)):
            raise ValueError("its checksum is wrong")
        if document["format"] != FORMAT:
            raise ResumeRefused(
                f"{storage.path(NAME)} was written by another version of Epochal (format {document['format']}).\n"
                "  Use that version, or an empty --storage."
            )
        return _manifest(document)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LogDamaged(
            f"{storage.path(NAME)} is damaged: {error}.\n  Restore it, or search again with an empty --storage."
        ) from error


def _manifest(document: dict[str, Any]) -> Manifest:
    levels = tuple(
        Level(level["shards"], tuple(LogFile(**file) for file in level["files"])) for level in document["levels"]
    )
    findings = tuple((number, found_of(found)) for number, found in document["findings"])
    return Manifest(
        run=document["run"],
        question=document["question"],
        digest=document["digest"],
        shards=document["shards"],
        owning=tuple(document["owning"]),
        pending=document["open"],
        levels=levels,
        totals=report_of(document["totals"]),
        findings=findings,
        expanded=document["expanded"],
        finished=document["finished"],
        stopped=StopReason(document["cut"]) if document["cut"] else None,
    )
