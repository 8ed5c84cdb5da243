"""The one trace type: an initial state and the steps from it, which prints itself as a story."""

from __future__ import annotations

from dataclasses import dataclass

from .data import Step, TraceData
from .text import story
from .verdicts import NOT_INDUCTIVE, Codes

__all__ = ["NOT_INDUCTIVE", "Codes", "Step", "Trace"]


@dataclass(frozen=True, repr=False)
class Trace(TraceData):
    """A run of a protocol within bounds. Its fields are those of `TraceData`."""

    def __str__(self) -> str:
        """The run as a story, step by step."""
        return "\n".join(story(self))

    def __repr__(self) -> str:
        """What the run shows, in a line."""
        return f"<Trace of {self.property_id or 'a run'}: {self.verdict}, {self.length} states>"
