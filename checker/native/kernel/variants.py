"""The two variants of a kernel function: for a worker alone, and for workers that share what they write to."""

from __future__ import annotations

from enum import Enum


class Variant(Enum):
    """Who runs a kernel function; the value is what follows its name."""

    ALONE = ""
    SHARED = "_shared"

    def named(self, function: str) -> str:
        """The name of this variant of a function."""
        return function + self.value

    @classmethod
    def of(cls, workers: int) -> Variant:
        """What so many workers run."""
        return cls.ALONE if workers == 1 else cls.SHARED
