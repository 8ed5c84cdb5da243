"""The answer to a fetch of an older leader epoch truncates what was committed since (S10, KAFKA-18991).

Only clean events: an answer of b2 to a fetch of b1 is held up while b1 leads once more and b2 follows. b1 fetches
another partition from b2 all the time, so its fetcher stays and waits for that answer.
"""

from __future__ import annotations

import time

from tests.brokers.configuration import Shape
from tests.brokers.messages import Api, Part, Way
from tests.brokers.reproduction import Reproduction, Story

FETCHES = Part(Way.REQUESTS, Api.FETCH)
ANSWERS = Part(Way.ANSWERS, Api.FETCH)


def play(story: Story) -> None:
    """Hold up the answer that has b1 truncate r2, let r2 be committed in the next term, and let the answer arrive."""
    with story.step("b1 leads and has r1 and r2 (acks=1); b2 has r1 alone"):
        story.create(1, 2, min_insync_replicas="1")
        story.create_beside("beside", (2, 1))
        story.sent(1)
        story.reassign(2, 1)
        story.wait(leader=1, isr=[1, 2], replicas=[2, 1])
        story.cut(2, 1)
        story.sent(1, acks="1")
    with story.step("b2 is elected without r2, and b1 follows"):
        story.hold(1, 2, FETCHES)
        story.wait_held(1, 2, FETCHES)
        story.elect("preferred")
        story.wait_logged(1, r"Follower t-0 starts at leader epoch 1 ")
        story.wait_led(2, epoch=1)
    with story.step("b1 fetches; b2's answer says that r2 is not b2's, and is held up"):
        story.hold(1, 2, ANSWERS, after=1)  # one answer still to come is about the other partition alone
        story.release(1, 2, FETCHES)
        story.wait_held(1, 2, ANSWERS)
    with story.step("b1 is elected again, b2 follows and copies r2: it is committed"):
        story.reassign(1, 2)
        story.elect("preferred")
        story.wait_led(1, epoch=2)
        story.release(2, 1)
        story.wait_log_end(2, 2)
        time.sleep(2)  # b2 fetches again, from behind r2
    with story.step("b2 is elected again, and b1 follows"):
        story.reassign(2, 1)
        story.elect("preferred")
        line = story.wait_logged(1, r"Follower t-0 starts at leader epoch 3 ")
    story.seen("b1 knows that r2 is committed", "high watermark 2" in line, line.partition("starts at ")[2])
    with story.step("the answer of two terms ago arrives, and then no other"):
        story.hold(1, 2, FETCHES)
        story.release(1, 2, ANSWERS)
        story.wait_held(1, 2, FETCHES)
        time.sleep(1)
    end = story.log_end(1)
    story.seen("b1 truncates r2, which is committed", end == 1, f"the log of b1 ends at {end}")
    with story.step("b2 shuts down in good order, and b1, a member of the ISR, is elected"):
        story.begin_stop(2)
        story.wait(leader=1)
        story.release(1, 2)
        story.wait_stopped(2)
    with story.step("b2 comes back as a follower of b1"):
        story.start(2)
    story.finish(1, 2)


REPRODUCTION = Reproduction(
    "S10",
    "The answer to a fetch of an older leader epoch comes late and truncates a committed record.",
    play,
    loses=lambda kafka, elr: kafka.number == (4, 0, 0) or kafka.number < (3, 9, 1),
    shape=Shape(
        proxied=((1, 2), (2, 1)),
        settings={
            "broker.session.timeout.ms": "30000",
            "replica.lag.time.max.ms": "90000",
            "replica.socket.timeout.ms": "120000",
        },
    ),
)
