"""A native search as tables need it: the records that the manifest of its checkpoint names.

A record says by which name its parent went. The names of a level lead into the files of the level before, which are
mapped, and so the hash of a parent is at hand.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from epochal.spec.language import LanguageError, Protocol

from ..host.measure import without_collection
from ..ir.digest import Digest
from ..ir.model import Model
from ..native.kernel.vocabulary import INITIAL, LOCAL_BITS
from ..native.program.program import INSTANCE_BITS, program_text
from ..reading import Codes
from ..search.checkpoint import found_from, identity_of, known_from
from ..search.findings import Findings, concrete
from ..search.kept_programs import kept_program, program_key
from ..search.properties import compiled_for, compiled_properties
from ..search.resume import Checkpoint
from ..search.symmetry import reduction_of
from ..symmetry.names import has_identifiers
from ..symmetry.reduction import Reduction
from .packed import Words, hashes
from .run import ROWS, Asked, KeptRun, Piece, Rows, RunRefused, other_rules

PIECE = 1 << 22
IN_PIECE = 1 << 20
"""How many records of a file are read by one task, at most."""
LOCAL = np.uint64((1 << LOCAL_BITS) - 1)
INSTANCE = np.uint64((1 << INSTANCE_BITS) - 1)


@dataclass(frozen=True)
class RecordFile:
    """The records of one level and worker: the index of the first, how many, and what the manifest says of them."""

    path: Path
    first: int
    count: int
    digest: str
    words: int

    def records(self) -> Words:
        """The records, mapped: a row of words for each. Raises RunRefused if the file is gone."""
        shape = (self.count, self.words + 1)
        if not self.count:
            return np.zeros(shape, np.uint64)
        try:
            mapped: Words = np.memmap(self.path, np.uint64, "r", shape=shape)
        except (OSError, ValueError) as error:
            raise self.damaged(error) from error
        return mapped

    def check(self) -> None:
        """Raise RunRefused unless the file has the content that was written."""
        digest = hashlib.blake2b(digest_size=16)
        try:
            with self.path.open("rb") as content:
                while piece := content.read(PIECE):
                    digest.update(piece)
        except OSError as error:
            raise self.damaged(error) from error
        if digest.hexdigest() != self.digest:
            raise self.damaged("its content has changed")

    def damaged(self, why: object) -> RunRefused:
        """The refusal of this file."""
        return RunRefused(f"{self.path} of the checkpoint is damaged: {why}", "Search again.")


@dataclass(frozen=True)
class RecordPiece(Piece):
    """Some records of a file. `before` are the files of the level before, by the number of their worker."""

    count: int
    file: RecordFile
    first: int
    before: tuple[RecordFile, ...]

    def rows(self) -> Iterator[Rows]:
        records, words = self.file.records(), self.file.words
        parents = [(file, file.records()) for file in self.before]
        for first in range(self.first, self.first + self.count, ROWS):
            some = np.asarray(records[first : min(first + ROWS, self.first + self.count)])
            last = some[:, words]
            names, instances = last >> np.uint64(INSTANCE_BITS), (last & INSTANCE).astype(np.int64)
            yield Rows(some[:, :words], _hashes_of(names, parents), instances)


def _hashes_of(names: Words, files: Sequence[tuple[RecordFile, Words]]) -> Words:
    """The hashes of the states with these names; 0 for the name that means none."""
    found = np.zeros(len(names), np.uint64)
    workers, local = names >> np.uint64(LOCAL_BITS), names & LOCAL
    for number, (file, records) in enumerate(files):
        here = np.flatnonzero((workers == number) & (names != np.uint64(INITIAL)))
        if len(here):
            rows = (local[here] - np.uint64(file.first)).astype(np.int64)
            found[here] = hashes(records[rows, : file.words])
    return found


class CheckpointRun(KeptRun):
    """A search whose states are in a checkpoint. It holds the folder, which nobody may write meanwhile."""

    engine = "native"

    def __init__(self, folder: Path, protocol: Protocol, opened: contextlib.ExitStack) -> None:
        checkpoint = opened.enter_context(Checkpoint.reading(folder, None))
        self._document, self._folder = checkpoint.document, folder
        asked = asked_of(self._document)
        if self._document["byte_order"] != sys.byteorder:
            raise RunRefused(f"{folder} was written on a machine of the other byte order", "Export it there.")
        model, self._reduction = _compiled(protocol, asked, self._document, str(folder))
        super().__init__(str(folder), asked, model)
        self._known = known_from(self._document, protocol)
        self._checked: set[RecordFile] = set()

    @property
    def _counts(self) -> list[int]:
        return [sum(file["records"] for file in files) for files in self._document["levels"]]

    @property
    def levels(self) -> Sequence[int]:
        return [count for count in self._counts if count]

    @property
    def exhaustive(self) -> bool:
        return not self._counts[-1]

    @property
    def steps(self) -> int:
        return sum(self._known.totals.steps)

    @property
    def digests(self) -> tuple[Digest, Digest]:
        totals = self._known.totals
        return Digest(*totals.state_digest), Digest(*totals.step_digest)

    @property
    def interchangeable(self) -> tuple[str, ...]:
        return self._reduction.interchangeable if self._reduction else ()

    def pieces(self, level: int) -> Sequence[Piece]:
        files, before = self._files(level), self._files(level - 1)
        for file in {*files, *before} - self._checked:
            file.check()
            self._checked.add(file)
        pieces = [(file, first) for file in files for first in range(0, file.count, IN_PIECE)]
        return [RecordPiece(min(IN_PIECE, file.count - first), file, first, before) for file, first in pieces]

    def _files(self, level: int) -> tuple[RecordFile, ...]:
        """The files of a level, in the order of their workers; none for the level before the first."""
        words, entries = self.model.layout.words, self._document["levels"][level] if level >= 0 else []
        return tuple(
            RecordFile(self._folder / one["file"], one["first"], one["records"], one["digest"], words)
            for one in entries
        )

    def found(self) -> Findings:
        return concrete(found_from(self._document, self.protocol), self._reduction)

    def representative(self, codes: Codes) -> Codes:
        return codes if self._reduction is None else self._reduction.form(codes)


def asked_of(document: dict[str, Any]) -> Asked:
    """What the search of a checkpoint was asked."""
    properties = tuple(document["properties"])
    return Asked(document["protocol"], dict(document["bounds"]), properties, document["all_violations"])


def _compiled(protocol: Protocol, asked: Asked, document: dict[str, Any], where: str) -> tuple[Model, Reduction | None]:
    """The protocol as the search had it compiled, and its symmetry. Raises RunRefused if it is another."""
    options = asked.options(protocol)
    with without_collection():
        kept = kept_program(program_key(protocol, compiled_properties(protocol, options)), protocol)
        model = compiled_for(protocol, options, lambda _: None) if kept is None else kept.model
        if _is_of(protocol, program_text(model) if kept is None else kept.text, model, asked, document):
            return model, None
        if has_identifiers(protocol):
            with contextlib.suppress(LanguageError):  # no identifiers are interchangeable: there is no symmetry
                model = compiled_for(protocol, options, lambda _: None)
                reduction = reduction_of(model, list(asked.properties))
                if _is_of(protocol, program_text(model, reduction.form), model, asked, document):
                    return model, reduction
    raise other_rules(where, asked.protocol)


def _is_of(protocol: Protocol, text: str, model: Model, asked: Asked, document: dict[str, Any]) -> bool:
    """Whether the search of a checkpoint ran this program."""
    identity = identity_of(protocol, text, model.layout.words, asked.properties, asked.all_violations)
    return bool(identity["specification"] == document["specification"])
