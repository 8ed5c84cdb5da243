"""Kafka's leader-epoch cache once more, in plain Python, to hold the specifications against.

Written after LeaderEpochFileCache and AbstractFetcherThread.getOffsetTruncationState, from no specification here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

NONE = -1


@dataclass
class KafkaCache:
    """Entries by epoch, each with the offset at which it begins; and the epochs of a log that begins at offset 0."""

    log: list[int] = field(default_factory=list)
    entries: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, log: Sequence[int], leads_in: int = NONE) -> KafkaCache:
        """The cache of a replica that has appended these records, and begins to lead in that epoch, if in any."""
        made = cls()
        for epoch in log:
            made.append(epoch)
        if leads_in >= 0:
            made.assign(leads_in, len(log))
        return made

    def append(self, epoch: int) -> None:
        """A record at the log end offset."""
        self.log.append(epoch)
        self.assign(epoch, len(self.log) - 1)

    def assign(self, epoch: int, offset: int) -> None:
        """An epoch begins at an offset; nothing that is known may contradict it."""
        latest = max(self.entries, default=NONE)
        if latest == epoch and offset >= self.entries[epoch]:
            return
        self.entries = {known: at for known, at in self.entries.items() if known < epoch and at < offset}
        self.entries[epoch] = offset

    def latest_epoch(self) -> int:
        """What a follower asks with."""
        return max(self.entries, default=NONE)

    def end_offset_for(self, asked: int) -> tuple[int, int]:
        """The epoch and the end offset that are answered."""
        if asked == NONE:
            return NONE, NONE
        if asked == self.latest_epoch():
            return asked, len(self.log)
        higher = [known for known in self.entries if known > asked]
        if not higher:
            return NONE, NONE
        floor = max((known for known in self.entries if known <= asked), default=asked)
        return floor, self.entries[min(higher)]

    def truncate(self, offset: int) -> None:
        """Log and cache lose what is at the offset or beyond (KAFKA-10706: the cache also if the log loses nothing)."""
        del self.log[offset:]
        self.entries = {known: at for known, at in self.entries.items() if at < len(self.log)}

    def delete(self, offset: int) -> None:
        """Records are deleted up to an offset: of what begins there or before, the last begins there now."""
        gone = [known for known, at in self.entries.items() if at <= offset]
        self.entries = {known: at for known, at in self.entries.items() if at > offset}
        if gone:
            self.entries[max(gone)] = offset

    def truncation_offset(self, epoch: int, end: int) -> int:
        """Where a follower cuts back that is told the leader's epoch and where that ends."""
        own_epoch, own_end = self.end_offset_for(epoch)
        if own_epoch == NONE:
            return min(end, len(self.log))
        if own_epoch != epoch:
            return min(own_end, len(self.log))
        return min(own_end, end, len(self.log))


def diverges(leader: KafkaCache, follower: KafkaCache) -> tuple[int, int] | None:
    """Partition.readRecords: the epoch and end offset that diverge, or None. No answer is OFFSET_OUT_OF_RANGE."""
    asked = follower.latest_epoch()
    if asked == NONE:
        return None
    epoch, end = leader.end_offset_for(asked)
    assert epoch >= 0, "a leader knows every epoch up to its own"
    return (epoch, end) if epoch < asked or end < len(follower.log) else None
