"""A coordinator's writes, which succeed when the high watermark of its own broker has passed them (KIP-848)."""

from __future__ import annotations

from ...language import Ghost, Identifier, Map, Set, Struct, action, invariant, reachable, require, view
from ..producer import Producer
from ..rules import governed_by
from ..state import Offset, RecordId, Replica


class PendingWrite(Struct, text="{broker} at {offset}"):
    """A write of the coordinator on a broker, and the offset of its record. Without a broker nobody waits."""

    broker: Replica | None
    offset: Offset


@governed_by("coordinator_hears_as_leader_only")
class CoordinatorWrites(Producer):
    """The partition is one of `__consumer_offsets`: every record is written by the coordinator of its leader.

    `pending` are the writes that wait (CoordinatorRuntime, deferredEventQueue), and `told` those that were told of
    success. The coordinator of a broker that leads no longer is unloaded some time later; what has not been told by
    then is told NOT_COORDINATOR.
    """

    pending: Map[RecordId, PendingWrite]
    told: Ghost[Set[RecordId]]

    def produce(self, leader: Replica) -> None:
        """CoordinatorPartitionWriter.append: as always, and the write waits for the offset of its record."""
        require(self.next_record < self.bounds.records)
        self.pending[self.next_record].broker = leader
        self.pending[self.next_record].offset = self.end(leader)
        super().produce(leader)

    @action(by="broker", says="The coordinator on {broker} hears that the high watermark has passed its writes")
    def hear_high_watermark(self, broker: Replica) -> None:
        """CoordinatorRuntime.onHighWatermarkUpdated: it compares offsets, and knows nothing of the records there."""
        require(any(self.is_passed(id, broker) for id in self.pending))
        for id in self.pending:
            if self.is_passed(id, broker):
                self.told |= {id}
                self.forget_write(id)

    def is_passed(self, id: int, broker: Identifier) -> bool:
        """Whether this write of the broker's coordinator waits, and lies below the broker's high watermark."""
        return self.pending[id].broker == broker and self.pending[id].offset < self.brokers[broker].hw

    def forget_leadership(self, r: Identifier) -> None:
        """As always; the listener of its term hears nothing more (CoordinatorPartitionWriter.ListenerAdapter).

        Before KAFKA-20634 it heard the high watermark of the follower as well, until the coordinator was unloaded, or
        its process ended.
        """
        super().forget_leadership(r)
        if self.settings.coordinator_hears_as_leader_only or not self.is_running(r):
            self.forget_writes(r)

    def forget_writes(self, broker: Identifier) -> None:
        """What waits there is not told of success any more."""
        for id in self.pending:
            if self.pending[id].broker == broker:
                self.forget_write(id)

    def forget_write(self, id: int) -> None:
        """Nobody waits for it."""
        self.pending[id].broker = None
        self.pending[id].offset = 0

    @invariant
    def coordinator_writes_durable(self) -> bool:
        """The partition's leader, once it has taken office, holds every record whose write was told of success."""
        return all(
            any(record.id == id for record in self.brokers[r].log)
            for r in self.brokers
            if self.is_legitimate(r)
            for id in self.told
        )

    @reachable
    def write_succeeds(self) -> bool:
        """A coordinator's write is told of success."""
        return len(self.told) > 0

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="broker")
    def pending_writes_in_words(self, broker: Replica) -> str:
        """The writes for which the coordinator on a broker waits."""
        waits = [f"r{id} at {self.pending[id].offset}" for id in self.pending if self.pending[id].broker == broker]
        return f"its coordinator waits for {', '.join(waits)}" if waits else ""

    @view(of="coordinators' clients")
    def told_in_words(self) -> str:
        """The writes of whose success a client was told."""
        return f"told of success: {' '.join(f'r{id}' for id in self.told)}" if self.told else ""
