"""Tiered storage (KIP-405): brokers read late what `__remote_log_metadata` says, and its end may be lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from ...language import Bookkeeping, Identifier, Integers, Map, Set, action, bound, require, view
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import KraftBounds, Offset, RecordId, Replica, Status
from .tiered_storage import TieredStorage

SOUND = Settings(elr=False, min_insync_replicas=2)


@dataclass(frozen=True)
class RemoteMetadataBounds(KraftBounds):
    """As always, and how often the end of `__remote_log_metadata` is lost."""

    metadata_losses: int = bound(
        1, least=0, most=2, help="the number of times the end of __remote_log_metadata is lost with its only replica"
    )


@governed_by(remote_metadata_needs_two={"": True, "3.6": False, "4.3": True}, only_where_asked_for=True)
class RemoteMetadata(TieredStorage):
    """Each broker knows of the remote tier what it has read of `__remote_log_metadata` since it started.

    `remote` is what the topic says, and `known` what a broker has in memory (RemoteLogMetadataCache). `last` is what
    was uploaded last: the topic's leader has acknowledged it, and nobody else need have a copy. Other partitions of a
    cluster write there as well, so that it is any upload of this partition that may be the last one.

    Simpler than in Kafka: a broker reads all that is new at once, what is deleted in the remote tier is known to all at
    once, and of the topic's end no more is lost than one upload.
    """

    bounds: RemoteMetadataBounds

    known: Map[Replica, Set[RecordId]]
    last: Set[RecordId]
    metadata_losses: Bookkeeping[Annotated[int, Integers(0, RemoteMetadataBounds.metadata_losses)]]

    # -- words ----------------------------------------------------------------------------------------------------

    def is_remote(self, r: Identifier, offset: int) -> bool:
        """As far as r has read."""
        return self.brokers[r].log[offset].id in self.known[r]

    def can_be_found(self, r: Identifier, offset: int) -> bool:
        """What r has not read yet it will read."""
        return self.is_remote(r, offset) or self.brokers[r].log[offset].id in self.remote

    # -- steps ----------------------------------------------------------------------------------------------------

    def upload(self, leader: Replica, offset: Offset) -> None:
        """As always; the upload is over when the leader has read so (ConsumerManager.waitTillConsumptionCatchesUp)."""
        super().upload(leader, offset)
        self.last = Set((self.brokers[leader].log[offset].id,))
        self.known[leader] |= self.remote
        self.note_uploaded(leader)

    @action(by="broker", says="{broker} reads what is new in __remote_log_metadata")
    def read_metadata(self, broker: Replica) -> None:
        """ConsumerTask, on whichever replica."""
        require(self.is_running(broker))
        require(any(id not in self.known[broker] for id in self.remote))
        self.known[broker] |= self.remote

    @action(by="broker", says="The last in-sync replica of __remote_log_metadata fails, and what it alone had is lost")
    def lose_metadata(self) -> None:
        """Nobody else has to have it where one replica is enough to acknowledge. Who has read it keeps it in memory."""
        require(self.metadata_losses < self.bounds.metadata_losses)
        require(not self.settings.remote_metadata_needs_two)
        require(len(self.last) > 0)
        self.metadata_losses += 1
        self.remote -= self.last
        self.last = Set()

    def delete_remote(self, leader: Replica) -> None:
        """As always, of what the leader knows."""
        require(self.presumes_leadership(leader))
        gone = Set(id for id in self.known[leader] if self.is_before_log_start(leader, id))
        require(len(gone) > 0)
        self.remote -= gone
        self.last -= gone
        for r in self.known:
            self.known[r] -= gone

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; a process that starts anew reads the topic from the beginning."""
        super().stop(broker, status)
        self.known[broker] = Set()

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="remote tier")
    def last_in_words(self) -> str:
        """What would be lost with the end of the topic."""
        return f"one replica says where r{min(self.last)} is" if len(self.last) > 0 else ""

    @view(of="broker")
    def known_in_words(self, broker: Replica) -> str:
        """What the broker has read of the topic, where that is not what the topic says now."""
        missing = sorted(id for id in self.remote if id not in self.known[broker])
        more = sorted(id for id in self.known[broker] if id not in self.remote)
        return "; ".join(
            (
                *((f"has not read of {', '.join(f'r{id}' for id in missing)}",) if missing else ()),
                *((f"alone remembers the segment of {', '.join(f'r{id}' for id in more)}",) if more else ()),
            )
        )


BUGS = (
    KraftBug(
        id="KAFKA-19858",
        title="One replica acknowledges where a segment is; it is lost, and with it records that two replicas had",
        tickets=("KAFKA-19858", "KIP-1235"),
        versions="3.6 to 4.2, with tiered storage",
        faulty=replace(SOUND, remote_metadata_needs_two=False),
        sound=SOUND,
        properties=("committed_is_readable",),
        bounds={"max_epoch": 2, "metadata_lag": 1, "fencings": 2, "metadata_losses": 1},
        story=(
            "b1 and b2 have r0, so it is committed. b1 uploads it, and the topic __remote_log_metadata says where it "
            "is; one replica of that acknowledges. It fails, and what it alone had is lost. b1 has read it and "
            "remembers, so local retention deletes r0 from its disk. b2 shuts down, b1 restarts and leads again. It "
            "reads a topic that says nothing of r0. Its log begins at offset 0, and a consumer that asks for that gets "
            "OFFSET_OUT_OF_RANGE. The segment is in the store, and nobody refers to it. Here b2 still has a copy; it "
            "has none if it had read the topic as well, and its local retention was over."
        ),
        lesson=(
            "A record is as durable as the weakest log that is needed to find it. What moves data from one place to "
            "another must not ask less of the note that says where it went."
        ),
    ),
)
