"""The partition's data: the leader appends and commits, followers fetch. Fetches are fenced as in KIP-320."""

from __future__ import annotations

from ..language import Identifier, Set, action, require
from .state import Broker, ZooKeeperState


class Partition(ZooKeeperState):
    """Replication, the same whoever writes the ISR."""

    @action(by="leader", says="{leader} appends a record")
    def leader_write(self, leader: Broker) -> None:
        """Whoever presumes leadership appends, in its own leader epoch; a zombie leader does so too."""
        require(self.presumes_leadership(leader))
        require(self.end(leader) < self.bounds.log_size)
        self.brokers[leader].log.append(self.brokers[leader].leader_epoch)

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} fetches the next record from {leader}",
        fair="weak",
    )
    def fetch(self, follower: Broker, leader: Broker) -> None:
        """KIP-320: a follower in the leader's epoch copies the next record, and learns the high watermark."""
        require(self.follows(follower, leader))
        require(self.end(follower) < self.end(leader))
        self.brokers[follower].log.append(self.brokers[leader].log[self.end(follower)])
        self.brokers[follower].hw = min(self.brokers[leader].hw, self.end(follower))

    def counted_isr(self, leader: Identifier) -> Set[Identifier]:
        """The replicas that the leader waits for before it commits: the ISR it knows."""
        return self.brokers[leader].isr

    @action(by="leader", says="{leader} advances its high watermark", fair="weak")
    def advance_high_watermark(self, leader: Broker) -> None:
        """The leader commits the next record once all replicas that it counts have it, in its own leader epoch."""
        hw = self.brokers[leader].hw
        require(self.presumes_leadership(leader))
        require(hw < self.end(leader))
        require(all(b == leader or self.follows(b, leader) for b in self.counted_isr(leader)))
        require(all(hw < self.end(b) for b in self.counted_isr(leader)))
        self.brokers[leader].hw = hw + 1
        if hw == len(self.committed) and self.is_true_leader(leader):
            self.committed.append(self.brokers[leader].log[hw])

    def may_join(self, follower: Identifier, leader: Identifier) -> bool:
        """KAFKA-7128: the follower has reached a high watermark that is not stale."""
        log, hw = self.brokers[leader].log, self.brokers[leader].hw
        return (
            self.follows(follower, leader)
            and self.end(follower) >= hw
            and (hw == len(log) or (hw < len(log) and log[hw] == self.brokers[leader].leader_epoch))
        )

    def lags(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the leader may drop a follower: it is in another leader epoch, or has not reached the log end."""
        return not self.follows(follower, leader) or self.end(follower) < self.end(leader)
