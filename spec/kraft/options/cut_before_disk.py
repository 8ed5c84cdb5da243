"""Tiered storage (KIP-405): a log that is cut to before its disk begins, and what is in the remote tier before that."""

from __future__ import annotations

from ...language import Identifier, invariant
from ..rules import KraftBug, governed_by
from ..settings import Settings
from .tiered_storage import BEFORE_TIERED_STORAGE, TieredStorage


@governed_by(truncation_keeps_log_start=BEFORE_TIERED_STORAGE, only_where_asked_for=True)
class CutBeforeDisk(TieredStorage):
    """A follower has [local log start offset, log end offset) on its disk, and its leader has it cut before that.

    Kafka has no segment then to cut. It begins the log anew at this offset: the log start offset goes there, and the
    epochs of everything before are forgotten, as if it had been deleted. A leader never has its log start offset go
    back: what it finds in the remote tier may raise it only (UnifiedLog.updateLogStartOffsetFromRemoteTier).
    """

    def truncate(self, r: Identifier, offset: int) -> None:
        """UnifiedLog.truncateTo, and truncateFullyAndStartAt where the first segment begins behind the offset."""
        begins_anew = offset < self.local_start[r]
        super().truncate(r, offset)
        if begins_anew and not self.settings.truncation_keeps_log_start:
            self.log_start[r] = offset

    @invariant
    def committed_is_readable(self) -> bool:
        """As always; and a leader's log begins no later than where somebody has deleted records.

        What is before it is deleted after all: a leader's expiry does so in the remote tier, and followers on their
        disks.
        """
        return all(
            offset < self.deleted
            or (
                offset >= self.log_start[r]
                and (offset >= min(self.local_start[r], self.brokers[r].hw) or self.can_be_found(r, offset))
            )
            for r in self.brokers
            if self.is_legitimate(r)
            for offset in range(self.end(r))
        )

    @invariant
    def disk_keeps_what_is_not_remote(self) -> bool:
        """As always; what is before the start of a log is to be deleted only if somebody has said so."""
        return all(
            offset < self.deleted or offset >= self.local_start[r] or self.can_be_found(r, offset)
            for r in self.brokers
            for offset in range(self.end(r))
        )


BUGS = (
    KraftBug(
        id="T5",
        title="A log that is cut to before its disk begins forgets what is uploaded, and as leader has it deleted",
        tickets=("UnifiedLog.truncateTo; no ticket known", "KIP-405"),
        versions="3.6 to 4.4, with tiered storage",
        faulty=Settings(
            truncation_keeps_log_start=False, unclean_leader_election=True, elr=False, min_insync_replicas=1
        ),
        sound=Settings(unclean_leader_election=True, elr=False, min_insync_replicas=1),
        properties=("committed_is_readable", "disk_keeps_what_is_not_remote"),
        bounds={"records": 2, "max_epoch": 2, "metadata_lag": 2, "fencings": 2, "shrinks": 1},
        shown_on=("4.4.0",),
        story=(
            "b1 uploads r0 and r1, and local retention deletes both from its disk, which begins at offset 2 then. b2 "
            "has r0 alone, and is elected uncleanly: the loss of r1 was accepted. b1 follows, and has to cut its log "
            "to offset 1. No segment on its disk begins there or before, so it begins anew: its log start offset is 1 "
            "now. It comes back into the ISR and leads again. Now r0 is before the start of the log, although it is "
            "committed, inside its retention, and was not lost by that election: consumers are not told of it, the "
            "next expiry deletes it from the remote tier, and b2 deletes it from its disk."
        ),
        lesson=(
            "Where a log begins and where a disk begins are two numbers. A truncation of the disk must not say that "
            "what comes before it was deleted."
        ),
    ),
)
