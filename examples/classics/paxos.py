"""Paxos without leaders and learners, as Lamport tells it in "How to win a Turing award".

Source: tlaplus/Examples, `PaxosHowToWinATuringAward/MCPaxosTiny`; L. Lamport, "The Part-Time Parliament".
States:
    Paxos(acceptors=3, values=2, max_ballot=1): 3921, depth 17
Awkward: one set of messages of several kinds becomes a variable for each kind; quorums are a set with a guard on its
size, because there is no set of subsets; none stands for ballot -1.
"""

from __future__ import annotations

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
class PaxosBounds(Bounds):
    acceptors: int = bound(3, least=1, most=5, help="the number of acceptors")
    values: int = bound(2, least=1, most=3, help="the number of values that can be proposed")
    max_ballot: int = bound(1, least=0, most=3, help="the greatest ballot")


Acceptor = Annotated[Identifier, Identifiers("a", PaxosBounds.acceptors)]
Value = Annotated[Identifier, Identifiers("v", PaxosBounds.values)]
Ballot = Annotated[int, Integers(0, PaxosBounds.max_ballot)]


class LastVote(Struct):
    """The ballot and the value of an acceptor's last vote, if it has cast any."""

    ballot: Ballot | None
    value: Value | None


class Paxos(Protocol):
    """Acceptors join ballots and vote in them; a ballot proposes what a majority that has joined it allows.

    The set of all messages is split by what they are. Of some there can be one only: a proposal
    of a ballot (`proposed`), and an answer of an acceptor to a ballot (`promised`). A vote says no value (`voted`),
    because its ballot proposes one only. `None` stands for ballot -1.
    """

    bounds: PaxosBounds
    joined: Map[Acceptor, Ballot | None]
    last: Map[Acceptor, LastVote]
    begun: Set[Ballot]
    promised: Map[Acceptor, Map[Ballot, LastVote | None]]
    proposed: Map[Ballot, Value | None]
    voted: Map[Acceptor, Set[Ballot]]

    def votes(self, ballot: Ballot) -> int:
        """How many acceptors have voted in a ballot."""
        return sum(1 for a in self.voted if ballot in self.voted[a])

    def chosen(self, value: Value) -> bool:
        """Whether a majority has voted for a value in one ballot."""
        return any(
            self.proposed[ballot] == value and 2 * self.votes(ballot) > self.bounds.acceptors
            for ballot in self.proposed
        )

    def allows(self, majority: Set[Acceptor], ballot: Ballot, value: Value) -> bool:
        """Whether the last votes of these acceptors, as they joined a ballot, allow it to propose a value.

        They do if none has voted, or if one of those who voted in the greatest ballot did so for this value.
        """
        greatest = -1
        allowed = True
        for a in majority:
            promise = self.promised[a][ballot]
            if promise is not None and promise.ballot is not None:
                if promise.ballot > greatest:
                    greatest = promise.ballot
                    allowed = promise.value == value
                elif promise.ballot == greatest and promise.value == value:
                    allowed = True
        return allowed

    @action(by="a leader", says="ballot {ballot} begins")
    def begin(self, ballot: Ballot) -> None:
        self.begun = self.begun | {ballot}

    @action(by="a", says="{a} joins ballot {ballot}")
    def join(self, a: Acceptor, ballot: Ballot) -> None:
        joined = self.joined[a]
        require(ballot in self.begun and (joined is None or joined < ballot))
        self.promised[a][ballot] = LastVote(ballot=self.last[a].ballot, value=self.last[a].value)
        self.joined[a] = ballot

    @action(by="a leader", says="ballot {ballot} proposes {value}, which {majority} allow")
    def propose(self, ballot: Ballot, value: Value, majority: Set[Acceptor]) -> None:
        require(self.proposed[ballot] is None)
        require(len(majority) == self.bounds.acceptors // 2 + 1)
        require(all(self.promised[a][ballot] is not None for a in majority))
        require(self.allows(majority, ballot, value))
        self.proposed[ballot] = value

    @action(by="a", says="{a} votes in ballot {ballot}")
    def vote(self, a: Acceptor, ballot: Ballot) -> None:
        joined, value = self.joined[a], self.proposed[ballot]
        require(value is not None and (joined is None or joined <= ballot))
        self.joined[a] = ballot
        self.last[a] = LastVote(ballot=ballot, value=value)
        self.voted[a] = self.voted[a] | {ballot}

    @invariant
    def one_is_chosen(self) -> bool:
        """Not two values are chosen."""
        return (
            sum(1 for value in {self.proposed[b] for b in self.proposed} if value is not None and self.chosen(value))
            < 2
        )

    def remembers(self, a: Acceptor) -> bool:
        """Whether an acceptor's last vote is its latest, and for what was proposed, and it has joined that ballot."""
        ballot, joined = self.last[a].ballot, self.joined[a]
        if ballot is None or joined is None:
            return ballot is None and self.last[a].value is None and self.voted[a] == set()
        latest = ballot in self.voted[a] and all(b <= ballot for b in self.voted[a])
        return latest and ballot <= joined and self.proposed[ballot] == self.last[a].value

    @invariant
    def votes_are_remembered(self) -> bool:
        """Each acceptor knows its last vote, and has joined no earlier ballot since."""
        return all(self.remembers(a) for a in self.last)

    @reachable
    def chooses(self) -> bool:
        """Some value is chosen in the last ballot by all acceptors, and another was voted for before."""
        return (
            self.votes(self.bounds.max_ballot) == self.bounds.acceptors
            and self.votes(0) > 0
            and self.proposed[0] != self.proposed[self.bounds.max_ballot]
        )
