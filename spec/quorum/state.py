"""What the quorum remembers, and the words its rules are told in."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from ..language import *


@dataclass(frozen=True)
class QuorumBounds(Bounds):
    """How large the model is. Voters may restart any number of times: that needs no bound."""

    voters: int = bound(
        3, least=2, most=5, help="the number of voters", why="one voter is no quorum; each more multiplies the states"
    )
    observers: int = bound(
        1, least=1, most=3, help="the number of observers (brokers)", why="each one multiplies the number of states"
    )
    log_size: int = bound(
        2, least=1, most=6, help="the number of offsets in a log", why="each offset multiplies the number of states"
    )
    max_epoch: int = bound(
        4, least=1, most=8, help="the greatest epoch", why="each epoch multiplies the number of states"
    )


B = QuorumBounds

Voter = Annotated[Identifier, Identifiers("v", B.voters)]
Observer = Annotated[Identifier, Identifiers("b", B.observers)]
Epoch = Annotated[int, Integers(0, B.max_epoch)]
Offset = Annotated[int, Integers(0, B.log_size)]


class Role(enum.Enum):
    """What a voter is in its epoch (QuorumState). PROSPECTIVE asks for pre-votes (KIP-996), CANDIDATE for votes."""

    UNATTACHED = enum.auto()
    FOLLOWER = enum.auto()
    PROSPECTIVE = enum.auto()
    CANDIDATE = enum.auto()
    LEADER = enum.auto()
    RESIGNED = enum.auto()


class Record(Struct, text="{leader}@e{epoch}"):
    """A record: the epoch it was written in, and by whom. The first one of an epoch is its LeaderChange record."""

    epoch: Epoch
    leader: Voter


class VoterState(Struct):
    """A voter. The first four fields and no others are on its disk.

    `voted_for` is forgotten once the leader of the epoch is known: either of them forbids any other vote. `votes` are
    the votes, or pre-votes, that were heard of, and `acknowledged` the offsets up to which others have fetched.
    """

    epoch: Epoch
    voted_for: Voter | None
    leader: Voter | None
    log: Annotated[Log[Record], Capacity(B.log_size)]
    role: Role
    hw: Offset
    votes: Set[Voter]
    has_fetched: bool
    acknowledged: Map[Voter, Offset]


class QuorumState(Protocol):
    """The voters, and what each observer has applied.

    `committed` is every record that any leader's high watermark has passed, and `commit_epoch` the epoch of the leader
    that extended it last: history, for properties only.
    """

    bounds: QuorumBounds

    voters: Map[Voter, VoterState]
    applied: Map[Observer, Annotated[Log[Record], Capacity(B.log_size)]]
    committed: Ghost[Annotated[Log[Record], Capacity(B.log_size)]]
    commit_epoch: Ghost[Epoch]

    # -- words ----------------------------------------------------------------------------------------------------

    def is_majority(self, voters: Set[Identifier]) -> bool:
        """Whether these are more than half of the voters."""
        return 2 * len(voters) > self.bounds.voters

    def is_majority_for(self, v: Identifier, voters: Set[Identifier]) -> bool:
        """Whether v takes these for a majority; here everybody knows who the voters are."""
        return self.is_majority(voters)

    def end(self, v: Identifier) -> int:
        """The log end offset of v: the next offset to be written."""
        return len(self.voters[v].log)

    def last_epoch(self, v: Identifier) -> int:
        """The epoch of v's last record; 0 if its log is empty."""
        return self.voters[v].log.last.epoch if self.end(v) > 0 else 0

    def end_of_epoch(self, v: Identifier, epoch: int) -> int:
        """The offset in v's log at which the records of this epoch, and of those before it, end."""
        return min((o for o in range(self.end(v)) if self.voters[v].log[o].epoch > epoch), default=self.end(v))

    def epoch_start(self, leader: Identifier) -> int:
        """The offset of the LeaderChange record that a leader wrote when it took office."""
        return self.end_of_epoch(leader, self.voters[leader].epoch - 1)

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether one voter leads, and the other follows it in the same epoch."""
        return (
            self.voters[leader].role == Role.LEADER
            and self.voters[follower].role == Role.FOLLOWER
            and self.voters[follower].leader == leader
            and self.voters[follower].epoch == self.voters[leader].epoch
        )

    # -- parts of steps -------------------------------------------------------------------------------------------

    def record_of(self, leader: Identifier) -> Record:
        """What a leader writes: that it wrote it in its epoch is all that matters here."""
        return Record(epoch=self.voters[leader].epoch, leader=leader)

    def forget(self, v: Identifier) -> None:
        """What is known only in the present role goes when the role changes."""
        self.voters[v].votes = Set()
        self.voters[v].has_fetched = False
        for other in self.voters:
            self.voters[v].acknowledged[other] = 0

    def follow(self, v: Identifier, epoch: int, leader: Identifier | None) -> None:
        """v enters an epoch, or stays in it, as a follower of its leader; unattached if that is not known."""
        self.forget(v)
        self.voters[v].epoch = epoch
        self.voters[v].voted_for = None
        self.voters[v].leader = leader
        self.voters[v].role = Role.FOLLOWER if leader is not None else Role.UNATTACHED
