"""Log directories (KIP-858): where a replica lies is replicated metadata, and a disk may fail alone."""

from __future__ import annotations

from ...language import Identifier, Set, action, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..controller import Election
from ..rules import KraftBug, governed_by
from ..settings import Settings
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

        A fenced broker may do so, too. Like every change it elects where no live broker leads. Up to Kafka 4.2 it was
        built as if eligible leader replicas were off, which empties the ELR (H3) and keeps the last known leader.
        """
        require(not self.assigned)
        require(self.is_running(broker))
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


BUGS = (
    KraftBug(
        id="H3",
        title="A replica is assigned to a log directory, and nobody is eligible any more",
        tickets=("ReplicationControlManager.handleAssignReplicasToDirs; no ticket known", "KIP-858", "KIP-966"),
        versions="4.0 to 4.2, with ELR",
        faulty=Settings(directory_change_keeps_elr=False),
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
        story=(
            "b2 and b3 shut down in turn; b3 becomes eligible, because the ISR is {b1} then and min.insync.replicas "
            "is 2. b1 assigns its replica to a log directory: the partition change is built as if ELR were off "
            "(handleAssignReplicasToDirs did not say that it is on), and that empties the ELR. b1 crashes and loses "
            "its log. Nobody is eligible, so the last known leader b1 is elected, although b3 has r0. Kafka 4.3 "
            "passes the feature on. It was corrected beside something else; no ticket is known."
        ),
        shown_on=("4.0.2", "4.1.2", "4.2.1", "4.2.2"),
        only_with_elr=True,
        lesson=(
            "A change of one field must leave all others as they are. A builder that is not told of a feature drops "
            "what belongs to it."
        ),
    ),
    KraftBug(
        id="H4",
        title="A log directory is replaced while its broker is shut down, and the broker counts as clean",
        tickets=("LogManager; no ticket known", "KIP-858", "KIP-966"),
        versions="4.3 to 4.4, with ELR",
        faulty=Settings(missing_directory_is_unclean=False),
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
        story=(
            "b2 shuts down cleanly and stays eligible. While it is down its log directory is replaced, and taken out "
            "of log.dirs: the marker of a clean shutdown is looked for in the directories that are configured, so b2 "
            "registers as a broker that lost nothing. b1 shuts down as well, b2 comes back first and is elected from "
            "the ELR without r0, which was acknowledged. Up to 4.2 b2 assigns its replica to the new directory first, "
            "which empties the ELR (H3). Kafka's own classes of 4.3 and 4.4 have shown it, step by step; no report is "
            "known, and no running Kafka has shown it yet."
        ),
        only_with_elr=True,
        lesson=(
            "A marker of a clean end proves something of the directory in which it lies. Of a directory that is not "
            "looked at it proves nothing."
        ),
    ),
)
