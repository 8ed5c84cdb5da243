"""The result of a search that has not begun: a budget was spent while the specification was being compiled."""

from __future__ import annotations

import time

from epochal.spec.language import Protocol

from ..host.measure import peak_memory
from ..ir.digest import Digest
from .patience import OutOfPatience
from .properties import chosen_properties
from .result import ActionResult, CheckResult, Options, PropertyResult


def unexplored(
    protocol: Protocol, options: Options, engine: str, spent: OutOfPatience, wall: float, cpu: float
) -> CheckResult:
    """Nothing was explored, and nothing is known. `wall` and `cpu` are when the search was asked for."""
    nothing = str(Digest())
    return CheckResult(
        protocol=protocol,
        engine=engine,
        cut=str(spent),
        limit=spent.limit,
        distinct_states=0,
        generated_states=0,
        depth=0,
        state_digest=nothing,
        step_digest=nothing,
        wall_seconds=time.monotonic() - wall,
        cpu_seconds=time.process_time() - cpu,
        search_cpu_seconds=0.0,
        peak_memory_bytes=peak_memory(),
        state_memory_bytes=0,
        properties=tuple(PropertyResult(member, "unknown") for member in chosen_properties(protocol, options)),
        actions=tuple(ActionResult(action.name, 0, 0) for action in protocol.members("action")),
        dead_ends=0,
        left_constraint=0,
    )
