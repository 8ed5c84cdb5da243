"""What a coordinator decides, writes to its log, and does when it takes office (TransactionCoordinator)."""

from __future__ import annotations

import enum
from typing import ClassVar

from ..language import Identifier, Set, action, bounded, require
from .state import (
    NOTHING,
    Broker,
    Instance,
    ProducerPhase,
    TransactionalIdState,
    TransactionMetadata,
    TransactionResult,
    TransactionState,
)


class EndTxnAnswer(enum.Enum):
    """What a coordinator answers to EndTxn."""

    DECIDES = "the transaction is decided by it"
    DONE = "it was decided so before"
    CONCURRENT = "CONCURRENT_TRANSACTIONS: try again"
    REFUSED = "PRODUCER_FENCED, INVALID_PRODUCER_ID_MAPPING or INVALID_TXN_STATE: fatal"


class Coordinator(TransactionalIdState):
    """The state machine of a transactional id, and the log that it is loaded from after a failover.

    A step that needs the log is taken by the leader alone: what another broker appends is never replicated.
    """

    fences_when_time_is_over: ClassVar[bool] = True
    """KAFKA-6119, Kafka 1.0: a time-out fences the producer, by a greater epoch."""

    rotates_when_fencing: ClassVar[bool] = True
    """KAFKA-20090, Kafka 4.3: an abort that fences takes the next producer id as well, if the epochs are used up."""

    # -- words ----------------------------------------------------------------------------------------------------

    def is_asked_by_its_producer(self, producer_id: int, epoch: int) -> bool:
        """Whether the coordinator knows the producer id with this epoch as the current one."""
        cache = self.offices[self.leader].cache
        return self.coordinates(self.leader) and cache.producer_id == producer_id and cache.epoch == epoch

    def answer_to_end(self, producer_id: int, epoch: int, result: TransactionResult) -> EndTxnAnswer:
        """TransactionCoordinator.endTransaction, version 2.

        A decision raises the epoch. So a request with the epoch before is a retry, and one with the current epoch is
        about the next transaction: that may be aborted before any partition was added.
        """
        cache = self.offices[self.leader].cache
        completed = cache.state in (TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT)
        rotated = cache.previous_id == producer_id and epoch == self.bounds.last_epoch and cache.epoch == 0
        retries = completed and (rotated or (cache.producer_id == producer_id and cache.epoch == epoch + 1))
        if self.is_prepared(self.leader):
            return self.answer_while_prepared(epoch)
        if not retries and not (cache.producer_id == producer_id and cache.epoch == epoch):
            return EndTxnAnswer.REFUSED
        if cache.state == TransactionState.ONGOING:
            return EndTxnAnswer.DECIDES
        if retries:
            return EndTxnAnswer.DONE if self.was_decided_as(result) else EndTxnAnswer.REFUSED
        return EndTxnAnswer.DECIDES if result == TransactionResult.ABORT else EndTxnAnswer.REFUSED

    def answer_while_prepared(self, epoch: int) -> EndTxnAnswer:
        """KAFKA-18464, Kafka 4.0: the transition under way is looked at before the epoch of the request."""
        return EndTxnAnswer.CONCURRENT

    def was_decided_as(self, result: TransactionResult) -> bool:
        """Whether the transaction that is complete ended as a request asks."""
        done = (
            TransactionState.COMPLETE_COMMIT if result == TransactionResult.COMMIT else TransactionState.COMPLETE_ABORT
        )
        return self.offices[self.leader].cache.state == done

    def epoch_of_decision(self, epoch: int, fences: bool) -> int:
        """The epoch of a decision and of its markers: with version 2 a new one, whoever decides (prepareAbortOrCommit).

        With version 1 a decision has a new one only if it fences. KAFKA-19367, Kafka 4.0.1: one that fences has not
        two new ones.
        """
        return epoch + 1 if fences or self.epoch_per_transaction else epoch

    # -- the log --------------------------------------------------------------------------------------------------

    def write_log(
        self, state: TransactionState, producer_id: int, next_id: int, epoch: int, partitions: Set[int]
    ) -> None:
        """TransactionStateManager.appendTransactionToLog: replicated at once, or else nothing has happened."""
        self.offices[self.leader].cache = TransactionMetadata(
            state=state,
            producer_id=producer_id,
            previous_id=self.offices[self.leader].cache.producer_id,
            next_id=next_id,
            epoch=epoch,
            partitions=partitions,
        )
        self.logged = self.offices[self.leader].cache
        self.leave_out_of_log()

    def leave_out_of_log(self) -> None:
        """KAFKA-20310, Kafka 4.3: nothing is left out, the producer ids before and after neither."""

    def add_partition(self, partition: int) -> None:
        """TransactionCoordinator.handleAddPartitionsToTransaction, if the partition is not in the transaction yet."""
        cache = self.offices[self.leader].cache
        if cache.state != TransactionState.ONGOING or partition not in cache.partitions:
            self.write_log(
                TransactionState.ONGOING, cache.producer_id, NOTHING, cache.epoch, cache.partitions | {partition}
            )

    def prepare(self, result: TransactionResult, fences: bool) -> None:
        """PrepareCommit or PrepareAbort. With version 2 that may use up the epochs of the producer id."""
        cache = self.offices[self.leader].cache
        epoch = self.epoch_of_decision(cache.epoch, fences)
        require(epoch <= self.bounds.last_epoch + 1)
        rotates = (
            self.epoch_per_transaction and self.is_exhausted(cache.epoch) and (self.rotates_when_fencing or not fences)
        )
        if rotates:
            bounded(self.given < self.bounds.producer_ids)
        state = (
            TransactionState.PREPARE_COMMIT if result == TransactionResult.COMMIT else TransactionState.PREPARE_ABORT
        )
        self.write_log(state, cache.producer_id, self.given if rotates else NOTHING, epoch, cache.partitions)
        self.offices[self.leader].pending = True
        if rotates:
            self.given += 1

    def give_next_epoch(self, producer: int) -> None:
        """The answer to EndTxn says with which id and epoch the producer goes on (KAFKA-18660: after rotation, too)."""
        cache = self.offices[self.leader].cache
        self.producers[producer].producer_id = cache.producer_id if cache.next_id == NOTHING else cache.next_id
        self.producers[producer].epoch = cache.epoch if cache.next_id == NOTHING else 0

    # -- new producers, and those whose time is over --------------------------------------------------------------

    @action(
        by="producer",
        to="coordinator",
        sends="InitProducerId",
        receives="InitProducerId response",
        says="Producer {producer} gets its epoch",
        fair="weak",
    )
    def init_producer_id(self, producer: Instance) -> None:
        """TransactionCoordinator.prepareInitProducerIdTransit: fences whoever was there before."""
        require(self.producers[producer].phase == ProducerPhase.STARTING and self.coordinates(self.leader))
        require(not self.is_prepared(self.leader))
        cache = self.offices[self.leader].cache
        require(cache.state != TransactionState.ONGOING)
        rotates = self.is_exhausted(cache.epoch)
        if rotates:
            bounded(self.given < self.bounds.producer_ids)
        producer_id = self.given if rotates else cache.producer_id
        epoch = 0 if rotates else cache.epoch + 1
        self.write_log(TransactionState.EMPTY, producer_id, NOTHING, epoch, Set())
        if rotates:
            self.given += 1
        self.producers[producer].phase = ProducerPhase.READY
        self.producers[producer].producer_id = producer_id
        self.producers[producer].epoch = epoch
        self.replace_all_but(producer)
        self.fenced |= Set(range(self.begun))

    @action(
        by="producer",
        to="coordinator",
        sends="InitProducerId",
        says="Producer {producer} asks for an epoch, and the coordinator aborts what goes on",
        fair="weak",
    )
    def init_fences(self, producer: Instance) -> None:
        """InitProducerId while a transaction goes on: that is aborted, and CONCURRENT_TRANSACTIONS answered."""
        require(self.producers[producer].phase == ProducerPhase.STARTING and self.coordinates(self.leader))
        require(self.offices[self.leader].cache.state == TransactionState.ONGOING)
        self.fence()
        self.replace_all_but(producer)

    @action(by="coordinator", says="The transaction times out, and the coordinator aborts it")
    def time_out(self) -> None:
        """TransactionCoordinator.abortTimedOutTransactions, after `transaction.timeout.ms`."""
        require(self.coordinates(self.leader))
        require(self.offices[self.leader].cache.state == TransactionState.ONGOING)
        bounded(self.timed_out < self.bounds.timeouts)
        self.timed_out += 1
        self.take_from_its_producer()
        if self.fences_when_time_is_over:
            self.fence()
        else:
            self.prepare(TransactionResult.ABORT, fences=False)

    def fence(self) -> None:
        """An abort with which the producer's epoch is over (prepareFenceProducerEpoch)."""
        self.prepare(TransactionResult.ABORT, fences=True)

    def replace_all_but(self, producer: int) -> None:
        """Whoever else has an epoch may be fenced from now on."""
        self.replaced |= Set(p for p in self.producers if p != producer and self.producers[p].epoch != NOTHING)

    def take_from_its_producer(self) -> None:
        """What goes on is its producer's no more."""
        cache = self.offices[self.leader].cache
        for p in self.producers:
            own = self.producers[p]
            current = own.producer_id == cache.producer_id and own.epoch == cache.epoch
            if current and own.wrote and own.phase in (ProducerPhase.SENDING, ProducerPhase.ENDING):
                self.replaced |= {p}
                self.fenced |= {own.transaction}

    # -- office ---------------------------------------------------------------------------------------------------

    @action(by="controller", to="broker", says="{broker} is elected coordinator")
    def elect(self, broker: Broker) -> None:
        """Another leader, in another epoch. What it has in memory of an earlier one is dropped (onElection)."""
        require(broker != self.leader)
        bounded(self.leader_epoch < self.bounds.failovers)
        self.leader_epoch += 1
        self.leader = broker
        self.forget(broker)
        self.offices[broker].elected = self.leader_epoch

    @action(by="broker", says="{broker} has loaded the log, and sends the markers of what is decided", fair="weak")
    def load_log(self, broker: Broker) -> None:
        """TransactionStateManager.loadTransactionsForTxnTopicPartition: all of the log, or nothing."""
        require(self.offices[broker].elected != NOTHING and broker == self.leader)
        self.take_office(broker, self.logged)

    def take_office(self, broker: Identifier, record: TransactionMetadata) -> None:
        """The coordinator knows the transactional id by this record."""
        self.offices[broker].epoch = self.offices[broker].elected
        self.offices[broker].elected = NOTHING
        self.offices[broker].cache = record
        self.offices[broker].pending = self.is_prepared(broker)

    @action(by="broker", says="{broker} resigns")
    def resign(self, broker: Broker) -> None:
        """TransactionCoordinator.onResignation, some time after another broker was elected."""
        require(broker != self.leader)
        require(self.offices[broker].epoch != NOTHING or self.offices[broker].elected != NOTHING)
        self.forget(broker)
