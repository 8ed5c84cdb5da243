"""KIP-279, Kafka 2.0: a new follower truncates to the longest common prefix with its leader."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier
from .follower import longest_common_prefix
from .truncate_to_hw import TruncateToHw


class Kip279(TruncateToHw):
    """Kafka 2.0: a new follower truncates to the longest common prefix with its leader (KIP-279, KAFKA-6361)."""

    name: ClassVar[str] = "kip-279"

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """OffsetForLeaderEpoch, version 1, iterated: it ends where the two logs last agree."""
        return longest_common_prefix(self, follower, leader)
