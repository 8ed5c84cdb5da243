"""acks=1 is lost by a clean failover (S25, KIP-101): the leader dies before a follower has fetched the record."""

from __future__ import annotations

from tests.brokers.configuration import Shape
from tests.brokers.reproduction import Reproduction, Story


def play(story: Story) -> None:
    """Keep the followers from fetching, for less time than makes them leave the ISR, and kill the leader."""
    story.create(1, 2, 3, min_insync_replicas="2")
    with story.step("b1 leads, and all have r1"):
        story.sent(1)
    with story.step("b1 appends r2, which nobody has fetched, and tells the producer of success (acks=1)"):
        for follower in (2, 3):
            story.cut(follower, 1)
        story.sent(1, acks="1")
    with story.step("b1 is gone, and is fenced"):
        story.kill(1)
        for follower in (2, 3):
            story.release(follower, 1)
    with story.step("b2, a member of the ISR, is elected without r2"):
        story.wait(leader=2, isr=[2, 3])
        story.sent(1)
    with story.step("b1 comes back and truncates r2"):
        story.start(1)
        story.wait(leader=2, isr=[1, 2, 3])
    story.finish(1, 2, 3)


REPRODUCTION = Reproduction(
    "S25",
    "A leader acknowledges a record with acks=1 and dies before a follower has fetched it.",
    play,
    loses=lambda kafka, elr: True,
    shape=Shape(proxied=((2, 1), (3, 1))),
)
