"""The known bugs and design holes of Kafka's replication, over all families of protocols.

Numbers S1 to S35 are those of the project's fact sheet; N1 to N3 were found by the checker
(docs/kafka/findings.md); Q1 to Q8 are rules of the metadata quorum.
"""

from __future__ import annotations

from . import classic, epoch_cache, kraft, quorum, zookeeper
from .known_bug import KnownBug


def _place(bug: KnownBug) -> tuple[bool, bool, int, str]:
    """Where a bug stands: S before N, by number, then by letter; those without a number last, as they are listed."""
    digits = "".join(c for c in bug.id.partition(" ")[0] if c.isdigit())
    return not bug.id, not bug.id.startswith("S"), int(digits or 0), bug.id


KNOWN_BUGS: tuple[KnownBug, ...] = tuple(
    sorted((*kraft.BUGS, *classic.BUGS, *quorum.BUGS, *zookeeper.BUGS, *epoch_cache.BUGS), key=_place)
)
"""Every known bug that a specification shows, in the order of their numbers."""

CATALOGUE: tuple[KnownBug, ...] = tuple(bug for bug in KNOWN_BUGS if bug.with_rule)
"""Those that are searched without their rule and with it."""


def known_bug(protocol: str, property_id: str, bounds: tuple[tuple[str, int], ...] = ()) -> KnownBug | None:
    """What is known of the violation of a property by a protocol within its default bounds, or within these."""
    found = (b for b in bugs_of(protocol) if b.other_bounds == bounds and property_id in b.properties)
    return next(found, None)


def bugs_of(protocol: str) -> tuple[KnownBug, ...]:
    """The known bugs that a registered protocol has."""
    return tuple(bug for bug in KNOWN_BUGS if bug.without_rule == protocol)
