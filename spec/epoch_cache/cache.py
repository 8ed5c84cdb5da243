"""What the cache does: entries are assigned, truncated at either end, asked for, and written to a file."""

from __future__ import annotations

from .state import NONE, EpochCacheState


class Cache(EpochCacheState):
    """LeaderEpochFileCache."""

    # -- asking ---------------------------------------------------------------------------------------------------

    def latest_epoch(self) -> int:
        """LeaderEpochFileCache.latestEpoch: what a follower asks its leader with (lastFetchedEpoch)."""
        return max((epoch for epoch in self.cache if self.cache[epoch] >= 0), default=NONE)

    def floor(self, epoch: int) -> int:
        """The greatest epoch with an entry that is not greater than this one."""
        return max((known for known in self.cache if self.cache[known] >= 0 and known <= epoch), default=NONE)

    def next_start(self, epoch: int) -> int:
        """Where the least epoch with an entry begins that is greater than this one: that of the least offset."""
        return min(
            (self.cache[known] for known in self.cache if self.cache[known] >= 0 and known > epoch), default=NONE
        )

    def answered_epoch(self, asked: int) -> int:
        """LeaderEpochFileCache.endOffsetFor, the epoch: the greatest known up to the one asked for.

        Below all that is known it is the one asked for (KAFKA-7415), and beyond there is no answer.
        """
        if asked > self.latest_epoch():
            return NONE
        return self.floor(asked) if self.floor(asked) >= 0 else asked

    def answered_end(self, asked: int) -> int:
        """LeaderEpochFileCache.endOffsetFor, the offset: where the next epoch begins, or the log end offset."""
        if asked > self.latest_epoch():
            return NONE
        return self.end() if asked == self.latest_epoch() else self.next_start(asked)

    def epoch_for(self, offset: int) -> int:
        """LeaderEpochFileCache.epochForOffset: the epoch that begins last at or before the offset."""
        return max((epoch for epoch in self.cache if 0 <= self.cache[epoch] <= offset), default=NONE)

    # -- changing -------------------------------------------------------------------------------------------------

    def assign(self, epoch: int, offset: int) -> None:
        """LeaderEpochFileCache.assign: an epoch begins; what contradicts it goes, and the file is written at once."""
        latest = self.latest_epoch()
        if latest != epoch or offset < self.cache[epoch]:
            for known in self.cache:
                if known >= epoch or self.cache[known] >= offset:
                    self.cache[known] = NONE
            self.cache[epoch] = offset
            self.write()

    def truncate_from_end(self, end: int) -> None:
        """LeaderEpochFileCache.truncateFromEnd: epochs that begin at the new end or beyond go."""
        if any(self.cache[epoch] >= end for epoch in self.cache):
            for epoch in self.cache:
                if self.cache[epoch] >= end:
                    self.cache[epoch] = NONE
            self.write_after_truncation()

    def truncate_from_start(self, start: int) -> None:
        """LeaderEpochFileCache.truncateFromStart: of the epochs that begin at or before, the last begins there now."""
        kept = self.epoch_for(start)
        if kept >= 0:
            for epoch in self.cache:
                if epoch < kept:
                    self.cache[epoch] = NONE
            self.cache[kept] = start
            self.write_after_truncation()

    def clear(self) -> None:
        """LeaderEpochFileCache.clearAndFlush."""
        for epoch in self.cache:
            self.cache[epoch] = NONE
        self.write()

    # -- the file -------------------------------------------------------------------------------------------------

    def write(self) -> None:
        """CheckpointFile.write: all entries, on disk before it goes on. The file is replaced as a whole."""
        for epoch in self.cache:
            self.file[epoch] = self.cache[epoch]

    def write_after_truncation(self) -> None:
        """Truncation is over when the file is written, as up to Kafka 3.6."""
        self.write()

    def read(self, lost: bool) -> None:
        """LeaderEpochFileCache, as it is made: what the file has, if there is one."""
        for epoch in self.cache:
            self.cache[epoch] = NONE if lost else self.file[epoch]
