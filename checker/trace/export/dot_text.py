"""Text within DOT: quoted so that nothing in it is read, and folded so that a box is no wider than it must be."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Final

WIDE: Final = 44
"""How many characters a line of a box has at most, unless one word is longer."""

LONGEST: Final = 2_000
"""How much of a text a box shows: a picture of more cannot be looked at, and graphviz cannot make one."""


def quoted(lines: Iterable[str], left: bool = True) -> str:
    """Lines as one quoted string, each flush left or in the middle."""
    end = r"\l" if left else r"\n"
    escaped = [_escaped(line) for line in lines]
    return '"' + end.join(escaped) + (end if left and escaped else "") + '"'


def folded(lines: Iterable[str], wide: int = WIDE) -> list[str]:
    """The lines, each of them cut where it is longer than a box is wide, and what follows indented."""
    found = []
    for line in lines:
        text = line if len(line) <= LONGEST else f"{line[:LONGEST]}..., {len(line):,} characters"
        parts = textwrap.wrap(text, wide, subsequent_indent="  ", break_long_words=len(text) > LONGEST)
        found += parts or [""]
    return found


def _escaped(line: str) -> str:
    shown = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in line)
    return shown.replace("\\", "\\\\").replace('"', '\\"')
