"""What producers do: append through whoever presumes leadership, and wait as long as their `acks` say."""

from __future__ import annotations

from ..language import Identifier, action, require
from .leader import Leader
from .settings import Acks
from .state import Record, Replica


class Producer(Leader):
    """Partition.appendRecordsToLeader. A produce request carries no epoch, so a deposed leader takes it as well."""

    def has_enough_replicas(self, leader: Identifier) -> bool:
        """Whether the committed ISR is large enough for acks=all; else the answer is NOT_ENOUGH_REPLICAS."""
        return self.settings.acks != Acks.ALL or len(self.view(leader).isr) >= self.leader_min_isr(leader)

    @action(by="producer", to="leader", sends="Produce", says="A producer appends a record at {leader}")
    def produce(self, leader: Replica) -> None:
        """The leader appends a record, stamped with its epoch. No value is ever sent twice.

        With acks=1 the producer is told of success at once; with acks=all when the high watermark has passed the
        record; with acks=0 never.
        """
        require(self.presumes_leadership(leader))
        require(self.next_record < self.bounds.records)
        require(self.has_enough_replicas(leader))
        self.append(leader, self.next_record)
        self.next_record += 1

    def append(self, leader: Identifier, id: int) -> None:
        """UnifiedLog.appendAsLeader, and what a producer with acks=1 is told."""
        record = Record(id=id, epoch=self.view(leader).leader_epoch)
        self.brokers[leader].log.append(record)
        if self.settings.acks == Acks.LEADER:
            self.acknowledged |= {record.id}
        self.advance_high_watermark(leader)
