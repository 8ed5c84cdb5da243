"""What producers, coordinators and partitions remember of one transactional id, and the words the rules are told in."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ..language import *

BROKERS = 2
"""Brokers that may be the coordinator: one that is, and one that was or will be."""

PARTITIONS = 2
"""The least number of partitions at which a transaction can be torn."""


@dataclass(frozen=True)
class TransactionalIdBounds(Bounds):
    """How many producers begin how many transactions, and how much goes wrong meanwhile."""

    instances: int = bound(
        2, least=1, most=3, help="the number of producers with the transactional id, one started after another"
    )
    transactions: int = bound(
        2, least=1, most=4, help="the number of transactions", why="each has a set of partitions with each marker"
    )
    last_epoch: int = bound(
        2, least=0, most=5, help="the producer epoch after which a producer gets another id (32,766 in Kafka)"
    )
    producer_ids: int = bound(2, least=1, most=3, help="the number of producer ids")
    failovers: int = bound(1, least=0, most=3, help="how often a coordinator is elected")
    timeouts: int = bound(1, least=0, most=2, help="how often a transaction times out")
    delays: int = bound(
        1, least=0, most=2, help="how often a copy of EndTxn is delayed, and the producer sends another"
    )


B = TransactionalIdBounds

NOTHING = -1
"""No producer id, epoch or transaction (NO_PRODUCER_ID, NO_PRODUCER_EPOCH)."""

Broker = Annotated[Identifier, Identifiers("b", BROKERS)]
DataPartition = Annotated[int, Integers(0, PARTITIONS - 1)]
Instance = Annotated[int, Integers(0, B.instances - 1)]
Transaction = Annotated[int, Integers(0, B.transactions - 1)]
KnownTransaction = Annotated[int, Integers(NOTHING, B.transactions - 1)]
Count = Annotated[int, Integers(0, B.transactions)]
ProducerId = Annotated[int, Integers(0, B.producer_ids - 1)]
KnownProducerId = Annotated[int, Integers(NOTHING, B.producer_ids - 1)]
ProducerEpoch = Annotated[int, Integers(NOTHING, B.last_epoch + 1)]
CoordinatorEpoch = Annotated[int, Integers(0, B.failovers)]
KnownCoordinatorEpoch = Annotated[int, Integers(NOTHING, B.failovers)]


class TransactionState(enum.Enum):
    """What the coordinator's log says of the transactional id (TransactionState)."""

    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"


class TransactionResult(enum.Enum):
    """How a transaction ends (TransactionResult)."""

    COMMIT = "COMMIT"
    ABORT = "ABORT"


class TransactionMetadata(Struct):
    """A record of `__transaction_state`, and what a coordinator has in memory (TransactionMetadata).

    `previous_id` and `next_id` are the producer ids before and after, where one is used up. In memory `partitions`
    are those whose marker has not been acknowledged yet.
    """

    state: TransactionState
    producer_id: KnownProducerId
    previous_id: KnownProducerId
    next_id: KnownProducerId
    epoch: ProducerEpoch
    partitions: Set[DataPartition]


class Office(Struct):
    """What a broker does for the partition of `__transaction_state`.

    `elected` is the coordinator epoch for which it has yet to load the log, and `epoch` that in which it serves. To
    serve and to be the leader are not the same: a broker that has been replaced serves on until it resigns. `pending`:
    the transaction is complete when all markers are acknowledged (transactionsWithPendingMarkers).
    """

    elected: KnownCoordinatorEpoch
    epoch: KnownCoordinatorEpoch
    cache: TransactionMetadata
    pending: bool


class ProducerPhase(enum.Enum):
    """How far a producer is."""

    STOPPED = "not started"
    STARTING = "asks for a producer epoch"
    READY = "is in no transaction"
    SENDING = "is in a transaction"
    ENDING = "waits for the end of its transaction"
    FAILED = "has got a fatal error"


class ProducerInstance(Struct):
    """A producer: the id and the epoch that it was given, its latest transaction, and how it wants that to end.

    `wrote`: some record of the transaction has been acknowledged.
    """

    phase: ProducerPhase
    producer_id: KnownProducerId
    epoch: ProducerEpoch
    transaction: KnownTransaction
    result: TransactionResult
    wrote: bool


class ProducerEntry(Struct):
    """What the leader of a data partition knows of a producer id (ProducerStateEntry); `open` has no marker yet."""

    epoch: ProducerEpoch
    coordinator_epoch: KnownCoordinatorEpoch
    open: Set[Transaction]


class PartitionEntries(Struct):
    """What the leader of a data partition knows of producers (ProducerStateManager)."""

    producers: Map[ProducerId, ProducerEntry]


class DelayedEndTxn(Struct):
    """A copy of EndTxn that is still on its way. Without a result there is none."""

    producer_id: KnownProducerId
    epoch: ProducerEpoch
    result: TransactionResult | None


class TransactionalIdState(Protocol):
    """One transactional id. `leader` and `leader_epoch` are those of its partition of `__transaction_state`.

    `logged` is the last record there. `given` counts producer ids, `begun` transactions: they are numbered as their
    producers begin them, which no broker knows.

    `asked_commit` and `asked_abort` are the transactions whose producer has asked for it, `told_committed` those whose
    producer was told of success. `committed_at` and `aborted_at` say where a transaction has which marker. `fenced`
    are transactions that were taken from their producer: its time was over, or another producer began. `replaced` are
    producers to whom that happened.
    """

    bounds: TransactionalIdBounds

    leader: Broker
    leader_epoch: CoordinatorEpoch
    logged: TransactionMetadata
    offices: Map[Broker, Office]
    given: Annotated[int, Integers(0, B.producer_ids)]
    producers: Map[Instance, ProducerInstance]
    begun: Count
    data: Map[DataPartition, PartitionEntries]
    delayed: DelayedEndTxn
    timed_out: Bookkeeping[Annotated[int, Integers(0, B.timeouts)]]
    sent_again: Bookkeeping[Annotated[int, Integers(0, B.delays)]]
    asked_commit: Ghost[Set[Transaction]]
    asked_abort: Ghost[Set[Transaction]]
    told_committed: Ghost[Set[Transaction]]
    committed_at: Ghost[Map[Transaction, Set[DataPartition]]]
    aborted_at: Ghost[Map[Transaction, Set[DataPartition]]]
    fenced: Ghost[Set[Transaction]]
    replaced: Ghost[Set[Instance]]

    epoch_per_transaction: ClassVar[bool] = True
    """Transactions of version 2 (KIP-890, Kafka 4.0): each has a producer epoch of its own."""

    def initial(self, leader: Broker) -> None:
        """A coordinator that knows the transactional id and has given no epoch yet."""
        self.leader = leader
        self.given = 1
        self.logged.producer_id = 0
        self.logged.previous_id = NOTHING
        self.logged.next_id = NOTHING
        self.logged.epoch = NOTHING
        for broker in self.offices:
            self.forget(broker)
        self.offices[leader].epoch = 0
        self.offices[leader].cache = self.logged
        for producer in self.producers:
            self.producers[producer].producer_id = NOTHING
            self.producers[producer].epoch = NOTHING
            self.producers[producer].transaction = NOTHING
        for partition in self.data:
            for producer_id in self.data[partition].producers:
                self.data[partition].producers[producer_id].epoch = NOTHING
                self.data[partition].producers[producer_id].coordinator_epoch = NOTHING
        self.forget_delayed()

    # -- words ----------------------------------------------------------------------------------------------------

    def forget(self, broker: Identifier) -> None:
        """What a broker has in memory of the transactional id is gone."""
        self.offices[broker].elected = NOTHING
        self.offices[broker].epoch = NOTHING
        self.offices[broker].pending = False
        self.offices[broker].cache = TransactionMetadata(
            state=TransactionState.EMPTY,
            producer_id=NOTHING,
            previous_id=NOTHING,
            next_id=NOTHING,
            epoch=NOTHING,
            partitions=Set(),
        )

    def forget_delayed(self) -> None:
        """No copy of EndTxn is on its way."""
        self.delayed = DelayedEndTxn(producer_id=NOTHING, epoch=NOTHING, result=None)

    def coordinates(self, broker: Identifier) -> bool:
        """Whether a broker is the coordinator: it leads the partition, and has loaded it."""
        return broker == self.leader and self.offices[broker].epoch == self.leader_epoch

    def is_prepared(self, broker: Identifier) -> bool:
        """Whether a broker has a decision whose markers are on their way."""
        return self.offices[broker].cache.state in (TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT)

    def is_exhausted(self, epoch: int) -> bool:
        """Whether no producer may get a greater epoch (isEpochExhausted). One more is there, for fencing."""
        return epoch >= self.bounds.last_epoch
