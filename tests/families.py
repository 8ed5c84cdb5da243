"""Registered protocols that between them have every rule: all of the classic family, one of each other family.

The rest are the same with a rule taken away, and have tests of their own; compiling each takes seconds.
"""

from __future__ import annotations

from epochal.spec.registry import REGISTRY

CLASSIC = [name for name, where in REGISTRY.items() if where.startswith("epochal.spec.classic.")]
SPREAD = [*CLASSIC, "quorum", "zookeeper", "kraft"]
