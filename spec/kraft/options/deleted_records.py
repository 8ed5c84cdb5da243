"""Records that are deleted from the start of the log, and with them what brokers know of who wrote them."""

from __future__ import annotations

from ...language import Identifier, Set, action, invariant, reachable, require, view
from ..rules import governed_by
from ..state import Offset, Replica
from .idempotence import NONE, IdempotentProducer


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

    def is_left(self, r: Identifier, batch: int) -> bool:
        """Whether r's log has the batch, and it is not deleted."""
        return any(self.brokers[r].log[offset].id == batch for offset in range(self.deleted, self.end(r)))

    def rebuild(self, r: Identifier) -> None:
        """As always, from the log start offset on: snapshots up to there are deleted as well."""
        log = self.brokers[r].log
        self.remembered[r] = Set()
        for offset in range(self.deleted, len(log)):
            self.remember(r, log[offset].id)

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
