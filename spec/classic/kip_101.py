"""KIP-101, Kafka 0.11 to 1.1: a new follower asks the leader where its last epoch ends."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier
from .truncate_to_hw import TruncateToHw


class Kip101(TruncateToHw):
    """Kafka 0.11 to 1.1: a new follower truncates to where the leader says its last epoch ends (KIP-101)."""

    name: ClassVar[str] = "kip-101"

    # Where the leader's answer is beyond the follower's log end, this model, as the one that the community shares, has
    # no step, and Kafka's follower cuts off nothing and goes on: what would be told of such followers is not of Kafka.
    high_watermark_catches_up = None  # type: ignore[assignment]  # taken away
    follower_joins_isr = None  # type: ignore[assignment]  # taken away
    followers_reach_the_end = None  # type: ignore[assignment]  # taken away

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """OffsetForLeaderEpoch, version 0: the leader answers with an offset only.

        It answers where the first epoch after the follower's last one starts in its own log, or its log end if that
        epoch is also its last. Where it has no answer the follower falls back to its high watermark (KAFKA-7415).
        """
        mine, theirs = self.replicas[follower], self.replicas[leader]
        if len(mine.log) == 0:
            return 0
        asked = mine.log.last.epoch
        if len(theirs.log) == 0:
            return mine.hw
        if theirs.log.last.epoch == asked:
            return len(theirs.log)
        return min((o for o in range(len(theirs.log)) if theirs.log[o].epoch > asked), default=mine.hw)
