"""Crash and restart: what a voter finds on its disk, and what it makes of it."""

from __future__ import annotations

from ..language import Identifier, action
from .state import QuorumState, Role, Voter


class Restart(QuorumState):
    """A voter that is down takes no step, for any time. When it is back it knows what its disk knows."""

    @action(by="voter", says="{voter} restarts")
    def restart(self, voter: Voter) -> None:
        """KIP-595, QuorumState.initialize: epoch, vote, leader and log are on disk, the high watermark is not.

        Who led the epoch resigns, because it does not know what it had answered; a candidate is one again.
        """
        self.forget(voter)
        self.voters[voter].hw = 0
        self.read_election_state(voter)
        if self.voters[voter].leader == voter:
            self.voters[voter].role = Role.RESIGNED
        elif self.voters[voter].leader is not None:
            self.voters[voter].role = Role.FOLLOWER
        elif self.voters[voter].voted_for == voter:
            self.voters[voter].role = Role.CANDIDATE
            self.voters[voter].votes = self.voters[voter].votes | {voter}
        else:
            self.voters[voter].role = Role.UNATTACHED

    def read_election_state(self, v: Identifier) -> None:
        """The file `quorum-state`: nothing of epoch, vote and leader is lost."""
