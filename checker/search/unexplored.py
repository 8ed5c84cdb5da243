"""The result of a search that has not begun: a budget was spent while the specification was being compiled."""

from __future__ import annotations

import time
from dataclasses import replace

from epochal.spec.language import Protocol

from ..base.machine import peak_memory
from .budget import BudgetExceeded
from .findings import chosen_properties
from .result import ActionResult, CheckResult, Counts, Options, PropertyResult


def unexplored(
    protocol: Protocol, options: Options, engine: str, stopped: BudgetExceeded, wall: float, cpu: float
) -> CheckResult:
    """Nothing was explored, and nothing is known. `wall` and `cpu` are when the search was asked for."""
    actions = tuple(ActionResult(action.name, 0, 0) for action in protocol.members("action"))
    result = CheckResult.of(
        protocol,
        engine,
        stopped.reason,
        Counts(actions=actions),
        tuple(PropertyResult(member, "unknown") for member in chosen_properties(protocol, options)),
    )
    return replace(
        result,
        wall_seconds=time.monotonic() - wall,
        cpu_seconds=time.process_time() - cpu,
        peak_memory_bytes=peak_memory(),
    )
