"""What must happen in the end in the metadata quorum: it gets a leader, one leader only, and commits what that writes.

Fair are timers, and messages that are sent again until they are answered. Nothing is assumed of restarts, of leaders
that resign or append, or of answers that are lost: they may happen always or never.

Votes are strongly fair: who could be voted for again and again is, some time. That is what timeouts are drawn at random
for. With weak fairness alone all may time out together for ever, and nobody's vote counts (KAFKA-18345).
"""

from __future__ import annotations

from ..language import Identifier, Set, leads_to
from .state import QuorumState, Role, Voter


class Commits(QuorumState):
    """The liveness property of whoever leads, however it was elected."""

    def leads_all(self, leader: Identifier) -> bool:
        """Whether a voter leads, and nobody has gone on to a later epoch."""
        return self.voters[leader].role == Role.LEADER and all(
            self.voters[v].epoch <= self.voters[leader].epoch for v in self.voters
        )

    @leads_to(fair=("begin_quorum_epoch", "fetch", "truncate"), parts=("fetch_snapshot",))
    def leaders_log_is_committed(self, leader: Voter) -> tuple[bool, bool]:
        """All that a leader has written is committed, if it goes on leading and nobody begins a later epoch."""
        return self.leads_all(leader), not self.leads_all(leader) or self.voters[leader].hw == self.end(leader)


class Promises(Commits):
    """The liveness properties of the quorum. Its epochs are bounded: a run that needs a greater one leaves the
    model."""

    def is_left(self, leader: Identifier) -> bool:
        """Whether a voter leads, and a majority has gone on to later epochs without it."""
        return self.voters[leader].role == Role.LEADER and self.is_majority(
            Set(v for v in self.voters if self.voters[v].epoch > self.voters[leader].epoch)
        )

    @leads_to(fair=("election_timeout", "vote"), parts=("pre_vote", "learn_epoch", "leave_resigned"))
    def leader_is_elected(self) -> tuple[bool, bool]:
        """A quorum without a leader gets one."""
        led = any(self.voters[v].role == Role.LEADER for v in self.voters)
        return not led, led

    @leads_to(fair=("election_timeout",), parts=("resign",))
    def left_leader_steps_down(self, leader: Voter) -> tuple[bool, bool]:
        """A leader that a majority has left leads no more some time, by its own timer if no message reaches it."""
        return self.is_left(leader), not self.is_left(leader)
