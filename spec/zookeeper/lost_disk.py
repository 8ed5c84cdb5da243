"""A broker that comes back with an empty disk, and what broker epochs do about it (KIP-380)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ..language import Bookkeeping, Identifier, Integers, Set, action, bound, require
from .state import Broker, ZooKeeperBounds
from .zookeeper import ZooKeeper


@dataclass(frozen=True)
class LostDiskBounds(ZooKeeperBounds):
    """One controller. With a second one a broker may come back unnoticed between the two: see the history."""

    controllers: int = bound(
        1, least=1, most=3, help="the number of controllers, one after another", why="each has a memory of its own"
    )
    lost_disks: int = bound(
        1, least=1, most=2, help="how often a broker comes back with an empty disk", why="two are most of a partition"
    )


class ZooKeeperLostDisk(ZooKeeper):
    """Kafka 2.2 to 2.6 when a broker may come back with an empty disk, as another incarnation (KIP-380)."""

    name: ClassVar[str] = "zookeeper-lost-disk"
    bounds: LostDiskBounds

    disks_lost: Bookkeeping[Annotated[int, Integers(0, LostDiskBounds.lost_disks)]]

    second_controller_elects = None  # type: ignore[assignment]  # taken away

    @action(by="broker", says="{broker} comes back with an empty disk")
    def restart_empty(self, broker: Broker) -> None:
        """KAFKA-7235: a broker loses its log and registers again.

        That it was not the last member of the ISR is assumed: else the record is lost in every version (KIP-966).
        """
        require(not self.brokers[broker].up)
        require(self.partition.isr != Set({broker}))
        require(self.disks_lost < self.bounds.lost_disks)
        self.disks_lost += 1
        self.brokers[broker].log.truncate(0)
        self.brokers[broker].up = True


class ZooKeeperNoBrokerEpochs(ZooKeeperLostDisk):
    """Kafka before 2.2: a broker that is back before the controller looks was never away (KAFKA-7235, KIP-380)."""

    name: ClassVar[str] = "zookeeper-no-broker-epochs"

    def is_addressed(self, epoch: int, b: Identifier) -> bool:
        """A request reaches whichever incarnation is there."""
        return True

    def has_failed(self, epoch: int, b: Identifier) -> bool:
        """The controller compares the identifiers of the brokers only."""
        return b in self.controllers[epoch].live and not self.brokers[b].up

    def forget_requests(self, b: Identifier) -> None:
        """What was sent to this incarnation may be received by the next."""

    def forget_older_requests(self, b: Identifier, epoch: int) -> None:
        """And so it must be kept."""
