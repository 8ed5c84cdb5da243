"""A replica is assigned to a log directory, and nobody is eligible any more (H3, KIP-858 and KIP-966): 4.0 to 4.2."""

from __future__ import annotations

import re

from tests.brokers.configuration import Shape
from tests.brokers.reproduction import Reproduction, Story

CHANGE = r"Skipped the become-leader state change for t-0 "


def play(story: Story) -> None:
    """As in S20, and the last member of the ISR moves its replica to another log directory before it crashes."""
    story.create(1, 2, 3, min_insync_replicas="2")
    with story.step("b1 leads; r1 and r2 are on all three brokers, acknowledged (acks=all, min.insync.replicas=2)"):
        story.sent(2)
    with story.step("b2 and then b3 shut down: b1 is the last member of the ISR, and b3 is eligible"):
        story.stop(2)
        story.wait(leader=1, isr=[1, 3])
        story.stop(3)
        story.wait(leader=1, isr=[1])
        before = story.describe()
    with story.step("b1 assigns its replica to a log directory"):
        known = len(story.logged(1, CHANGE))
        story.move(1)
        story.wait_logged(1, CHANGE, count=known + 1)  # it tells the controller within half a second, and hears of it
    after = story.describe()
    seen = f"before: {elr_in(before)}; after: {elr_in(after)}"
    story.seen("that empties the ELR", elr_in(before) == "3" and elr_in(after) == "", seen)
    with story.step("b1 crashes and loses r2, which it has not flushed"):
        story.kill(1)
        story.lose_tail(1, kept=1)
    with story.step("b1 comes back first, then b3, which has r2"):
        story.start(1)
        story.start(3)
    first = story.leads(1, "b1, the last known leader, is elected without r2, and b3 truncates it")
    with story.step("b2 comes back"):
        story.start(2)
        story.wait(leader=first, isr=[1, 2, 3])
    story.finish(1, 2, 3)


def elr_in(described: str) -> str:
    """The eligible leader replicas that `kafka-topics --describe` tells."""
    found = re.search(r"\bElr: ([\d,]*)", described)
    return found[1] if found else "none is told"


REPRODUCTION = Reproduction(
    "H3",
    "The last member of the ISR moves its replica to another log directory, and the ELR is emptied by that.",
    play,
    loses=lambda kafka, elr: elr and kafka.number < (4, 3),
    shape=Shape(log_dirs=("data", "data-2")),
    needs_elr=True,
)
