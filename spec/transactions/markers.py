"""Markers: how a decision reaches the partitions (TransactionMarkerChannelManager, ProducerAppendInfo)."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, Set, action, require
from .producer import TransactionalProducer
from .state import NOTHING, Broker, DataPartition, TransactionState


class Markers(TransactionalProducer):
    """A coordinator sends markers until they are acknowledged, also one that has been replaced and does not know it."""

    takes_repeated_markers: ClassVar[bool] = True
    """KAFKA-19999, Kafka 4.2: a marker whose epoch the partition has, with nothing open, is one that came before."""

    # -- words ----------------------------------------------------------------------------------------------------

    def is_due(self, broker: Identifier, partition: int) -> bool:
        """Whether a broker has a marker for a partition."""
        return self.is_prepared(broker) and partition in self.offices[broker].cache.partitions

    def takes_marker(self, broker: Identifier, partition: int) -> bool:
        """Whether the partition's leader takes the marker (checkProducerEpoch, checkCoordinatorEpoch).

        A coordinator epoch is compared with that of the last marker, if there was one for this producer.
        """
        marker = self.offices[broker].cache
        entry = self.data[partition].producers[marker.producer_id]
        if self.offices[broker].epoch < entry.coordinator_epoch:
            return False
        if not self.epoch_per_transaction:
            return marker.epoch >= entry.epoch
        repeated = self.takes_repeated_markers and marker.epoch == entry.epoch and len(entry.open) == 0
        return marker.epoch > entry.epoch or repeated

    def append_marker(self, broker: Identifier, partition: int) -> None:
        """It decides whatever is open of its producer id."""
        marker = self.offices[broker].cache
        entry = self.data[partition].producers[marker.producer_id]
        for transaction in entry.open:
            self.decide(transaction, partition, marker.state == TransactionState.PREPARE_COMMIT)
        entry.open = Set()
        entry.epoch = marker.epoch
        entry.coordinator_epoch = self.offices[broker].epoch

    def decide(self, transaction: int, partition: int, committed: bool) -> None:
        """Consumers with `isolation.level=read_committed` see what is committed, and skip what is aborted."""
        if committed:
            self.committed_at[transaction] |= {partition}
        else:
            self.aborted_at[transaction] |= {partition}

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(
        by="broker",
        to="partition",
        sends="WriteTxnMarkers",
        receives="WriteTxnMarkers response",
        says="{broker} writes the marker to partition {partition}",
        fair="weak",
    )
    def write_marker(self, broker: Broker, partition: DataPartition) -> None:
        """WriteTxnMarkers, acknowledged: the coordinator needs it there no more."""
        require(self.is_due(broker, partition) and self.takes_marker(broker, partition))
        self.append_marker(broker, partition)
        self.offices[broker].cache.partitions -= {partition}

    @action(
        by="broker",
        to="partition",
        sends="WriteTxnMarkers",
        says="{broker} writes the marker to partition {partition}, and the answer is lost",
    )
    def marker_answer_is_lost(self, broker: Broker, partition: DataPartition) -> None:
        """The marker is written again."""
        require(self.is_due(broker, partition) and self.takes_marker(broker, partition))
        self.append_marker(broker, partition)

    @action(
        by="broker",
        to="partition",
        sends="WriteTxnMarkers",
        receives="WriteTxnMarkers response",
        says="Partition {partition} refuses the marker of {broker}, which gives it up",
    )
    def marker_is_refused(self, broker: Broker, partition: DataPartition) -> None:
        """INVALID_PRODUCER_EPOCH or TRANSACTION_COORDINATOR_FENCED: the coordinator never sends it again."""
        require(self.is_due(broker, partition) and not self.takes_marker(broker, partition))
        self.offices[broker].pending = False

    @action(by="coordinator", says="All markers are acknowledged: the transaction is complete", fair="weak")
    def complete(self) -> None:
        """CompleteCommit or CompleteAbort, with the next producer id, if there is one (prepareComplete)."""
        require(self.coordinates(self.leader) and self.is_prepared(self.leader) and self.offices[self.leader].pending)
        cache = self.offices[self.leader].cache
        require(len(cache.partitions) == 0)
        committed = cache.state == TransactionState.PREPARE_COMMIT
        rotates = cache.next_id != NOTHING
        self.offices[self.leader].pending = False
        self.write_log(
            TransactionState.COMPLETE_COMMIT if committed else TransactionState.COMPLETE_ABORT,
            cache.next_id if rotates else cache.producer_id,
            NOTHING,
            0 if rotates else cache.epoch,
            Set(),
        )
