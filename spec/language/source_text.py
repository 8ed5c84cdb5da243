"""The source text that a running function was compiled from.

A file may be edited while its functions run: in a notebook, by `importlib.reload`, by a test that writes a
specification, by a tool that keeps the time of a file. What the compiler and Z3 read, and what a message shows, must be
the text of the code that runs. Neither `linecache` nor a modification time says which that is, so code is compared: a
text belongs to a function if compiling it gives that function's code, at the place where the function says it stands.
"""

from __future__ import annotations
import __future__

import functools
import hashlib
import importlib.util
import inspect
import linecache
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Final

FUTURE: Final = functools.reduce(
    lambda flags, name: flags | int(getattr(__future__, name).compiler_flag), __future__.all_feature_names, 0
)
"""The flags of `from __future__` imports, which a notebook hands from one cell to the next without their text."""
SAME: Final = (
    *("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_exceptiontable"),
    *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount"),
)
"""What is the same of two codes that do the same, besides their constants and flags."""
SHOWN_TEXTS: Final = 512
"""How many texts are compiled and kept for later questions."""


class FileText:
    """The text of a file, and the code of its functions, by their qualified names and first lines."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.lines = text.split("\n")  # as Python counts them: a form feed ends no line
        self._codes: dict[tuple[str, int], list[CodeType]] = {}
        try:
            queue = [compile(text, file, "exec", dont_inherit=True)]
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # the file was changed since it was imported
            queue = []
        while queue:
            code = queue.pop()
            self._codes.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
            queue += [one for one in code.co_consts if isinstance(one, CodeType)]

    def has(self, code: CodeType) -> bool:
        """Whether this is the text that a function's code was compiled from."""
        return any(_does_the_same(code, one) for one in self.at(code))

    def at(self, code: CodeType) -> list[CodeType]:
        """The codes of this text that stand where `code` says that it stands, under its name."""
        return self._codes.get((code.co_qualname, code.co_firstlineno), [])

    def line(self, number: int) -> str:
        """A line, counted from 1; "" beyond the end."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def block(self, code: CodeType) -> list[str]:
        """The lines of a function with their ends, its decorators first. Raises what `inspect.getblock` does."""
        return inspect.getblock([f"{line}\n" for line in self.lines[code.co_firstlineno - 1 :]])


SEEN: Final = 16
"""How many texts of one file are remembered."""

_texts: dict[str, dict[str, str]] = {}
"""The texts that each file was seen to have, by their digests, the newest last: functions of an older one may run."""


def source_text(code: CodeType) -> FileText | None:
    """The text that a function's code was compiled from; None if no file has it, or had it when it was last read."""
    return next((text for text in _candidates(code.co_filename) if text.has(code)), None)


def present_text(file: str) -> FileText | None:
    """The text that a file has now, or that `linecache` has for a cell of a notebook; None if there is none."""
    return next(_candidates(file), None)


def shown_line(code: CodeType, number: int) -> str:
    """A line of the text that a function was compiled from, for people; "" if there is none."""
    found = source_text(code) or present_text(code.co_filename)
    return found.line(number) if found is not None else ""


def _candidates(file: str) -> Iterator[FileText]:
    """What the file says now, then what it was seen to say before, the newest first, then what `linecache` has kept."""
    try:
        now = _remembered(file, Path(file).read_bytes())
    except (OSError, ValueError):
        now = None
    if now is not None:
        yield _compiled(file, now)
    for text in reversed(list(_texts.get(file, {}).values())):
        if text != now:
            yield _compiled(file, text)
    kept = linecache.cache.get(file) if now is not None else linecache.getlines(file)
    lines = kept[2] if isinstance(kept, tuple) and len(kept) == 4 else kept
    if isinstance(lines, list) and lines and (text := "".join(lines)) != now:
        yield _compiled(file, text)


def _remembered(file: str, content: bytes) -> str | None:
    """Remember a text that functions were made of. One that cannot be decoded is none."""
    known = _texts.setdefault(file, {})
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    if digest not in known:
        try:
            known[digest] = importlib.util.decode_source(content)
        except (SyntaxError, UnicodeDecodeError):
            return None
    else:
        known[digest] = known.pop(digest)
    if len(known) > SEEN:
        del known[next(iter(known))]
    return known[digest]


@functools.lru_cache(maxsize=SHOWN_TEXTS)
def _compiled(file: str, text: str) -> FileText:
    return FileText(file, text)


def _does_the_same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes of one function are the same but for line numbers."""
    if (one.co_flags | FUTURE) != (other.co_flags | FUTURE):
        return False
    if any(getattr(one, name) != getattr(other, name) for name in SAME):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    for a, b in zip(one.co_consts, other.co_consts, strict=True):
        both = isinstance(a, CodeType) and isinstance(b, CodeType)
        if not (_does_the_same(a, b) if both else _shape(a) == _shape(b)):
            return False
    return True


def _shape(constant: object) -> object:
    """What tells constants apart: True is not 1, and a set has no order."""
    if isinstance(constant, tuple):
        return tuple(map(_shape, constant))
    return frozenset(map(_shape, constant)) if isinstance(constant, frozenset) else repr(constant)


# -- fresh source -----------------------------------------------------------------------------------------------------
# Reading a Python file as it is now, whatever Python has kept of it.
#
# Python keeps what it has compiled beside a file, and takes that for the file as long as size and second of the last
# change are the same. A specification that was changed within that second would be checked as it was before.


class FreshSource(SourceFileLoader):
    """Loads a module from its source alone: no compiled file is read, and none is written."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the module. Raises OSError, SyntaxError or ValueError where there is none."""
        path = self.get_filename(fullname)
        content = self.get_data(path)
        code: CodeType = self.source_to_code(content, path)
        _remembered(path, content)
        return code
