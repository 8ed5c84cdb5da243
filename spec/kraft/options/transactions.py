"""One transactional producer and its coordinator (KIP-98): records, and the marker that decides them.

Transactions of one partition, one after the other: the coordinator is one machine that never fails.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from ...language import Identifier, Integers, Map, Struct, action, bound, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..follower import Follower
from ..producer import Producer
from ..settings import Acks
from ..state import KnownOffset, KraftBounds, RecordId, Replica

NOTHING = -1
"""No record."""


@dataclass(frozen=True)
class TransactionBounds(KraftBounds):
    """As always, and how many transactions the producer begins."""

    transactions: int = bound(1, least=1, most=3, help="the number of transactions that the producer begins")


Count = Annotated[int, Integers(0, TransactionBounds.transactions)]
Transaction = Annotated[int, Integers(0, TransactionBounds.transactions - 1)]


class Kind(enum.Enum):
    """What a record is: one of the application's, or a control record that ends a transaction."""

    DATA = "data"
    COMMIT = "commit"
    ABORT = "abort"


class Outcome(enum.Enum):
    """How a transaction ends."""

    COMMIT = "commit"
    ABORT = "abort"


class Content(Struct, text="{kind} of transaction {transaction}"):
    """What a record holds, beside what replication looks at."""

    kind: Kind
    transaction: Transaction


class Transactions(BrokerLifecycle, Producer, Follower):
    """TransactionCoordinator, and what a leader asks before it appends (UnifiedLog.analyzeAndValidateProducerState).

    `begun` and `finished` count transactions, as the coordinator knows them: one is ongoing, or being ended, if they
    differ. `marker` is the control record that it writes until it is acknowledged, -1 if the transaction goes on.
    `delayed` is a batch of the transaction `delayed_in` that has reached no leader yet. `contents` says what each
    record is.
    """

    bounds: TransactionBounds

    contents: Map[RecordId, Content]
    begun: Count
    finished: Count
    marker: KnownOffset
    delayed: KnownOffset
    delayed_in: Transaction

    def initial(self, leader: Replica) -> None:
        """As always; no marker is to be written, and no batch on its way."""
        super().initial(leader)
        self.marker = NOTHING
        self.delayed = NOTHING

    # -- words ----------------------------------------------------------------------------------------------------

    def is_ongoing(self) -> bool:
        """Whether the coordinator has the partition in a transaction that is not to be ended (Ongoing)."""
        return self.begun > self.finished and self.marker == NOTHING

    def has_batch(self, r: Identifier, id: int) -> bool:
        """Whether r's log has this record."""
        return any(record.id == id for record in self.brokers[r].log)

    def is_marker(self, id: int) -> bool:
        """Whether a record ends a transaction."""
        return self.contents[id].kind != Kind.DATA

    def is_decided(self, r: Identifier, offset: int, end: int) -> bool:
        """Whether in r's log a marker follows the record at this offset, before `end`."""
        log = self.brokers[r].log
        return any(self.is_marker(log[later].id) for later in range(offset + 1, end))

    def has_open_transaction(self, r: Identifier) -> bool:
        """UnifiedLog.hasOngoingTransaction: no marker follows some record of r's log."""
        log = self.brokers[r].log
        return any(
            not self.is_marker(log[offset].id) and not self.is_decided(r, offset, len(log))
            for offset in range(len(log))
        )

    def transactions_ended_in(self, r: Identifier) -> int:
        """How many transactions are over, for all that r's log says."""
        return max(
            (self.contents[record.id].transaction + 1 for record in self.brokers[r].log if self.is_marker(record.id)),
            default=0,
        )

    def append(self, leader: Identifier, id: int) -> None:
        """As always, if the model's log has room: copies of markers need some."""
        require(self.end(leader) < self.bounds.records)
        super().append(leader, id)

    # -- the producer ---------------------------------------------------------------------------------------------

    @action(
        by="producer",
        to="coordinator",
        sends="AddPartitionsToTxn",
        says="The producer begins a transaction",
    )
    def begin_transaction(self) -> None:
        """AddPartitionsToTxn: the coordinator knows that the partition takes part. It needs acks=all."""
        require(self.settings.acks == Acks.ALL)
        require(self.begun == self.finished and self.begun < self.bounds.transactions)
        self.begun += 1

    def produce(self, leader: Replica) -> None:
        """As always, within a transaction."""
        require(self.is_ongoing())
        if self.next_record < self.bounds.records:
            self.contents[self.next_record].transaction = self.finished
        super().produce(leader)

    @action(by="producer", says="A batch of the transaction is delayed on its way")
    def delay_request(self) -> None:
        """The producer gives up waiting for its answer, and may end the transaction; the batch may arrive later."""
        require(self.is_ongoing() and self.delayed == NOTHING)
        require(self.next_record < self.bounds.records)
        self.delayed = self.next_record
        self.delayed_in = self.finished
        self.contents[self.next_record].transaction = self.finished
        self.next_record += 1

    @action(by="producer", to="leader", sends="Produce", says="The delayed batch reaches {leader}, who appends it")
    def arrive(self, leader: Replica) -> None:
        """Partition.appendRecordsToLeader, later than its producer thinks.

        KIP-890: a leader in whose log no transaction is open asks the coordinator first. With transactions of version 2
        each transaction has a producer epoch of its own, and a leader fences those of former ones (KIP-890, part 2).
        """
        require(self.delayed != NOTHING)
        require(self.presumes_leadership(leader))
        require(self.has_enough_replicas(leader))
        if self.settings.transactions_verified:
            require(self.has_open_transaction(leader) or self.is_ongoing())
        if self.settings.epoch_per_transaction:
            require(self.transactions_ended_in(leader) <= self.delayed_in)
        self.append(leader, self.delayed)
        self.delayed = NOTHING
        self.delayed_in = 0

    # -- the coordinator ------------------------------------------------------------------------------------------

    @action(
        by="producer",
        to="coordinator",
        sends="EndTxn",
        says="The producer asks the coordinator to {outcome} the transaction",
    )
    def end_transaction(self, outcome: Outcome) -> None:
        """EndTxn: the coordinator has decided as soon as its own log says so (PrepareCommit, PrepareAbort)."""
        require(self.is_ongoing())
        require(self.next_record < self.bounds.records)
        self.contents[self.next_record].kind = Kind.COMMIT if outcome == Outcome.COMMIT else Kind.ABORT
        self.contents[self.next_record].transaction = self.finished
        self.marker = self.next_record
        self.next_record += 1

    @action(
        by="coordinator",
        to="leader",
        sends="WriteTxnMarkers",
        says="The coordinator writes the marker at {leader}",
        fair="weak",
    )
    def write_marker(self, leader: Replica) -> None:
        """WriteTxnMarkers, to whoever presumes leadership, until it is acknowledged (TransactionMarkerChannelManager).

        Markers are written with acks=all. If they need not be acknowledged, the transaction is complete at once.
        """
        require(self.marker != NOTHING)
        require(self.presumes_leadership(leader) and not self.has_batch(leader, self.marker))
        require(self.has_enough_replicas(leader))
        self.append(leader, self.marker)
        if not self.settings.markers_acknowledged:
            self.complete()

    @action(
        by="coordinator",
        to="leader",
        sends="WriteTxnMarkers",
        says="A copy of an earlier marker reaches {leader} late",
    )
    def repeat_marker(self, leader: Replica) -> None:
        """WriteTxnMarkers is sent again when its connection ends; a copy may arrive after the next transaction began.

        It decides what is open then: both have the same producer epoch. KIP-1228 refuses a marker whose epoch the
        leader knows already, if something is open (ProducerAppendInfo.checkProducerEpoch).
        """
        require(not self.settings.late_markers_refused)
        require(self.presumes_leadership(leader) and self.has_open_transaction(leader))
        require(self.is_ongoing() and self.finished > 0)
        require(self.has_enough_replicas(leader))
        self.append(leader, self.last_marker())

    def last_marker(self) -> int:
        """The marker of the transaction that the coordinator completed last."""
        return next(
            id for id in self.contents if self.is_marker(id) and self.contents[id].transaction == self.finished - 1
        )

    @action(
        by="leader",
        to="coordinator",
        sends="WriteTxnMarkers response",
        says="{leader} acknowledges the marker",
        fair="weak",
    )
    def acknowledge_marker(self, leader: Replica) -> None:
        """The high watermark has passed the marker (DelayedProduce); the coordinator will not write it again."""
        require(self.marker != NOTHING)
        require(self.presumes_leadership(leader))
        require(len(self.maximal_isr(leader)) >= self.leader_min_isr(leader))
        require(any(self.brokers[leader].log[offset].id == self.marker for offset in range(self.brokers[leader].hw)))
        self.complete()

    def complete(self) -> None:
        """CompleteCommit or CompleteAbort: the next transaction may begin."""
        self.marker = NOTHING
        self.finished += 1

    # -- in words -------------------------------------------------------------------------------------------------

    def acknowledged_in_words(self) -> str:
        """As always; of a marker the producer is told nothing."""
        told = " ".join(f"r{id}" for id in self.acknowledged if not self.is_marker(id))
        return f"told of success: {told}" if told else ""

    @view(of="transaction")
    def transaction_in_words(self, transaction: Transaction) -> str:
        """How far the coordinator is with a transaction (TransactionState), and the records that belong to it."""
        if transaction >= self.begun:
            return ""
        ids = [id for id in range(self.next_record) if self.contents[id].transaction == transaction]
        ends = [id for id in ids if self.is_marker(id)]
        outcome = "Abort" if any(self.contents[id].kind == Kind.ABORT for id in ends) else "Commit"
        ending = "Complete" if transaction < self.finished else "Prepare"
        state = "Ongoing" if transaction == self.finished and self.is_ongoing() else f"{ending}{outcome}"
        records = " ".join(f"r{id}" for id in ids if id not in ends)
        markers = " ".join(f"r{id}" for id in ends)
        return "; ".join([state, *([records] if records else []), *([f"marker {markers}"] if markers else [])])

    @view(of="on its way")
    def delayed_in_words(self) -> str:
        """The batch that is delayed."""
        return f"r{self.delayed} of transaction {self.delayed_in}" if self.delayed != NOTHING else ""
