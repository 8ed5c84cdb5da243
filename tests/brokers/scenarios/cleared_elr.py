"""The ELR of a partition is cleared when min.insync.replicas changes (KAFKA-16540); before Kafka 4.1 it stays empty."""

from __future__ import annotations

from tests.brokers.scenario import Scenario, Stage


def play(stage: Stage) -> None:
    """Take two of three brokers away, so that one leaves the ISR for the ELR, and lower min.insync.replicas."""
    stage.create(1, 2, 3, min_insync_replicas="2")
    stage.sent(2)
    stage.kill(3)
    stage.wait(leader=1, isr=[1, 2])
    stage.kill(2)
    stage.wait(leader=1, isr=[1])
    stage.describe()
    stage.configure(min_insync_replicas="1")
    stage.describe()
    stage.start(2)
    stage.wait(leader=1, isr=[1, 2])
    stage.start(3)
    stage.wait(leader=1, isr=[1, 2, 3])
    stage.sent(2)
    assert list(stage.read().values()) == [f"r{number}" for number in range(1, 5)]


SCENARIO = Scenario(
    "cleared-elr",
    "Below min.insync.replicas the ELR gets a member; a change of that setting clears it, with a partition epoch.",
    play,
)
