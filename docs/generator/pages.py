"""The generated pages by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .catalogue import catalogue
from .codes import codes
from .commands import commands
from .examples import examples
from .graded import graded_rules
from .pairs import pairs
from .protocols import protocols
from .python import python
from .shown_bugs import shown_bugs
from .words import words

DOCS = Path(__file__).resolve().parents[1]
PAGES: dict[str, Callable[[], str]] = {
    "examples.md": examples,
    "kafka/gallery.md": shown_bugs,
    "kafka/rules-graded.md": graded_rules,
    "reference/catalogue.md": catalogue,
    "reference/commands.md": commands,
    "reference/exit-codes.md": codes,
    "reference/pairs.md": pairs,
    "reference/protocols.md": protocols,
    "reference/python.md": python,
    "reference/words.md": words,
}
