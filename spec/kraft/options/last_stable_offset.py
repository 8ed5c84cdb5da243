"""The last stable offset: how far consumers with `isolation.level=read_committed` may read (KIP-98)."""

from __future__ import annotations

from ...language import Ghost, Identifier, Set, invariant, reachable, view
from ..rules import governed_by, since
from ..state import RecordId, Replica
from .transactions import NOTHING, Kind, Transactions


@governed_by(
    "markers_acknowledged",
    "lso_waits_for_replicated_marker",
    transactions_verified=since("3.6"),
    epoch_per_transaction=since("4.0"),
    late_markers_refused=since("4.2"),
    only_where_asked_for=True,
)
class LastStableOffset(Transactions):
    """ProducerStateManager.firstUnstableOffset and UnifiedLog.lastStableOffset, and what they let consumers see.

    `visible` are the records of transactions that were committed for some consumer: below the last stable offset of a
    broker that presumed leadership, before a commit marker.
    """

    visible: Ghost[Set[RecordId]]

    # -- words ----------------------------------------------------------------------------------------------------

    def last_stable_offset(self, r: Identifier) -> int:
        """The first record whose marker is not below the high watermark, or that has none; else the high watermark."""
        log = self.brokers[r].log
        hw = min(self.brokers[r].hw, len(log))
        known = hw if self.settings.lso_waits_for_replicated_marker else len(log)
        return min(
            (
                offset
                for offset in range(hw)
                if not self.is_marker(log[offset].id) and not self.is_decided(r, offset, known)
            ),
            default=hw,
        )

    def is_shown_as(self, r: Identifier, offset: int, kind: Kind) -> bool:
        """Whether the first marker after this offset of r's log is of this kind (TransactionIndex)."""
        log = self.brokers[r].log
        return any(
            self.contents[log[later].id].kind == kind and not self.is_decided(r, offset, later)
            for later in range(offset + 1, len(log))
        )

    def is_finished(self, id: int) -> bool:
        """Whether the coordinator has completed the transaction of a record."""
        return self.contents[id].transaction < self.finished

    def was_aborted(self, id: int) -> bool:
        """Whether the transaction of a record has been aborted, or is to be."""
        return any(
            content.kind == Kind.ABORT and content.transaction == self.contents[id].transaction
            for content in self.contents.values()
        )

    def remember_commit(self, leader: Identifier, replicas: int, before: int) -> None:
        """As always; with the high watermark the last stable offset may rise."""
        super().remember_commit(leader, replicas, before)
        self.show(leader)

    def append(self, leader: Identifier, id: int) -> None:
        """As always; a marker may decide at once what is below the high watermark."""
        super().append(leader, id)
        self.show(leader)

    def show(self, leader: Identifier) -> None:
        """Consumers may read what is stable, and are told which transactions were aborted."""
        for offset in range(self.last_stable_offset(leader)):
            id = self.brokers[leader].log[offset].id
            if not self.is_marker(id) and self.is_shown_as(leader, offset, Kind.COMMIT):
                self.visible |= {id}

    # -- what must hold -------------------------------------------------------------------------------------------

    @invariant
    def no_hanging_transaction(self) -> bool:
        """No leader has an open transaction while the coordinator has none to end.

        Nobody would end it: the last stable offset stands still until an operator writes a marker by hand.
        """
        return self.begun > self.finished or not any(
            self.has_open_transaction(r) for r in self.brokers if self.is_legitimate(r)
        )

    @invariant
    def one_transaction_at_a_time(self) -> bool:
        """The producer begins a transaction when the coordinator has completed the one before."""
        return self.finished <= self.begun <= self.finished + 1

    @invariant
    def aborted_is_never_visible(self) -> bool:
        """No consumer that reads what is committed sees a record of an aborted transaction."""
        return not any(self.was_aborted(id) for id in self.visible)

    @invariant
    def stable_is_decided(self) -> bool:
        """Whatever is below a leader's last stable offset the coordinator has decided to end."""
        return all(
            self.is_marker(self.brokers[r].log[offset].id)
            or self.is_finished(self.brokers[r].log[offset].id)
            or (self.marker != NOTHING and self.contents[self.brokers[r].log[offset].id].transaction == self.finished)
            for r in self.brokers
            if self.presumes_leadership(r)
            for offset in range(self.last_stable_offset(r))
        )

    @invariant
    def visible_stays(self) -> bool:
        """What a consumer saw of a transaction the partition's leader has, and has as committed."""
        return all(
            any(self.brokers[r].log[o].id == id and self.is_shown_as(r, o, Kind.COMMIT) for o in range(self.end(r)))
            for r in self.brokers
            if self.is_legitimate(r)
            for id in self.visible
        )

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def waits_for_the_transaction(self) -> bool:
        """The last stable offset of a leader is behind its high watermark, because a transaction is open."""
        return any(
            self.is_legitimate(r) and self.is_ongoing() and self.last_stable_offset(r) < self.brokers[r].hw
            for r in self.brokers
        )

    @reachable
    def waits_for_the_marker(self) -> bool:
        """The last stable offset of a leader is behind its high watermark, which has not passed the marker."""
        return any(
            self.is_legitimate(r) and self.last_stable_offset(r) < self.brokers[r].hw and self.has_batch(r, self.marker)
            for r in self.brokers
        )

    @reachable
    def committed_transaction_is_visible(self) -> bool:
        """A consumer sees a record of a committed transaction."""
        return len(self.visible) > 0

    @reachable
    def marker_is_written_again(self) -> bool:
        """The leader that had the marker leads no longer, and the next one does not have it yet."""
        return self.marker != NOTHING and any(
            self.is_legitimate(r) and not self.has_batch(r, self.marker) and self.has_batch(former, self.marker)
            for r in self.brokers
            for former in self.brokers
        )

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="broker")
    def last_stable_offset_in_words(self, broker: Replica) -> str:
        """A leader's last stable offset, where it is behind the high watermark."""
        stable = self.last_stable_offset(broker)
        waits = self.presumes_leadership(broker) and stable < self.brokers[broker].hw
        return f"last stable offset {stable}" if waits else ""

    @view(of="consumers")
    def visible_in_words(self) -> str:
        """The records of committed transactions that some consumer has seen."""
        return f"have seen {' '.join(f'r{id}' for id in self.visible)}" if self.visible else ""
