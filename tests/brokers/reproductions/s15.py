"""A leader replays a change that it knows from the answer to its proposal, and forgets a newer proposal (S15).

Only clean events. b1's metadata and its AlterPartition requests have connections of their own, and a proxy holds back
one or the other.
"""

from __future__ import annotations

import time

from tests.brokers.configuration import QUICK, Shape
from tests.brokers.messages import Api, Part, Way
from tests.brokers.reproduction import Reproduction, Story

METADATA = Part(Way.ANSWERS, Api.FETCH)
PROPOSALS = Part(Way.REQUESTS, Api.ALTER_PARTITION)


def play(story: Story) -> None:
    """Let b1 learn of b3 from an answer, propose b2, replay the record of b3, and be obeyed after that."""
    controller = next(iter(story.cluster.controllers))
    with story.step("b1 leads and is alone in the ISR; b2 and b3 run, and do not fetch"):
        story.create(1, 2, 3, min_insync_replicas="2")
        story.sent(1)
        story.cut(2, 1)
        story.cut(3, 1)
        story.send(1, acks="1")
        story.wait(leader=1, isr=[1])
    with story.step(
        "metadata do not reach b1 any more; b3 catches up, and b1 learns from the answer that it is in the ISR"
    ):
        story.wait_logged(1, r"Skipped the become-leader state change for t-0 .*partitionEpoch=1\b")
        story.hold(1, controller, METADATA)
        story.release(3, 1)
        story.wait_logged(1, r"ISR updated to (1,3|3,1) .*version updated to 2\b", file="server.log")
    with story.step(
        "b2 catches up, and b1 asks for the ISR {b1, b2, b3}; that is held up, and b2 does not fetch any more"
    ):
        story.hold(1, controller, PROPOSALS)
        story.release(2, 1)
        story.wait_held(1, controller, PROPOSALS)
        story.cut(2, 1)
    with story.step("b1 replays the change that it knows already, ISR {b1, b3}, and then no other"):
        story.release(1, controller, METADATA)
        line = story.wait_logged(1, r"Skipped the become-leader state change for t-0 .*partitionEpoch=2\b")
        story.hold(1, controller, METADATA)
    story.seen(
        "its partition epoch is not newer than what b1 knows, and b1 takes it", "already the leader" in line, line
    )
    with story.step("the controller gets the proposal and accepts it: ISR {b1, b2, b3}"):
        story.release(1, controller, PROPOSALS)
        story.wait(leader=1, isr=[1, 2, 3])
    time.sleep(float(QUICK["replica.lag.time.max.ms"]) / 1000 + 2)  # until then the high watermark waits for b2 as well
    answer = story.send(1)[0]
    seen = "the producer was not told of success" if answer is None else f"the answer was offset {answer}"
    story.seen("b1 counts {b1, b3}, commits r3 without b2 and tells of success (acks=all)", answer is not None, seen)
    with story.step("b1 shuts down in good order; b2, a member of the ISR, is elected without r3"):
        story.begin_stop(1)
        story.wait(leader=2)
    with story.step("b3 follows b2, and truncates r3"):
        story.wait_log_end(3, 2)
    with story.step("b1 comes back"):
        for source, target in ((1, controller), (2, 1)):
            story.release(source, target)
        story.wait_stopped(1)
        story.start(1)
    story.finish(1, 2, 3)


REPRODUCTION = Reproduction(
    "S15",
    "A leader replays a change that it knows already, forgets what it proposed since, and commits without a member.",
    play,
    loses=lambda kafka, elr: True,
    shape=Shape(proxied=((1, 101), (2, 1), (3, 1))),
)
