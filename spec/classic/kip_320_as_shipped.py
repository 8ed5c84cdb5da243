"""KIP-320 as Kafka 2.1 to 2.6 ran it, where the model that the community shares is stricter than the broker.

Every step of `Kip320` is one of this protocol. It allows more in five places, each a rule of the broker that the model
rounds off. They do no harm: all properties of the family hold here too.
"""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, action, require
from .kip_320 import Kip320
from .state import Replica


class Kip320AsShipped(Kip320):
    """KIP-320, and what Kafka 2.1 to 2.6 allows beyond the model: remembered acknowledgements, empty fetches, failover.

    What a leader knows of a follower is what its last fetch said, which may be less than the follower has by now.
    """

    name: ClassVar[str] = "kip-320-as-shipped"

    def epoch_start(self, leader: Identifier) -> int:
        """The log end offset at which the leader took office: where the records of earlier epochs end."""
        return sum(1 for record in self.replicas[leader].log if record.epoch < self.replicas[leader].epoch)

    def has_acknowledged(self, follower: Identifier, leader: Identifier, offset: int) -> bool:
        """Whether the leader may count the follower for this offset.

        A follower that has moved on to a later epoch goes on counting with a leader that does not know of it. It still
        has the record that it acknowledged.
        """
        if self.follows_epoch(follower, leader):
            return self.has_entry(follower, offset)
        return self.replicas[follower].epoch > self.replicas[leader].epoch and self.same_record(
            leader, follower, offset
        )

    @action(by="leader", to="follower", says="{leader} drops {follower} from the ISR")
    def leader_shrinks_isr(self, leader: Replica, follower: Replica) -> None:
        """`replica.lag.time.max.ms`: the leader drops a follower whose last fetch was behind.

        The follower may have caught up with the answer to that fetch, so that its log says nothing about it.
        """
        require(follower != leader)
        require(follower in self.replicas[leader].isr)
        self.set_isr(leader, self.replicas[leader].isr - {follower})

    @action(by="leader", to="follower", says="{leader} adds {follower} to the ISR", fair="weak")
    def leader_expands_isr(self, leader: Replica, follower: Replica) -> None:
        """KAFKA-7128: the follower has reached the high watermark, and the offset at which the leader took office.

        The leader's own high watermark need not have come that far.
        """
        require(follower not in self.replicas[leader].isr)
        require(self.follows_epoch(follower, leader))
        require(self.end(follower) >= self.replicas[leader].hw)
        require(self.end(follower) >= self.epoch_start(leader))
        self.set_isr(leader, self.replicas[leader].isr | {follower})

    @action(by="leader", says="{leader} advances its high watermark", fair="weak")
    def advance_high_watermark(self, leader: Replica) -> None:
        """Partition.maybeIncrementLeaderHW: the leader counts what its followers acknowledged in its epoch."""
        hw = self.replicas[leader].hw
        require(self.presumes_leadership(leader))
        require(self.has_entry(leader, hw))
        require(all(self.has_acknowledged(f, leader, hw) for f in self.replicas[leader].isr))
        self.replicas[leader].hw = hw + 1

    def copy_next(self, follower: Identifier, leader: Identifier) -> None:
        """Copy the leader's next record, if it has one. The high watermark comes with an empty answer as well."""
        if self.end(follower) < self.end(leader):
            self.append(follower, self.replicas[leader].log[self.end(follower)])
        self.replicas[follower].hw = min(self.replicas[leader].hw, self.end(follower))

    @action(
        by="controller",
        to="successor",
        sends="LeaderAndIsr",
        says="The controller makes {successor} leader in place of {failed}",
    )
    def controller_replaces_leader(self, failed: Replica, successor: Replica) -> None:
        """KafkaController.onBrokerFailure: a leader that is gone leaves the ISR and is succeeded, in one write."""
        require(self.quorum.leader == failed and successor != failed)
        require(successor in self.quorum.isr)
        self.send(successor, self.quorum.isr - {failed})
