"""A follower stands still: the ISR shrinks and grows by AlterPartition (KIP-497), and nobody is fenced."""

from __future__ import annotations

from tests.brokers.configuration import Shape
from tests.brokers.scenario import Scenario, Stage


def play(stage: Stage) -> None:
    """Let a follower stand still for longer than replica.lag.time.max.ms, but not as long as its session.

    A follower at the leader's log end is in sync however long it has been silent, so one record comes in between.
    """
    stage.create(1, 2, 3, min_insync_replicas="2")
    stage.sent(2)
    stage.pause(3)
    stage.sent(1, acks="1")
    stage.wait(leader=1, isr=[1, 2])
    stage.sent(2)
    stage.resume(3)
    stage.wait(leader=1, isr=[1, 2, 3])
    stage.sent(2)
    assert list(stage.read().values()) == [f"r{number}" for number in range(1, 8)]


SCENARIO = Scenario(
    "isr-shrink",
    "A follower stands still: the leader takes it out of the ISR, and back in when it has caught up.",
    play,
    Shape(settings={"broker.session.timeout.ms": "60000"}),
)
