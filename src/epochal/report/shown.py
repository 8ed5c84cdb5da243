"""Text as it goes to a terminal or a log: what it says is shown, and nothing in it is obeyed."""

from __future__ import annotations

import os
import re
import sys

COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
"""What GitHub Actions takes for a command of a workflow: two colons at the beginning of a line, or after spaces."""


def shown_text(text: str) -> str:
    """The text without control characters, and in GitHub Actions without lines that it would take for a command.

    Only the gate's own annotations are such lines.
    """
    clean = text if text.replace("\n", "").isprintable() else _printable(text)
    return COMMAND.sub(r"\1: ", clean) if os.environ.get("GITHUB_ACTIONS") == "true" else clean


def _printable(text: str) -> str:
    from epochal.spec.language.errors import printable  # the language takes a while to import, and few texts need this

    return printable(text, lines=True)


def tell(text: str) -> None:
    """Tell something on stderr."""
    print(shown_text(text), file=sys.stderr, flush=True)
