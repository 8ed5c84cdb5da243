"""What is different while a fenced broker is in the ISR, or leads."""

from __future__ import annotations

from dataclasses import replace

from ...language import Identifier, Set, action, require
from ..broker_lifecycle import BrokerLifecycle
from ..rules import KraftBug, governed_by
from ..settings import ALONE, BEFORE_STRICT_HW
from ..state import Replica
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


class UnregisteredBroker(FencedAgain):
    """An operator takes a broker out of the cluster that does not come back (KIP-500)."""

    @action(by="operator", to="controller", sends="UnregisterBroker", says="An operator unregisters {broker}")
    def unregister(self, broker: Replica, successor: Replica | None) -> None:
        """ReplicationControlManager.handleBrokerUnregistered: every partition in whose ISR or ELR it is gets a change.

        It leaves the ISR, and stays in the ELR. Like every change it elects where no live broker leads.
        """
        require(self.used.fencings < self.bounds.fencings)
        self.used.fencings += 1
        self.registrations[broker].fenced = True
        isr = self.metadata[0].isr
        if broker in isr or broker in self.recovery.elr:
            self.change_partition(isr - {broker}, successor, Set())
        else:
            require(successor is None)


BUGS = (
    KraftBug(
        id="S16",
        title="A fenced replica returns to the ISR",
        tickets=("KIP-841", "KAFKA-13916"),
        versions="2.8 to 3.2",
        faulty=replace(BEFORE_STRICT_HW, fenced_check=False, broker_epoch_check=False),
        sound=replace(BEFORE_STRICT_HW, broker_epoch_check=False),
        properties=("fenced_not_in_isr",),
        bounds={"fencings": 1},
        lesson=(
            "Who may not lead must not be in the set from which leaders are chosen. Check it where members are "
            "proposed, and again where they are accepted."
        ),
    ),
    KraftBug(
        id="S22",
        title="The last known leader is elected although it is not alive",
        tickets=("KAFKA-19522",),
        versions="4.0, with ELR",
        faulty=replace(ALONE, known_leader_must_be_active=False),
        sound=ALONE,
        properties=("elected_leader_is_alive",),
        bounds={"max_epoch": 2, "crashes": 1, "lossy_crashes": 1, "fencings": 1},
        only_with_elr=True,
        lesson=(
            "The last resort needs the checks of the ordinary way. A last known leader that is not alive is no leader."
        ),
    ),
)
