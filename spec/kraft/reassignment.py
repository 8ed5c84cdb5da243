"""KIP-455: a replica is taken from the partition and given back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from spec.language import Identifier, Integers, Map, Set, action, bound, require

from .broker_lifecycle import BrokerLifecycle
from .state import UNKNOWN, Age, KraftBounds, Replica


@dataclass(frozen=True)
class ReassignmentBounds(KraftBounds):
    """As always, and how often the partition is reassigned."""

    reassignments: int = bound(1, least=0, most=3, help="the number of replicas taken from the partition")


class Reassignment(BrokerLifecycle):
    """A reassignment to fewer replicas is complete at once; one to more is complete when the new one is in the ISR.

    `replicas[n]` are the replicas as of `metadata[n]`.
    """

    bounds: ReassignmentBounds

    replicas: Map[Age, Set[Replica]]
    reassigned: Annotated[int, Integers(0, ReassignmentBounds.reassignments)]

    def initial(self, leader: Replica) -> None:  # type: ignore[override]
        """As always, and every broker has a replica."""
        super().initial(leader)
        self.replicas[0] = Set(self.brokers)

    def has_replica(self, r: Identifier, known_to: Identifier) -> bool:
        """Whether r belongs to the partition, for all that a broker knows."""
        return r in self.replicas[self.brokers[known_to].behind]

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        """As always, and both know that the follower has a replica; else the answer is UNKNOWN_LEADER_EPOCH."""
        return (
            super().follows(follower, leader)
            and self.has_replica(follower, follower)
            and self.has_replica(follower, leader)
        )

    # -- the controller -------------------------------------------------------------------------------------------

    @action(by="controller", to="replica", says="The partition is reassigned to all replicas but {replica}")
    def remove_replica(self, replica: Replica) -> None:
        """AlterPartitionReassignments: the replica leaves at once, and the leader epoch grows."""
        require(self.reassigned < self.bounds.reassignments)
        require(replica in self.replicas[0] and self.metadata[0].leader is not None)
        require(self.metadata[0].leader != replica)
        self.reassigned += 1
        now = self.metadata[0]
        leader, epoch, isr, left = now.leader, now.leader_epoch + 1, now.isr - {replica}, self.replicas[0] - {replica}
        self.append_change(leader, epoch, isr)
        self.replicas[0] = left
        self.recovery.elr -= {replica}

    @action(by="controller", to="replica", says="The partition is reassigned to {replica} as well", fair="weak")
    def add_replica(self, replica: Replica) -> None:
        """AlterPartitionReassignments: the replica is added, and may join the ISR when it has caught up."""
        require(replica not in self.replicas[0])
        now = self.metadata[0]
        leader, epoch, isr, more = now.leader, now.leader_epoch, now.isr, self.replicas[0] | {replica}
        self.append_change(leader, epoch, isr)
        self.replicas[0] = more

    # -- the brokers ----------------------------------------------------------------------------------------------

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        """As always. The replicas stay the same, unless the caller changes them."""
        for age in reversed(range(self.bounds.metadata_lag)):
            self.replicas[age + 1] = self.replicas[age]
        super().append_change(leader, leader_epoch, isr)

    def matters_to(self, r: Identifier, leader: Identifier | None, leader_epoch: int) -> bool:
        """Every change may be about a broker's own replica."""
        return True

    def ends_a_batch(self, broker: Identifier, age: int) -> bool:
        """So a batch may end anywhere."""
        return True

    def forget_replayed_changes(self) -> None:
        """As always, the replicas included."""
        super().forget_replayed_changes()
        for age in range(1, self.bounds.metadata_lag + 1):
            if all(self.brokers[r].behind < age for r in self.brokers):
                self.replicas[age] = Set()

    def act_on_metadata(self, broker: Identifier, led_before: bool, new_epoch: bool) -> None:
        """As always; a broker without a replica deletes its log, and a leader forgets who has none.

        A broker that replays in one batch that it lost its replica and has it again does nothing of the kind.
        """
        if not self.has_replica(broker, broker):
            self.truncate(broker, 0)
        for follower in self.brokers[broker].followers:
            if not self.has_replica(follower, broker):
                self.brokers[broker].followers[follower] = UNKNOWN
        super().act_on_metadata(broker, led_before, new_epoch)

    @action(by="leader", to="follower", says="{leader} proposes {follower} without a fetch")
    def propose_without_fetch(self, leader: Replica, follower: Replica) -> None:
        """What Kafka never does: the leader looks at what it remembers of a follower, and proposes it for the ISR."""
        require(not self.settings.joins_by_fetch_only)
        require(follower != leader)
        require(self.presumes_leadership(leader))
        require(self.has_replica(follower, leader))
        require(self.may_join(leader, follower))
        self.propose(leader, self.view(leader).isr | {follower}, joining=follower)
