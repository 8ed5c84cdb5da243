"""Objects: how brokers upload them, and when which of them may be deleted."""

from __future__ import annotations

from typing import ClassVar

from ..language import action, require
from .coordinator import DisklessCoordinator
from .state import Batch, ObjectPhase, StoredId


class ObjectStore(DisklessCoordinator):
    """The object store, brokers that write to it, and the cleaner."""

    deletes_when_replicated: ClassVar[bool] = True
    """Whether an object is deleted when the deletion of its batches is replicated, and not when it is appended."""

    sweep_waits: ClassVar[bool] = True
    """Whether an object that nothing names is deleted only when it cannot be committed any more."""

    sweep_sees_pending: ClassVar[bool] = True
    """Whether an object is named by what is appended and not replicated yet."""

    # -- words ----------------------------------------------------------------------------------------------------

    def may_be_sent(self, batch: int) -> bool:
        """Whether a broker may have the batch."""
        return True

    def known_to_cleaner(self) -> int:
        """The part of the log that the cleaner goes by."""
        return self.applied() if self.deletes_when_replicated else len(self.log)

    def is_over(self, object: int) -> bool:
        """KIP-1163: an object that was committed is deleted when all of its batches are."""
        return self.is_named(object, self.known_to_cleaner()) and not self.is_needed(object, self.known_to_cleaner())

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(by="broker", to="object store", says="A broker uploads object {object}")
    def upload(self, object: StoredId, first: Batch, last: Batch) -> None:
        """Whatever is in the buffer of a broker: batches of one producer, also such as are in other objects."""
        require(not self.is_uploaded(object) and all(self.is_uploaded(o) for o in self.objects if o < object))
        require(first <= last and self.producer_of(first) == self.producer_of(last))
        require(all(self.may_be_sent(b) for b in self.batch_ids() if first <= b <= last))
        self.objects[object].phase = ObjectPhase.STORED
        self.objects[object].first = first
        self.objects[object].last = last

    @action(by="time", says="The time to commit object {object} is over", fair="weak")
    def expire(self, object: StoredId) -> None:
        """The object store says how old an object is."""
        require(self.objects[object].phase == ObjectPhase.STORED and not self.objects[object].expired)
        self.objects[object].expired = True

    @action(by="cleaner", to="object store", says="The cleaner deletes object {object}", fair="weak")
    def clean(self, object: StoredId) -> None:
        """An object whose batches are all deleted."""
        require(self.objects[object].phase == ObjectPhase.STORED and self.is_over(object))
        self.objects[object].phase = ObjectPhase.DELETED

    @action(by="cleaner", to="object store", says="The cleaner sweeps object {object} away", fair="weak")
    def sweep(self, object: StoredId) -> None:
        """An object that the coordinator does not know: its broker failed, or its commit was refused or lost."""
        require(self.objects[object].phase == ObjectPhase.STORED)
        require(self.objects[object].expired or not self.sweep_waits)
        require(not self.is_named(object, len(self.log) if self.sweep_sees_pending else self.applied()))
        self.objects[object].phase = ObjectPhase.DELETED
