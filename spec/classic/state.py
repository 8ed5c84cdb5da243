"""What the classic family remembers, and the words its rules are told in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..language import *


@dataclass(frozen=True)
class ClassicBounds(Bounds):
    """How large the model is. Three replicas, two offsets, two records and three epochs show every known bug."""

    replicas: int = bound(
        3, least=1, most=5, help="the number of replicas", why="every set of replicas is stored three times or more"
    )
    log_size: int = bound(
        2, least=1, most=8, help="the number of offsets in a log", why="each offset multiplies the number of states"
    )
    records: int = bound(
        2, least=1, most=8, help="the number of records produced", why="each record multiplies the number of states"
    )
    max_epoch: int = bound(
        2, least=0, most=8, help="the greatest leader epoch", why="each epoch multiplies the number of states"
    )


B = ClassicBounds

Replica = Annotated[Identifier, Identifiers("b", B.replicas)]
Epoch = Annotated[int, Integers(0, B.max_epoch)]
EpochOrNone = Annotated[int, Integers(-1, B.max_epoch)]
Offset = Annotated[int, Integers(0, B.log_size)]
RecordId = Annotated[int, Integers(0, B.records - 1)]
RecordCount = Annotated[int, Integers(0, B.records)]


class Record(Struct, text="r{id}@e{epoch}"):
    """A record: its id, and the epoch of the leader that appended it. Followers copy both unchanged."""

    id: RecordId
    epoch: Epoch


class LeaderAndIsr(Struct, text="{leader} {isr}"):
    """A LeaderAndIsr request, sent by the controller at an election or a change of the ISR."""

    leader: Replica | None
    isr: Set[Replica]


class ReplicaState(Struct):
    """A replica's log and its own, possibly stale, view of who leads."""

    log: Annotated[Log[Record], Capacity(B.log_size)]
    hw: Offset
    epoch: EpochOrNone
    leader: Replica | None
    isr: Set[Replica]


class Quorum(Struct):
    """The authoritative leader and ISR, in ZooKeeper or in the controller."""

    leader: Replica | None
    isr: Set[Replica]


class ClassicState(Protocol):
    """State of one partition.

    `requests[e]` is the LeaderAndIsr request with epoch e. It is never removed: it may be delayed for ever, and every
    replica reads it when it likes. The epoch of the quorum is that of the latest request.
    """

    bounds: ClassicBounds

    next_record: Bookkeeping[RecordCount]
    replicas: Map[Replica, ReplicaState]
    quorum: Quorum
    requests: Annotated[Log[LeaderAndIsr], Capacity(B.max_epoch + 1)]

    def initial(self) -> None:
        """No leader yet, empty logs, every replica in the ISR."""
        self.quorum.isr = Set(self.replicas)
        for r in self.replicas:
            self.replicas[r].epoch = -1

    # -- words ----------------------------------------------------------------------------------------------------

    def quorum_epoch(self) -> int:
        """The leader epoch of the authoritative state; -1 before the first election."""
        return len(self.requests) - 1

    def presumes_leadership(self, r: Identifier) -> bool:
        """Whether r believes that it leads. Several may: a deposed leader that does not know it is a zombie."""
        return self.replicas[r].leader == r

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the follower believes that `leader` leads, in whatever epoch."""
        return self.replicas[follower].leader == leader

    def is_true_leader(self, r: Identifier) -> bool:
        """Whether r's leadership is the authoritative one, so that its conditional write of the ISR succeeds."""
        return self.presumes_leadership(r) and self.quorum.leader == r and self.replicas[r].epoch == self.quorum_epoch()

    def end(self, r: Identifier) -> int:
        """The log end offset of r: the next offset to be written."""
        return len(self.replicas[r].log)

    def has_entry(self, r: Identifier, offset: int) -> bool:
        """Whether r's log holds a record at this offset."""
        return offset < self.end(r)

    def same_record(self, a: Identifier, b: Identifier, offset: int) -> bool:
        """Whether both replicas hold the same record at this offset."""
        return (
            self.has_entry(a, offset)
            and self.has_entry(b, offset)
            and self.replicas[a].log[offset] == self.replicas[b].log[offset]
        )

    # -- parts of steps -------------------------------------------------------------------------------------------

    def send(self, leader: Identifier | None, isr: Set[Identifier]) -> None:
        """The controller records a new leader and ISR under the next epoch, and announces them."""
        bounded(len(self.requests) <= self.bounds.max_epoch)
        self.quorum.leader = leader
        self.quorum.isr = isr
        self.requests.append(LeaderAndIsr(leader=leader, isr=isr))

    def take(self, r: Identifier, epoch: int) -> None:
        """Replica r adopts leader, ISR and epoch of a request."""
        self.replicas[r].epoch = epoch
        self.replicas[r].leader = self.requests[epoch].leader
        self.replicas[r].isr = self.requests[epoch].isr

    def set_isr(self, leader: Identifier, isr: Set[Identifier]) -> None:
        """The leader writes a new ISR, conditionally on nobody having written since. No request is sent."""
        require(self.is_true_leader(leader))
        self.quorum.isr = isr
        self.replicas[leader].isr = isr

    def append(self, r: Identifier, record: Record) -> None:
        """Write a record at the end of r's log."""
        require(self.end(r) < self.bounds.log_size)
        self.replicas[r].log.append(record)

    def truncate(self, r: Identifier, offset: int) -> None:
        """Cut r's log back to `offset`, which must not lie beyond its end; the high watermark goes back with it."""
        require(offset <= self.end(r))
        self.replicas[r].log.truncate(offset)
        self.replicas[r].hw = min(offset, self.replicas[r].hw)
