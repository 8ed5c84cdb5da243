"""Where the specification of producers is not Kafka's protocol, as its own classes have shown, and what it should say.

These stand here until the specification has them: with them random runs are the same, and without them they are not.
"""

from __future__ import annotations

from epochal.spec.kraft.options.idempotence import IdempotentProducer
from epochal.spec.kraft.options.producer_snapshots import ProducerSnapshots
from epochal.spec.kraft.options.retries import Retries
from epochal.spec.kraft.state import Replica, Status
from epochal.spec.language import Identifier, Set


class AnsweredDuplicates(IdempotentProducer):
    """A duplicate is a request as well: with too few in the committed ISR it is refused (NOT_ENOUGH_REPLICAS).

    `receive_success` looks at the maximal ISR, as DelayedProduce does for a request that is waiting. A leader that
    knows the batch from another leader has none waiting.
    """

    def answers_for(self, leader: Identifier, offset: int, batch: int) -> bool:
        """As always; for what another leader appended the request must be accepted first."""
        waiting = Retries.answers_for(self, leader, offset, batch)
        return super().answers_for(leader, offset, batch) and (waiting or self.has_enough_replicas(leader))


class RecoveredSnapshots(ProducerSnapshots):
    """A log that is loaded has one snapshot, and after a crash this is a new one.

    ProducerStateManager.removeStraySnapshots keeps the latest beside those of segments. LogLoader.recoverLog reads all
    of the log after a crash and takes a snapshot where it ends; only then are the producers loaded, and from that
    snapshot: of each the last batch is known. `ProducerSnapshots` loads them as after a clean shutdown.
    """

    def restart(self, broker: Replica, successor: Replica | None) -> None:
        """As always, from the latest snapshot, or after a crash from one of the whole log."""
        if self.brokers[broker].status == Status.CRASHED:
            self.snapshots[broker] = Set()
            self.take_snapshot(broker)
        else:
            self.snapshots[broker] = Set(offset for offset in self.snapshots[broker] if offset == self.latest(broker))
        super().restart(broker, successor)

    def latest(self, broker: Identifier) -> int:
        """The offset of the latest snapshot, 0 without one."""
        return max(self.snapshots[broker], default=0)
