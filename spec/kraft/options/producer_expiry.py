"""Producers that brokers forget because they have not written for some time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...language import Bookkeeping, Integers, Set, action, bound, require
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import KraftBounds, Replica
from .idempotence import IdempotentProducer


@dataclass(frozen=True)
class ExpiryBounds(KraftBounds):
    """As always, and how often a broker forgets the producer."""

    expirations: int = bound(1, least=0, most=3, help="the number of times a broker forgets an idle producer")


@governed_by("producer_state_outlives_retries")
class ProducerExpiry(IdempotentProducer):
    """ProducerStateManager.removeExpiredProducers: each broker by itself, after `producer.id.expiration.ms` (KIP-854).

    With the rule that is longer than any producer sends a batch again, so that it has an answer for all it sent.
    """

    bounds: ExpiryBounds

    expirations: Bookkeeping[Annotated[int, Integers(0, ExpiryBounds.expirations)]]

    @action(by="broker", says="{broker} forgets a producer that has not written for producer.id.expiration.ms")
    def forget_producer(self, broker: Replica) -> None:
        """The producer may live on: it is not told."""
        require(self.expirations < self.bounds.expirations)
        require(len(self.remembered[broker]) > 0)
        require(not self.settings.producer_state_outlives_retries or self.known == self.next_record)
        self.expirations += 1
        self.remembered[broker] = Set()


BUGS = (
    KraftBug(
        id="KIP-854",
        title="A leader forgets an idle producer that still sends again",
        tickets=("KIP-854",),
        versions="all, where producer.id.expiration.ms is less than delivery.timeout.ms",
        faulty=Settings(producer_state_outlives_retries=False),
        properties=("committed_once",),
        bounds={"records": 2, "expirations": 1},
        story=(
            "b1 appends r0, and the answer is lost. Before the producer sends it again, producer.id.expiration.ms has "
            "passed and b1 forgets the producer, so that the retry is new. The default is a day, and "
            "delivery.timeout.ms two minutes: this happens only where the one was set below the other."
        ),
        lesson=(
            "Remember a sender longer than it tries. Two timeouts that have to be in an order should not be set by two "
            "people."
        ),
    ),
)
