"""What a controller does, and what a former controller goes on doing until it learns that it is one."""

from __future__ import annotations

from ..language import Identifier, Set, action, bounded, require
from .state import Broker, ControllerEpoch, LeaderAndIsr, ZooKeeperState


class Controller(ZooKeeperState):
    """The controller, as far as it decides about one partition. A broker that is not up has no ephemeral node."""

    @action(by="controller", says="A broker becomes controller, in controller epoch {epoch}")
    def elect_controller(self, epoch: ControllerEpoch) -> None:
        """KafkaController.elect: the session of the last controller is lost, and another broker creates /controller.

        In the same operation it increments /controller_epoch. Then it reads which brokers are registered, to take the
        others for failed, and the partition's state, and sends LeaderAndIsr for everything. The last controller may
        not know for a long time.
        """
        require(epoch == self.controller_epoch() + 1)
        registered = Set(b for b in self.brokers if self.brokers[b].up)
        self.controllers[epoch].elected = True
        self.controllers[epoch].live = Set(self.brokers)
        self.controllers[epoch].known = registered
        self.remember(epoch)
        if len(self.requests) > 0:
            self.requests[len(self.requests) - 1] = LeaderAndIsr(
                leader=self.partition.leader, isr=self.partition.isr, version=self.partition.version
            )
        self.send_latest(epoch, registered)

    # -- writing --------------------------------------------------------------------------------------------------

    def may_write(self, epoch: int) -> bool:
        """KAFKA-6082, since 2.1: every write checks the version of /controller_epoch; a zombie gets ControllerMoved."""
        return self.controllers[epoch].elected and epoch == self.controller_epoch()

    def write(self, epoch: int, leader: Identifier | None, isr: Set[Identifier]) -> None:
        """A controller writes the partition's state under the next leader epoch, and sends it to all live brokers.

        It has just read the znode, so its conditional write succeeds; but it stops if a later controller wrote it.
        """
        require(self.may_write(epoch))
        require(self.partition.controller_epoch <= epoch)
        bounded(self.partition.version < self.bounds.max_version)
        self.partition.leader = leader
        self.partition.isr = isr
        self.partition.version += 1
        self.partition.controller_epoch = epoch
        self.requests.append(LeaderAndIsr(leader=leader, isr=isr, version=self.partition.version))
        self.remember(epoch)
        self.send_latest(epoch, self.controllers[epoch].live)

    def remember(self, epoch: int) -> None:
        """The controller's memory of the partition is what the znode says now."""
        self.controllers[epoch].leader = self.partition.leader
        self.controllers[epoch].leader_epoch = self.leader_epoch()

    def send_latest(self, epoch: int, to: Set[Identifier]) -> None:
        """What the controller knows of the partition is on its way; it may arrive, late or twice, where it is accepted.

        A broker that is told of no leader just stops fetching, which it may do anyway: that is not told here.
        """
        if self.controllers[epoch].leader is not None:
            for b in self.brokers:
                if b in to and self.is_addressed(epoch, b) and self.is_news(epoch, b):
                    self.brokers[b].requests = self.brokers[b].requests | {self.controllers[epoch].leader_epoch}

    def is_news(self, epoch: int, b: Identifier) -> bool:
        """Whether b has not acted on this leader epoch yet: else it ignores the request."""
        return self.controllers[epoch].leader_epoch > self.brokers[b].leader_epoch

    def is_addressed(self, epoch: int, b: Identifier) -> bool:
        """KIP-380, since 2.2: a request names the broker epoch, and another incarnation answers STALE_BROKER_EPOCH."""
        return b in self.controllers[epoch].known

    # -- elections and failures -----------------------------------------------------------------------------------

    @action(by="controller", to="broker", sends="LeaderAndIsr", says="Controller {epoch} elects {broker}", fair="weak")
    def elect_leader(self, epoch: ControllerEpoch, broker: Broker) -> None:
        """PartitionStateMachine: a controller makes a live member of the ISR leader.

        For a new partition, a preferred election, or a partition without a leader.
        """
        require(self.partition.leader != broker)
        require(broker in self.partition.isr)
        require(broker in self.controllers[epoch].live)
        self.write(epoch, broker, self.partition.isr)

    def has_failed(self, epoch: int, b: Identifier) -> bool:
        """Whether the controller, reading the list of brokers, finds that the incarnation it knew is gone.

        KIP-380, since 2.2: it finds it also when the broker is registered again, under another broker epoch. Those it
        handles first.
        """
        bounced = any(
            other in self.controllers[epoch].live
            and other not in self.controllers[epoch].known
            and self.brokers[other].up
            for other in self.brokers
        )
        return (
            b in self.controllers[epoch].live
            and b not in self.controllers[epoch].known
            and (self.brokers[b].up or not bounced)
        )

    @action(by="controller", to="broker", says="Controller {epoch} notices that {broker} failed", fair="weak")
    def on_broker_failure(self, epoch: ControllerEpoch, broker: Broker) -> None:
        """KafkaController.onBrokerFailure: the broker leaves the ISR, unless it is the last member.

        If it led, and no other member is alive to lead, the partition has no leader.
        """
        require(self.controllers[epoch].elected)
        require(self.has_failed(epoch, broker))
        self.controllers[epoch].live = self.controllers[epoch].live - {broker}
        rest = self.partition.isr if self.partition.isr == Set({broker}) else self.partition.isr - {broker}
        if self.partition.leader == broker:
            require(all(not self.is_eligible(epoch, b) for b in self.brokers))
            self.write(epoch, None, rest)
        elif rest != self.partition.isr:
            self.write(epoch, self.partition.leader, rest)

    def is_eligible(self, epoch: int, b: Identifier) -> bool:
        """Whether a controller finds a member of the ISR alive."""
        return b in self.partition.isr and b in self.controllers[epoch].live and self.brokers[b].up

    @action(
        by="controller",
        to="successor",
        sends="LeaderAndIsr",
        says="Controller {epoch} notices that {broker} failed: {successor} leads",
        fair="weak",
    )
    def on_leader_failure(self, epoch: ControllerEpoch, broker: Broker, successor: Broker) -> None:
        """KafkaController.onBrokerFailure, of a leader: another live member of the ISR leads, the live ones stay."""
        require(self.controllers[epoch].elected)
        require(self.has_failed(epoch, broker))
        require(self.partition.leader == broker)
        self.controllers[epoch].live = self.controllers[epoch].live - {broker}
        require(self.is_eligible(epoch, successor))
        self.write(epoch, successor, Set(b for b in self.brokers if self.is_eligible(epoch, b)))

    @action(
        by="controller",
        to="broker",
        sends="LeaderAndIsr",
        says="Controller {epoch} notices that {broker} is back",
        fair="weak",
    )
    def on_broker_startup(self, epoch: ControllerEpoch, broker: Broker) -> None:
        """KafkaController.onBrokerStartup: the controller sends the new incarnation the partition's state."""
        require(self.controllers[epoch].elected)
        require(self.brokers[broker].up)
        require(broker not in self.controllers[epoch].live)
        self.controllers[epoch].live = self.controllers[epoch].live | {broker}
        self.controllers[epoch].known = self.controllers[epoch].known | {broker}
        self.send_latest(epoch, Set({broker}))
