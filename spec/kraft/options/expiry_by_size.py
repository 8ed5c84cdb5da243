"""Tiered storage (KIP-405): expiry by size, which adds what is on the disk alone to what is in the remote tier."""

from __future__ import annotations

from ...language import Identifier, Set, action, require
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import Replica
from .tiered_storage import NOTHING, TieredStorage

RETAINED = 1
"""`retention.bytes`, in records: so many are to be kept."""


@governed_by(expiry_looks_up_first={"": True, "3.9": False, "4.4": True}, only_where_asked_for=True)
class ExpiryBySize(TieredStorage):
    """`retention.bytes` is the size of a log, wherever its segments are.

    A segment that is uploaded and still on the disk counts once: of the disk only what is above the highest offset that
    is noted as uploaded (UnifiedLog.onlyLocalLogSegmentsSize). `deleted` goes no further here than a record may be
    deleted because of the size.
    """

    @action(by="leader", says="{leader} deletes what is too much for retention.bytes")
    def expire_by_size(self, leader: Replica) -> None:
        """RLMExpirationTask.cleanupExpiredRemoteLogSegments and buildRetentionSizeData: from the start of the log.

        A broker that begins to lead may have noted nothing so far: its copy task does that, at its own time. Up to 3.8
        one task did both, in this order. Since KAFKA-20732 expiry looks up first if nothing is noted. Segments go that
        are uploaded; those on the disk after.
        """
        require(self.presumes_leadership(leader))
        if self.settings.expiry_looks_up_first and self.believed[leader] == NOTHING:
            self.note_uploaded(leader)
        too_much = self.on_disk_alone(leader) + self.uploaded_of_log(leader) - RETAINED
        require(too_much > 0)
        start = min(self.log_start[leader] + too_much, self.highest_listed(leader) + 1)
        require(start <= self.brokers[leader].hw)
        allowed = max(self.deleted, min(start, self.end(leader) - RETAINED))
        self.raise_log_start(leader, start)
        self.deleted = allowed
        self.remote -= Set(id for id in self.remote if self.is_before_log_start(leader, id))

    def highest_listed(self, r: Identifier) -> int:
        """The highest offset of r's log for which the metadata name a segment."""
        return self.highest_remote(r)

    def on_disk_alone(self, r: Identifier) -> int:
        """How many records of r's disk are not noted as uploaded.

        A segment has more than one record here: KAFKA-20977, that one with a single record counts twice although it is
        noted (up to 4.3), is left out.
        """
        return sum(1 for offset in range(self.local_start[r], self.end(r)) if offset > self.believed[r])

    def uploaded_of_log(self, r: Identifier) -> int:
        """How many records of r's log are in the remote tier."""
        return sum(1 for offset in range(self.log_start[r], self.end(r)) if self.is_remote(r, offset))


BUGS = (
    KraftBug(
        id="KAFKA-20732",
        title="Expiry by size counts twice what is uploaded and on the disk, and deletes what retention.bytes keeps",
        tickets=("KAFKA-20732", "KIP-405"),
        versions="3.9 to 4.3, with tiered storage",
        faulty=Settings(expiry_looks_up_first=False),
        properties=("only_deleted_records_are_missing",),
        bounds={"max_epoch": 1, "fencings": 1},
        story=(
            "Both have r0, which is committed. b2 leads now and uploads it; b1 led before, has not heard of that, and "
            "has noted nothing of the remote tier. Its expiry runs. One record is to be kept, and there is one: but "
            "the remote tier has it, and for all that b1 has noted its disk has another. So one is too much, and b1 "
            "raises the start of its log and deletes r0 in the remote tier. A new leader whose copy task has not run "
            "yet does the same, and there its followers delete r0 from their disks after it."
        ),
        lesson=(
            "A number that says how far something is done has to say as well when it is not known. A sum of two places "
            "is right only if somebody knows what is in both."
        ),
    ),
)
