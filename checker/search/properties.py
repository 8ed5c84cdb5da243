"""Which properties a search is asked to check."""

from __future__ import annotations

from epochal.checker.properties import all_properties
from epochal.spec.language import LanguageError, Member, Protocol

from .result import Options


def chosen_properties(protocol: Protocol, options: Options) -> list[Member]:
    """The properties that the options ask for. Raises LanguageError for an id that the protocol does not have."""
    found = all_properties(protocol, options.lemmas)
    if options.properties is None:
        return found
    known = {member.name for member in found}
    for name in options.properties:
        if name not in known:
            raise LanguageError(f"{protocol.name or type(protocol).__name__} has no property {name!r}")
    return [member for member in found if member.name in options.properties]
