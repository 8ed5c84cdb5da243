"""Tiered storage (KIP-405): a copy to the remote tier fails, and what was written when it began stays."""

from __future__ import annotations

from ...language import Identifier, Set, action, require, view
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import Offset, RecordId, Replica
from .expiry_by_size import ExpiryBySize


@governed_by(failed_copies_count_for_nothing={"": True, "3.6": False, "3.8.1": True}, only_where_asked_for=True)
class FailedCopies(ExpiryBySize):
    """The store refuses a segment. Of those in `half_copied` the metadata say that a copy began, and no more.

    The next attempt has a segment id of its own (COPY_SEGMENT_STARTED). One failure of each record is enough.
    """

    half_copied: Set[RecordId]

    @action(by="leader", says="{leader} begins to copy the record at offset {offset}, and the store refuses it")
    def fail_to_copy(self, leader: Replica, offset: Offset) -> None:
        """RLMCopyTask.copyLogSegment: COPY_SEGMENT_STARTED is written, and copyLogSegmentData throws."""
        require(self.presumes_leadership(leader))
        require(offset == max(self.highest_remote(leader) + 1, self.log_start[leader]))
        require(self.local_start[leader] <= offset < self.brokers[leader].hw)
        require(not self.has_failed(leader, offset))
        self.half_copied |= {self.brokers[leader].log[offset].id}

    def has_failed(self, r: Identifier, offset: int) -> bool:
        """Whether a copy of the record that stands at an offset of r's log has failed."""
        return self.brokers[r].log[offset].id in self.half_copied

    def counts(self, r: Identifier, offset: int) -> bool:
        """Whether expiry of r takes a failed copy of the record at an offset for one that is there."""
        return not self.settings.failed_copies_count_for_nothing and self.has_failed(r, offset)

    def uploaded_of_log(self, r: Identifier) -> int:
        """As always, and the failed copies that count (buildRetentionSizeData)."""
        return super().uploaded_of_log(r) + sum(
            1 for offset in range(self.log_start[r], self.end(r)) if self.counts(r, offset)
        )

    def highest_listed(self, r: Identifier) -> int:
        """As always, and segments whose copy has failed."""
        return max(
            (offset for offset in range(self.log_start[r], self.end(r)) if self.counts(r, offset)),
            default=super().highest_listed(r),
        )

    @view(of="remote tier")
    def failed_in_words(self) -> str:
        """Which copies have failed."""
        failed = ", ".join(f"r{id}" for id in sorted(self.half_copied))
        return f"copies have failed of {failed}" if len(self.half_copied) > 0 else ""


BUGS = (
    KraftBug(
        id="KAFKA-17062",
        title="A copy to the remote tier that failed counts for retention.bytes, and what is to be kept is deleted",
        tickets=("KAFKA-17062", "KIP-405"),
        versions="3.6 to 3.8.0, with tiered storage",
        faulty=Settings(failed_copies_count_for_nothing=False),
        properties=("only_deleted_records_are_missing", "disk_keeps_what_is_not_remote"),
        bounds={"records": 2, "max_epoch": 0},
        story=(
            "The leader begins to copy r0, says so in the metadata, and the store refuses it. What was written stays. "
            "One record is to be kept, and there is one: but it is on the disk, and the metadata name a segment of it, "
            "so that there are two to expiry by size. It raises the start of the log and r0 is deleted, which nobody "
            "has uploaded. Each attempt that fails adds another segment to that sum."
        ),
        lesson=(
            "That something has begun does not say that it is there. Who adds up what is there has to look at how far "
            "each part of it has come."
        ),
    ),
)
