"""Records that are deleted from the start of the log, and with them what brokers know of who wrote them."""

from __future__ import annotations

from ...language import Identifier, Set, action, invariant, reachable, require, view
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import Offset, Replica
from .idempotence import NONE, IdempotentProducer
from .log_start import LogStart


@governed_by("records_outlive_retries", "producer_state_outlives_records", "replicas_take_any_sequence")
class DeletedRecords(IdempotentProducer):
    """DeleteRecords (KIP-107) or retention: `deleted` is the log start offset.

    All replicas learn it at once: DeleteRecords is answered when they have. Before this offset a log holds here what it
    held, so that offsets stay what they are, and nobody reads it.
    """

    deleted: Offset

    @action(by="leader", says="The records below the high watermark of {leader} are deleted")
    def delete_records(self, leader: Replica) -> None:
        """UnifiedLog.maybeIncrementLogStartOffset. Before KAFKA-7190 a producer went with the last of its records."""
        require(self.is_legitimate(leader))
        require(self.deleted < self.brokers[leader].hw)
        require(not self.settings.records_outlive_retries or self.known == self.next_record)
        self.deleted = self.brokers[leader].hw
        if not self.settings.producer_state_outlives_records:
            for r in self.brokers:
                self.remembered[r] = Set(batch for batch in self.remembered[r] if self.is_left(r, batch))

    def crash(self, broker: Replica, kept: Offset) -> None:
        """As always; the log start offset outlives a crash, as in `log_start`, and the log is no shorter than that.

        Kafka writes it down once a minute (`log.flush.start.offset.checkpoint.interval.ms`), and what was deleted
        since is there again.
        """
        require(kept >= min(self.deleted, self.end(broker)))
        super().crash(broker, kept)

    def is_left(self, r: Identifier, batch: int) -> bool:
        """Whether r's log has the batch, and it is not deleted."""
        return any(self.brokers[r].log[offset].id == batch for offset in range(self.deleted, self.end(r)))

    def first_read(self, r: Identifier) -> int:
        """The log start offset: snapshots up to there are deleted as well (ProducerStateManager.truncateAndReload)."""
        return self.deleted

    def takes_unknown_producers(self, r: Identifier) -> bool:
        """As always; before KIP-360 the answer was UNKNOWN_PRODUCER_ID, and before KAFKA-5793 OUT_OF_ORDER_SEQUENCE."""
        return self.settings.producer_state_outlives_records and super().takes_unknown_producers(r)

    def copy_next(self, follower: Identifier, leader: Identifier) -> None:
        """As always. Before KAFKA-6003 a follower looked at sequence numbers, and copied nothing after a mismatch."""
        if not self.is_refused_by(follower, leader):
            before, known = self.end(follower), self.remembered[follower]
            super().copy_next(follower, leader)
            if before < self.deleted:
                self.remembered[follower] = known

    def is_refused_by(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the follower's fetcher fails at the leader's next record, again and again."""
        offset = self.end(follower)
        if self.settings.replicas_take_any_sequence or not self.deleted <= offset < self.end(leader):
            return False
        batch = self.brokers[leader].log[offset].id
        last = max(self.remembered[follower], default=NONE)
        return batch != last + 1 and not self.begins_epoch(batch)

    @invariant
    def replicas_take_what_leaders_have(self) -> bool:
        """No follower refuses to copy a record of its leader."""
        return not any(
            f != leader
            and self.presumes_leadership(leader)
            and self.follows(f, leader)
            and not self.diverges(f, leader)
            and self.is_refused_by(f, leader)
            for leader in self.brokers
            for f in self.brokers
        )

    @reachable
    def producer_outlives_its_records(self) -> bool:
        """A producer that goes on has no record left in the log."""
        return 0 < self.deleted == len(self.committed) and self.known == self.next_record

    @view(of="deleted")
    def deleted_in_words(self) -> str:
        """Up to where records are deleted, on every broker."""
        return f"up to offset {self.deleted}" if self.deleted > 0 else ""


class ProducersOfLogStart(IdempotentProducer, LogStart):
    """The same where each log has a log start offset of its own: what may be sent again is not deleted (KIP-360).

    A broker that loads its log, or begins anew at its leader's log start offset, knows nothing of who wrote before.
    """

    def raise_log_start(self, r: Identifier, offset: int) -> None:
        """As always, of what the producer has an answer for: that is left to operators."""
        require(not self.settings.records_outlive_retries or self.known == self.next_record)
        super().raise_log_start(r, offset)

    def first_read(self, r: Identifier) -> int:
        """Where its log begins, as with `deleted`."""
        return self.log_start[r]


BUGS = (
    KraftBug(
        id="KIP-360",
        title="Records are deleted while their producer may send them again, and the leader forgets who wrote them",
        tickets=("KIP-360", "KIP-107"),
        versions="all, where records are deleted within delivery.timeout.ms",
        faulty=Settings(records_outlive_retries=False),
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
        lesson=(
            "Keep what proves that something was done for as long as somebody may ask again. Records that are deleted "
            "sooner take the proof along."
        ),
    ),
    KraftBug(
        id="KAFKA-6003",
        title="A follower refuses to copy what its leader has, because it does not know the producer",
        tickets=("KAFKA-6003",),
        versions="0.11.0.0 to 0.11.0.1",
        faulty=Settings(replicas_take_any_sequence=False),
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
        lesson="A replica copies and does not judge. Who has accepted a record once has decided for all.",
    ),
    KraftBug(
        id="KAFKA-7190",
        title="A producer that goes on is unknown, because its last records were deleted",
        tickets=("KAFKA-7190", "KIP-360"),
        versions="0.11 to 2.3",
        faulty=Settings(producer_state_outlives_records=False),
        properties=("in_sequence_is_accepted",),
        bounds={"records": 2},
        story=(
            "r0 is committed, its producer knows, and it is deleted: by retention, where there is little traffic, or "
            "by DeleteRecords, as Kafka Streams does. With the last of its records the producer was forgotten as "
            "well, and its next batch, number 1, is refused (UNKNOWN_PRODUCER_ID, before 1.0 "
            "OUT_OF_ORDER_SEQUENCE_NUMBER) although nothing was lost. Since 2.4 a broker goes on knowing it, and "
            "since 2.5 a leader takes any batch of a producer that it does not know. That opened KAFKA-15591."
        ),
        lesson=(
            "Forgetting somebody together with its records makes a stranger of a sender that has done nothing wrong."
        ),
    ),
)
