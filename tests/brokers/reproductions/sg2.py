"""A group that begins at the end begins there again under another leader, and skips a record (SG2, SharePartition).

Only clean events: a preferred election moves the leader while the only member stands still for some seconds. In the
control no election is held: that the member is given the record there shows that the group had begun before it.
"""

from __future__ import annotations

import time

from tests.brokers.configuration import Shape
from tests.brokers.reproduction import NotFollowed, Reproduction, Story

SHARE_STATE = {
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
}
"""The log of the share coordinator is small; who leads it does not change."""

BEGUN = 20
"""Seconds within which a member is assigned its partition, and the leader has found where the group begins."""


def play(story: Story, moves: bool, fixed: bool) -> None:
    """Let a group begin at the end of an empty log, append a record, and elect another leader."""
    with story.step("b1 leads; the log is empty; b2 is preferred from now on"):
        story.create(1, 2, 3, min_insync_replicas="2")
        story.wait(leader=1, isr=[1, 2, 3])
        story.reassign(2, 1, 3)
        story.wait(leader=1, isr=[1, 2, 3], replicas=[2, 1, 3])
    with story.step("a member joins a new share group and polls; b1 finds that the group begins at the end, offset 0"):
        member = story.member("m1")
        nothing = member.poll(BEGUN)
    story.seen("there is nothing to be given", not nothing, f"given: {' '.join(nothing) or 'nothing'}")
    begun, wanted = offset_line(story.describe_share_offsets()), "0" if fixed else "-"
    story.seen(f"the start offset of the share coordinator is {wanted}", begun.split()[3:4] == [wanted], begun)
    with story.step("the member's process stands still for a moment; r1 is acknowledged with acks=all"):
        member.pause()
        time.sleep(6)  # a fetch of it that waits for records at b1 ends
        story.sent(1)
    if moves:
        with story.step("the controller elects b2, the preferred leader: r1 is in its log"):
            story.elect("preferred")
            story.wait(leader=2, isr=[1, 2, 3])
            story.wait_log_end(2, 1)
    begins = "b2 begins the group at the end; " if moves else ""
    with story.step(f"the member goes on; {begins}then r2 is acknowledged, and the member polls again"):
        member.resume()
        given = member.poll(BEGUN)
        story.sent(1)
        given += member.poll(BEGUN)
        if given not in (["r2"], ["r1", "r2"]):
            raise NotFollowed(f"the member was given {' '.join(given) or 'nothing'}, which is neither skipped nor kept")
    told = f"given: {' '.join(given) or 'nothing'}; {offset_line(story.describe_share_offsets())}"
    story.seen("the member is given r2, and nobody is ever given r1", given == ["r2"], told)
    story.finish(1, 2, 3)


def offset_line(described: str) -> str:
    """The line of `kafka-share-groups --describe --offsets` about the partition."""
    return next((" ".join(line.split()) for line in described.splitlines() if line.startswith("g ")), described)


def variant(tells: str, name: str = "", moves: bool = True, fixed: bool = False) -> Reproduction:
    """The story, or its control."""

    def played(story: Story) -> None:
        play(story, moves, fixed)

    return Reproduction(
        "SG2",
        tells,
        played,
        loses=lambda kafka, elr: moves and not fixed,
        shape=Shape(settings=SHARE_STATE, fixes=("SG2",) if fixed else ()),
        variant=name,
        harm="skipped",
    )


REPRODUCTIONS = (
    variant("A share group has begun, a record is acknowledged, another leader begins it again at the end: skipped."),
    variant("The same without another leader: the record is given to the member.", "control", moves=False),
    variant(
        "The same with the smallest fix: the start offset is persisted before the group is served.", "fixed", fixed=True
    ),
)
