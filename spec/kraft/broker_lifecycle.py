"""How brokers fail and come back: crash, fencing, registration, unfencing (KIP-631, KIP-841, KIP-966)."""

from __future__ import annotations

from ..language import Identifier, Set, action, bounded, require
from .controller import Controller
from .state import Offset, Replica, Status

NO_EPOCH = -1
"""What a process that has just started knows of the leader epoch."""


class BrokerLifecycle(Controller):
    """ClusterControlManager and BrokerHeartbeatManager, and the processes they watch."""

    # -- failures -------------------------------------------------------------------------------------------------

    @action(by="controller", to="broker", says="The controller fences {broker}")
    def fence(self, broker: Replica, successor: Replica | None) -> None:
        """KIP-631: heartbeats stopped for the session timeout. The broker leaves the ISR, and leads no longer.

        A broker that is alive may be fenced too, and goes on as it was until it has replayed the change.
        """
        require(self.may_be_fenced(broker))
        if self.is_running(broker):
            require(self.used.fencings < self.bounds.fencings)
            self.used.fencings += 1
        self.registrations[broker].fenced = True
        self.leave_isr(broker, successor, Set())

    def may_be_fenced(self, broker: Identifier) -> bool:
        """Whether the controller waits for heartbeats of a broker."""
        return self.is_active(broker)

    def leave_isr(self, broker: Identifier, successor: Identifier | None, unclean: Set[Identifier]) -> None:
        """The controller takes a broker out of the ISR, and out of the ELR if it is `unclean`."""
        isr, elr = self.metadata[0].isr, self.recovery.elr
        if broker in isr or (broker in elr and broker in unclean):
            self.change_partition(isr - {broker}, successor, unclean)
        else:
            require(successor is None)

    @action(by="broker", says="{broker} shuts down")
    def shut_down(self, broker: Replica, successor: Replica | None) -> None:
        """Controlled shutdown: the controller moves leadership and ISR away, and the broker leaves its clean marker."""
        require(self.is_running(broker))
        require(self.used.fencings < self.bounds.fencings)
        self.used.fencings += 1
        self.stop(broker, Status.SHUT_DOWN)
        self.let_go(broker, successor)

    def let_go(self, broker: Identifier, successor: Identifier | None) -> None:
        """A broker that wants to shut down is fenced. One that is fenced already is in no ISR."""
        if self.is_active(broker):
            self.registrations[broker].fenced = True
            self.leave_isr(broker, successor, Set())
        else:
            require(successor is None)

    @action(by="broker", says="{broker} crashes with its log up to offset {kept} on disk")
    def crash(self, broker: Replica, kept: Offset) -> None:
        """A process dies. If its machine dies with it, what was not flushed is gone (`log.flush.interval.messages`).

        Either way there is no marker of a clean shutdown.
        """
        require(self.is_running(broker))
        require(kept <= self.end(broker))
        if kept < self.end(broker):
            require(self.used.lossy_crashes < self.bounds.lossy_crashes)
            require(not self.settings.lossy_crashes_spare_last_member or self.metadata[0].isr != Set({broker}))
            self.used.lossy_crashes += 1
            self.lost_data |= {broker}
            self.truncate(broker, kept)
        else:
            require(self.used.crashes < self.bounds.crashes)
            self.used.crashes += 1
        self.stop(broker, Status.CRASHED)

    def stop(self, broker: Identifier, status: Status) -> None:
        """A process ends; what it kept in memory is gone."""
        self.brokers[broker].status = status
        self.brokers[broker].behind = 0
        self.forget_leadership(broker)
        self.forget_replayed_changes()

    # -- healing --------------------------------------------------------------------------------------------------

    @action(
        by="broker",
        to="controller",
        sends="BrokerRegistration",
        says="{broker} starts and registers",
        fair="weak",
    )
    def restart(self, broker: Replica, successor: Replica | None) -> None:
        """BrokerRegistration (KIP-631): a new incarnation gets a new broker epoch, is fenced, and replays the metadata.

        KIP-966: without the marker of a clean shutdown it leaves ISR and ELR. KAFKA-18106: before Kafka 4.0 it could
        register although the old incarnation had not been fenced yet, and then nothing changed for the partition; since
        then registering does what fencing does (`registers_at_once`).
        """
        require(not self.is_running(broker))
        at_once = self.registers_at_once()
        if self.settings.bounce_noticed:
            require(at_once or not self.settings.registration_fences_the_old_incarnation or not self.is_active(broker))
            bounded(self.registrations[broker].broker_epoch < self.bounds.most_restarts())
            self.registrations[broker].broker_epoch += 1
            self.registrations[broker].fenced = True
        if self.settings.elr and self.brokers[broker].status == Status.CRASHED:
            self.leave_isr(broker, successor, Set({broker}))
        elif at_once:
            self.leave_isr(broker, successor, Set())
        else:
            require(successor is None)
        self.brokers[broker].status = Status.RUNNING
        self.act_on_metadata(broker, False, NO_EPOCH)

    def registers_at_once(self) -> bool:
        """Whether registering a broker that is not fenced yet is a step of its own.

        Kafka writes one change for it. That is what fencing the broker and then registering it leads to as well, so
        that it is left out; but not where the second of these changes may elect: a last known leader that is fenced.
        """
        return (
            self.settings.registration_fences_the_old_incarnation
            and self.settings.elr
            and not self.settings.known_leader_must_be_active
        )

    @action(
        by="controller",
        to="broker",
        receives="BrokerHeartbeat",
        says="The controller unfences {broker}",
        fair="weak",
    )
    def unfence(self, broker: Replica, elected: Replica | None) -> None:
        """KIP-631: a broker that has caught up with the metadata is unfenced; a partition without a leader may get one.

        It does not return to the ISR by this.
        """
        require(self.is_running(broker))
        require(not self.is_active(broker))
        self.registrations[broker].fenced = False
        if self.metadata[0].leader is None:
            self.change_partition(self.metadata[0].isr, elected, Set())
        else:
            require(elected is None)
