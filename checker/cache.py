"""The user's cache folder: results that can be had again, kept under the digest of everything they depend on.

An entry ends with a checksum of itself. One that is torn or corrupt is as good as none, and a folder that cannot be
written is not used: a cache may save time and must never change a result. Any number of processes may share it.
"""

from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import dataclass
from pathlib import Path

CHECKSUM_BYTES = 20


def cache_folder() -> Path:
    """Where results are kept: `EPOCHAL_CACHE_DIR`, else the user's cache folder."""
    chosen = os.environ.get("EPOCHAL_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "epochal"


@dataclass(frozen=True)
class Cache:
    """One kind of entries: the folder `kind` with files `*.suffix`, of which `most` are kept."""

    kind: str
    suffix: str
    most: int

    def path(self, key: str) -> Path:
        """Where the entry of a key is, or would be."""
        return cache_folder() / self.kind / f"{key}.{self.suffix}"

    def read(self, key: str) -> bytes | None:
        """The entry of a key; None if there is none, or none that is whole."""
        try:
            stored = self.path(key).read_bytes()
        except OSError:
            return None
        content, checksum = stored[:-CHECKSUM_BYTES], stored[-CHECKSUM_BYTES:]
        return content if _checksum(content) == checksum else None

    def write(self, key: str, content: bytes) -> bool:
        """Keep an entry; whether that was possible."""
        at = self.path(key)
        try:
            at.parent.mkdir(parents=True, exist_ok=True)
            beside = at.with_name(f"{at.name}.{os.getpid()}.{threading.get_ident()}")
            beside.write_bytes(content + _checksum(content))
            beside.replace(at)
        except OSError:
            return False
        return True

    def forget_oldest(self) -> None:
        """Keep the cache small: remove the entries that were written longest ago. Another process may do so too."""
        try:
            kept = [(path.stat().st_mtime, path.name, path) for path in self.path("").parent.glob(f"*.{self.suffix}")]
            for _, _, path in sorted(kept)[: -self.most]:
                path.unlink(missing_ok=True)
        except OSError:
            return


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).digest()
