"""A new coordinator of transactions carries out what is not replicated, and its successor decides otherwise (X1).

Only clean events: two preferred elections of live brokers. b1, b2 and b3 have the log of the coordinator,
`__transaction_state-0`; b4 leads partition 0 of the topic `d` and b5 partition 1, so that a proxy can hold b3's copy of
the log back and nothing else. The variants:

* X1: b1 has appended the decision to commit. The producer dies and begins anew, which makes b3 abort.
* X1-told: b1 has appended the abort of a time-out. The producer lives, commits at b3, and is told of success.
* X1-offsets: as X1, of a client that takes a record from one topic, sends one to another, and commits the offset.

`-java` is the same with the client of the release, which has an epoch for each transaction since 4.0 (KIP-890).
"""

from __future__ import annotations

from collections.abc import Callable

from tests.brokers.configuration import Shape
from tests.brokers.reproduction import NotFollowed, Reproduction, Story
from tests.brokers.transactions import ClientKind, TransactionalClient, group_offset

LOG, DATA, OFFSETS, SOURCE, GROUP = "__transaction_state", "d", "__consumer_offsets", "source", "g"

TO_B3, MARKERS_TO_B5 = ((3, 1), (3, 2)), ((1, 5), (2, 5))
"""What is cut: b3 fetches from neither of the others, and no marker of theirs reaches b5."""

LASTS, TIMES_OUT = 120_000, 15_000
"""Milliseconds for which a transaction may stay open: longer than a run takes, or as short as it takes to open it."""


def restarts(story: Story, kind: ClientKind) -> None:
    """The decision was to commit; the producer dies and begins anew, and the others abort."""
    topics(story)
    first = whole_transaction(story, kind, LASTS)
    with story.step("the producer begins transaction x, and sends x-0 to partition 0 and x-1 to partition 1"):
        first.begin("x")
        first.send(DATA, 0, "x-0")
        first.send(DATA, 1, "x-1")
    b2_sends_one_marker(story, first)
    b3_leads(story)
    begins_anew(story, kind)
    ends(story)


def is_told(story: Story, kind: ClientKind) -> None:
    """The decision was the abort of a time-out; the producer commits at b3, and is told of success."""
    topics(story)
    first = whole_transaction(story, kind, TIMES_OUT)
    with story.step("the producer begins transaction x, and sends x-0 to partition 0 and x-1 to partition 1"):
        first.begin("x")
        first.send(DATA, 0, "x-0")
        first.send(DATA, 1, "x-1")
        end = story.log_end(5, DATA, 1)
    b2_sends_one_marker(story, None)
    with story.step("b3, for which the transaction is Ongoing, becomes leader by a preferred election, in the ISR"):
        lead(story, 3, 2, 1, epoch=2)
    with story.step("the producer, which has heard of nothing, commits, and is told of success"):
        first.tell_commit()
        first.committed().needed()
    with story.step("b3 writes the marker COMMIT at b5; partition 0 has been aborted"):
        story.wait_log_end(5, end + 1, 40, DATA, 1)
        release(story, *TO_B3, *MARKERS_TO_B5)
        story.wait(leader=3, isr=[1, 2, 3])
    if kind is ClientKind.LIBRDKAFKA:
        never_ends(story, kind)
    ends(story)


def never_ends(story: Story, kind: ClientKind) -> None:
    """Without an epoch for each transaction, the abort of a time-out has a newer one than the commit."""
    with story.step("b4 refuses the marker COMMIT, of an older epoch than the abort's, and b3 gives it up"):
        story.wait_logged(3, f"transaction marker for partition {DATA}-0 has permanently failed", file="server.log")
    with story.needed("kafka-transactions describes the transaction"):
        described = story.describe_transaction()
        second = story.client("second", kind, LASTS)
        second.tell("init")
        silent = second.is_silent(15)
    story.seen("the transaction stays in PrepareCommit", "PrepareCommit" in described, described.split("\n")[-1])
    seen = "InitProducerId has" + (" not" if silent else "") + " succeeded"
    story.seen("for 15 s no other producer with its id can begin", silent, seen)


def takes_and_sends(story: Story, kind: ClientKind) -> None:
    """As `restarts`, and what is committed is the offset of the record that the client has taken."""
    topics(story)
    with story.step("b4 keeps the offsets of groups, and leads the topic that is read"):
        story.create_beside(OFFSETS, (4, 5), cleanup_policy="compact")
        story.create_beside(SOURCE, (4, 5))
    first = whole_transaction(story, kind, LASTS)
    with story.step("there is a record; the client takes it, and sends another and its offset in transaction x"):
        first.begin("input")
        first.send(SOURCE, 0, "input-0")
        first.tell_commit()
        first.committed().needed()
        first.ask(f"take {GROUP} {SOURCE}").needed()
        first.begin("x")
        first.send(DATA, 1, "x-1")
        first.send_offset(GROUP, SOURCE, 1)
    b2_sends_one_marker(story, first, OFFSETS)
    b3_leads(story)
    begins_anew(story, kind)
    with story.needed("the record is read, and the group is asked for its offset"):
        story.read_committed(SOURCE, 0)
        offset = group_offset(story.cluster.bootstrap, story.transactions, GROUP, SOURCE)
    story.seen("the group is behind the record, which nobody will process any more", offset == 1, f"offset {offset}")
    ends(story)


# -- what the variants have in common -------------------------------------------------------------------------------


def topics(story: Story) -> None:
    """The log of the coordinator on b1, b2 and b3, and a topic of two partitions, led by b4 and by b5."""
    with story.step("b1 leads __transaction_state-0 with b2 and b3 in the ISR; b4 leads d-0, and b5 leads d-1"):
        story.create(1, 2, 3, cleanup_policy="compact", min_insync_replicas="2")
        story.create_beside(DATA, (4, 5), (5, 4))


def whole_transaction(story: Story, kind: ClientKind, lasts: int) -> TransactionalClient:
    """A producer whose first transaction is committed at both partitions."""
    with story.step("a transactional producer commits a first transaction at both partitions"):
        first = story.client("first", kind, lasts)
        first.ask("init").needed()
        first.begin("base")
        first.send(DATA, 0, "base-0")
        first.send(DATA, 1, "base-1")
        first.tell_commit()
        first.committed().needed()
    return first


def b2_sends_one_marker(story: Story, committing: TransactionalClient | None, reached: str = DATA) -> None:
    """b1 appends a decision, b2 copies it and becomes leader, and its marker reaches b4."""
    decides = "the abort of a time-out" if committing is None else "the decision to commit"
    with story.step("b3 does not fetch for the moment; it stays in the ISR (replica.lag.time.max.ms)"):
        before = [story.log_end(node) for node in (1, 2, 3)]
        if len(set(before)) > 1:
            raise NotFollowed(f"the logs of b1, b2 and b3 end at {before}")
        cut(story, *TO_B3)
    end = before[0]
    with story.step(f"b1 appends {decides}, and b2 copies it; b3 does not: it is not committed"):
        if committing is not None:
            committing.tell_commit()
        for node in (1, 2):
            story.wait_log_end(node, end + 1, 60)
        story.wait_log_end(3, end)
        if committing is not None:
            story.kill_client(committing)
    marked = story.log_end(4, reached, 0)
    with story.step("b2, a member of the ISR, becomes leader by a preferred election"):
        cut(story, *MARKERS_TO_B5)
        lead(story, 2, 1, 3, epoch=1)
    with story.step("b2 reads its log to the end, and sends markers at once: one reaches b4, none reaches b5"):
        story.wait_logged(2, r"Sending txn markers for .* after loading partition", file="server.log", seconds=40)
        story.wait_log_end(4, marked + 1, 40, reached, 0)
        story.wait_log_end(3, end)
    ends(story)


def b3_leads(story: Story) -> None:
    """The second election, of a broker in the ISR without the decision."""
    with story.step("b3, for which the transaction is Ongoing, becomes leader by a preferred election, in the ISR"):
        lead(story, 3, 2, 1, epoch=2)
        release(story, *TO_B3)


def begins_anew(story: Story, kind: ClientKind) -> None:
    """Another producer with the same transactional id, for which the coordinator ends what is open."""
    with story.step("the producer begins anew (InitProducerId), so b3 aborts: a marker ABORT reaches b4 and b5"):
        second = story.client("second", kind, LASTS)
        second.ask("init").needed()
        release(story, *MARKERS_TO_B5)  # not before: what b2 has on its way would reach b5 first
        story.wait(leader=3, isr=[1, 2, 3])


def lead(story: Story, *order: int, epoch: int) -> None:
    """Make the first of these the preferred leader, and elect it."""
    story.reassign(*order)
    story.wait(replicas=order)
    story.elect("preferred")
    story.wait_led(order[0], epoch, 40)


def ends(story: Story) -> None:
    """Read both partitions of the topic, as far as consumers with isolation.level=read_committed get."""
    with story.needed("consumers read both partitions"):
        read = {partition: story.read_committed(DATA, partition) for partition in (0, 1)}
    seen = "; ".join(f"{DATA}-{partition}: {', '.join(values)}" for partition, values in read.items())
    story.seen("consumers with isolation.level=read_committed read both partitions", True, seen)


def cut(story: Story, *ways: tuple[int, int]) -> None:
    """Cut these links."""
    for way in ways:
        story.cut(*way)


def release(story: Story, *ways: tuple[int, int]) -> None:
    """Let them pass again."""
    for way in ways:
        story.release(*way)


CHECKS = "transaction.abort.timed.out.transaction.cleanup.interval.ms"

SHAPE = Shape(
    brokers=5,
    proxied=(*TO_B3, *MARKERS_TO_B5),
    settings={
        "transaction.state.log.replication.factor": "3",
        "transaction.state.log.min.isr": "2",
        "min.insync.replicas": "2",
        "replica.lag.time.max.ms": "120000",
        "broker.session.timeout.ms": "30000",
    },
    # b1 aborts what is too old within a second, not within 10 s; b3 leaves that to the producer
    own={1: {CHECKS: "1000"}, 3: {CHECKS: "600000"}},
)


def variant(play: Callable[[Story, ClientKind], None], kind: ClientKind, tells: str, *words: str) -> Reproduction:
    """One of them."""
    java = ("java",) if kind is ClientKind.JAVA else ()

    def played(story: Story) -> None:
        play(story, kind)

    return Reproduction(
        "X1",
        tells,
        played,
        loses=lambda kafka, elr: True,
        shape=SHAPE,
        variant="-".join((*words, *java)),
        topic=LOG,
        data=(f"{DATA}-0", f"{DATA}-1", *((f"{SOURCE}-0",) if play is takes_and_sends else ())),
        harm="torn",
    )


AGAIN = "A coordinator acts on a commit that is not replicated; its successor aborts for a producer that begins anew."
TOLD = "A coordinator acts on an abort that is not replicated; its successor commits, and the producer is told so."
TAKEN = "The same as X1, and the offset of a record is committed whose processing is aborted."

REPRODUCTIONS = (
    variant(restarts, ClientKind.LIBRDKAFKA, AGAIN),
    variant(restarts, ClientKind.JAVA, AGAIN),
    variant(is_told, ClientKind.LIBRDKAFKA, TOLD, "told"),
    variant(is_told, ClientKind.JAVA, TOLD, "told"),
    variant(takes_and_sends, ClientKind.LIBRDKAFKA, TAKEN, "offsets"),
)
