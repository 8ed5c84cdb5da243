"""Snapshots of what brokers remember of producers: where they begin when they start again or have truncated."""

from __future__ import annotations

from ...language import Identifier, Map, Set, view
from ..rules import NEVER, governed_by
from ..state import Offset, Replica, Status
from .idempotence import IdempotentProducer


@governed_by(snapshots_keep_batches=NEVER, only_where_asked_for=True)
class ProducerSnapshots(IdempotentProducer):
    """ProducerStateManager.takeSnapshot and loadFromSnapshot: of a producer a snapshot has the last batch only.

    `snapshots[r]` are the offsets of r's snapshots: where the log ended at a clean shutdown, or after truncation or
    loading. What follows the latest one is read from the log. There is one segment here, so that no others are taken.
    """

    snapshots: Map[Replica, Set[Offset]]

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; UnifiedLog.close takes a snapshot, a crash does not."""
        if status == Status.SHUT_DOWN:
            self.take_snapshot(broker)
        super().stop(broker, status)

    def take_snapshot(self, r: Identifier) -> None:
        """A snapshot at the end of the log. If it had all batches, nobody could tell it from the log before it."""
        if not self.settings.snapshots_keep_batches and self.end(r) > 0:
            self.snapshots[r] |= {self.end(r)}

    def rebuild(self, r: Identifier) -> None:
        """From the latest snapshot that the log still reaches, and from the log after it."""
        log = self.brokers[r].log
        self.snapshots[r] = Set(offset for offset in self.snapshots[r] if offset <= len(log))
        start = max(self.snapshots[r], default=0)
        self.remembered[r] = Set()
        for offset in range(max(start - 1, 0), len(log)):
            self.remember(r, log[offset].id)
        self.take_snapshot(r)

    @view(of="broker")
    def snapshots_in_words(self, broker: Replica) -> str:
        """The offsets of a broker's producer snapshots."""
        offsets = ", ".join(str(offset) for offset in self.snapshots[broker])
        return f"producer snapshot at {offsets}" if offsets else ""
