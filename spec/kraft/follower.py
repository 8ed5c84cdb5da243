"""What a broker does as follower: fetch from the leader it knows, and cut its log back where the two diverge."""

from __future__ import annotations

from ..language import Identifier, action, require
from .leader import Leader
from .settings import Truncation
from .state import Replica


class Follower(Leader):
    """The follower's side of AbstractFetcherThread, and the leader's answer to it."""

    def become_follower(self, follower: Identifier, led_before: bool, epoch_before: int) -> None:
        """Partition.makeFollower: a broker replays that another leads. Its high watermark stays.

        Before KIP-101 it cut its log back to its own high watermark at once.
        """
        if led_before:
            self.forget_leadership(follower)
        if self.settings.truncation == Truncation.HIGH_WATERMARK and self.view(follower).leader_epoch > epoch_before:
            self.truncate(follower, self.brokers[follower].hw)

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the follower runs and fetches from this leader in the leader's own epoch (KIP-320).

        A leader of another epoch answers FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH.
        """
        return (
            self.is_running(follower)
            and self.view(follower).leader == leader
            and self.view(follower).leader_epoch == self.view(leader).leader_epoch
        )

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} fetches from {leader}",
        fair="weak",
    )
    def fetch(self, follower: Replica, leader: Replica) -> None:
        """KIP-320, KIP-595, Fetch version 12: request, answer and what the follower does with it, in one step.

        The answer carries a diverging epoch, or the next record and the high watermark from before this fetch. It is
        OFFSET_OUT_OF_RANGE if the follower has more than the leader; with diverging epochs that is found out before.
        """
        require(follower != leader)
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        if self.diverges(follower, leader):
            self.truncate(follower, self.truncation_offset(follower, leader))
        elif self.end(follower) > self.end(leader):
            self.truncate(follower, self.end(leader))
        else:
            leader_hw = self.brokers[leader].hw
            self.accept_fetch(leader, follower)
            self.copy_next(follower, leader)
            self.brokers[follower].hw = min(leader_hw, self.end(follower))

    def copy_next(self, follower: Identifier, leader: Identifier) -> None:
        """Append the leader's record at the follower's log end, if there is one."""
        if self.end(follower) < self.end(leader):
            self.brokers[follower].log.append(self.brokers[leader].log[self.end(follower)])

    # -- divergence -----------------------------------------------------------------------------------------------

    def end_offset_for(self, r: Identifier, epoch: int) -> int:
        """LeaderEpochFileCache.endOffsetFor: where the records of this epoch and of earlier ones end in r's log."""
        log = self.brokers[r].log
        return min((offset for offset in range(len(log)) if not log[offset].epoch <= epoch), default=len(log))

    def epoch_before(self, r: Identifier, offset: int, otherwise: int) -> int:
        """The epoch of the record before this offset in r's log; `otherwise` if there is none."""
        return self.brokers[r].log[offset - 1].epoch if offset > 0 else otherwise

    def last_epoch(self, r: Identifier) -> int:
        """The epoch of the last record in r's log; -1 if it is empty."""
        return self.epoch_before(r, self.end(r), -1)

    def diverges(self, follower: Identifier, leader: Identifier) -> bool:
        """KIP-595: the leader does not hold the follower's last epoch up to the offset that is asked for."""
        if self.end(follower) == 0 or self.settings.truncation == Truncation.HIGH_WATERMARK:
            return False
        asked = self.brokers[follower].log.last.epoch
        end = self.end_offset_for(leader, asked)
        return end < self.end(follower) or self.epoch_before(leader, end, asked) < asked

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """KIP-279: the leader names its largest epoch up to the one asked for, and where that ends.

        The follower cuts back to its own end of that epoch, or to the leader's if that is lower; if it has no record of
        that epoch, to the end of what it has of earlier ones, and asks again.
        """
        asked = self.brokers[follower].log.last.epoch
        leader_end = self.end_offset_for(leader, asked)
        return self.offset_of_divergence(follower, self.epoch_before(leader, leader_end, asked), leader_end)

    def offset_of_divergence(self, follower: Identifier, epoch: int, leader_end: int) -> int:
        """Where to cut back, given the leader's largest epoch up to the one asked for, and where that ends there."""
        own_end = self.end_offset_for(follower, epoch)
        if self.epoch_before(follower, own_end, epoch) == epoch:
            return min(own_end, leader_end)
        return own_end

    def truncate(self, r: Identifier, offset: int) -> None:
        """UnifiedLog.truncateTo: cut r's log back to `offset`; the high watermark goes back with it."""
        require(offset <= self.end(r))
        self.brokers[r].log.truncate(offset)
        self.brokers[r].hw = min(offset, self.brokers[r].hw)
