"""Which files this process may read for others: those below folders that were named, also after symbolic links."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from io import FileIO
from pathlib import Path

from epochal.errors import UsageError

_folders: tuple[Path, ...] | None = None
"""The folders whose files may be read in this process; None: any."""


class NotPermitted(UsageError):
    """A file that this process may not read, whether it exists or not."""


def read_only_from(folders: Iterable[Path]) -> None:
    """From now on, this process reads what it is told to read from these folders and those below them alone.

    It is for a process that is told by others what to read. Folders have no symbolic links in them.
    """
    global _folders
    _folders = tuple(folders)


def require_permitted(path: Path) -> None:
    """Raise NotPermitted for a path that leads elsewhere, UsageError for one that leads in a circle."""
    if _folders is not None:
        _place(path, _folders)


def open_permitted(path: Path) -> FileIO:
    """Open a file to read its bytes. What is opened is what was permitted, whatever others rename meanwhile.

    Raises NotPermitted; UsageError for a path that leads in a circle; OSError.
    """
    if _folders is None:
        return path.open("rb", buffering=0)
    folder, inner = _place(path, _folders)
    at = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for number, name in enumerate(inner, 1):
            kind = os.O_DIRECTORY if number < len(inner) else os.O_NONBLOCK  # nobody waits for a pipe
            below = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | kind, dir_fd=at)
            os.close(at)
            at = below
        return os.fdopen(at, "rb", buffering=0)
    except OSError:
        os.close(at)
        raise


def _place(path: Path, folders: tuple[Path, ...]) -> tuple[Path, tuple[str, ...]]:
    """The folder that permits a path, and the names that lead from there to what it means, none of them a link."""
    try:
        real = Path(os.path.realpath(path, strict=True))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UsageError(f"the symbolic links of {path} go in a circle") from error
        real = Path(os.path.realpath(path))
    for folder in folders:
        if real.is_relative_to(folder):
            return folder, real.relative_to(folder).parts
    told = f"Only files below {', '.join(map(str, folders))} may." if folders else "No folder was named."
    raise NotPermitted(f"{path} may not be read here", told)
