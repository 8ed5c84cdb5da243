"""`min.insync.replicas` is raised: the controller acts on it at once, each leader when it has replayed it."""

from __future__ import annotations

from ...language import Identifier, Set, action, reachable, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import Age, Lag, Replica, Status


class MinIsrChange(BrokerLifecycle):
    """`min.insync.replicas` changes once (ConfigRecord): the controller acts on it at once, a broker when it learns it.

    `changed` says whether it has, `knowing` are the running brokers that have replayed it, and `changes_since` are the
    change records of the partition after it, as many as a broker may be behind.
    """

    changed: bool
    knowing: Set[Replica]
    changes_since: Age

    def forget_eligible(self) -> None:
        """ClearElrRecord (KAFKA-16540): who is eligible was decided by the old value.

        Clearing the ELR makes a new partition epoch (TopicDelta), and what was proposed for the old one is refused.
        """
        if len(self.recovery.elr) > 0 or self.recovery.last_known_leader is not None:
            now = self.metadata[0]
            self.append_change(now.leader, now.leader_epoch, now.isr)
        self.recovery.elr = Set()
        self.recovery.last_known_leader = None

    def acts_on_later_change(self, r: Identifier) -> bool:
        """Whether what a broker knows of the partition is newer than the change of the setting."""
        return self.brokers[r].behind < self.changes_since

    @action(
        by="broker",
        to="controller",
        receives="ConfigRecord",
        says="{broker} learns the new min.insync.replicas",
        fair="weak",
    )
    def learn_min_isr(self, broker: Replica) -> None:
        """DynamicConfigPublisher: what preceded it in the log is replayed before."""
        require(self.changed and broker not in self.knowing)
        require(self.is_running(broker))
        require(self.brokers[broker].behind <= self.changes_since)
        self.knowing |= {broker}

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        """As always, and it comes after the setting. No broker is further behind than `metadata_lag`."""
        super().append_change(leader, leader_epoch, isr)
        if self.changed:
            if self.changes_since == self.bounds.metadata_lag:
                self.knowing = Set(r for r in self.brokers if self.is_running(r))
            else:
                self.changes_since += 1

    def replay_metadata(self, broker: Replica, records: Lag) -> None:
        """As always. Of one batch the partition is replayed before the configuration (BrokerMetadataPublisher)."""
        super().replay_metadata(broker, records)
        if self.changed and self.acts_on_later_change(broker):
            self.knowing |= {broker}

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always, and what it knew is gone."""
        super().stop(broker, status)
        self.knowing -= {broker}

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; a process that has just started has replayed everything."""
        if self.changed and not led_before and epoch_before < 0:
            self.knowing |= {broker}
        super().act_on_metadata(broker, led_before, epoch_before)

    def later_changes_in_words(self) -> str:
        """How many changes of the partition come after it."""
        return f", changes after it: {self.changes_since}" if self.changes_since > 0 else ""

    @reachable(only_if=lambda self: min(self.settings.min_insync_replicas, self.bounds.replication_factor) > 1)
    def refused_for_lack_of_replicas(self) -> bool:
        """A leader's ISR is smaller than min.insync.replicas as it knows it: NOT_ENOUGH_REPLICAS with acks=all."""
        return any(self.presumes_leadership(r) and len(self.view(r).isr) < self.leader_min_isr(r) for r in self.brokers)

    @view(of="broker")
    def min_isr_in_words(self, broker: Replica) -> str:
        """Whether a broker has replayed the new value."""
        return "knows the new min.insync.replicas" if broker in self.knowing else ""


@governed_by("min_isr_follows_log")
class RaisedMinIsr(MinIsrChange):
    """It is 1 at first, and raised once to what the settings say."""

    # -- who knows what -------------------------------------------------------------------------------------------

    def min_isr(self) -> int:
        """The controller knows it at once."""
        return super().min_isr() if self.changed else 1

    def least_min_isr(self) -> int:
        """A leader may know the lower one."""
        return 1

    def leader_min_isr(self, leader: Identifier) -> int:
        """A leader has the new one when it has replayed it.

        With the rule, also as soon as it acts on a change of the partition that was made afterwards.
        """
        follows_log = self.settings.min_isr_follows_log and self.acts_on_later_change(leader)
        return super().min_isr() if self.changed and (leader in self.knowing or follows_log) else 1

    # -- the step -------------------------------------------------------------------------------------------------

    @action(by="controller", says="An operator raises min.insync.replicas")
    def raise_min_isr(self) -> None:
        """ConfigRecord, and ClearElrRecord beside it."""
        require(not self.changed)
        self.forget_eligible()
        self.changed = True

    @view(of="controller")
    def raised_in_words(self) -> str:
        """Whether the new value stands in the metadata log, and how many changes of the partition come after it."""
        return f"min.insync.replicas is raised{self.later_changes_in_words()}" if self.changed else ""


BUGS = (
    KraftBug(
        id="H1",
        title="min.insync.replicas is raised, and a leader that does not know it yet commits alone",
        tickets=("BrokerMetadataPublisher; no ticket known", "KAFKA-16540", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(min_isr_follows_log=False),
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "shrinks": 1, "fencings": 1},
        story=(
            "All of it is clean. An operator raises min.insync.replicas from 1 to 2, which clears the ELR. b1, who "
            "does not know it yet, drops both slow followers: the controller, who does, takes them into the ELR, "
            "because it believes that nothing is committed while the ISR is that small. b1 replays the new ISR before "
            "the new configuration: of one batch the partitions are published first (BrokerMetadataPublisher), and an "
            "answer to AlterPartition carries no configuration at all. For b1 one copy is still enough: it commits r0 "
            "alone and tells the producer of success. It is fenced, and b2, eligible by the new value, is elected "
            "without r0. Before ELR only b1 could have been. KAFKA-16540 clears the ELR for this reason, and narrows "
            "it down to what is on its way. Nobody has reported it. It was reproduced on running brokers of Kafka 4.0 "
            "to 4.3 by delaying their metadata."
        ),
        shown_on=("4.0.2", "4.1.2", "4.3.1", "4.4.0"),
        only_with_elr=True,
        lesson=(
            "A setting that two parties rely on is part of the state, and must reach both with it. Clearing what "
            "depends on it does not help whoever acts on the old value afterwards."
        ),
    ),
)
