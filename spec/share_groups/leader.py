"""The leader of the topic partition: it reads the state, delivers records, and writes what has become of them."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, action, bounded, require
from .coordinator import ShareCoordinator
from .state import (
    UNKNOWN_OFFSET,
    Awaits,
    DeliveryState,
    GroupMember,
    LeaderEpoch,
    Phase,
    RecordOffset,
    Slot,
    StateWrite,
)


class ShareLeader(ShareCoordinator):
    """SharePartition, one for the leader of each epoch. Each record is a batch of its own.

    A former leader goes on until it hears that it is one. It delivers no more records here: what it delivered it may as
    well have delivered before its successor was elected.
    """

    begins_at_log_end: ClassVar[bool] = True
    """share.auto.offset.reset: latest, which is the default, or earliest."""

    persists_first_start: ClassVar[bool] = True
    """Whether a leader writes the start offset that it has found before it serves the group."""

    awaits_own_writes: ClassVar[bool] = True
    """Whether a leader that begins anew in its epoch waits until no write of before is under way."""

    start_waits_for_transitions: ClassVar[bool] = True
    """KAFKA-19436: the start offset does not pass a record whose new state is being written."""

    start_only_grows: ClassVar[bool] = True
    """KAFKA-19859: the start offset that follows from records is ignored if the log start offset is beyond it."""

    acquires_gaps: ClassVar[bool] = True
    """KAFKA-18494: a record of which nothing was persisted is delivered, although a later one is known."""

    # -- words ----------------------------------------------------------------------------------------------------

    def is_gap(self, epoch: int, offset: int) -> bool:
        """Whether nothing is known of a record, and something is of a later one."""
        return self.partitions[epoch].records[offset].state == DeliveryState.NONE and any(
            self.partitions[epoch].records[later].state != DeliveryState.NONE
            for later in self.partitions[epoch].records
            if later > offset
        )

    def may_be_acquired(self, epoch: int, offset: int) -> bool:
        """Whether a record is neither over nor with a member."""
        record = self.partitions[epoch].records[offset]
        return (record.state == DeliveryState.AVAILABLE and not record.persisting) or (
            record.state == DeliveryState.NONE and (self.acquires_gaps or not self.is_gap(epoch, offset))
        )

    def next_fetch_offset(self, epoch: int) -> int:
        """SharePartition.nextFetchOffset: the first record at or after the start offset that may be acquired."""
        return min(
            (
                offset
                for offset in self.partitions[epoch].records
                if offset >= self.partitions[epoch].start and self.may_be_acquired(epoch, offset)
            ),
            default=self.bounds.records,
        )

    def is_over(self, epoch: int, offset: int) -> bool:
        """Whether the start offset may pass a record."""
        record = self.partitions[epoch].records[offset]
        return self.is_terminal(record.state) and not (record.persisting and self.start_waits_for_transitions)

    # -- taking office --------------------------------------------------------------------------------------------

    @action(
        by="leader",
        to="share coordinator",
        sends="ReadShareGroupState",
        says="The leader of epoch {epoch} reads the state",
    )
    def read_state(self, epoch: LeaderEpoch) -> None:
        """ShareCoordinatorShard.readStateAndMaybeUpdateLeaderEpoch.

        A former leader that does not know it yet may read as well, unless a later one has.
        """
        require(epoch <= self.leader_epoch)
        require(self.partitions[epoch].phase == Phase.EMPTY)
        require(self.is_replicated())
        require(self.persisted.fence <= epoch)
        self.fit_to_log()
        if self.persisted.fence < epoch:
            self.persisted.fence = epoch
            self.persisted.leader_epoch = epoch
        self.fenced_was_served = self.fenced_was_served or epoch < self.readers
        self.partitions[epoch].phase = Phase.READING
        self.partitions[epoch].state_epoch = self.persisted.state_epoch
        self.partitions[epoch].start = self.persisted.start
        for offset in self.partitions[epoch].records:
            self.partitions[epoch].records[offset].state = self.persisted.records[offset].state
            self.partitions[epoch].records[offset].count = self.persisted.records[offset].count

    def fit_to_log(self) -> None:
        """The log of the leader has what the state was written of: every election is clean."""

    @action(
        by="leader",
        to="share coordinator",
        receives="ReadShareGroupState response",
        says="The leader of epoch {epoch} has read the state",
    )
    def hear_state(self, epoch: LeaderEpoch) -> None:
        """SharePartition.maybeInitialize, and startOffsetDuringInitialization.

        A former leader finds no first start offset here: its log ends where it was deposed, or earlier.
        """
        require(self.partitions[epoch].phase == Phase.READING)
        require(self.is_replicated())
        self.readers = max(self.readers, epoch)
        if self.partitions[epoch].start == UNKNOWN_OFFSET:
            require(epoch == self.leader_epoch)
            self.partitions[epoch].start = self.log_end if self.begins_at_log_end else self.log_start
            if self.persists_first_start:
                self.partitions[epoch].phase = Phase.STARTING
                self.send_write(epoch, Awaits.START, 0, DeliveryState.NONE, 0)
            else:
                self.serve(epoch)
        else:
            self.serve(epoch)

    def serve(self, epoch: int) -> None:
        """The leader serves the group from now on."""
        self.partitions[epoch].phase = Phase.ACTIVE
        if self.begun == UNKNOWN_OFFSET:
            self.begun = self.partitions[epoch].start
        self.move_start(epoch)

    def empty_partition(self, epoch: int) -> None:
        """SharePartition.markFenced, and it is removed: nothing is in memory, and nobody waits for what is written."""
        self.partitions[epoch].phase = Phase.EMPTY
        self.partitions[epoch].state_epoch = 0
        self.partitions[epoch].start = UNKNOWN_OFFSET
        for offset in self.partitions[epoch].records:
            self.forget_record(epoch, offset)
        for slot in self.writes:
            if self.writes[slot].awaits != Awaits.FREE and self.writes[slot].leader_epoch == epoch:
                self.abandon_write(slot)

    @action(by="leader", says="The leader of epoch {epoch} forgets the share partition")
    def forget_partition(self, epoch: LeaderEpoch) -> None:
        """SharePartitionManager.removeSharePartitionFromCache.

        It has heard that it leads no longer, it starts again, or no member of the group is connected (onGroupEmpty).
        """
        require(self.partitions[epoch].phase != Phase.EMPTY)
        if self.awaits_own_writes and epoch == self.leader_epoch:
            require(all(not self.is_on_its_way(s) or self.writes[s].leader_epoch != epoch for s in self.writes))
        self.empty_partition(epoch)

    # -- records --------------------------------------------------------------------------------------------------

    @action(by="member", to="leader", sends="ShareFetch", says="{member} acquires the next record")
    def acquire(self, member: GroupMember) -> None:
        """SharePartition.acquire, from the next fetch offset on. That is not persisted."""
        epoch = self.leader_epoch
        require(self.is_active(epoch))
        next_offset = self.next_fetch_offset(epoch)
        require(self.log_start <= next_offset < self.log_end)
        for offset in self.partitions[epoch].records:
            if offset == next_offset:
                self.partitions[epoch].records[offset].state = DeliveryState.ACQUIRED
                self.partitions[epoch].records[offset].count += 1
                self.partitions[epoch].records[offset].member = member

    def holds(self, member: Identifier, epoch: int, offset: int) -> bool:
        """Whether a member has the lock of a record, and may say what becomes of it."""
        record = self.partitions[epoch].records[offset]
        return (
            record.state == DeliveryState.ACQUIRED
            and record.member == member
            and offset >= self.partitions[epoch].start
        )

    @action(
        by="member",
        to="leader",
        sends="ShareAcknowledge",
        says="{member} acknowledges record {offset} to the leader of epoch {epoch}",
    )
    def acknowledge(self, member: GroupMember, epoch: LeaderEpoch, offset: RecordOffset) -> None:
        """SharePartition.acknowledge: accepted. (A record that is rejected is archived, and over as well.)"""
        require(self.holds(member, epoch, offset))
        self.stranger_acknowledged = (
            self.stranger_acknowledged or self.partitions[epoch].records[offset].member != member
        )
        self.begin_transition(epoch, offset, DeliveryState.ACKNOWLEDGED)

    @action(
        by="member",
        to="leader",
        sends="ShareAcknowledge",
        says="{member} releases record {offset} to the leader of epoch {epoch}",
    )
    def release(self, member: GroupMember, epoch: LeaderEpoch, offset: RecordOffset) -> None:
        """SharePartition.acknowledge with RELEASE, or releaseAcquiredRecords: available again, or archived."""
        require(self.holds(member, epoch, offset))
        self.begin_transition(epoch, offset, self.state_after_release(epoch, offset))

    def state_after_release(self, epoch: int, offset: int) -> DeliveryState:
        """InFlightState.tryUpdateState: what was delivered as often as may be, or lies below the start, is archived."""
        exhausted = self.partitions[epoch].records[offset].count >= self.bounds.deliveries
        below = offset < self.partitions[epoch].start
        return DeliveryState.ARCHIVED if exhausted or below else DeliveryState.AVAILABLE

    def begin_transition(self, epoch: int, offset: int, state: DeliveryState) -> None:
        """InFlightState.startStateTransition: the state is new at once, and final when it is persisted."""
        self.partitions[epoch].records[offset].state = state
        self.partitions[epoch].records[offset].persisting = True
        self.send_write(epoch, Awaits.TRANSITION, offset, state, self.partitions[epoch].records[offset].count)

    @action(by="leader", says="The lock of record {offset} times out at the leader of epoch {epoch}")
    def time_out(self, epoch: LeaderEpoch, offset: RecordOffset) -> None:
        """SharePartition.releaseAcquisitionLockOnTimeout: that is so whether it can be persisted or not."""
        require(self.partitions[epoch].records[offset].state == DeliveryState.ACQUIRED)
        state = self.state_after_release(epoch, offset)
        self.partitions[epoch].records[offset].state = state
        self.partitions[epoch].records[offset].member = None
        if state == DeliveryState.ARCHIVED:
            self.settle_at_leader(epoch, offset)
        self.send_write(epoch, Awaits.TIMEOUT, offset, state, self.partitions[epoch].records[offset].count)

    def settle_at_leader(self, epoch: int, offset: int) -> None:
        """A record that was delivered as often as may be is over as soon as its lock times out."""
        self.settled |= {offset}

    def send_write(self, epoch: int, awaits: Awaits, offset: int, state: DeliveryState, count: int) -> None:
        """SharePartition.writeShareGroupState: with the start offset as it is now."""
        bounded(any(self.writes[s].awaits == Awaits.FREE for s in self.writes))
        slot = min(s for s in self.writes if self.writes[s].awaits == Awaits.FREE)
        self.writes[slot] = StateWrite(
            awaits=awaits,
            taken=False,
            leader_epoch=epoch,
            state_epoch=self.partitions[epoch].state_epoch,
            start=self.partitions[epoch].start,
            offset=offset,
            state=state,
            count=count,
        )

    @action(
        by="leader",
        to="share coordinator",
        receives="WriteShareGroupState response",
        says="The leader hears that a write has succeeded",
    )
    def hear_success(self, slot: Slot) -> None:
        """SharePartition.rollbackOrProcessStateUpdates: the transition is complete, and the member is told."""
        require(self.writes[slot].taken)
        require(self.is_replicated())
        epoch, offset, awaits = self.writes[slot].leader_epoch, self.writes[slot].offset, self.writes[slot].awaits
        acknowledged = self.writes[slot].state == DeliveryState.ACKNOWLEDGED
        self.free_slot(slot)
        if awaits == Awaits.TRANSITION:
            if acknowledged:
                self.note_confirmed(epoch, offset)
            self.partitions[epoch].records[offset].persisting = False
            self.partitions[epoch].records[offset].member = None
            self.move_start(epoch)
        elif awaits == Awaits.TIMEOUT:
            self.move_start(epoch)
        elif awaits == Awaits.START:
            self.serve(epoch)

    def note_confirmed(self, epoch: int, offset: int) -> None:
        """The member of a record knows that its acknowledgement has succeeded."""
        self.confirmed |= {offset}

    @action(by="leader", says="The leader gives up waiting for a write")
    def give_up(self, slot: Slot, expired: bool) -> None:
        """PersisterStateManager: too many attempts. The member has the record again, unless its lock has expired."""
        require(self.writes[slot].awaits != Awaits.FREE and self.writes[slot].awaits != Awaits.NOBODY)
        require(self.writes[slot].awaits == Awaits.TRANSITION or not expired)
        epoch, offset, awaits = self.writes[slot].leader_epoch, self.writes[slot].offset, self.writes[slot].awaits
        self.abandon_write(slot)
        if awaits == Awaits.TRANSITION:
            self.roll_back(epoch, offset, expired)
        elif awaits == Awaits.TIMEOUT:
            self.move_start(epoch)
        else:
            self.empty_partition(epoch)

    def roll_back(self, epoch: int, offset: int, expired: bool) -> None:
        """InFlightState.completeStateTransition(false)."""
        self.partitions[epoch].records[offset].persisting = False
        if expired or offset < self.partitions[epoch].start:
            self.partitions[epoch].records[offset].member = None
            self.partitions[epoch].records[offset].state = self.state_after_release(epoch, offset)
            if self.partitions[epoch].records[offset].state == DeliveryState.ARCHIVED:
                self.settle_at_leader(epoch, offset)
        else:
            self.partitions[epoch].records[offset].state = DeliveryState.ACQUIRED

    def hear_refusal(self, slot: int) -> None:
        """The share partition is removed, for another leader has it; not for a lock that has timed out."""
        epoch, awaits = self.writes[slot].leader_epoch, self.writes[slot].awaits
        self.free_slot(slot)
        if awaits == Awaits.TIMEOUT:
            self.move_start(epoch)
        elif awaits != Awaits.NOBODY:
            self.empty_partition(epoch)

    # -- the start offset -----------------------------------------------------------------------------------------

    def move_start(self, epoch: int) -> None:
        """SharePartition.maybeUpdateCachedStateAndOffsets: beyond the records that are over, from the first on."""
        partition = self.partitions[epoch]
        if self.starts_with_one_that_is_over(epoch):
            reached, goes_on = 0, True
            for offset in partition.records:
                known = partition.records[offset].state != DeliveryState.NONE
                passable = not known and (
                    offset < partition.start or (not self.acquires_gaps and self.is_gap(epoch, offset))
                )
                if goes_on and self.is_over(epoch, offset):
                    reached = offset + 1
                elif not passable:
                    goes_on = False
            if reached > 0:
                self.partitions[epoch].start = max(partition.start, reached) if self.start_only_grows else reached
                for offset in self.partitions[epoch].records:
                    if offset < reached:
                        self.forget_record(epoch, offset)

    def starts_with_one_that_is_over(self, epoch: int) -> bool:
        """SharePartition.canMoveStartOffset."""
        return any(
            offset == self.partitions[epoch].start and self.is_over(epoch, offset)
            for offset in self.partitions[epoch].records
        )

    def forget_record(self, epoch: int, offset: int) -> None:
        """A record is not in flight any more."""
        self.partitions[epoch].records[offset].state = DeliveryState.NONE
        self.partitions[epoch].records[offset].count = 0
        self.partitions[epoch].records[offset].member = None
        self.partitions[epoch].records[offset].persisting = False

    @action(by="leader", says="The leader finds that the log begins beyond what it would deliver next")
    def find_log_start(self) -> None:
        """SharePartition.updateCacheAndOffsets, after OFFSET_OUT_OF_RANGE. What is available below is archived."""
        epoch = self.leader_epoch
        require(self.is_active(epoch))
        require(self.next_fetch_offset(epoch) < self.log_start)
        for offset in self.partitions[epoch].records:
            below = self.partitions[epoch].start <= offset < self.log_start
            if below and self.partitions[epoch].records[offset].state == DeliveryState.AVAILABLE:
                self.partitions[epoch].records[offset].state = DeliveryState.ARCHIVED
        self.partitions[epoch].start = self.log_start
