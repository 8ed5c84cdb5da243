"""What a replica does as leader: take office, append, and keep its ISR and high watermark.

The ISR and high-watermark rules here are the unfenced ones, before KIP-320: the leader counts whatever a follower's log
holds, in whatever epoch the follower is.
"""

from __future__ import annotations

from ..language import Identifier, action, require
from .state import ClassicState, Epoch, Record, Replica


class Leader(ClassicState):
    """Taking office and appending, the same in every generation."""

    @action(
        by="leader",
        to="controller",
        receives="LeaderAndIsr",
        says="{leader} becomes leader in epoch {epoch}",
        fair="weak",
    )
    def become_leader(self, leader: Replica, epoch: Epoch) -> None:
        """KIP-101, leader epochs: a replica that reads a newer request naming it as leader takes office.

        It adopts epoch and ISR and keeps its log and high watermark, which may be behind the truth.
        """
        require(epoch < len(self.requests))
        require(self.requests[epoch].leader == leader)
        require(epoch > self.replicas[leader].epoch)
        self.take(leader, epoch)

    @action(by="leader", says="{leader} appends a record")
    def leader_write(self, leader: Replica) -> None:
        """KIP-101: whoever presumes leadership appends what producers send, stamped with its own leader epoch.

        A deposed leader that has not heard of its successor does so too, because a produce request carries no epoch.
        """
        require(self.presumes_leadership(leader))
        require(self.next_record < self.bounds.records)
        self.append(leader, Record(id=self.next_record, epoch=self.replicas[leader].epoch))
        self.next_record += 1


class UnfencedLeader(Leader):
    """ISR and high watermark without regard to the follower's epoch (0.8 to 2.0)."""

    def is_caught_up(self, leader: Identifier, follower: Identifier, end: int) -> bool:
        """Whether the follower follows the leader and both logs reach `end`."""
        return self.follows(follower, leader) and (
            end == 0 or (self.has_entry(leader, end - 1) and self.has_entry(follower, end - 1))
        )

    @action(by="leader", to="follower", says="{leader} drops {follower} from the ISR")
    def leader_shrinks_isr(self, leader: Replica, follower: Replica) -> None:
        """`replica.lag.time.max.ms` (KAFKA-1546): the leader drops a follower that has not caught up with its log end.

        The write to ZooKeeper is conditional, so only the true leader succeeds.
        """
        require(follower != leader)
        require(follower in self.replicas[leader].isr)
        require(not self.is_caught_up(leader, follower, self.end(leader)))
        self.set_isr(leader, self.replicas[leader].isr - {follower})

    @action(by="leader", to="follower", says="{leader} adds {follower} to the ISR", fair="weak")
    def leader_expands_isr(self, leader: Replica, follower: Replica) -> None:
        """KAFKA-7128: the leader admits a follower whose log reaches the leader's high watermark.

        After a failover that watermark may be stale, so the follower can lack committed records.
        """
        require(follower not in self.replicas[leader].isr)
        require(self.is_caught_up(leader, follower, self.replicas[leader].hw))
        self.set_isr(leader, self.replicas[leader].isr | {follower})

    @action(by="leader", says="{leader} advances its high watermark", fair="weak")
    def advance_high_watermark(self, leader: Replica) -> None:
        """KAFKA-6880: the leader commits the next record once every member of its ISR has it.

        A follower counts in whatever epoch it is, even one that obeys an older or a newer leadership.
        """
        hw = self.replicas[leader].hw
        require(self.presumes_leadership(leader))
        require(hw < self.bounds.log_size)
        require(all(self.follows(f, leader) and self.has_entry(f, hw) for f in self.replicas[leader].isr))
        self.replicas[leader].hw = hw + 1
