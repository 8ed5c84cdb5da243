"""`log.retention.ms` and `log.retention.bytes`: every broker deletes old records by itself, leader or not."""

from __future__ import annotations

from ...language import action, require
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import Offset, Replica
from .log_start import LogStart


@governed_by("retention_stops_at_hw")
class Retention(LogStart):
    """Records that have expired, or are too many. Each record is a segment here."""

    @action(by="broker", says="Retention deletes the records of {broker} up to offset {offset}")
    def expire(self, broker: Replica, offset: Offset) -> None:
        """UnifiedLog.deletableSegments: a broker deletes old segments of its own log, whoever leads.

        KAFKA-5634: none at or beyond its high watermark, because no follower takes over a log start offset beyond that.
        """
        require(self.is_running(broker))
        require(offset <= (self.brokers[broker].hw if self.settings.retention_stops_at_hw else self.end(broker)))
        self.raise_log_start(broker, offset)


BUGS = (
    KraftBug(
        id="KAFKA-5634",
        title="Retention deletes what is not committed, and no follower takes over such a log start offset",
        tickets=("KAFKA-5634", "KIP-107"),
        versions="0.11.0.0",
        faulty=Settings(retention_stops_at_hw=False),
        properties=("fetchers_go_on", "high_watermark_in_log", "leader_reads_at_its_high_watermark"),
        story=(
            "Retention on the leader deletes r0, which is not committed: its log start offset is 1, its high watermark "
            "0. The follower has r0, too, and fetches. The answer says log start 1 and high watermark 0, the follower "
            "cannot delete what is not committed (Log.maybeIncrementLogStartOffset throws), and its fetcher gives up. "
            "In 0.11 the whole thread died, with all other partitions; here, as since KIP-461 (2.3), the one partition "
            "stops until the leader epoch changes."
        ),
        lesson=(
            "Delete only what is committed. A log that begins beyond its high watermark is one that no follower can "
            "take over."
        ),
    ),
)
