"""Reassignments (KIP-455)."""

from __future__ import annotations

from tests.brokers.scenario import Scenario, Stage


def play(stage: Stage) -> None:
    """Move a partition from brokers 1 and 2 to 2 and 3, and then to 3 and 1."""
    stage.create(1, 2, min_insync_replicas="1")
    stage.sent(3)
    stage.reassign(2, 3)
    stage.wait(leader=2, isr=[2, 3], replicas=[2, 3])
    stage.sent(2)
    stage.reassign(3, 1)
    stage.wait(leader=3, isr=[1, 3], replicas=[3, 1])
    stage.sent(2)
    assert list(stage.read().values()) == [f"r{number}" for number in range(1, 8)]


SCENARIO = Scenario("reassignment", "A partition moves to other brokers twice, and its leader with it.", play)
