"""Every known bug that the specifications show. The index of `counterexamples/` is made from this."""

from __future__ import annotations

from .classic import history as classic
from .known_bug import KnownBug
from .quorum import history as quorum
from .zookeeper import history as zookeeper

KNOWN_BUGS: tuple[KnownBug, ...] = (
    *classic.KNOWN_BUGS,
    *quorum.KNOWN_BUGS,
    *zookeeper.KNOWN_BUGS,
)


def known_bug(protocol: str, property_id: str, bounds: tuple[tuple[str, int], ...] = ()) -> KnownBug | None:
    """What is known of the violation of a property by a protocol within its default bounds, or within these."""
    found = (b for b in KNOWN_BUGS if b.protocol == protocol and b.bounds == bounds and property_id in b.properties)
    return next(found, None)
