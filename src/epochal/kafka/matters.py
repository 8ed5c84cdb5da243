"""What people who run Kafka ask about when nothing is broken: what is safe, what a word means, what is in no model."""

from __future__ import annotations

from typing import Final

from epochal.kafka.symptoms import Situation

MATTERS: Final[tuple[Situation, ...]] = (
    Situation(
        "How many faults are survived",
        (
            *("lose data", "lose records", "lose messages", "acks all safe", "data safe", "how many fail"),
            *("how many can fail", "fault tolerance", "durability", "durable"),
        ),
        (
            "It depends on the release, the settings and the fault; each answer is a search of every state, and the "
            "usual ones are decided already. As designed, three replicas with min.insync.replicas=2, acks=all and "
            "eligible leader replicas keep what was acknowledged under two crashes that lose nothing, or one that "
            "loses data; as shipped, holes that are not closed yet can lose it earlier (S15, N1).",
        ),
        ("epochal guarantees", "epochal audit DUMP"),
    ),
    Situation(
        "One copy is enough for an answer",
        ("min insync replicas 1", "min isr 1", "replication factor 1", "rf 1", "single copy", "one copy"),
        (
            "With min.insync.replicas=1 the leader may be alone in the ISR, and acks=all then waits for nobody else. "
            "What it has answered is on one disk, and a loss of power or of the disk takes it (S24).",
        ),
        ("epochal guarantees --min-insync-replicas 1", "epochal catalogue S24"),
    ),
    Situation(
        "All of the ISR has died",
        ("elr", "eligible leader replicas", "isr died", "isr gone", "isr empty"),
        (
            "A member that leaves while the ISR is smaller than min.insync.replicas goes into the ELR, since nothing "
            "is committed from then on that it lacks. Where all of the ISR died, a member of the ELR leads when it is "
            "back, and nothing is lost by that; a member that comes back without a clean shutdown leaves the ELR "
            "first.",
            "If both are empty, the last known leader is elected, and its log decides what is left (N2).",
        ),
        ("epochal explain last_known_leader", "epochal guarantees --comes-back", "epochal prove kraft"),
    ),
    Situation(
        "A replica moves, or a broker is taken away",
        ("decommission", "reassign", "reassignment", "remove broker", "drain", "replication factor change"),
        (
            "A reassignment (KIP-455) adds the new replicas, waits until they are in the ISR, and takes the old ones "
            "away. Raising the replication factor partition by partition, partition 0 last, takes eligible leader "
            "replicas away meanwhile (H2).",
        ),
        ("epochal show kraft-reassignment", "epochal catalogue H2 H7"),
    ),
    Situation(
        "The ends of a log",
        ("leo", "log end offset", "hw", "log start offset", "logs diverge", "log divergence", "diverging epoch"),
        (
            "LEO, the log end offset: where the next record goes. High watermark: below it every member of the ISR "
            "has the record, and consumers read. Log start offset: where the log begins after deletions.",
            "Logs diverge when a follower has records that its leader has not. It asks where its last epoch ends in "
            "the leader's log, and truncates to there (KIP-101, KIP-279; within a fetch since 2.7).",
        ),
        ("epochal explain high_watermark", "epochal explain KIP-279", "epochal catalogue KIP-101"),
    ),
    Situation(
        "The controller on ZooKeeper",
        ("zookeeper session", "zookeeper", "session expired", "zookeeper migration"),
        (
            "Up to 3.9 a broker's session with ZooKeeper was its sign of life, and one of the brokers was the "
            "controller. What could go wrong between a session that ends and a broker that is back (KAFKA-7235), and "
            "between two controllers (KAFKA-6082), is in the family zookeeper. How a cluster moves to KRaft is in no "
            "model.",
        ),
        ("epochal show zookeeper", "epochal catalogue KAFKA-7235"),
    ),
    Situation(
        "A consumer is behind",
        (
            *("consumer lag", "consumer lag high", "consumer group lag", "consumer behind"),
            *("slow consumer", "records lag max"),
        ),
        (
            "The lag is how far the group's committed offset is behind the end of what may be read "
            "(`kafka-consumer-groups --describe`). It is about the consumer and not about replicas, and nothing is "
            "lost by it, unless retention deletes what was not read yet.",
            "A consumer that does not get on although it asks is held back: by the high watermark where a member of "
            "the ISR is slow, or with isolation.level=read_committed by a transaction that nobody ends.",
        ),
        (
            *("epochal explain high_watermark", 'epochal explain "hanging transaction"'),
            'epochal explain "offset out of range"',
        ),
    ),
    Situation(
        "What an unclean election costs",
        ("unclean leader election", "unclean election", "unclean leader"),
        (
            "Where nobody is left who has everything that was acknowledged, unclean.leader.election.enable=true lets "
            "any live replica lead. The partition takes writes again, and every record that this replica lacks is "
            "gone, acknowledged with acks=all or not; consumers may have read it. The others truncate to the new "
            "leader's log.",
            "With false, the default since 0.11 (KIP-106), the partition waits for a broker that has the records.",
        ),
        ("epochal guarantees --unclean-leader-election", "epochal catalogue S27"),
    ),
    Situation(
        "When a record is committed",
        (
            "when committed",
            "when record committed",
            "when message committed",
            "what committed mean",
            "what is committed",
        ),
        (
            "When every member of the ISR has it, which a leader learns from the fetches of its followers: it is then "
            "below the high watermark, consumers read it, and a write with acks=all is answered. With acks=1 the "
            "answer comes as soon as the leader has appended it.",
            "The ISR may be smaller than the replicas. min.insync.replicas refuses writes with acks=all where it is "
            "too small, and with eligible leader replicas (KIP-966) the high watermark waits, too. In the log of the "
            "controllers a record is committed when a majority of the voters has it.",
        ),
        (
            *("epochal explain high_watermark", "epochal explain min.insync.replicas"),
            "epochal show kraft    # record_committed, enough_copies",
        ),
    ),
    Situation(
        "The preferred leader",
        (
            *("preferred leader", "preferred replica", "preferred leader election", "leader imbalance"),
            *("auto leader rebalance", "leader rebalance", "balance leaders"),
        ),
        (
            "The first in the list of a partition's replicas. Leadership comes back to it by `kafka-leader-election "
            "--election-type preferred`, or by itself with auto.leader.rebalance.enable. Only a live member of the ISR "
            "is elected so (KIP-460): nothing that was acknowledged is lost by that.",
        ),
        ("epochal show balancing-kraft", "epochal show kraft    # elect_preferred_leader", "epochal explain KIP-460"),
    ),
    Situation(
        "What no model here has",
        (
            *("clock skew", "tiered storage", "remote storage", "share group", "consumer group", "rebalance"),
            *("quota", "compaction", "compacted", "mirrormaker", "mirror maker", "schema registry"),
            *("authorization", "acl", "delete topic", "topic deletion", "create topic"),
        ),
        (
            "The specifications are of the replication of one partition, its controllers, and what producers and "
            "consumers are told of it. They have no clock: what a time-out may bring about may happen at any time. "
            "Consumer groups, compaction, tiered storage, quotas, topics that come and go, and other clusters are in "
            "none of them, and so is no bug of theirs.",
        ),
        ("epochal list", "epochal catalogue --list    # the second table has what is known and in no model"),
    ),
)
"""In the order in which they are told, after the symptoms."""
