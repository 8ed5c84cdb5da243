"""The digest of a file's bytes. A process that asks again reads a file once, as long as nobody writes it."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

DIGEST_BYTES = 20
SETTLED = 5.0
"""For how many seconds a file must have been left alone before its digest is remembered.

Two changes that follow closely may have the same time: clocks of file systems tick slowly.
"""

_Stamp = tuple[int, int, int, int, int]

_KNOWN: dict[Path, tuple[_Stamp, bytes]] = {}


def file_digest(file: Path) -> bytes:
    """The digest of the bytes that a file has now. Raises OSError.

    The system sets the time of the last change of a file itself, and a program cannot choose it.
    """
    status = file.stat()
    stamp = _stamp(status)
    known = _KNOWN.get(file)
    if known is not None and known[0] == stamp:
        return known[1]
    found = hashlib.blake2b(file.read_bytes(), digest_size=DIGEST_BYTES).digest()
    if abs(time.time() - status.st_ctime) > SETTLED and abs(time.time() - status.st_mtime) > SETTLED:
        _KNOWN[file] = (stamp, found)
    return found


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
