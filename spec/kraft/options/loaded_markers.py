"""What a broker has loaded of transactions: a snapshot does not say which markers have yet to be replicated."""

from __future__ import annotations

from ...language import Identifier, Map, Set, view
from ..rules import NEVER, KraftBug, governed_by
from ..settings import Settings
from ..state import Offset, Replica
from .last_stable_offset import LastStableOffset


@governed_by(unreplicated_markers_are_kept=NEVER, only_where_asked_for=True)
class LoadedMarkers(LastStableOffset):
    """ProducerStateManager.unreplicatedTxns is in memory alone: a snapshot has open transactions, and nothing else.

    So that is not in the snapshot which a broker takes of its log where it starts, nor kept where it truncates
    (truncateAndReload). `loaded` is up to where a broker takes all markers for replicated: where its memory begins, or
    the greatest high watermark that it has had since, which may go back at a follower. `taken` are its snapshots.
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
            self.know(r, begin)

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always, and what the high watermark has passed once is replicated."""
        super().fetch(follower, leader)
        self.know(follower, max(self.loaded[follower], min(self.brokers[follower].hw, self.end(follower))))

    def become_leader(self, leader: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always, and consumers may read from it."""
        super().become_leader(leader, led_before, epoch_before)
        self.show(leader)

    def remember_commit(self, leader: Identifier, replicas: int, before: int) -> None:
        """As always; what a leader's high watermark has passed once is replicated."""
        self.know(leader, max(self.loaded[leader], self.brokers[leader].hw))
        super().remember_commit(leader, replicas, before)

    def begin_at(self, r: Identifier, offset: int) -> None:
        """The memory begins at a new snapshot."""
        self.know(r, offset)
        if offset > 0 and not self.settings.unreplicated_markers_are_kept:
            self.taken[r] |= {offset}

    def know(self, r: Identifier, offset: int) -> None:
        """The broker takes all markers up to here for replicated. If snapshots had the others, it knew better."""
        if not self.settings.unreplicated_markers_are_kept:
            self.loaded[r] = offset

    def replicated_markers_end(self, r: Identifier) -> int:
        """As always, and all that it had loaded."""
        return max(super().replicated_markers_end(r), min(self.loaded[r], self.end(r)))

    @view(of="broker")
    def loaded_in_words(self, broker: Replica) -> str:
        """Up to where a broker takes all markers for replicated, beyond its high watermark, and its snapshots."""
        beyond = self.loaded[broker] > self.brokers[broker].hw
        markers = f"takes markers below {self.loaded[broker]} for replicated" if beyond else ""
        offsets = ", ".join(str(offset) for offset in self.taken[broker])
        return "; ".join(filter(None, (markers, f"snapshot at {offsets}" if offsets else "")))


BUGS = (
    KraftBug(
        id="P2",
        title="A leader that starts again takes a marker for replicated that it alone has, and consumers read on",
        tickets=("ProducerStateManager.unreplicatedTxns; no ticket known", "KIP-98"),
        versions="2.8 to 4.4",
        faulty=Settings(unreplicated_markers_are_kept=False),
        properties=("visible_stays",),
        bounds={"records": 2, "max_epoch": 4, "fencings": 3},
        story=(
            "b1 leads and has the marker of a transaction, which b2 has not copied, and the high watermark is before "
            "it. So the transaction is unstable (KIP-98c). b1 starts again: it loads what it knows of transactions "
            "from a snapshot of its whole log, and that has open transactions only, not those which are over and whose "
            "markers have yet to be replicated. Consumers that read what is committed see the record. Then b2 leads "
            "without the marker, and for its consumers the transaction is open again, until the coordinator has "
            "written the marker there. Truncation forgets as well (truncateAndReload). A snapshot that keeps these "
            "transactions closes it. Kafka's own classes of 4.0 to 4.4 have shown it, step by step; no report is "
            "known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "What is not replicated is not replicated after a restart either. Whatever holds readers back must be "
            "stored with what it holds back."
        ),
    ),
)
