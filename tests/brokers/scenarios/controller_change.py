"""The active controller is killed: a quorum of three elects another (KIP-595), which goes on to elect leaders."""

from __future__ import annotations

from tests.brokers.configuration import Shape
from tests.brokers.scenario import Scenario, Stage


def play(stage: Stage) -> None:
    """Kill the active controller, then a leader of the partition, and start both again."""
    stage.create(1, 2, 3, min_insync_replicas="2")
    stage.sent(2)
    controller = stage.kill_active_controller()
    stage.sent(2)
    stage.kill(1)
    stage.wait(leader=2, isr=[2, 3])
    stage.start(controller)
    stage.start(1)
    stage.wait(leader=2, isr=[1, 2, 3])
    stage.sent(2)
    assert list(stage.read().values()) == [f"r{number}" for number in range(1, 7)]


SCENARIO = Scenario(
    "controller-change",
    "The active controller is killed, and then a leader: a new controller elects, and both come back.",
    play,
    Shape(controllers=3),
)
