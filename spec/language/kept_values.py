"""Values that nobody can change, kept for all states that have them: most of what a state is read into is the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

MOST = 1 << 16
"""How many are kept: after so many all are forgotten."""


class KeptValues:
    """The values that a domain has read, by their codes."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def one(self, code: int, read: Callable[[int], Any]) -> Any:
        """The value with a code."""
        found = self._kept.get(code)
        return self._keep(code, read(code)) if found is None else found

    def several(self, codes: Sequence[int], at: int, leaves: int, read: Callable[[Sequence[int], int], Any]) -> Any:
        """What so many leaves from a place on are read into. The caller copies the container, and shares the rest."""
        of = tuple(codes[at : at + leaves])
        found = self._kept.get(of)
        return self._keep(of, read(codes, at)) if found is None else found

    def _keep(self, of: Hashable, found: Any) -> Any:
        if len(self._kept) >= MOST:
            self._kept.clear()
        self._kept[of] = found
        return found
