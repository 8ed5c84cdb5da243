"""The quorum that changes its voters, with one rule of the change taken away."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, Set
from .reconfiguration import QuorumReconfiguration


class QuorumChangeAnyEpoch(QuorumReconfiguration):
    """Raft's single-server changes as first published: a new leader need not commit before it changes the voters.

    What a former leader appended may be in force elsewhere: two changes of the same voters. With three voters at first
    all majorities still meet; with four, of which one leader drops one and the next another, they do not.
    """

    name: ClassVar[str] = "quorum-change-any-epoch"

    def has_committed_in_its_epoch(self, leader: Identifier) -> bool:
        """Always true: the rule is missing."""
        return True


class QuorumManyChanges(QuorumReconfiguration):
    """The quorum without one change at a time: a leader appends the next VotersRecord while one is not committed."""

    name: ClassVar[str] = "quorum-many-changes"

    def is_change_pending(self, leader: Identifier) -> bool:
        """Never: the rule is missing."""
        return False


class QuorumRemovedLeaderCounts(QuorumReconfiguration):
    """KRaft before KAFKA-16530: a leader counts itself among those that hold a record, voter or not."""

    name: ClassVar[str] = "quorum-removed-leader-counts"

    def is_majority_for(self, v: Identifier, voters: Set[Identifier]) -> bool:
        """Half of the voters are enough for a leader that is none of them."""
        return 2 * len(voters & (self.voters_of(v) | {v})) > len(self.voters_of(v))


class QuorumVotersWhenCommitted(QuorumReconfiguration):
    """The quorum with voters in force when their record is committed, which each replica learns in its own time."""

    name: ClassVar[str] = "quorum-voters-when-committed"

    def voters_of(self, v: Identifier) -> Set[Identifier]:
        """The last voters below v's high watermark."""
        return self.voters_before(v, min(self.voters[v].hw, self.end(v)))
