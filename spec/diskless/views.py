"""How people read the state of a diskless partition."""

from __future__ import annotations

from ..language import view
from .state import DisklessState, Entry, EntryKind, ObjectPhase, StoredId


class DisklessViews(DisklessState):
    """A line for the coordinator, each object, the producers and the consumer."""

    def batch_in_words(self, batch: int) -> str:
        """A batch, by its producer: p0-1 is the second of the first."""
        return f"p{batch // self.bounds.batches}-{batch % self.bounds.batches}"

    def range_in_words(self, first: int, last: int) -> str:
        """Some batches of a producer."""
        return self.batch_in_words(first) if first == last else f"{self.batch_in_words(first)} and on"

    def entry_in_words(self, entry: Entry) -> str:
        """A record of the coordinator's log."""
        if entry.kind == EntryKind.DELETION:
            return f"log starts at {entry.offset}"
        if entry.kind != EntryKind.BATCHES:
            return f"{entry.kind.value} of p{entry.producer}"
        batches = self.range_in_words(entry.first, self.objects[entry.object].last)
        return f"offset {entry.offset}: {batches} of object {entry.object}"

    @view(of="Diskless coordinator")
    def log_in_words(self) -> str:
        """Its log, and up to where that is replicated."""
        if len(self.log) == 0:
            return ""
        said = [self.entry_in_words(entry) for entry in self.log]
        pending = said[self.replicated :]
        return "; ".join([*said[: self.replicated], *([f"not replicated: {', '.join(pending)}"] if pending else [])])

    @view(of="object")
    def object_in_words(self, object: StoredId) -> str:
        """What is in an object."""
        stored = self.objects[object]
        if stored.phase == ObjectPhase.ABSENT:
            return ""
        late = ", too old to be committed" if stored.expired else ""
        return f"{stored.phase.value}: {self.range_in_words(stored.first, stored.last)}{late}"

    @view(of="producers")
    def producers_in_words(self) -> str:
        """Of which batches they were told of success."""
        return (
            f"told of success: {' '.join(self.batch_in_words(b) for b in self.acknowledged)}"
            if self.acknowledged
            else ""
        )

    @view(of="consumer")
    def consumer_in_words(self) -> str:
        """Where it is."""
        return f"next offset {self.position}" if self.position else ""
