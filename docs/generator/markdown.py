"""Pieces of Markdown, and docstrings as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence

MADE = "<!-- made by `python -m docs.generator`; change the code instead -->"
CODE = re.compile(r"::\n\n((?:[ ]{4}[^\n]*\n|\n)+)")


def page(title: str, *parts: str) -> str:
    """A generated page."""
    return "\n\n".join((f"# {title}", MADE, *(part.strip("\n") for part in parts if part))) + "\n"


def anchor(heading: str) -> str:
    """The name by which a link finds a heading, as MkDocs gives it."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def cell(text: str) -> str:
    """A text that can stand in a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)


def fenced(text: str, language: str = "text", mark: str = "") -> str:
    """A block of code."""
    comment = f"<!-- {mark} -->\n" if mark else ""
    return f"{comment}```{language}\n{text.strip(chr(10))}\n```"


def docstring(thing: object) -> str:
    """The docstring of a thing, its examples as blocks that are not run."""
    text = inspect.getdoc(thing) or ""

    def block(match: re.Match[str]) -> str:
        return ":\n\n" + fenced(inspect.cleandoc(match[1]), "python", "excerpt: of a docstring") + "\n\n"

    return CODE.sub(block, text + "\n").strip()
