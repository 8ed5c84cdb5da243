"""KAFKA-12751: a leader asks for the ISR that there is, and is told so with the version that it knows."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, Set, action, require
from .alter_isr import ZooKeeperAlterIsr
from .state import Broker


class ZooKeeperAskedTwice(ZooKeeperAlterIsr):
    """Kafka 2.7.2, 2.8.1 and newer on ZooKeeper: two threads of a leader find the same follower caught up.

    The second asks when the first has been answered.
    """

    name: ClassVar[str] = "zookeeper-asked-twice"

    @action(
        by="leader",
        to="controller",
        sends="AlterPartition",
        says="{leader} asks to add {follower}, which is in the ISR by now",
    )
    def leader_proposes_again(self, leader: Broker, follower: Broker) -> None:
        """Partition.maybeExpandIsr: whether the follower is missing was looked at before the lock was taken."""
        require(self.presumes_leadership(leader))
        require(self.proposed[leader] == Set())
        require(follower != leader and follower in self.brokers[leader].isr)
        self.proposed[leader] = self.brokers[leader].isr


class ZooKeeperUnchangedVersion(ZooKeeperAskedTwice):
    """Kafka 2.7.0, 2.7.1 and 2.8.0 on ZooKeeper: an answer with a version that is not newer is ignored.

    The leader goes on waiting for one, and asks for nothing else before.
    """

    name: ClassVar[str] = "zookeeper-unchanged-version"

    def succeed(self, leader: Identifier, version: int) -> None:
        """Partition.handleAlterIsrResponse: "we have a newer version", although it is the same."""
        if version > self.brokers[leader].version:
            super().succeed(leader, version)
