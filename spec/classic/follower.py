"""What a replica does as follower: reconcile its log with the leader's, then copy what it lacks.

These are the unfenced steps, before KIP-320: neither the truncation query nor the fetch says which epoch the follower
is in. Generations differ in the offset they truncate to.
"""

from __future__ import annotations

from ..language import Identifier, action, require
from .state import ClassicState, Epoch, Replica


class UnfencedFollower(ClassicState):
    """Becoming follower and fetching without regard to the leader's epoch (0.8 to 2.0)."""

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """The offset to which a new follower cuts its log back. Each generation has its own rule."""
        return self.replicas[follower].hw

    def follow(self, follower: Identifier, leader: Identifier, epoch: int) -> None:
        """Act on the request with this epoch: truncate as the generation says, and follow its leader."""
        require(follower != leader)
        require(epoch < len(self.requests))
        require(self.requests[epoch].leader == leader)
        require(epoch > self.replicas[follower].epoch)
        self.truncate(follower, self.truncation_offset(follower, leader))
        self.take(follower, epoch)

    @action(
        by="follower",
        to="controller",
        receives="LeaderAndIsr",
        says="{follower} becomes follower of {leader} in epoch {epoch}",
        fair="weak",
    )
    def become_follower(self, follower: Replica, leader: Replica, epoch: Epoch) -> None:
        """KIP-101, unfenced: a replica acts on a newer request naming another leader, and first cuts back its log.

        It asks that leader where to cut, whether or not the leader has reached the request's epoch itself.
        """
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
        """The follower copies the record at its log end and learns the leader's high watermark.

        The request carries no epoch, so a follower of an older or newer leadership is served alike (KAFKA-6880).
        """
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        self.copy_next(follower, leader)

    def copy_next(self, follower: Identifier, leader: Identifier) -> None:
        """Copy the leader's record at the follower's log end; the follower's high watermark may go back by this."""
        require(self.end(follower) < self.end(leader))
        self.append(follower, self.replicas[leader].log[self.end(follower)])
        self.replicas[follower].hw = min(self.replicas[leader].hw, self.end(follower))


def longest_common_prefix(protocol: ClassicState, a: Identifier, b: Identifier) -> int:
    """One more than the largest offset at which both logs hold the same record; 0 if there is none."""
    return max(
        (o + 1 for o in range(min(protocol.end(a), protocol.end(b))) if protocol.same_record(a, b, o)), default=0
    )
