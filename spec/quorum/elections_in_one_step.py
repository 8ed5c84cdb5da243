"""Elections in one step, for protocols that are about something else.

What competing candidates, lost votes and pre-votes do, `quorum` shows. Who votes late or in vain could have done
nothing, but for the number of the next epoch: a voter that has voted takes no step in an earlier epoch, a candidate
none at all, and neither log changes until the election is decided or a later epoch begins.
"""

from __future__ import annotations

from ..language import Identifier, Set, action, require
from .election import Election
from .properties import Properties
from .replication import Replication
from .state import Role, Voter


class ElectionInOneStep(Election, Replication):
    """Elections as one step each, and nobody competes."""

    election_timeout = None  # type: ignore[assignment]  # taken away
    pre_vote = None  # type: ignore[assignment]  # taken away
    lose_pre_vote = None  # type: ignore[assignment]  # taken away
    vote = None  # type: ignore[assignment]  # taken away
    vote_unheard = None  # type: ignore[assignment]  # taken away
    learn_epoch = None  # type: ignore[assignment]  # taken away
    resign = None  # type: ignore[assignment]  # taken away
    leave_resigned = None  # type: ignore[assignment]  # taken away

    def voters_of(self, v: Identifier) -> Set[Identifier]:
        """The voters that v knows: all, as long as none is added or removed."""
        return Set(other for other in self.voters)

    @action(by="candidate", to="absent", says="{candidate} is elected by the voters that it knows, but for {absent}")
    def elect(self, candidate: Voter, absent: Voter) -> None:
        """KIP-595, Vote: of three or four voters one is not needed; it hears of nothing, and stays where it is."""
        require(absent != candidate and absent in self.voters_of(candidate))
        self.win(candidate, self.voters_of(candidate) - {absent})

    @action(by="candidate", says="{candidate} is elected by all voters that it knows")
    def elect_by_all(self, candidate: Voter) -> None:
        """KIP-595, Vote: of one or two voters each is needed."""
        self.win(candidate, self.voters_of(candidate))

    def win(self, candidate: Identifier, majority: Set[Identifier]) -> None:
        """The smallest majority of the voters that the candidate knows finds its log not behind, and votes for it.

        Only who is a voter by its own log stands for election (QuorumState.transitionToProspective). The epoch is
        later than any that one of them is in. Who voted hears at once that it won.
        """
        require(self.voters[candidate].role != Role.LEADER)
        require(candidate in majority and len(majority) == len(self.voters_of(candidate)) // 2 + 1)
        require(all(self.is_not_behind(candidate, v) for v in majority))
        epoch = max(self.voters[v].epoch for v in majority) + 1
        require(epoch <= self.bounds.max_epoch)
        for v in majority:
            self.follow(v, epoch, candidate)
        self.become_leader(candidate)
        self.commit(candidate, self.held_by_a_majority(candidate))


class OneStepElectionProperties(Properties):
    """The properties of the quorum, without those about candidates, pre-votes and who disturbs a leader by them."""

    candidates_are_answered = None  # type: ignore[assignment]  # taken away
    leader_is_not_disturbed = None  # type: ignore[assignment]  # taken away
    vote_split = None  # type: ignore[assignment]  # taken away
    pre_vote_refused = None  # type: ignore[assignment]  # taken away
    candidate_again = None  # type: ignore[assignment]  # taken away
