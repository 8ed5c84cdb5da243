"""Changes of the voters (KIP-853): the voters are a record of the log, in force as soon as it is appended.

A `VotersRecord` names all voters from its offset on. A leader counts the voters of the last one in its log, committed
or not, and so does a candidate (KRaftControlRecordStateMachine.lastVoterSet); who truncates the record has the voters
before it again. Three rules make that safe, and `reconfiguration_switches` takes each of them away:

* one change at a time: a leader appends no VotersRecord before the one before it is committed,
* and none before it has committed a record of its own epoch, for until then a VotersRecord of which it knows nothing
  may be in force elsewhere (the bug of Raft's single-server changes, found by Ongaro in 2015);
* a leader that removes itself leads on without being counted, until the record is committed. Then it resigns.

An election is one step (`elections_in_one_step`). A candidate asks the voters that it knows, and anyone answers, voter
by its own log or not (KafkaRaftClient.handleVoteRequest, since KIP-853).

Left out is what only delays: a voter is added whether it has caught up or not (LeaderState.isReplicaCaughtUp), and a
request that is refused may be repeated. So is UpdateVoter, which changes no majority. A removed leader may go on for as
long as it likes: Kafka's never resigns if the request had timed out before the commit. Directory ids make another
replica of a voter that lost its disk; such a one would be added here under a name of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from ..language import (
    Capacity,
    Ghost,
    Identifier,
    Log,
    Map,
    Set,
    action,
    action_property,
    bound,
    invariant,
    leads_to,
    reachable,
    require,
)
from .elections_in_one_step import ElectionInOneStep, OneStepElectionProperties
from .promises import Commits
from .restart import Restart
from .state import B, Observer, QuorumBounds, QuorumState, Record, Role, Voter, VoterState
from .views import Views


class VotersRecord(Record, text="{leader}@e{epoch}{voters}"):
    """A record, and the voters from it on. If they are those of the record before, it is no change of the voters."""

    voters: Set[Voter]


class Replica(VoterState):
    """A replica, which is a voter as long as the voters say so."""

    log: Annotated[Log[VotersRecord], Capacity(B.log_size)]  # type: ignore[assignment]  # other records


class VoterSets(QuorumState):
    """Who the voters are, for whom."""

    voters: Map[Voter, Replica]  # type: ignore[assignment]  # voters with more to them
    applied: Map[Observer, Annotated[Log[VotersRecord], Capacity(B.log_size)]]  # type: ignore[assignment]  # other records
    committed: Ghost[Annotated[Log[VotersRecord], Capacity(B.log_size)]]  # type: ignore[assignment]  # other records

    def voters_before(self, v: Identifier, offset: int) -> Set[Identifier]:
        """The voters below an offset of v's log; at its start those that the cluster was formatted with."""
        return self.voters[v].log[offset - 1].voters if offset > 0 else Set(other for other in self.voters)

    def last_voters(self, v: Identifier) -> Set[Identifier]:
        """The last voters that v's log names."""
        return self.voters_before(v, self.end(v))

    def voters_of(self, v: Identifier) -> Set[Identifier]:
        """The voters that v counts: the last ones of its log, from the moment that they stand there."""
        return self.last_voters(v)

    def is_change(self, v: Identifier, offset: int) -> bool:
        """Whether there is a VotersRecord at this offset of v's log."""
        return self.voters[v].log[offset].voters != self.voters_before(v, offset)

    def is_majority_for(self, v: Identifier, voters: Set[Identifier]) -> bool:
        """Whether these are more than half of the voters that v knows; whoever else is among them does not count."""
        return sum(1 if other in voters else -1 for other in self.voters_of(v)) > 0

    def record_of(self, leader: Identifier) -> VotersRecord:
        """A record that changes nothing about the voters."""
        return VotersRecord(epoch=self.voters[leader].epoch, leader=leader, voters=self.last_voters(leader))


class Reconfiguration(VoterSets, ElectionInOneStep):
    """A leader adds and removes voters, one at a time."""

    def has_committed_in_its_epoch(self, leader: Identifier) -> bool:
        """Whether the leader's high watermark is known in this epoch, so that no former leader can commit any more."""
        return self.voters[leader].hw > self.epoch_start(leader)

    def is_change_pending(self, leader: Identifier) -> bool:
        """Whether the last VotersRecord in the leader's log is not committed."""
        return any(self.is_change(leader, o) for o in range(self.voters[leader].hw, self.end(leader)))

    def voters_to_change(self, leader: Identifier) -> Set[Identifier]:
        """The voters to which one is added, or from which one is removed."""
        return self.last_voters(leader)

    def change_voters(self, leader: Identifier, voters: Set[Identifier]) -> None:
        """The leader appends a VotersRecord; by the voters in it more may be committed than before at once.

        AddVoterHandler and RemoveVoterHandler refuse it with REQUEST_TIMED_OUT until the record before is committed.
        """
        require(self.voters[leader].role == Role.LEADER)
        require(self.end(leader) < self.bounds.log_size)
        require(self.has_committed_in_its_epoch(leader))
        require(not self.is_change_pending(leader))
        record = VotersRecord(epoch=self.voters[leader].epoch, leader=leader, voters=voters)
        self.voters[leader].log.append(record)
        self.commit(leader, self.held_by_a_majority(leader))

    @action(
        by="admin",
        to="leader",
        sends="AddRaftVoter",
        says="{leader} appends a VotersRecord that adds {voter}",
    )
    def add_voter(self, leader: Voter, voter: Voter) -> None:
        """KAFKA-16535, AddVoterHandler: the new voter counts from now on, and commits its own admission with others."""
        require(voter not in self.voters_to_change(leader))
        self.change_voters(leader, self.voters_to_change(leader) | {voter})

    @action(
        by="admin",
        to="leader",
        sends="RemoveRaftVoter",
        says="{leader} appends a VotersRecord without {voter}",
    )
    def remove_voter(self, leader: Voter, voter: Voter) -> None:
        """KAFKA-16537, RemoveVoterHandler: any voter but the last, the leader included (VoterSet.removeVoter)."""
        require(voter in self.voters_to_change(leader))
        require(len(self.voters_to_change(leader)) > 1)
        self.change_voters(leader, self.voters_to_change(leader) - {voter})

    @action(by="leader", says="{leader} appends a record")
    def append(self, leader: Voter) -> None:
        """As in the quorum; a leader that is the only voter commits it at once."""
        super().append(leader)
        self.commit(leader, self.held_by_a_majority(leader))

    @action(by="leader", says="{leader}, which is no voter any more, resigns")
    def resign_when_removed(self, leader: Voter) -> None:
        """RemoveVoterHandler.highWatermarkUpdated: the VotersRecord without the leader is committed, so it resigns."""
        require(self.voters[leader].role == Role.LEADER)
        require(leader not in self.last_voters(leader))
        require(leader not in self.voters_before(leader, self.voters[leader].hw))
        self.forget(leader)
        self.voters[leader].role = Role.RESIGNED


@dataclass(frozen=True)
class ReconfigurationBounds(QuorumBounds):
    """Three voters and one failover. The bug of Raft's single-server changes needs four voters, and three epochs."""

    voters: int = bound(
        3, least=1, most=4, help="the number of replicas, voters at first", why="each one multiplies the states"
    )
    log_size: int = bound(
        3, least=1, most=6, help="the number of offsets in a log", why="each offset multiplies the number of states"
    )
    max_epoch: int = bound(
        2, least=1, most=8, help="the greatest epoch", why="each epoch multiplies the number of states"
    )


class QuorumReconfiguration(Reconfiguration, Restart, OneStepElectionProperties, Commits, Views):
    """Kafka 3.9 and later, kraft.version 1: a quorum whose voters are added and removed one at a time (KIP-853)."""

    name: ClassVar[str] = "quorum-reconfiguration"
    bounds: ReconfigurationBounds

    committed_is_on_a_majority = None  # type: ignore[assignment]  # taken away
    follower_truncates = None  # type: ignore[assignment]  # taken away

    @action(by="voter", says="{voter} restarts")
    def restart(self, voter: Voter) -> None:
        """As in the quorum; but where a leader is that is no voter any more, nothing on the disk says.

        Whoever followed such a leader knows it, and is unattached until it hears of it (QuorumState.initialize).
        """
        super().restart(voter)
        if self.voters[voter].role == Role.FOLLOWER and self.voters[voter].leader not in self.voters_of(voter):
            self.voters[voter].role = Role.UNATTACHED

    # -- what must always be true ---------------------------------------------------------------------------------

    def may_win(self, v: Identifier) -> bool:
        """Whether a majority of the voters that v knows, and v is one of them, would vote for it."""
        return v in self.voters_of(v) and self.is_majority_for(
            v, Set(other for other in self.voters if self.is_not_behind(v, other))
        )

    def majorities_overlap(self, a: Set[Identifier], b: Set[Identifier]) -> bool:
        """Whether every majority of one set of voters and every majority of the other have a voter in common."""
        shared = len(a & b)
        of_a = max(0, len(a) // 2 + 1 - (len(a) - shared))
        of_b = max(0, len(b) // 2 + 1 - (len(b) - shared))
        return of_a + of_b > shared

    @invariant
    def who_may_win_holds_committed(self) -> bool:
        """Whoever could be elected, by the voters in its own log, holds every committed record."""
        return all(self.holds_committed(v) for v in self.voters if self.may_win(v))

    @invariant
    def majorities_intersect(self) -> bool:
        """Of two that could be elected, by whatever voters each knows, no two majorities are disjoint."""
        return all(
            self.majorities_overlap(self.voters_of(a), self.voters_of(b))
            for a in self.voters
            if self.may_win(a)
            for b in self.voters
            if self.may_win(b)
        )

    @invariant
    def who_resigned_has_led(self) -> bool:
        """Only who led its epoch has resigned in it (ResignedState names itself as the leader)."""
        return all(self.voters[v].leader == v for v in self.voters if self.voters[v].role == Role.RESIGNED)

    @action_property
    def only_voters_are_elected(self, new: Self) -> bool:
        """Who comes to lead is a voter by its own log (KafkaRaftClient asks for votes only if it is one)."""
        return all(
            v in self.voters_of(v)
            for v in self.voters
            if new.voters[v].role == Role.LEADER and self.voters[v].role != Role.LEADER
        )

    # -- what must happen in the end ------------------------------------------------------------------------------

    @leads_to(fair=("begin_quorum_epoch", "fetch", "truncate"), parts=("fetch_snapshot",))
    def voter_change_completes(self, leader: Voter) -> tuple[bool, bool]:
        """A change of the voters is committed, if the leader goes on leading and nobody begins a later epoch."""
        waits = self.leads_all(leader) and self.is_change_pending(leader)
        return waits, not waits

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def voter_added(self) -> bool:
        """A VotersRecord that adds a voter is committed."""
        return any(
            len(self.committed[o].voters) > len(self.committed[o - 1].voters) for o in range(1, len(self.committed))
        )

    @reachable
    def leader_removed(self) -> bool:
        """A leader has removed itself; that is committed, and it leads no more."""
        return any(
            self.voters[v].role == Role.RESIGNED and v not in self.committed.last.voters
            for v in self.voters
            if len(self.committed) > 0
        )

    @reachable
    def removed_leader_leads(self) -> bool:
        """A leader that has removed itself leads on until others have committed that."""
        return any(self.voters[v].role == Role.LEADER and v not in self.voters_of(v) for v in self.voters)

    @reachable
    def change_taken_back(self, new: Self) -> bool:
        """A follower truncates a VotersRecord, and has the voters before it again."""
        return any(new.end(v) < self.end(v) and new.voters_of(v) != self.voters_of(v) for v in self.voters)
