"""The rooms of the project, from docs/rooms.toml: their order, and the table of ARCHITECTURE.md."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURE: Final = ROOT / "ARCHITECTURE.md"
HEAD: Final = "| room | what it does | it knows nothing of |\n|---|---|---|\n"


class Row(NamedTuple):
    """Some rooms that do one thing together, by their module names in `epochal`, and what they leave to others."""

    names: tuple[str, ...]
    does: str
    ignores: str


def _rows() -> tuple[Row, ...]:
    listed = tomllib.loads((ROOT / "docs/rooms.toml").read_text(encoding="utf-8"))["room"]
    return tuple(Row(tuple(one["names"]), one["does"], one["ignores"]) for one in listed)


ROWS: Final = _rows()
ROOMS: Final = tuple(name for row in ROWS for name in row.names)
"""All rooms from the ground up: a room may import those before it."""


def path_of(name: str) -> str:
    """The folder or file of a room, from the root of the repository."""
    top = "" if name.partition(".")[0] in ("spec", "checker", "cli") else "src/epochal/"
    path = top + name.replace(".", "/")
    return path if (ROOT / path).is_dir() else f"{path}.py"


def with_rooms(text: str) -> str:
    """A page with the table of rooms as it is now. Raises ValueError if the page has no such table."""
    start = text.index(HEAD) + len(HEAD)
    end = text.index("\n\n", start) + 1
    lines = (f"| {', '.join(f'`{path_of(n)}`' for n in row.names)} | {row.does} | {row.ignores} |\n" for row in ROWS)
    return text[:start] + "".join(lines) + text[end:]
