"""A controlled shutdown, and a preferred election after it (KIP-460)."""

from __future__ import annotations

from tests.brokers.scenario import Scenario, Stage


def play(stage: Stage) -> None:
    """Stop the preferred leader in good order, start it again, and have it elected."""
    stage.create(1, 2, 3, min_insync_replicas="2")
    stage.sent(2)
    stage.stop(1)
    stage.wait(leader=2, isr=[2, 3])
    stage.sent(2)
    stage.start(1)
    stage.wait(leader=2, isr=[1, 2, 3])
    stage.elect("preferred")
    stage.wait(leader=1, isr=[1, 2, 3])
    stage.sent(2)
    assert list(stage.read().values()) == [f"r{number}" for number in range(1, 7)]


SCENARIO = Scenario(
    "preferred-election",
    "The preferred leader is stopped in good order, comes back and is elected.",
    play,
)
