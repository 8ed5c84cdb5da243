"""Log directories (KIP-858): where a replica lies is replicated metadata, and a disk may fail alone."""

from __future__ import annotations

from ...language import Identifier, Set, action, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..controller import Election
from ..rules import governed_by
from ..state import Replica, Status


@governed_by("directory_change_keeps_elr")
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


class FailedDirectory(BrokerLifecycle):
    """A log directory fails, and its broker goes on with the others (JBOD, KIP-858, Kafka 3.7).

    `offline` are the brokers whose replica lies, as the controller knows, in a directory that is not online: these do
    not lead (LeaderAcceptor), whatever ISR and ELR say. For the replica itself a directory that fails is a crash.
    """

    offline: Set[Replica]

    def may_lead(self, r: Identifier) -> bool:
        """As always, and its directory is online."""
        return super().may_lead(r) and r not in self.offline

    @action(
        by="broker",
        to="controller",
        sends="BrokerHeartbeat",
        says="{broker} reports that the log directory of its replica has failed",
    )
    def lose_directory(self, broker: Replica, successor: Replica | None) -> None:
        """ReplicationControlManager.handleDirectoriesOffline: the replica leaves ISR and leadership, the broker stays.

        A replica that is assigned to a directory when that is offline already leaves by the same rule
        (handleAssignReplicasToDirs).
        """
        require(self.used.crashes < self.bounds.crashes)
        self.used.crashes += 1
        self.offline |= {broker}
        self.change_partition(self.metadata[0].isr - {broker}, successor, Set())

    @action(
        by="broker", to="controller", says="{broker} tells the controller anew in which log directory its replica is"
    )
    def name_directory(self, broker: Replica) -> None:
        """BrokerRegistration names the directories that are online, AssignReplicasToDirs that of a replica.

        So a directory comes back, or is missing after a restart, without a change of leader or ISR.
        """
        if broker in self.offline:
            self.offline -= {broker}
        else:
            require(self.used.crashes < self.bounds.crashes)
            self.used.crashes += 1
            self.offline |= {broker}

    @view(of="controller")
    def offline_in_words(self) -> str:
        """Whose replica is in a directory that is not online."""
        return f"in an offline log directory: {self.offline}" if len(self.offline) > 0 else ""


@governed_by("missing_directory_is_unclean")
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
