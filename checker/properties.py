"""The properties of a protocol, and whether they are judged on states or on steps."""

from __future__ import annotations

import inspect

from spec.language import Member, Protocol
from spec.language.marks import Kind

KINDS: tuple[Kind, ...] = ("invariant", "action_property", "reachable")


def all_properties(protocol: Protocol) -> list[Member]:
    """Every property of a protocol: invariants, then action properties, then what must be reachable."""
    return [member for kind in KINDS for member in protocol.members(kind)]


def is_step_property(member: Member) -> bool:
    """Whether the property is judged on steps (its method takes the new state) and not on single states."""
    return len(inspect.signature(member.function).parameters) > 1
