"""Kafka 0.8 to 0.10.2: a new follower truncates to its own high watermark."""

from __future__ import annotations

from typing import ClassVar

from .controller import Controller
from .follower import UnfencedFollower
from .leader import UnfencedLeader
from .promises import Promises
from .properties import Properties
from .views import Views


class TruncateToHw(UnfencedFollower, UnfencedLeader, Controller, Properties, Promises, Views):
    """Kafka 0.8 to 0.10.2: a new follower truncates to its own high watermark (the bug of KIP-101, KAFKA-1211).

    The follower learns the leader's high watermark one fetch late. Truncating to a stale one removes committed records
    from a member of the ISR.
    """

    name: ClassVar[str] = "truncate-to-hw"
