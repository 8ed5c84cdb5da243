"""Where the specification of producers is not Kafka's protocol, as its own classes have shown, and what it should say.

These stand here until the specification has them: with them random runs are the same, and without them they are not.
"""

from __future__ import annotations

from epochal.spec.kraft.options.idempotence import IdempotentProducer
from epochal.spec.kraft.options.last_stable_offset import LastStableOffset
from epochal.spec.kraft.options.producer_snapshots import ProducerSnapshots
from epochal.spec.kraft.options.retries import Retries
from epochal.spec.kraft.state import Offset, Replica, Status
from epochal.spec.language import Identifier, Map, Set


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


class LoadedTransactions(LastStableOffset):
    """What a broker has loaded from a snapshot it takes for replicated: a snapshot has open transactions alone.

    `lso_waits_for_replicated_marker` is about what ProducerStateManager.unreplicatedTxns holds in memory. That is not
    in the snapshot which a broker takes of its log where it starts, nor kept where it truncates (truncateAndReload).
    `loaded` is up to where a broker takes all markers for replicated: where its memory begins, or the greatest high
    watermark that it has had since, which may go back at a follower. `taken` are the snapshots that it has.
    """

    loaded: Map[Replica, Offset]
    taken: Map[Replica, Set[Offset]]

    def restart(self, broker: Replica, successor: Replica | None) -> None:
        """As always, from a snapshot of the whole log."""
        super().restart(broker, successor)
        self.taken[broker] = Set()
        self.begin_at(broker, self.end(broker))

    def truncate(self, r: Identifier, offset: int) -> None:
        """As always, and what is left is loaded from the latest snapshot of it."""
        before = self.end(r)
        super().truncate(r, offset)
        if offset < before:
            self.taken[r] = Set(one for one in self.taken[r] if one <= offset)
            begin = max(self.taken[r], default=0)
            self.begin_at(r, offset)
            self.loaded[r] = begin

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always, and what the high watermark has passed once is replicated."""
        super().fetch(follower, leader)
        self.loaded[follower] = max(self.loaded[follower], min(self.brokers[follower].hw, self.end(follower)))

    def become_leader(self, leader: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always, and consumers may read from it."""
        super().become_leader(leader, led_before, epoch_before)
        self.show(leader)

    def remember_commit(self, leader: Identifier, replicas: int, before: int) -> None:
        """The same of a leader."""
        self.loaded[leader] = max(self.loaded[leader], self.brokers[leader].hw)
        super().remember_commit(leader, replicas, before)

    def begin_at(self, r: Identifier, offset: int) -> None:
        """The memory begins at a new snapshot."""
        self.loaded[r] = offset
        if offset > 0:
            self.taken[r] |= {offset}

    def last_stable_offset(self, r: Identifier) -> int:
        """The first record that has no marker which is replicated, for all that the broker knows."""
        log = self.brokers[r].log
        hw = min(self.brokers[r].hw, len(log))
        known = max(hw, min(self.loaded[r], len(log)))
        undecided = (
            offset
            for offset in range(hw)
            if not self.is_marker(log[offset].id) and not self.is_decided(r, offset, known)
        )
        return min(undecided, default=hw)
