"""min.insync.replicas is raised, and a leader that does not know it yet commits alone (H1, KIP-966).

Only clean events but for the end of b1, which loses nothing: b1's metadata and its AlterPartition requests have
connections of their own, and a proxy holds back its metadata.
"""

from __future__ import annotations

from tests.brokers.configuration import Shape
from tests.brokers.messages import Api, Part, Way
from tests.brokers.reproduction import Reproduction, Story

METADATA = Part(Way.ANSWERS, Api.FETCH)


def play(story: Story) -> None:
    """Raise the setting while b1 hears of no metadata, and let the answer to its proposal overtake them."""
    controller = next(iter(story.cluster.controllers))
    with story.step("b1 leads; all are in sync and have r1; min.insync.replicas is 1"):
        story.create(1, 2, 3, min_insync_replicas="1")
        story.sent(1)
    with story.step("metadata do not reach b1 any more; an operator raises min.insync.replicas to 2"):
        story.hold(1, controller, METADATA)
        story.configure(min_insync_replicas="2")
    with story.step("b2 and b3 do not fetch for the moment, and b1 appends r2"):
        story.cut(2, 1)
        story.cut(3, 1)
        answer = story.send_in_background(seconds=40)
    with story.step("b1 asks to drop b2 and b3, and the controller agrees: ISR {b1}"):
        story.wait(isr=[1])
        described = story.describe(until="Elr: 2,3")
    told = described.strip().splitlines()[-1].strip()
    story.seen("for the controller, b2 and b3 are eligible", "Elr: 2,3" in described, told)
    with story.step("b1 learns that from the answer"):
        line = story.wait_logged(1, r"ISR updated to 1 .*version updated to \d+", file="server.log")
    story.seen("with one member the ISR is as b1 wants it", "(under-min-isr)" not in line, line)
    offset = answer.result(40)
    seen = "the producer was not told of success" if offset is None else f"the answer was offset {offset}"
    story.seen("b1 commits r2 alone and tells of success (acks=all)", offset is not None, seen)
    with story.step("b1 is gone and is fenced, and has lost nothing; b2, which is eligible, is elected without r2"):
        story.kill(1)
        story.wait(leader=2)
    with story.step("b1 comes back and truncates r2"):
        for source, target in ((1, controller), (2, 1), (3, 1)):
            story.release(source, target)
        story.start(1)
    story.finish(1, 2, 3)


REPRODUCTION = Reproduction(
    "H1",
    "min.insync.replicas is raised, and a leader that does not know it yet commits alone; an eligible one is elected.",
    play,
    loses=lambda kafka, elr: elr,
    shape=Shape(proxied=((1, 101), (2, 1), (3, 1))),
    needs_elr=True,
)
