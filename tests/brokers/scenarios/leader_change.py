"""A clean change of leader: kill -9, another leads, the first comes back."""

from __future__ import annotations

from tests.brokers.scenario import Scenario, Stage


def play(stage: Stage) -> None:
    """Kill the leader, send to the next one, start the first again."""
    stage.create(1, 2, 3, min_insync_replicas="2")
    stage.sent(3)
    stage.kill(1)
    stage.wait(leader=2, isr=[2, 3])
    stage.sent(3)
    stage.start(1)
    stage.wait(leader=2, isr=[1, 2, 3])
    stage.sent(2)
    assert list(stage.read().values()) == [f"r{number}" for number in range(1, 9)]


SCENARIO = Scenario(
    "leader-change",
    "A leader is killed, another is elected, and the first comes back as its follower.",
    play,
)
