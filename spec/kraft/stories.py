"""The stories of those entries of the catalogue whose steps need telling, by id."""

from __future__ import annotations

STORIES: dict[str, str] = {
    "S15": (
        "b1 learns from the answer to its first proposal that b3 is in the ISR, and at once proposes b2 as well. "
        "Then it replays the change record of the first proposal. Its partition epoch is not newer than what b1 "
        "knows, but equal is accepted (Partition.makeLeader), and that forgets the pending proposal. The controller "
        "accepts it all the same. Until b1 replays that change, it counts {b1, b3} while the ISR is {b1, b2, b3}: "
        "it commits r0 without b2, who may be elected at any time. Where Kafka also waits for replicas that were "
        "caught up within replica.lag.time.max.ms, this needs b2 to be slower than that; the model leaves that "
        "clause out. Ignoring metadata unless it is strictly newer closes it. No report is known."
    ),
    "S18": (
        "b1 crashes and loses its log while its session still runs. It registers again before the controller has "
        "fenced it: it gets a new broker epoch and is marked fenced, but the partition does not change, so that b1 "
        "finds itself the leader of the same epoch with an empty log. No election has happened. With its next fetch "
        "b2, an honest member of the ISR with acks=all and min.insync.replicas=2, is told that epoch 0 ends at "
        "offset 0, and truncates the only copy of r0. Since Kafka 4.0 a new incarnation first takes the old one out "
        "of leadership and ISR."
    ),
    "S21": (
        "b2 leaves the ISR and, because the ISR is now smaller than min.insync.replicas, becomes an eligible leader "
        "replica: the controller takes it to have everything that is committed. That is true only if nothing is "
        "committed while the ISR is that small. Here b1 alone moves its high watermark over r0, which consumers may "
        "then read, although b2 can be elected without it, and was: clean failures only. (In this shortest run b1 "
        "does not know yet that it was deposed; had it appended before, b2 would lack r0 as well.) Without ELR "
        "nobody but b1 could be elected. The strict high watermark of Kafka 3.7 stands still instead."
    ),
    "S23": (
        "b3 is taken from the partition and given back. b1 replays both changes in one batch, sees the same "
        "replicas as before, and still remembers from its term before that b3 is at offset 1. b3 replays the first "
        "change by itself and deletes its log. If b1 proposed b3 by what it remembers, b3 would join the ISR "
        "without r0. Kafka proposes a follower only at a fetch of its own in the present epoch, which overwrites "
        "what was remembered; forgetting the table in each new epoch would do as well. No released Kafka has this, "
        "and nothing but that order of steps prevents it."
    ),
    "S26a": (
        "b1 was deposed with r1 in its log, which was never committed. Its first fetch from b2 is answered with a "
        "diverging epoch and, in the same answer, with b2's high watermark 1. Before KAFKA-14704 the follower took "
        "over the high watermark first and truncated afterwards: for that moment r1 is below b1's high watermark, "
        "and a consumer that reads from followers (KIP-392) gets a record that no leader ever committed. Since then "
        "an answer with a diverging epoch carries no high watermark."
    ),
    "N1": (
        "b1 leads, is deposed and elected again, and replays both changes in one batch: as far as it can tell it "
        "has led all the time, so it keeps its follower table. In the term between, a follower truncated what it "
        "had from b1's former term. b1 still counts it at its old offset, and commits a record that this member of "
        "the ISR does not have. Forgetting the table in every new epoch closes it. No report is known."
    ),
    "N2": (
        "Both brokers crash, but only one loses its log. Neither left a marker of a clean shutdown, so both leave "
        "the ELR when they return, and with an empty ISR and an empty ELR the last known leader is elected: the one "
        "without the log. The other still has the record, acknowledged with acks=all and min.insync.replicas=2. So "
        "ELR tolerates min.insync.replicas - 1 crashes of any kind, not only lossy ones. No report is known."
    ),
}
