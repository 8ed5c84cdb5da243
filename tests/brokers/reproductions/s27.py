"""An unclean election loses committed records (S27, KIP-106): unclean.leader.election.enable=true."""

from __future__ import annotations

from tests.brokers.reproduction import Reproduction, Story


def play(story: Story) -> None:
    """Take a follower away, commit a record without it, take both others away, and bring the follower back alone."""
    story.create(1, 2, 3, min_insync_replicas="2", unclean_leader_election_enable="true")
    with story.step("b1 leads, and all have r1"):
        story.sent(1)
    with story.step("b3 is gone, and leaves the ISR"):
        story.stop(3)
        story.wait(leader=1, isr=[1, 2])
    with story.step("b1 and b2 commit r2 (acks=all, min.insync.replicas=2)"):
        story.sent(1)
    with story.step("b2 and b1 are gone"):
        story.kill(2)
        story.wait(leader=1, isr=[1])
        story.kill(1)
    with story.step("b3 comes back"):
        story.start(3)
    story.leads(3, "b3 is elected, although it was not in the ISR")
    with story.step("b1 and b2 come back, and truncate r2 as followers of b3"):
        story.start(1)
        story.start(2)
        story.wait(leader=3, isr=[1, 2, 3])
    story.finish(1, 2, 3)


REPRODUCTION = Reproduction(
    "S27",
    "With unclean.leader.election.enable=true a broker outside the ISR is elected, and a committed record is lost.",
    play,
    loses=lambda kafka, elr: True,
)
