"""Of many lemmas the few that an obligation is likely to need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..parametric.rules import Predicate

OFTEN, SMALL = 5, 4
"""So many of the lemmas that most obligations use are always likely, and those that read no more leaves than this."""

Used = Mapping[str, frozenset[str]]
"""By row and column, the lemmas that were used (`likely`)."""


def place(row: str, column: str) -> str:
    """A cell."""
    return f"{row} {column}"


def always(used: Used, lemmas: Sequence[Predicate]) -> frozenset[str]:
    """The lemmas that are likely everywhere; none if nothing is known."""
    if not used:
        return frozenset()
    count = Counter(name for at, names in sorted(used.items()) for name in names if not at.endswith(" " + name))
    often = sorted(count, key=lambda name: (-count[name], name))[:OFTEN]
    return frozenset(often) | {one.member.name for one in lemmas if len(one.reads) <= SMALL}
