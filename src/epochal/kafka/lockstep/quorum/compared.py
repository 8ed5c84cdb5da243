"""The state of Kafka's voters and that of the model in the same form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from epochal.spec.quorum.reconfiguration import VoterSets
from epochal.spec.quorum.snapshots import Snapshots
from epochal.spec.quorum.state import QuorumState, Role

from ..compared import NOBODY, shown
from ..family import Leaves

EMPTY = "empty"
UNKNOWN_VOTER = 0
"""How the harness writes that nobody is known."""


class BatchSeen(NamedTuple):
    """A batch in a log, which is a record of the model: its epoch, who wrote it, and the voters if it names them."""

    epoch: int
    leader: int
    voters: frozenset[int] = frozenset()


class QuorumShape(NamedTuple):
    """What a protocol has beside the quorum itself, and is therefore compared.

    `pre_votes`: voters ask for them, so that whether somebody has fetched matters. `snapshots`: logs begin somewhere.
    `changes`: the voters are those that the log names. `one_step`: an election is a step, and nobody competes.
    """

    pre_votes: bool
    snapshots: bool
    changes: bool
    one_step: bool


def shape_of(protocol: QuorumState) -> QuorumShape:
    """What there is to compare in a protocol."""
    actions = {member.name for member in protocol.members("action")}
    return QuorumShape(
        "pre_vote" in actions, isinstance(protocol, Snapshots), isinstance(protocol, VoterSets), "elect" in actions
    )


class VoterSeen(NamedTuple):
    """What a voter of Kafka knows; 0 is nobody. Offsets count batches."""

    role: str
    epoch: int
    leader: int
    voted_for: int
    votes: frozenset[int]
    has_fetched: bool
    high_watermark: int
    start: int
    snapshot: int
    log: tuple[BatchSeen, ...]
    acknowledged: Mapping[int, int]
    counts: frozenset[int]

    def vote(self, id: int) -> int:
        """For whom it voted, as far as the specification remembers it: once the leader is known, only for itself."""
        kept = self.leader == UNKNOWN_VOTER or (self.voted_for == id != self.leader)
        return self.voted_for if kept else UNKNOWN_VOTER

    @property
    def leads(self) -> bool:
        """Whether it leads."""
        return self.role == Role.LEADER.name

    @property
    def has_led(self) -> bool:
        """Whether it leads, or has resigned in the step that committed that it does not any more."""
        return self.role in (Role.LEADER.name, Role.RESIGNED.name)

    @property
    def epoch_start(self) -> int:
        """The offset of the first batch of its epoch, which is its LeaderChange record if it leads."""
        return next((offset for offset, batch in enumerate(self.log) if batch.epoch >= self.epoch), len(self.log))

    @property
    def known_copies(self) -> Mapping[int, int]:
        """How far others hold a leader's log, as far as that is of use: beyond its epoch's start and high watermark."""
        least = max(self.epoch_start, self.high_watermark)
        return {voter: end for voter, end in self.acknowledged.items() if end > least} if self.leads else {}


Seen = Mapping[int, VoterSeen]
"""All voters, by their ids in Kafka."""


def read_state(answer: str) -> Seen:
    """What the harness says of all voters."""
    return dict(_voter(one) for one in answer.split("#"))


def _voter(said: str) -> tuple[int, VoterSeen]:
    id, role, epoch, leader, voted, votes, fetched, hw, start, snapshot, log, acknowledged, counts = said.split(";")
    copies = (one.split("=") for one in acknowledged.split(",") if one)
    seen = VoterSeen(
        role,
        int(epoch),
        int(leader),
        int(voted),
        _ids(votes),
        fetched == "1",
        int(hw),
        int(start),
        int(snapshot),
        tuple(read_batch(one) for one in log.split(",") if one),
        {int(voter): int(end) for voter, end in copies},
        _ids(counts),
    )
    return int(id), seen


def _ids(said: str, separator: str = ",") -> frozenset[int]:
    return frozenset(int(one) for one in said.split(separator) if one)


def read_batch(said: str) -> BatchSeen:
    """A batch as the harness writes it: `leader@epoch`, and `leader@epoch/1.2` if it names the voters."""
    written, _, voters = said.partition("/")
    leader, epoch = written.split("@")
    return BatchSeen(int(epoch), int(leader), _ids(voters, "."))


# -- leaves -----------------------------------------------------------------------------------------------------------


def kafka_leaves(
    seen: Seen, applied: Mapping[str, Sequence[BatchSeen]], names: Mapping[int, str], shape: QuorumShape
) -> Leaves:
    """The leaves of Kafka's state. `applied` are what brokers were told."""

    def name(voter: int) -> str:
        return names.get(voter, NOBODY)

    def written(log: Iterable[BatchSeen]) -> str:
        return " ".join(f"{name(one.leader)}@e{one.epoch}" for one in log) or EMPTY

    leaves: dict[str, str] = {}
    for id, own in sorted(seen.items()):
        leaves |= {
            f"{name(id)} role": own.role.lower(),
            f"{name(id)} epoch": str(own.epoch),
            f"{name(id)} leader": name(own.leader),
            f"{name(id)} voted for": name(own.vote(id)),
            f"{name(id)} has the votes of": shown(map(name, sorted(own.votes))),
            f"{name(id)} log": written(own.log),
            f"{name(id)} high watermark": str(own.high_watermark),
        }
        if shape.pre_votes:
            leaves[f"{name(id)} has fetched"] = str(own.has_fetched)
        if shape.snapshots:
            leaves[f"{name(id)} log start"] = str(own.start)
            leaves[f"{name(id)} snapshot to"] = str(own.snapshot)
        if shape.changes:
            leaves[f"{name(id)} counts the voters"] = shown(map(name, sorted(own.counts)))
        for other, end in sorted(own.known_copies.items()):
            leaves[f"{name(id)} knows its log copied by {name(other)} to"] = str(end)
    return leaves | {f"{broker} has applied": written(log) for broker, log in applied.items()}


def model_leaves(protocol: QuorumState, shape: QuorumShape) -> Leaves:
    """The leaves of the model's state. A change of the voters may commit what a leader knew to be copied already."""
    state: Any = protocol

    def written(log: Iterable[Any]) -> str:
        return " ".join(f"{one.leader}@e{one.epoch}" for one in log) or EMPTY

    leaves: dict[str, str] = {}
    for one in state.voters:
        own = state.voters[one]
        counts = state.voters_of(one) if shape.changes else state.voters
        leaves |= {
            f"{one} role": own.role.name.lower(),
            f"{one} epoch": str(own.epoch),
            f"{one} leader": NOBODY if own.leader is None else str(own.leader),
            f"{one} voted for": NOBODY if own.voted_for is None else str(own.voted_for),
            f"{one} has the votes of": shown(str(other) for other in state.voters if other in own.votes),
            f"{one} log": written(own.log),
            f"{one} high watermark": str(own.hw),
        }
        if shape.pre_votes:
            leaves[f"{one} has fetched"] = str(own.has_fetched)
        if shape.snapshots:
            leaves[f"{one} log start"] = str(own.start)
            leaves[f"{one} snapshot to"] = str(own.snapshot)
        if shape.changes:
            leaves[f"{one} counts the voters"] = shown(str(other) for other in state.voters if other in counts)
        for other in state.voters:
            if own.acknowledged[other] > own.hw and other in counts:
                leaves[f"{one} knows its log copied by {other} to"] = str(own.acknowledged[other])
    return leaves | {f"{broker} has applied": written(state.applied[broker]) for broker in state.applied}
