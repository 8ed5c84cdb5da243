"""Where in a repository a line of a specification is, for the programs that show findings beside the code."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from urllib.parse import quote

from epochal.spec.language import SourceLine


def repository_path(where: SourceLine, prefix: str) -> str:
    """The path of a line's file relative to the top of the repository.

    `prefix` is the working folder relative to that top, "" if it is the top. An absolute path stays as it is.
    """
    path = PurePosixPath(where.file)
    return str(path if path.is_absolute() or not prefix else PurePosixPath(prefix) / path)


def uri(where: SourceLine, prefix: str) -> str:
    """The same as a URI reference."""
    path = repository_path(where, prefix)
    return Path(path).as_uri() if path.startswith("/") else quote(path)


def plain(text: str) -> str:
    """The text on one line, without control characters, which XML cannot hold and terminals obey."""
    return "".join(c if c.isprintable() else " " for c in text)
