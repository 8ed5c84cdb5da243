"""What is different while a fenced broker is in the ISR, or leads."""

from __future__ import annotations

from ...language import Identifier, Set
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
from .leaderless_election import LeaderlessElection


@governed_by("fenced_check")
class FencedInIsr(BrokerLifecycle):
    """A broker is fenced and stays in the ISR.

    Before 3.3 a leader could bring it there (KIP-841). Before 4.0 it was one that registered again before its old
    incarnation was fenced (KAFKA-18106), in 4.0 the last known leader that was elected while it was away (KAFKA-19522).
    """

    def may_be_fenced(self, broker: Identifier) -> bool:
        """As always; KAFKA-19130: in 4.0 a controller that takes office waits for fenced brokers, too."""
        return super().may_be_fenced(broker) or (
            not self.settings.only_active_brokers_expire and broker in self.metadata[0].isr
        )

    def let_go(self, broker: Identifier, successor: Identifier | None) -> None:
        """BrokerHeartbeatManager.calculateNextBrokerState: who is fenced is fenced again, and leaves the ISR."""
        self.registrations[broker].fenced = True
        self.leave_isr(broker, successor, Set())


@governed_by(
    known_leader_must_be_active={"": True, "4.0": False, "4.1": True},
    only_active_brokers_expire={"": True, "4.0": False, "4.1": True},
    only_with_elr=True,
)
class FencedLeader(FencedInIsr, LeaderlessElection):
    """A broker may be fenced and lead: since KIP-841 wherever one may be in the ISR."""


class FencedAgain(FencedLeader):
    """A log of what a controller wrote tells that a broker was fenced, and not why.

    One that is fenced already, and in the ISR, asked to shut down, was unregistered, or its session expired. Its
    process goes on until it has stopped, as that of a broker which was fenced for the first time.
    """

    def may_be_fenced(self, broker: Identifier) -> bool:
        """As always, and whenever it is in the ISR."""
        return super().may_be_fenced(broker) or broker in self.metadata[0].isr
