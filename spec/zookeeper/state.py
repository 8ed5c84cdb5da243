"""What ZooKeeper, controllers and brokers remember, and the words their rules are told in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..language import *


@dataclass(frozen=True)
class ZooKeeperBounds(Bounds):
    """How large the model is. What heals is not bounded: a broker that stopped may always come back."""

    brokers: int = bound(
        3, least=2, most=4, help="the number of brokers", why="every set of brokers is stored seven times or more"
    )
    controllers: int = bound(
        2, least=1, most=3, help="the number of controllers, one after another", why="each has a memory of its own"
    )
    log_size: int = bound(
        1, least=1, most=3, help="the number of offsets in a log", why="each offset multiplies the number of states"
    )
    max_version: int = bound(
        3, least=1, most=6, help="the number of writes to the partition's znode", why="each multiplies the states"
    )
    stops: int = bound(
        1, least=0, most=6, help="how often a broker stops", why="each one multiplies the number of states"
    )


B = ZooKeeperBounds

Broker = Annotated[Identifier, Identifiers("b", B.brokers)]
ControllerEpoch = Annotated[int, Integers(1, B.controllers)]
LeaderEpoch = Annotated[int, Integers(0, B.max_version - 1)]
Version = Annotated[int, Integers(0, B.max_version)]
Offset = Annotated[int, Integers(0, B.log_size)]
RecordLog = Annotated[Log[LeaderEpoch], Capacity(B.log_size)]


class PartitionState(Struct):
    """The partition's znode. Its version (zkVersion) grows with every write.

    `controller_epoch` is that of the last controller that wrote it; a leader's write leaves it alone.
    """

    leader: Broker | None
    isr: Set[Broker]
    version: Version
    controller_epoch: Annotated[int, Integers(0, B.controllers)]


class LeaderAndIsr(Struct, text="{leader} {isr} v{version}"):
    """A LeaderAndIsr request: the partition's state, under the leader epoch that its writer gave it."""

    leader: Broker | None
    isr: Set[Broker]
    version: Version


class ControllerState(Struct):
    """A controller's memory: the brokers it thinks alive, and what it last read or wrote of the partition.

    `isr` and `version` matter only to a controller that leaders ask (AlterIsr). `known` are the brokers whose present
    incarnation it has seen: a broker epoch (KIP-380) matters only in whether it is still the same.
    """

    elected: bool
    live: Set[Broker]
    known: Set[Broker]
    leader: Broker | None
    leader_epoch: Annotated[int, Integers(-1, B.max_version - 1)]
    isr: Set[Broker]
    version: Version


class BrokerState(Struct):
    """A broker. Only its log is on its disk.

    `requests` are the LeaderAndIsr requests, by leader epoch, that its present incarnation may receive at any time,
    `isr` and `version` what it knows of them as leader.
    """

    up: bool
    requests: Set[LeaderEpoch]
    log: RecordLog
    hw: Offset
    leader_epoch: Annotated[int, Integers(-1, B.max_version - 1)]
    leader: Broker | None
    isr: Set[Broker]
    version: Version


class ZooKeeperState(Protocol):
    """State of one partition, of the brokers, and of every controller that there ever was.

    `requests[e]` is the LeaderAndIsr request with leader epoch e. Controllers are told apart by their epochs; the one
    with the greatest is the controller, all others are zombies. A record is the leader epoch it was written in.

    That brokers also refuse requests of a controller older than the last they heard of needs no rule here, because
    leader epochs grow from each controller to the next.
    """

    bounds: ZooKeeperBounds

    partition: PartitionState
    controllers: Map[ControllerEpoch, ControllerState]
    brokers: Map[Broker, BrokerState]
    requests: Annotated[Log[LeaderAndIsr], Capacity(B.max_version)]
    stopped: Bookkeeping[Annotated[int, Integers(0, B.stops)]]
    committed: Ghost[RecordLog]

    def initial(self) -> None:
        """All brokers are up and in the ISR; there is no controller and no leader yet."""
        self.partition.isr = Set(self.brokers)
        for c in self.controllers:
            self.controllers[c].leader_epoch = -1
        for b in self.brokers:
            self.brokers[b].up = True
            self.brokers[b].leader_epoch = -1

    # -- words ----------------------------------------------------------------------------------------------------

    def controller_epoch(self) -> int:
        """The content of /controller_epoch: the epoch of the latest controller; 0 before the first."""
        return sum(1 for c in self.controllers if self.controllers[c].elected)

    def leader_epoch(self) -> int:
        """The partition's leader epoch; -1 before the first election."""
        return len(self.requests) - 1

    def end(self, b: Identifier) -> int:
        """The log end offset of b."""
        return len(self.brokers[b].log)

    def presumes_leadership(self, b: Identifier) -> bool:
        """Whether b is up and believes that it leads."""
        return self.brokers[b].up and self.brokers[b].leader == b

    def is_true_leader(self, b: Identifier) -> bool:
        """Whether b believes that it leads, and does: it has acted on the latest leader epoch."""
        return (
            self.presumes_leadership(b)
            and self.partition.leader == b
            and self.brokers[b].leader_epoch == self.leader_epoch()
        )

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the leader presumes leadership, and the other, up too, follows it in the same leader epoch."""
        return (
            follower != leader
            and self.presumes_leadership(leader)
            and self.brokers[follower].up
            and self.brokers[follower].leader == leader
            and self.brokers[follower].leader_epoch == self.brokers[leader].leader_epoch
        )
