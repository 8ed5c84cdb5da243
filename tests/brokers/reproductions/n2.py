"""Two brokers crash, one loses its log, and that one is elected as the last known leader (N2, KIP-966)."""

from __future__ import annotations

from tests.brokers.reproduction import Reproduction, Story


def play(story: Story) -> None:
    """Kill both replicas of a partition; the one that led last loses its unflushed tail, the other loses nothing."""
    story.create(1, 2, min_insync_replicas="2")
    with story.step("b1 leads; r1 and r2 are on both brokers, acknowledged (acks=all, min.insync.replicas=2)"):
        story.sent(2)
    with story.step("b2 crashes and loses nothing; it is out of the ISR, and eligible"):
        story.kill(2)
        story.wait(leader=1, isr=[1])
    with story.step("b1 crashes and loses r2, which it has not flushed; it is the last known leader"):
        story.kill(1)
        story.lose_tail(1, kept=1)
    with story.step("b2 comes back; without a marker of a clean shutdown it is not eligible any more"):
        story.start(2)
        story.wait(leader=-1)
        story.describe()
    with story.step("b1 comes back, and is not eligible either: ISR and ELR are empty"):
        story.start(1)
    story.leads(1, "b1, the last known leader, is elected without r2, and b2 truncates it")
    story.finish(1, 2)


REPRODUCTION = Reproduction(
    "N2",
    "Both brokers crash, the last leader loses its unflushed tail and is elected, although the other has the record.",
    play,
    loses=lambda kafka, elr: elr,
    needs_elr=True,
)
