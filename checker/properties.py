"""The properties of a protocol, and whether they are judged on states or on steps."""

from __future__ import annotations

import inspect

from spec.language import Member, Protocol
from spec.language.marks import Kind

KINDS: tuple[Kind, ...] = ("invariant", "action_property", "reachable")


def all_properties(protocol: Protocol, lemmas: bool = False) -> list[Member]:
    """Every property of a protocol: invariants, then action properties, then what must be reachable.

    With `lemmas` its lemmas follow, which are then judged like invariants.
    """
    kinds = (*KINDS, "lemma") if lemmas else KINDS
    return [member for kind in kinds for member in protocol.members(kind)]


def is_step_property(member: Member) -> bool:
    """Whether the property is judged on steps (its method takes the new state) and not on single states."""
    return len(inspect.signature(member.function).parameters) > 1
