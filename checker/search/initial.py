"""Where a search begins."""

from __future__ import annotations

from collections.abc import Callable

from epochal.spec.language import LanguageError, Protocol
from epochal.spec.language.errors import source_line

from ..reading import Codes, PythonReading

FIRST_STATES = "making the initial states"


def initial_states(protocol: Protocol, tell: Callable[[str], None] = lambda _: None) -> list[Codes]:
    """The initial states. Raises LanguageError if there is none, or one that the state constraint excludes.

    `tell` hears now and then what is being done.
    """
    found = protocol.initial_states(lambda count: tell(f"{FIRST_STATES}, {count:,} so far"))
    if not found:
        raise LanguageError(
            f"{protocol.name or type(protocol).__name__} has no initial state",
            source_line(type(protocol).initial),
            "Let some choice of initial's parameters pass all of its requires.",
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
