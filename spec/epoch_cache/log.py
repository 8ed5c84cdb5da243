"""What happens to the log of a replica, and what it does to its epoch cache then."""

from __future__ import annotations

from ..language import action, require
from .cache import Cache
from .state import NONE, Epoch, Offset


class ReplicaLog(Cache):
    """UnifiedLog, and those who call it: Partition, the fetcher, the retention of logs, and LogLoader."""

    # -- roles ----------------------------------------------------------------------------------------------------

    @action(by="replica", says="The replica begins to lead in epoch {epoch}")
    def become_leader(self, epoch: Epoch) -> None:
        """Partition.makeLeader: its epoch begins at the log end offset, before it has a record (KAFKA-7415)."""
        require(epoch > self.leader_epoch)
        self.leader_epoch = epoch
        self.leads = True
        self.assign(epoch, self.end())

    @action(by="replica", says="The replica begins to follow in epoch {epoch}")
    def become_follower(self, epoch: Epoch) -> None:
        """Partition.makeFollower: nothing happens to the log."""
        require(epoch > self.leader_epoch)
        self.leader_epoch = epoch
        self.leads = False

    # -- the end of the log ---------------------------------------------------------------------------------------

    @action(by="replica", says="The leader appends a record")
    def append(self) -> None:
        """UnifiedLog.appendAsLeader."""
        require(self.leads)
        require(self.end() < self.bounds.log_size)
        self.log.append(self.leader_epoch)
        self.assign(self.leader_epoch, self.end() - 1)

    @action(by="replica", says="The follower copies a record of epoch {epoch}")
    def copy(self, epoch: Epoch) -> None:
        """UnifiedLog.appendAsFollower: what it asked with does not diverge, so no record is of an earlier epoch."""
        require(not self.leads and epoch <= self.leader_epoch)
        require(self.end() < self.bounds.log_size)
        require(self.latest_epoch() <= epoch)
        self.log.append(epoch)
        self.assign(epoch, self.end() - 1)

    @action(by="replica", says="The follower is told that it diverges: the leader has epoch {epoch} up to offset {end}")
    def diverge(self, epoch: Epoch, end: Offset) -> None:
        """AbstractFetcherThread.getOffsetTruncationState (KIP-279): to the end of that epoch, here or at the leader.

        It does not know that epoch: to the end of the one before. Then it asks again with its latest epoch.
        """
        require(not self.leads and epoch < self.latest_epoch() <= self.leader_epoch)
        asked = self.latest_epoch()
        own = min(self.answered_end(epoch), self.end())
        self.truncate(min(own, end) if self.answered_epoch(epoch) == epoch else own)
        self.in_vain = self.latest_epoch() == asked

    def truncate(self, offset: int) -> None:
        """UnifiedLog.truncateTo."""
        if offset < self.end():
            self.log.truncate(offset)
            self.start = min(self.start, offset)
            self.truncate_from_end(offset)
        else:
            self.truncate_nothing()

    def truncate_nothing(self) -> None:
        """KAFKA-10706: where no record goes, the cache may still have an epoch that begins at the log end offset."""
        self.truncate_from_end(self.end())

    # -- the start of the log -------------------------------------------------------------------------------------

    @action(by="replica", says="Records are deleted up to offset {offset}")
    def delete_records(self, offset: Offset) -> None:
        """UnifiedLog.maybeIncrementLogStartOffset: by DeleteRecords, by retention, or as its leader did."""
        require(self.start < offset <= self.end())
        self.start = offset
        for deleted in range(offset):
            self.log[deleted] = NONE
        self.truncate_from_start(offset)

    @action(by="replica", says="The follower begins anew at offset {offset}")
    def begin_anew(self, offset: Offset) -> None:
        """UnifiedLog.truncateFullyAndStartAt: its leader's log begins beyond its own end."""
        require(not self.leads and offset > self.end())
        self.log.truncate(0)
        for _ in range(offset):
            self.log.append(NONE)
        self.start = offset
        self.clear()

    # -- the disk -------------------------------------------------------------------------------------------------

    @action(by="replica", says="The machine fails; offset {kept} is the end of the log, the file is lost: {lost}")
    def fail(self, kept: Offset, lost: bool) -> None:
        """The replica starts again after an unclean shutdown (LogLoader): it reads the file, and then its log.

        The file may be lost with what was not flushed of the log. No segment counts as flushed here.
        """
        require(self.failures < self.bounds.failures)
        require(self.start <= kept <= self.end())
        self.failures += 1
        self.leads = False
        self.log.truncate(kept)
        self.read(lost)
        self.recover()
        self.truncate_from_end(self.end())
        self.truncate_from_start(self.start)

    def recover(self) -> None:
        """LogSegment.recover: epochs of records that are beyond the latest one are taken in."""
        for offset in range(self.start, self.end()):
            if self.log[offset] > self.latest_epoch() and self.is_recovered(self.log[offset]):
                self.assign(self.log[offset], offset)

    def is_recovered(self, epoch: int) -> bool:
        """Whether recovery looks at records of this epoch: KAFKA-10432, of all."""
        return epoch >= 0
