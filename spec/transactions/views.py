"""How people read the state of a transactional id: its log, its coordinators, its producers and its partitions."""

from __future__ import annotations

from ..language import view
from .state import (
    NOTHING,
    Broker,
    DataPartition,
    Instance,
    ProducerPhase,
    Transaction,
    TransactionalIdState,
    TransactionMetadata,
    TransactionState,
)


def metadata_in_words(record: TransactionMetadata) -> str:
    """A record of the log, or what a coordinator has of it."""
    next_id = f", then id {record.next_id}" if record.next_id != NOTHING else ""
    partitions = f", partitions {record.partitions}" if record.partitions else ""
    return f"{record.state.value}, id {record.producer_id} epoch {record.epoch}{next_id}{partitions}"


class TransactionViews(TransactionalIdState):
    """A line for each who takes part. What is nothing is not said."""

    @view(of="__transaction_state")
    def log_in_words(self) -> str:
        """Who leads the partition, and the last record."""
        return f"{self.leader} leads e{self.leader_epoch}; {metadata_in_words(self.logged)}"

    @view(of="broker")
    def office_in_words(self, broker: Broker) -> str:
        """Whether a broker serves as coordinator, and what it has in memory."""
        own = self.offices[broker]
        if own.elected != NOTHING:
            return f"loads for e{own.elected}"
        if own.epoch == NOTHING:
            return ""
        prepared = own.cache.state in (TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT)
        markers = "" if own.pending or not prepared else "; sends no markers any more"
        return f"coordinates e{own.epoch}; {metadata_in_words(own.cache)}{markers}"

    @view(of="producer")
    def producer_in_words(self, producer: Instance) -> str:
        """How far a producer is, and with which id and epoch."""
        own = self.producers[producer]
        replaced = "replaced by a new instance" if producer in self.replaced else ""
        if own.phase == ProducerPhase.STOPPED:
            return replaced
        identity = f"id {own.producer_id} epoch {own.epoch}, " if own.epoch != NOTHING else ""
        busy = own.phase in (ProducerPhase.SENDING, ProducerPhase.ENDING)
        transaction = f" {own.transaction}" if busy else ""
        result = f": {own.result.value}" if own.phase == ProducerPhase.ENDING else ""
        return f"{identity}{own.phase.value}{transaction}{result}{f'; {replaced}' if replaced else ''}"

    @view(of="partition")
    def partition_in_words(self, partition: DataPartition) -> str:
        """What is open, and the last epochs, by producer id."""
        said = []
        for producer_id, entry in self.data[partition].producers.items():
            if entry.epoch == NOTHING:
                continue
            coordinator = f", coordinator e{entry.coordinator_epoch}" if entry.coordinator_epoch != NOTHING else ""
            opened = f", open {entry.open}" if entry.open else ""
            said.append(f"id {producer_id} epoch {entry.epoch}{coordinator}{opened}")
        return "; ".join(said)

    @view(of="transaction")
    def transaction_in_words(self, transaction: Transaction) -> str:
        """Which marker a transaction has where, and what its producer knows."""
        committed, aborted = self.committed_at[transaction], self.aborted_at[transaction]
        said = ["its producer asks for its commit"] if transaction in self.asked_commit else []
        said += ["its producer asks for its abort"] if transaction in self.asked_abort else []
        said += [f"committed at {committed}"] if committed else []
        said += [f"aborted at {aborted}"] if aborted else []
        said += ["its producer was told that it is committed"] if transaction in self.told_committed else []
        said += ["taken from its producer"] if transaction in self.fenced else []
        return "; ".join(said)

    @view(of="given so far")
    def given_in_words(self) -> str:
        """How many producer ids the coordinator has given, and transactions its producers have begun."""
        ids = f"{self.given} producer ids" if self.given != 1 else ""
        transactions = f"{self.begun} begun" if self.begun > 0 else ""
        return ", ".join(said for said in (ids, transactions) if said)

    @view(of="on its way")
    def delayed_in_words(self) -> str:
        """The copy of EndTxn that is delayed."""
        late = self.delayed
        return "" if late.result is None else f"EndTxn {late.result.value}, id {late.producer_id} epoch {late.epoch}"
