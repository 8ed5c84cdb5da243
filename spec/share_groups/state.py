"""What leaders and the share coordinator remember of a share partition, and the words their rules are told in."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from ..language import *


@dataclass(frozen=True)
class ShareGroupBounds(Bounds):
    """How large the model is. What a member or a leader may do again and again is not bounded."""

    records: int = bound(
        1, least=1, most=4, help="the number of records that are produced", why="each multiplies the number of states"
    )
    members: int = bound(1, least=1, most=3, help="the number of the group's members", why="each may hold any record")
    deliveries: int = bound(
        2, least=1, most=4, help="how often a record is delivered at most (group.share.delivery.count.limit)"
    )
    max_epoch: int = bound(
        1, least=0, most=3, help="the greatest leader epoch", why="the leader of each has a share partition of its own"
    )
    writes: int = bound(
        2, least=1, most=3, help="the number of writes that are under way at a time", why="each may be late"
    )
    deletions: int = bound(1, least=0, most=2, help="how often the log start offset moves")
    failovers: int = bound(1, least=0, most=2, help="how often the share coordinator fails over")
    resets: int = bound(
        1, least=0, most=2, help="how often the group's offsets are altered, or the group is deleted and made anew"
    )


B = ShareGroupBounds

UNKNOWN_OFFSET = -1
"""No start offset yet: the leader finds one by share.auto.offset.reset (UNINITIALIZED_START_OFFSET)."""

GroupMember = Annotated[Identifier, Identifiers("m", B.members)]
LeaderEpoch = Annotated[int, Integers(0, B.max_epoch)]
StateEpoch = Annotated[int, Integers(0, B.resets)]
RecordOffset = Annotated[int, Integers(0, B.records - 1)]
Offset = Annotated[int, Integers(0, B.records)]
KnownOffset = Annotated[int, Integers(UNKNOWN_OFFSET, B.records)]
DeliveryCount = Annotated[int, Integers(0, B.deliveries)]
Slot = Annotated[int, Integers(0, B.writes - 1)]


class DeliveryState(enum.Enum):
    """RecordState: what has become of a record. NONE: not in flight, since it was never fetched, or not acquired."""

    NONE = "none"
    AVAILABLE = "available"
    ACQUIRED = "acquired"
    ACKNOWLEDGED = "acknowledged"
    ARCHIVED = "archived"


class InFlightRecord(Struct):
    """InFlightState: a record that the leader has delivered, or has read of.

    `persisting`: its new state is being written, and its member still has the lock, should that fail.
    """

    state: DeliveryState
    count: DeliveryCount
    member: GroupMember | None
    persisting: bool


class Phase(enum.Enum):
    """SharePartitionState: whether a leader has read the state from the share coordinator."""

    EMPTY = "empty"
    READING = "reading"
    STARTING = "starting"
    ACTIVE = "active"


class SharePartition(Struct):
    """What the leader of an epoch has in memory: one at a time, and none while nobody fetches for the group."""

    phase: Phase
    state_epoch: StateEpoch
    start: KnownOffset
    records: Map[RecordOffset, InFlightRecord]


class PersistedRecord(Struct, text="{state} {count}x"):
    """What is written of a record: its state and its delivery count. NONE is nothing."""

    state: DeliveryState
    count: DeliveryCount


class ShareState(Struct):
    """The share coordinator's state of the share partition, after all snapshots and updates of its log.

    `leader_epoch` is what its latest record says, and `fence` the greatest leader epoch that the coordinator knows of
    (leaderEpochMap): of all records that it has seen.
    """

    start: KnownOffset
    state_epoch: StateEpoch
    leader_epoch: LeaderEpoch
    fence: LeaderEpoch
    records: Map[RecordOffset, PersistedRecord]


class Awaits(enum.Enum):
    """Who waits for the answer to a write; FREE: there is no write."""

    FREE = "no write"
    TRANSITION = "the leader, for a member"
    TIMEOUT = "the leader, for a lock that has timed out"
    START = "the leader, to begin"
    NOBODY = "nobody"


class StateWrite(Struct):
    """A WriteShareGroupState request. `taken`: the share coordinator has appended it, and has yet to answer."""

    awaits: Awaits
    taken: bool
    leader_epoch: LeaderEpoch
    state_epoch: StateEpoch
    start: KnownOffset
    offset: RecordOffset
    state: DeliveryState
    count: DeliveryCount


class ShareGroupState(Protocol):
    """One topic partition, the share partitions of its leaders, the share coordinator, and the writes between them.

    `log_start` and `log_end` are of the topic partition, of which only what is committed is here. `persisted` is the
    coordinator's state to the end of its log, `replicated` that up to the high watermark. One record at most is not
    replicated: a further one would be answered after it, and lost with it.

    History: from `begun` on the group must get every record (unknown until a leader has begun). `settled` are the
    records that are over: acknowledged and persisted, or archived; `settling` is in the record that is not replicated.
    `confirmed` are those whose member was told of success. `readers` is the greatest leader epoch that has read the
    state, and `fenced_was_served` and `stranger_acknowledged` say that what must not happen has.
    """

    bounds: ShareGroupBounds

    log_start: Offset
    log_end: Offset
    leader_epoch: LeaderEpoch
    partitions: Map[LeaderEpoch, SharePartition]
    persisted: ShareState
    replicated: ShareState
    writes: Map[Slot, StateWrite]

    deletions: Bookkeeping[Annotated[int, Integers(0, B.deletions)]]
    failovers: Bookkeeping[Annotated[int, Integers(0, B.failovers)]]
    resets: Bookkeeping[Annotated[int, Integers(0, B.resets)]]

    begun: Ghost[KnownOffset]
    settled: Ghost[Set[RecordOffset]]
    settling: Ghost[Bookkeeping[RecordOffset | None]]
    confirmed: Ghost[Set[RecordOffset]]
    readers: Ghost[Bookkeeping[LeaderEpoch]]
    fenced_was_served: Ghost[Bookkeeping[bool]]
    stranger_acknowledged: Ghost[Bookkeeping[bool]]

    # -- words ----------------------------------------------------------------------------------------------------

    def is_terminal(self, state: DeliveryState) -> bool:
        """SharePartition.isStateTerminal: the record is over."""
        return state == DeliveryState.ACKNOWLEDGED or state == DeliveryState.ARCHIVED

    def is_replicated(self) -> bool:
        """Whether the high watermark has passed all that the share coordinator has appended."""
        return self.persisted == self.replicated

    def is_active(self, epoch: int) -> bool:
        """Whether the leader of an epoch serves the group."""
        return self.partitions[epoch].phase == Phase.ACTIVE

    def is_on_its_way(self, slot: int) -> bool:
        """Whether a write is under way to the share coordinator."""
        return self.writes[slot].awaits != Awaits.FREE and not self.writes[slot].taken
