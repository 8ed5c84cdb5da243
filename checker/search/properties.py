"""Which properties a search is asked to check."""

from __future__ import annotations

from epochal.checker.properties import all_properties, chosen
from epochal.spec.language import Member, Protocol

from .result import Options


def chosen_properties(protocol: Protocol, options: Options) -> list[Member]:
    """The properties that the options ask for. Raises UsageError for an id that the protocol does not have."""
    if options.properties is None:
        return all_properties(protocol, options.lemmas)
    return chosen(protocol, options.properties, options.lemmas, options.liveness)
