"""The scenarios that are recorded, a file each."""

from __future__ import annotations

from tests.brokers.scenario import Scenario
from tests.brokers.scenarios import (
    cleared_elr,
    controller_change,
    isr_shrink,
    leader_change,
    preferred_election,
    raised_min_isr,
    reassignment,
    unclean_election,
)

SCENARIOS: dict[str, Scenario] = {
    module.SCENARIO.name: module.SCENARIO
    for module in (
        leader_change,
        isr_shrink,
        preferred_election,
        unclean_election,
        reassignment,
        raised_min_isr,
        cleared_elr,
        controller_change,
    )
}
"""All scenarios by name."""
