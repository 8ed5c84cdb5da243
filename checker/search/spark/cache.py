"""Owner tables on a worker's disk: only a cache, but one that spares reading the whole log at every level.

A cache is a folder named after its partition and the token of the attempt that last wrote to it. An attempt claims it
by renaming it, which only one can do, and gives it the name of its own token when it is done. So a table is used only
if the attempt that left it is the one that the manifest names; one that a dead attempt left open, one of an attempt
that did not count and one of another level are never found, and a second copy of a task builds its own from the log.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from .memory import FileBlock
from .owner import TableSize

HEAD = "head.json"


@dataclass(frozen=True)
class TableCache:
    """The caches of one run on this machine, below a folder."""

    folder: Path

    def claim(self, shard: int, token: str, attempt: str) -> ClaimedTable | None:
        """The table that the attempt with this token left, for nobody else; None if it is not here."""
        claimed = self._open_name(shard, attempt)
        try:
            (self.folder / f"{shard}-{token}").rename(claimed)
            head = json.loads((claimed / HEAD).read_text(encoding="ascii"))
        except (OSError, ValueError):  # not here, or wiped in this moment: the log has everything
            shutil.rmtree(claimed, ignore_errors=True)
            return None
        if head.pop("system") != _system():
            shutil.rmtree(claimed, ignore_errors=True)
            return None
        return ClaimedTable(claimed, TableSize(**head))

    def make(self, shard: int, attempt: str) -> ClaimedTable:
        """A new, empty table. Raises OSError."""
        claimed = self._open_name(shard, attempt)
        claimed.mkdir(parents=True)
        return ClaimedTable(claimed, None)

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
        """A block of the table."""
        return FileBlock(self.folder / name, size)

    def close(self, size: TableSize, shard: int, token: str) -> None:
        """Leave the table, complete, to the next level. Raises OSError."""
        (self.folder / HEAD).write_text(json.dumps({**asdict(size), "system": _system()}), encoding="ascii")
        for file in self.folder.glob("table-*"):
            if file.name != f"table-{size.slots}":
                file.unlink()
        self.folder.rename(self.folder.parent / f"{shard}-{token}")

    def discard(self) -> None:
        """Remove the table."""
        shutil.rmtree(self.folder, ignore_errors=True)


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
