"""An unclean election by an operator (KIP-460), with what it loses."""

from __future__ import annotations

from tests.brokers.scenario import Scenario, Stage


def play(stage: Stage) -> None:
    """Kill the follower, send to the leader alone, kill it, and have the follower elected by an operator."""
    stage.create(1, 2, min_insync_replicas="1")
    stage.sent(2)
    stage.kill(2)
    stage.wait(leader=1, isr=[1])
    stage.sent(2)
    stage.kill(1)
    stage.wait(leader=-1)
    stage.start(2)
    stage.elect("unclean")
    stage.wait(leader=2, isr=[2])
    stage.sent(1)
    stage.start(1)
    stage.wait(leader=2, isr=[1, 2])
    stage.sent(1)
    assert list(stage.read().values()) == ["r1", "r2", "r5", "r6"]


SCENARIO = Scenario(
    "unclean-election",
    "A follower that was out of the ISR is elected: two acknowledged records are lost, the first leader truncates.",
    play,
)
