"""Asynchronous ISR changes (KIP-497, Kafka 2.7): the leader asks the controller, and meanwhile counts the wider ISR.

One fixed leader. The model shows only that the high watermark stays below what every replica that may be elected holds,
while requests and updates are delayed, reordered and repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from ..language import *


@dataclass(frozen=True)
class AsyncIsrBounds(Bounds):
    """How large the model is. States beyond `max_offset` or `max_version` are checked but not explored further."""

    replicas: int = bound(
        3, least=1, most=4, help="the number of replicas", why="every proposal of an ISR that was ever sent is stored"
    )
    max_offset: int = bound(
        2, least=0, most=12, help="the greatest log end offset of the leader", why="each offset multiplies the states"
    )
    max_version: int = bound(
        2, least=0, most=6, help="the greatest version of the ISR", why="every proposal ever sent is stored"
    )

    def __post_init__(self) -> None:
        """Refuse sizes whose sets of proposals do not fit."""
        proposals = 2**self.replicas * (self.max_version + 2)
        if proposals > 64:
            raise BoundsError(
                (
                    Given("replicas", self.replicas),
                    " with ",
                    Given("max_version", self.max_version),
                    f": {proposals} different proposals are possible, and at most 64 can be stored",
                ),
                advice=(
                    f"With {self.replicas} replicas ",
                    Given("max_version"),
                    f" can be at most {64 // 2**self.replicas - 2}.",
                ),
            )


B = AsyncIsrBounds

Replica = Annotated[Identifier, Identifiers("b", B.replicas)]
Offset = Annotated[int, Integers(0, B.max_offset + 1)]
Version = Annotated[int, Integers(0, B.max_version + 1)]


class VersionedIsr(Struct, text="{isr} v{version}"):
    """An ISR and the version it has, or is based on."""

    isr: Set[Replica]
    version: Version


class LeaderView(Struct):
    """What the leader knows: the ISR it last learnt, and what it has asked for since."""

    isr: Set[Replica]
    version: Version
    pending_isr: Set[Replica]
    pending_version: Version | None


class AsyncIsr(Protocol):
    """Kafka 2.7: the leader proposes ISR changes, and counts the committed and the proposed ISR together (KIP-497).

    Requests and updates are never removed: each may be delayed, repeated and reordered.
    """

    name: ClassVar[str] = "async-isr"
    bounds: AsyncIsrBounds

    controller: VersionedIsr
    leader: LeaderView
    offsets: Map[Replica, Offset]
    requests: Set[VersionedIsr]
    updates: Set[VersionedIsr]

    def initial(self) -> None:
        """Both sides hold the full ISR with version 0, and nothing is pending."""
        self.controller.isr = Set(self.offsets)
        self.leader.isr = Set(self.offsets)

    @constraint
    def within_bounds(self) -> bool:
        """The leader's log and the controller's version stay within the bounds."""
        return (
            self.offsets[self.the_leader()] <= self.bounds.max_offset
            and self.controller.version <= self.bounds.max_version
        )

    # -- words ----------------------------------------------------------------------------------------------------

    def the_leader(self) -> Identifier:
        """The one fixed leader."""
        return self.member(Replica, 0)

    def maximal_isr(self) -> Set[Identifier]:
        """Every replica that is or may become a member of the ISR, for all the leader knows."""
        return self.leader.isr | self.leader.pending_isr

    def high_watermark(self) -> int:
        """The offset below which every member of the maximal ISR holds every record."""
        return min(self.offsets[r] for r in self.maximal_isr())

    def announce(self, isr: Set[Identifier]) -> None:
        """The controller adopts an ISR under the next version and tells the leader."""
        self.controller.isr = isr
        self.controller.version += 1
        self.updates = self.updates | {VersionedIsr(isr=isr, version=self.controller.version)}

    def propose(self, isr: Set[Identifier]) -> None:
        """The leader asks for an ISR, based on the version it knows, and counts its members from now on."""
        self.requests = self.requests | {VersionedIsr(isr=isr, version=self.leader.version)}
        self.leader.pending_isr = self.leader.pending_isr | isr
        self.leader.pending_version = self.leader.version

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(by="controller", to="replica", says="The controller drops {replica} from the ISR")
    def controller_shrinks_isr(self, replica: Replica) -> None:
        """KIP-497: the controller drops a follower whose broker failed, without asking the leader.

        The leader learns the new ISR and its version from an update that may come late.
        """
        require(replica != self.the_leader())
        require(replica in self.controller.isr)
        self.announce(self.controller.isr - {replica})

    @action(by="controller", to="leader", receives="AlterIsr", says="The controller accepts the proposal {request}")
    def controller_handles_request(self, request: VersionedIsr) -> None:
        """KIP-497, AlterIsr: the controller accepts a proposal that is based on its current version.

        One based on an older version is refused with INVALID_UPDATE_VERSION.
        """
        require(request in self.requests)
        require(request.version == self.controller.version)
        self.announce(request.isr)

    @action(by="leader", to="controller", sends="AlterIsr", says="The leader asks to drop {replica} from the ISR")
    def leader_proposes_shrink(self, replica: Replica) -> None:
        """KIP-497: the leader asks to drop a follower, and goes on counting it until the controller has answered.

        It may ask again while a proposal is pending.
        """
        require(replica != self.the_leader())
        require(replica in self.leader.isr)
        self.propose(self.leader.isr - {replica})

    @action(by="leader", to="controller", sends="AlterIsr", says="The leader asks to add {replica} to the ISR")
    def leader_proposes_expansion(self, replica: Replica) -> None:
        """KIP-497: the leader asks to add a follower that has reached the high watermark, and counts it at once.

        Counting it only after the answer would let the high watermark pass a replica that may be elected.
        """
        require(replica not in self.leader.isr)
        require(self.offsets[replica] >= self.high_watermark())
        self.propose(self.leader.isr | {replica})

    @action(by="leader", says="The leader appends a record")
    def leader_write(self) -> None:
        """KIP-497: the leader appends a record; its own log end offset grows by one.

        The model keeps offsets only, because the leader never changes.
        """
        self.offsets[self.the_leader()] += 1

    @action(by="leader", to="controller", receives="LeaderAndIsr", says="The leader learns the ISR {update}")
    def leader_handles_update(self, update: VersionedIsr) -> None:
        """KIP-497: the leader adopts an ISR with a newer version than its own, and forgets what it had proposed.

        An update with a version it already knows is ignored.
        """
        require(update in self.updates)
        require(update.version > self.leader.version)
        self.leader.isr = update.isr
        self.leader.version = update.version
        self.leader.pending_isr = Set()
        self.leader.pending_version = None

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} fetches the next record",
    )
    def follower_replicates(self, follower: Replica) -> None:
        """KIP-497: a follower that lags fetches one record from the leader.

        Followers fetch whether or not they are in the ISR.
        """
        require(follower != self.the_leader())
        require(self.offsets[follower] < self.offsets[self.the_leader()])
        self.offsets[follower] += 1

    # -- properties -----------------------------------------------------------------------------------------------

    @invariant
    def valid_high_watermark(self) -> bool:
        """Every replica that the controller may elect has reached the leader's high watermark."""
        return all(self.offsets[r] >= self.high_watermark() for r in self.controller.isr)

    @action_property
    def versions_only_grow(self, new: Self) -> bool:
        """Neither the controller's version of the ISR nor the leader's ever decreases."""
        return new.controller.version >= self.controller.version and new.leader.version >= self.leader.version

    @reachable
    def proposal_accepted(self, new: Self) -> bool:
        """The controller's ISR grows: it accepts a proposal to add a replica."""
        return any(r in new.controller.isr and r not in self.controller.isr for r in self.offsets)

    @reachable
    def record_committed(self) -> bool:
        """A record is committed: the high watermark passes it."""
        return self.high_watermark() > 0

    # -- words ----------------------------------------------------------------------------------------------------

    @view(of="controller")
    def controller_in_words(self) -> str:
        """The ISR as the controller has it."""
        return f"ISR {shown(self.controller)}"

    @view(of="leader")
    def leader_in_words(self) -> str:
        """The ISR as the leader knows it, and what it has asked for."""
        said = [f"ISR {self.leader.isr} v{self.leader.version}"]
        if self.leader.pending_version is not None:
            said.append(f"has asked for {self.leader.pending_isr}")
        said.append(f"high watermark {self.high_watermark()}")
        return ", ".join(said)

    @view(of="replica")
    def offset_in_words(self, replica: Replica) -> str:
        """Where a replica's log ends."""
        return f"log end {self.offsets[replica]}"

    @view(of="on its way")
    def messages_in_words(self) -> str:
        """What was sent, and may arrive at any time, also again."""
        said = [f"AlterIsr {' '.join(map(shown, self.requests))}"] if self.requests else []
        said += [f"LeaderAndIsr {' '.join(map(shown, self.updates))}"] if self.updates else []
        return ", ".join(said)
