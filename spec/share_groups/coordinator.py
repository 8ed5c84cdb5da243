"""The share coordinator: it gives its state to leaders, takes writes, refuses former leaders, and fails over."""

from __future__ import annotations

from typing import ClassVar

from ..language import action, bounded, require
from .state import UNKNOWN_OFFSET, Awaits, DeliveryState, Phase, ShareGroupState, Slot


class ShareCoordinator(ShareGroupState):
    """ShareCoordinatorShard, on the log of a `__share_group_state` partition.

    A read answers with the state, and writes the leader epoch under which it was asked, if that is new. A write says
    the start offset of its sender, and what has become of a record. Nothing is answered before it is replicated.
    """

    keeps_greatest_start: ClassVar[bool] = True
    """apache/kafka#23074: a write with a lower start offset does not take the start offset back."""

    initialize_knows_leader: ClassVar[bool] = True
    """Whether the record of an Initialize says the leader epoch of the topic partition."""

    forgets_lost_writes: ClassVar[bool] = True
    """KAFKA-20634: a coordinator that leads no longer tells nobody of success by the high watermark of a follower."""

    # -- words ----------------------------------------------------------------------------------------------------

    def rank(self, state: DeliveryState) -> int:
        """RecordState.id: of two writes with one delivery count the greater wins (PersisterStateBatchCombiner)."""
        if state == DeliveryState.ARCHIVED:
            return 3
        if state == DeliveryState.ACKNOWLEDGED:
            return 2
        return 1 if state == DeliveryState.AVAILABLE else 0

    def supersedes(self, slot: int, offset: int) -> bool:
        """Whether a write says more of its record than is persisted: it was delivered more often, or is over."""
        write, persisted = self.writes[slot], self.persisted.records[offset]
        return write.count > persisted.count or (
            write.count == persisted.count and self.rank(write.state) > self.rank(persisted.state)
        )

    def is_fenced(self, slot: int) -> bool:
        """ShareCoordinatorShard.maybeGetWriteStateError: FENCED_LEADER_EPOCH, or FENCED_STATE_EPOCH."""
        write = self.writes[slot]
        return write.leader_epoch < self.persisted.fence or write.state_epoch < self.persisted.state_epoch

    def comes_too_late(self, slot: int) -> bool:
        """Whether a write would begin what has begun: there is one first start offset, and who asked for it reads."""
        return self.writes[slot].state == DeliveryState.NONE and self.persisted.start != UNKNOWN_OFFSET

    # -- what it does ---------------------------------------------------------------------------------------------

    @action(by="share coordinator", says="The share coordinator takes a write")
    def take_write(self, slot: Slot) -> None:
        """ShareCoordinatorShard.writeState: appended, or refused and answered at once."""
        require(self.is_on_its_way(slot))
        require(self.is_replicated())
        if self.is_fenced(slot) or self.comes_too_late(slot):
            self.hear_refusal(slot)
        else:
            self.append_write(slot)
            self.writes[slot].taken = True

    def append_write(self, slot: int) -> None:
        """ShareCoordinatorShard.generateShareStateRecord: a snapshot or an update, which merge to the same state."""
        write = self.writes[slot]
        if self.keeps_greatest_start:
            self.persisted.start = max(write.start, self.persisted.start)
        else:
            self.persisted.start = write.start
        if self.supersedes(slot, write.offset):
            self.persisted.records[write.offset].state = write.state
            self.persisted.records[write.offset].count = write.count
        self.prune()
        self.fenced_was_served = self.fenced_was_served or write.leader_epoch < self.readers
        if self.is_terminal(write.state):
            self.note_settled(slot)

    def note_settled(self, slot: int) -> None:
        """The record of a write is over as soon as the write is replicated."""
        if self.is_replicated():
            self.settled |= {self.writes[slot].offset}
        else:
            self.settling = self.writes[slot].offset

    def prune(self) -> None:
        """PersisterStateBatchCombiner: nothing is known of records below the start offset."""
        for offset in self.persisted.records:
            if offset < self.persisted.start:
                self.persisted.records[offset].state = DeliveryState.NONE
                self.persisted.records[offset].count = 0

    @action(by="share coordinator", says="The high watermark passes what the share coordinator has appended")
    def replicate(self) -> None:
        """CoordinatorRuntime.onHighWatermarkUpdated."""
        require(not self.is_replicated())
        self.replicated = self.persisted
        if self.settling is not None:
            self.settled |= {self.settling}
            self.settling = None

    @action(by="share coordinator", says="The share coordinator fails over")
    def fail_over(self, pruned: bool) -> None:
        """Another broker loads the log, in which what was not replicated may be missing.

        What was under way is asked again (NOT_COORDINATOR). `pruned`: the log begins at the latest snapshot
        (ShareCoordinatorService.setupRecordPruning), so that older records with a leader epoch are gone.
        """
        bounded(self.failovers < self.bounds.failovers)
        self.failovers += 1
        self.persisted = self.replicated
        self.settling = None
        if pruned:
            self.persisted.fence = self.persisted.leader_epoch
            self.replicated.fence = self.replicated.leader_epoch
        for epoch in self.partitions:
            if self.partitions[epoch].phase == Phase.READING:
                self.empty_partition(epoch)
        if self.forgets_lost_writes:
            for slot in self.writes:
                self.writes[slot].taken = False

    def begin_again(self, state_epoch: int, start: int, leader_epoch: int) -> None:
        """ShareCoordinatorShard.initializeState: nothing is known of any record."""
        self.persisted.state_epoch = state_epoch
        self.persisted.start = start
        self.persisted.leader_epoch = leader_epoch
        self.persisted.fence = max(self.persisted.fence, leader_epoch)
        for offset in self.persisted.records:
            self.persisted.records[offset].state = DeliveryState.NONE
            self.persisted.records[offset].count = 0

    # -- writes under way -----------------------------------------------------------------------------------------

    @action(by="leader", says="The connection is lost before a write is answered, and it is sent again")
    def send_again(self, slot: Slot) -> None:
        """PersisterStateManager: a disconnected request is retriable."""
        require(self.writes[slot].taken)
        self.writes[slot].taken = False

    @action(by="network", says="A write for which nobody waits is lost")
    def lose_write(self, slot: Slot) -> None:
        """It may as well arrive, at any later time."""
        require(self.writes[slot].awaits == Awaits.NOBODY)
        self.free_slot(slot)

    def free_slot(self, slot: int) -> None:
        """There is no write any more."""
        self.writes[slot].awaits = Awaits.FREE
        self.writes[slot].taken = False
        self.writes[slot].leader_epoch = 0
        self.writes[slot].state_epoch = 0
        self.writes[slot].start = UNKNOWN_OFFSET
        self.writes[slot].offset = 0
        self.writes[slot].state = DeliveryState.NONE
        self.writes[slot].count = 0

    def abandon_write(self, slot: int) -> None:
        """Nobody waits for its answer any more. If it has not been taken it may still be."""
        if self.writes[slot].taken:
            self.free_slot(slot)
        else:
            self.writes[slot].awaits = Awaits.NOBODY

    def hear_refusal(self, slot: int) -> None:
        """The sender of a write hears that it is fenced."""

    def empty_partition(self, epoch: int) -> None:
        """The leader of an epoch has nothing in memory."""
