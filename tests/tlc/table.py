"""The table of docs/tla.md, made of what was kept: python -m tests.tlc.table writes it."""

from __future__ import annotations

from pathlib import Path

from .__main__ import kept
from .rows import NAMES

PAGE = Path(__file__).parents[2] / "docs" / "tla.md"
BEGIN, END = "<!-- tlc: begin -->\n", "<!-- tlc: end -->\n"


def table() -> str:
    """A row for each protocol: its bounds, what TLC counted, and which properties it found violated."""
    found = kept()
    rows = [
        "| protocol | bounds | states | depth | violated, states of a shortest run | TLC |",
        "|---|---|---|---|---|---|",
    ]
    for name in NAMES:
        one = found.get(name)
        if one is None:
            rows.append(f"| `{name}` | | | | | not asked yet |")
            continue
        bounds = " ".join(f"{bound} {value}" for bound, value in one["bounds"].items())
        violated = ", ".join(f"`{name}` {length}" for name, length in one.get("violated", {}).items())
        said = "refused" if "refused" in one else "; ".join(one["differences"]) or "the same"
        rows.append(
            f"| `{name}` | {bounds} | {one.get('states', 0):,} | {one.get('depth', '')} | {violated} | {said} |"
        )
    return "\n".join(rows) + "\n"


def written(page: str) -> str:
    """A page with the table of today."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
