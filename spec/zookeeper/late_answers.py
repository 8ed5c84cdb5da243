"""KAFKA-12686: the answer to what a leader asked in an earlier leadership comes late, and meets its next request."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, Map, action, leads_to, require, view
from .alter_isr import ZooKeeperAlterIsr
from .promises import OBEYING
from .state import Broker


class ZooKeeperLateAnswers(ZooKeeperAlterIsr):
    """Kafka 3.0 and newer on ZooKeeper: an answer takes the request that it belongs to out of the leader's queue.

    A broker has one queue of AlterIsr requests, with one place for each partition, and one request under way.
    `under_way` is one of an earlier leadership, which nobody waits for any more; `unsent` says that what a leader has
    asked for is not in the queue, and so is never sent.
    """

    name: ClassVar[str] = "zookeeper-late-answers"

    under_way: Map[Broker, bool]
    unsent: Map[Broker, bool]

    def forget_leadership(self, b: Identifier) -> None:
        """What was sent is still answered after its leadership has ended; not if its process has."""
        self.under_way[b] = self.brokers[b].up and (self.under_way[b] or len(self.proposed[b]) > 0)
        self.unsent[b] = False
        super().forget_leadership(b)

    @action(
        by="leader",
        to="controller",
        receives="AlterPartition response",
        says="{leader} hears the answer to what it asked in an earlier leadership",
        fair="weak",
    )
    def late_answer(self, leader: Broker) -> None:
        """DefaultAlterIsrManager.handleAlterIsrResponse: the answer is of an old leader epoch, and changes no ISR."""
        require(self.under_way[leader])
        self.under_way[leader] = False
        self.take_out_of_queue(leader)

    def take_out_of_queue(self, leader: Identifier) -> None:
        """The place is still the answered request's, until it is removed: what is asked for meanwhile waits."""

    def require_leader_of_epoch(self, epoch: int, leader: Identifier) -> None:
        """As always; a broker has one request under way, and sends what is in its queue only."""
        require(not self.under_way[leader] and not self.unsent[leader])
        super().require_leader_of_epoch(epoch, leader)

    @leads_to(fair=(*OBEYING, "alter_isr", "confirm_isr", "late_answer"))
    def proposal_is_answered(self, leader: Broker) -> tuple[bool, bool]:
        """A leader that asks for another ISR is answered, if it goes on leading."""
        return super().proposal_is_answered(leader)

    @leads_to(
        fair=(*OBEYING, "fetch", "advance_high_watermark", "late_answer"),
        parts=("leader_proposes_expansion", "alter_isr", "confirm_isr"),
    )
    def follower_joins_isr(self, follower: Broker) -> tuple[bool, bool]:
        """A follower that goes on running is in the ISR some time, while the leader goes on leading."""
        return super().follower_joins_isr(follower)

    @view(of="leader")
    def queue_in_words(self, leader: Broker) -> str:
        """What is under way of an earlier leadership, and what is never sent."""
        said = ["waits for the answer to an earlier request"] if self.under_way[leader] else []
        said += ["what it asks for is not in its queue"] if self.unsent[leader] else []
        return ", ".join(said)


class ZooKeeperEmptiedPlace(ZooKeeperLateAnswers):
    """Kafka 2.7 and 2.8 on ZooKeeper: taking office empties the partition's place in the queue (clearPending).

    So the next request takes it while the one before is under way, and the late answer removes the wrong one.
    """

    name: ClassVar[str] = "zookeeper-emptied-place"

    def take_out_of_queue(self, leader: Identifier) -> None:
        """Whatever stands in the place is removed: by now it is what the leader has asked for since."""
        if len(self.proposed[leader]) > 0:
            self.unsent[leader] = True
