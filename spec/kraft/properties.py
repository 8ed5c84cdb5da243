"""What must always hold."""

from __future__ import annotations

from typing import Self

from ..language import Identifier, action_property, invariant
from .follower import Follower
from .settings import Truncation


class Properties(Follower):
    """The properties of the modern protocol."""

    @invariant
    def leader_completeness(self) -> bool:
        """The partition's leader, once it has taken office, holds every committed record."""
        return all(self.holds_committed(r) for r in self.brokers if self.is_legitimate(r))

    @invariant
    def leader_candidate_completeness(self) -> bool:
        """Every running member of ISR and ELR, which a clean election may choose, holds all committed records."""
        return all(self.holds_committed(r) for r in self.brokers if self.is_running(r) and self.is_candidate(r))

    @invariant
    def acknowledged_durable(self) -> bool:
        """The partition's leader, once it has taken office, holds every record whose producer was told of success."""
        return all(
            any(record.id == id for record in self.brokers[r].log)
            for r in self.brokers
            if self.is_legitimate(r)
            for id in self.acknowledged
        )

    @invariant
    def committed_never_lost(self) -> bool:
        """Every committed record is in some replica's log, on the disk of a broker that is down if nowhere else."""
        return all(
            any(offset < self.end(r) and self.brokers[r].log[offset] == self.committed[offset] for r in self.brokers)
            for offset in range(len(self.committed))
        )

    @invariant
    def replication_quorum_superset(self) -> bool:
        """A leader that can still commit counts every replica that the controller may elect.

        With ELR these are the members of ISR and ELR.
        """
        now = self.metadata[0]
        return all(
            now.isr | self.recovery.elr <= self.maximal_isr(r)
            for r in self.brokers
            if self.is_legitimate(r)
            and (not self.settings.strict_hw or len(self.view(r).isr) >= self.leader_min_isr(r))
        )

    @invariant
    def known_followers_match(self) -> bool:
        """A follower in the leader's epoch holds the leader's records up to where the leader knows it to be.

        Unless it has lost data since, and not caught up.
        """
        return all(
            self.agree_below(f, leader, self.fetched_end(f, leader))
            for leader in self.brokers
            for f in self.brokers
            if f != leader and f not in self.lost_data and self.presumes_leadership(leader) and self.follows(f, leader)
        )

    def fetched_end(self, follower: Identifier, leader: Identifier) -> int:
        """Where the follower fetched last; before KIP-101 it may have cut back its log since, by starting again."""
        known = self.brokers[leader].followers[follower]
        return min(known, self.end(follower)) if self.settings.truncation == Truncation.HIGH_WATERMARK else known

    @invariant
    def log_matching(self) -> bool:
        """Below both high watermarks any two replicas hold the same records."""
        return all(
            self.agree_below(a, b, min(self.brokers[a].hw, self.brokers[b].hw))
            for a in self.brokers
            for b in self.brokers
            if a != b
        )

    @invariant
    def unclean_exclusion(self) -> bool:
        """A running replica that has lost data and not caught up since is neither leader nor in the ISR or the ELR."""
        now = self.metadata[0]
        return all(
            r not in self.lost_data or (now.leader != r and r not in now.isr and r not in self.recovery.elr)
            for r in self.brokers
            if self.is_running(r)
        )

    @invariant
    def fenced_not_in_isr(self) -> bool:
        """A fenced broker is not in the ISR; without ELR, unless it is its last member."""
        now = self.metadata[0]
        return all(
            self.is_active(r) or r not in now.isr or (not self.settings.elr and len(now.isr) == 1) for r in self.brokers
        )

    @invariant
    def isr_and_elr(self) -> bool:
        """The leader is in the ISR; ISR and ELR share no replica; the ELR is empty while the ISR is large enough."""
        now = self.metadata[0]
        return (
            (now.leader is None or now.leader in now.isr)
            and now.isr.isdisjoint(self.recovery.elr)
            and (len(now.isr) < self.min_isr() or len(self.recovery.elr) == 0)
            and (self.settings.elr or len(now.isr) > 0)
        )

    @action_property
    def elected_leader_is_alive(self, new: Self) -> bool:
        """Whoever the controller makes leader is registered and not fenced."""
        elected = new.metadata[0].leader
        return (
            elected is None or new.metadata[0].leader_epoch == self.metadata[0].leader_epoch or new.is_active(elected)
        )

    @action_property
    def expansion_safe(self, new: Self) -> bool:
        """A running replica that joins the ISR of a leader that stays holds all committed records and has caught up."""
        return new.metadata[0].leader_epoch != self.metadata[0].leader_epoch or all(
            r in self.metadata[0].isr or not new.is_running(r) or (new.holds_committed(r) and r not in new.lost_data)
            for r in new.metadata[0].isr
        )

    @action_property
    def leader_hw_monotone(self, new: Self) -> bool:
        """A leader's high watermark never goes back while it leads in one epoch."""
        return all(
            new.brokers[r].hw >= self.brokers[r].hw
            for r in self.brokers
            if self.presumes_leadership(r)
            and new.presumes_leadership(r)
            and self.view(r).leader_epoch == new.view(r).leader_epoch
        )
