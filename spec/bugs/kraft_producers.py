"""What producers meet that send again what they have no answer for: with idempotence, and without."""

from __future__ import annotations

from ..kraft.settings import Settings
from .known_bug import KnownBug

NEWEST = Settings()

RETRIES: tuple[KnownBug, ...] = (
    KnownBug(
        id="S31",
        title="A retry appends the record twice",
        tickets=("KIP-98",),
        versions="all, with enable.idempotence=false, the default before 3.0",
        faulty=Settings(idempotence=False),
        sound=NEWEST,
        properties=("committed_once", "committed_in_order"),
        bounds={"records": 2},
        story=(
            "The answer to r0 is lost, or late: REQUEST_TIMED_OUT, NOT_ENOUGH_REPLICAS_AFTER_APPEND, a connection "
            "that ends. The producer sends r0 again, and the leader, who cannot know, appends it once more. Both are "
            "committed. With more than one request in flight it is also put behind the next record, if its first "
            "request was lost. An idempotent producer (enable.idempotence, with acks=all) numbers its batches, and a "
            "leader takes one that it remembers for written."
        ),
    ),
    KnownBug(
        id="KIP-98",
        title="What a broker remembers of producers is not cut back with its log",
        tickets=("KIP-98", "ProducerStateManager.truncateAndReload"),
        versions="none; the mistake that KIP-98 avoids",
        faulty=Settings(producer_state_follows_log=False),
        sound=NEWEST,
        properties=("remembered_is_in_log",),
        bounds={"max_epoch": 1, "elections": 1},
        story=(
            "b2 is elected, and b1, which does not know it yet, appends r0. b1 follows, and cuts r0 from its log. If "
            "b1 went on remembering r0, it would take a retry for a duplicate once it leads again, and tell the "
            "producer that a batch is written which is nowhere. So what is remembered is made again from the log "
            "whenever that is cut back (ProducerStateManager.truncateAndReload)."
        ),
    ),
    KnownBug(
        id="KIP-360",
        title="Records are deleted while their producer may send them again, and the leader forgets who wrote them",
        tickets=("KIP-360", "KIP-107"),
        versions="all, where records are deleted within delivery.timeout.ms",
        faulty=Settings(records_outlive_retries=False),
        sound=NEWEST,
        properties=("committed_once", "in_sequence_is_accepted"),
        bounds={"replication_factor": 1, "records": 2, "max_epoch": 2, "fencings": 1},
        story=(
            "r0 is committed, and may be read, but its answer is lost. Before the producer sends it again, it is "
            "deleted: by DeleteRecords, as Kafka Streams does for what it has repartitioned, or by a short retention. "
            "The broker that has it in memory goes on knowing its producer (KIP-360, Kafka 2.4), but one that loads "
            "its log anew does not: snapshots up to the log start offset are deleted, too. b1 restarts, leads again "
            "and appends r0 a second time. The comment of truncateAndReload says that this state may be lost; what "
            "Kafka asks of an operator is not to delete what may still be retried, for delivery.timeout.ms. One "
            "broker is enough to show it; with more, any that has restarted and leads next does the same."
        ),
    ),
    KnownBug(
        id="KIP-854",
        title="A leader forgets an idle producer that still sends again",
        tickets=("KIP-854",),
        versions="all, where producer.id.expiration.ms is less than delivery.timeout.ms",
        faulty=Settings(producer_state_outlives_retries=False),
        sound=NEWEST,
        properties=("committed_once",),
        bounds={"records": 2, "expirations": 1},
        story=(
            "b1 appends r0, and the answer is lost. Before the producer sends it again, producer.id.expiration.ms has "
            "passed and b1 forgets the producer, so that the retry is new. The default is a day, and "
            "delivery.timeout.ms two minutes: this happens only where the one was set below the other."
        ),
    ),
    KnownBug(
        id="KAFKA-6003",
        title="A follower refuses to copy what its leader has, because it does not know the producer",
        tickets=("KAFKA-6003",),
        versions="0.11.0.0 to 0.11.0.1",
        faulty=Settings(replicas_take_any_sequence=False),
        sound=NEWEST,
        properties=("replicas_take_what_leaders_have",),
        bounds={"records": 2, "crashes": 1},
        story=(
            "r0 is committed, its producer knows, and it is deleted. b2 crashes. The leader b1, who remembers the "
            "producer, appends r1. b2 starts again: its log begins after r0, so it knows nothing of the producer, and "
            "there the run ends. With its next fetch b2 looks at the next batch as if a client had sent it, finds "
            "sequence number 1 of a producer that it does not know, and throws OutOfOrderSequenceException; so it does "
            "at every fetch, and never catches up. Since then only the leader looks at sequence numbers, and only at "
            "those of clients."
        ),
    ),
    KnownBug(
        id="KAFKA-7190",
        title="A producer that goes on is unknown, because its last records were deleted",
        tickets=("KAFKA-7190", "KIP-360"),
        versions="0.11 to 2.3",
        faulty=Settings(producer_state_outlives_records=False),
        sound=NEWEST,
        properties=("in_sequence_is_accepted",),
        bounds={"records": 2},
        story=(
            "r0 is committed, its producer knows, and it is deleted: by retention, where there is little traffic, or "
            "by DeleteRecords, as Kafka Streams does. With the last of its records the producer was forgotten as "
            "well, and its next batch, number 1, is refused (UNKNOWN_PRODUCER_ID, before 1.0 "
            "OUT_OF_ORDER_SEQUENCE_NUMBER) although nothing was lost. Since 2.4 a broker goes on knowing it, and "
            "since 2.5 a leader takes any batch of a producer that it does not know. That opened KAFKA-15591."
        ),
    ),
    KnownBug(
        id="KAFKA-15591",
        title="A leader that knows nothing of a producer begins with its second batch",
        tickets=("KAFKA-15591", "KAFKA-14359", "KAFKA-14312", "KAFKA-19880"),
        versions="2.5 to 4.4",
        faulty=Settings(empty_log_begins_at_zero=False),
        sound=NEWEST,
        properties=("committed_once", "committed_in_order", "in_sequence_is_accepted"),
        bounds={"records": 4},
        story=(
            "Two batches are in flight. The first is lost on its way, or answered with NOT_LEADER_OR_FOLLOWER, "
            "because its broker does not know yet that it leads. The second finds a leader that knows nothing of the "
            "producer, and since KIP-360 such a leader takes any sequence number: r1 is in the log, without r0. The "
            "retry of r0 is OUT_OF_ORDER_SEQUENCE_NUMBER then. If the answer to r1 has not arrived, the producer "
            "takes this for a gap, begins a new producer epoch and sends both anew "
            "(TransactionManager.bumpIdempotentProducerEpoch): r1 is committed twice. If it has arrived, r0 is sent "
            "until delivery.timeout.ms and given up. Kafka 4.5 refuses the second batch as long as the log has never "
            "held a record; with transactions of version 2, 4.1 does so in any log (KAFKA-18202). Where a log has "
            "held records, and the leader does not know this producer, the hole is open in 4.5 too: the model shows "
            "it with a producer that was idle for producer.id.expiration.ms; no running Kafka has shown that yet."
        ),
    ),
    KnownBug(
        id="P1",
        title="After a restart a broker knows the last batch of a producer only, and a retry of the one before is new",
        tickets=("ProducerStateManager.writeSnapshot; no ticket known", "KIP-98"),
        versions="1.0 to 4.4",
        faulty=Settings(snapshots_keep_batches=False),
        sound=NEWEST,
        properties=("committed_once", "in_sequence_is_accepted"),
        bounds={"replication_factor": 1, "records": 3, "max_epoch": 2, "fencings": 1},
        story=(
            "Both r0 and r1 are committed, and their answers are lost, because b1 shuts down. What b1 remembers of the "
            "producer goes into a snapshot: of up to five batches in memory only the last one "
            "(ProducerStateManager.writeSnapshot). b1 starts again, leads, and knows r1. The producer sends both "
            "again, in order. r0 is no duplicate that b1 knows and not the next batch either, so the answer is "
            "OUT_OF_ORDER_SEQUENCE_NUMBER, although nothing is lost. For the producer r0 is the next batch to be "
            "acknowledged, so it takes this for a gap (TransactionManager.canRetry), begins a new producer epoch, in "
            "which its batches are numbered from 0 again, and r0 is committed twice, and r1 would be next. One broker "
            "shows it in the fewest steps; with two and min.insync.replicas=2 it takes a follower that was restarted "
            "and then leads. A snapshot is also where a follower begins that has truncated. It needs two batches in "
            "flight and a restart within delivery.timeout.ms; a snapshot of all batches closes it. Derived from the "
            "sources of 4.3, producer and broker; no report is known, and no running Kafka has shown it yet."
        ),
    ),
)
