"""acks=all with min.insync.replicas=1 is one copy (S24, KIP-966): one crash that loses the unflushed tail."""

from __future__ import annotations

from tests.brokers.reproduction import Reproduction, Story


def play(story: Story) -> None:
    """Leave the leader alone in the ISR, acknowledge a record, and take the leader's unflushed tail."""
    story.create(1, 2, min_insync_replicas="1")
    with story.step("b1 leads, and both have r1"):
        story.sent(1)
    with story.step("b2 shuts down and leaves the ISR"):
        story.stop(2)
        story.wait(leader=1, isr=[1])
    with story.step("b1 alone is the ISR: r2 is committed and acknowledged (acks=all)"):
        story.sent(1)
    with story.step("b1 crashes and loses r2, which it has not flushed"):
        story.kill(1)
        story.lose_tail(1, kept=1)
    with story.step("b2 comes back, and may not lead: it was not in the ISR"):
        story.start(2)
        story.wait(leader=-1)
    with story.step("b1 comes back"):
        story.start(1)
    story.leads(1, "b1 is elected without r2")
    story.finish(1, 2)


REPRODUCTION = Reproduction(
    "S24",
    "With min.insync.replicas=1 the leader alone acknowledges acks=all, crashes and loses its unflushed tail.",
    play,
    loses=lambda kafka, elr: True,
)
