"""The bounds within which TLC searches each registered protocol: small, so that all of them take minutes."""

from __future__ import annotations

from typing import Any

from epochal.spec.language import Protocol
from epochal.spec.loading import load_protocol
from epochal.spec.registry import REGISTRY, family_of

WITHIN: dict[str, dict[str, int]] = {
    "classic": {"replicas": 2, "log_size": 2, "records": 2, "max_epoch": 1},
    "kraft": {
        "replication_factor": 2,
        "records": 1,
        "max_epoch": 2,
        "lossy_crashes": 1,
        "fencings": 1,
        "shrinks": 1,
        "elections": 1,
    },
    "quorum": {"voters": 2, "log_size": 2, "max_epoch": 2},
    "zookeeper": {"brokers": 2, "controllers": 2, "log_size": 1, "max_version": 2, "stops": 1},
    "epoch_cache": {"log_size": 2, "max_epoch": 2, "failures": 2},
    "balancing": {"brokers": 2, "partitions": 2, "failures": 2},
    "transactions": {"instances": 1, "transactions": 1, "last_epoch": 3, "failovers": 1, "timeouts": 1},
    "share_groups": {"records": 1, "members": 1, "deliveries": 2, "max_epoch": 1, "deletions": 1},
    "diskless": {"producers": 1, "batches": 2, "objects": 2, "entries": 2, "failovers": 1, "deletions": 1},
}
"""By family, the bounds that are more than the least."""
OWN: dict[str, dict[str, int]] = {}
"""Those of single protocols, in the place of their family's."""


def within(name: str) -> Protocol:
    """A registered protocol within its bounds for TLC."""
    kind = load_protocol(name)
    declared = kind.bounds_type().declared()
    wanted = OWN.get(name, WITHIN[family_of(name)])
    bounds: dict[str, Any] = {
        bound: max(field.least, wanted.get(bound, field.least)) for bound, field in declared.items()
    }
    return kind(**bounds)


NAMES = tuple(name for name in REGISTRY if family_of(name) in WITHIN)
