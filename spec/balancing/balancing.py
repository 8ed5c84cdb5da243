"""Balancing leaders over three partitions: what both controllers do, and what must be true of it.

A controller looks at all partitions, decides for which of them it wants the preferred leader back, and elects these
one at a time. Brokers fail and come back in between, so a decision may be out of date when its turn comes. What each
controller decides is a subclass (`policies`). Failures are bounded; what heals and what balances is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from ..language import *


@dataclass(frozen=True)
class BalancingBounds(Bounds):
    """Three partitions with a replica on each of three brokers."""

    brokers: int = bound(
        3, least=2, most=4, help="the number of brokers", why="every partition has a replica on each of them"
    )
    partitions: int = bound(
        3, least=1, most=4, help="the number of partitions", why="each has a leader and an ISR of its own"
    )
    failures: int = bound(2, least=0, most=3, help="the number of times a broker fails")


B = BalancingBounds

Broker = Annotated[Identifier, Identifiers("b", B.brokers)]
Partition = Annotated[int, Integers(0, B.partitions - 1)]


class PartitionState(Struct, text="{leader} {isr}, preferred {preferred}"):
    """A partition: its leader, its ISR, and the preferred leader, which is the first of its replicas."""

    preferred: Broker
    leader: Broker | None
    isr: Set[Broker]


class Balancing(Protocol):
    """State: the partitions, the brokers that are alive, and the partitions that a round has yet to come to.

    `failed` counts the failures.
    """

    bounds: BalancingBounds

    partitions: Map[Partition, PartitionState]
    alive: Set[Broker]
    to_elect: Set[Partition]
    failed: Bookkeeping[Annotated[int, Integers(0, B.failures)]]

    checks_availability: ClassVar[bool] = True
    """Whether a preferred leader must be alive and in the ISR; if not, PREFERRED_LEADER_NOT_AVAILABLE (KIP-460)."""

    def initial(self, common: Broker, other: Broker) -> None:  # one state for each choice
        """All partitions but one prefer the same broker; everything is well."""
        self.alive = Set(self.each(Broker))
        for p in self.partitions:
            preferred = other if p == 0 else common
            self.partitions[p] = PartitionState(preferred=preferred, leader=preferred, isr=self.alive)

    # -- words ----------------------------------------------------------------------------------------------------

    def is_balanced(self, p: int) -> bool:
        """Whether the preferred leader leads the partition."""
        return self.partitions[p].leader == self.partitions[p].preferred

    def imbalance(self) -> int:
        """How many partitions are not led by their preferred leader."""
        return sum(1 for p in self.partitions if not self.is_balanced(p))

    def may_lead(self, p: int, broker: Identifier) -> bool:
        """Whether a clean election may choose the broker."""
        return broker in self.partitions[p].isr and broker in self.alive

    def is_well(self) -> bool:
        """Whether every broker is alive and in every ISR, so that any preferred leader may lead."""
        return all(self.may_lead(p, b) for p in self.partitions for b in self.each(Broker))

    def has_work(self) -> bool:
        """Whether the policy wants anything changed."""
        return self.imbalance() > 0

    # -- balancing ------------------------------------------------------------------------------------------------

    @action(by="controller", says="The controller elects the preferred leader of partition {partition}", fair="weak")
    def elect_preferred(self, partition: Partition) -> None:
        """ElectLeaders PREFERRED (KIP-460): the next partition of the round. If it cannot be, all stays as it is."""
        require(partition in self.to_elect)
        self.to_elect -= {partition}
        preferred = self.partitions[partition].preferred
        if not self.checks_availability or self.may_lead(partition, preferred):
            self.partitions[partition].leader = preferred

    # -- what happens meanwhile -----------------------------------------------------------------------------------

    @action(by="broker", says="{broker} fails")
    def fail(self, broker: Broker) -> None:
        """A broker leaves every ISR of which it is not the last member; partitions that it led have no leader."""
        require(self.failed < self.bounds.failures)
        require(broker in self.alive)
        self.failed += 1
        self.alive -= {broker}
        for p in self.partitions:
            if self.partitions[p].leader == broker:
                self.partitions[p].leader = None
            if self.partitions[p].isr != Set({broker}):
                self.partitions[p].isr -= {broker}

    @action(
        by="controller",
        to="leader",
        says="The controller elects {leader} for partition {partition}",
        fair="weak",
        each=("partition",),
    )
    def elect_online(self, partition: Partition, leader: Broker) -> None:
        """A partition without a leader gets any live member of its ISR."""
        require(self.partitions[partition].leader is None)
        require(self.may_lead(partition, leader))
        self.partitions[partition].leader = leader

    @action(by="broker", says="{broker} comes back", fair="weak")
    def come_back(self, broker: Broker) -> None:
        """The broker is alive again, and in no ISR that it has left."""
        require(broker not in self.alive)
        self.alive |= {broker}

    @action(
        by="leader",
        to="broker",
        says="{broker} rejoins the ISR of partition {partition}",
        fair="weak",
        each=("partition", "broker"),
    )
    def rejoin(self, partition: Partition, broker: Broker) -> None:
        """A follower that has caught up with the leader joins the ISR."""
        require(self.partitions[partition].leader is not None)
        require(broker in self.alive and broker not in self.partitions[partition].isr)
        self.partitions[partition].isr |= {broker}

    # -- what must hold -------------------------------------------------------------------------------------------

    @invariant
    def leader_in_isr(self) -> bool:
        """The leader of a partition, if it has one, is alive and in the ISR."""
        return all(
            any(self.partitions[p].leader == b and self.may_lead(p, b) for b in self.alive)
            for p in self.partitions
            if self.partitions[p].leader is not None
        )

    @action_property
    def elected_from_the_isr(self, new: Self) -> bool:
        """Whoever becomes leader was alive and in the ISR before."""
        return all(
            new.partitions[p].leader != b or self.partitions[p].leader == b or self.may_lead(p, b)
            for p in self.partitions
            for b in self.each(Broker)
        )

    @action_property
    def elections_reduce_the_imbalance(self, new: Self) -> bool:
        """When a live leader is replaced, one partition fewer is not led by its preferred leader."""
        replaced = any(
            self.partitions[p].leader is not None
            and new.partitions[p].leader is not None
            and new.partitions[p].leader != self.partitions[p].leader
            for p in self.partitions
        )
        return not replaced or new.imbalance() < self.imbalance()

    @action_property
    def only_failures_add_to_the_imbalance(self, new: Self) -> bool:
        """Unless a broker fails, the number of partitions without their preferred leader never grows.

        So balancing ends: between two failures there are at most as many elections by it as partitions.
        """
        return new.failed > self.failed or new.imbalance() <= self.imbalance()

    @leads_to(fair=("begin_round", "elect_preferred", "elect_online", "come_back", "rejoin"))
    def policy_is_satisfied(self) -> tuple[bool, bool]:
        """Whatever the policy wants changed is changed in the end."""
        return self.has_work(), not self.has_work()

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def preferred_leader_returns(self, new: Self) -> bool:
        """A preferred leader takes a partition back from a live leader."""
        return any(
            self.partitions[p].leader is not None and not self.is_balanced(p) and new.is_balanced(p)
            for p in self.partitions
        )

    @reachable
    def decision_out_of_date(self) -> bool:
        """A preferred leader that a round has decided to elect is not available any more, or not yet."""
        return self.bounds.failures == 0 or any(
            not self.may_lead(p, self.partitions[p].preferred) for p in self.to_elect
        )

    # -- words for people -----------------------------------------------------------------------------------------

    @view(of="controller")
    def round_in_words(self) -> str:
        """The partitions that a round has yet to come to."""
        return f"has yet to balance {self.to_elect}" if self.to_elect else ""

    @view(of="broker")
    def broker_in_words(self, broker: Broker) -> str:
        """Which partitions a broker leads, which prefer it, and of which it is in the ISR."""
        led = Set(p for p in self.partitions if self.partitions[p].leader == broker)
        preferring = Set(p for p in self.partitions if self.partitions[p].preferred == broker)
        member = Set(p for p in self.partitions if broker in self.partitions[p].isr)
        alive = "" if broker in self.alive else "down, "
        wanted = f", preferred by {preferring}" if preferring else ""
        return f"{alive}leads {led}{wanted}, in the ISR of {member}"
