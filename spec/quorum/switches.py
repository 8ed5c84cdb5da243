"""The quorum with one rule taken away: what each of them is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..language import Identifier, Set, action, bound, require
from .quorum import Quorum
from .state import QuorumBounds, Role, Voter


@dataclass(frozen=True)
class TwoEpochs(QuorumBounds):
    """Two epochs are enough; without its rules the quorum has many more states than with them."""

    max_epoch: int = bound(
        2, least=1, most=8, help="the greatest epoch", why="each epoch multiplies the number of states"
    )


@dataclass(frozen=True)
class OneEpoch(QuorumBounds):
    """One epoch shows what lost votes do."""

    max_epoch: int = bound(
        1, least=1, most=8, help="the greatest epoch", why="each epoch multiplies the number of states"
    )


@dataclass(frozen=True)
class ThreeEpochs(QuorumBounds):
    """The first leader, those that go on without it, and room for them to have a leader."""

    log_size: int = bound(
        1, least=1, most=6, help="the number of offsets in a log", why="each offset multiplies the number of states"
    )
    max_epoch: int = bound(
        3, least=1, most=8, help="the greatest epoch", why="each epoch multiplies the number of states"
    )


@dataclass(frozen=True)
class OneOffset(OneEpoch):
    """One record is enough to show what a lost disk does."""

    log_size: int = bound(
        1, least=1, most=6, help="the number of offsets in a log", why="each offset multiplies the number of states"
    )


class QuorumHwAnyEpoch(Quorum):
    """KRaft before KAFKA-12619: the high watermark may stop at the start of the leader's epoch.

    A record of an earlier epoch is then committed before any record of the leader's own is: Figure 8 of the Raft paper.
    """

    name: ClassVar[str] = "quorum-hw-any-epoch"

    def may_commit(self, leader: Identifier, offset: int) -> bool:
        """Off by one: the LeaderChange record need not be on a majority."""
        return offset >= self.epoch_start(leader)


class QuorumVoteAnyLog(Quorum):
    """The quorum without the comparison of logs: a voter grants its vote to a candidate whose log is behind its own."""

    name: ClassVar[str] = "quorum-vote-any-log"
    bounds: TwoEpochs

    def is_not_behind(self, candidate: Identifier, voter: Identifier) -> bool:
        """Always true: the rule is missing."""
        return True


class QuorumVoteNotPersisted(Quorum):
    """The quorum with votes in memory only: a voter that restarts may vote again in the same epoch."""

    name: ClassVar[str] = "quorum-vote-not-persisted"
    bounds: OneEpoch

    candidate_again = None  # type: ignore[assignment]  # taken away

    def read_election_state(self, v: Identifier) -> None:
        """Epoch and leader are on disk, but not the vote."""
        self.voters[v].voted_for = None


class QuorumNoPreVote(Quorum):
    """KRaft before KIP-996: a voter that hears nothing of a leader begins a new epoch at once."""

    name: ClassVar[str] = "quorum-no-pre-vote"

    pre_vote = None  # type: ignore[assignment]  # taken away
    lose_pre_vote = None  # type: ignore[assignment]  # taken away
    leave_resigned = None  # type: ignore[assignment]  # taken away
    pre_vote_refused = None  # type: ignore[assignment]  # taken away
    candidate_again = None  # type: ignore[assignment]  # taken away

    @action(by="voter", says="{voter} hears nothing of a leader, and begins an election", fair="weak")
    def election_timeout(self, voter: Voter) -> None:
        """KIP-595: whoever waited too long for a leader, or for votes, becomes a candidate, in the next epoch."""
        require(self.voters[voter].role != Role.LEADER)
        self.become_candidate(voter)


class QuorumResignedStays(Quorum):
    """The quorum without the next epoch for whoever resigned: it asks for pre-votes in the epoch that it led."""

    name: ClassVar[str] = "quorum-resigned-stays"
    bounds: TwoEpochs

    leave_resigned = None  # type: ignore[assignment]  # taken away

    @action(by="voter", says="{voter} hears nothing of a leader, and asks for pre-votes", fair="weak")
    def election_timeout(self, voter: Voter) -> None:
        """As in the quorum, but whoever resigned has no way of its own."""
        require(self.voters[voter].role not in (Role.LEADER, Role.PROSPECTIVE))
        require(self.voters[voter].epoch < self.bounds.max_epoch)
        self.forget(voter)
        self.voters[voter].role = Role.PROSPECTIVE
        self.voters[voter].votes = Set({voter})


class QuorumCandidateAgain(Quorum):
    """Kafka 4.0 to 4.4: who stood for election, lost, and follows the leader is a candidate again after a restart.

    QuorumState.transitionToFollower keeps the vote next to the leader, for an epoch has one vote. Both are in the file,
    and QuorumState.initialize asks first whether the vote is the voter's own. By then it may have fetched records of
    this epoch. A candidate with such a log is told INVALID_REQUEST (handleVoteRequest), and throws.
    """

    name: ClassVar[str] = "quorum-candidate-again"

    def follow(self, v: Identifier, epoch: int, leader: Identifier | None) -> None:
        """As in the quorum, but a vote for itself is remembered as long as the epoch lasts."""
        voted = self.voters[v].voted_for if self.voters[v].epoch == epoch else None
        super().follow(v, epoch, leader)
        if voted == v and leader is not None and leader != v:
            self.voters[v].voted_for = v

    def grant(self, voter: Identifier, candidate: Identifier) -> None:
        """As in the quorum, but for a candidate that has a record of the epoch: its request is invalid."""
        require(self.last_epoch(candidate) < self.voters[candidate].epoch)
        super().grant(voter, candidate)

    def read_election_state(self, v: Identifier) -> None:
        """Who led is asked for first, then for whom the voter voted, and who leads last."""
        if self.voters[v].voted_for == v:
            self.voters[v].leader = None


class QuorumNoCheckQuorum(Quorum):
    """KRaft before KAFKA-15489: a leader from which nobody fetches any more leads on until a message deposes it."""

    name: ClassVar[str] = "quorum-no-check-quorum"
    bounds: ThreeEpochs

    resign = None  # type: ignore[assignment]  # taken away


class QuorumSameCadence(Quorum):
    """KRaft before KAFKA-18345: who has lost often waits as long as all others, so that they always compete anew.

    The steps are those of the quorum. What is taken away is chance: a vote that counts need not come some time.
    """

    name: ClassVar[str] = "quorum-same-cadence"
    bounds: OneOffset

    @action(
        by="voter",
        to="prospective",
        receives="Vote",
        sends="Vote response",
        says="{voter} grants {prospective} its pre-vote",
        fair="weak",
    )
    def pre_vote(self, voter: Voter, prospective: Voter) -> None:
        """As in the quorum."""
        super().pre_vote(voter, prospective)

    @action(
        by="voter",
        to="candidate",
        receives="Vote",
        sends="Vote response",
        says="{voter} votes for {candidate}",
        fair="weak",
    )
    def vote(self, voter: Voter, candidate: Voter) -> None:
        """As in the quorum."""
        super().vote(voter, candidate)


class QuorumLostDisk(Quorum):
    """The quorum when a voter may come back with an empty disk under its old name: Raft does not survive that."""

    name: ClassVar[str] = "quorum-lost-disk"
    bounds: OneOffset

    epochs_only_grow = None  # type: ignore[assignment]  # taken away

    @action(by="voter", says="{voter} restarts with an empty disk")
    def lose_disk(self, voter: Voter) -> None:
        """A voter whose disk was replaced has forgotten what it acknowledged, and for whom it voted.

        The directory ids of KIP-853 close it.
        """
        self.voters[voter].log.truncate(0)
        self.voters[voter].epoch = 0
        self.voters[voter].voted_for = None
        self.voters[voter].leader = None
        self.restart(voter)


class QuorumUncommittedReplay(Quorum):
    """The quorum with brokers that apply whatever they fetch, committed or not."""

    name: ClassVar[str] = "quorum-uncommitted-replay"
    bounds: TwoEpochs

    def visible_end(self, leader: Identifier) -> int:
        """The leader's log end: observers do not wait for the high watermark."""
        return self.end(leader)
