"""Log directories (KIP-858): where a replica lies is replicated metadata, and a disk may fail alone."""

from __future__ import annotations

from ...language import Set, action, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..controller import Election
from ..state import Replica, Status


class DirectoryAssignment(BrokerLifecycle):
    """A broker tells the controller in which directory its replica lies; once is enough here."""

    assigned: bool

    @action(
        by="broker",
        to="controller",
        sends="AssignReplicasToDirs",
        says="{broker} assigns its replica to a log directory",
    )
    def assign_directory(self, broker: Replica, successor: Replica | None) -> None:
        """ReplicationControlManager.handleAssignReplicasToDirs: a partition change about a directory only (KIP-858).

        Like every change it elects where no live broker leads. Up to Kafka 4.2 it was built as if eligible leader
        replicas were off, which empties the ELR (H3) and leaves the last known leader alone.
        """
        require(not self.assigned)
        require(self.is_running(broker) and self.is_active(broker))
        self.assigned = True
        if self.settings.directory_change_keeps_elr:
            self.change_partition(self.metadata[0].isr, successor, Set(), election=Election.ONLINE, written=True)
        else:
            last_known_leader = self.recovery.last_known_leader
            self.change_partition(self.metadata[0].isr, successor, Set(), election=Election.CLEAN, written=True)
            self.recovery.elr = Set()
            self.recovery.last_known_leader = last_known_leader

    @view(of="controller")
    def assigned_in_words(self) -> str:
        """Whether a replica was assigned to a directory."""
        return "a log directory was assigned" if self.assigned else ""


class ReplacedDirectory(BrokerLifecycle):
    """An operator takes a directory that has failed out of `log.dirs` while its broker is shut down."""

    @action(by="broker", says="The log directory of {broker} is replaced by an empty one")
    def replace_directory(self, broker: Replica) -> None:
        """The marker of a clean shutdown stays: only the directories that are configured are looked at (LogManager).

        So the broker registers as one that lost nothing, keeps its place in ISR and ELR, and has no log (H4).
        """
        require(self.brokers[broker].status == Status.SHUT_DOWN)
        require(self.end(broker) > 0)
        require(self.used.lossy_crashes < self.bounds.lossy_crashes)
        self.used.lossy_crashes += 1
        self.lost_data |= {broker}
        self.truncate(broker, 0)
        if self.settings.missing_directory_is_unclean:
            self.brokers[broker].status = Status.CRASHED
