"""What can be wrong with the files a search is given."""

from __future__ import annotations


class CheckpointError(Exception):
    """A folder that is no checkpoint, is damaged, or belongs to another search. The message says what to do."""
