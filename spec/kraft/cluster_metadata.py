"""The metadata log: the controller appends change records, and every broker replays them in its own time (KIP-631)."""

from __future__ import annotations

from ..language import Identifier, Set, action, bounded, require
from .follower import Follower
from .state import Lag, Replica


class ClusterMetadata(Follower):
    """Change records of the partition, and what a broker does when it replays some of them."""

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        """PartitionChangeRecord: the partition epoch grows by one, and no running broker has replayed the change yet.

        A broker to which the change makes no difference counts as having replayed it. An AlterPartition on its way that
        is based on the old partition epoch can only be refused now, with INVALID_UPDATE_VERSION, and is forgotten
        (KIP-497).
        """
        bounded(leader_epoch <= self.bounds.max_epoch)
        not_yet = Set(
            r
            for r in self.brokers
            if self.is_running(r) and (self.brokers[r].behind > 0 or self.matters_to(r, leader, leader_epoch))
        )
        bounded(all(self.brokers[r].behind < self.bounds.metadata_lag for r in not_yet))
        for r in not_yet:
            self.brokers[r].behind += 1
        for age in reversed(range(self.bounds.metadata_lag)):
            self.metadata[age + 1] = self.metadata[age]
        self.metadata[0].leader = leader
        self.metadata[0].leader_epoch = leader_epoch
        self.metadata[0].isr = isr
        self.forget_replayed_changes()
        if self.settings.partition_epoch_check:
            self.forget_request()

    def forget_request(self) -> None:
        """No AlterPartition is on its way any more."""
        self.request.leader = None
        self.request.leader_epoch = 0
        self.request.isr = Set()
        self.request.broker_epoch = 0
        self.request.joining = None
        self.request.joining_epoch = 0

    def matters_to(self, r: Identifier, leader: Identifier | None, leader_epoch: int) -> bool:
        """Whether a broker that has replayed everything so far would do anything about a change.

        A follower cares for leader and leader epoch only, and a leader for every change.
        """
        now = self.metadata[0]
        return now.leader == r or now.leader != leader or now.leader_epoch != leader_epoch

    def forget_replayed_changes(self) -> None:
        """Of the past only what some running broker still acts on, or has yet to replay, is kept.

        Of these only the leader that a change names looks at the ISR.
        """
        for age in range(1, self.bounds.metadata_lag + 1):
            if all(self.brokers[r].behind < age for r in self.brokers):
                self.metadata[age].leader = None
                self.metadata[age].leader_epoch = 0
                self.metadata[age].isr = Set()
            elif all(self.brokers[r].behind < age for r in self.brokers if self.metadata[age].leader == r):
                self.metadata[age].isr = Set()

    @action(
        by="broker",
        to="controller",
        receives="PartitionChangeRecord",
        says="{broker} replays {records} of the change records",
        fair="weak",
    )
    def replay_metadata(self, broker: Replica, records: Lag) -> None:
        """TopicDelta.localChanges: a broker replays change records, and acts on the last of them only."""
        require(self.is_running(broker))
        require(records <= self.brokers[broker].behind)
        require(self.ends_a_batch(broker, self.brokers[broker].behind - records))
        led_before = self.presumes_leadership(broker)
        epoch_before = self.view(broker).leader_epoch
        self.brokers[broker].behind -= records
        self.act_on_metadata(broker, led_before, epoch_before)
        self.forget_replayed_changes()

    def ends_a_batch(self, broker: Identifier, age: int) -> bool:
        """Whether the next change makes a difference to the broker; a batch that ends before one that does not is left
        out, because nothing would tell the two apart."""
        if age == 0:
            return True
        last, following = self.metadata[age], self.metadata[age - 1]
        return last.leader == broker or last.leader != following.leader or last.leader_epoch != following.leader_epoch

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """A broker takes the role that the partition's state gives it (ReplicaManager.applyDelta).

        Without a leader it waits. `epoch_before` is the leader epoch it knew; -1 for a process that has just started.
        """
        if self.view(broker).leader == broker:
            self.become_leader(broker, led_before, epoch_before)
        else:
            self.become_follower(broker, led_before, epoch_before)
