"""min.insync.replicas is raised; since Kafka 4.1 the controller then clears the ELR (KIP-966, KAFKA-16540)."""

from __future__ import annotations

from tests.brokers.process import wait_until
from tests.brokers.scenario import Scenario, Stage


def play(stage: Stage) -> None:
    """With one broker in the ISR raise min.insync.replicas from 1 to 2: acks=all is refused until a second is back."""
    stage.create(1, 2, 3, min_insync_replicas="1")
    stage.sent(2)
    stage.kill(3)
    stage.wait(leader=1, isr=[1, 2])
    stage.kill(2)
    stage.wait(leader=1, isr=[1])
    stage.sent(1)
    stage.configure(min_insync_replicas="2")
    wait_until("the leader has the new setting", lambda: stage.send() == [None], 15, 0.5)
    stage.sent(1, acks="1")
    stage.start(2)
    stage.wait(leader=1, isr=[1, 2])
    stage.sent(2)
    stage.start(3)
    stage.wait(leader=1, isr=[1, 2, 3])
    assert {"r1", "r2", "r3"} < set(stage.read().values())


SCENARIO = Scenario(
    "raised-min-isr",
    "min.insync.replicas is raised while one broker is in the ISR: acks=all is refused until a second is back.",
    play,
)
