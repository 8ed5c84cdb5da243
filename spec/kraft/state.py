"""What the modern protocol remembers, and the words its rules are told in.

One partition, its replicas on as many brokers, and the KRaft controller as one machine that appends to a metadata log
(KIP-500, KIP-631). Brokers replay that log in their own time; all else is told from there.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ..language import *
from .settings import Settings


@dataclass(frozen=True)
class KraftBounds(Bounds):
    """How large the model is, and how much may go wrong. What heals is never bounded."""

    replication_factor: int = bound(
        3, least=1, most=4, help="the number of replicas", why="every set of replicas is stored six times or more"
    )
    records: int = bound(
        1, least=1, most=4, help="the number of records produced", why="each record multiplies the number of states"
    )
    max_epoch: int = bound(
        2, least=0, most=6, help="the greatest leader epoch", why="each epoch multiplies the number of states"
    )
    metadata_lag: int = bound(
        2, least=1, most=4, help="how many change records a broker may be behind", why="each is stored"
    )
    crashes: int = bound(0, least=0, most=3, help="the number of crashes that lose nothing")
    lossy_crashes: int = bound(1, least=0, most=3, help="the number of crashes that lose the end of a log")
    fencings: int = bound(1, least=0, most=4, help="the number of live brokers that are fenced or shut down")
    shrinks: int = bound(1, least=0, most=4, help="the number of times a leader drops slow followers from the ISR")
    elections: int = bound(1, least=0, most=4, help="the number of elections while the leader is alive")

    def most_restarts(self) -> int:
        """How often brokers can stop, and so start again."""
        return self.crashes + self.lossy_crashes + self.fencings


B = KraftBounds

Replica = Annotated[Identifier, Identifiers("b", B.replication_factor)]
Epoch = Annotated[int, Integers(0, B.max_epoch)]
Offset = Annotated[int, Integers(0, B.records)]
KnownOffset = Annotated[int, Integers(-1, B.records)]
RecordId = Annotated[int, Integers(0, B.records - 1)]
BrokerEpoch = Annotated[int, Integers(0, B.crashes + B.lossy_crashes + B.fencings)]
Age = Annotated[int, Integers(0, B.metadata_lag)]
Lag = Annotated[int, Integers(1, B.metadata_lag)]

UNKNOWN = -1
"""The offset of a follower that has not fetched from the leader yet (Replica.java)."""


class Record(Struct, text="r{id}@e{epoch}"):
    """A record: its id, and the epoch of the leader that appended it. Followers copy both unchanged."""

    id: RecordId
    epoch: Epoch


class Status(enum.Enum):
    """A broker's process. After a clean shutdown a marker on disk says so (KIP-966); after a crash there is none."""

    RUNNING = "running"
    SHUT_DOWN = "shut down"
    CRASHED = "crashed"


class BrokerState(Struct):
    """A broker: its process, how many change records it has not replayed, its replica, and what it knows as leader.

    `epoch_start` is the log end offset at which it became leader, `proposed` the ISR it has asked for, empty if none,
    and `followers` the offset of each follower's last fetch, -1 if unknown (Replica.java). They are blank unless the
    broker presumes leadership.
    """

    status: Status
    behind: Age
    log: Annotated[Log[Record], Capacity(B.records)]
    hw: Offset
    epoch_start: Offset
    proposed: Set[Replica]
    followers: Map[Replica, KnownOffset]


class Registration(Struct, text="epoch {broker_epoch} fenced {fenced}"):
    """A broker as the controller knows it (KIP-631). A new incarnation has a new broker epoch."""

    broker_epoch: BrokerEpoch
    fenced: bool


class PartitionState(Struct, text="{leader} e{leader_epoch} {isr}"):
    """The partition after a change record, as brokers act on it (PartitionRegistration)."""

    leader: Replica | None
    leader_epoch: Epoch
    isr: Set[Replica]


class LeaderRecovery(Struct, text="elr {elr}, last known leader {last_known_leader}, recovering {recovering}"):
    """The part of the partition's state that only the controller acts on (KIP-966, KIP-704)."""

    elr: Set[Replica]
    last_known_leader: Replica | None
    recovering: bool


class AlterPartition(
    Struct, text="{leader} e{leader_epoch} {isr} broker epoch {broker_epoch}, {joining} {joining_epoch}"
):
    """An AlterPartition request that the controller has not answered (KIP-497). Without a leader there is none.

    With the leader's broker epoch goes that of a follower that is to join (KIP-903). Those of other members would be
    the same as the controller's, because a restart takes a broker out of the ISR; up to Kafka 3.9 it does not, and
    `options.unnoticed_restart` has theirs.
    """

    leader: Replica | None
    leader_epoch: Epoch
    isr: Set[Replica]
    broker_epoch: BrokerEpoch
    joining: Replica | None
    joining_epoch: BrokerEpoch


class Perturbations(Struct):
    """How much has gone wrong so far; each is limited by the bound of the same name."""

    crashes: Annotated[int, Integers(0, B.crashes)]
    lossy_crashes: Annotated[int, Integers(0, B.lossy_crashes)]
    fencings: Annotated[int, Integers(0, B.fencings)]
    shrinks: Annotated[int, Integers(0, B.shrinks)]
    elections: Annotated[int, Integers(0, B.elections)]


class KraftState(Protocol):
    """State of one partition, its brokers and its controller.

    `metadata[0]` is the partition as the controller knows it, and `metadata[n]` as it was n change records before; what
    no running broker can act on any more is forgotten. A broker that is n records behind acts on `metadata[n]`.
    Partition epochs number the change records, so that only how far apart they are matters here. `leads_since` is the
    leader epoch in which a broker that presumes leadership took office; through later ones it has led on.
    """

    settings: ClassVar[Settings] = Settings()
    bounds: KraftBounds

    metadata: Map[Age, PartitionState]
    recovery: LeaderRecovery
    registrations: Map[Replica, Registration]
    brokers: Map[Replica, BrokerState]
    request: AlterPartition
    next_record: Bookkeeping[Offset]
    used: Bookkeeping[Perturbations]
    committed: Ghost[Annotated[Log[Record], Capacity(B.records)]]
    acknowledged: Ghost[Set[RecordId]]
    lost_data: Ghost[Set[Replica]]
    leads_since: Ghost[Bookkeeping[Map[Replica, Epoch]]]

    def initial(self, leader: Replica) -> None:  # one initial state for each choice
        """One broker, whichever, leads in epoch 0, every replica is in the ISR, and all logs are empty."""
        self.metadata[0].leader = leader
        self.metadata[0].isr = Set(self.brokers)

    # -- words ----------------------------------------------------------------------------------------------------

    def is_running(self, r: Identifier) -> bool:
        """Whether the broker's process runs."""
        return self.brokers[r].status == Status.RUNNING

    def is_active(self, r: Identifier) -> bool:
        """Whether the controller counts on the broker: registered and not fenced (KIP-631)."""
        return not self.registrations[r].fenced

    def is_eligible(self, member: Identifier) -> bool:
        """Whether a proposed member may be in the ISR: not fenced (KIP-841), and not restarted since (KIP-903)."""
        return (not self.settings.fenced_check or self.is_active(member)) and (
            self.request.joining != member or self.request.joining_epoch == self.registrations[member].broker_epoch
        )

    def is_candidate(self, r: Identifier) -> bool:
        """Whether a clean election may choose a replica once it is live: it is in the ISR or the ELR (KIP-966)."""
        return r in self.metadata[0].isr | self.recovery.elr

    def view(self, r: Identifier) -> PartitionState:
        """The partition as broker r knows it from the change records it has replayed."""
        return self.metadata[self.brokers[r].behind]

    def presumes_leadership(self, r: Identifier) -> bool:
        """Whether r runs and believes that it leads. Several may: one deposed without knowing is a zombie."""
        return self.is_running(r) and self.view(r).leader == r

    def is_legitimate(self, r: Identifier) -> bool:
        """Whether r presumes leadership in the partition's present leader epoch."""
        return self.presumes_leadership(r) and self.view(r).leader_epoch == self.metadata[0].leader_epoch

    def end(self, r: Identifier) -> int:
        """The log end offset of r: the next offset to be written."""
        return len(self.brokers[r].log)

    def min_isr(self) -> int:
        """The effective `min.insync.replicas`: never more than there are replicas (Partition.effectiveMinIsr)."""
        return min(self.settings.min_insync_replicas, self.bounds.replication_factor)

    def leader_min_isr(self, leader: Identifier) -> int:
        """The same as a leader knows it (KAFKA-16540)."""
        return self.least_min_isr()

    def least_min_isr(self) -> int:
        """The same as any leader may know it."""
        known = self.settings.leader_min_insync_replicas
        return self.min_isr() if known is None else min(known, self.bounds.replication_factor)
