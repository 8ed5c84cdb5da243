"""Healthy recordings that no run of the specification explains yet. Each says what it has that the model has not."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal

FOLDER = Path(__file__).parent / "not_explained"


@pytest.mark.xfail(
    strict=True, reason="a late heartbeat of a dead process unfences its broker; see docs/conformance.md"
)
def test_a_late_heartbeat_unfences_a_broker_whose_process_is_dead() -> None:
    """On 4.4.0: the heartbeat was held up on its way and came when the next process had started, and not registered.

    That process takes the role that the metadata gives its broker before it registers.
    """
    result = epochal.conform(FOLDER / "late-heartbeat-4.4.0.tar.xz")
    runs = result.judged.runs
    assert runs is not None and not runs.refused
