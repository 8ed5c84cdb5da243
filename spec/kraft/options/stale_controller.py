"""KAFKA-14154 on ZooKeeper, and never in KRaft: a deposed controller answers AlterPartition from what it remembers."""

from __future__ import annotations

from ...language import Identifier, Set, action, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
from ..state import Replica, Status


@governed_by("stale_controller_refuses")
class StaleController(BrokerLifecycle):
    """A second controller took over; the first may still answer, and `remembered` is the ISR that it knows.

    `confirmed` is the ISR that it made the leader believe in; while empty there is none.
    """

    remembered: Set[Replica]
    confirmed: Set[Replica]

    def maximal_isr(self, leader: Identifier) -> Set[Identifier]:
        """As always, unless the leader was told of another ISR."""
        if len(self.confirmed) > 0 and self.metadata[0].leader == leader:
            return self.confirmed
        return super().maximal_isr(leader)

    @action(by="controller", says="A new controller takes over, and the old one does not know")
    def take_over(self) -> None:
        """From now on the old controller knows nothing new."""
        require(len(self.remembered) == 0)
        self.remembered = self.metadata[0].isr

    @action(by="controller", to="leader", sends="AlterPartition response", says="The old controller answers {leader}")
    def confirm_from_memory(self, leader: Replica) -> None:
        """The proposal equals what the old controller remembers, so it answers with success, as to a repeated request.

        Since KAFKA-14154 it sees that the request's partition epoch is newer than its own, and answers NOT_CONTROLLER.
        """
        require(not self.settings.stale_controller_refuses)
        require(len(self.remembered) > 0)
        require(self.is_legitimate(leader) and self.brokers[leader].behind == 0)
        require(self.brokers[leader].proposed == self.remembered)
        self.confirmed = self.remembered
        self.brokers[leader].proposed = Set()
        self.forget_request()
        self.advance_high_watermark(leader)

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        """As always; with the next change the leader is told the truth."""
        super().append_change(leader, leader_epoch, isr)
        self.confirmed = Set()

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always, and what the leader believed is gone with it."""
        super().stop(broker, status)
        if self.metadata[0].leader == broker:
            self.confirmed = Set()

    @view(of="controller")
    def remembered_in_words(self) -> str:
        """What the old controller remembers, and what it made the leader believe."""
        said = [f"the old controller remembers ISR {self.remembered}"] if self.remembered else []
        said += [f"and has confirmed {self.confirmed}"] if self.confirmed else []
        return " ".join(said)
