"""What a producer does: begin, write, and ask for the end until it is answered."""

from __future__ import annotations

from ..language import action, bounded, require
from .coordinator import Coordinator, EndTxnAnswer
from .state import NOTHING, DataPartition, DelayedEndTxn, Instance, ProducerPhase, TransactionResult


class TransactionalProducer(Coordinator):
    """KafkaProducer with a `transactional.id`. A producer that gives up takes no more steps; another may start."""

    @action(by="producer", says="Producer {producer} starts")
    def start(self, producer: Instance) -> None:
        """After those before it had their epochs. They may live on: zombies, which do not know it."""
        require(self.producers[producer].phase == ProducerPhase.STOPPED)
        require(all(self.producers[p].epoch != NOTHING for p in self.producers if p < producer))
        self.producers[producer].phase = ProducerPhase.STARTING

    @action(by="producer", says="Producer {producer} begins a transaction and sends its first record")
    def begin_transaction(self, producer: Instance) -> None:
        """KafkaProducer.beginTransaction and send: no broker has heard of the transaction yet."""
        require(self.producers[producer].phase == ProducerPhase.READY)
        bounded(self.begun < self.bounds.transactions)
        self.producers[producer].phase = ProducerPhase.SENDING
        self.producers[producer].transaction = self.begun
        self.producers[producer].wrote = False
        self.begun += 1

    @action(by="producer", to="leader", sends="Produce", says="Producer {producer} writes to partition {partition}")
    def write(self, producer: Instance, partition: DataPartition) -> None:
        """The first record there: the coordinator adds the partition to the transaction, and the leader appends.

        With version 1 the producer asks for that (AddPartitionsToTxn), and since 3.6 the leader verifies it; with
        version 2 the leader asks. One step here: batches that come later are in spec/kraft/options/transactions.py.
        """
        own = self.producers[producer]
        require(own.phase == ProducerPhase.SENDING)
        require(self.is_asked_by_its_producer(own.producer_id, own.epoch) and not self.is_prepared(self.leader))
        entry = self.data[partition].producers[own.producer_id]
        require(own.transaction not in entry.open)
        require(own.epoch >= entry.epoch)
        self.add_partition(partition)
        entry.open |= {own.transaction}
        entry.epoch = own.epoch
        own.wrote = True

    @action(
        by="producer", to="leader", receives="Produce response", says="Producer {producer} is told that it is fenced"
    )
    def be_refused(self, producer: Instance) -> None:
        """PRODUCER_FENCED or INVALID_PRODUCER_ID_MAPPING from the coordinator, which answers a transition first."""
        require(self.producers[producer].phase == ProducerPhase.SENDING)
        require(self.coordinates(self.leader) and not self.is_prepared(self.leader))
        require(not self.is_asked_by_its_producer(self.producers[producer].producer_id, self.producers[producer].epoch))
        self.producers[producer].phase = ProducerPhase.FAILED

    @action(by="producer", says="Producer {producer} asks the coordinator to {result}")
    def end_transaction(self, producer: Instance, result: TransactionResult) -> None:
        """commitTransaction, when all records are acknowledged, or abortTransaction at any time.

        Nothing is sent for a transaction of which the coordinator has not heard: of version 1, if no partition was
        added. With version 2 the client does not know that.
        """
        require(self.producers[producer].phase == ProducerPhase.SENDING)
        if result == TransactionResult.COMMIT:
            require(self.producers[producer].wrote)
            self.asked_commit |= {self.producers[producer].transaction}
        else:
            self.asked_abort |= {self.producers[producer].transaction}
        if self.producers[producer].wrote or self.epoch_per_transaction:
            self.producers[producer].phase = ProducerPhase.ENDING
            self.producers[producer].result = result
        else:
            self.producers[producer].phase = ProducerPhase.READY

    @action(
        by="producer",
        to="coordinator",
        sends="EndTxn",
        receives="EndTxn response",
        says="The coordinator answers producer {producer}",
        fair="weak",
    )
    def end_is_answered(self, producer: Instance) -> None:
        """EndTxn, sent until there is an answer other than CONCURRENT_TRANSACTIONS, which says to try again."""
        require(self.producers[producer].phase == ProducerPhase.ENDING and self.coordinates(self.leader))
        result = self.producers[producer].result
        answer = self.answer_to_end(self.producers[producer].producer_id, self.producers[producer].epoch, result)
        require(answer != EndTxnAnswer.CONCURRENT)
        if answer == EndTxnAnswer.REFUSED:
            self.producers[producer].phase = ProducerPhase.FAILED
        else:
            if answer == EndTxnAnswer.DECIDES:
                self.prepare(result, fences=False)
            self.producers[producer].phase = ProducerPhase.READY
            self.replaced -= {producer}
            if result == TransactionResult.COMMIT:
                self.told_committed |= {self.producers[producer].transaction}
            if self.epoch_per_transaction:
                self.give_next_epoch(producer)

    @action(
        by="producer",
        to="coordinator",
        sends="EndTxn",
        says="The coordinator decides as producer {producer} asks, and the answer is lost",
    )
    def end_answer_is_lost(self, producer: Instance) -> None:
        """The producer asks again; to another coordinator, if there is one by then."""
        require(self.producers[producer].phase == ProducerPhase.ENDING and self.coordinates(self.leader))
        result = self.producers[producer].result
        answer = self.answer_to_end(self.producers[producer].producer_id, self.producers[producer].epoch, result)
        require(answer == EndTxnAnswer.DECIDES)
        self.prepare(result, fences=False)

    @action(by="producer", says="EndTxn of producer {producer} is delayed on its way, and sent again")
    def end_is_delayed(self, producer: Instance) -> None:
        """`request.timeout.ms` is over, or the coordinator's connection: the copy may arrive much later."""
        require(self.producers[producer].phase == ProducerPhase.ENDING and self.delayed.result is None)
        bounded(self.sent_again < self.bounds.delays)
        self.sent_again += 1
        self.delayed = DelayedEndTxn(
            producer_id=self.producers[producer].producer_id,
            epoch=self.producers[producer].epoch,
            result=self.producers[producer].result,
        )

    @action(by="producer", to="coordinator", sends="EndTxn", says="The delayed EndTxn arrives at the coordinator")
    def delayed_end_arrives(self) -> None:
        """Whatever is answered, nobody waits for it."""
        require(self.delayed.result is not None and self.coordinates(self.leader))
        result = (
            TransactionResult.COMMIT if self.delayed.result == TransactionResult.COMMIT else TransactionResult.ABORT
        )
        answer = self.answer_to_end(self.delayed.producer_id, self.delayed.epoch, result)
        if answer == EndTxnAnswer.DECIDES:
            self.prepare(result, fences=False)
        self.forget_delayed()
