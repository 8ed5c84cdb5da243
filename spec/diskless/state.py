"""What the object store, the Diskless coordinator and a consumer have of one partition, and the words for the rules."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from ..language import *


@dataclass(frozen=True)
class DisklessBounds(Bounds):
    """How large the model is. What may happen again and again, such as reads, is not bounded."""

    producers: int = bound(2, least=1, most=3, help="the number of idempotent producers")
    batches: int = bound(
        2, least=1, most=3, help="the number of batches of each producer", why="each may be in any object"
    )
    objects: int = bound(
        2, least=1, most=4, help="the number of objects that are uploaded", why="a retry is one more object"
    )
    entries: int = bound(
        3,
        least=1,
        most=6,
        help="the number of records in the coordinator's log",
        why="it may fail over between any two",
    )
    failovers: int = bound(1, least=0, most=2, help="how often the coordinator fails over")
    deletions: int = bound(1, least=0, most=2, help="how often the log start offset moves")


B = DisklessBounds

NOTHING = -1
"""No batch."""

Producer = Annotated[int, Integers(0, B.producers - 1)]
Batch = Annotated[int, Integers(0, B.producers * B.batches - 1)]
KnownBatch = Annotated[int, Integers(NOTHING, B.producers * B.batches - 1)]
Offset = Annotated[int, Integers(0, B.producers * B.batches)]
BatchOffset = Annotated[int, Integers(0, B.producers * B.batches - 1)]
StoredId = Annotated[int, Integers(0, B.objects - 1)]
Prefix = Annotated[int, Integers(0, B.entries)]


class ObjectPhase(enum.Enum):
    """Whether an object is in the object store. Its name is never used again."""

    ABSENT = "not uploaded"
    STORED = "stored"
    DELETED = "deleted"


class StoredObject(Struct):
    """A WAL file, and of its batches those of this partition: of one producer, one after the other.

    `expired`: the time within which it may be committed is over.
    """

    phase: ObjectPhase
    first: Batch
    last: Batch
    expired: bool


class EntryKind(enum.Enum):
    """What a record of the coordinator's log says; the last two are markers of a transaction."""

    BATCHES = "batches"
    DELETION = "deletion"
    COMMIT = "COMMIT"
    ABORT = "ABORT"


class Entry(Struct):
    """A record of the coordinator's log.

    BATCHES: the batches of an object from `first` on, of which the first has this offset. DELETION: the log starts at
    this offset. A marker: of the transaction of a producer.
    """

    kind: EntryKind
    producer: Producer
    object: StoredId
    first: Batch
    offset: Offset


class DisklessState(Protocol):
    """One diskless partition, and the shard of the Diskless coordinator that has it. A batch is one record.

    `log` is that of the current coordinator, of which the first `replicated` records are at every in-sync replica. All
    that the coordinator knows follows from its log. A coordinator that was replaced is a reader of former state: what
    it appends is never replicated, and so never answered.

    Of what is under way nothing is kept: a batch that was sent may be put into an object at any later time, by any
    broker, once more for each retry, and the request to commit an object may come at any time after its upload, also
    when its broker does not wait for the answer any more.

    `position` is the next offset of a consumer. `acknowledged` are batches whose producer was told of success, and
    `told` says which batch somebody was told to be at an offset: a producer by its answer, or a consumer.
    """

    bounds: DisklessBounds

    objects: Map[StoredId, StoredObject]
    log: Annotated[Log[Entry], Capacity(B.entries)]
    replicated: Prefix
    position: Offset

    failovers: Bookkeeping[Annotated[int, Integers(0, B.failovers)]]
    deletions: Bookkeeping[Annotated[int, Integers(0, B.deletions)]]

    acknowledged: Set[Batch]
    told: Ghost[Bookkeeping[Map[BatchOffset, KnownBatch]]]

    def initial(self) -> None:
        """Nothing is produced yet."""
        for offset in self.told:
            self.told[offset] = NOTHING

    # -- words: what the first `upto` records of the log say ---------------------------------------------------------

    def batch_ids(self) -> range:
        """All batches: those of a producer one after the other."""
        return range(self.bounds.producers * self.bounds.batches)

    def producer_of(self, batch: int) -> int:
        """Whose batch it is."""
        return batch // self.bounds.batches

    def is_uploaded(self, object: int) -> bool:
        """Whether there is, or was, an object of this name."""
        return self.objects[object].phase != ObjectPhase.ABSENT

    def holds(self, entry: Entry, batch: int) -> bool:
        """Whether a record commits a batch."""
        return entry.kind == EntryKind.BATCHES and entry.first <= batch <= self.objects[entry.object].last

    def is_committed(self, batch: int, upto: int) -> bool:
        """Whether the batch is in the partition."""
        return any(i < upto and self.holds(entry, batch) for i, entry in enumerate(self.log))

    def end_of(self, entry: Entry) -> int:
        """The offset after the batches of a record."""
        return entry.offset + self.objects[entry.object].last - entry.first + 1

    def end(self, upto: int) -> int:
        """The end offset of the partition, which the next batch gets."""
        return max(
            (self.end_of(e) for i, e in enumerate(self.log) if i < upto and e.kind == EntryKind.BATCHES), default=0
        )

    def start(self, upto: int) -> int:
        """The log start offset of the partition."""
        return max((e.offset for i, e in enumerate(self.log) if i < upto and e.kind == EntryKind.DELETION), default=0)

    def next_batch(self, producer: int, upto: int) -> int:
        """The batch that the producer's last one is followed by (ProducerStateEntry.lastSeq)."""
        return max(
            (
                self.objects[e.object].last + 1
                for i, e in enumerate(self.log)
                if i < upto and e.kind == EntryKind.BATCHES and e.producer == producer
            ),
            default=producer * self.bounds.batches,
        )

    def is_named(self, object: int, upto: int) -> bool:
        """Whether the object is known as committed."""
        return any(i < upto and e.kind == EntryKind.BATCHES and e.object == object for i, e in enumerate(self.log))

    def is_needed(self, object: int, upto: int) -> bool:
        """Whether a batch of the object is in the partition, and not deleted."""
        return any(
            i < upto and e.kind == EntryKind.BATCHES and e.object == object and self.end_of(e) > self.start(upto)
            for i, e in enumerate(self.log)
        )

    def applied(self) -> int:
        """Up to where the coordinator has put its log into its local state, from which it answers."""
        return self.replicated
