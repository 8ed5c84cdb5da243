"""The modern protocol with a partition that moves: `kraft-reassignment`, under the settings of any version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from ..language import BoundsError, Given, SettingValue, bound
from .configuration import ConfigurableKraft
from .generations import VERSIONS, Version, known_as, numbered
from .options.overlapping import OverlappingReassignments
from .options.reassignment import ReassignmentBounds

FIRST_WITH_REASSIGNMENTS: Version = (3, 0)
"""ReplicationControlManager of 2.8 knows no AlterPartitionReassignments."""

LEFT_OUT = "kraft-reassignment leaves these steps out, kraft has them"


@dataclass(frozen=True)
class KraftReassignmentBounds(ReassignmentBounds):
    """As always, with defaults for a partition that moves twice: a crash, and brokers that are one change behind."""

    metadata_lag: int = bound(
        1, least=1, most=4, help="how many change records a broker may be behind", why="each is stored"
    )
    fencings: int = bound(0, least=0, most=4, help="the number of live brokers that are fenced")
    shrinks: int = bound(
        0, least=0, most=0, help="the number of times a leader drops slow followers from the ISR", why=LEFT_OUT
    )
    elections: int = bound(0, least=0, most=0, help="the number of elections while the leader is alive", why=LEFT_OUT)
    reassignments: int = bound(3, least=0, most=4, help="the number of reassignments begun, overridden or cancelled")


class KraftReassignment(OverlappingReassignments, ConfigurableKraft):
    """KRaft as designed, and the partition is reassigned: replicas come and go (KIP-455).

    With a version (`--kafka 4.3`) its rule of when a reassignment is complete (KAFKA-15665, KAFKA-19975), who stays
    eligible (W4), and what an override leaves behind (H7). Brokers leave the ISR by a crash or by being fenced; slow
    followers, controlled shutdowns and elections in place of a live leader are left out: a search takes seconds so.
    """

    name: ClassVar[str] = "kraft-reassignment"
    bounds: KraftReassignmentBounds

    @classmethod
    def configured(cls, configuration: Mapping[str, SettingValue]) -> type[Self]:
        """As always. Raises BoundsError for KRaft 2.8, whose controller could not reassign (KIP-455 in KRaft: 3.0)."""
        kafka = known_as(str(configuration.get("kafka", "")))
        if kafka in VERSIONS and numbered(kafka) < FIRST_WITH_REASSIGNMENTS:
            raise BoundsError(
                (Given("kafka", kafka), ": its KRaft controller cannot reassign partitions"),
                advice="Choose 3.0 or newer, or kraft instead of kraft-reassignment.",
            )
        return super().configured(configuration)

    @classmethod
    def small_bounds(cls) -> Mapping[str, int]:
        """343,000 states of the newest rules, with a crash that loses data; the third reassignment shows no more."""
        if cls.bounds_type() is not KraftReassignmentBounds:
            return {}
        return {**{name: field.default for name, field in cls.bounds_type().declared().items()}, "reassignments": 2}

    propose_shrink = None  # type: ignore[assignment]  # taken away
    shut_down = None  # type: ignore[assignment]  # taken away
    elect_preferred_leader = None  # type: ignore[assignment]  # taken away
    propose_without_fetch = None  # type: ignore[assignment]  # taken away

    # At bounds of a few seconds the partition is never without a leader: `kraft` shows these.
    no_leader = None  # type: ignore[assignment]  # taken away
    leader_returns = None  # type: ignore[assignment]  # taken away
    isr_empty = None  # type: ignore[assignment]  # taken away
    elected_from_elr = None  # type: ignore[assignment]  # taken away
