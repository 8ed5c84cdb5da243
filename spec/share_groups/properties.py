"""What a share group promises."""

from __future__ import annotations

from typing import Self

from ..language import action_property, invariant, reachable
from .group import ShareGroup
from .state import UNKNOWN_OFFSET, Awaits, DeliveryState, Phase


class Promises(ShareGroup):
    """No record is skipped, whatever fails, and what is over stays so."""

    # -- words ----------------------------------------------------------------------------------------------------

    def passes_over(self, start: int) -> bool:
        """Whether a record below a start offset was neither acknowledged, nor archived, nor deleted."""
        return self.begun != UNKNOWN_OFFSET and any(
            offset not in self.settled
            for offset in self.replicated.records
            if self.log_start <= offset < self.log_end and self.begun <= offset < start
        )

    def is_set_back(self, new: Self) -> bool:
        """Whether the group is set back, or made anew, in this step."""
        return new.resets > self.resets

    # -- promises -------------------------------------------------------------------------------------------------

    @invariant
    def nothing_is_skipped(self) -> bool:
        """Every record below the persisted start offset is over, and so it is below that of the leader."""
        current = self.partitions[self.leader_epoch]
        serves = current.phase == Phase.ACTIVE
        return not self.passes_over(self.replicated.start) and not (serves and self.passes_over(current.start))

    @invariant
    def only_what_is_over_is_passed(self) -> bool:
        """A record that is persisted as over is over."""
        return all(
            offset in self.settled
            or not self.is_terminal(self.replicated.records[offset].state)
            or offset < self.begun
            or offset < self.log_start
            for offset in self.replicated.records
        )

    @action_property
    def start_never_goes_back(self, new: Self) -> bool:
        """The persisted start offset never goes back, unless the group is set back; nor does a leader's."""
        return (new.replicated.start >= self.replicated.start or self.is_set_back(new)) and all(
            new.partitions[epoch].start >= self.partitions[epoch].start
            for epoch in self.partitions
            if self.is_active(epoch) and new.is_active(epoch)
        )

    @action_property
    def count_never_goes_back(self, new: Self) -> bool:
        """The delivery count that is persisted of a record never goes back, as long as it is in flight."""
        return self.is_set_back(new) or all(
            new.replicated.records[offset].count >= self.replicated.records[offset].count
            for offset in self.replicated.records
            if offset >= new.replicated.start
        )

    @invariant
    def fenced_leader_is_refused(self) -> bool:
        """Once a leader has read the state, a leader of an earlier epoch neither reads nor writes it."""
        return not self.fenced_was_served

    @invariant
    def only_the_holder_acknowledges(self) -> bool:
        """A member that has lost its lock acknowledges nothing. With one member there is nobody else who could."""
        return not self.stranger_acknowledged

    @invariant
    def acknowledged_is_not_delivered_again(self) -> bool:
        """A record whose member was told that its acknowledgement has succeeded is with no member of the leader."""
        current = self.partitions[self.leader_epoch]
        return all(
            offset not in self.confirmed
            for offset in current.records
            if current.phase == Phase.ACTIVE and current.records[offset].state == DeliveryState.ACQUIRED
        )

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def everything_is_acknowledged(self) -> bool:
        """Every record is acknowledged, and the start offset is persisted beyond all but the last."""
        return len(self.confirmed) == self.bounds.records

    @reachable
    def record_is_archived(self) -> bool:
        """A record was delivered as often as may be, and is over."""
        return any(record.state == DeliveryState.ARCHIVED for record in self.replicated.records.values())

    @reachable
    def former_leader_is_refused(self, new: Self) -> bool:
        """A write of a former leader comes after its successor has read the state."""
        return self.bounds.max_epoch == 0 or any(
            self.is_on_its_way(slot) and self.is_fenced(slot) and new.writes[slot].awaits == Awaits.FREE
            for slot in self.writes
        )
