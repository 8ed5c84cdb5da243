"""KIP-320, Kafka 2.1 to 2.6: requests carry the follower's leader epoch, and a leader of another epoch refuses them."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, action, require
from .kip_279 import Kip279
from .state import Epoch, Replica


class Kip320(Kip279):
    """Kafka 2.1 to 2.6: fetch and truncation query are fenced by the current leader epoch (KIP-320, KAFKA-7128).

    KIP-279 with five of its steps replaced: each now asks that leader and follower are in the same epoch.
    """

    name: ClassVar[str] = "kip-320"

    def follows_epoch(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the leader presumes leadership and the follower follows it in the leader's own epoch."""
        return (
            self.presumes_leadership(leader)
            and self.follows(follower, leader)
            and self.replicas[follower].epoch == self.replicas[leader].epoch
        )

    def hw_is_current(self, leader: Identifier) -> bool:
        """Whether the leader's high watermark has reached its own epoch, so that it is no longer stale (KAFKA-7128)."""
        log, hw = self.replicas[leader].log, self.replicas[leader].hw
        return hw == len(log) or (hw < len(log) and log[hw].epoch == self.replicas[leader].epoch)

    @action(by="leader", to="follower", says="{leader} drops {follower} from the ISR")
    def leader_shrinks_isr(self, leader: Replica, follower: Replica) -> None:
        """KIP-320: the leader drops a follower that lags, or that does not follow it in its own epoch.

        The write to ZooKeeper is conditional, so only the true leader succeeds.
        """
        require(follower != leader)
        require(follower in self.replicas[leader].isr)
        require(not self.follows_epoch(follower, leader) or self.end(follower) < self.end(leader))
        self.set_isr(leader, self.replicas[leader].isr - {follower})

    @action(by="leader", to="follower", says="{leader} adds {follower} to the ISR", fair="weak")
    def leader_expands_isr(self, leader: Replica, follower: Replica) -> None:
        """KIP-320 and KAFKA-7128: the leader admits a follower of its own epoch that has caught up.

        Caught up means beyond the start of the leader's epoch, not only beyond a high watermark that may be stale.
        """
        hw = self.replicas[leader].hw
        require(follower not in self.replicas[leader].isr)
        require(self.follows_epoch(follower, leader))
        require(hw == 0 or self.has_entry(follower, hw - 1))
        require(self.hw_is_current(leader))
        self.set_isr(leader, self.replicas[leader].isr | {follower})

    @action(by="leader", says="{leader} advances its high watermark", fair="weak")
    def advance_high_watermark(self, leader: Replica) -> None:
        """KIP-320: the leader commits the next record once every member of its ISR has it in the leader's own epoch.

        The fetch that acknowledges a record carries the follower's epoch, and one from another epoch is refused.
        """
        hw = self.replicas[leader].hw
        require(self.has_entry(leader, hw))
        require(all(self.follows_epoch(f, leader) and self.has_entry(f, hw) for f in self.replicas[leader].isr))
        self.replicas[leader].hw = hw + 1

    @action(
        by="follower",
        to="leader",
        sends="OffsetForLeaderEpoch",
        receives="OffsetForLeaderEpoch response",
        says="{follower} becomes follower of {leader} in epoch {epoch}",
        fair="weak",
    )
    def become_follower(self, follower: Replica, leader: Replica, epoch: Epoch) -> None:
        """KIP-320: the truncation query carries the follower's new epoch, and only a leader in that epoch answers.

        A leader that has not taken office yet answers UNKNOWN_LEADER_EPOCH, a later one FENCED_LEADER_EPOCH.
        """
        require(self.presumes_leadership(leader))
        require(self.replicas[leader].epoch == epoch)
        self.follow(follower, leader, epoch)

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} fetches the next record from {leader}",
        fair="weak",
    )
    def fetch(self, follower: Replica, leader: Replica) -> None:
        """KIP-320, Fetch version 9: the request carries the follower's epoch, and a leader of another epoch refuses it.

        The follower copies the record at its log end and learns the leader's high watermark.
        """
        require(self.follows_epoch(follower, leader))
        self.copy_next(follower, leader)
