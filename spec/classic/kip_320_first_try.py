"""KIP-320 as first proposed: the epoch of the log's tail is compared, but not the current epoch. Unsafe."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, action, require
from .follower import longest_common_prefix
from .kip_320 import Kip320
from .state import Epoch, Replica


class Kip320FirstTry(Kip320):
    """KIP-320 as first proposed, never released: followers prove the epoch of their log's tail, not their own epoch.

    An empty log has no tail to disagree, so a follower of another epoch passes the test.
    """

    name: ClassVar[str] = "kip-320-first-try"

    def is_caught_up_to_epoch(self, leader: Identifier, follower: Identifier, end: int) -> bool:
        """Whether the follower follows a presumed leader and both hold a record of the same epoch just before `end`."""
        return (
            self.presumes_leadership(leader)
            and self.follows(follower, leader)
            and (end == 0 or self.same_epoch_at(leader, follower, end - 1))
        )

    def same_epoch_at(self, a: Identifier, b: Identifier, offset: int) -> bool:
        """Whether both logs hold a record of the same epoch at this offset."""
        return (
            self.has_entry(a, offset)
            and self.has_entry(b, offset)
            and self.replicas[a].log[offset].epoch == self.replicas[b].log[offset].epoch
        )

    def tail_diverges(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the follower's log is longer than the leader's, or its last record is of another epoch there."""
        mine, theirs = self.replicas[follower].log, self.replicas[leader].log
        return len(mine) > len(theirs) or (
            len(mine) > 0 and len(mine) <= len(theirs) and mine.last.epoch != theirs[len(mine) - 1].epoch
        )

    @action(by="leader", to="follower", says="{leader} drops {follower} from the ISR")
    def leader_shrinks_isr(self, leader: Replica, follower: Replica) -> None:
        """KIP-320, first try: the leader drops a follower whose log does not reach its end with the same epoch.

        Which epoch the follower itself is in does not matter.
        """
        require(follower != leader)
        require(follower in self.replicas[leader].isr)
        require(not self.is_caught_up_to_epoch(leader, follower, self.end(leader)))
        self.set_isr(leader, self.replicas[leader].isr - {follower})

    @action(by="leader", to="follower", says="{leader} adds {follower} to the ISR", fair="weak")
    def leader_expands_isr(self, leader: Replica, follower: Replica) -> None:
        """KIP-320, first try: the leader admits a follower whose log agrees with its own just below its high watermark.

        The watermark must have reached the leader's own epoch (KAFKA-7128).
        """
        require(follower not in self.replicas[leader].isr)
        require(self.is_caught_up_to_epoch(leader, follower, self.replicas[leader].hw))
        require(self.hw_is_current(leader))
        self.set_isr(leader, self.replicas[leader].isr | {follower})

    @action(by="leader", says="{leader} advances its high watermark", fair="weak")
    def advance_high_watermark(self, leader: Replica) -> None:
        """KIP-320, first try: the leader commits the next record once every member of its ISR has one of that epoch.

        A follower that already obeys another leadership still counts.
        """
        hw = self.replicas[leader].hw
        require(self.presumes_leadership(leader))
        require(self.has_entry(leader, hw))
        require(all(self.is_caught_up_to_epoch(leader, f, hw + 1) for f in self.replicas[leader].isr))
        self.replicas[leader].hw = hw + 1

    @action(
        by="follower",
        to="controller",
        sends=None,
        receives="LeaderAndIsr",
        says="{follower} becomes follower of {leader} in epoch {epoch}",
    )
    def become_follower(self, follower: Replica, leader: Replica, epoch: Epoch) -> None:
        """KIP-320, first try: a replica acts on a newer request naming another leader, without truncating yet.

        Truncation comes later, when the leader sees that the logs' tails disagree.
        """
        require(follower != leader)
        require(epoch < len(self.requests))
        require(self.requests[epoch].leader == leader)
        require(epoch > self.replicas[follower].epoch)
        self.take(follower, epoch)

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} fetches the next record from {leader}",
        fair="weak",
    )
    def fetch(self, follower: Replica, leader: Replica) -> None:
        """KIP-320, first try: the fetch is served if the follower's last record has the leader's epoch at that offset.

        An empty log always passes.
        """
        require(self.is_caught_up_to_epoch(leader, follower, self.end(follower)))
        self.copy_next(follower, leader)

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} truncates its log to agree with {leader}",
        fair="weak",
    )
    def truncate_on_mismatch(self, follower: Replica, leader: Replica) -> None:
        """KIP-320, first try: told that its log's tail disagrees, the follower truncates to the longest common prefix.

        The leader that tells it may be one of an older epoch than the follower's.
        """
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        require(self.tail_diverges(follower, leader))
        self.truncate(follower, longest_common_prefix(self, follower, leader))
