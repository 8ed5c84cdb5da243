"""Where a search begins."""

from __future__ import annotations

from checker.reading import Codes, PythonReading
from spec.language import LanguageError, Protocol


def initial_states(protocol: Protocol) -> list[Codes]:
    """The initial states. Raises LanguageError if there is none, or one that the state constraint excludes."""
    found = protocol.initial_states()
    if not found:
        raise LanguageError(
            f"{protocol.name or type(protocol).__name__} has no initial state",
            advice="Let some choice of initial's parameters pass all of its requires.",
        )
    reading = PythonReading(protocol)
    for codes in found:
        if not reading.within_constraint(codes):
            raise LanguageError(
                "an initial state lies outside the state constraint",
                protocol.members("constraint")[0].where,
                "Widen the constraint, or begin inside it.",
            )
    return found
