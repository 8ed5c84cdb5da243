"""The last known leader has no replica any more, and the controller resigns when the old replica registers (H15)."""

from __future__ import annotations

import time

from tests.brokers.configuration import Shape
from tests.brokers.reproduction import Reproduction, Story

RESIGNS = r"event failed with IllegalArgumentException .*Renouncing leadership"
SECONDS = 20


def play(story: Story) -> None:
    """b4 has no replica: an operator reaches the cluster through it while all replicas are down."""
    controller = next(iter(story.cluster.controllers))
    with story.step("b1 has the partition, with min.insync.replicas=1 and unclean election; r1 is acknowledged"):
        story.create(1, min_insync_replicas="1", unclean_leader_election_enable="true")
        story.sent(1)
    with story.step("b3 dies; before that is noticed the partition is moved to b2 and b3: b2 joins the ISR, b3 cannot"):
        story.kill(3)
        story.reassign(2, 3)
        story.wait(isr=[1, 2])
    with story.step("b1 crashes, and b2 leads; b2 shuts down, and nobody leads"):
        story.kill(1)
        story.wait(leader=2, isr=[2])
        story.stop(2)
        story.wait(leader=-1, isr=[])
    with story.step("the operator cancels the reassignment: b1 is the only replica, and the ISR"):
        story.cancel_reassignment(2, 3)
        story.wait(isr=[1], replicas=[1])
        described = story.describe().strip().splitlines()[-1].strip()
    story.seen("the last known leader is still b2", "LastKnownElr: 2" in described, described)
    with story.step("b2 comes back"):
        story.start(2)
    with story.step("b1 starts, and registers again and again; each time the controller throws and resigns"):
        story.begin_start(1)
        line = story.wait_logged(controller, RESIGNS, count=2, file="server.log", seconds=60)
    story.seen("the controller resigns", True, line)
    before = len(story.logged(controller, RESIGNS, "server.log"))
    time.sleep(SECONDS)
    more = len(story.logged(controller, RESIGNS, "server.log")) - before
    story.seen("and goes on so", more > 0, f"{more} times in {SECONDS} s")
    with story.step("b2 shuts down"):
        story.stop(2)
    with story.step("now b1 registers, and is elected"):
        story.wait(leader=1, isr=[1], seconds=60)
        story.read()


REPRODUCTION = Reproduction(
    "H15",
    "A reassignment is cancelled while nobody leads; when the replica that stays registers, the controller resigns.",
    play,
    loses=lambda kafka, elr: elr and kafka.number >= (4, 1),
    shape=Shape(brokers=4, settings={"broker.session.timeout.ms": "15000"}),
    needs_elr=True,
    harm="resigns",
)
