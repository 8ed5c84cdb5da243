"""A consumer, which is served by any broker, from what that broker knows of the coordinator's state."""

from __future__ import annotations

from ..language import action, require
from .objects import ObjectStore
from .state import ObjectPhase, Prefix


class DisklessReader(ObjectStore):
    """Fetch: DisklessFindBatches may be answered by a follower, from former state, and answers are cached.

    `view` is that state: a prefix of what the coordinator has applied, another one for each fetch.
    """

    @action(
        by="consumer",
        to="broker",
        sends="Fetch",
        receives="Fetch response",
        says="The consumer gets the next record, from a broker that knows {view} records of the coordinator's log",
    )
    def fetch(self, view: Prefix) -> None:
        """From an offset at or beyond the end that the broker knows there is nothing yet (OFFSET_NOT_AVAILABLE)."""
        require(view <= self.applied())
        require(self.start(view) <= self.position < self.end(view))
        self.read(view)
        self.position += 1

    def read(self, view: int) -> None:
        """The record at the consumer's position. What the object store does not have any more is asked for again."""
        for i, entry in enumerate(self.log):
            if i < view:
                for batch in self.batch_ids():
                    if self.holds(entry, batch) and entry.offset + batch - entry.first == self.position:
                        require(self.objects[entry.object].phase == ObjectPhase.STORED)
                        self.told[self.position] = batch

    @action(
        by="consumer",
        to="broker",
        sends="Fetch",
        receives="Fetch response",
        says="The consumer goes on at the log start offset, as a broker knows it after {view} records",
    )
    def skip_deleted(self, view: Prefix) -> None:
        """OFFSET_OUT_OF_RANGE: what it wants is deleted."""
        require(view <= self.applied())
        require(self.position < self.start(view))
        self.position = self.start(view)
