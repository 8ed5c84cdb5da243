"""The bugs and holes that evidence may show, by the names that the catalogue has for them."""

from __future__ import annotations

from collections.abc import Iterable

from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug

_BY_ID = {bug.id: bug for bug in KNOWN_BUGS}


def finding(id: str) -> KnownBug:
    """The entry of the catalogue with a number."""
    return _BY_ID[id]


N1, S10, S15, H1 = (finding(id).name for id in ("N1", "S10", "S15", "H1"))
N2, S18, S20, S27 = (finding(id).name for id in ("N2", "S18", "S20", "S27"))

BY_CLEAN_EVENTS = ("N1", "S10", "S15", "H1")
"""What loses a committed record without a crash and without an unclean election."""


def by_clean_events(version: str) -> str:
    """Those of a version: `Replica.resetReplicaState (N1) or Partition.makeLeader (S15)`."""
    return " or ".join(bug.name for bug in map(finding, BY_CLEAN_EVENTS) if bug.was_in(version))


def is_among(about: str, of: Iterable[str]) -> bool:
    """Whether what may be one of several findings is one of these for sure."""
    return " or " in about and any(one in about.split(" or ") for one in of)
