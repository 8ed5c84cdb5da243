"""Why a search stopped before every state was explored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Limit = Literal["time", "states", "memory"]
"""What a search ran out of: its budget, or what the machine has."""


@dataclass(frozen=True)
class StopReason:
    """The reason in words, and the limit that was reached, if that is why.

    `engine_failed` says that the machine was the reason otherwise: a full disk, say.
    """

    text: str
    limit: Limit | None = None
    engine_failed: bool = False

    def __str__(self) -> str:
        return self.text


RULE_FAILED = StopReason("a rule could not be evaluated")
FIRST_VIOLATION = StopReason("stopped at the first violation")
INTERRUPTED = StopReason("interrupted")
EVERYTHING_FOUND = StopReason("stopped when everything was found")
