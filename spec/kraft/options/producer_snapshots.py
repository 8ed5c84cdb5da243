"""Snapshots of what brokers remember of producers: where they begin when they start again or have truncated."""

from __future__ import annotations

from ...language import Identifier, Map, Set, view
from ..rules import NEVER, KraftBug, governed_by
from ..settings import Settings
from ..state import Offset, Replica, Status
from .idempotence import IdempotentProducer


@governed_by(snapshots_keep_batches=NEVER, only_where_asked_for=True)
class ProducerSnapshots(IdempotentProducer):
    """ProducerStateManager.takeSnapshot and loadFromSnapshot: of a producer a snapshot has the last batch only.

    `snapshots[r]` are the offsets of r's snapshots: where the log ended at a clean shutdown, or after truncation or
    loading. What follows the latest one is read from the log. There is one segment here, so that no others are taken.
    A log that is loaded has one snapshot. After a crash it is a new one: LogLoader.recoverLog reads the whole log and
    takes a snapshot where it ends, and only then are the producers loaded, from that snapshot.
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

    def latest(self, r: Identifier) -> int:
        """The offset of the latest snapshot, 0 without one."""
        return max(self.snapshots[r], default=0)

    def restart(self, broker: Replica, successor: Replica | None) -> None:
        """As always, from the latest snapshot (removeStraySnapshots), or after a crash from one of the whole log."""
        if self.brokers[broker].status == Status.CRASHED:
            self.snapshots[broker] = Set()
            self.take_snapshot(broker)
        else:
            self.snapshots[broker] = Set(offset for offset in self.snapshots[broker] if offset == self.latest(broker))
        super().restart(broker, successor)

    def rebuild(self, r: Identifier) -> None:
        """From the latest snapshot that the log still reaches, and from the log after it."""
        begin, end = self.first_read(r), self.end(r)
        self.snapshots[r] = Set(offset for offset in self.snapshots[r] if begin < offset <= end)
        self.read_producers(r, max(self.latest(r) - 1, begin))
        self.take_snapshot(r)

    @view(of="broker")
    def snapshots_in_words(self, broker: Replica) -> str:
        """The offsets of a broker's producer snapshots."""
        offsets = ", ".join(str(offset) for offset in self.snapshots[broker])
        return f"producer snapshot at {offsets}" if offsets else ""


BUGS = (
    KraftBug(
        id="P1",
        title="After a restart a broker knows the last batch of a producer only, and a retry of the one before is new",
        tickets=("ProducerStateManager.writeSnapshot; no ticket known", "KIP-98"),
        versions="1.0 to 4.4",
        faulty=Settings(snapshots_keep_batches=False),
        properties=("committed_once", "in_sequence_is_accepted"),
        bounds={"replication_factor": 1, "records": 3, "max_epoch": 2, "fencings": 1},
        story=(
            "Both r0 and r1 are committed, and their answers are lost, because b1 shuts down. What b1 remembers of the "
            "producer goes into a snapshot: of up to five batches in memory only the last one "
            "(ProducerStateManager.writeSnapshot). b1 starts again, leads, and knows r1. The producer sends both "
            "again, in order. r0 is no duplicate that b1 knows and not the next batch either, so the answer is "
            "OUT_OF_ORDER_SEQUENCE_NUMBER, although nothing is lost. For the producer r0 is the next batch to be "
            "acknowledged, so it takes this for a gap (TransactionManager.canRetry), begins a new producer epoch, in "
            "which its batches are numbered from 0 again, and r0 is committed twice, and r1 would be next. One broker "
            "shows it in the fewest steps; with two and min.insync.replicas=2 it takes a follower that was restarted "
            "and then leads. A snapshot is also where a follower begins that has truncated. It needs two batches in "
            "flight and a restart within delivery.timeout.ms; a snapshot of all batches closes it. The producer is "
            "derived from the sources of 4.3. Kafka's own classes of 3.9 to 4.4 have shown it, step by step; no report "
            "is known, and no running Kafka has shown it yet."
        ),
        lesson="A snapshot must keep all that the answers depend on. With less of it a retry looks new.",
    ),
)
