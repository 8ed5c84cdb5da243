"""What happens around a share partition: records come and go, leaders are elected, and the group is set back."""

from __future__ import annotations

from typing import ClassVar

from ..language import Set, action, bounded, require
from .leader import ShareLeader
from .state import UNKNOWN_OFFSET, Offset, Phase


class ShareGroup(ShareLeader):
    """The topic partition, of which only what is committed is here, and the group coordinator."""

    altering_bumps_epoch: ClassVar[bool] = True
    """KAFKA-20910: AlterShareGroupOffsets raises the group epoch, and with it the state epoch.

    A member that leaves raises the group epoch as well, so that the first alteration has a greater one in any case.
    """

    new_group_bumps_epoch: ClassVar[bool] = True
    """Whether a group that is made anew under the name of a deleted one begins with a greater state epoch."""

    knows_begin: ClassVar[bool] = False
    """Whether the partition is one that is added to a topic of the group: it is to be read from offset 0."""

    def initial(self) -> None:
        """An empty topic partition, a group without members, and nothing but its state epoch persisted."""
        self.persisted.start = self.first_start()
        self.replicated.start = self.first_start()
        self.begun = 0 if self.knows_begin or not self.begins_at_log_end else UNKNOWN_OFFSET

    def first_start(self) -> int:
        """The start offset with which the group coordinator initialises the state.

        For a partition that is added to a topic of the group it is 0 (KAFKA-20742).
        """
        return 0 if self.knows_begin else UNKNOWN_OFFSET

    @action(by="producer", says="A record is produced and committed")
    def produce(self) -> None:
        """At the log end offset."""
        bounded(self.log_end < self.bounds.records)
        self.log_end += 1

    @action(by="leader", says="Records below offset {start} are deleted")
    def delete_records(self, start: Offset) -> None:
        """Retention, or DeleteRecords."""
        bounded(self.deletions < self.bounds.deletions)
        require(self.log_start < start <= self.log_end)
        self.deletions += 1
        self.log_start = start

    @action(by="controller", says="Another leader is elected")
    def elect(self) -> None:
        """Of the in-sync replicas: it has all that is committed. The former leader hears of it later."""
        bounded(self.leader_epoch < self.bounds.max_epoch)
        self.leader_epoch += 1

    def require_no_members(self) -> None:
        """The group is empty, and no leader has its share partition in memory (onGroupEmpty) or serves its members.

        Kafka asks for the former alone: SG8.
        """
        require(all(self.partitions[epoch].phase == Phase.EMPTY for epoch in self.partitions))
        require(self.is_replicated())

    @action(by="administrator", says="An administrator sets the empty group back to the beginning")
    def alter_offsets(self) -> None:
        """AlterShareGroupOffsets: GroupMetadataManager.alterShareGroupOffsets, then InitializeShareGroupState."""
        bounded(self.resets < self.bounds.resets)
        self.require_no_members()
        self.resets += 1
        is_raised = self.altering_bumps_epoch or self.persisted.state_epoch == 0
        epoch = self.persisted.state_epoch + (1 if is_raised else 0)
        self.begin_again(epoch, self.log_start, self.leader_epoch if self.initialize_knows_leader else 0)
        self.replicated = self.persisted
        self.begun = self.log_start
        self.forget_history()

    @action(by="administrator", says="The empty group is deleted, and made anew under the same name")
    def make_anew(self) -> None:
        """DeleteGroups, so that tombstones take all that the share coordinator knows of it; and then a first member."""
        bounded(self.resets < self.bounds.resets)
        self.require_no_members()
        self.resets += 1
        self.begin_again(self.persisted.state_epoch + 1 if self.new_group_bumps_epoch else 0, UNKNOWN_OFFSET, 0)
        self.persisted.fence = 0
        self.replicated = self.persisted
        self.readers = 0
        self.begun = UNKNOWN_OFFSET if self.begins_at_log_end else self.log_start
        self.forget_history()

    def forget_history(self) -> None:
        """Every record from the beginning on is to be delivered anew."""
        self.settled = Set()
        self.settling = None
        self.confirmed = Set()
