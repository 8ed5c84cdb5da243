"""What must always hold in the ZooKeeper era, and what must be possible."""

from __future__ import annotations

from typing import Self

from ..language import action_property, invariant, reachable
from .partition import Partition


class Properties(Partition):
    """The properties of the partition and of its controllers."""

    @invariant
    def leader_completeness(self) -> bool:
        """The partition's leader, once it has taken office, holds every committed record."""
        return all(
            o < self.end(b) and self.brokers[b].log[o] == self.committed[o]
            for b in self.brokers
            if self.is_true_leader(b)
            for o in range(len(self.committed))
        )

    @invariant
    def leader_counts_the_isr(self) -> bool:
        """The partition's leader waits for every replica that the controller may elect before it commits a record."""
        return all(self.partition.isr <= self.counted_isr(b) for b in self.brokers if self.is_true_leader(b))

    @invariant
    def controller_knows_the_leader(self) -> bool:
        """What the controller remembers of the partition's leader and leader epoch is so: nobody else elects."""
        return all(
            self.controllers[c].leader == self.partition.leader
            and self.controllers[c].leader_epoch == self.leader_epoch()
            for c in self.controllers
            if self.controllers[c].elected and c == self.controller_epoch()
        )

    @invariant
    def one_leader_per_epoch(self) -> bool:
        """No two brokers believe that they lead in the same leader epoch."""
        return all(
            a == b or self.brokers[a].leader_epoch != self.brokers[b].leader_epoch
            for a in self.brokers
            if self.presumes_leadership(a)
            for b in self.brokers
            if self.presumes_leadership(b)
        )

    @invariant
    def leader_in_isr(self) -> bool:
        """The partition's leader, when it has one, is a member of the ISR."""
        return self.partition.leader is None or self.partition.leader in self.partition.isr

    @action_property
    def zombies_elect_nobody(self, new: Self) -> bool:
        """A former controller never gives the partition another leader epoch (KAFKA-6082)."""
        return new.leader_epoch() == self.leader_epoch() or new.partition.controller_epoch == self.controller_epoch()

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def record_committed(self) -> bool:
        """A record is committed."""
        return len(self.committed) > 0

    @reachable
    def committed_survives_failover(self) -> bool:
        """A broker leads in a later leader epoch than that of a committed record, and holds it."""
        return any(
            self.is_true_leader(b) and self.brokers[b].leader_epoch > record
            for b in self.brokers
            for record in self.committed
        )

    @reachable
    def second_controller_elects(self) -> bool:
        """A second controller writes the partition's state."""
        return self.partition.controller_epoch == 2

    @reachable
    def zombie_leader(self) -> bool:
        """A broker believes that it leads, and does not any more."""
        return any(self.presumes_leadership(b) and not self.is_true_leader(b) for b in self.brokers)

    @reachable
    def controller_mistakes_who_is_alive(self) -> bool:
        """A controller thinks a broker alive whose incarnation is gone."""
        return any(
            b in self.controllers[c].live and b not in self.controllers[c].known
            for c in self.controllers
            for b in self.brokers
        )

    @reachable
    def isr_grows(self, new: Self) -> bool:
        """A replica comes back into the ISR."""
        return any(b in new.partition.isr and b not in self.partition.isr for b in self.brokers)

    @reachable
    def partition_is_offline(self) -> bool:
        """The partition has lost its leader, and no member of its ISR can lead."""
        return self.partition.leader is None and len(self.requests) > 0
