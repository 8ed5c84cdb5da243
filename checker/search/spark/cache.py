"""Owner tables on a worker's disk: only a cache, but one that spares reading the whole log at every level.

A cache is a folder named after its partition and the token of the attempt that last wrote to it. An attempt claims it
by renaming it, which only one can do, and gives it the name of its own token when it is done. So a table is used only
if the attempt that left it is the one that the manifest names; one that a dead attempt left open, one of an attempt
that did not count and one of another level are never found, and a second copy of a task builds its own from the log.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from ...host.cache import intruders
from .errors import ClusterError
from .memory import FileBlock
from .owner import TableSize

HEAD = "head"
CHECKSUM_BYTES = 16


@dataclass(frozen=True)
class TableCache:
    """The caches of one run on this machine, below a folder."""

    folder: Path

    def claim(self, shard: int, token: str, attempt: str) -> ClaimedTable | None:
        """The table that the attempt with this token left, for nobody else; None if it is not here."""
        claimed = self._open_name(shard, attempt)
        try:
            self._refuse_intruders()
            (self.folder / f"{shard}-{token}").rename(claimed)
            size = _size((claimed / HEAD).read_bytes())
        except (OSError, ValueError):  # not here, or wiped in this moment: the log has everything
            shutil.rmtree(claimed, ignore_errors=True)
            return None
        return ClaimedTable(claimed, size)

    def make(self, shard: int, attempt: str) -> ClaimedTable:
        """A new, empty table. Raises OSError, and ClusterError where others could write to it."""
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._refuse_intruders()
        claimed = self._open_name(shard, attempt)
        claimed.mkdir(parents=True)
        return ClaimedTable(claimed, None)

    def _refuse_intruders(self) -> None:
        """A table is believed as it is, so the folder of all runs, whose name can be guessed, must be one's own."""
        base = self.folder.parent
        if problem := intruders(base):
            raise ClusterError(
                f"the folder for tables, {base}, {problem}: remove it there, or name another on every worker with "
                "--conf spark.epochal.cacheDir=DIR"
            )

    def _open_name(self, shard: int, attempt: str) -> Path:
        return self.folder / f"{shard}-{attempt}.{os.getpid()}.open"

    def forget_stale(self, shard: int) -> None:
        """Remove what is left of a partition by attempts that are over: none of it will be claimed."""
        for path in self.folder.glob(f"{shard}-*"):
            if path.suffix != ".open" or not _alive(int(path.suffixes[-2][1:])):
                shutil.rmtree(path, ignore_errors=True)


@dataclass(frozen=True)
class ClaimedTable:
    """A table that belongs to one attempt until it is closed. `size` is None for a new one."""

    folder: Path
    size: TableSize | None

    def block(self, name: str, size: int) -> FileBlock:
        """A new block of the table."""
        return FileBlock(self.folder / name, size, new=True)

    def kept_block(self, name: str, size: int) -> FileBlock:
        """A block that the table has. Raises OSError if it has none, ValueError for one that is shorter."""
        return FileBlock(self.folder / name, size, new=False)

    def close(self, size: TableSize, shard: int, token: str) -> None:
        """Leave the table, complete, to the next level. Raises OSError."""
        (self.folder / HEAD).write_bytes(_head(size))
        for file in self.folder.glob("table-*"):
            if file.name != f"table-{size.slots}":
                file.unlink()
        self.folder.rename(self.folder.parent / f"{shard}-{token}")

    def discard(self) -> None:
        """Remove the table."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _head(size: TableSize) -> bytes:
    """What a table's folder says of it, after a checksum."""
    text = json.dumps({**asdict(size), "system": _system()}).encode()
    return _checksum(text) + text


def _size(head: bytes) -> TableSize:
    """The inverse of `_head`. Raises ValueError if it is damaged, or of another boot, machine or version."""
    checksum, text = head[:CHECKSUM_BYTES], head[CHECKSUM_BYTES:]
    if checksum != _checksum(text):
        raise ValueError("not as it was written")
    facts = json.loads(text)
    if facts.pop("system") != _system():
        raise ValueError("of another system")
    try:
        return TableSize(**facts)
    except TypeError as error:
        raise ValueError("of another version") from error


def _checksum(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=CHECKSUM_BYTES).digest()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _system() -> str:
    """This boot of this machine: pages that were never written to the disk do not survive it."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return str(os.uname().nodename)
