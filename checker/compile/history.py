"""What has changed in a state while a rule is read: whether a value taken before is still what Python would see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Change:
    """A change of the leaves `first` up to `end`, at a time of the history's clock.

    `whole` if a record, map or log was replaced there, which is nested in `depth` others, and not a part of it;
    `certain` if that happens on every path to where the run stands.
    """

    time: int
    first: int
    end: int
    depth: int
    whole: bool
    certain: bool

    def uncertain(self) -> Change:
        """The same, on some path only."""
        return replace(self, certain=False) if self.certain else self

    def replaces(self, first: int, end: int, depth: int) -> bool:
        """Whether what is made of these leaves was replaced with all that it is nested in from some depth on."""
        covers = self.first <= first and end <= self.end
        return self.whole and covers and (self.depth <= depth or (self.first, self.end) != (first, end))

    def touches(self, first: int, end: int) -> bool:
        """Whether any of these leaves was changed."""
        return self.first < end and first < self.end


class History:
    """The changes of one state, in the order of their times; `replaced` are those of whole records, maps and logs."""

    def __init__(self) -> None:
        self.clock = 0
        self.changes: list[Change] = []
        self.replaced: list[Change] = []

    def note(self, starts: Iterable[int], size: int, depth: int, whole: bool, certain: bool) -> None:
        """Something of this size and depth changes now, at one of these leaves."""
        self.clock += 1
        found = [Change(self.clock, at, at + size, depth, whole, certain) for at in starts]
        self.changes += found
        if whole:
            self.replaced += found

    def was_replaced(self, since: int, first: int, end: int, depth: int) -> bool:
        """Whether a value at these leaves may have been replaced since a time: what was read then left the state."""
        return any(change.time > since and change.replaces(first, end, depth) for change in self.replaced)

    def was_changed(self, since: int, first: int, end: int, depth: int) -> bool:
        """Whether a part of a value at these leaves may have changed since a time, while the value was in the state."""
        for change in self.changes:
            if change.time > since and change.touches(first, end):
                if not change.replaces(first, end, depth):
                    return True
                if change.certain:
                    return False
        return False

    def mark(self) -> tuple[int, int]:
        """How much has happened so far."""
        return len(self.changes), len(self.replaced)

    def taken_back(self, mark: tuple[int, int]) -> History:
        """Forget what has happened since a mark; it is returned."""
        later = History()
        later.changes, later.replaced = self.changes[mark[0] :], self.replaced[mark[1] :]
        del self.changes[mark[0] :], self.replaced[mark[1] :]
        return later

    def join(self, other: History, mark: tuple[int, int], certain: bool = False) -> None:
        """Take in what happened on another path since a mark: nothing of it is certain, if there are two paths."""
        both = [*other.changes, *self.changes[mark[0] :]]
        self.changes[mark[0] :] = both if certain else [one.uncertain() for one in both]
        self.replaced[mark[1] :] = [*other.replaced, *self.replaced[mark[1] :]]
