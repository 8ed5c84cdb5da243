"""`min.insync.replicas` is raised: the controller acts on it at once, each leader when it has replayed it."""

from __future__ import annotations

from ...language import Identifier, Set, action, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
from ..state import Age, Lag, Replica, Status


@governed_by("min_isr_follows_log")
class RaisedMinIsr(BrokerLifecycle):
    """`min.insync.replicas` is 1 at first, and raised once to what the settings say (ConfigRecord).

    `raised` says whether it was, `knowing` are the running brokers that have replayed it, and `changes_since` are the
    change records of the partition after it, as many as a broker may be behind.
    """

    raised: bool
    knowing: Set[Replica]
    changes_since: Age

    # -- who knows what -------------------------------------------------------------------------------------------

    def min_isr(self) -> int:
        """The controller knows it at once."""
        return super().min_isr() if self.raised else 1

    def least_min_isr(self) -> int:
        """A leader may know the lower one."""
        return 1

    def leader_min_isr(self, leader: Identifier) -> int:
        """A leader has the new one when it has replayed it.

        With the rule, also as soon as it acts on a change of the partition that was made afterwards.
        """
        follows_log = self.settings.min_isr_follows_log and self.acts_on_later_change(leader)
        return super().min_isr() if self.raised and (leader in self.knowing or follows_log) else 1

    def acts_on_later_change(self, r: Identifier) -> bool:
        """Whether what a broker knows of the partition is newer than the raise."""
        return self.brokers[r].behind < self.changes_since

    # -- the steps ------------------------------------------------------------------------------------------------

    @action(by="controller", says="An operator raises min.insync.replicas")
    def raise_min_isr(self) -> None:
        """ConfigRecord, and ClearElrRecord beside it (KAFKA-16540): who is eligible was decided by the old value.

        Clearing the ELR makes a new partition epoch (TopicDelta), and what was proposed for the old one is refused.
        """
        require(not self.raised)
        if len(self.recovery.elr) > 0 or self.recovery.last_known_leader is not None:
            now = self.metadata[0]
            self.append_change(now.leader, now.leader_epoch, now.isr)
        self.recovery.elr = Set()
        self.recovery.last_known_leader = None
        self.raised = True

    @action(
        by="broker",
        to="controller",
        receives="ConfigRecord",
        says="{broker} learns the new min.insync.replicas",
        fair="weak",
    )
    def learn_min_isr(self, broker: Replica) -> None:
        """DynamicConfigPublisher: what preceded it in the log is replayed before."""
        require(self.raised and broker not in self.knowing)
        require(self.is_running(broker))
        require(self.brokers[broker].behind <= self.changes_since)
        self.knowing |= {broker}

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        """As always, and it comes after the raise. No broker is further behind than `metadata_lag`."""
        super().append_change(leader, leader_epoch, isr)
        if self.raised:
            if self.changes_since == self.bounds.metadata_lag:
                self.knowing = Set(r for r in self.brokers if self.is_running(r))
            else:
                self.changes_since += 1

    def replay_metadata(self, broker: Replica, records: Lag) -> None:
        """As always. Of one batch the partition is replayed before the configuration (BrokerMetadataPublisher)."""
        super().replay_metadata(broker, records)
        if self.raised and self.acts_on_later_change(broker):
            self.knowing |= {broker}

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always, and what it knew is gone."""
        super().stop(broker, status)
        self.knowing -= {broker}

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; a process that has just started has replayed everything."""
        if self.raised and not led_before and epoch_before < 0:
            self.knowing |= {broker}
        super().act_on_metadata(broker, led_before, epoch_before)

    @view(of="controller")
    def raised_in_words(self) -> str:
        """Whether the new value stands in the metadata log, and how many changes of the partition come after it."""
        if not self.raised:
            return ""
        changes = f", changes after it: {self.changes_since}" if self.changes_since > 0 else ""
        return f"min.insync.replicas is raised{changes}"

    @view(of="broker")
    def min_isr_in_words(self, broker: Replica) -> str:
        """Whether a broker has replayed the new value."""
        return "knows the new min.insync.replicas" if broker in self.knowing else ""
