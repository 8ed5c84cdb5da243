"""The idempotent producer (KIP-98): leaders remember the last batches of a producer, and know a retry by its sequence.

What a broker remembers is never replicated by itself. Every replica makes it from its log: as it copies records, and
anew when it starts, or has cut its log back. So it is there when another leads.
"""

from __future__ import annotations

from ...language import Identifier, Map, Set, action, invariant, reachable, require, view
from ..rules import NEVER, KraftBug, governed_by
from ..settings import Acks, Settings
from ..state import KnownOffset, Offset, RecordId, Replica, Status
from .retries import Retries

NO_BUMP = -1
"""`bumped_at` of a producer that is in its first producer epoch."""
NONE = -1
"""The last of no batches; the first has number 0."""


@governed_by("idempotence", "producer_state_follows_log", empty_log_begins_at_zero=NEVER, only_where_asked_for=True)
class IdempotentProducer(Retries):
    """ProducerStateManager and ProducerAppendInfo, and TransactionManager of a producer without a transactional id.

    `remembered[r]` are the batches that r knows of the producer, up to five in Kafka (ProducerStateEntry). When the
    producer is told that it is out of order, it begins another producer epoch, in which sequence numbers begin at 0
    again (KIP-360): `bumped_at` is the first batch of that epoch, and `resumed_from` the message that it carries. Here
    that happens once at most.
    """

    remembered: Map[Replica, Set[RecordId]]
    bumped_at: KnownOffset
    resumed_from: Offset

    def initial(self, leader: Replica) -> None:
        """As always, and the producer is in its first producer epoch."""
        super().initial(leader)
        self.bumped_at = NO_BUMP

    def is_idempotent(self) -> bool:
        """Whether the producer numbers its batches. It does so with acks=all only (ProducerConfig)."""
        return self.settings.idempotence and self.settings.acks == Acks.ALL

    # -- sequence numbers -----------------------------------------------------------------------------------------

    def message(self, batch: int) -> int:
        """After a new producer epoch has begun, the first message that was not answered is sent anew, then the rest."""
        if self.bumped_at == NO_BUMP or batch < self.bumped_at:
            return batch
        return self.resumed_from + batch - self.bumped_at

    def begins_epoch(self, batch: int) -> bool:
        """Whether a batch has sequence number 0."""
        return batch == max(self.bumped_at, 0)

    def is_duplicate(self, r: Identifier, batch: int) -> bool:
        """ProducerStateEntry.findDuplicateBatch: r remembers the very batch."""
        return self.is_idempotent() and batch in self.remembered[r]

    def is_in_sequence(self, r: Identifier, batch: int) -> bool:
        """ProducerAppendInfo.checkSequence: the batch is the next one, or the first of a producer epoch."""
        if not self.is_idempotent():
            return True
        if len(self.remembered[r]) == 0:
            return self.begins_epoch(batch) or self.takes_unknown_producers(r)
        last = max(self.remembered[r], default=NONE)
        return batch == last + 1 or (self.begins_epoch(batch) and batch > last)

    def takes_unknown_producers(self, r: Identifier) -> bool:
        """Whether r takes any batch of a producer that it knows nothing of.

        Since KIP-360, Kafka 2.5, it does: what it knew may have gone with records that were deleted. KAFKA-15591: not
        as long as its log has never held a record.
        """
        return self.end(r) > 0 or not self.settings.empty_log_begins_at_zero

    # -- what brokers remember ------------------------------------------------------------------------------------

    def remember(self, r: Identifier, batch: int) -> None:
        """ProducerStateManager.update: a batch was appended. Those of an older producer epoch are forgotten.

        What comes by replication or from the log is taken as it is.
        """
        if any(old < self.bumped_at <= batch for old in self.remembered[r]):
            self.remembered[r] = Set()
        self.remembered[r] |= {batch}

    def rebuild(self, r: Identifier) -> None:
        """UnifiedLog.rebuildProducerState: from the log, as far as it goes."""
        self.read_producers(r, self.first_read(r))

    def first_read(self, r: Identifier) -> int:
        """Where a log begins that is read for its producers."""
        return 0

    def read_producers(self, r: Identifier, start: int) -> None:
        """All that is known of producers is what the log has from here on."""
        log = self.brokers[r].log
        self.remembered[r] = Set()
        for offset in range(start, len(log)):
            self.remember(r, log[offset].id)

    def append(self, leader: Identifier, id: int) -> None:
        """As always, and the leader remembers the batch."""
        if self.is_idempotent():
            self.remember(leader, id)
        super().append(leader, id)

    def copy_next(self, follower: Identifier, leader: Identifier) -> None:
        """As always, and the follower remembers what it copies."""
        before = self.end(follower)
        super().copy_next(follower, leader)
        if self.is_idempotent() and self.end(follower) > before:
            self.remember(follower, self.brokers[follower].log.last.id)

    def truncate(self, r: Identifier, offset: int) -> None:
        """As always, and what was remembered of the rest goes with it (ProducerStateManager.truncateAndReload)."""
        before = self.end(r)
        super().truncate(r, offset)
        if self.is_idempotent() and self.settings.producer_state_follows_log and offset < before:
            self.rebuild(r)

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; what was remembered was in memory."""
        super().stop(broker, status)
        self.remembered[broker] = Set()

    def restart(self, broker: Replica, successor: Replica | None) -> None:
        """As always, and the log is loaded (LogLoader)."""
        super().restart(broker, successor)
        if self.is_idempotent():
            self.rebuild(broker)

    # -- steps ----------------------------------------------------------------------------------------------------

    def produce(self, leader: Replica) -> None:
        """As always, if it is in sequence. Otherwise it is refused, and the producer sends it again in its turn."""
        require(self.is_in_sequence(leader, self.next_record))
        super().produce(leader)

    def retry(self, leader: Replica, batch: RecordId) -> None:
        """As always, if it is in sequence. A duplicate is not appended, and answered as the batch that is there."""
        require(not self.is_duplicate(leader, batch) and self.is_in_sequence(leader, batch))
        super().retry(leader, batch)

    def answers_for(self, leader: Identifier, offset: int, batch: int) -> bool:
        """As always; or it knows the batch from another leader, and takes requests: none is waiting for its answer.

        A duplicate is a request as well: with too few in the committed ISR it is refused (NOT_ENOUGH_REPLICAS).
        `receive_success` looks at the maximal ISR, as DelayedProduce does for a request that is waiting.
        """
        return super().answers_for(leader, offset, batch) or (
            self.brokers[leader].log[offset].id == batch
            and self.is_duplicate(leader, batch)
            and self.has_enough_replicas(leader)
        )

    @action(
        by="leader",
        to="producer",
        sends="Produce response",
        says="{leader} answers batch {batch} with OUT_OF_ORDER_SEQUENCE_NUMBER, and the producer begins a new epoch",
        fair="weak",
    )
    def bump_epoch(self, leader: Replica, batch: RecordId) -> None:
        """TransactionManager.canRetry and bumpIdempotentProducerEpoch: all that is not answered is numbered anew.

        The first of these comes with sequence number 0 of a new producer epoch, which no leader refuses.
        """
        require(self.is_idempotent() and self.bumped_at == NO_BUMP)
        self.require_retry(leader, batch)
        require(not self.is_duplicate(leader, batch) and not self.is_in_sequence(leader, batch))
        self.resumed_from = batch
        self.bumped_at = self.next_record
        self.known = self.next_record

    # -- what must hold -------------------------------------------------------------------------------------------

    @invariant
    def in_sequence_is_accepted(self) -> bool:
        """A producer that lost nothing is never told that it is out of order, or unknown.

        What it has no answer for is accepted, or known, at a leader that has everything before.
        """
        return all(
            self.is_duplicate(r, batch) or self.is_in_sequence(r, batch)
            for r in self.brokers
            if self.is_legitimate(r)
            for batch in range(self.known, min(self.next_record + 1, self.bounds.records))
            if self.holds_all_before(r, batch)
        )

    def holds_all_before(self, r: Identifier, batch: int) -> bool:
        """Whether the log of r has every earlier batch of the producer epoch."""
        return all(
            any(record.id == earlier for record in self.brokers[r].log)
            for earlier in range(max(self.bumped_at, 0), batch)
        )

    @invariant
    def remembered_is_in_log(self) -> bool:
        """What a broker takes for a duplicate is in its log."""
        return all(
            any(record.id == batch for record in self.brokers[r].log)
            for r in self.brokers
            for batch in self.remembered[r]
        )

    @reachable(only_if=lambda self: self.is_idempotent())
    def duplicate_at_another_leader(self) -> bool:
        """A leader would know a retry of what another leader appended."""
        return any(
            self.is_legitimate(r)
            and self.known < self.next_record
            and self.is_duplicate(r, self.known)
            and any(
                record.id == self.known and record.epoch < self.view(r).leader_epoch for record in self.brokers[r].log
            )
            for r in self.brokers
        )

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="producer")
    def producer_epoch_in_words(self) -> str:
        """The batch that began a new producer epoch, and what it carries."""
        if self.bumped_at == NO_BUMP:
            return ""
        return f"a new producer epoch begins with r{self.bumped_at}, which carries what r{self.resumed_from} did"

    @view(of="broker")
    def remembered_in_words(self, broker: Replica) -> str:
        """The batches that a broker would take for duplicates."""
        batches = " ".join(f"r{batch}" for batch in self.remembered[broker])
        return f"remembers {batches} of the producer" if batches else ""


BUGS = (
    KraftBug(
        id="S31",
        title="A retry appends the record twice",
        tickets=("KIP-98",),
        versions="all, with enable.idempotence=false, the default before 3.0",
        faulty=Settings(idempotence=False),
        properties=("committed_once", "committed_in_order"),
        bounds={"records": 2},
        story=(
            "The answer to r0 is lost, or late: REQUEST_TIMED_OUT, NOT_ENOUGH_REPLICAS_AFTER_APPEND, a connection "
            "that ends. The producer sends r0 again, and the leader, who cannot know, appends it once more. Both are "
            "committed. With more than one request in flight it is also put behind the next record, if its first "
            "request was lost. An idempotent producer (enable.idempotence, with acks=all) numbers its batches, and a "
            "leader takes one that it remembers for written."
        ),
        lesson=(
            "An answer that is lost looks like a request that is lost. Who sends again must number what it sends, and "
            "the receiver must remember the numbers."
        ),
    ),
    KraftBug(
        id="KIP-98",
        title="What a broker remembers of producers is not cut back with its log",
        tickets=("KIP-98", "ProducerStateManager.truncateAndReload"),
        versions="none; the mistake that KIP-98 avoids",
        faulty=Settings(producer_state_follows_log=False),
        properties=("remembered_is_in_log",),
        bounds={"max_epoch": 1, "elections": 1},
        story=(
            "b2 is elected, and b1, which does not know it yet, appends r0. b1 follows, and cuts r0 from its log. If "
            "b1 went on remembering r0, it would take a retry for a duplicate once it leads again, and tell the "
            "producer that a batch is written which is nowhere. So what is remembered is made again from the log "
            "whenever that is cut back (ProducerStateManager.truncateAndReload)."
        ),
        lesson=(
            "Memory that was made from a log is cut back with the log. What is remembered of a record that is gone "
            "acknowledges what is nowhere."
        ),
    ),
    KraftBug(
        id="KAFKA-15591",
        title="A leader that knows nothing of a producer begins with its second batch",
        tickets=("KAFKA-15591", "KAFKA-14359", "KAFKA-14312", "KAFKA-19880"),
        versions="2.5 to 4.4",
        faulty=Settings(empty_log_begins_at_zero=False),
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
        lesson=(
            "Who knows nothing of a sender cannot tell whether its number is the next one. A log that never held a "
            "record begins at zero."
        ),
    ),
)
