"""The two policies: ZooKeeper's threshold, broker by broker, and KRaft's set of all unbalanced partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..language import Identifier, Set, action, bound, reachable, require
from .balancing import Balancing, BalancingBounds, Broker


@dataclass(frozen=True)
class ThresholdBounds(BalancingBounds):
    """With three partitions every share is above Kafka's 10 %, so that the default here is higher."""

    imbalance_percentage: int = bound(
        50, least=0, most=100, help="the share of a broker's partitions, in per cent, that may be led elsewhere"
    )


class ZooKeeperBalancing(Balancing):
    """The ZooKeeper controller: balances a broker's partitions once too great a share of them is led elsewhere.

    `leader.imbalance.per.broker.percentage` is the share that is tolerated, `leader.imbalance.check.interval.seconds`
    between two rounds. As long as a round is going on there is no other.
    """

    name: ClassVar[str] = "balancing-zookeeper"
    bounds: ThresholdBounds

    def preferring(self, broker: Identifier) -> int:
        """How many partitions prefer the broker."""
        return sum(1 for p in self.partitions if self.partitions[p].preferred == broker)

    def led_elsewhere(self, broker: Identifier) -> int:
        """How many of these it does not lead."""
        return sum(1 for p in self.partitions if self.partitions[p].preferred == broker and not self.is_balanced(p))

    def exceeds_threshold(self, broker: Identifier) -> bool:
        """Whether more than the tolerated share of the partitions that prefer the broker is led elsewhere."""
        return 100 * self.led_elsewhere(broker) > self.bounds.imbalance_percentage * self.preferring(broker)

    @action(by="controller", to="broker", says="The controller finds too few partitions led by {broker}", fair="weak")
    def begin_round(self, broker: Broker) -> None:
        """KafkaController.checkAndTriggerAutoLeaderRebalance: all partitions that prefer the broker, or none."""
        require(len(self.to_elect) == 0)
        require(self.exceeds_threshold(broker))
        self.to_elect = Set(
            p for p in self.partitions if self.partitions[p].preferred == broker and not self.is_balanced(p)
        )

    def has_work(self) -> bool:
        """Whether the policy wants anything changed."""
        return any(self.exceeds_threshold(b) for b in self.each(Broker))

    @reachable
    def imbalance_tolerated(self) -> bool:
        """Everything is well, a partition is not led by its preferred leader, and the controller leaves it so.

        A threshold below the smallest share that there is tolerates nothing.
        """
        return (
            self.bounds.failures == 0
            or self.bounds.imbalance_percentage * self.bounds.partitions < 100
            or (self.is_well() and self.imbalance() > 0 and not self.has_work())
        )


class KraftBalancing(Balancing):
    """The KRaft controller: every interval it tries to balance all partitions that are not led as they prefer.

    It reads no percentage (QuorumController.maybeBalancePartitionLeaders).
    """

    name: ClassVar[str] = "balancing-kraft"

    @action(by="controller", says="The controller begins to balance all partitions", fair="weak")
    def begin_round(self) -> None:
        """All partitions whose leader is not the preferred one; a thousand at a time, which is all of them here."""
        require(len(self.to_elect) == 0)
        require(self.has_work())
        self.to_elect = Set(p for p in self.partitions if not self.is_balanced(p))


class KraftBalancingAnyReplica(KraftBalancing):
    """Mutant: the preferred leader is elected whether or not it is alive and in the ISR."""

    name: ClassVar[str] = "balancing-any-replica"
    checks_availability: ClassVar[bool] = False
