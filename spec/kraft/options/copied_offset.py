"""Tiered storage (KIP-405): how a new leader finds out up to where its log is in the remote tier."""

from __future__ import annotations

from dataclasses import replace

from ...language import Identifier, Map, view
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import Epoch, KnownOffset, Offset, Replica
from .tiered_storage import NOTHING, TieredStorage

UNCLEAN = Settings(unclean_leader_election=True, elr=False, min_insync_replicas=1)


@governed_by(copied_offset_within_lineage={"": True, "3.6": False, "3.7": True}, only_where_asked_for=True)
class CopiedByEpoch(TieredStorage):
    """Remote segments are looked up by their epoch, and of each the highest offset is known.

    `copied` has that (RemoteLogMetadataManager.highestOffsetForEpoch), also where the segment is deleted by now. An
    epoch ends in one log earlier than in another, so its highest offset in the remote tier may be of another lineage.
    """

    copied: Map[Epoch, KnownOffset]

    def initial(self, leader: Replica) -> None:
        """Nothing has been uploaded of any epoch."""
        super().initial(leader)
        for epoch in self.copied:
            self.copied[epoch] = NOTHING

    def highest_remote(self, r: Identifier) -> int:
        """RemoteLogManager.findHighestRemoteOffset: of the latest epoch of r's log that the remote tier has.

        KAFKA-15241: not beyond where this epoch ends in the log.
        """
        log = self.brokers[r].log
        of = max(
            (
                log[offset].epoch
                for offset in range(self.log_start[r], self.end(r))
                if self.copied[log[offset].epoch] > NOTHING
            ),
            default=NOTHING,
        )
        if of == NOTHING:
            return NOTHING
        if not self.settings.copied_offset_within_lineage:
            return self.copied[of]
        return min(self.copied[of], self.end_offset_for(r, of) - 1)

    def upload(self, leader: Replica, offset: Offset) -> None:
        """As always; the epoch of the record has more in the remote tier now."""
        super().upload(leader, offset)
        self.copied[self.brokers[leader].log[offset].epoch] = offset
        self.note_uploaded(leader)

    @view(of="remote tier")
    def copied_in_words(self) -> str:
        """The highest offset that was uploaded of each epoch."""
        known = (f"offset {self.copied[e]} of epoch {e}" for e in self.copied if self.copied[e] > NOTHING)
        return f"up to {', '.join(known)}" if any(self.copied[e] > NOTHING for e in self.copied) else ""


BUGS = (
    KraftBug(
        id="KAFKA-15241",
        title="A new leader takes for uploaded what was uploaded of another lineage, and deletes its own",
        tickets=("KAFKA-15241", "KIP-405"),
        versions="3.6, with tiered storage",
        faulty=replace(UNCLEAN, copied_offset_within_lineage=False),
        sound=UNCLEAN,
        properties=("committed_is_readable", "disk_keeps_what_is_not_remote"),
        bounds={"records": 3, "max_epoch": 1, "metadata_lag": 1, "fencings": 1, "shrinks": 1},
        story=(
            "b1 commits r0 and r1 in epoch 0 and uploads both. b2 has r0 alone, and is elected uncleanly: the loss of "
            "r1 was accepted. b2 commits r2 at offset 1, in epoch 1. Before it uploads, it asks the remote tier how "
            "far its log is there: nothing of epoch 1, and of epoch 0 up to offset 1. In its own log epoch 0 ends "
            "earlier, but it does not look. So r2 counts as uploaded, is never uploaded, and local retention deletes "
            "it. Since 3.7 the answer is cut to where the epoch ends in the log."
        ),
        lesson=(
            "The highest offset of an epoch is that of the longest log that ever had it. Whoever looks up by epoch has "
            "to cut the answer to its own lineage, as a follower does when it truncates (KIP-279)."
        ),
    ),
)
