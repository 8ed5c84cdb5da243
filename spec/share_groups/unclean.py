"""Share groups with unclean elections: what is persisted names offsets, and the records there are others (SG1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from ..language import Bookkeeping, Integers, Map, action, action_property, bound, bounded, invariant, require, view
from .share_groups import ShareGroups
from .state import DeliveryState, LeaderEpoch, Offset, ShareGroupBounds


@dataclass(frozen=True)
class UncleanShareBounds(ShareGroupBounds):
    """Elections of a leader that lacks what is committed."""

    unclean: int = bound(1, least=0, most=2, help="how often a leader is elected that lacks committed records")


class ShareGroupsUnclean(ShareGroups):
    """Share groups that follow the log: a leader that takes office says where its log parts from the former one.

    `lineage` is, for each leader epoch, up to where the log of its leader is still that of the partition: what
    OffsetsForLeaderEpoch answers. Whoever reads the state asks that for the leader epoch under which it was written.
    """

    name: ClassVar[str] = "share-groups-unclean"

    bounds: UncleanShareBounds

    lineage: Map[LeaderEpoch, Offset]
    unclean: Bookkeeping[Annotated[int, Integers(0, UncleanShareBounds.unclean)]]

    state_follows_log: ClassVar[bool] = True
    """Whether the share coordinator forgets what was persisted of records that are not in the log any more."""

    def initial(self) -> None:
        """As always, and no log has been cut."""
        super().initial()
        for epoch in self.lineage:
            self.lineage[epoch] = self.bounds.records

    def elect(self) -> None:
        """As always; what former leaders have not replicated by then is not in the log."""
        super().elect()
        self.cut_lineage()

    @action(by="controller", says="A leader is elected that lacks the records from offset {end} on")
    def elect_unclean(self, end: Offset) -> None:
        """An unclean election, or that of a last member of the ISR that has lost its tail (S20): records are lost."""
        bounded(self.unclean < self.bounds.unclean)
        bounded(self.leader_epoch < self.bounds.max_epoch)
        require(self.log_start <= end < self.log_end)
        self.unclean += 1
        self.leader_epoch += 1
        self.log_end = end
        self.cut_lineage()
        self.begun = min(self.begun, end)
        for offset in self.persisted.records:
            if offset >= end:
                self.settled -= {offset}
                self.confirmed -= {offset}
                if self.settling == offset:
                    self.settling = None

    def cut_lineage(self) -> None:
        """The logs of former leaders are those of the partition up to here at most."""
        for epoch in self.lineage:
            if epoch < self.leader_epoch:
                self.lineage[epoch] = min(self.lineage[epoch], self.log_end)

    def fit_to_log(self) -> None:
        """What was written of records beyond the common part of both logs goes."""
        end = self.lineage[self.persisted.leader_epoch]
        if self.state_follows_log:
            self.persisted.start = min(self.persisted.start, end)
            for offset in self.persisted.records:
                if offset >= end:
                    self.persisted.records[offset].state = DeliveryState.NONE
                    self.persisted.records[offset].count = 0

    def note_settled(self, slot: int) -> None:
        """As always, if the record is still in the log."""
        if self.writes[slot].offset < self.lineage[self.writes[slot].leader_epoch]:
            super().note_settled(slot)

    def note_confirmed(self, epoch: int, offset: int) -> None:
        """As always, if the record is still in the log."""
        if offset < self.lineage[epoch]:
            super().note_confirmed(epoch, offset)

    def settle_at_leader(self, epoch: int, offset: int) -> None:
        """As always, if the record is still in the log."""
        if offset < self.lineage[epoch]:
            super().settle_at_leader(epoch, offset)

    # -- promises -------------------------------------------------------------------------------------------------

    def is_read(self) -> bool:
        """Whether the leader of the topic partition has read the state."""
        return self.replicated.fence == self.leader_epoch

    @invariant
    def nothing_is_skipped(self) -> bool:
        """As always, as soon as the leader has read the state."""
        return not self.is_read() or super().nothing_is_skipped()

    @invariant
    def only_what_is_over_is_passed(self) -> bool:
        """As always, as soon as the leader has read the state."""
        return not self.is_read() or super().only_what_is_over_is_passed()

    @action_property
    def start_never_goes_back(self, new: Self) -> bool:
        """As always, but for an unclean election."""
        return self.unclean > 0 or super().start_never_goes_back(new)

    @action_property
    def count_never_goes_back(self, new: Self) -> bool:
        """As always, but for an unclean election."""
        return self.unclean > 0 or super().count_never_goes_back(new)

    @view(of="topic partition")
    def lineage_in_words(self) -> str:
        """Which logs of former leaders were cut."""
        cut = [f"of epoch {epoch} up to {self.lineage[epoch]}" for epoch in self.lineage if epoch < self.leader_epoch]
        return f"has the log {', '.join(cut)}" if cut else ""


class ShareStateOutlivesRecords(ShareGroupsUnclean):
    """Share groups as in Kafka: what is persisted names offsets, whatever the log has there since."""

    name: ClassVar[str] = "share-groups-state-outlives-records"
    state_follows_log: ClassVar[bool] = False
