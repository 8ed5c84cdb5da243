"""KIP-320 with one rule as it was before: bugs that shorter ones hide in the generation that had them.

Kafka 0.11 to 2.0 lacked several rules at once, and the shortest run shows the cheapest hole only. Here each is alone.
"""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, Set, view
from .kip_279 import Kip279
from .kip_320 import Kip320
from .state import Epoch, Replica


class Kip320OffsetOnly(Kip320):
    """KIP-320, but the truncation query is answered with an offset only, as before KIP-279 (KAFKA-6361)."""

    name: ClassVar[str] = "kip-320-offset-only"

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """KIP-101: to where the first epoch after the follower's last one starts in the leader's log."""
        mine, theirs = self.replicas[follower].log, self.replicas[leader].log
        if len(mine) == 0:
            return 0
        starts = (o for o in range(len(theirs)) if theirs[o].epoch > mine.last.epoch)
        return min(len(mine), min(starts, default=len(theirs)))


class Kip320EpochFloor(Kip320):
    """KIP-320, but a follower that has no epoch as old as the one answered trusts the leader's offset (Kafka 2.0.0)."""

    name: ClassVar[str] = "kip-320-epoch-floor"

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """KAFKA-7415: the lookup gave no answer for an epoch below the first cached one, not even on the follower.

        So the follower cut back to the leader's offset, as before KIP-279.
        """
        mine, theirs = self.replicas[follower].log, self.replicas[leader].log
        if len(mine) == 0:
            return 0
        end = sum(1 for record in theirs if record.epoch <= mine.last.epoch)
        if end > 0 and theirs[end - 1].epoch < mine[0].epoch:
            return min(len(mine), end)
        return super().truncation_offset(follower, leader)


class Kip320OwnEpochUnknown(Kip320):
    """KIP-320, but a leader does not know its own epoch until it has appended (KAFKA-7415)."""

    name: ClassVar[str] = "kip-320-own-epoch-unknown"

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """Asked for an epoch that is greater than all in its log, the leader has no answer.

        The follower then falls back to its own high watermark.
        """
        mine, theirs = self.replicas[follower].log, self.replicas[leader].log
        if len(mine) > 0 and all(record.epoch < mine.last.epoch for record in theirs):
            return self.replicas[follower].hw
        return super().truncation_offset(follower, leader)


class Kip320UnfencedFetch(Kip320):
    """KIP-320, but a fetch does not say which epoch the follower is in: a zombie follower is served (KAFKA-6880)."""

    name: ClassVar[str] = "kip-320-unfenced-fetch"
    fetch = Kip279.fetch


class Kip320FencedOnce(Kip320):
    """KIP-320, but only the first fetch of a session is fenced (KAFKA-9338, Kafka 2.1 to 2.4.0).

    `in_session` are the followers whose fetch session the leader has accepted since they began to follow it.
    """

    name: ClassVar[str] = "kip-320-fenced-once"

    in_session: Set[Replica]

    def become_follower(self, follower: Replica, leader: Replica, epoch: Epoch) -> None:
        """As always; with a new epoch a new session begins."""
        super().become_follower(follower, leader, epoch)
        self.in_session -= {follower}

    def become_leader(self, leader: Replica, epoch: Epoch) -> None:
        """As always; who leads has no session."""
        super().become_leader(leader, epoch)
        self.in_session -= {leader}

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """KIP-227: an incremental session keeps the partition, and did not keep the epoch of its first request."""
        if follower in self.in_session:
            Kip279.fetch(self, follower, leader)
        else:
            super().fetch(follower, leader)
            self.in_session |= {follower}

    @view(of="replica")
    def session_in_words(self, replica: Replica) -> str:
        """Whether a follower is in a fetch session."""
        return "in a fetch session" if replica in self.in_session else ""
