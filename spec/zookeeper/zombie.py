"""A former controller that goes on writing."""

from __future__ import annotations

from typing import ClassVar

from .zookeeper import ZooKeeper


class ZooKeeperUnfencedController(ZooKeeper):
    """Kafka before 2.1: a former controller that does not know that it is one goes on writing (KAFKA-6082)."""

    name: ClassVar[str] = "zookeeper-unfenced-controller"

    def may_write(self, epoch: int) -> bool:
        """Whoever was ever elected: only the version of the partition's own znode is checked."""
        return self.controllers[epoch].elected
