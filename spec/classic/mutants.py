"""KIP-320 with one of its fences taken away: what each of them is for."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier
from .kip_279 import Kip279
from .kip_320 import Kip320


class Kip320M1(Kip320):
    """KIP-320 with an unfenced truncation query: a new follower asks a leader of any epoch where to truncate."""

    name: ClassVar[str] = "kip-320-m1"
    become_follower = Kip279.become_follower


class Kip320M2(Kip320):
    """KIP-320 without KAFKA-7128: the ISR may grow while the leader's high watermark is still stale."""

    name: ClassVar[str] = "kip-320-m2"

    def hw_is_current(self, leader: Identifier) -> bool:
        """Always true: the rule is missing."""
        return True


class Kip320M3(Kip320):
    """KIP-320 with an unfenced high watermark: followers of any epoch count as having acknowledged."""

    name: ClassVar[str] = "kip-320-m3"
    advance_high_watermark = Kip279.advance_high_watermark
