"""What the parametric reading has no place for."""

from __future__ import annotations

from epochal.spec.language import LanguageError, SourceLine


class NoReading(LanguageError):
    """A construct has no first-order reading. The message names it, the advice says what to write instead."""

    def __init__(self, what: str, advice: str, where: SourceLine | None = None) -> None:
        super().__init__(f"{what} has no reading for every choice of the bounds", where, advice)


class TwoSets(NoReading):
    """Identifiers of one prefix are two sets, so that no rule has a reading."""


class PathEnds(Exception):
    """Evaluation certainly fails here, or a guard is certainly false: what follows is not run."""
