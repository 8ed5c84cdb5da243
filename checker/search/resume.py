"""Going on from a checkpoint: read, compared with what is asked for, and redistributed over the workers."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from ..host.files import held
from ..native.llvm.jit import MachineCode
from ..native.runtime.redistribute import Segment, redistribute
from ..native.runtime.worker_pool import WorkerPool
from .checkpoint import FORMAT, MANIFEST, VERSION, digest_of
from .errors import CHECKPOINT, RESUME, CheckpointError, in_words


class Checkpoint:
    """A checkpoint in a folder, whose manifest has been read. Raises CheckpointError if there is none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / MANIFEST
        try:
            self.document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise CheckpointError(
                (
                    f"{folder} has no checkpoint: {error.strerror or error}.\n  ",
                    CHECKPOINT,
                    " writes one; so does a search that a budget stops.",
                )
            ) from error
        except (ValueError, RecursionError) as error:
            raise CheckpointError((f"{path} is damaged: {error}.\n  Start again without ", RESUME, ".")) from error
        if not isinstance(self.document, dict) or self.document.get("format") != FORMAT:
            raise CheckpointError((f"{path} is not the manifest of a checkpoint.\n  Start again without ", RESUME, "."))
        if self.document.get("version") != VERSION:
            raise CheckpointError(
                (
                    f"{path} has version {self.document.get('version')} of the format, and this is version "
                    f"{VERSION}.\n  Resume with the version of Epochal that wrote it, or start again without ",
                    RESUME,
                    ".",
                )
            )
        if self.document.get("digest") != digest_of(self.document):
            raise CheckpointError((f"{path} is damaged: its content has changed.\n  Start again without ", RESUME, "."))

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
            kept = self.document.get(key)
            if json.dumps(kept) != json.dumps(wanted):
                raise CheckpointError(
                    (
                        f"the checkpoint in {self.folder} belongs to another search, with {key.replace('_', ' ')} "
                        f"{in_words(kept)} instead of {in_words(wanted)}.\n"
                        "  Ask for the same as then, or start again without ",
                        RESUME,
                        ".",
                    )
                )

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
            raise self._damaged(path, error.strerror or str(error)) from error
        if length != size:
            raise self._damaged(path, f"it has {length:,} bytes instead of {size:,}")
        if size == 0:
            return Segment(0, file["first"], 0)
        with path.open("rb") as handle:
            block = mmap.mmap(handle.fileno(), size, access=mmap.ACCESS_COPY)
        if hashlib.blake2b(block, digest_size=16).hexdigest() != file["digest"]:
            block.close()
            raise self._damaged(path, "its content has changed")
        address = ctypes.addressof(ctypes.c_char.from_buffer(block))
        open_files.callback(block.close)
        return Segment(address, file["first"], file["records"])

    def _damaged(self, path: Path, reason: str) -> CheckpointError:
        return CheckpointError((f"{path} of the checkpoint is damaged: {reason}.\n  Start again without ", RESUME, "."))
