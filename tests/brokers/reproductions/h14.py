"""ELR is switched off, and who is left in it is elected without a committed record (H14, H14b, KIP-966)."""

from __future__ import annotations

from tests.brokers.configuration import Shape
from tests.brokers.reproduction import ELR, Reproduction, Story
from tests.brokers.reproductions.h3 import elr_in

SHAPE = Shape(settings={"broker.session.timeout.ms": "25000"})
"""A broker that has just died is taken to be alive while another one starts."""


def play_lowered(story: Story) -> None:
    """b3 leaves in good order, min.insync.replicas is lowered, and b1 commits alone."""
    story.create(1, 2, 3, min_insync_replicas="2")
    with story.step("b1 leads; r1 is on all three brokers, acknowledged (acks=all, min.insync.replicas=2)"):
        story.sent(1)
    with story.step("b2 and then b3 shut down: b1 is the last member of the ISR, and b3 is eligible"):
        story.stop(2)
        story.wait(leader=1, isr=[1, 3])
        story.stop(3)
        story.wait(leader=1, isr=[1])
    switch_off(story)
    with story.step("the operator lowers min.insync.replicas to 1"):
        story.configure(min_insync_replicas="1")
    after = elr_in(story.describe())
    story.seen("the ELR stays", after == "3", f"after: {after or 'nobody'}")
    with story.step("b1 commits r2 alone and tells of success (acks=all)"):
        story.sent(1)
    elect_b3(story, "r2")


def play_unclean(story: Story) -> None:
    """b3 loses its unflushed tail, and registers as a broker whose shutdown was unclean."""
    story.create(1, 2, 3, min_insync_replicas="2")
    with story.step("b1 leads; r1 and r2 are on all three brokers, acknowledged (acks=all, min.insync.replicas=2)"):
        story.sent(2)
    with story.step("b2 shuts down"):
        story.stop(2)
        story.wait(leader=1, isr=[1, 3])
    with story.step("b3 crashes and loses r2, which it has not flushed: b1 is the last member of the ISR"):
        story.kill(3)
        story.lose_tail(3, kept=1)
        story.wait(leader=1, isr=[1])
    switch_off(story)
    elect_b3(story, "r2")


def switch_off(story: Story) -> None:
    """The feature is downgraded, as Kafka's documentation says."""
    before = elr_in(story.describe())
    with story.step("an operator sets eligible.leader.replicas.version to 0"):
        story.downgrade(ELR)
    after = elr_in(story.describe())
    story.seen("the ELR stays", before == after == "3", f"before: {before or 'nobody'}; after: {after or 'nobody'}")


def elect_b3(story: Story, lost: str) -> None:
    """b1 dies and loses nothing; b3 comes back before that is noticed."""
    with story.step("b1 is gone, and has lost nothing; b3 comes back before the controller fences b1"):
        story.kill(1)
        story.start(3)
    first = story.leads(3, f"b1 is fenced, and b3 is elected without {lost}")
    with story.step(f"b1 comes back and truncates {lost}, then b2 comes back"):
        story.start(1)
        story.start(2)
        story.wait(leader=first, isr=[1, 2, 3])
    story.finish(1, 2, 3)


REPRODUCTIONS = (
    Reproduction(
        "H14",
        "ELR is switched off and min.insync.replicas lowered; who is left in the ELR is elected without a record.",
        play_lowered,
        loses=lambda kafka, elr: elr,
        shape=SHAPE,
        needs_elr=True,
    ),
    Reproduction(
        "H14b",
        "ELR is switched off; a broker that is left in it loses its unflushed tail, and is elected.",
        play_unclean,
        loses=lambda kafka, elr: elr,
        shape=SHAPE,
        needs_elr=True,
    ),
)
