"""Checkpoints: what a search knows at the end of a level, in a folder that another run can go on from.

The folder has one file of records for each level and worker, and a manifest that names the files that count, with
their lengths and digests, and everything else: counters, digests, findings. It ends with a digest of itself, so a bit
that flips anywhere in a checkpoint is noticed. The manifest is replaced as a whole after the files are on the disk, so
the folder is consistent whenever the process ends. Only one run at a time writes a folder. A record is the 64-bit words
of the state and a word with the name of its parent and the instance that led to it, in the byte order that the manifest
says.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self

from epochal.errors import UsageError
from epochal.sentences import Given
from epochal.spec.language import Protocol

from ..base.files import held, write_atomically
from ..base.installed import TOOL, tool_version
from ..native.llvm.jit import MachineCode
from ..native.runtime.memory import address_of, bytes_at
from ..native.runtime.worker_pool import Segment, Totals, WorkerPool, redistribute, segments_of
from ..trace.run import PlainRun, Step
from .findings import Finding, Findings

RESUME: Final = Given("resume")
CHECKPOINT: Final = Given("checkpoint")
"""The options of a search that messages name."""


class CheckpointError(UsageError):
    """A folder that is no checkpoint, is damaged, or belongs to another search. The message says what to do."""


def _unusable(problem: str) -> CheckpointError:
    """What is wrong with files with which no search can go on."""
    return CheckpointError((f"{problem}.\n  Start again without ", RESUME, "."))


def in_words(kept: object) -> str:
    """What a manifest holds, as people write it: bounds, a list of properties, a digest."""
    if isinstance(kept, dict):
        return ", ".join(f"{name} {number}" for name, number in kept.items())
    if isinstance(kept, list):
        return ", ".join(map(str, kept)) or "none"
    return str(kept)


FORMAT = "epochal-checkpoint"
VERSION = 2
MANIFEST = "manifest.json"
DOMINANCE: Final = "dominance"
"""The budgets by which states dominate others; a manifest from before there was dominance says nothing of them."""


@dataclass(frozen=True)
class Known:
    """What a search knows at the end of a level, but for the states themselves."""

    depth: int
    totals: Totals
    found: Findings

    @property
    def levels(self) -> int:
        """How many levels are complete, with that of the initial states."""
        return self.depth + 1

    def document(self) -> dict[str, Any]:
        """As JSON."""
        totals = self.totals
        return {
            "depth": self.depth,
            "totals": {
                "steps": totals.steps,
                "new_states": totals.discovered,
                "state_digest": totals.state_digest,
                "step_digest": totals.step_digest,
                "dead_ends": totals.terminal_states,
                "left_constraint": totals.left_constraint,
                "dominated": totals.dominated,
            },
            "shown": _shown_document(self.found),
        }


def known_from(document: dict[str, Any], protocol: Protocol) -> Known:
    """The inverse of `Known.document`."""
    totals = document["totals"]
    return Known(
        document["depth"],
        Totals(
            tuple(totals["steps"]),
            tuple(totals["new_states"]),
            (totals["state_digest"][0], totals["state_digest"][1]),
            (totals["step_digest"][0], totals["step_digest"][1]),
            totals["dead_ends"],
            totals["left_constraint"],
            totals.get("dominated", 0),
        ),
        _shown_from(document["shown"], protocol),
    )


def found_from(document: dict[str, Any], protocol: Protocol) -> Findings:
    """All that a search had found when it ended, in a level that was broken off as well."""
    later = _shown_from(document.get("shown_later", {}), protocol)
    return Findings({**_shown_from(document["shown"], protocol).shown, **later.shown})


def _shown_document(found: Findings) -> dict[str, Any]:
    return {name: _finding_document(finding) for name, finding in sorted(found.shown.items())}


def _shown_from(document: dict[str, Any], protocol: Protocol) -> Findings:
    return Findings({name: _finding_from(finding, protocol) for name, finding in document.items()})


def _finding_document(finding: Finding) -> dict[str, Any]:
    initial, steps = finding.run
    return {
        "key": finding.key,
        "initial": initial,
        "steps": [(step.instance.number, step.codes) for step in steps],
        "instance": None if finding.instance is None else finding.instance.number,
    }


def _finding_from(document: dict[str, Any], protocol: Protocol) -> Finding:
    steps = tuple(Step(protocol.instances[number], tuple(codes)) for number, codes in document["steps"])
    run: PlainRun = (tuple(document["initial"]), steps)
    number = document["instance"]
    a, b, c, d = document["key"]
    return Finding((a, b, c, d), run, None if number is None else protocol.instances[number])


class CheckpointWriter:
    """Writes checkpoints of one search to a folder. `identity` tells this search from any other.

    One is due when the last is at least so many seconds old.
    """

    def __init__(self, folder: Path, identity: dict[str, Any], seconds: float) -> None:
        self._seconds = seconds
        self.folder = folder
        self.identity = identity
        self._generation = 0
        self._levels: list[list[dict[str, Any]]] = []
        self._pool: WorkerPool | None = None
        self._last = time.monotonic()

    @property
    def due(self) -> bool:
        """Whether the last checkpoint is old enough."""
        return time.monotonic() - self._last >= self._seconds

    def write(self, pool: WorkerPool, known: Known, later: Findings) -> None:
        """Write what is new since the last checkpoint. Raises OSError; then the last checkpoint still stands.

        `later` is what was found in a level that was broken off. Who goes on makes that level again, and finds it too.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if pool is not self._pool:  # other workers: other names, so everything is written again
            self._generation = _next_generation(self.folder)
            self._levels, self._pool = [], pool
        for level, segments in enumerate(islice(segments_of(pool), known.levels)):
            if level >= len(self._levels):
                self._levels.append([self._write_segment(level, i, pool, s) for i, s in enumerate(segments)])
        document = {
            "format": FORMAT,
            "version": VERSION,
            "tool": TOOL,
            "tool_version": tool_version(),
            **self.identity,
            "states": sum(file["records"] for files in self._levels for file in files),
            **known.document(),
            "shown_later": _shown_document(later),
            "levels": self._levels,
        }
        document["digest"] = digest_of(document)
        write_atomically(self.folder / MANIFEST, json.dumps(document, indent=1) + "\n")
        self._forget_others()
        self._last = time.monotonic()

    def _write_segment(self, level: int, worker: int, pool: WorkerPool, segment: Segment) -> dict[str, Any]:
        name = f"records-{self._generation}-level-{level}-worker-{worker}.bin"
        size = segment.count * pool.workers[worker].store.record_bytes
        digest = hashlib.blake2b(digest_size=16)
        with (self.folder / name).open("wb") as file:
            for part in _parts(segment.address, size):
                digest.update(part)
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        return {"file": name, "first": segment.first, "records": segment.count, "digest": digest.hexdigest()}

    def _forget_others(self) -> None:
        """Remove files of earlier generations, which no manifest names any more."""
        kept = {file["file"] for files in self._levels for file in files}
        for path in sorted(self.folder.glob("records-*.bin")):
            if path.name not in kept:
                path.unlink(missing_ok=True)


def digest_of(document: dict[str, Any]) -> str:
    """The digest of a manifest, but for the digest that stands in it."""
    content = json.dumps({key: value for key, value in document.items() if key != "digest"}, sort_keys=True)
    return hashlib.blake2b(content.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


@contextlib.contextmanager
def writing_alone(folder: Path | None) -> Iterator[None]:
    """Hold the folder of the checkpoints that this run writes, if there is one. Raises CheckpointError, OSError."""
    if folder is None:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder) as alone:
        if not alone:
            other = f"another run is using the checkpoint in {folder}"
            advice = "Wait until it ends, or give this run a folder of its own by "
            raise CheckpointError((f"{other}.\n  {advice}", CHECKPOINT, "."))
        yield


def _parts(address: int, size: int) -> Iterator[memoryview]:
    """Memory as bytes, a few megabytes at a time."""
    step = 1 << 22
    return (bytes_at(address + at, min(step, size - at)) for at in range(0, size, step))


def _next_generation(folder: Path) -> int:
    """A number that no file in the folder has yet."""
    numbers = [path.name.split("-")[1] for path in folder.glob("records-*.bin")]
    return 1 + max((int(number) for number in numbers if number.isdigit()), default=-1)


def identity_of(
    protocol: Protocol, text: str, words: int, asked: Sequence[str], all_violations: bool, dominance: Sequence[str]
) -> dict[str, Any]:
    """What tells a search from any other: protocol, bounds, what is asked, by which budgets states dominate others, and
    a digest of all its rules.

    `text` is the code of the compiled specification.
    """
    asked = sorted(asked)
    told = [text, protocol.bounds.as_dict(), len(protocol.instances)]
    content = json.dumps([*told, *dominance])  # so that versions from before there was dominance refuse it, too
    return {
        "protocol": protocol.name or type(protocol).__name__,
        "bounds": protocol.bounds.as_dict(),
        DOMINANCE: list(dominance),
        "specification": hashlib.blake2b(content.encode(), digest_size=16).hexdigest(),
        "words": words,
        "byte_order": sys.byteorder,
        "properties": asked,
        "all_violations": all_violations,
    }


# -- resume -----------------------------------------------------------------------------------------------------------
# Going on from a checkpoint: read, compared with what is asked for, and redistributed over the workers.


class Checkpoint:
    """A checkpoint in a folder, whose manifest has been read. Raises CheckpointError if there is none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / MANIFEST
        try:
            self.document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            missing = f"{folder} has no checkpoint: {error.strerror or error}.\n  "
            raise CheckpointError(
                (missing, CHECKPOINT, " writes one; so does a search that a budget stops.")
            ) from error
        except (ValueError, RecursionError) as error:
            raise _unusable(f"{path} is damaged: {error}") from error
        if not isinstance(self.document, dict) or self.document.get("format") != FORMAT:
            raise _unusable(f"{path} is not the manifest of a checkpoint")
        if self.document.get("version") != VERSION:
            other = f"{path} has version {self.document.get('version')} of the format, and this is version {VERSION}"
            advice = "Resume with the version of Epochal that wrote it, or start again without "
            raise CheckpointError((f"{other}.\n  {advice}", RESUME, "."))
        if self.document.get("digest") != digest_of(self.document):
            raise _unusable(f"{path} is damaged: its content has changed")

    @classmethod
    @contextlib.contextmanager
    def reading(cls, folder: Path, own: Path | None) -> Iterator[Self]:
        """A checkpoint that nobody else changes meanwhile; `own` is the folder that this run holds already."""
        with contextlib.ExitStack() as opened:
            mine = own is not None and folder.exists() and folder.samefile(own)
            if not mine and folder.is_dir() and not opened.enter_context(held(folder, shared=True)):
                raise CheckpointError(
                    f"another run is writing the checkpoint in {folder}.\n  Wait until it ends, or end it."
                )
            yield cls(folder)

    @property
    def states(self) -> int:
        """How many states it has."""
        return int(self.document["states"])

    def require(self, identity: dict[str, Any]) -> None:
        """Raises CheckpointError, naming the difference, if it belongs to another search."""
        for key, wanted in identity.items():
            kept = self.document.get(key, [] if key == DOMINANCE else None)
            if json.dumps(kept) != json.dumps(wanted):
                differs = f"with {key.replace('_', ' ')} {in_words(kept)} instead of {in_words(wanted)}"
                other = f"the checkpoint in {self.folder} belongs to another search, {differs}"
                raise CheckpointError((f"{other}.\n  Ask for the same as then, or start again without ", RESUME, "."))

    def redistribute_to(self, pool: WorkerPool, kernel: MachineCode, tables: bool) -> None:
        """Hand its states to workers. Raises CheckpointError for a damaged file, MemoryError, OSError."""
        record_bytes = pool.workers[0].store.record_bytes
        redistribute(kernel, self._segments(record_bytes), pool, tables)

    def _segments(self, record_bytes: int) -> Iterator[Sequence[Segment]]:
        """The records of each level; they stay mapped until the next level is asked for."""
        for files in self.document["levels"]:
            with contextlib.ExitStack() as open_files:
                yield [self._segment(file, record_bytes, open_files) for file in files]

    def _segment(self, file: dict[str, Any], record_bytes: int, open_files: contextlib.ExitStack) -> Segment:
        path, size = self.folder / file["file"], file["records"] * record_bytes
        try:
            length = path.stat().st_size
        except OSError as error:
            raise _damaged(path, error.strerror or str(error)) from error
        if length != size:
            raise _damaged(path, f"it has {length:,} bytes instead of {size:,}")
        if size == 0:
            return Segment(0, file["first"], 0)
        with path.open("rb") as handle:
            block = mmap.mmap(handle.fileno(), size, access=mmap.ACCESS_COPY)
        if hashlib.blake2b(block, digest_size=16).hexdigest() != file["digest"]:
            block.close()
            raise _damaged(path, "its content has changed")
        address = address_of(block)
        open_files.callback(block.close)
        return Segment(address, file["first"], file["records"])


def _damaged(path: Path, reason: str) -> CheckpointError:
    return _unusable(f"{path} of the checkpoint is damaged: {reason}")
