"""What must happen in the end in the classic protocol: a led partition commits, and its followers come back.

Fair is what replicas do by themselves: acting on requests, fetching, moving the high watermark, admitting who has
caught up. Nothing is assumed of the controller, of producers, or of leaders that drop slow followers.

Leader epochs are bounded: a run that needs another one leaves the model, and breaks nothing.
"""

from __future__ import annotations

from ..language import leads_to
from .state import ClassicState, Replica

FOLLOWING = ("become_leader", "become_follower", "fetch", "advance_high_watermark")


class Promises(ClassicState):
    """Premise and goal of each sentence, for every replica."""

    @leads_to(fair=("become_leader",))
    def leader_takes_office(self, leader: Replica) -> tuple[bool, bool]:
        """Whom the controller has made leader leads, unless another one is."""
        named = self.quorum.leader == leader
        return named, not named or self.is_true_leader(leader)

    @leads_to(fair=FOLLOWING, parts=("truncate_on_mismatch",))
    def high_watermark_catches_up(self, leader: Replica) -> tuple[bool, bool]:
        """The high watermark of a leader that goes on leading reaches its log end."""
        leads = self.is_true_leader(leader)
        return leads, not leads or self.replicas[leader].hw == self.end(leader)

    @leads_to(fair=(*FOLLOWING, "leader_expands_isr"), parts=("truncate_on_mismatch",))
    def follower_joins_isr(self, follower: Replica, leader: Replica) -> tuple[bool, bool]:
        """A follower is in the ISR again some time, if the leader goes on leading."""
        out = self.is_true_leader(leader) and follower not in self.quorum.isr
        return out, not out

    @leads_to(fair=FOLLOWING, parts=("truncate_on_mismatch",))
    def followers_reach_the_end(self, follower: Replica, leader: Replica) -> tuple[bool, bool]:
        """A follower's log is as long as that of a leader that goes on leading."""
        leads = self.is_true_leader(leader)
        return leads, not leads or self.end(follower) >= self.end(leader)
