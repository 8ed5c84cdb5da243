"""What Python's own classes are to patterns, order and texts: the facts that both compilations of a rule go by."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from epochal.spec.language import Identifier

SELF_MATCHING = (bool, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose pattern with one part matches that with the whole value."""
SEQUENCES = (tuple, list, range)
"""What a pattern of several parts can match."""
TEXTS = (int, str, Identifier, type(None))
"""Of what a text can be made in a rule: what reads alike in every run."""
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def field_at(kind: Any, place: int) -> str:
    """The field that a pattern of a class names by its place; "" if there is none."""
    names: tuple[str, ...] = () if kind in SELF_MATCHING else getattr(kind, "__match_args__", ())
    return names[place] if place < len(names) else ""
