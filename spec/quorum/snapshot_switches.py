"""The quorum with snapshots, with one rule of them taken away or as Kafka has it."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, action, require
from .snapshots import QuorumSnapshots
from .state import Voter


class QuorumSnapshotMustBeAhead(QuorumSnapshots):
    """Kafka 3.0 to 4.4: a follower throws if the snapshot that its leader sends is not ahead of its log.

    KafkaRaftLog.truncateToLatestSnapshot compares epochs and then offsets, and handleFetchSnapshotResponse says "Full
    log truncation expected but didn't happen". A follower with a record of a later epoch that was never committed is
    in the wrong all the same, and the leader, whose snapshot is of an earlier epoch, is right.
    """

    name: ClassVar[str] = "quorum-snapshot-must-be-ahead"

    later_epoch_given_up = None  # type: ignore[assignment]  # taken away

    def accepts_snapshot(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the id of the snapshot is greater than the end of the follower's log, epochs first."""
        end = self.voters[leader].snapshot
        ours, its = self.last_epoch(follower), self.epoch_below(leader, end)
        return its > ours or (its == ours and end > self.end(follower))


class QuorumSnapshotAnyOffset(QuorumSnapshots):
    """The quorum with snapshots of whatever stands in a log, committed or not."""

    name: ClassVar[str] = "quorum-snapshot-any-offset"

    def most_in_a_snapshot(self, v: Identifier) -> int:
        """The log end offset."""
        return self.end(v)

    def fetch_snapshot(self, follower: Voter, leader: Voter) -> None:
        """A snapshot of records that are truncated since is not fetched: it is wrong already, and told by no log."""
        require(self.voters[leader].snapshot <= self.end(leader))
        super().fetch_snapshot(follower, leader)


class QuorumSnapshotByOffset(QuorumSnapshots):
    """The quorum with leaders that send a snapshot to who is below their log, and ask nobody else for its epoch.

    Who ends where the leader's log starts is taken at its word: the epochs below are not in the leader's log any more.
    """

    name: ClassVar[str] = "quorum-snapshot-by-offset"

    later_epoch_given_up = None  # type: ignore[assignment]  # taken away

    def is_older(self, follower: Identifier, leader: Identifier, start: int, earliest: int) -> bool:
        """Never: epochs are not compared."""
        return False

    def diverges(self, follower: Identifier, leader: Identifier) -> bool:
        """As far as the leader's log goes back."""
        return (self.voters[leader].start == 0 or self.end(follower) != self.voters[leader].start) and super().diverges(
            follower, leader
        )


class QuorumDeleteBelowHw(QuorumSnapshots):
    """The quorum with logs that are deleted up to the high watermark, snapshot or not, as those of topics are."""

    name: ClassVar[str] = "quorum-delete-below-hw"

    @action(by="voter", says="{voter} deletes the records below its high watermark")
    def delete_before_snapshot(self, voter: Voter) -> None:
        """What is committed is deleted, and no snapshot says it."""
        self.delete_up_to(voter, self.voters[voter].hw)
