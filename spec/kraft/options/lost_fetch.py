"""The answer to a fetch is lost: the leader knows where the follower is, and the follower learns nothing."""

from __future__ import annotations

from ...language import action, require
from ..state import Replica
from .log_start import LogStart


class LostFetchAnswers(LogStart):
    """A connection breaks between a fetch and its answer; the follower asks again."""

    @action(by="follower", to="leader", sends="Fetch", says="{follower} fetches from {leader}; the answer is lost")
    def fetch_without_answer(self, follower: Replica, leader: Replica) -> None:
        """Partition.fetchRecords: only what lies in the leader's log, and does not diverge, is taken note of."""
        require(follower != leader and follower not in self.failed)
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        require(self.log_start[leader] <= self.end(follower) <= self.end(leader))
        require(not self.diverges(follower, leader))
        self.accept_fetch(leader, follower)
