"""Who voted for whom, and who won: history for a proof, and the lemmas from which election safety follows."""

from __future__ import annotations

from typing import ClassVar

from ..language import Ghost, Identifier, Map, Set, lemma, view
from .election import Election
from .quorum import Quorum
from .state import Epoch, Role, Voter
from .switches import QuorumVoteNotPersisted


class ElectionHistory(Election):
    """For every epoch the votes that were cast, and who was elected; and lemmas, which each step preserves.

    The argument is Raft's: a leader has the votes of a majority, two majorities share a voter, and nobody votes twice.
    """

    cast: Ghost[Map[Epoch, Map[Voter, Voter | None]]]
    elected: Ghost[Map[Epoch, Voter | None]]

    def become_candidate(self, v: Identifier) -> None:
        """As in the protocol; a candidate's vote for itself is a vote."""
        super().become_candidate(v)
        self.cast[self.voters[v].epoch][v] = v

    def grant(self, voter: Identifier, candidate: Identifier) -> None:
        """As in the protocol; the vote is remembered for ever."""
        super().grant(voter, candidate)
        self.cast[self.voters[candidate].epoch][voter] = candidate

    def become_leader(self, v: Identifier) -> None:
        """As in the protocol; the election is remembered for ever."""
        super().become_leader(v)
        self.elected[self.voters[v].epoch] = v

    @view(of="elections")
    def elections_in_words(self) -> str:
        """Who voted for whom in each epoch, and who won."""
        said = []
        for epoch in self.cast:
            votes = [f"{v} for {self.cast[epoch][v]}" for v in self.cast[epoch] if self.cast[epoch][v] is not None]
            won = f"{self.elected[epoch]} elected" if self.elected[epoch] is not None else ""
            if votes or won:
                said.append(f"in e{epoch} {', '.join([*votes, won] if won else votes)}")
        return "; ".join(said)

    @lemma
    def role_fits_leader_and_vote(self) -> bool:
        """Who leads or has resigned knows itself as leader, and nobody else does; a candidate voted for itself."""
        return all(
            (self.voters[v].role in (Role.LEADER, Role.RESIGNED)) == (self.voters[v].leader == v)
            and (self.voters[v].role != Role.FOLLOWER or self.voters[v].leader is not None)
            and (self.voters[v].role != Role.CANDIDATE or self.voters[v].voted_for == v)
            and (self.voters[v].voted_for is None or self.voters[v].leader is None)
            for v in self.voters
        )

    @lemma
    def votes_are_of_the_past(self) -> bool:
        """Who has cast a vote in an epoch has reached it; nobody stands for election, votes or leads in epoch 0."""
        return all(
            self.cast[e][v] is None or (0 < e <= self.voters[v].epoch) for e in self.cast for v in self.voters
        ) and all(
            self.voters[v].epoch > 0
            or (
                self.voters[v].leader is None
                and self.voters[v].voted_for is None
                and self.voters[v].role in (Role.UNATTACHED, Role.PROSPECTIVE)
            )
            for v in self.voters
        )

    @lemma
    def vote_is_remembered(self) -> bool:
        """A voter's own memory of its vote is right; it forgets its vote only for the leader of the epoch."""
        return all(
            self.voters[v].voted_for == self.cast[e][v] or self.voters[v].leader is not None
            for v in self.voters
            for e in self.cast
            if self.voters[v].epoch == e
        )

    @lemma
    def counted_votes_were_cast(self) -> bool:
        """The votes that a candidate has heard of were cast for it."""
        return all(
            self.cast[e][v] == candidate
            for candidate in self.voters
            if self.voters[candidate].role == Role.CANDIDATE
            for e in self.cast
            if self.voters[candidate].epoch == e
            for v in self.voters[candidate].votes
        )

    @lemma
    def elected_by_a_majority(self) -> bool:
        """Whoever was elected in an epoch has the votes of a majority."""
        return all(
            self.elected[e] is None
            or self.is_majority(Set(v for v in self.voters if self.cast[e][v] == self.elected[e]))
            for e in self.elected
        )

    @lemma
    def known_leader_was_elected(self) -> bool:
        """Whom a voter knows as leader of its epoch was elected in it."""
        return all(
            self.voters[v].leader is None or self.voters[v].leader == self.elected[e]
            for v in self.voters
            for e in self.elected
            if self.voters[v].epoch == e
        )

    @lemma
    def hw_is_in_the_log(self) -> bool:
        """No voter's high watermark lies beyond the end of its log, so that observers find what they apply."""
        return all(self.voters[v].hw <= self.end(v) for v in self.voters)


class QuorumProof(ElectionHistory, Quorum):
    """The quorum with the history of its elections, and the lemmas that prove that an epoch has one leader.

    The steps are those of `quorum`. `epochal prove` shows that each preserves the lemmas.
    """

    name: ClassVar[str] = "quorum-proof"


class QuorumVoteNotPersistedProof(ElectionHistory, QuorumVoteNotPersisted):
    """The quorum with votes in memory only, and the lemmas of the quorum: the proof fails where a voter restarts."""

    name: ClassVar[str] = "quorum-vote-not-persisted-proof"
