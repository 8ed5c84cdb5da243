"""A transactional id, put together: with an epoch for each transaction, and without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..language import bound
from .coordinator import EndTxnAnswer
from .properties import TransactionProperties
from .state import TransactionalIdBounds, TransactionResult, TransactionState
from .views import TransactionViews


class TransactionProtocol(TransactionProperties, TransactionViews):
    """Transactions of version 2 (KIP-890, `transaction.version=2`), as in Kafka 4.3: each has an epoch of its own."""

    name: ClassVar[str] = "transactions"


@dataclass(frozen=True)
class Version1Bounds(TransactionalIdBounds):
    """As always, but no request is delayed: with version 1 that is enough to tear a transaction (KIP-890)."""

    delays: int = bound(
        0, least=0, most=2, help="how often a copy of EndTxn is delayed, and the producer sends another"
    )


class TransactionProtocolV1(TransactionProtocol):
    """Transactions of version 1 (KIP-98): the epoch of a producer is the same from transaction to transaction.

    Java clients before 4.0, librdkafka, and every client of a cluster with `transaction.version` below 2.
    """

    name: ClassVar[str] = "transactions-v1"
    bounds: Version1Bounds

    epoch_per_transaction: ClassVar[bool] = False

    def answer_to_end(self, producer_id: int, epoch: int, result: TransactionResult) -> EndTxnAnswer:
        """TransactionCoordinator.endTransactionWithTV1: nothing tells a retry from the end of the next transaction."""
        if not self.is_asked_by_its_producer(producer_id, epoch):
            return EndTxnAnswer.REFUSED
        if self.is_prepared(self.leader):
            return EndTxnAnswer.CONCURRENT
        if self.offices[self.leader].cache.state == TransactionState.ONGOING:
            return EndTxnAnswer.DECIDES
        return EndTxnAnswer.DONE if self.was_decided_as(result) else EndTxnAnswer.REFUSED
