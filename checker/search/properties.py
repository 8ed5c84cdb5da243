"""Which properties a search checks, and on what they are judged."""

from __future__ import annotations

import inspect

from spec.language import LanguageError, Member, Protocol
from spec.language.marks import Kind

from .result import Options

KINDS: tuple[Kind, ...] = ("invariant", "action_property", "reachable")


def all_properties(protocol: Protocol) -> list[Member]:
    """Every property of a protocol: invariants, then action properties, then what must be reachable."""
    return [member for kind in KINDS for member in protocol.members(kind)]


def chosen_properties(protocol: Protocol, options: Options) -> list[Member]:
    """The properties that the options ask for. Raises LanguageError for an id that the protocol does not have."""
    found = all_properties(protocol)
    if options.properties is None:
        return found
    known = {member.name for member in found}
    for name in options.properties:
        if name not in known:
            raise LanguageError(f"{protocol.name or type(protocol).__name__} has no property {name!r}")
    return [member for member in found if member.name in options.properties]


def is_step_property(member: Member) -> bool:
    """Whether the property is judged on steps (its method takes the new state) and not on single states."""
    return len(inspect.signature(member.function).parameters) > 1
