"""The last stable offset: how far consumers with `isolation.level=read_committed` may read (KIP-98)."""

from __future__ import annotations

from dataclasses import replace

from ...language import Ghost, Identifier, Set, invariant, reachable, view
from ..rules import KraftBug, governed_by, since
from ..settings import BEFORE_STRICT_HW, Settings
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
        """The first record whose marker is not replicated, or that has none; else the high watermark."""
        log = self.brokers[r].log
        hw = min(self.brokers[r].hw, len(log))
        known = self.replicated_markers_end(r)
        return min(
            (
                offset
                for offset in range(hw)
                if not self.is_marker(log[offset].id) and not self.is_decided(r, offset, known)
            ),
            default=hw,
        )

    def replicated_markers_end(self, r: Identifier) -> int:
        """Up to where a broker takes every marker for replicated: below the high watermark (unreplicatedTxns)."""
        return min(self.brokers[r].hw, self.end(r)) if self.settings.lso_waits_for_replicated_marker else self.end(r)

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


BUGS = (
    KraftBug(
        id="KIP-98b",
        title="A transaction is complete before its marker is replicated, and a new leader never gets the marker",
        tickets=("KIP-98", "TransactionMarkerChannelManager"),
        versions="none; the mistake that KIP-98 avoids",
        faulty=Settings(markers_acknowledged=False),
        properties=("no_hanging_transaction",),
        bounds={"records": 2, "max_epoch": 1, "elections": 1},
        story=(
            "b2 is elected and has the record. The coordinator writes the marker at b1, which does not know yet that "
            "it leads no longer, and takes the transaction for complete. Nobody writes the marker at b2, and "
            "consumers that read what is committed stop there for ever. So markers are written with acks=all, and "
            "again until they are acknowledged."
        ),
        lesson=(
            "A decision is made when it is replicated. Before that a failover takes it back, and nobody decides again."
        ),
    ),
    KraftBug(
        id="KIP-98c",
        title="Consumers see a transaction as committed before its marker is replicated",
        tickets=("KIP-98", "ProducerStateManager.unreplicatedTxns"),
        versions="none; the mistake that KIP-98 avoids",
        faulty=Settings(lso_waits_for_replicated_marker=False),
        properties=("visible_stays",),
        bounds={"records": 2, "max_epoch": 1, "elections": 1},
        story=(
            "The record is below the high watermark, the marker is in the log of b1 only. If the last stable offset "
            "passed the record then, consumers would read it; b2 leads without the marker, and for its consumers the "
            "transaction is open again. The coordinator will write the same marker at b2, but until then the last "
            "stable offset has gone back. So a transaction is unstable until the high watermark has passed its marker "
            "(unreplicatedTxns)."
        ),
        lesson=(
            "Show what is decided only when the decision cannot be lost. What readers have seen must not become open "
            "again."
        ),
    ),
    KraftBug(
        id="KAFKA-14402",
        title="A batch arrives after the marker of its transaction, and nobody will end what it begins",
        tickets=("KAFKA-14402", "KIP-890"),
        versions="0.11 to 3.5, since then with transaction.partition.verification.enable=false",
        faulty=Settings(transactions_verified=False, epoch_per_transaction=False, late_markers_refused=False),
        sound=Settings(epoch_per_transaction=False, late_markers_refused=False),
        properties=("no_hanging_transaction",),
        bounds={"replication_factor": 1, "records": 2},
        story=(
            "A batch is delayed on its way, so its producer gives the transaction up. The coordinator writes the "
            "marker; the transaction is over. Then the batch arrives: its producer epoch is still the right one, and "
            "for b1 it begins a transaction. The coordinator knows of none, so that nobody ends it: the last stable "
            "offset stands still, and consumers that read what is committed wait (a hanging transaction). Since 3.6 a "
            "leader in whose log no transaction is open asks the coordinator first (AddPartitionsToTxn with "
            "verifyOnly)."
        ),
        lesson=(
            "Late work of a task that is over must be refused. Ask whether the task is still open before something is "
            "begun in its name."
        ),
    ),
    KraftBug(
        id="KIP-890",
        title="A batch of an aborted transaction arrives late, and is committed with the next one",
        tickets=("KIP-890",),
        versions="0.11 to 3.9, since then with transaction.version below 2",
        faulty=Settings(epoch_per_transaction=False),
        properties=("aborted_is_never_visible",),
        bounds={"replication_factor": 1, "records": 3, "transactions": 2},
        story=(
            "As KAFKA-14402, but the next transaction has begun when the batch arrives. The coordinator says that a "
            "transaction is going on with this partition, which is true and not the one that is meant: both have the "
            "same producer epoch. The batch of the aborted transaction is committed with the other one, and consumers "
            "see it. With transactions of version 2 each has an epoch of its own, and b1 fences what is older."
        ),
        lesson=(
            "Give each task an epoch of its own. Two transactions under one epoch cannot be told apart by what comes "
            "late."
        ),
    ),
    KraftBug(
        id="KAFKA-19446",
        title="A second copy of a marker arrives late, and decides the next transaction",
        tickets=("KAFKA-19446", "KIP-1228"),
        versions="0.11 to 4.1, since then with transaction.version below 2",
        faulty=Settings(late_markers_refused=False),
        properties=("stable_is_decided", "aborted_is_never_visible"),
        bounds={"replication_factor": 1, "records": 3, "transactions": 2},
        story=(
            "The coordinator sends a marker again because the connection ended. The first copy was written and "
            "acknowledged, so the next transaction begins, and its record is in the log when the second copy arrives. "
            "Its epoch is that of the next transaction, so b1 takes it: the record counts as committed, or aborted, "
            "while its producer has decided nothing; if it aborts, consumers have seen what was aborted. Since 4.2, "
            "with transactions of version 2, a marker must have a newer epoch than what is open. Like N3 this needs a "
            "copy that outlives its connection; in the model, and no report of it is known."
        ),
        lesson=(
            "A decision must name what it decides. A second copy of it, that comes late, otherwise decides the next "
            "one."
        ),
    ),
    KraftBug(
        id="KAFKA-20716",
        title="An unclean election loses a marker, and its transaction stays open for ever",
        tickets=("KAFKA-20716",),
        versions="0.11 to 4.4, with unclean.leader.election.enable=true, which KRaft heeds since 3.9",
        faulty=replace(BEFORE_STRICT_HW, unclean_leader_election=True),
        sound=BEFORE_STRICT_HW,
        steps=(LastStableOffset,),
        properties=("no_hanging_transaction", "visible_stays"),
        bounds={"records": 2, "max_epoch": 2, "crashes": 1, "fencings": 1},
        story=(
            "b1 appends r0, crashes before anybody has copied it, and loses nothing. b2 leads alone: it gets the "
            "marker, which is acknowledged by all that are in sync, and the coordinator is done. b1 comes back with "
            "r0; before it has followed b2, this shuts down, and b1 is elected uncleanly. For b1 the transaction is "
            "open, and the coordinator will not write the marker again: the last stable offset stands still, and "
            "consumers that read what is committed wait until an operator writes a marker by hand "
            "(kafka-transactions.sh abort). In the ticket both have the record, and the follower lacks the marker "
            "only. The maintainers' answer is that unclean election and exactly-once do not go together; in the model "
            "no transaction hangs without it."
        ),
        lesson=(
            "An unclean election loses decisions, too. What waits for a decision then waits for ever, unless somebody "
            "decides again."
        ),
    ),
)
