"""What a run shows, and the codes of a state: what everything about traces has in common."""

from __future__ import annotations

Codes = tuple[int, ...]
"""A state, as the codes of its leaves."""

DEADLOCK = "deadlock"
"""The verdict of a run to a state where nothing more happens and should."""

NOT_INDUCTIVE = "not-inductive"
"""The verdict of a counterexample to induction."""
