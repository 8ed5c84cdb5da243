"""What can be wrong with the files a search is given."""

from __future__ import annotations

from typing import Final

from epochal.errors import UsageError
from epochal.sentences import Given

RESUME: Final = Given("resume")
CHECKPOINT: Final = Given("checkpoint")
"""The options of a search that messages name."""


class CheckpointError(UsageError):
    """A folder that is no checkpoint, is damaged, or belongs to another search. The message says what to do."""


def in_words(kept: object) -> str:
    """What a manifest holds, as people write it: bounds, a list of properties, a digest."""
    if isinstance(kept, dict):
        return ", ".join(f"{name} {number}" for name, number in kept.items())
    if isinstance(kept, list):
        return ", ".join(map(str, kept)) or "none"
    return str(kept)
