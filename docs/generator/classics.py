"""The table of docs/from-other-languages.md: the classics, with what their docstrings say of them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .markdown import table

ROOT: Final = Path(__file__).resolve().parents[2]
CLASSICS: Final = ROOT / "examples" / "classics"
PAGE: Final = ROOT / "docs" / "from-other-languages.md"
BEGIN: Final = "<!-- made by `python -m docs.generator` from examples/classics -->\n"
END: Final = "<!-- as far as it is made -->\n"

_DOCSTRING: Final = re.compile(
    r"(?P<title>.+?)\n\nSource: (?P<source>.+?)\nStates:\n(?P<states>(?: {4}.+\n)+)Awkward: (?P<awkward>.+)", re.DOTALL
)
_COUNT: Final = re.compile(r" {4}(?P<protocol>\w+)\((?P<bounds>.*)\): (?P<states>\d+)(?:, depth (?P<depth>\d+))?")


@dataclass(frozen=True)
class Count:
    """A published count: a protocol of a classic within bounds, its states, and the depth if that is published, too.

    The depth is the number of states in a longest of the shortest runs, as TLC and Epochal count it.
    """

    protocol: str
    bounds: dict[str, int]
    states: int
    depth: int | None


@dataclass(frozen=True)
class Classic:
    """What the docstring of a file of examples/classics says: what it is, where from, the counts, what is awkward."""

    path: Path
    title: str
    source: str
    counts: tuple[Count, ...]
    awkward: str


def classics() -> list[Classic]:
    """Every classic. Raises ValueError for a file whose docstring has another form."""
    return [_read(path) for path in sorted(CLASSICS.glob("*.py"))]


def _read(path: Path) -> Classic:
    """What the docstring of a file says. Raises ValueError if it has another form."""
    said = _DOCSTRING.fullmatch(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
    if said is None:
        raise ValueError(f"{path.name}: the docstring has no title, Source, States and Awkward, in this order")
    title, source, awkward = (" ".join(said[part].split()) for part in ("title", "source", "awkward"))
    return Classic(path, title, source, tuple(_count(path, line) for line in said["states"].splitlines()), awkward)


def _count(path: Path, line: str) -> Count:
    """A line of States. Raises ValueError if it is not as `TwoPhase(managers=3): 288, depth 11`."""
    said = _COUNT.fullmatch(line)
    if said is None:
        raise ValueError(f"{path.name}: {line.strip()} is no count of states")
    pairs = (one.split("=") for one in said["bounds"].split(", ") if one)
    bounds = {name: int(value) for name, value in pairs}
    return Count(said["protocol"], bounds, int(said["states"]), int(said["depth"]) if said["depth"] else None)


def _rows() -> list[list[str]]:
    """A row for each count; the first of a file says also where it is from, and what is awkward."""
    found = []
    for classic in classics():
        for number, count in enumerate(classic.counts):
            bounds = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in count.bounds.items())
            words = [_sentence(classic.source), _sentence(classic.awkward)] if number == 0 else ["", ""]
            found.append(
                [
                    f"`{classic.path.name}:{count.protocol}`",
                    bounds,
                    f"{count.states:,}",
                    str(count.depth or ""),
                    *words,
                ]
            )
    return found


def _sentence(text: str) -> str:
    """A text that begins with a capital letter, unless that is code."""
    return text if text.startswith("tlaplus") else text[0].upper() + text[1:]


def with_classics(text: str) -> str:
    """The page with the table as it is now. Raises ValueError if the page has no such table."""
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    heads = ["specification", "bounds", "states", "depth", "source", "what is awkward"]
    return f"{text[:start]}\n{table(heads, _rows())}\n\n{text[end:]}"
