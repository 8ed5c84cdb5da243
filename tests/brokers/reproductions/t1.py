"""After a truncation new records count as uploaded to the remote tier, and local retention deletes them (T1, KIP-405).

b1 and b2 have the partition, and b3 what is written of remote segments. A proxy keeps b2 from fetching, so that it is
elected uncleanly without the first four records, and their loss is accepted; and it keeps b1 from the controller, so
that b1 is fenced and goes on running: what it has noted of uploads stays in its memory. In the control b1 restarts
while it follows b2, which is the only difference, and nothing is lost; nor is anything with the smallest fix in Kafka's
classes, without a restart. The remote store works all the time.
"""

from __future__ import annotations

from tests.brokers.configuration import Shape
from tests.brokers.remote_store import TIERED
from tests.brokers.reproduction import Reproduction, Story

CONTROLLER = 101
FIRST, SECOND = ("r1", "r2", "r3", "r4"), ("r5", "r6", "r7", "r8")
"""The records of b1's first term, and of its second one. Both have the offsets 0 to 3."""

STUCK = "Couldn't build the state from remote store for partition: t-0"


def play(story: Story, restarts: bool, fixed: bool) -> None:
    """Truncate what was uploaded, append as much again, and let local retention run."""
    with story.step("b1 leads; retention.ms is an hour, and local.retention.ms a second"):
        story.keep_remote_metadata_on(3)
        story.cut(2, 1)  # before b2 has fetched for the first time, after which it would count as caught up
        story.create(
            1,
            2,
            min_insync_replicas="1",
            unclean_leader_election_enable="true",
            remote_storage_enable="true",
            retention_ms="3600000",
            local_retention_ms="1000",
        )
    with story.step("b2 does not fetch, and b1, alone in the ISR, commits r1 to r4 (acks=all)"):
        story.wait(isr=[1])
        story.sent(len(FIRST))
    with story.step("b1 uploads them, and deletes them from its disk"):
        story.wait_gone_from_disk(1)
        first = story.uploaded()
    begins = bool(first) and first[0].startswith("0" * 20)
    story.seen("the remote tier has them, from offset 0 on", begins, f"segments {', '.join(first)}")
    with story.step(
        "b1 is fenced and goes on running; b2 is elected uncleanly, without r1 to r4: that loss is accepted"
    ):
        story.hold(1, CONTROLLER)
        story.wait(leader=2)
    with story.step("b1 hears of it, follows b2 and truncates its log to offset 0"):
        story.release(1, CONTROLLER)
        story.wait(leader=2, isr=[1, 2])
        story.wait_log_end(1, 0)
    if restarts:
        with story.step("b1 restarts, and forgets what it has noted of uploads"):
            story.stop(1)
            story.wait(leader=2, isr=[2])
            story.start(1)
            story.wait(leader=2, isr=[1, 2])
    with story.step("b1, in the ISR, becomes leader by a preferred election"):
        story.elect("preferred")
        story.wait(leader=1)
        story.wait(isr=[1])
    with story.step("b1 commits r5 to r8 at offsets 0 to 3 (acks=all)"):
        story.sent(len(SECOND))
    with story.step("local retention deletes r5 to r8 from the disk, a second after the last of them"):
        story.wait_gone_from_disk(1)
        new = newer(story.uploaded(), first)
    if restarts or fixed:
        story.seen("they were uploaded first", bool(new), f"segments {', '.join(new)}")
        with story.step("b2 fetches from b1 again, and begins after the segment that was uploaded"):
            story.release(2, 1)
            story.wait(leader=1, isr=[1, 2])
    else:
        story.seen("none of them was uploaded", not new, f"segments: {', '.join(new) or 'none of this term'}")
        with story.step("b2 fetches from b1 again, and begins nowhere"):
            story.release(2, 1)
            line = story.wait_logged(2, STUCK, file="server.log", seconds=40)
        story.seen("no remote segment ends before the offset at which b1's disk begins", True, line)
    with story.needed("a consumer reads from the log start offset"):
        values, error = story.read_while_there()
    got = f"{', '.join(values.values()) or 'nothing'}; {error or 'no error'}"
    story.seen("a consumer reads what there is, from the log start offset on", True, got)


def newer(uploaded: list[str], before: list[str]) -> list[str]:
    """What is in the remote store now, and was not before; a leader deletes there what is of an older lineage."""
    return [segment for segment in uploaded if segment not in before]


def variant(tells: str, name: str = "", restarts: bool = False, fixed: bool = False) -> Reproduction:
    """The story, or its control."""

    def played(story: Story) -> None:
        play(story, restarts, fixed)

    return Reproduction(
        "T1",
        tells,
        played,
        loses=lambda kafka, elr: not (restarts or fixed),
        shape=Shape(proxied=((2, 1), (1, CONTROLLER)), settings=TIERED, tiered=True, fixes=("T1",) if fixed else ()),
        variant=name,
        accepted=FIRST,
    )


REPRODUCTIONS = (
    variant("What was uploaded is truncated; new records count as uploaded, and local retention deletes them."),
    variant("The same, and the broker restarts before it leads again: nothing is lost.", "control", restarts=True),
    variant("The same with the smallest fix: a truncation takes back what counts as uploaded.", "fixed", fixed=True),
)
