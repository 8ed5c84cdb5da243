"""A log that is cut to before its disk begins forgets what is uploaded, and as leader has it deleted (T5, KIP-405).

b1 and b2 have the partition, and b3 what is written of remote segments. A proxy keeps b2 from fetching the last two
records, so that it is elected uncleanly without them, and their loss is accepted; and it keeps b1 from the controller,
so that b1 is fenced. By then b1 has deleted all from its disk. What it loses is what that election had kept. Nothing is
lost with the smallest fix in Kafka's classes. The remote store works all the time.
"""

from __future__ import annotations

from tests.brokers.configuration import Shape
from tests.brokers.process import wait_until
from tests.brokers.remote_store import TIERED
from tests.brokers.reproduction import Reproduction, Story

CONTROLLER = 101
KEPT, ACCEPTED = ("r1", "r2"), ("r3", "r4")
"""The records that both brokers have, and those that go with the unclean election."""

FIRST_SEGMENT = "0" * 20

BEGINS = "Found the logStartOffset:"
"""What a broker with tiered storage says in its log whenever it becomes leader."""


def play(story: Story, fixed: bool) -> None:
    """Cut a log to before its disk begins, and have its broker lead."""
    with story.step("b1 leads; retention.ms is an hour, and local.retention.ms a second"):
        story.keep_remote_metadata_on(3)
        story.create(
            1,
            2,
            min_insync_replicas="1",
            unclean_leader_election_enable="true",
            remote_storage_enable="true",
            retention_ms="3600000",
            local_retention_ms="1000",
        )
        story.wait(leader=1, isr=[1, 2])
    with story.step("b1 and b2 commit r1 and r2 (acks=all); b1 uploads them, and deletes them from its disk"):
        story.sent(len(KEPT))
        story.wait_gone_from_disk(1)
    with story.step("b2 does not fetch, and b1, alone in the ISR, does the same with r3 and r4"):
        story.cut(2, 1)
        story.sent(1, acks="1")  # with acks=all it would wait until b2 has left the ISR
        story.wait(isr=[1])
        story.sent(len(ACCEPTED) - 1)
        story.wait_gone_from_disk(1)
        before = story.uploaded()
    story.seen("the remote tier has r1 and r2", kept(before), f"segments {', '.join(before)}")
    with story.step(
        "b1 is fenced and goes on running; b2 is elected uncleanly, without r3 and r4: that loss is accepted"
    ):
        story.hold(1, CONTROLLER)
        story.wait(leader=2)
    with story.step("b1 hears of it, follows b2 and truncates its log to offset 2, before its disk begins"):
        story.release(1, CONTROLLER)
        story.wait(leader=2, isr=[1, 2])
        story.wait_log_end(1, 2)
    with story.step("b1, in the ISR, becomes leader by a preferred election"):
        story.elect("preferred")
        story.wait(leader=1)
        line = story.wait_logged(1, BEGINS, count=2, file="server.log", seconds=40)
    story.seen("its log begins where it says that it does", f"{BEGINS} {0 if fixed else len(KEPT)} " in line, line)
    if not fixed:
        with story.step("b1 has r1 and r2 deleted from the remote tier, inside retention.ms"):
            wait_until("the first segment is gone from the remote store", lambda: not kept(story.uploaded()), 60, 1.0)
    with story.needed("a consumer reads from the log start offset"):
        values, error = story.read_while_there()
    got = f"{', '.join(values.values()) or 'nothing'}; {error or 'no error'}"
    story.seen("a consumer reads what there is, from the log start offset on", True, got)
    after = story.uploaded()
    story.seen("what the remote tier has in the end", kept(after) == fixed, f"segments {', '.join(after) or 'none'}")


def kept(uploaded: list[str]) -> bool:
    """Whether the segment that begins with r1 is in the remote store."""
    return any(segment.startswith(FIRST_SEGMENT) for segment in uploaded)


def variant(tells: str, name: str = "", fixed: bool = False) -> Reproduction:
    """The story, or the same with the fix."""

    def played(story: Story) -> None:
        play(story, fixed)

    return Reproduction(
        "T5",
        tells,
        played,
        loses=lambda kafka, elr: not fixed,
        shape=Shape(proxied=((2, 1), (1, CONTROLLER)), settings=TIERED, tiered=True, fixes=("T5",) if fixed else ()),
        variant=name,
        accepted=ACCEPTED,
    )


REPRODUCTIONS = (
    variant("A log is cut to before its disk begins; its broker leads, and has deleted what the election had kept."),
    variant("The same with the smallest fix: a cut keeps the log start offset, and the epochs.", "fixed", fixed=True),
)
