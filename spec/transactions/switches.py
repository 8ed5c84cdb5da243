"""One rule missing at a time: what each of them is for, and the steps that only it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ..language import (
    Capacity,
    Identifier,
    Integers,
    Log,
    Map,
    Set,
    action,
    bound,
    bounded,
    require,
    view,
)
from .coordinator import EndTxnAnswer
from .state import (
    NOTHING,
    Broker,
    DataPartition,
    Instance,
    KnownCoordinatorEpoch,
    ProducerPhase,
    TransactionMetadata,
    TransactionResult,
    TransactionState,
)
from .transactions import TransactionProtocol, TransactionProtocolV1, Version1Bounds


@dataclass(frozen=True)
class SmallBounds(Version1Bounds):
    """One producer with two transactions, and nothing goes wrong: a bug needs little more to be seen."""

    instances: int = bound(
        1, least=1, most=3, help="the number of producers with the transactional id, one started after another"
    )
    producer_ids: int = bound(3, least=1, most=3, help="the number of producer ids")
    failovers: int = bound(0, least=0, most=3, help="how often a coordinator is elected")
    timeouts: int = bound(0, least=0, most=2, help="how often a transaction times out")


class SmallTransactions(TransactionProtocol):
    """Transactions of version 2 within the bounds at which the rules below are compared."""

    name: ClassVar[str] = "transactions-small"
    bounds: SmallBounds


class SmallTransactionsV1(TransactionProtocolV1):
    """Transactions of version 1 within the bounds at which the rules below are compared."""

    name: ClassVar[str] = "transactions-v1-small"
    bounds: SmallBounds


# -- with transactions of version 1 -----------------------------------------------------------------------------------


class TimeOutFencesNobody(SmallTransactionsV1):
    """Transactions before KAFKA-6119, Kafka 1.0: a time-out aborts with the epoch that the producer has."""

    name: ClassVar[str] = "transactions-timeout-fences-nobody"

    fences_when_time_is_over: ClassVar[bool] = False


class FencesMayFail(SmallTransactionsV1):
    """Transactions of version 1, and the log of the coordinator refuses what it appends for a fence.

    `failed_fence`: the epoch in memory is that of a fence that failed (hasFailedEpochFence).
    """

    name: ClassVar[str] = "transactions-fences-may-fail"

    failed_fence: bool

    @action(by="producer", to="coordinator", says="The abort that would make room for producer {producer} fails")
    def fence_fails(self, producer: Instance) -> None:
        """NOT_ENOUGH_REPLICAS, say. The epoch was raised in memory, which fences whoever has the one before."""
        require(self.producers[producer].phase == ProducerPhase.STARTING and self.coordinates(self.leader))
        require(self.offices[self.leader].cache.state == TransactionState.ONGOING)
        epoch = self.epoch_of_decision(self.offices[self.leader].cache.epoch, True)
        require(epoch <= self.bounds.last_epoch + 1)
        self.offices[self.leader].cache.epoch = epoch
        self.replace_all_but(producer)
        self.note_failed_fence()

    def note_failed_fence(self) -> None:
        """The next fence takes the same epoch: no producer was ever given it."""
        self.failed_fence = True

    def epoch_of_decision(self, epoch: int, fences: bool) -> int:
        """As always, but for a fence after one that failed (prepareFenceProducerEpoch)."""
        return epoch if self.failed_fence else super().epoch_of_decision(epoch, fences)

    def take_office(self, broker: Identifier, record: TransactionMetadata) -> None:
        """As always, with the epoch of the log."""
        super().take_office(broker, record)
        self.failed_fence = False

    def write_log(
        self, state: TransactionState, producer_id: int, next_id: int, epoch: int, partitions: Set[int]
    ) -> None:
        """As always; what is in the log has not failed."""
        super().write_log(state, producer_id, next_id, epoch, partitions)
        self.failed_fence = False

    @view(of="failed fence")
    def failed_fence_in_words(self) -> str:
        """Whether the coordinator has in memory the epoch of a fence that failed."""
        return "its epoch is in memory" if self.failed_fence else ""


class FailedFencesUseUpEpochs(FencesMayFail):
    """Transactions before KAFKA-9666, Kafka 2.6: each fence that fails raises the epoch in memory once more."""

    name: ClassVar[str] = "transactions-failed-fences-use-up-epochs"

    def note_failed_fence(self) -> None:
        """Nothing is noted."""


@dataclass(frozen=True)
class LoadBounds(SmallBounds):
    """As always, and how long the log of the coordinator is."""

    log_size: int = bound(6, least=1, most=12, help="the number of records in the log of the coordinator")


class WholeLoads(SmallTransactionsV1):
    """Transactions of version 1; `records` is the log of the coordinator with all that compaction would remove.

    A broker that is replaced while it loads serves nothing: what it has read may be only a part.
    """

    name: ClassVar[str] = "transactions-whole-loads"
    bounds: LoadBounds

    records: Annotated[Log[TransactionMetadata], Capacity(LoadBounds.log_size)]

    def write_log(
        self, state: TransactionState, producer_id: int, next_id: int, epoch: int, partitions: Set[int]
    ) -> None:
        """As always, after the records that are there."""
        bounded(len(self.records) < self.bounds.log_size)
        super().write_log(state, producer_id, next_id, epoch, partitions)
        self.records.append(self.logged)

    @view(of="__transaction_state")
    def records_in_words(self) -> str:
        """The states of all records."""
        return f"log {' '.join(record.state.value for record in self.records)}" if len(self.records) > 0 else ""


class PartialLoadsAreServed(WholeLoads):
    """Transactions as in every Kafka (X2): who is replaced while it loads serves what it has read by then."""

    name: ClassVar[str] = "transactions-partial-loads-are-served"

    @action(by="broker", says="{broker} is replaced while it loads, and serves the first {number} records")
    def load_part(self, broker: Broker, number: Annotated[int, Integers(1, LoadBounds.log_size)]) -> None:
        """loadTransactionMetadata ends where the broker has no log end offset any more; onResignation comes later.

        Kafka looks at that only between two reads of `transaction.state.log.load.buffer.size`, or at a segment's end:
        PrepareCommit and CompleteCommit must be on two sides of such a boundary. Here the cut may be anywhere.
        """
        require(self.offices[broker].elected != NOTHING and broker != self.leader)
        require(number <= len(self.records))
        self.take_office(broker, self.records[number - 1])


class LateResponses(SmallTransactions):
    """Transactions; an answer to markers may come when its broker is the coordinator again, in another epoch.

    `answers` are the coordinator epochs of markers that were written and whose answer is on its way.
    """

    name: ClassVar[str] = "transactions-late-responses"

    answers: Map[Broker, KnownCoordinatorEpoch]

    def initial(self, leader: Broker) -> None:
        """As always, and no answer is on its way."""
        super().initial(leader)
        for broker in self.answers:
            self.answers[broker] = NOTHING

    def marker_answer_is_lost(self, broker: Broker, partition: DataPartition) -> None:
        """As always, but the answer comes later."""
        super().marker_answer_is_lost(broker, partition)
        self.answers[broker] = self.offices[broker].epoch

    @action(by="broker", says="{broker} gets the answer to markers of an earlier coordinator epoch")
    def late_response(self, broker: Broker) -> None:
        """TransactionMarkerRequestCompletionHandler.onComplete: the entry of that coordinator epoch is removed."""
        require(self.answers[broker] != NOTHING and self.offices[broker].epoch != NOTHING)
        require(self.answers[broker] != self.offices[broker].epoch)
        self.answers[broker] = NOTHING
        self.remove_pending(broker)

    def remove_pending(self, broker: Identifier) -> None:
        """The entry is another one by now, and stays."""

    @view(of="broker")
    def answers_in_words(self, broker: Broker) -> str:
        """Which answer is on its way."""
        epoch = self.answers[broker]
        return f"the answer to markers of e{epoch} is on its way" if epoch != NOTHING else ""


class LateResponsesEndMarkers(LateResponses):
    """Transactions before KAFKA-16352, Kafka 3.8: a late answer removes the entry, whatever its coordinator epoch."""

    name: ClassVar[str] = "transactions-late-responses-end-markers"

    def remove_pending(self, broker: Identifier) -> None:
        """transactionsWithPendingMarkers.remove, or cancelForKey of the purgatory before: by the id alone."""
        self.offices[broker].pending = False


# -- with transactions of version 2 -----------------------------------------------------------------------------------


class EmptyAbortIsFenced(SmallTransactions):
    """Transactions before KAFKA-18464, found before 4.0: the epoch is looked at before the transition under way."""

    name: ClassVar[str] = "transactions-empty-abort-is-fenced"

    def answer_while_prepared(self, epoch: int) -> EndTxnAnswer:
        """Only the epoch of the decision that is under way is known; the next transaction has a greater one."""
        bumped = self.offices[self.leader].cache.epoch == epoch + 1
        return EndTxnAnswer.CONCURRENT if bumped else EndTxnAnswer.REFUSED


class EmptyCommitIsSent(SmallTransactions):
    """Transactions before KAFKA-18401, found before 4.0: the producer commits what it has sent nothing for."""

    name: ClassVar[str] = "transactions-empty-commit-is-sent"

    @action(by="producer", says="Producer {producer} begins a transaction, sends nothing, and commits")
    def commit_nothing(self, producer: Instance) -> None:
        """commitTransaction. With the rule nothing is sent to the coordinator, and nothing happens."""
        require(self.producers[producer].phase == ProducerPhase.READY)
        bounded(self.begun < self.bounds.transactions)
        self.producers[producer].phase = ProducerPhase.ENDING
        self.producers[producer].transaction = self.begun
        self.producers[producer].wrote = False
        self.producers[producer].result = TransactionResult.COMMIT
        self.asked_commit |= {self.begun}
        self.begun += 1


class OverflowIsToldLate(SmallTransactions):
    """Transactions before KAFKA-18660, found before 4.0: EndTxn is answered with the producer id that is used up."""

    name: ClassVar[str] = "transactions-overflow-is-told-late"

    def give_next_epoch(self, producer: int) -> None:
        """The id and the epoch of the decision, although the next transaction has others."""
        self.producers[producer].producer_id = self.offices[self.leader].cache.producer_id
        self.producers[producer].epoch = self.offices[self.leader].cache.epoch


class FencesBumpTwice(SmallTransactions):
    """Transactions of Kafka 4.0.0 (KAFKA-19367): a fence raises the epoch, and its abort raises it once more."""

    name: ClassVar[str] = "transactions-fences-bump-twice"

    def epoch_of_decision(self, epoch: int, fences: bool) -> int:
        """32,766 and two more are no producer epoch."""
        return epoch + 2 if fences else epoch + 1


class FencesKeepTheProducerId(SmallTransactions):
    """Transactions before KAFKA-20090, Kafka 4.3: an abort that fences keeps the producer id with its last epoch."""

    name: ClassVar[str] = "transactions-fences-keep-the-producer-id"

    rotates_when_fencing: ClassVar[bool] = False


class RotationIsNotLogged(SmallTransactions):
    """Transactions before KAFKA-20310, Kafka 4.3: no record has the producer id before, or the next one."""

    name: ClassVar[str] = "transactions-rotation-is-not-logged"

    def leave_out_of_log(self) -> None:
        """TransactionLog.valueToBytes: the two fields are read, and never written."""
        self.logged.previous_id = NOTHING
        self.logged.next_id = NOTHING


class RepeatedMarkersAreRefused(SmallTransactions):
    """Transactions before KAFKA-19999, found before 4.2: a marker must have a newer epoch, even if it came before."""

    name: ClassVar[str] = "transactions-repeated-markers-are-refused"

    takes_repeated_markers: ClassVar[bool] = False


# -- a group's offsets ------------------------------------------------------------------------------------------------

OFFSETS = 1
"""The data partition that is one of `__consumer_offsets`."""


class GroupExpiry(SmallTransactions):
    """Transactions that commit offsets of a group, whose coordinator deletes it when it has none.

    `has_offsets`: a transaction has committed some. `deleted`: the group is gone, and whoever asks for its offsets is
    told that there are none, until more are written.
    """

    name: ClassVar[str] = "transactions-group-expiry"

    has_offsets: bool
    deleted: bool

    @action(by="coordinator", says="The coordinator of the group deletes it, because it has no offsets")
    def delete_group(self) -> None:
        """GroupCoordinatorShard.cleanupGroupMetadata, for a group without members."""
        require(not self.deleted and not self.has_offsets)
        require(self.may_delete())
        self.deleted = True

    def may_delete(self) -> bool:
        """KAFKA-19163, Kafka 4.0.1 and 4.1: no transaction has offsets of the group that are to be decided."""
        return all(len(self.data[OFFSETS].producers[id].open) == 0 for id in self.data[OFFSETS].producers)

    def write(self, producer: Instance, partition: DataPartition) -> None:
        """As always; offsets bring the group back (OffsetMetadataManager.replay)."""
        super().write(producer, partition)
        if partition == OFFSETS:
            self.deleted = False

    def decide(self, transaction: int, partition: int, committed: bool) -> None:
        """As always; offsets of a group that is not there are as good as aborted."""
        found = committed and not (partition == OFFSETS and self.deleted)
        super().decide(transaction, partition, found)
        if found and partition == OFFSETS:
            self.has_offsets = True

    @view(of="group")
    def group_in_words(self) -> str:
        """Whether the group is there, and has offsets."""
        return "deleted" if self.deleted else "has offsets" if self.has_offsets else ""


class PendingOffsetsKeepNoGroup(GroupExpiry):
    """Transactions before KAFKA-19163: offsets that are to be decided do not keep a group that has no others."""

    name: ClassVar[str] = "transactions-pending-offsets-keep-no-group"

    def may_delete(self) -> bool:
        """OffsetMetadataManager.cleanupExpiredOffsets: without committed offsets nothing else is looked at."""
        return True
