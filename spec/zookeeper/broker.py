"""What becomes of a broker: it stops, comes back as another incarnation, and obeys the requests that reach it."""

from __future__ import annotations

from ..language import Identifier, Set, action, require
from .state import Broker, LeaderEpoch, ZooKeeperState


class BrokerLifecycle(ZooKeeperState):
    """Crash, restart, and the two things that a LeaderAndIsr request can make of a broker."""

    @action(by="broker", says="{broker} stops")
    def stop(self, broker: Broker) -> None:
        """A broker's process ends, and with it its ephemeral node: that incarnation is gone for ever."""
        require(self.brokers[broker].up)
        require(self.stopped < self.bounds.stops)
        self.stopped += 1
        self.brokers[broker].up = False
        self.brokers[broker].hw = 0
        self.brokers[broker].leader_epoch = -1
        self.brokers[broker].leader = None
        self.forget_leadership(broker)
        self.forget_requests(broker)
        for c in self.controllers:
            self.controllers[c].known = self.controllers[c].known - {broker}

    def forget_leadership(self, b: Identifier) -> None:
        """What b knew as leader goes with its leadership."""
        self.brokers[b].isr = Set()
        self.brokers[b].version = 0

    def forget_requests(self, b: Identifier) -> None:
        """KIP-380: what was sent to this incarnation is refused by the next, because it names another broker epoch."""
        self.brokers[b].requests = Set()

    @action(by="broker", says="{broker} comes back")
    def restart(self, broker: Broker) -> None:
        """A broker registers again, with its log; it knows neither leader nor epoch until a request tells it."""
        require(not self.brokers[broker].up)
        self.brokers[broker].up = True

    def take(self, b: Identifier, epoch: int) -> None:
        """b adopts leader and leader epoch of a request that reached it, if they are newer than what it knows."""
        require(self.brokers[b].up)
        require(epoch in self.brokers[b].requests)
        require(epoch < len(self.requests))
        require(epoch > self.brokers[b].leader_epoch)
        self.brokers[b].leader_epoch = epoch
        self.brokers[b].leader = self.requests[epoch].leader
        self.forget_leadership(b)
        self.forget_older_requests(b, epoch)

    def forget_older_requests(self, b: Identifier, epoch: int) -> None:
        """This incarnation ignores requests that are not newer, so that they need not be kept."""
        self.brokers[b].requests = Set(e for e in self.brokers[b].requests if e > epoch)

    @action(
        by="broker",
        to="controller",
        receives="LeaderAndIsr",
        says="{broker} becomes leader in leader epoch {epoch}",
        fair="weak",
    )
    def become_leader(self, broker: Broker, epoch: LeaderEpoch) -> None:
        """LeaderAndIsr: a broker that a newer request names takes office, with its log as it is."""
        self.take(broker, epoch)
        require(self.brokers[broker].leader == broker)
        self.brokers[broker].isr = self.requests[epoch].isr
        self.brokers[broker].version = self.requests[epoch].version

    @action(
        by="broker",
        to="leader",
        sends="OffsetForLeaderEpoch",
        receives="OffsetForLeaderEpoch response",
        says="{broker} becomes follower of {leader} in leader epoch {epoch}",
        fair="weak",
    )
    def become_follower(self, broker: Broker, leader: Broker, epoch: LeaderEpoch) -> None:
        """LeaderAndIsr, and KIP-320: a broker follows the leader of a newer request, and truncates where logs part.

        It asks the leader where, and only a leader in the same leader epoch answers.
        """
        self.take(broker, epoch)
        require(self.brokers[broker].leader == leader)
        require(self.follows(broker, leader))
        offset = self.common_prefix(broker, leader)
        self.brokers[broker].log.truncate(offset)
        self.brokers[broker].hw = min(self.brokers[broker].hw, offset)

    def common_prefix(self, a: Identifier, b: Identifier) -> int:
        """The offset up to which two logs agree."""
        shorter = min(self.end(a), self.end(b))
        return max(o for o in range(shorter + 1) if o == 0 or self.brokers[a].log[o - 1] == self.brokers[b].log[o - 1])
