"""The log of a transaction coordinator: decisions to commit or to abort, and the markers that carry them out (KIP-98).

The other half of `transactions.py`: there the coordinator is one machine that never fails, here the partitions that the
transaction has written to are.
"""

from __future__ import annotations

import enum
from typing import Annotated

from ...language import Identifier, Integers, Map, Set, action, invariant, reachable, require, view
from ..producer import Producer
from ..rules import NEVER, KraftBug, governed_by
from ..settings import Settings
from ..state import RecordId, Replica

PARTITIONS = 2
"""The least number of partitions at which a transaction can be torn."""

DataPartition = Annotated[int, Integers(0, PARTITIONS - 1)]


class CoordinatorDecision(enum.Enum):
    """What a record of `__transaction_state` says of the transaction."""

    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"


@governed_by(markers_wait_for_replicated_decision=NEVER, only_where_asked_for=True)
class TransactionLog(Producer):
    """The partition is one of `__transaction_state`, and its leader the coordinator of one transaction.

    The transaction has written to two partitions, and is Ongoing for every coordinator in whose log no decision stands.
    `decisions` says what each record is. `committed_at` and `aborted_at` are the partitions that have a marker.
    `told_committed`: the producer knows that its commit has succeeded.
    """

    decisions: Map[RecordId, CoordinatorDecision]
    committed_at: Set[DataPartition]
    aborted_at: Set[DataPartition]
    told_committed: bool

    # -- words ----------------------------------------------------------------------------------------------------

    def decision(self, leader: Identifier) -> CoordinatorDecision:
        """What the first record of a log says."""
        return self.decisions[self.brokers[leader].log[0].id]

    def is_replicated(self, leader: Identifier) -> bool:
        """Whether the high watermark of a coordinator's broker has passed the decision."""
        return self.brokers[leader].hw > 0

    def was_loaded(self, leader: Identifier) -> bool:
        """Whether the decision was there when this coordinator took office.

        TransactionStateManager.loadTransactionMetadata reads the log to its end, not to the high watermark.
        """
        return self.brokers[leader].epoch_start > 0

    def sends_markers(self, leader: Identifier) -> bool:
        """Whether a coordinator carries the decision of its log out.

        One that it has appended waits for the high watermark (appendTransactionToLog). Those that it has loaded are
        carried out at once (loadTransactionsForTxnTopicPartition); by the rule they wait, too.
        """
        waits = self.settings.markers_wait_for_replicated_decision
        return self.is_replicated(leader) or (self.was_loaded(leader) and not waits)

    # -- the coordinator ------------------------------------------------------------------------------------------

    def produce(self, leader: Replica) -> None:
        """Nobody but the coordinator writes to its partition."""
        require(False)

    def decide(self, leader: Identifier, decision: CoordinatorDecision) -> None:
        """A coordinator that has the transaction as Ongoing appends a decision."""
        require(self.presumes_leadership(leader))
        require(self.end(leader) == 0)
        require(self.next_record < self.bounds.records)
        require(self.has_enough_replicas(leader))
        self.decisions[self.next_record] = decision
        self.append(leader, self.next_record)
        self.next_record += 1

    @action(by="producer", to="leader", sends="EndTxn", says="The producer asks {leader} to commit")
    def end_transaction(self, leader: Replica) -> None:
        """TransactionCoordinator.endTransaction."""
        self.decide(leader, CoordinatorDecision.PREPARE_COMMIT)

    @action(by="leader", says="{leader} decides to abort: the transaction timed out, or a new producer fences it")
    def abort_transaction(self, leader: Replica) -> None:
        """TransactionCoordinator.abortTimedOutTransactions; or prepareInitProducerIdTransit of a producer's restart."""
        self.decide(leader, CoordinatorDecision.PREPARE_ABORT)

    @action(
        by="leader", to="producer", sends="EndTxn response", says="{leader} tells the producer that it is committed"
    )
    def answer_commit(self, leader: Replica) -> None:
        """The decision is replicated. The markers follow; the answer does not wait for them."""
        require(self.presumes_leadership(leader) and not self.told_committed)
        require(self.end(leader) > 0 and self.is_replicated(leader))
        require(self.decision(leader) == CoordinatorDecision.PREPARE_COMMIT)
        self.told_committed = True

    @action(by="leader", says="{leader} writes the marker to partition {partition}")
    def write_marker(self, leader: Replica, partition: DataPartition) -> None:
        """WriteTxnMarkers (TransactionMarkerChannelManager). Where the transaction has a marker, another has no effect.

        Nothing is open there any more: since 4.2 that is a retry (KAFKA-19999), whatever the kind of the marker.
        """
        require(self.presumes_leadership(leader))
        require(self.end(leader) > 0 and self.sends_markers(leader))
        require(partition not in self.committed_at | self.aborted_at)
        if self.decision(leader) == CoordinatorDecision.PREPARE_COMMIT:
            self.committed_at |= {partition}
        else:
            self.aborted_at |= {partition}

    # -- what must hold -------------------------------------------------------------------------------------------

    @invariant
    def atomic(self) -> bool:
        """A transaction is committed at all of its partitions, or at none."""
        return len(self.committed_at) == 0 or len(self.aborted_at) == 0

    @invariant
    def told_is_kept(self) -> bool:
        """A transaction whose producer was told that it is committed is aborted nowhere."""
        return not self.told_committed or len(self.aborted_at) == 0

    @reachable
    def transaction_completes(self) -> bool:
        """The producer is told, and every partition has the marker."""
        return self.told_committed and len(self.committed_at) == PARTITIONS

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="partitions of the transaction")
    def markers_in_words(self) -> str:
        """Which marker each partition of the transaction has."""
        markers = [
            f"{partition}: {'COMMIT' if partition in self.committed_at else 'ABORT'}"
            for partition in sorted(self.committed_at | self.aborted_at)
        ]
        return f"markers at partition {', '.join(markers)}" if markers else ""

    @view(of="transaction")
    def decisions_in_words(self) -> str:
        """What the records of the log decide."""
        return ", ".join(f"r{id} is {self.decisions[id].value}" for id in self.decisions if id < self.next_record)

    @view(of="producer")
    def told_in_words(self) -> str:
        """What the producer was told."""
        return "told that its transaction is committed" if self.told_committed else ""


BUGS = (
    KraftBug(
        id="X1",
        title="A new coordinator carries out a decision that is not replicated, and its successor decides otherwise",
        tickets=("TransactionStateManager.loadTransactionMetadata; no ticket known", "KIP-98"),
        versions="3.0 to 4.4",
        faulty=Settings(markers_wait_for_replicated_decision=False),
        properties=("atomic", "told_is_kept"),
        bounds={
            "replication_factor": 3,
            "records": 2,
            "max_epoch": 2,
            "metadata_lag": 2,
            "fencings": 1,
            "elections": 1,
        },
        story=(
            "b1 is the coordinator and appends the decision to commit; b2 copies it, b3 does not yet, so nobody is "
            "told. b2 becomes leader of the partition of __transaction_state by a clean election. It loads the log to "
            "the end, not to the high watermark, finds PrepareCommit, and sends the markers at once: one partition of "
            "the transaction is committed. Before b3 fetches, b3 becomes leader, in the ISR and cleanly, without the "
            "record. For b3 the transaction is Ongoing; the producer begins anew, or its time is over, and b3 aborts: "
            "the other partition gets ABORT. At the first one an ABORT has no effect any more. The other way round, "
            "the decision of b1 is the abort of a time-out, and b3 tells the living producer that its commit has "
            "succeeded. Running brokers have done both, and a read_committed consumer got one half of the transaction."
        ),
        lesson="Whoever takes office may read what is not replicated yet, and must not act on it before it is.",
        shown_on=("3.9.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"),
    ),
)
