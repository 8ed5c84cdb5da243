"""What a diskless partition promises."""

from __future__ import annotations

from typing import Self

from ..language import action_property, invariant, leads_to, reachable
from .reading import DisklessReader
from .state import NOTHING, ObjectPhase, StoredId


class DisklessPromises(DisklessReader):
    """The promises of a partition whose log is in other hands than its records."""

    # -- words ----------------------------------------------------------------------------------------------------

    def count_at(self, offset: int) -> int:
        """How many replicated records of the coordinator's log have a batch at an offset."""
        return sum(
            1
            for i, entry in enumerate(self.log)
            for batch in self.batch_ids()
            if i < self.replicated and self.holds(entry, batch) and entry.offset + batch - entry.first == offset
        )

    def is_at(self, batch: int, offset: int) -> bool:
        """Whether a batch has an offset, as far as is replicated."""
        return any(
            i < self.replicated and self.holds(entry, batch) and entry.offset + batch - entry.first == offset
            for i, entry in enumerate(self.log)
        )

    def times(self, batch: int) -> int:
        """How often a batch is in the partition."""
        return sum(1 for i, entry in enumerate(self.log) if i < self.replicated and self.holds(entry, batch))

    def is_readable(self, batch: int) -> bool:
        """Whether a batch is in the partition, with its object, or deleted by retention."""
        return any(
            self.holds(entry, batch)
            and (
                self.objects[entry.object].phase == ObjectPhase.STORED
                or entry.offset + batch - entry.first < self.start(self.replicated)
            )
            for entry in self.log
        )

    # -- promises -------------------------------------------------------------------------------------------------

    @invariant
    def offset_is_given_once(self) -> bool:
        """No two batches have the same offset, nor had, if anybody was told."""
        return all(
            self.count_at(offset) <= 1
            and (self.told[offset] == NOTHING or self.count_at(offset) == 0 or self.is_at(self.told[offset], offset))
            for offset in self.told
        )

    @invariant
    def acknowledged_is_readable(self) -> bool:
        """A batch whose producer was told of success stays readable until it is deleted by retention."""
        return all(self.is_readable(batch) for batch in self.acknowledged)

    @invariant
    def named_objects_are_there(self) -> bool:
        """No object is deleted that a batch needs."""
        return all(
            self.objects[object].phase == ObjectPhase.STORED
            for object in self.objects
            if self.is_needed(object, self.replicated)
        )

    @invariant
    def no_batch_twice(self) -> bool:
        """A batch of an idempotent producer is in the partition once."""
        return all(self.times(batch) <= 1 for batch in self.batch_ids())

    @invariant
    def order_is_kept(self) -> bool:
        """Batches of a producer are in the partition in the order in which it has sent them, without a gap."""
        return all(
            self.times(batch) == 0
            or batch % self.bounds.batches == 0
            or any(
                self.is_at(batch, offset) and any(self.is_at(batch - 1, o) for o in self.told if o < offset)
                for offset in self.told
            )
            for batch in self.batch_ids()
        )

    @action_property
    def consumer_misses_nothing(self, new: Self) -> bool:
        """A consumer gets record after record, and passes over what is deleted alone."""
        return self.position <= new.position <= max(self.position + 1, self.start(self.replicated))

    @leads_to(fair=("replicate", "expire", "clean", "sweep"))
    def garbage_goes(self, object: StoredId) -> tuple[bool, bool]:
        """An object that is not needed is deleted some time, or becomes needed."""
        stored = self.objects[object].phase == ObjectPhase.STORED
        garbage = stored and not self.is_needed(object, len(self.log))
        return garbage, not garbage

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def everything_is_acknowledged(self) -> bool:
        """Every producer is told of success."""
        return len(self.acknowledged) == self.bounds.producers * self.bounds.batches

    @reachable(only_if=lambda self: self.bounds.deletions > 0)
    def committed_object_is_deleted(self) -> bool:
        """An object is deleted after its batches."""
        return any(
            self.objects[object].phase == ObjectPhase.DELETED and self.is_named(object, self.replicated)
            for object in self.objects
        )

    @reachable(only_if=lambda self: self.bounds.objects > 1)
    def retry_finds_a_duplicate(self) -> bool:
        """Two objects have a batch, of which the coordinator commits one."""
        return any(
            batch in self.acknowledged
            and sum(
                1
                for stored in self.objects.values()
                if stored.phase == ObjectPhase.STORED and stored.first <= batch <= stored.last
            )
            > 1
            for batch in self.batch_ids()
        )
