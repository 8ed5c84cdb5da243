"""The voting under Paxos: acceptors vote in ballots so that no two values can be chosen.

Source: tlaplus/Examples, `PaxosHowToWinATuringAward/MCVoting`; L. Lamport, "How to Win a Turing Award".
States:
    Voting(acceptors=3, values=2, max_ballot=2): 6752, depth 16
Awkward: a set of pairs of a ballot and a value, one a ballot, is a map; quorums are a set with a guard on its size, and
where a quorum exists, its members are counted; -1 is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from epochal.language import (
    Bounds,
    Identifier,
    Identifiers,
    Integers,
    Map,
    Protocol,
    Set,
    action,
    action_property,
    bound,
    invariant,
    reachable,
    require,
)


@dataclass(frozen=True)
class VotingBounds(Bounds):
    acceptors: int = bound(3, least=1, most=5, help="the number of acceptors")
    values: int = bound(2, least=1, most=3, help="the number of values that can be chosen")
    max_ballot: int = bound(2, least=0, most=3, help="the greatest ballot")


Acceptor = Annotated[Identifier, Identifiers("a", VotingBounds.acceptors)]
Value = Annotated[Identifier, Identifiers("v", VotingBounds.values)]
Ballot = Annotated[int, Integers(0, VotingBounds.max_ballot)]


class Voting(Protocol):
    """An acceptor votes in a ballot for a value of which a quorum shows that it is safe."""

    bounds: VotingBounds
    votes: Map[Acceptor, Map[Ballot, Value | None]]
    joined: Map[Acceptor, Ballot | None]

    def has_joined(self, a: Acceptor, ballot: int) -> bool:
        """Whether an acceptor has joined this ballot or a later one."""
        joined = self.joined[a]
        return joined is not None and joined >= ballot

    def is_quorum(self, acceptors: Set[Acceptor]) -> bool:
        """Whether it is a smallest majority."""
        return len(acceptors) == self.bounds.acceptors // 2 + 1

    def shows_safe(self, quorum: Set[Acceptor], ballot: int, value: Value) -> bool:
        """Whether these have joined the ballot, and voted for the value in the last one before in which any voted."""
        return all(self.has_joined(a, ballot) for a in quorum) and any(
            (c < 0 or any(self.votes[a][c] == value for a in quorum))
            and all(self.votes[a][d] is None for d in range(c + 1, ballot) for a in quorum)
            for c in range(-1, ballot)
        )

    @action(by="a", says="{a} joins ballot {ballot}")
    def join(self, a: Acceptor, ballot: Ballot) -> None:
        require(not self.has_joined(a, ballot))
        self.joined[a] = ballot

    @action(by="a", says="{a} votes for {value} in ballot {ballot}, which {quorum} show to be safe")
    def vote(self, a: Acceptor, ballot: Ballot, value: Value, quorum: Set[Acceptor]) -> None:
        require(not self.has_joined(a, ballot + 1) and self.votes[a][ballot] is None)
        require(all(self.votes[c][ballot] in (None, value) for c in self.votes))
        require(self.is_quorum(quorum) and self.shows_safe(quorum, ballot, value))
        self.votes[a][ballot] = value
        self.joined[a] = ballot

    def is_chosen(self, value: Value) -> bool:
        """Whether a quorum has voted for a value in one ballot."""
        return any(
            sum(1 for a in self.votes if self.votes[a][ballot] == value) > self.bounds.acceptors // 2
            for ballot in range(self.bounds.max_ballot + 1)
        )

    def is_safe(self, ballot: int, value: Value) -> bool:
        """Whether no other value was chosen or can still be in an earlier ballot."""
        return all(
            sum(
                1
                for a in self.votes
                if self.votes[a][c] == value or (self.votes[a][c] is None and self.has_joined(a, c + 1))
            )
            > self.bounds.acceptors // 2
            for c in range(ballot)
        )

    @invariant
    def votes_are_safe(self) -> bool:
        """Who votes for a value does so where it is safe."""
        return all(
            self.votes[a][ballot] != value or self.is_safe(ballot, value)
            for a in self.votes
            for ballot in range(self.bounds.max_ballot + 1)
            for value in self.each(Value)
        )

    @invariant
    def one_is_chosen(self) -> bool:
        """Not two values are chosen."""
        return sum(1 for value in self.each(Value) if self.is_chosen(value)) <= 1

    @action_property
    def implements_consensus(self, new: Self) -> bool:
        """What is chosen stays chosen."""
        return all(not self.is_chosen(value) or new.is_chosen(value) for value in self.each(Value))

    @reachable
    def some_value_is_chosen(self) -> bool:
        """A value is chosen."""
        return any(self.is_chosen(value) for value in self.each(Value))
