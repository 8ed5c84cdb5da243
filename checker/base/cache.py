"""The user's cache folder: results that can be had again, kept under the digest of everything they depend on.

Entries are authenticated: only the holder of the key that sealed an entry accepts it. The seal is a digest of the kind,
the key and the content of an entry under a secret. The secret stands in a file beside the entries, or comes from
`EPOCHAL_CACHE_KEY` for machines that share a folder. A torn, corrupt or foreign entry is ignored, and so is a folder
that is not writable: a cache may save time and must never change a result. Any number of processes may share it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NewType

Key = NewType("Key", str)
"""What an entry is kept by: made by `checker.identity.engine.key` alone, which holds all that the entry rests on."""

SEAL_BYTES = 32
KEY_VARIABLE = "EPOCHAL_CACHE_KEY"
KEY_FILE = "key"
KEY_BYTES = 32
DAY = 86_400.0
"""Seconds. The clocks of machines that share a cache differ by less."""


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

    @property
    def folder(self) -> Path:
        """Where the entries are."""
        return cache_folder() / self.kind

    def path(self, key: Key) -> Path:
        """Where the entry of a key is, or would be."""
        return self.folder / f"{key}.{self.suffix}"

    def entries(self) -> Iterator[Key]:
        """The keys that have an entry, whole or not."""
        yield from (Key(path.name.removesuffix(f".{self.suffix}")) for path in self.folder.glob(f"*.{self.suffix}"))

    def read(self, key: Key | None) -> bytes | None:
        """The entry of a key; None if there is none, or none that is whole and one's own, or there is no key."""
        if key is None:
            return None
        try:
            secret = _secret(cache_folder(), make=False)
            if secret is None:
                return None
            stored = self.path(key).read_bytes()
        except OSError:
            return None
        content, seal = stored[:-SEAL_BYTES], stored[-SEAL_BYTES:]
        if seal == self._seal(secret, key, content):
            with contextlib.suppress(OSError):  # of a folder that can only be read nothing is ever forgotten
                os.utime(self.path(key))
            return content
        warn(
            f"the cache {cache_folder()} has entries that are damaged, or of another user, machine or version. "
            "They are not used.\n"
            f"  They are made again; or remove the folder. Machines that share one need the same {KEY_VARIABLE}."
        )
        return None

    def write(self, key: Key | None, content: bytes) -> bool:
        """Keep an entry; whether that was possible. Nothing is kept without a key."""
        if key is None:
            return False
        at = self.path(key)
        try:
            cache_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
            secret = _secret(cache_folder(), make=True)
            if secret is None:
                return False
            at.parent.mkdir(mode=0o700, exist_ok=True)
            beside = at.with_name(f"{at.name}.{os.getpid()}.{threading.get_ident()}")
            beside.write_bytes(content + self._seal(secret, key, content))
            beside.replace(at)
        except OSError:
            return False
        return True

    def forget_oldest(self) -> None:
        """Keep the cache small: remove the entries that were used longest ago. Another process may do so too.

        An entry from the days to come was used before the clock was put back; it counts as the oldest.
        """
        kept: list[tuple[float, str]] = []
        try:
            now = time.time()
            with os.scandir(self.folder) as found:
                for entry in found:
                    name, _, unfinished = entry.name.partition(f".{self.suffix}.")
                    used = entry.stat().st_mtime
                    if unfinished:  # by a process that was killed, if it is old
                        if now - used > DAY:
                            Path(entry).unlink(missing_ok=True)
                    elif name.endswith(f".{self.suffix}"):
                        kept.append((used if used < now + DAY else 0.0, name))
            for _, name in sorted(kept)[: -self.most]:
                (self.folder / name).unlink(missing_ok=True)
        except OSError:
            return

    def _seal(self, secret: bytes, key: str, content: bytes) -> bytes:
        """What only who knows the secret can write below this content."""
        digest = hashlib.blake2b(f"{self.kind}\0{key}\0".encode(), key=secret, digest_size=SEAL_BYTES)
        digest.update(content)
        return digest.digest()


def intruders(folder: Path) -> str:
    """Who else may have written to a folder: "" if nobody. Raises OSError."""
    status = folder.stat()
    if status.st_uid != os.geteuid():
        return f"belongs to another user ({status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"can be written by others (mode {stat.S_IMODE(status.st_mode):03o})"
    return ""


def _secret(folder: Path, make: bool) -> bytes | None:
    """What entries of a folder are sealed with; None if none of them can be believed. `make` makes it if need be.

    The secret of a folder is random, and bound to the file that it stands in by the time of that file's last change,
    which no program can choose: a copy of the folder, on whatever machine, has another one. Raises OSError.
    """
    if problem := intruders(folder):
        warn(
            f"the cache {folder} {problem}, and is not used.\n"
            f"  Make it yours alone (chmod 700), remove it, or name another folder: EPOCHAL_CACHE_DIR."
        )
        return None
    shared = os.environ.get(KEY_VARIABLE)
    if shared:
        return hashlib.blake2b(shared.encode("utf-8", "surrogateescape"), digest_size=KEY_BYTES).digest()
    flags = os.O_RDWR | os.O_CREAT if make else os.O_RDONLY
    file = os.open(folder / KEY_FILE, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX if make else fcntl.LOCK_SH)  # nobody sees half of a key that is being made
        status = os.fstat(file)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            warn(
                f"the key of the cache, {folder / KEY_FILE}, could be read or written by others, and is not used.\n"
                f"  Remove {folder}: what is kept there can be computed again."
            )
            return None
        key = os.read(file, KEY_BYTES + 1)
        if len(key) != KEY_BYTES:
            if not make:
                return None
            key = os.urandom(KEY_BYTES)
            os.ftruncate(file, 0)
            os.pwrite(file, key, 0)
            os.fsync(file)
            status = os.fstat(file)
        return hashlib.blake2b(str(status.st_ctime_ns).encode(), key=key, digest_size=KEY_BYTES).digest()
    finally:
        os.close(file)


@dataclass
class _Warnings:
    """What this process has warned of, and whether it tells that itself."""

    given: list[str] = field(default_factory=list)
    told: bool = True


@cache
def _warnings() -> _Warnings:
    return _Warnings()


def collected_warnings() -> list[str]:
    """From now on warnings are not told: they are in this list, for the process that started this one."""
    _warnings().told = False
    return _warnings().given


def warn(message: str) -> None:
    """Tell something on stderr, once in this process."""
    if message in _warnings().given:
        return
    _warnings().given.append(message)
    if _warnings().told:
        with contextlib.suppress(OSError):  # nobody listens: a warning is no reason to fail
            print(f"epochal: warning: {message}", file=sys.stderr)
