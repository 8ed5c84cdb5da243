"""Where classes and their annotations stand, for messages about them: Python remembers the lines of functions only."""

from __future__ import annotations

import inspect
import re

from .errors import SourceLine, shown_path


def class_line(owner: type) -> SourceLine | None:
    """Where a class stands; None if it was not read from a file."""
    found = _source(owner)
    return SourceLine(found[0], found[1], owner.__name__) if found else None


def annotation_line(owner: type, name: str) -> SourceLine | None:
    """Where a class, or one that it is derived from, annotates a name; None if that is not known."""
    for base in owner.__mro__:
        if name in vars(base).get("__annotations__", {}) and (found := _source(base)) is not None:
            file, first, lines = found
            for number, line in enumerate(lines, first):
                if re.match(rf"\s+{re.escape(name)}\s*:", line):
                    return SourceLine(file, number, base.__name__)
    return None


def _source(owner: type) -> tuple[str, int, list[str]] | None:
    """The file of a class, its first line and its text."""
    try:
        lines, first = inspect.getsourcelines(owner)
        return shown_path(inspect.getfile(owner)), first, lines
    except (OSError, TypeError, SyntaxError):  # it was made while the program ran, or its file has changed since
        return None
