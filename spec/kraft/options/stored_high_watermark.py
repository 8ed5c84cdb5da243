"""The high watermark on disk: it is written now and then, so that a crash takes a broker back to an older one."""

from __future__ import annotations

from ...language import action, require
from ..broker_lifecycle import BrokerLifecycle
from ..state import Offset, Replica, Status
from .log_start import LogStart


class StoredHighWatermark(BrokerLifecycle):
    """ReplicaManager.checkpointHighWatermarks, every `replica.high.watermark.checkpoint.interval.ms` (5 s)."""

    @action(by="broker", says="{broker} has only high watermark {stored} on disk")
    def find_older_high_watermark(self, broker: Replica, stored: Offset) -> None:
        """After a crash `replication-offset-checkpoint` may be older than what the process knew."""
        require(self.brokers[broker].status == Status.CRASHED)
        require(stored < self.brokers[broker].hw)
        self.brokers[broker].hw = stored


class StoredHighWatermarkOfLogStart(StoredHighWatermark, LogStart):
    """The same where logs begin at a log start offset."""

    def find_older_high_watermark(self, broker: Replica, stored: Offset) -> None:
        """As always. UnifiedLog.updateHighWatermark: what is before the start of the log counts as the start."""
        require(stored >= self.log_start[broker])
        super().find_older_high_watermark(broker, stored)
