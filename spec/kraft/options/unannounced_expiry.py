"""Tiered storage (KIP-405): segments that have expired are deleted before the start of the log is raised."""

from __future__ import annotations

from ...language import action, require
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import Replica
from .tiered_storage import TieredStorage


@governed_by("log_start_raised_before_deletion", only_where_asked_for=True)
class UnannouncedExpiry(TieredStorage):
    """Expiry deletes in the remote tier first, and `delete_records` raises the start of the log after that, if at all.

    The task may end in between: its broker stops, or leads no longer. Followers have heard of nothing then.
    """

    @action(by="leader", says="{leader} deletes its first segment in the remote tier, which has expired")
    def expire_first(self, leader: Replica) -> None:
        """RLMExpirationTask.cleanupExpiredRemoteLogSegments before KAFKA-15352: handleLogStartOffsetUpdate is last."""
        require(not self.settings.log_start_raised_before_deletion)
        require(self.presumes_leadership(leader))
        first = self.log_start[leader]
        require(first < self.brokers[leader].hw)
        require(self.is_remote(leader, first))
        self.remote -= {self.brokers[leader].log[first].id}


BUGS = (
    KraftBug(
        id="KAFKA-15352",
        title="Expired segments are deleted in the remote tier while the start of the log still names them",
        tickets=("KAFKA-15352", "KIP-405"),
        versions="none; found before 3.6 was released",
        faulty=Settings(log_start_raised_before_deletion=False),
        properties=("committed_is_readable", "disk_keeps_what_is_not_remote"),
        bounds={"max_epoch": 0},
        story=(
            "The leader has uploaded r0, and local retention has deleted it from its disk. r0 expires, and the leader "
            "deletes it in the remote tier. It raises the start of its log when all that has expired is gone. By then "
            "a consumer that begins at the earliest offset is told offset 0, and gets OFFSET_OUT_OF_RANGE there. If "
            "the leader stops in between, its followers have not heard of the deletion, and whoever leads next tells "
            "of that offset for as long as KAFKA-15351 lets it."
        ),
        lesson="Take a thing out of the index before you take it away, so that nobody is sent to where it was.",
    ),
)
