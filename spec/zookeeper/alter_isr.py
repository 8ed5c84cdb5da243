"""Kafka 2.7 to 3.x on ZooKeeper: the leader asks a controller to change the ISR (AlterIsr, KIP-497)."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, Map, Set, action, bounded, leads_to, require, view
from .broker import BrokerLifecycle
from .controller import Controller
from .promises import OBEYING, Promises
from .properties import Properties
from .state import Broker, ControllerEpoch
from .views import Views


class ZooKeeperAlterIsr(Controller, BrokerLifecycle, Properties, Promises, Views):
    """Kafka 3.3 on ZooKeeper: leaders ask a controller, which may be a former one, to change the ISR (KIP-497)."""

    name: ClassVar[str] = "zookeeper-alter-isr"

    proposed: Map[Broker, Set[Broker]]

    def counted_isr(self, leader: Identifier) -> Set[Identifier]:
        """The maximal ISR: while a proposal is pending its members count too."""
        return self.brokers[leader].isr | self.proposed[leader]

    def forget_leadership(self, b: Identifier) -> None:
        """A proposal goes with the leadership that it was made in."""
        super().forget_leadership(b)
        self.proposed[b] = Set()

    def remember(self, epoch: int) -> None:
        """The controller remembers the ISR and its version too: only controllers write them."""
        super().remember(epoch)
        self.controllers[epoch].isr = self.partition.isr
        self.controllers[epoch].version = self.partition.version

    # -- the leader asks ------------------------------------------------------------------------------------------

    @action(by="leader", to="controller", sends="AlterPartition", says="{leader} asks to drop {follower} from the ISR")
    def leader_proposes_shrink(self, leader: Broker, follower: Broker) -> None:
        """KIP-497: the leader asks to drop a follower that lags, and goes on waiting for it until it is told."""
        require(self.presumes_leadership(leader))
        require(self.proposed[leader] == Set())
        require(follower != leader)
        require(follower in self.brokers[leader].isr)
        require(self.lags(follower, leader))
        self.proposed[leader] = self.brokers[leader].isr - {follower}

    @action(
        by="leader",
        to="controller",
        sends="AlterPartition",
        says="{leader} asks to add {follower} to the ISR",
        fair="weak",
    )
    def leader_proposes_expansion(self, leader: Broker, follower: Broker) -> None:
        """KIP-497: the leader asks to add a follower that has caught up, and waits for it from now on."""
        require(self.presumes_leadership(leader))
        require(self.proposed[leader] == Set())
        require(follower not in self.brokers[leader].isr)
        require(self.may_join(follower, leader))
        self.proposed[leader] = self.brokers[leader].isr | {follower}

    # -- a controller answers -------------------------------------------------------------------------------------

    @action(
        by="controller",
        to="leader",
        receives="AlterPartition",
        sends="AlterPartition response",
        says="Controller {epoch} changes the ISR as {leader} asked",
        fair="weak",
    )
    def alter_isr(self, epoch: ControllerEpoch, leader: Broker) -> None:
        """AlterIsr: the controller writes the ISR that a leader proposed, if the leader knew the version before."""
        self.write_proposal(epoch, leader)
        self.succeed(leader, self.partition.version)

    @action(
        by="controller",
        to="leader",
        receives="AlterPartition",
        says="Controller {epoch} changes the ISR as {leader} asked, unheard",
    )
    def alter_isr_unanswered(self, epoch: ControllerEpoch, leader: Broker) -> None:
        """AlterIsr: the controller writes the ISR, but the leader does not hear of it, and will ask again."""
        self.write_proposal(epoch, leader)

    def write_proposal(self, epoch: int, leader: Identifier) -> None:
        """The ISR changes, and the leader epoch does not. The write is fenced as every other."""
        self.require_leader_of_epoch(epoch, leader)
        require(self.proposed[leader] != self.controllers[epoch].isr)
        require(self.brokers[leader].version == self.controllers[epoch].version)
        require(self.may_write(epoch))
        require(self.partition.version == self.controllers[epoch].version)
        bounded(self.partition.version < self.bounds.max_version)
        self.partition.isr = self.proposed[leader]
        self.partition.version += 1
        self.partition.controller_epoch = epoch
        self.remember(epoch)

    @action(
        by="controller",
        to="leader",
        receives="AlterPartition",
        sends="AlterPartition response",
        says="Controller {epoch} tells {leader} that the ISR is as it asked already",
        fair="weak",
    )
    def confirm_isr(self, epoch: ControllerEpoch, leader: Broker) -> None:
        """KAFKA-14144: if the ISR that the controller remembers is the one proposed, it answers with success at once.

        That is how a leader learns of a change whose answer was lost.
        """
        self.require_leader_of_epoch(epoch, leader)
        require(self.proposed[leader] == self.controllers[epoch].isr)
        require(self.is_up_to_date(epoch, leader))
        self.succeed(leader, max(self.controllers[epoch].version, self.brokers[leader].version))

    def is_up_to_date(self, epoch: int, leader: Identifier) -> bool:
        """KAFKA-14154: a controller that is asked about a version it does not know yet answers NOT_CONTROLLER."""
        return self.controllers[epoch].version >= self.brokers[leader].version

    def require_leader_of_epoch(self, epoch: int, leader: Identifier) -> None:
        """The proposal is by whom the controller thinks to be leader, in the leader epoch that it knows."""
        require(self.controllers[epoch].elected)
        require(self.presumes_leadership(leader))
        require(self.proposed[leader] != Set())
        require(self.controllers[epoch].leader == leader)
        require(self.controllers[epoch].leader_epoch == self.brokers[leader].leader_epoch)

    def succeed(self, leader: Identifier, version: int) -> None:
        """The leader's proposal becomes the ISR that it knows."""
        self.brokers[leader].isr = self.proposed[leader]
        self.brokers[leader].version = version
        self.proposed[leader] = Set()

    @leads_to(fair=(*OBEYING, "alter_isr", "confirm_isr"))
    def proposal_is_answered(self, leader: Broker) -> tuple[bool, bool]:
        """A leader that asks for another ISR is answered, if it goes on leading."""
        waits = self.is_true_leader(leader) and self.proposed[leader] != Set()
        return waits, not waits

    @view(of="leader")
    def proposal_in_words(self, leader: Broker) -> str:
        """The ISR that a leader has asked for."""
        return f"asks for the ISR {self.proposed[leader]}" if self.proposed[leader] else ""


class ZooKeeperStaleConfirmation(ZooKeeperAlterIsr):
    """Kafka 2.7 to 3.2 on ZooKeeper: a former controller confirms what it never did (KAFKA-14154)."""

    name: ClassVar[str] = "zookeeper-stale-confirmation"

    def is_up_to_date(self, epoch: int, leader: Identifier) -> bool:
        """Contents are compared, and versions are not."""
        return True


class ZooKeeperVersionFirst(ZooKeeperAlterIsr):
    """ZooKeeper mode before KAFKA-14144: whoever asks about an old version is refused, also if all is as it asks.

    A leader that has not heard of its own change knows an old version from then on, and nobody tells it the new one.
    """

    name: ClassVar[str] = "zookeeper-version-first"

    def is_up_to_date(self, epoch: int, leader: Identifier) -> bool:
        """Versions are compared first, and have to be the same."""
        return self.controllers[epoch].version == self.brokers[leader].version
