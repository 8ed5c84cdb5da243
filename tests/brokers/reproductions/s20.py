"""The last member of the ISR loses its log, and nobody else may lead (S20, KIP-966): so where there is no ELR."""

from __future__ import annotations

from tests.brokers.reproduction import Reproduction, Story


def play(story: Story) -> None:
    """Shut two brokers down in good order, one after the other, and take the last one's unflushed tail."""
    story.create(1, 2, 3, min_insync_replicas="2")
    with story.step("b1 leads; r1 and r2 are on all three brokers, acknowledged (acks=all, min.insync.replicas=2)"):
        story.sent(2)
    with story.step("b3 shuts down and leaves the ISR"):
        story.stop(3)
        story.wait(leader=1, isr=[1, 2])
    with story.step("b2 shuts down: b1 is the last member of the ISR"):
        story.stop(2)
        story.wait(leader=1, isr=[1])
        story.describe()
    with story.step("b1 crashes and loses r2, which it has not flushed"):
        story.kill(1)
        story.lose_tail(1, kept=1)
    with story.step("b1 comes back first, then b2, which has r2"):
        story.start(1)
        story.start(2)
    first = story.leads(1, "b1 is elected without r2, and b2 truncates it")
    with story.step("b3 comes back"):
        story.start(3)
        story.wait(leader=first, isr=[1, 2, 3])
    story.finish(1, 2, 3)


REPRODUCTION = Reproduction(
    "S20",
    "The last member of the ISR crashes and loses its unflushed tail; with ELR another may be elected, which has it.",
    play,
    loses=lambda kafka, elr: not elr,
)
