"""The Diskless coordinator: it validates, appends, waits for replication, and answers; and it fails over."""

from __future__ import annotations

from typing import ClassVar

from ..language import action, bounded, require
from .state import Batch, DisklessState, Entry, EntryKind, Offset, Prefix, StoredId


class DisklessCoordinator(DisklessState):
    """The broker that leads the partition of `__diskless_metadata`."""

    validates_pending: ClassVar[bool] = True
    """KIP-1164: a request is validated against what is applied, and what is appended and not replicated yet."""

    waits_for_replication: ClassVar[bool] = True
    """KIP-1164: a request is answered when its record is replicated (acks=all) and applied."""

    knows_duplicates: ClassVar[bool] = True
    """KIP-1164: the coordinator keeps the state of producers. A batch that it has is a duplicate."""

    keeps_order: ClassVar[bool] = True
    """KIP-1164: a batch whose sequence number is not the next one of its producer is refused."""

    refuses_late_commits: ClassVar[bool] = True
    """Whether a request is refused that comes after the time within which its object may be committed."""

    # -- words ----------------------------------------------------------------------------------------------------

    def validated(self) -> int:
        """The part of the log against which a request is validated."""
        return len(self.log) if self.validates_pending else self.applied()

    def answered(self) -> int:
        """The part of the log about which producers are told."""
        return self.applied() if self.waits_for_replication else len(self.log)

    def accepted_from(self, object: int) -> int:
        """The first batch of an object that is not a duplicate."""
        stored = self.objects[object]
        if not self.knows_duplicates:
            return stored.first
        return max(stored.first, self.next_batch(self.producer_of(stored.first), self.validated()))

    def may_commit(self, object: int) -> bool:
        """Whether the coordinator accepts what it is to commit of an object."""
        stored = self.objects[object]
        in_order = stored.first <= self.next_batch(self.producer_of(stored.first), self.validated())
        in_time = not stored.expired or not self.refuses_late_commits
        return (in_order or not self.keeps_order) and in_time and not self.is_named(object, self.validated())

    def note_told(self, batch: int, upto: int) -> None:
        """Somebody learns which batch has which offset."""
        for i, entry in enumerate(self.log):
            if i < upto and self.holds(entry, batch):
                self.told[entry.offset + batch - entry.first] = batch

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(
        by="broker",
        to="Diskless coordinator",
        sends="DisklessCommitFile",
        says="The coordinator appends what it commits of object {object}",
    )
    def commit(self, object: StoredId) -> None:
        """DisklessCommitFile: offsets are given here. Of an object without a new batch nothing is appended."""
        require(self.is_uploaded(object) and self.may_commit(object))
        first = self.accepted_from(object)
        last = self.objects[object].last
        require(first <= last)
        offset = self.end(self.validated())
        bounded(len(self.log) < self.bounds.entries)
        bounded(offset + last - first < self.bounds.producers * self.bounds.batches)
        self.log.append(
            Entry(
                kind=EntryKind.BATCHES,
                producer=self.producer_of(first),
                object=object,
                first=first,
                offset=offset,
            )
        )

    @action(
        by="Diskless coordinator",
        to="producer",
        receives="Produce response",
        says="The producer is told of success for batch {batch}",
    )
    def acknowledge(self, batch: Batch) -> None:
        """The request's own answer, or that to a retry, which finds a duplicate."""
        require(batch not in self.acknowledged and self.is_committed(batch, self.answered()))
        self.acknowledged |= {batch}
        self.note_told(batch, self.answered())

    @action(by="Diskless coordinator", says="One more record of the coordinator's log is replicated", fair="weak")
    def replicate(self) -> None:
        """acks=all: the high watermark of the partition of `__diskless_metadata`."""
        require(self.replicated < len(self.log))
        self.replicated += 1

    @action(by="Diskless coordinator", says="Records below offset {start} are deleted")
    def delete_records(self, start: Offset) -> None:
        """DisklessDeleteRecords, or retention: no object is touched by it."""
        require(self.start(self.validated()) < start <= self.end(self.validated()))
        bounded(self.deletions < self.bounds.deletions)
        bounded(len(self.log) < self.bounds.entries)
        self.deletions += 1
        self.log.append(Entry(kind=EntryKind.DELETION, producer=0, object=0, first=0, offset=start))

    @action(by="controller", says="The coordinator fails over, and {kept} records of its log are left")
    def fail_over(self, kept: Prefix) -> None:
        """Another replica leads, cleanly: it has what is replicated, and perhaps more. Its local state is a cache."""
        require(self.replicated <= kept <= len(self.log))
        bounded(self.failovers < self.bounds.failovers)
        self.failovers += 1
        self.log.truncate(kept)
