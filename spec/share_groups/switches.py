"""Share groups with one rule taken away: what each of them is for.

Where Kafka has a rule since some release, its ticket is named. Where it has none yet, what is here is derived from its
sources, and nobody has shown it on running brokers.
"""

from __future__ import annotations

from typing import ClassVar

from ..language import invariant, require
from .share_groups import ShareGroups
from .state import UNKNOWN_OFFSET


class ShareStartGoesBack(ShareGroups):
    """Share groups before apache/kafka#23074: the start offset that is persisted is that of the last write."""

    name: ClassVar[str] = "share-groups-start-goes-back"
    keeps_greatest_start: ClassVar[bool] = False


class ShareStartPassesTransitions(ShareGroups):
    """Share groups before KAFKA-19436: a leader's start offset passes records whose new state is being written."""

    name: ClassVar[str] = "share-groups-start-passes-transitions"
    start_waits_for_transitions: ClassVar[bool] = False


class ShareStartIgnoresLogStart(ShareGroups):
    """Share groups before KAFKA-19859: a leader's start offset follows from records, also back below the log start."""

    name: ClassVar[str] = "share-groups-start-ignores-log-start"
    start_only_grows: ClassVar[bool] = False


class ShareGapsPassedOver(ShareGroups):
    """Share groups before KAFKA-18494: what lies between records that are persisted is taken for no record."""

    name: ClassVar[str] = "share-groups-gaps-passed-over"
    acquires_gaps: ClassVar[bool] = False


class ShareAddedPartition(ShareGroups):
    """Share groups since KAFKA-20742: a partition that is added to a topic of the group is read from offset 0."""

    name: ClassVar[str] = "share-groups-added-partition"
    knows_begin: ClassVar[bool] = True


class ShareAddedPartitionFromEnd(ShareAddedPartition):
    """Share groups before KAFKA-20742: where an added partition begins the leader finds by share.auto.offset.reset."""

    name: ClassVar[str] = "share-groups-added-partition-from-end"

    def first_start(self) -> int:
        """UNINITIALIZED_START_OFFSET, as for a topic that is new to the group."""
        return UNKNOWN_OFFSET


class ShareToldOfLostWrites(ShareGroups):
    """Share groups before KAFKA-20634: a write that is lost in a failover is told of success all the same."""

    name: ClassVar[str] = "share-groups-told-of-lost-writes"
    forgets_lost_writes: ClassVar[bool] = False


class ShareStartNotPersisted(ShareGroups):
    """Share groups as in Kafka: the start offset that a leader finds is only in its memory until it writes (SG2)."""

    name: ClassVar[str] = "share-groups-start-not-persisted"
    persists_first_start: ClassVar[bool] = False


class ShareEpochForgotten(ShareGroups):
    """Share groups as in Kafka: the record of an Initialize says leader epoch 0, whoever leads (SG3)."""

    name: ClassVar[str] = "share-groups-epoch-forgotten"
    initialize_knows_leader: ClassVar[bool] = False


class ShareGroupFromEarliest(ShareGroups):
    """Share groups with share.auto.offset.reset = earliest."""

    name: ClassVar[str] = "share-groups-earliest"
    begins_at_log_end: ClassVar[bool] = False


class ShareStateEpochAgain(ShareGroupFromEarliest):
    """Share groups as in Kafka: a group made anew begins with the state epochs of the deleted one (SG4)."""

    name: ClassVar[str] = "share-groups-state-epoch-again"
    new_group_bumps_epoch: ClassVar[bool] = False


class ShareOwnWritesLate(ShareGroups):
    """Share groups as in Kafka: a leader that begins anew in its epoch does not wait for its own writes (SG5)."""

    name: ClassVar[str] = "share-groups-own-writes-late"
    awaits_own_writes: ClassVar[bool] = False


class ShareLeaderOutlivesGroup(ShareGroups):
    """Share groups as in Kafka: a group that has no members is empty, though a leader still has its partition (SG8)."""

    name: ClassVar[str] = "share-groups-leader-outlives-group"

    def require_no_members(self) -> None:
        """GroupMetadataManager.throwIfShareGroupIsNotEmpty: nobody asks the leaders."""
        require(self.is_replicated())

    def note_confirmed(self, epoch: int, offset: int) -> None:
        """As always, but what was acknowledged before the group was set back is to be delivered anew."""
        if self.partitions[epoch].state_epoch == self.persisted.state_epoch:
            super().note_confirmed(epoch, offset)

    def settle_at_leader(self, epoch: int, offset: int) -> None:
        """As always, but for a leader that still has the state of before."""
        if self.partitions[epoch].state_epoch == self.persisted.state_epoch:
            super().settle_at_leader(epoch, offset)


class ShareLeaderIsRefused(ShareLeaderOutlivesGroup):
    """Share groups as of KAFKA-20910: what a leader that has outlived the group writes is refused.

    It serves as before until it writes (SG8); here only what is persisted counts. Offsets are altered, and no group is
    deleted.
    """

    name: ClassVar[str] = "share-groups-leader-is-refused"

    def make_anew(self) -> None:
        """Not here."""
        require(False)

    @invariant
    def nothing_is_skipped(self) -> bool:
        """What is persisted is as it was set, or beyond what is over."""
        return not self.passes_over(self.replicated.start)


class ShareAlterKeepsEpoch(ShareLeaderIsRefused):
    """Share groups before KAFKA-20910: a group whose offsets are altered keeps its state epoch.

    That shows when they are altered again, and no member has joined meanwhile: whoever fetches is one that the group
    coordinator takes for gone.
    """

    name: ClassVar[str] = "share-groups-alter-keeps-epoch"
    altering_bumps_epoch: ClassVar[bool] = False
