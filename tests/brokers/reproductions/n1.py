"""A leader that missed a term of another counts a follower at where it was before (N1, Replica.resetReplicaState).

Only clean events: metadata reach b1 late, two elections are held meanwhile, and b1 and b2 shut down in good order. b1
and the controller are parted by a proxy that holds bytes back and loses none.
"""

from __future__ import annotations

import time
from concurrent.futures import Future

from tests.brokers.configuration import Shape
from tests.brokers.reproduction import Reproduction, Story


def play(story: Story) -> None:
    """Depose b1 and elect it again while it hears nothing, and let b3 truncate in the term between."""
    controller = next(iter(story.cluster.controllers))
    with story.step("b1 leads; all are in sync and have r1; b2 is preferred from now on"):
        story.create(1, 2, 3, min_insync_replicas="2")
        story.sent(1)
        story.reassign(2, 1, 3)
        story.wait(leader=1, isr=[1, 2, 3], replicas=[2, 1, 3])
    with story.step("metadata do not reach b1 any more"):
        story.hold(1, controller)
    with story.step("b1 appends r2; b3 copies it and b2 does not: it is not committed"):
        story.cut(2, 1)
        answer = story.send_in_background(seconds=60)
        story.wait_log_end(3, 2)
        time.sleep(1.5)  # b3 fetches again, from behind r2, and b1 notes it there
    with story.step("the controller elects b2, the preferred leader"):
        story.elect("preferred")
        story.wait_led(2, epoch=1)
    with story.step("b3 follows b2 and truncates r2"):
        story.wait_log_end(3, 1)
    with story.step("b2 begins to shut down, and the controller elects b1 again: ISR {b1, b3}"):
        story.cut(3, 1)
        story.begin_stop(2)
        story.wait(leader=1, isr=[1, 3])
    with story.step("metadata reach b1, with both elections in one batch"):
        story.release(1, controller)
        line = story.wait_led(1, epoch=2)
    story.seen(
        "for b1 it is one change: it has led in epoch 0 and leads in epoch 2",
        "Previous leader Some(1) and previous leader epoch was 0" in line,
        line.partition("starts at ")[2],
    )
    offset = answered(answer, seconds=40)
    story.seen(
        "b1 counts b3 at where it was in b1's first term, so r2 is committed, and the producer is told of success",
        offset is not None,
        f"the answer was offset {offset}" if offset is not None else "the producer was not told of success",
    )
    with story.step("b1 shuts down in good order, and b3 is elected without r2"):
        story.stop(1)
        story.wait(leader=3)
        story.release(3, 1)
        story.release(2, 1)
    with story.step("b1 and b2 come back as followers of b3"):
        story.wait_stopped(2)
        story.start(1)
        story.start(2)
    story.finish(1, 2, 3)


def answered(answer: Future[int | None], seconds: float) -> int | None:
    """The offset of the record if it was acknowledged within so many seconds."""
    try:
        return answer.result(seconds)
    except TimeoutError:
        return None


REPRODUCTION = Reproduction(
    "N1",
    "A leader is deposed and elected again before it hears of either, and acknowledges what a follower has truncated.",
    play,
    loses=lambda kafka, elr: True,
    shape=Shape(
        proxied=((1, 101), (2, 1), (3, 1)),
        settings={"broker.session.timeout.ms": "30000", "replica.lag.time.max.ms": "60000"},
    ),
)
