"""How a leader comes and goes: timeouts, pre-votes, votes, BeginQuorumEpoch, resignation."""

from __future__ import annotations

from ..language import Identifier, Set, action, bounded, require
from .state import QuorumState, Role, Voter


class Election(QuorumState):
    """Elections, in the order in which they happen. Each voter votes once an epoch, for a log not behind its own."""

    @action(by="voter", says="{voter} hears nothing of a leader, and asks for pre-votes", fair="weak")
    def election_timeout(self, voter: Voter) -> None:
        """KIP-996: whoever waited too long for a leader, or for votes, becomes prospective, in the epoch it is in.

        Timers run for a follower (fetch timeout), and for the unattached and candidates (election timeout).
        """
        require(self.voters[voter].role in (Role.UNATTACHED, Role.FOLLOWER, Role.CANDIDATE))
        bounded(self.voters[voter].epoch < self.bounds.max_epoch)
        self.forget(voter)
        self.voters[voter].role = Role.PROSPECTIVE
        self.voters[voter].votes = Set({voter})

    @action(
        by="voter",
        to="prospective",
        receives="Vote",
        sends="Vote response",
        says="{voter} grants {prospective} its pre-vote",
        fair="strong",
    )
    def pre_vote(self, voter: Voter, prospective: Voter) -> None:
        """KIP-996: a voter says whether it would vote, which binds it to nothing; with a majority the election begins.

        A leader refuses, and so does a follower that has fetched in this epoch: for them the leader is alive. Each
        answer names the leader of the epoch if there is one: who did not know it follows it, whatever else it says.
        """
        require(voter != prospective)
        require(self.voters[prospective].role == Role.PROSPECTIVE)
        require(voter not in self.voters[prospective].votes)
        self.hear_of_epoch(voter, self.voters[prospective].epoch)
        require(self.voters[voter].role != Role.LEADER)
        require(self.voters[voter].role != Role.FOLLOWER or not self.voters[voter].has_fetched)
        require(self.is_not_behind(prospective, voter))
        require(self.voters[voter].leader != prospective)
        if self.voters[prospective].leader is None and self.voters[voter].leader is not None:
            self.follow(prospective, self.voters[prospective].epoch, self.voters[voter].leader)
        else:
            self.voters[prospective].votes = self.voters[prospective].votes | {voter}
            if self.is_majority_for(prospective, self.voters[prospective].votes):
                self.become_candidate(prospective)

    @action(by="voter", says="{voter} does not get the pre-votes that it asked for")
    def lose_pre_vote(self, voter: Voter) -> None:
        """KAFKA-17642, prospectiveTransitionAfterElectionLoss: refused by a majority, or not answered in time.

        The voter goes back to the leader of its epoch; unattached, and bound by its vote, if it knows none.
        """
        require(self.voters[voter].role == Role.PROSPECTIVE)
        self.forget(voter)
        self.voters[voter].role = Role.FOLLOWER if self.voters[voter].leader is not None else Role.UNATTACHED

    def become_candidate(self, v: Identifier) -> None:
        """v begins an epoch of its own, and votes for itself."""
        bounded(self.voters[v].epoch < self.bounds.max_epoch)
        bounded(self.end(v) < self.bounds.log_size)
        self.follow(v, self.voters[v].epoch + 1, None)
        self.voters[v].role = Role.CANDIDATE
        self.voters[v].voted_for = v
        self.voters[v].votes = Set({v})

    @action(
        by="voter",
        to="candidate",
        receives="Vote",
        sends="Vote response",
        says="{voter} votes for {candidate}",
        fair="strong",
    )
    def vote(self, voter: Voter, candidate: Voter) -> None:
        """KIP-595, Vote: a voter grants its vote to the first who asks in an epoch, and repeats it when asked again.

        The candidate that has heard of a majority of votes leads.
        """
        self.grant(voter, candidate)
        self.voters[candidate].votes = self.voters[candidate].votes | {voter}
        if self.is_majority_for(candidate, self.voters[candidate].votes):
            self.become_leader(candidate)

    @action(by="voter", to="candidate", receives="Vote", says="{voter} votes for {candidate}, but the answer is lost")
    def vote_unheard(self, voter: Voter, candidate: Voter) -> None:
        """KIP-595, Vote: the answer is lost. The voter is bound by its vote all the same."""
        self.grant(voter, candidate)

    def grant(self, voter: Identifier, candidate: Identifier) -> None:
        """The voter grants its vote, if it may. Who asks for pre-votes asks anew (prospectiveAddVotedState)."""
        require(voter != candidate)
        require(self.voters[candidate].role == Role.CANDIDATE)
        self.hear_of_epoch(voter, self.voters[candidate].epoch)
        if self.voters[voter].voted_for != candidate:
            require(self.voters[voter].voted_for is None)
            require(self.voters[voter].leader is None)
            require(self.is_not_behind(candidate, voter))
            if self.voters[voter].role == Role.PROSPECTIVE:
                self.voters[voter].votes = Set({voter})
            else:
                self.follow(voter, self.voters[voter].epoch, None)
            self.voters[voter].voted_for = candidate

    def hear_of_epoch(self, v: Identifier, epoch: int) -> None:
        """A request with a later epoch moves its receiver there; one with an earlier epoch is refused."""
        require(self.voters[v].epoch <= epoch)
        if self.voters[v].epoch < epoch:
            self.follow(v, epoch, None)

    def is_not_behind(self, candidate: Identifier, voter: Identifier) -> bool:
        """Whether the candidate's log is at least as good: a later last epoch, or the same one and not shorter."""
        return self.last_epoch(candidate) > self.last_epoch(voter) or (
            self.last_epoch(candidate) == self.last_epoch(voter) and self.end(candidate) >= self.end(voter)
        )

    def become_leader(self, v: Identifier) -> None:
        """v leads, and writes the LeaderChange record of its epoch at once."""
        bounded(self.end(v) < self.bounds.log_size)
        self.follow(v, self.voters[v].epoch, v)
        self.voters[v].role = Role.LEADER
        self.voters[v].log.append(self.record_of(v))

    @action(by="leader", to="voter", sends="BeginQuorumEpoch", says="{leader} tells {voter} that it leads", fair="weak")
    def begin_quorum_epoch(self, leader: Voter, voter: Voter) -> None:
        """KIP-595, BeginQuorumEpoch: the leader tells the other voters, until each of them follows it."""
        require(voter != leader)
        require(self.voters[leader].role == Role.LEADER)
        require(self.voters[voter].epoch <= self.voters[leader].epoch)
        require(not self.follows(voter, leader))
        self.follow(voter, self.voters[leader].epoch, leader)

    @action(by="voter", to="other", says="{voter} learns from {other} of a later epoch", fair="weak")
    def learn_epoch(self, voter: Voter, other: Voter) -> None:
        """KIP-595: any message with a later epoch makes its receiver follow the leader of that epoch, if it names one.

        A leader that is deposed learns it so.
        """
        require(self.voters[other].epoch > self.voters[voter].epoch)
        require(self.voters[other].leader != voter)
        self.follow(voter, self.voters[other].epoch, self.voters[other].leader)

    @action(by="leader", says="{leader} resigns", fair="weak")
    def resign(self, leader: Voter) -> None:
        """KAFKA-15489, check quorum: a leader from which no majority fetches any more resigns.

        It does not lead again in this epoch, and does not vote in it.
        """
        require(self.voters[leader].role == Role.LEADER)
        self.forget(leader)
        self.voters[leader].role = Role.RESIGNED

    @action(by="voter", says="{voter}, which has resigned, goes on to the next epoch", fair="weak")
    def leave_resigned(self, voter: Voter) -> None:
        """Kafka 4.0, pollResigned: whoever resigned is unattached in time, in an epoch that it did not lead.

        In its own epoch it could lose a pre-vote, and would follow the leader of that epoch: itself.
        """
        require(self.voters[voter].role == Role.RESIGNED)
        bounded(self.voters[voter].epoch < self.bounds.max_epoch)
        self.follow(voter, self.voters[voter].epoch + 1, None)
