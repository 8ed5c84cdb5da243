"""A search on Spark as tables need it: the log that its manifest names, in a storage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from epochal.spec.language import Protocol

from ..host.measure import without_collection
from ..ir.digest import Digest
from ..native.kernel.vocabulary import FAILURE
from ..search.findings import Findings
from ..search.properties import compiled_for
from ..search.spark.log import LogFile, read_log
from ..search.spark.manifest import Manifest
from ..search.spark.program import Program, make_program
from ..search.spark.storage import Storage
from ..search.spark.walk import Walker
from .run import Asked, KeptRun, Piece, Rows, other_rules, rows_of


class LoggedRun(KeptRun):
    """A search whose states are in a log."""

    engine = "spark"

    def __init__(self, storage: Storage, manifest: Manifest, protocol: Protocol) -> None:
        asked = asked_of(manifest)
        with without_collection():
            model = compiled_for(protocol, asked.options(protocol), lambda _: None)
            self._program: Program = make_program(model)
        super().__init__(storage.uri, asked, model)
        if self._program.digest != manifest.digest:
            raise other_rules(storage.uri, asked.protocol)
        self.storage, self.manifest = storage, manifest

    @property
    def levels(self) -> Sequence[int]:
        return [level.count for level in self.manifest.levels]

    @property
    def exhaustive(self) -> bool:
        return self.manifest.finished and self.manifest.stopped is None

    @property
    def steps(self) -> int:
        return sum(self.manifest.totals.steps)

    @property
    def digests(self) -> tuple[Digest, Digest]:
        totals = self.manifest.totals
        return Digest(totals.digest_low, totals.digest_high), Digest(totals.steps_low, totals.steps_high)

    def pieces(self, level: int) -> Sequence[Piece]:
        files = self.manifest.levels[level].written
        return [LogPiece(file.count, self.storage, file, self._program.words) for file in files]

    def found(self) -> Findings:
        walker = Walker(self.model, self._program, self.storage, self.manifest)
        found = Findings()
        for number, one in self.manifest.findings:
            if one.slot == FAILURE:
                found.failure = walker.finding(number, one)
            else:
                found.shown[self.model.properties[one.slot].member.name] = walker.finding(number, one)
        return found


def asked_of(manifest: Manifest) -> Asked:
    """What the search of a manifest was asked."""
    question = manifest.question
    properties = tuple(question["properties"])
    return Asked(question["protocol"], dict(question["bounds"]), properties, question["all_violations"])


@dataclass(frozen=True)
class LogPiece(Piece):
    """The states of a file of the log. It is compared with its digest when it is read."""

    count: int
    storage: Storage
    file: LogFile
    words: int

    def rows(self) -> Iterator[Rows]:
        states = read_log(self.storage, self.file)
        packed = np.frombuffer(states.states, np.uint64, self.count * self.words).reshape(self.count, self.words)
        yield from rows_of(packed, states.parents.to_numpy(), states.actions.to_numpy())
