"""Who was caught up within `replica.lag.time.max.ms`: the high watermark waits for such a replica to join the ISR."""

from __future__ import annotations

from ...language import Identifier, Map, Set, action, invariant, reachable, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
from ..settings import FollowersForgotten
from ..state import Replica


@governed_by("waits_for_caught_up")
class CaughtUpReplicas(BrokerLifecycle):
    """Partition.shouldWaitForReplicaToJoinIsr, which hides some runs in which the leader has the ISR too small.

    `caught_up[leader]` are the followers whose last moment at the leader's log end is not longer ago than that.
    """

    caught_up: Map[Replica, Set[Replica]]

    def waited_for(self, leader: Identifier, counted: Set[Identifier]) -> Set[Identifier]:
        """As always, and who was caught up and may join the ISR (isReplicaIsrEligible)."""
        if not self.settings.waits_for_caught_up:
            return super().waited_for(leader, counted)
        eligible = Set(r for r in self.caught_up[leader] if not self.settings.fenced_check or self.is_active(r))
        return super().waited_for(leader, counted) | eligible

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        """As always; a fetch at the leader's log end is the last moment at which the follower was caught up."""
        if self.end(follower) >= self.end(leader):
            self.caught_up[leader] |= {follower}
        super().accept_fetch(leader, follower)

    @action(by="leader", to="follower", says="{follower} was behind {leader} for replica.lag.time.max.ms")
    def fall_behind(self, leader: Replica, follower: Replica) -> None:
        """Time passes, and the follower does not reach the leader's log end."""
        require(self.presumes_leadership(leader))
        require(follower in self.caught_up[leader])
        require(self.known_end(leader, follower) != self.end(leader))
        self.caught_up[leader] -= {follower}
        self.advance_high_watermark(leader)

    def become_leader(self, leader: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; in a new epoch the ISR counts as caught up, and nobody else (Replica.resetReplicaState)."""
        if self.view(leader).leader_epoch > epoch_before:
            self.caught_up[leader] = self.view(leader).isr - {leader}
        super().become_leader(leader, led_before, epoch_before)

    def forget_leadership(self, r: Identifier) -> None:
        """As always, and who was caught up."""
        super().forget_leadership(r)
        self.caught_up[r] = Set()

    @invariant
    def at_the_log_end_is_caught_up(self) -> bool:
        """Who has fetched at the leader's log end counts as caught up, however long ago that was (isCaughtUp).

        Where followers are not forgotten in each epoch (N1) a leader may know an end from an epoch before.
        """
        return self.settings.followers_forgotten != FollowersForgotten.EACH_EPOCH or all(
            follower in self.caught_up[leader]
            for leader in self.brokers
            if self.presumes_leadership(leader)
            for follower in self.brokers
            if follower != leader and self.known_end(leader, follower) == self.end(leader) > 0
        )

    @reachable(
        only_if=lambda self: self.settings.waits_for_caught_up and self.bounds.replication_factor > self.least_min_isr()
    )
    def high_watermark_waits(self) -> bool:
        """All that the leader counts have a record, and the high watermark waits for who is about to join them."""
        return any(
            self.presumes_leadership(leader)
            and len(self.view(leader).isr) >= self.leader_min_isr(leader)
            and all(self.known_end(leader, r) > self.brokers[leader].hw for r in self.maximal_isr(leader))
            for leader in self.brokers
        )

    @view(of="leader")
    def caught_up_in_words(self, leader: Replica) -> str:
        """Whom a leader takes for caught up."""
        return f"caught up not long ago: {self.caught_up[leader]}" if self.caught_up[leader] else ""
