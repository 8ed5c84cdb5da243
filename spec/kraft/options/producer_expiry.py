"""Producers that brokers forget because they have not written for some time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ...language import Bookkeeping, Integers, Set, action, bound, require
from ..rules import governed_by
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
