"""A transaction is committed by an instance of Paxos for each resource manager.

Source: tlaplus/Examples, `transaction_commit/PaxosCommit`; J. Gray and L. Lamport, "Consensus on Transaction Commit".
States:
    PaxosCommit(managers=2, acceptors=3, max_ballot=1): 1321761, depth 28
Awkward: one set of messages of five kinds becomes five variables; quorums are a set with a guard on its size.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds,
    Identifier,
    Identifiers,
    Integers,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    bound,
    invariant,
    reachable,
    require,
)


@dataclass(frozen=True)
class CommitBounds(Bounds):
    managers: int = bound(2, least=1, most=4, help="the number of resource managers")
    acceptors: int = bound(3, least=1, most=5, help="the number of acceptors")
    max_ballot: int = bound(1, least=0, most=2, help="the greatest ballot; 0 is the manager's own")


Manager = Annotated[Identifier, Identifiers("r", CommitBounds.managers)]
Acceptor = Annotated[Identifier, Identifiers("a", CommitBounds.acceptors)]
Ballot = Annotated[int, Integers(0, CommitBounds.max_ballot)]
State = enum.Enum("State", ["WORKING", "PREPARED", "COMMITTED", "ABORTED"])
Decision = enum.Enum("Decision", ["COMMIT", "ABORT"])
Vote = enum.Enum("Vote", ["PREPARED", "ABORTED"])


class Acceptance(Struct):
    """What an acceptor knows in one instance: the ballot it has joined, and its last vote."""

    joined: Ballot
    ballot: Ballot | None
    vote: Vote | None


class Promise(Struct):
    """What an acceptor has answered when it joined a ballot: its last vote until then."""

    ballot: Ballot | None
    vote: Vote | None


class PaxosCommit(Protocol):
    """An instance of Paxos for each manager decides whether it has prepared. Ballot 0 is the manager's own proposal,
    later ones are those of whoever believes to lead.

    The set of all messages is split by what they are. Of some there can be one only: a proposal
    for an instance and a ballot (`proposed`), and an answer of an acceptor to a ballot (`promised`), since it answers
    higher ballots alone. A vote says no value (`voted`), because its ballot proposes one only. `None` stands for
    ballot -1.
    """

    bounds: CommitBounds
    states: Map[Manager, State]
    accepted: Map[Manager, Map[Acceptor, Acceptance]]
    begun: Map[Manager, Set[Ballot]]
    promised: Map[Manager, Map[Acceptor, Map[Ballot, Promise | None]]]
    proposed: Map[Manager, Map[Ballot, Vote | None]]
    voted: Map[Manager, Map[Acceptor, Set[Ballot]]]
    told: Set[Decision]

    def chosen(self, r: Manager, vote: Vote) -> bool:
        """Whether a majority has voted for this in one ballot of an instance."""
        return any(
            self.proposed[r][ballot] == vote
            and 2 * sum(1 for a in self.voted[r] if ballot in self.voted[r][a]) > self.bounds.acceptors
            for ballot in self.proposed[r]
        )

    def allowed(self, r: Manager, ballot: Ballot, majority: Set[Acceptor]) -> Vote:
        """What these acceptors allow to propose: the vote of the greatest ballot in which one of them has voted."""
        vote = Vote.ABORTED
        for earlier in self.proposed[r]:
            for a in majority:
                promise = self.promised[r][a][ballot]
                if promise is not None and promise.ballot == earlier and promise.vote is not None:
                    vote = promise.vote
        return vote

    @action(by="r", says="{r} prepares")
    def prepare(self, r: Manager) -> None:
        require(self.states[r] == State.WORKING)
        self.states[r] = State.PREPARED
        self.proposed[r][0] = Vote.PREPARED

    @action(by="r", says="{r} aborts by itself")
    def abort_alone(self, r: Manager) -> None:
        require(self.states[r] == State.WORKING)
        self.states[r] = State.ABORTED
        self.proposed[r][0] = Vote.ABORTED

    @action(by="r", says="{r} is told: {decision}")
    def learn(self, r: Manager, decision: Decision) -> None:
        require(decision in self.told)
        self.states[r] = State.COMMITTED if decision == Decision.COMMIT else State.ABORTED

    @action(by="a leader", says="a leader begins ballot {ballot} for {r}")
    def begin(self, r: Manager, ballot: Ballot) -> None:
        require(ballot > 0)
        self.begun[r] = self.begun[r] | {ballot}

    @action(by="a", says="{a} joins ballot {ballot} for {r}")
    def join(self, r: Manager, a: Acceptor, ballot: Ballot) -> None:
        own = self.accepted[r][a]
        require(ballot in self.begun[r] and own.joined < ballot)
        self.promised[r][a][ballot] = Promise(ballot=own.ballot, vote=own.vote)
        self.accepted[r][a].joined = ballot

    @action(by="a leader", says="a leader proposes in ballot {ballot} for {r} what {majority} allow")
    def propose(self, r: Manager, ballot: Ballot, majority: Set[Acceptor]) -> None:
        require(ballot > 0 and self.proposed[r][ballot] is None)
        require(len(majority) == self.bounds.acceptors // 2 + 1)
        require(all(self.promised[r][a][ballot] is not None for a in majority))
        self.proposed[r][ballot] = self.allowed(r, ballot, majority)

    @action(by="a", says="{a} votes in ballot {ballot} for {r}")
    def vote(self, r: Manager, a: Acceptor, ballot: Ballot) -> None:
        vote = self.proposed[r][ballot]
        require(vote is not None and self.accepted[r][a].joined <= ballot)
        self.accepted[r][a] = Acceptance(joined=ballot, ballot=ballot, vote=vote)
        self.voted[r][a] = self.voted[r][a] | {ballot}

    @action(by="a leader", says="a leader tells that all have prepared")
    def tell_commit(self) -> None:
        require(all(self.chosen(r, Vote.PREPARED) for r in self.states))
        self.told = self.told | {Decision.COMMIT}

    @action(by="a leader", says="a leader tells that one has aborted")
    def tell_abort(self) -> None:
        require(any(self.chosen(r, Vote.ABORTED) for r in self.states))
        self.told = self.told | {Decision.ABORT}

    @invariant
    def one_is_chosen(self) -> bool:
        """No instance chooses both."""
        return all(not (self.chosen(r, Vote.PREPARED) and self.chosen(r, Vote.ABORTED)) for r in self.states)

    @invariant
    def consistent(self) -> bool:
        """None has aborted where another has committed."""
        return not {State.COMMITTED, State.ABORTED} <= {self.states[r] for r in self.states}

    @reachable
    def all_commit(self) -> bool:
        """All have committed."""
        return all(self.states[r] == State.COMMITTED for r in self.states)

    @reachable
    def all_abort(self) -> bool:
        """All have aborted."""
        return all(self.states[r] == State.ABORTED for r in self.states)
