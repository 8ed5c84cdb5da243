"""What can go wrong with a specification, and where it was written."""

from __future__ import annotations

import difflib
import inspect
import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.sentences import Given, Sentence, Writer

from .source_text import present_text, source_text

SHOWN_BITS, SHOWN_DEPTH, SHOWN_PARTS = 1_000, 5, 20
MOST_COUNTED = 10**15
BRACKETS: dict[type, str] = {tuple: "({})", list: "[{}]", dict: "{{{}}}", set: "{{{}}}"}

_ROOT = Path(__file__).resolve().parents[2]


def shown_path(file: str) -> str:
    """The path people see: relative to the installed packages or to the working directory when below them."""
    path = Path(file)
    own = _shown_own(path) if path.is_absolute() else None
    if own is not None:
        return own
    path = path.absolute()
    for base in (_ROOT, Path.cwd()):
        if path.is_relative_to(base):
            return printable(path.relative_to(base).as_posix())
    return printable(str(path))


@cache
def _shown_own(path: Path) -> str | None:
    """The path that people see of a file that is installed here, wherever they work; None of others."""
    return printable(path.relative_to(_ROOT).as_posix()) if path.is_relative_to(_ROOT) else None


def shown_count(number: int) -> str:
    """A number of values or of choices as messages tell it, however large."""
    return f"{number:,}" if number < MOST_COUNTED else f"more than 10**{len(str(MOST_COUNTED)) - 1}"


def shown_value(value: object, depth: int = 0) -> str:
    """What messages show of a value: its text, of which parts are left out if it has very many."""
    if type(value) is int and value.bit_length() > SHOWN_BITS:
        return f"an integer of {value.bit_length():,} bits"
    if type(value) not in BRACKETS or not isinstance(value, dict | tuple | list | set) or not value:
        return repr(value)
    shown, inside = [], depth + 1
    for part in itertools.islice(value, SHOWN_PARTS if depth < SHOWN_DEPTH else 0):
        entry = f": {shown_value(value[part], inside)}" if isinstance(value, dict) else ""
        shown.append(shown_value(part, inside) + entry)
    if len(shown) < len(value):
        shown.append("...")
    comma = "," if type(value) is tuple and len(value) == 1 else ""
    return BRACKETS[type(value)].format(", ".join(shown) + comma)


def printable(text: str, lines: bool = False) -> str:
    """The text as one line that a terminal shows and does not obey: white space is a space, what has no shape a "?".

    With `lines` line ends stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or (lines and c == "\n") else " " if c.isspace() else "?" for c in text)


def require_printable(text: object, what: str, where: SourceLine | None = None) -> None:
    """Raise LanguageError unless a text that reports show is one line of printable text. `what` names it."""
    if not isinstance(text, str) or not text.isprintable():
        kind = "one line without control characters" if isinstance(text, str) else "a text"
        raise LanguageError(f"{what} must be {kind}, because reports show it, not {text!a:.80}", where)


@dataclass(frozen=True, order=True)
class SourceLine:
    """A line of a specification: the file as shown to people, the line number (from 1) and the function it is in."""

    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def source_line(function: Callable[..., Any]) -> SourceLine:
    """Where a function's `def` stands."""
    found = inspect.unwrap(function)
    code = (found if type(found) is FunctionType else function).__code__
    first = code.co_firstlineno
    text = source_text(code) or present_text(code.co_filename)
    for line in range(first, first + 20) if text is not None else ():
        if text is not None and text.line(line).lstrip().startswith("def "):
            first = line
            break
    return SourceLine(shown_path(code.co_filename), first, function.__name__)


def text_of(error: BaseException) -> str:
    """What an exception of the user's code says, on one line, also if that cannot be had."""
    try:
        return " ".join(str(error).split())[:300]
    except KeyboardInterrupt:
        raise
    except BaseException:  # __str__ is the user's code, too
        return "it cannot say what is wrong"


def said(error: BaseException) -> str:
    """An exception of the user's code with its type: `ValueError: no`."""
    name: str = type.__dict__["__name__"].__get__(type(error))  # a metaclass may have other ideas
    text = text_of(error)
    return f"{name}: {text}" if text else name


class SpecificationError(EpochalError):
    """A specification is wrong. The message says what, `where` says the line, `advice` what to write instead."""

    def __init__(self, message: Sentence, where: SourceLine | None = None, advice: Sentence = "") -> None:
        super().__init__(message, advice)
        self.message = printable(self.message, lines=True)
        self.where = where

    def told(self, writer: Writer) -> str:
        """The error as text in which bounds and settings are written so."""
        place = f"{self.where}: " if self.where else ""
        return f"{place}{printable(super().told(writer), lines=True)}"


class LoadError(SpecificationError):
    """The specification cannot be loaded: no such file, a syntax error, an exception while it is imported."""

    exit_code = ExitCode.NOT_LOADED


class LanguageError(SpecificationError):
    """The specification uses Python outside the language, or fails a static check."""

    exit_code = ExitCode.STATIC_CHECKS


class BoundsError(SpecificationError):
    """A bound or a setting is missing, unknown, or outside what the protocol allows.

    `given` are those that the message names, with their values. `allowed` is the least and the greatest value of the
    first, if it is one of a range.
    """

    exit_code = ExitCode.USAGE

    def __init__(
        self,
        message: Sentence,
        where: SourceLine | None = None,
        advice: Sentence = "",
        allowed: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message, where, advice)
        self.given = tuple(part for part in message if isinstance(part, Given))
        self.allowed = allowed


class EvaluationError(SpecificationError):
    """A rule could not be evaluated in a state: an index out of range, a value outside its domain, none as a value."""

    exit_code = ExitCode.EVALUATION_FAILED


class Disabled(Exception):
    """Raised by `require` in the Python semantics: the action is not enabled in this state."""


class OutOfBounds(Disabled):
    """Raised by `bounded` in the Python semantics: only a bound of the model stops the action."""


# -- suggestions ------------------------------------------------------------------------------------------------------
# Nearest names, for messages about a name that does not exist.


CUTOFF = 0.55


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like `name`, or None if none does."""
    by_folded = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), list(by_folded), n=1, cutoff=CUTOFF)
    return by_folded[found[0]] if found else None


def advice(name: str, known: Iterable[str], what: str) -> str:
    """`Did you mean kip-320?`, or all known names if none is near. `what` is their plural, as in `properties`."""
    names = list(known)
    found = nearest(name, names)
    if found is not None:
        return f"Did you mean {found}?"
    return f"Known {what}: {', '.join(names)}." if names else f"There are no {what}."


def undefined(error: NameError) -> str:
    """What to do where a rule reads a name that has no value there."""
    if isinstance(error, UnboundLocalError):
        return "Assign it on every way that leads here."
    return f"The name {error.name} means nothing here: define or import it, or correct it."


def of_the_same_number(said: str, names: Iterable[str]) -> list[str]:
    """The names that somebody may have meant: one with other numbers in it is another thing, and no typing error.

    Without a number in what was said all of them may be meant.
    """
    numbers = re.findall(r"[0-9]+", said)
    return [name for name in names if not numbers or re.findall(r"[0-9]+", name) == numbers]
