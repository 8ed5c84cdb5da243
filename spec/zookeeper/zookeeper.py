"""Kafka 2.2 to 2.6: the leader writes its own ISR to ZooKeeper, and the controller everything else."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, Set, action, bounded, require
from .broker import BrokerLifecycle
from .controller import Controller
from .promises import Promises
from .properties import Properties
from .state import Broker
from .views import Views


class ZooKeeper(Controller, BrokerLifecycle, Properties, Promises, Views):
    """Kafka 2.2 to 2.6: controllers fenced by controller epoch (KAFKA-6082), brokers by broker epoch (KIP-380)."""

    name: ClassVar[str] = "zookeeper"

    def set_isr(self, leader: Identifier, isr: Set[Identifier]) -> None:
        """The leader writes the ISR, conditionally on the version it knows."""
        require(self.partition.version == self.brokers[leader].version)
        bounded(self.partition.version < self.bounds.max_version)
        self.partition.isr = isr
        self.partition.version += 1
        self.brokers[leader].isr = isr
        self.brokers[leader].version = self.partition.version

    @action(by="leader", to="follower", says="{leader} drops {follower} from the ISR")
    def leader_shrinks_isr(self, leader: Broker, follower: Broker) -> None:
        """`replica.lag.time.max.ms`: the leader drops a follower that lags."""
        require(self.presumes_leadership(leader))
        require(follower != leader)
        require(follower in self.brokers[leader].isr)
        require(self.lags(follower, leader))
        self.set_isr(leader, self.brokers[leader].isr - {follower})

    @action(by="leader", to="follower", says="{leader} adds {follower} to the ISR", fair="weak")
    def leader_expands_isr(self, leader: Broker, follower: Broker) -> None:
        """KAFKA-7128: the leader admits a follower that has caught up with it in its own leader epoch."""
        require(self.presumes_leadership(leader))
        require(follower not in self.brokers[leader].isr)
        require(self.may_join(follower, leader))
        self.set_isr(leader, self.brokers[leader].isr | {follower})
