"""`log.retention.ms` and `log.retention.bytes`: every broker deletes old records by itself, leader or not."""

from __future__ import annotations

from ...language import action, require
from ..rules import governed_by
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
