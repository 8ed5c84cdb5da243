"""What a replica remembers of leader epochs, and the words its rules are told in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..language import *


@dataclass(frozen=True)
class EpochCacheBounds(Bounds):
    """How long the log is, and how much may go wrong."""

    log_size: int = bound(
        3, least=1, most=6, help="the number of offsets in the log", why="each offset multiplies the number of states"
    )
    max_epoch: int = bound(
        2, least=0, most=5, help="the greatest leader epoch", why="each epoch multiplies the number of states"
    )
    failures: int = bound(1, least=0, most=3, help="the number of unclean shutdowns")


B = EpochCacheBounds

NONE = -1
"""No leader epoch, or no offset (UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET)."""

Epoch = Annotated[int, Integers(0, B.max_epoch)]
KnownEpoch = Annotated[int, Integers(NONE, B.max_epoch)]
Offset = Annotated[int, Integers(0, B.log_size)]
KnownOffset = Annotated[int, Integers(NONE, B.log_size)]
Failures = Annotated[int, Integers(0, B.failures)]


class EpochCacheState(Protocol):
    """One replica of one partition. The log, its start, and the file are on disk; the cache is not.

    The log has the leader epoch of each record; below `start` they are deleted, and blank. The cache has the start
    offset of each epoch that it knows, and `file` what was written of it. `leads` and `leader_epoch` are the role of
    the replica. `in_vain` is whether a follower was told that it diverges, and will ask the same again.
    """

    bounds: EpochCacheBounds

    log: Annotated[Log[KnownEpoch], Capacity(B.log_size)]
    start: Offset
    cache: Map[Epoch, KnownOffset]
    file: Map[Epoch, KnownOffset]
    leads: bool
    leader_epoch: KnownEpoch
    failures: Failures
    in_vain: Ghost[bool]

    # -- words ----------------------------------------------------------------------------------------------------

    def end(self) -> int:
        """The log end offset."""
        return len(self.log)
