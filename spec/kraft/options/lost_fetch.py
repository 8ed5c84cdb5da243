"""The answer to a fetch is lost: the leader knows where the follower is, and the follower learns nothing."""

from __future__ import annotations

from ...language import action, require
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
from ..state import Replica
from .log_start import LogStart


@governed_by("fetch_answers_lost")
class UnansweredFetches(BrokerLifecycle):
    """A connection breaks between a fetch and its answer; the follower asks again.

    Elsewhere the step that tells the leader where a follower is takes the follower on by a record, so that one that a
    leader admits too early is made whole by the step that admits it.
    """

    @action(by="follower", to="leader", sends="Fetch", says="{follower} fetches from {leader}; the answer is lost")
    def fetch_without_answer(self, follower: Replica, leader: Replica) -> None:
        """Partition.fetchRecords: only what lies in the leader's log, and does not diverge, is taken note of."""
        require(follower != leader)
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        require(self.end(follower) <= self.end(leader))
        require(not self.diverges(follower, leader))
        self.accept_fetch(leader, follower)


@governed_by("joins_at_log_start", "full_truncation_raises_hw")
class LostFetchAnswers(UnansweredFetches, LogStart):
    """The same where logs begin at a log start offset: what lies below it, or is given up, is not taken note of."""

    def fetch_without_answer(self, follower: Replica, leader: Replica) -> None:
        """As always, from the leader's log start offset on."""
        require(follower not in self.failed)
        require(self.log_start[leader] <= self.end(follower))
        super().fetch_without_answer(follower, leader)
