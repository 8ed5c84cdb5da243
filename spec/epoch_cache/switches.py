"""The epoch cache with one rule taken away: what each of them is for."""

from __future__ import annotations

from typing import ClassVar

from ..language import Map, action, require
from .epoch_cache import LeaderEpochCache
from .state import NONE, Epoch, KnownOffset, Offset


class EpochCacheTruncatesRecordsOnly(LeaderEpochCache):
    """The epoch cache before KAFKA-10706: truncation to the log end offset leaves it as it is."""

    name: ClassVar[str] = "leader-epoch-cache-truncates-records-only"

    def truncate_nothing(self) -> None:
        """Nothing happens: the rule is missing."""


class EpochCacheSkipsEpoch0(LeaderEpochCache):
    """The epoch cache before KAFKA-10432: recovery skips records of epoch 0."""

    name: ClassVar[str] = "leader-epoch-cache-skips-epoch-0"

    def is_recovered(self, epoch: int) -> bool:
        """Only of those that are greater than 0."""
        return epoch > 0


class EpochCacheWritesLater(LeaderEpochCache):
    """The epoch cache since KAFKA-16541, Kafka 3.8: after truncation the file is written in the background (H5).

    `write_due` says that it is to be written.
    """

    name: ClassVar[str] = "leader-epoch-cache-writes-later"

    write_due: bool

    def write_after_truncation(self) -> None:
        """LeaderEpochFileCache.truncateFromEndAsyncFlush and truncateFromStartAsyncFlush: the scheduler is told."""
        self.write_due = True

    @action(by="replica", says="The file is written in the background", fair="weak")
    def write_in_the_background(self) -> None:
        """LeaderEpochFileCache.writeIfDirExists: the cache as it is now."""
        require(self.write_due)
        self.write_due = False
        self.write()

    def fail(self, kept: Offset, lost: bool) -> None:
        """As always, and what was to be written is forgotten, unless recovery truncates as well."""
        self.write_due = False
        super().fail(kept, lost)


class EpochCacheWritesSnapshots(EpochCacheWritesLater):
    """The mistake of KAFKA-17142: what is written in the background is the cache of when that was decided."""

    name: ClassVar[str] = "leader-epoch-cache-writes-snapshots"

    snapshot: Map[Epoch, KnownOffset]

    def write_after_truncation(self) -> None:
        """The entries are copied, and handed to the scheduler."""
        super().write_after_truncation()
        for epoch in self.cache:
            self.snapshot[epoch] = self.cache[epoch]

    def write_in_the_background(self) -> None:
        """The copy is written, whatever was written meanwhile."""
        require(self.write_due)
        self.write_due = False
        for epoch in self.file:
            self.file[epoch] = self.snapshot[epoch]
        self.forget_snapshot()

    def fail(self, kept: Offset, lost: bool) -> None:
        """As always; the copy was in memory."""
        self.forget_snapshot()
        super().fail(kept, lost)

    def forget_snapshot(self) -> None:
        """No copy is to be written any more."""
        for epoch in self.snapshot:
            self.snapshot[epoch] = NONE
