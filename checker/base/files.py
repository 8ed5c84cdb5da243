"""Writing files so that a reader finds the old content or the new one, never a part; and folders of one run alone."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from epochal.errors import EngineError

LOCK = "lock"
"""The file in a folder whose lock a run holds as long as it uses the folder."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write `content`, text as UTF-8, to a new file beside `path`, and give it that name.

    A link is followed, and what is not a regular file (a pipe, a terminal) is written directly. Raises OSError; then
    the old content, if there was any, is untouched.
    """
    write_together({path: content})


def write_together(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files like `write_atomically`: none gets its name before all are on the disk."""
    written: dict[Path, Path] = {}
    try:
        with contextlib.ExitStack() as held:
            for path, content in contents.items():
                data = content.encode() if isinstance(content, str) else content
                target = Path(os.path.realpath(path))
                if target.exists() and not target.is_file():
                    target.write_bytes(data)
                    continue
                file = held.enter_context(_beside(target, written))
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            for target, beside in written.items():
                beside.replace(target)
    except BaseException:
        for beside in written.values():
            beside.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _beside(target: Path, written: dict[Path, Path]) -> Iterator[BinaryIO]:
    """A new file beside another, entered in `written` and locked; those that a killed process has left are removed."""
    left = re.compile(re.escape(f".{target.name}.") + r"\d+\.\d+\.tmp")
    for path in target.parent.iterdir():
        if left.fullmatch(path.name):
            _remove_left(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    while target not in written:
        with beside.open("xb") as file:
            with contextlib.suppress(OSError):  # a file system without locks: there nothing is removed either
                fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:  # nobody has removed it before it was locked
                written[target] = beside
                yield file


def _remove_left(beside: Path) -> None:
    """Remove a file that was to be given a name, unless a process that lives is writing it."""
    with contextlib.suppress(OSError), beside.open("rb") as file:  # what cannot be removed does no harm
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        beside.unlink()


@contextlib.contextmanager
def one_after_the_other(folder: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """While this lasts, no other run is in here with the same folder: it waits, and says so.

    The folder itself is locked, so that nothing is left in it. A process that ends, however it does, lets go. On a file
    system without locks nobody waits. Raises OSError for a folder that cannot be opened.
    """
    opened = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(opened, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EINVAL):
                raise
        yield
    finally:
        os.close(opened)


@contextlib.contextmanager
def held(folder: Path, shared: bool = False) -> Iterator[bool]:
    """Hold a folder as long as this lasts; whether that was possible, or another run holds it.

    Any number of runs may hold it `shared`, to read it. A process that ends, however it does, lets go. Raises OSError.
    """
    flags = os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT
    with contextlib.ExitStack() as opened:
        alone = True
        try:
            file = os.open(folder / LOCK, flags | os.O_CLOEXEC, 0o666)
            opened.callback(os.close, file)
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            alone = False
        except FileNotFoundError:
            if not shared:
                raise  # who reads needs no lock where nobody has ever written
        yield alone


@contextlib.contextmanager
def writing(path: Path, advice: str = "Give --out a place where you may write, on a disk with room.") -> Iterator[None]:
    """Tell a failure to write as one about `path`, with exit code 153, whichever temporary file was refused."""
    try:
        yield
    except OSError as error:
        raise EngineError(
            f"{path}: nothing can be written there: {error.strerror or error}.\n  {advice}",
        ) from error


# -- file digest ------------------------------------------------------------------------------------------------------
# The digest of a file's bytes. A process that asks again reads a file once, as long as nobody writes it.

DIGEST_BYTES = 20
SETTLED = 5.0
"""For how many seconds a file must have been left alone before its digest is remembered.

Two changes that follow closely may have the same time: clocks of file systems tick slowly.
"""

_KNOWN: dict[Path, tuple[tuple[int, ...], bytes]] = {}


def file_digest(file: Path) -> bytes:
    """The digest of the bytes that a file has now. Raises OSError.

    The system sets the time of the last change of a file itself, and a program cannot choose it.
    """
    status = file.stat()
    stamp = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    known = _KNOWN.get(file)
    if known is not None and known[0] == stamp:
        return known[1]
    found = hashlib.blake2b(file.read_bytes(), digest_size=DIGEST_BYTES).digest()
    if abs(time.time() - status.st_ctime) > SETTLED and abs(time.time() - status.st_mtime) > SETTLED:
        _KNOWN[file] = (stamp, found)
    return found
