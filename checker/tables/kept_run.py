"""A search that was kept, as every table needs it: its protocol, its levels, and the rows of each level.

A search leaves its states in a checkpoint (native) or in a log (Spark); `opened` finds out which. Both keep the same
shortest run to each state, so the tables of one are those of the other.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from epochal.errors import UsageError
from epochal.sentences import Given, Sentence
from epochal.spec.language import ActionInstance, LanguageError, Protocol
from epochal.spec.loading import instantiate, load_protocol, with_questions
from epochal.spec.registry import is_registered, registered

from ..base.machine import without_collection
from ..ir.layout import Digest, Layout
from ..ir.model import Model
from ..native.kernel.kernel import INITIAL, LOCAL_BITS
from ..native.program.program import INSTANCE_BITS, program_text
from ..search.checkpoint import DOMINANCE, FORMAT, MANIFEST, Checkpoint, found_from, identity_of, known_from
from ..search.compile_cache import CompiledProgram
from ..search.findings import Findings, chosen_properties, compiled_for, concrete, property_results
from ..search.result import Options, PropertyResult
from ..search.spark.log import LogFile, Manifest, heads_in, read_log, read_manifest
from ..search.spark.owning import hashes_of
from ..search.spark.program import Program, make_program
from ..search.spark.storage import Storage, open_storage
from ..search.spark.walk import Walker
from ..semantics.properties import all_properties
from ..semantics.semantics import Codes
from ..symmetry.canonical import Reduction, has_identifiers

# -- packed -----------------------------------------------------------------------------------------------------------
# Packed states as numpy sees them: rows of words, and the codes of their leaves.

Words = NDArray[np.uint64]
"""A row of words for each state, or a word for each."""


def leaf_codes(words: Words, layout: Layout) -> list[Words]:
    """The codes of each leaf of many states."""
    return [words[:, f.word] >> np.uint64(f.shift) & np.uint64((1 << f.bits) - 1) for f in layout.fields]


RUN_PROTOCOL: Final = Given("protocol")
OF_DOMINANCE: Final = Given("dominance")
ROWS = 1 << 17
"""How many states are read at a time."""


class RunRefused(UsageError):
    """What was named is no search that was kept, or one of another protocol. The message says what to do."""


@dataclass(frozen=True)
class Rows:
    """Some states of one level: their words, the hashes of the states before them, and the instances that led there.

    An initial state has the number after the last instance.
    """

    words: Words
    parents: Words
    instances: NDArray[np.int64]

    @cached_property
    def hashes(self) -> Words:
        """The hash of each state."""
        found: Words = hashes_of(self.words)
        return found

    def __len__(self) -> int:
        return len(self.words)

    def taken(self, places: NDArray[Any]) -> Rows:
        """The rows at these places, in their order."""
        return Rows(self.words[places], self.parents[places], self.instances[places])


@dataclass(frozen=True)
class Asked:
    """What a search was asked, as it says itself: the name of its protocol, bounds, properties."""

    protocol: str
    bounds: dict[str, int]
    properties: tuple[str, ...]
    all_violations: bool

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Asked:
        """What stands in the manifest of a checkpoint, or in the question of a log."""
        properties = tuple(document["properties"])
        return cls(document["protocol"], dict(document["bounds"]), properties, document["all_violations"])

    def options(self, protocol: Protocol) -> Options:
        """The options by which a protocol is compiled as it was then."""
        lemmas = {member.name for member in all_properties(protocol, True)}
        lemmas -= {member.name for member in all_properties(protocol, False)}
        return Options(self.properties, self.all_violations, lemmas=not lemmas.isdisjoint(self.properties))


class Piece(ABC):
    """Some states of one level, on a storage. It can be sent to another process, which then reads them."""

    count: int

    @abstractmethod
    def rows(self) -> Iterator[Rows]:
        """These states, some at a time. Raises EpochalError, OSError."""


class KeptRun(ABC):
    """A search that was kept, with the protocol that it was of."""

    def __init__(self, where: str, asked: Asked, model: Model) -> None:
        self.where, self.asked, self.model = where, asked, model

    @property
    def protocol(self) -> Protocol:
        """The protocol within the bounds of the search."""
        return self.model.protocol

    @cached_property
    def instances(self) -> Sequence[ActionInstance]:
        """What led to the states, by number."""
        return [one.instance for one in self.model.instances]

    @property
    @abstractmethod
    def levels(self) -> Sequence[int]:
        """How many states each level has."""

    @property
    @abstractmethod
    def exhaustive(self) -> bool:
        """Whether every state within the bounds is there."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many steps lead from the states that were expanded."""

    @property
    @abstractmethod
    def digests(self) -> tuple[Digest, Digest]:
        """The digests of the states and of the steps."""

    @property
    def interchangeable(self) -> tuple[str, ...]:
        """The identifiers up to whose renaming states were explored; none in a search without symmetry."""
        return ()

    def representative(self, codes: Codes) -> Codes:
        """The state that stands in the search for one of the protocol: itself, in a search without symmetry."""
        return codes

    @abstractmethod
    def pieces(self, level: int) -> Sequence[Piece]:
        """The states of a level, in no order that means anything. Raises EpochalError, OSError for damaged files."""

    def rows(self, level: int) -> Iterator[Rows]:
        """The same, some at a time."""
        for piece in self.pieces(level):
            yield from piece.rows()

    @abstractmethod
    def found(self) -> Findings:
        """What was found of the properties."""

    def properties(self) -> tuple[PropertyResult, ...]:
        """What is known of each property, with the run that shows it. Raises SemanticsDisagree."""
        members = chosen_properties(self.protocol, self.asked.options(self.protocol))
        return property_results(self.protocol, members, self.found(), self.exhaustive, self.engine)

    engine: str


def rows_of(words: Words, parents: Words, instances: Any) -> Iterator[Rows]:
    """The same rows, some at a time."""
    for first in range(0, len(words), ROWS):
        last = first + ROWS
        yield Rows(words[first:last], parents[first:last], instances[first:last].astype(np.int64))


def other_rules(where: str, protocol: str) -> RunRefused:
    """The refusal of a search whose rules are not those of the protocol."""
    advice: Sentence = (
        "Its states mean something else now. Search again; or name the protocol that it was of, settings included: ",
        RUN_PROTOCOL,
        ".",
    )
    return RunRefused(f"{where} holds a search of other rules than those of {protocol} here", advice)


def document_of(where: str, text: bytes) -> dict[str, Any]:
    """The manifest of a search, as it stands there. Raises RunRefused if it is none."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunRefused(f"{where} is damaged: {error}", "Search again, into an empty folder.") from error
    if not isinstance(document, dict):
        raise RunRefused(f"{where} is no manifest of a search", "Name the folder of --checkpoint or --storage.")
    return document


# -- from checkpoint --------------------------------------------------------------------------------------------------
# A native search as tables need it: the records that the manifest of its checkpoint names. A record says by which name
# its parent went. The names of a level lead into the files of the level before, which are mapped, and so the hash of a
# parent is at hand.

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
            found[here] = hashes_of(records[rows, : file.words])
    return found


class CheckpointRun(KeptRun):
    """A search whose states are in a checkpoint. It holds the folder, which nobody may write meanwhile."""

    engine = "native"

    def __init__(self, folder: Path, protocol: Protocol, opened: contextlib.ExitStack) -> None:
        checkpoint = opened.enter_context(Checkpoint.reading(folder, None))
        self._document, self._folder = checkpoint.document, folder
        asked = Asked.of(self._document)
        if self._document["byte_order"] != sys.byteorder:
            raise RunRefused(f"{folder} was written on a machine of the other byte order", "Export it there.")
        if self._document.get(DOMINANCE):
            left = "states that others dominate were left out of it"
            raise RunRefused(
                f"{folder} holds a search with dominance: {left}", ("Search again without ", OF_DOMINANCE, ".")
            )
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


def _compiled(protocol: Protocol, asked: Asked, document: dict[str, Any], where: str) -> tuple[Model, Reduction | None]:
    """The protocol as the search had it compiled, and its symmetry. Raises RunRefused if it is another."""
    options = asked.options(protocol)
    with without_collection():
        program = CompiledProgram(protocol, options, lambda _: None)
        if _is_of(protocol, program.text(), program.model, asked, document):
            return program.model, None
        if has_identifiers(protocol):
            with contextlib.suppress(LanguageError):  # no identifiers are interchangeable: there is no symmetry
                model = compiled_for(protocol, options, lambda _: None)
                reduction = Reduction(model, list(asked.properties))
                if _is_of(protocol, program_text(model, reduction.form), model, asked, document):
                    return model, reduction
    raise other_rules(where, asked.protocol)


def _is_of(protocol: Protocol, text: str, model: Model, asked: Asked, document: dict[str, Any]) -> bool:
    """Whether the search of a checkpoint ran this program."""
    identity = identity_of(protocol, text, model.layout.words, asked.properties, asked.all_violations, ())
    return bool(identity["specification"] == document["specification"])


# -- from log ---------------------------------------------------------------------------------------------------------
# A search on Spark as tables need it: the log that its manifest names, in a storage.


class LoggedRun(KeptRun):
    """A search whose states are in a log."""

    engine = "spark"

    def __init__(self, storage: Storage, manifest: Manifest, protocol: Protocol) -> None:
        asked = Asked.of(manifest.question)
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
        return Walker(self.model, self._program, self.storage, self.manifest).findings()


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


# -- opened -----------------------------------------------------------------------------------------------------------
# From the name of a folder, or of a storage, to the search that was kept there.


@contextlib.contextmanager
def opened(
    run: str, protocol: str | type[Protocol] | None = None, questions: tuple[str, ...] = ()
) -> Iterator[KeptRun]:
    """The search in a folder or storage, held as long as this lasts.

    `protocol` is the one that it was of, a class or a reference that is loaded; None: the registered one that the
    search names. `questions` are functions of files that were asked of it. Raises RunRefused, LogDamaged and
    CheckpointError for what cannot be read.
    """
    storage, checkpoint = found_at(run)
    with contextlib.ExitStack() as held:
        if checkpoint is not None:
            asked = Asked.of(Checkpoint(checkpoint).document)
            made = _protocol(asked, protocol, questions)
            kept: KeptRun = CheckpointRun(checkpoint, made, held)
        else:
            manifest = read_manifest(storage)
            if manifest is None:
                raise RunRefused(f"the search in {run} ended before anything was recorded", "Search again.")
            made = _protocol(Asked.of(manifest.question), protocol, questions)
            kept = LoggedRun(storage, manifest, made)
        yield kept


def found_at(run: str) -> tuple[Storage, Path | None]:
    """The storage that a name means, and the folder of the checkpoint if it is one. Raises RunRefused."""
    if "://" not in run and not Path(run).is_dir():
        said = "is a file" if Path(run).exists() else "does not exist"
        raise RunRefused(f"{run} {said}", "Name the folder of --checkpoint, or the --storage of a search on Spark.")
    storage = open_storage(run)
    try:
        if heads_in(storage):
            return storage, None
        text = bytes(storage.read(MANIFEST))
    except OSError as error:
        said = "it has no manifest" if isinstance(error, FileNotFoundError) else str(error)
        advice = "A search leaves its states with --checkpoint DIR, or on Spark with --storage DIR."
        raise RunRefused(f"there is no search in {run}: {said}", advice) from error
    document = document_of(storage.path(MANIFEST), text)
    return storage, storage.local if document.get("format") == FORMAT else None


def _protocol(asked: Asked, said: str | type[Protocol] | None, questions: tuple[str, ...]) -> Protocol:
    """The protocol that a search was of. What the search says of it is compared, and never loaded."""
    if said is None and not is_registered(asked.protocol):
        raise RunRefused(
            f"the search is of {asked.protocol}, no registered protocol; no file runs because a search names it",
            ("If you trust its file, name it; settings of a registered one stand after its name: ", RUN_PROTOCOL, "."),
        )
    kind = registered(asked.protocol) if said is None else load_protocol(said) if isinstance(said, str) else said
    kind = with_questions(kind, questions)
    known = set(kind.bounds_type().declared())
    if set(asked.bounds) != known:
        raise RunRefused(f"the search is of {asked.protocol}, whose bounds {kind.name} does not have")
    return instantiate(kind, asked.bounds)
