"""Whether two known values are alike: nothing that a rule can ask of them tells them apart.

Values that are equal need not be: True is 1, two dictionaries are equal in whatever order their keys are, and a data
class may leave a field out of its comparison.
"""

from __future__ import annotations

import enum
from typing import Any

from epochal.spec.language import Identifier

COMPARED = (int, str, bytes, bool, range, type(None), type(...))
DEEPEST = 50
"""Values that are nested deeper count as different."""


def alike(a: Any, b: Any, depth: int = 0) -> bool:
    """Whether two known values are alike."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b) or depth > DEEPEST:
        return False
    if kind in COMPARED:
        return repr(a) == repr(b) if kind is range else bool(a == b)
    if kind in (float, complex):
        return repr(a) == repr(b)  # 0.0 == -0.0
    if isinstance(a, Identifier):
        return bool(a == b)
    if isinstance(a, enum.Enum | type):
        return False
    if kind in (tuple, list):
        return _sequences(a, b, depth)
    if kind is dict:
        return _sequences(list(a.items()), list(b.items()), depth)
    if isinstance(a, set | frozenset):
        partners = {one: one for one in b}
        return len(a) == len(b) and all(one in partners and alike(one, partners[one], depth + 1) for one in a)
    if isinstance(a, tuple) and not _sequences(tuple(a), tuple(b), depth):
        return False
    return _objects(a, b, depth)


def _sequences(a: Any, b: Any, depth: int) -> bool:
    return len(a) == len(b) and all(alike(x, y, depth + 1) for x, y in zip(a, b, strict=True))


def _objects(a: Any, b: Any, depth: int) -> bool:
    """Two objects of one class that keep all they have in attributes."""
    slots = [name for owner in type(a).__mro__ for name in _names(vars(owner).get("__slots__", ()))]
    kept = [{**getattr(one, "__dict__", {}), **{n: getattr(one, n, None) for n in slots}} for one in (a, b)]
    known = bool(kept[0]) or isinstance(a, tuple)
    return known and kept[0].keys() == kept[1].keys() and all(alike(kept[0][n], kept[1][n], depth + 1) for n in kept[0])


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
