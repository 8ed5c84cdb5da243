"""What must always hold, and what must be possible."""

from __future__ import annotations

from typing import Self

from ..language import Identifier, action_property, invariant, reachable
from .state import ClassicState


class Properties(ClassicState):
    """The properties of the classic family."""

    def agree_below(self, a: Identifier, b: Identifier, offset: int) -> bool:
        """Whether both replicas hold the same records at every offset below `offset`."""
        return all(self.same_record(a, b, o) for o in range(offset))

    @invariant
    def weak_isr(self) -> bool:
        """Below a presumed leader's high watermark, every member of its own ISR holds the leader's records."""
        return all(
            self.agree_below(leader, member, self.replicas[leader].hw)
            for leader in self.replicas
            if self.presumes_leadership(leader)
            for member in self.replicas[leader].isr
        )

    @invariant
    def strong_isr(self) -> bool:
        """Below a presumed leader's high watermark, every replica the controller may elect holds the leader's records.

        If it fails, a clean election can lose a record that was committed and acknowledged.
        """
        return all(
            self.agree_below(leader, member, self.replicas[leader].hw)
            for leader in self.replicas
            if self.presumes_leadership(leader)
            for member in self.quorum.isr
        )

    @invariant
    def leader_in_isr(self) -> bool:
        """The partition's leader, when it has one, is a member of the ISR."""
        return self.quorum.leader is None or self.quorum.leader in self.quorum.isr

    @action_property
    def leader_hw_monotone(self, new: Self) -> bool:
        """A leader's high watermark never goes back while it leads in one epoch."""
        return all(
            new.replicas[r].hw >= self.replicas[r].hw
            for r in self.replicas
            if self.presumes_leadership(r)
            and new.presumes_leadership(r)
            and self.replicas[r].epoch == new.replicas[r].epoch
        )

    @action_property
    def epochs_only_grow(self, new: Self) -> bool:
        """Neither the partition's leader epoch nor any replica's ever decreases."""
        return new.quorum_epoch() >= self.quorum_epoch() and all(
            new.replicas[r].epoch >= self.replicas[r].epoch for r in self.replicas
        )

    @reachable
    def record_committed(self) -> bool:
        """A record is committed: some leader's high watermark passes it."""
        return any(self.presumes_leadership(r) and self.replicas[r].hw > 0 for r in self.replicas)

    @reachable
    def isr_shrinks_to_one(self) -> bool:
        """The ISR shrinks to a single replica."""
        return len(self.quorum.isr) == 1

    @reachable
    def follower_truncates(self, new: Self) -> bool:
        """A follower truncates: it removes records from its log."""
        return any(new.end(r) < self.end(r) for r in self.replicas)

    @reachable
    def second_leader_elected(self) -> bool:
        """A second leader is elected after the first."""
        return any(
            later.leader is not None and earlier.leader is not None and later.leader != earlier.leader
            for earlier in self.requests
            for later in self.requests
        )
