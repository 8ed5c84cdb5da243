"""Protocols at bounds that the search tests use."""

from __future__ import annotations

from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.classic.truncate_to_hw import TruncateToHw
from epochal.spec.language import Protocol
from epochal.spec.registry import registered


def classic(name: str, replicas: int, log_size: int, records: int, max_epoch: int) -> Protocol:
    """A protocol of the classic family."""
    return registered(name)(ClassicBounds(replicas, log_size, records, max_epoch))


def small_faulty() -> TruncateToHw:
    """353 states; both ISR invariants fail."""
    return TruncateToHw(ClassicBounds(2, 1, 1, 1))


def middling() -> Kip320:
    """39,619 states; everything holds."""
    return Kip320(ClassicBounds(3, 2, 2, 1))
