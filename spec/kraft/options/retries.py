"""One producer that sends again what it has no answer for: requests and answers may be lost."""

from __future__ import annotations

from ...language import Identifier, action, invariant, reachable, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..follower import Follower
from ..producer import Producer
from ..settings import Acks
from ..state import Offset, RecordId, Replica


class Retries(BrokerLifecycle, Producer, Follower):
    """`retries`, and `max.in.flight.requests.per.connection` above 1: batches are sent before others are answered.

    A batch is one record here, and its number is that of the record. `known` is the first batch that the producer does
    not know to be written: the one that it sends again, before any other (RecordAccumulator). It never gives up:
    `delivery.timeout.ms` is longer than every run.
    """

    known: Offset

    # -- batches and what they carry ------------------------------------------------------------------------------

    def message(self, batch: int) -> int:
        """What the application wrote with this batch, by number."""
        return batch

    def has_room(self, leader: Identifier) -> bool:
        """Whether the model's log can take one more."""
        return self.end(leader) < self.bounds.records

    # -- steps ----------------------------------------------------------------------------------------------------

    def produce(self, leader: Replica) -> None:
        """As always. The answer may be lost, whatever it is."""
        require(self.has_room(leader))
        super().produce(leader)

    @action(by="producer", says="A produce request is lost")
    def lose_request(self) -> None:
        """It reaches no leader, or a broker that answers NOT_LEADER_OR_FOLLOWER; the next may be on its way already."""
        require(self.settings.acks != Acks.NONE)
        require(self.next_record < self.bounds.records)
        self.next_record += 1

    @action(
        by="producer",
        to="leader",
        sends="Produce",
        says="The producer sends batch {batch} again, to {leader}",
        fair="weak",
    )
    def retry(self, leader: Replica, batch: RecordId) -> None:
        """The request timed out, its connection was lost, or the answer was NOT_ENOUGH_REPLICAS_AFTER_APPEND."""
        self.require_retry(leader, batch)
        require(self.has_room(leader))
        self.append(leader, batch)

    def require_retry(self, leader: Identifier, batch: int) -> None:
        """The batch is the first that the producer is not sure of, and the leader takes requests."""
        require(self.settings.acks != Acks.NONE)
        require(self.known == batch and batch < self.next_record)
        require(self.presumes_leadership(leader))
        require(self.has_enough_replicas(leader))

    @action(
        by="leader",
        to="producer",
        sends="Produce response",
        says="{leader} tells the producer that batch {batch} is written",
        fair="weak",
    )
    def receive_success(self, leader: Replica, batch: RecordId) -> None:
        """An answer reaches the producer: with acks=all when the high watermark has passed the batch (DelayedProduce).

        It may come late, or be the answer to a retry.
        """
        require(self.known == batch and batch < self.next_record)
        require(self.presumes_leadership(leader) and self.settings.acks != Acks.NONE)
        written = self.end(leader) if self.settings.acks == Acks.LEADER else self.brokers[leader].hw
        require(self.settings.acks == Acks.LEADER or len(self.maximal_isr(leader)) >= self.leader_min_isr(leader))
        require(any(self.answers_for(leader, offset, batch) for offset in range(written)))
        self.acknowledged |= {batch}
        self.known += 1

    def answers_for(self, leader: Identifier, offset: int, batch: int) -> bool:
        """Whether the leader takes what it has at an offset for this batch: it appended the batch there."""
        record = self.brokers[leader].log[offset]
        return record.id == batch and record.epoch == self.view(leader).leader_epoch

    # -- what must hold -------------------------------------------------------------------------------------------

    @invariant
    def committed_once(self) -> bool:
        """Nothing that the application wrote once was committed twice."""
        return all(
            self.message(self.committed[i].id) != self.message(self.committed[j].id)
            for i in range(len(self.committed))
            for j in range(i)
        )

    @invariant
    def committed_in_order(self) -> bool:
        """What the application wrote earlier was not committed later."""
        return all(
            self.message(self.committed[i].id) >= self.message(self.committed[j].id)
            for i in range(len(self.committed))
            for j in range(i)
        )

    @reachable(only_if=lambda self: self.settings.acks != Acks.NONE)
    def written_and_not_known(self) -> bool:
        """A producer is not told of what was committed, so that it will send it again."""
        return any(self.known <= record.id < self.next_record for record in self.committed)

    # -- in words -------------------------------------------------------------------------------------------------

    def acknowledged_in_words(self) -> str:
        """The batches that were answered with success, whether the answers arrived or not."""
        answered = " ".join(f"r{batch}" for batch in self.acknowledged)
        return f"success was sent for {answered}" if answered else ""

    @view(of="producer")
    def unanswered_in_words(self) -> str:
        """The batches that the producer may have to send again."""
        waits = " ".join(f"r{batch}" for batch in range(self.known, self.next_record))
        return f"no answer received for {waits}" if waits else ""
