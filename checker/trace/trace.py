"""The one trace type: a run that prints as its story, becomes ITF, and is drawn in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.files import writing
from . import itf
from .run import DEADLOCK, NOT_INDUCTIVE, Codes, Run, Step
from .text import story

__all__ = ["DEADLOCK", "NOT_INDUCTIVE", "Codes", "Step", "Trace"]


@dataclass(frozen=True, repr=False)
class Trace(Run):
    """A run of a protocol within bounds, and what it shows. `print(trace)` is the story, `save` writes it for tools."""

    def __str__(self) -> str:
        """The run as a story, step by step."""
        return "\n".join(story(self))

    def __repr__(self) -> str:
        """What the run shows, in a line."""
        return f"<Trace of {self.property_id or 'a run'}: {self.verdict}, {self.length} states>"

    def to_dict(self) -> dict[str, Any]:
        """The run in ITF, Apalache's format of traces, with its facts in the metadata."""
        return itf.encode(self)

    def save(self, path: str | Path) -> None:
        """Write the run to a file in ITF, `found.itf.json`. `epochal.replay` and `epochal replay` read it again.

        Raises EngineError if it cannot be written there.
        """
        with writing(Path(path), "Give a path in a folder where you may write, on a disk with room."):
            itf.write_trace(Path(path), self)

    def to_html(self, file: str = "") -> str:
        """The run as a page of its own, which needs no network: lanes, guards, what else was possible, what was true.

        `file` is where the run is as ITF, for the command that replays it. Raises LanguageError for a view that fails.
        """
        from .report.html import to_html

        return to_html(self, file)

    def _repr_html_(self) -> str:
        """The page without its script, for a notebook."""
        from .report.html import framed

        return framed(self)

    def _repr_markdown_(self) -> str:
        """The story and its sequence diagram, for a notebook."""
        from .text import markdown

        return markdown(self, "")
