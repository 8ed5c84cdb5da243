"""What must be possible: every mechanism of the protocol actually happens.

Where bounds or settings leave out what a mechanism needs (`only_if`), it must not happen.
"""

from __future__ import annotations

from typing import Self

from ..language import reachable
from .history import History
from .settings import Acks


class Mechanisms(History):
    """One sentence for each mechanism, as something that some reachable state or step shows."""

    # -- producing and committing ---------------------------------------------------------------------------------

    @reachable
    def record_committed(self) -> bool:
        """A record is committed: a legitimate leader's high watermark passes it."""
        return len(self.committed) > 0

    @reachable(only_if=lambda self: self.settings.acks != Acks.NONE)
    def record_acknowledged(self) -> bool:
        """A producer is told of success."""
        return len(self.acknowledged) > 0

    @reachable(only_if=lambda self: self.least_min_isr() > 1)
    def refused_for_lack_of_replicas(self) -> bool:
        """A leader's ISR is smaller than min.insync.replicas: with acks=all the answer is NOT_ENOUGH_REPLICAS."""
        return any(self.presumes_leadership(r) and len(self.view(r).isr) < self.leader_min_isr(r) for r in self.brokers)

    @reachable
    def follower_learns_high_watermark(self) -> bool:
        """The high watermark reaches a follower, with the fetch after the one that moved it."""
        return any(
            self.is_running(r)
            and self.view(r).leader is not None
            and self.view(r).leader != r
            and self.brokers[r].hw > 0
            for r in self.brokers
        )

    @reachable
    def high_watermark_behind(self) -> bool:
        """After a failover the new leader's high watermark is behind what was committed, and behind its own epoch."""
        return any(
            self.is_legitimate(r)
            and self.brokers[r].hw < len(self.committed)
            and self.brokers[r].hw < self.brokers[r].epoch_start
            for r in self.brokers
        )

    @reachable
    def follower_truncates(self, new: Self) -> bool:
        """A follower cuts its log back to where it diverges from its leader's."""
        return any(self.is_running(r) and new.is_running(r) and new.end(r) < self.end(r) for r in self.brokers)

    # -- the ISR --------------------------------------------------------------------------------------------------

    @reachable
    def proposal_pending(self) -> bool:
        """A leader counts a replica that it has proposed and the controller not yet accepted."""
        return any(len(self.brokers[r].proposed - self.view(r).isr) > 0 for r in self.brokers if self.is_running(r))

    @reachable
    def isr_expands(self, new: Self) -> bool:
        """The controller accepts a replica into the ISR of a leader that stays."""
        return (
            new.metadata[0].leader_epoch == self.metadata[0].leader_epoch
            and len(new.metadata[0].isr - self.metadata[0].isr) > 0
        )

    @reachable(only_if=lambda self: self.bounds.shrinks > 0)
    def slow_follower_dropped(self, new: Self) -> bool:
        """The controller accepts that a leader drops slow followers from the ISR."""
        return (
            self.request.leader is not None
            and new.metadata[0].isr == self.request.isr
            and len(self.metadata[0].isr - new.metadata[0].isr) > 0
            and len(self.request.isr) > 0
        )

    @reachable(only_if=lambda self: self.settings.fenced_check)
    def proposal_refused(self, new: Self) -> bool:
        """A proposal is withdrawn because a member was fenced meanwhile or has restarted (INELIGIBLE_REPLICA)."""
        return any(
            self.presumes_leadership(r)
            and self.request.leader == r
            and any(not self.is_eligible(member) for member in self.request.isr)
            and len(self.brokers[r].proposed) > 0
            and len(new.brokers[r].proposed) == 0
            and new.is_running(r)
            and self.brokers[r].behind == new.brokers[r].behind
            for r in self.brokers
        )

    # -- brokers and leaders --------------------------------------------------------------------------------------

    @reachable
    def zombie_leader(self) -> bool:
        """A deposed leader does not know it yet, and two presume leadership."""
        return any(self.presumes_leadership(r) and not self.is_legitimate(r) for r in self.brokers) and any(
            self.is_legitimate(r) for r in self.brokers
        )

    @reachable(only_if=lambda self: self.bounds.metadata_lag > 1)
    def changes_replayed_in_one_batch(self, new: Self) -> bool:
        """A broker replays several change records at once, and never acts on those between."""
        return any(
            self.is_running(r) and new.is_running(r) and self.brokers[r].behind >= new.brokers[r].behind + 2
            for r in self.brokers
        )

    @reachable
    def no_leader(self) -> bool:
        """The partition has no leader, because no candidate is left."""
        return self.metadata[0].leader is None

    @reachable
    def leader_returns(self, new: Self) -> bool:
        """A partition without a leader gets one when a candidate is unfenced."""
        return self.metadata[0].leader is None and new.metadata[0].leader is not None

    @reachable(only_if=lambda self: self.bounds.lossy_crashes > 0)
    def rejoins_after_losing_data(self, new: Self) -> bool:
        """A replica that lost data has copied it again, and the leader proposes it for the ISR."""
        return len(self.committed) > 0 and any(
            r in self.lost_data
            and r not in new.lost_data
            and any(r in new.brokers[leader].proposed for leader in self.brokers)
            for r in self.brokers
        )

    # -- eligible leader replicas ---------------------------------------------------------------------------------

    @reachable(only_if=lambda self: self.settings.elr)
    def isr_empty(self) -> bool:
        """The ISR is empty (KIP-966), and eligible leader replicas are left."""
        return len(self.metadata[0].isr) == 0 and len(self.recovery.elr) > 0

    @reachable(only_if=lambda self: self.settings.elr)
    def elected_from_elr(self, new: Self) -> bool:
        """An eligible leader replica is elected (KIP-966)."""
        return any(
            r in self.recovery.elr and len(self.metadata[0].isr) == 0 and new.metadata[0].leader == r
            for r in self.brokers
        )
