"""Snapshots of the metadata log (KIP-630): a log is what stands from its start on, and a snapshot of all before.

A snapshot is called by its end offset and the epoch of the last record in it, and stands for every record below. Here a
log keeps these records, for they are what the snapshot says; what a voter can still read begins at `start`:

* a voter makes a snapshot at any offset up to its high watermark (KafkaRaftLog.createNewSnapshot);
* it deletes the records below its latest snapshot, and no others (deleteBeforeSnapshot, KAFKA-12155);
* a follower whose end is below the start of the leader's log, or who ends at it with another epoch, or whose last epoch
  is older than the earliest snapshot, gets the leader's latest snapshot instead of records (validateOffsetAndEpoch).
  It truncates its log fully and goes on from there; epoch and vote are in another file, and stay.

What a follower makes of the snapshot is a rule of its own. Kafka's truncates only for a snapshot that is ahead of its
log, by epoch or in the same epoch by offset, and throws otherwise (`QuorumSnapshotMustBeAhead`). Here it truncates for
whatever snapshot its leader sends. A log may end in a later epoch than the snapshot and be wrong nevertheless.

An election is one step (`elections_in_one_step`). A snapshot is fetched in one step too: who hears of a later epoch
meanwhile drops what it has of it. Records are batches of their own: each snapshot ends where one does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from ..language import Identifier, Map, action, action_property, bound, invariant, reachable, require, view
from .elections_in_one_step import ElectionInOneStep, OneStepElectionProperties
from .promises import Commits
from .restart import Restart
from .state import Offset, QuorumBounds, Role, Voter, VoterState
from .views import Views


class SnapshottedVoter(VoterState):
    """A voter whose log begins at `start`, and the end offsets of its latest and its earliest snapshot; 0 if none."""

    start: Offset
    snapshot: Offset
    earliest: Offset


class Snapshots(ElectionInOneStep):
    """Making snapshots, deleting what they replace, and fetching them."""

    voters: Map[Voter, SnapshottedVoter]  # type: ignore[assignment]  # voters with more to them
    elect_by_all = None  # type: ignore[assignment]  # taken away

    # -- words ----------------------------------------------------------------------------------------------------

    def epoch_below(self, v: Identifier, offset: int) -> int:
        """The epoch of the last record below an offset of v's log or of its snapshot: that of a snapshot so called."""
        return self.voters[v].log[offset - 1].epoch if 0 < offset <= self.end(v) else 0

    def begins_with_a_snapshot(self) -> bool:
        """Whether a log has a snapshot of nothing at its beginning, which is the earliest until records are deleted."""
        return False

    def needs_snapshot(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the leader answers a fetch with the id of its snapshot (RaftLog.validateOffsetAndEpoch).

        Who has nothing gets one even if the log goes back to the beginning, because it is shorter (KAFKA-15078).
        """
        start, earliest = self.voters[leader].start, self.voters[leader].earliest
        if self.end(follower) == 0 and self.voters[leader].snapshot > 0:
            return True
        return self.end(follower) < start or self.is_older(follower, leader, start, earliest)

    def is_older(self, follower: Identifier, leader: Identifier, start: int, earliest: int) -> bool:
        """Whether the follower's last epoch says that it lacks what the leader's earliest snapshot has."""
        epoch = self.last_epoch(follower)
        return epoch < self.epoch_below(leader, earliest) or (
            self.end(follower) == start and epoch != self.epoch_below(leader, start)
        )

    def diverges(self, follower: Identifier, leader: Identifier) -> bool:
        """As in the quorum, as far as the leader can read: for who needs a snapshot there is no comparison."""
        return self.needs_snapshot(follower, leader) or super().diverges(follower, leader)

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(by="voter", says="{voter} makes a snapshot at offset {offset}")
    def make_snapshot(self, voter: Voter, offset: Offset) -> None:
        """KIP-630, createNewSnapshot: up to the high watermark, and later than the one before."""
        require(self.voters[voter].snapshot < offset <= self.most_in_a_snapshot(voter))
        self.voters[voter].snapshot = offset
        if self.voters[voter].earliest == 0 and not self.begins_with_a_snapshot():
            self.voters[voter].earliest = offset

    def most_in_a_snapshot(self, v: Identifier) -> int:
        """The last offset at which a snapshot may end: nothing in it may ever be truncated."""
        return self.voters[v].hw

    @action(by="voter", says="{voter} deletes the records below its snapshot")
    def delete_before_snapshot(self, voter: Voter) -> None:
        """KAFKA-12155, deleteBeforeSnapshot: the log begins at the latest snapshot from now on.

        Whoever has restarted has to hear of the high watermark first (UnifiedLog.maybeIncrementLogStartOffset throws).
        """
        require(self.voters[voter].snapshot <= self.voters[voter].hw)
        self.delete_up_to(voter, self.voters[voter].snapshot)

    def delete_up_to(self, v: Identifier, offset: int) -> None:
        """The log of v begins at this offset from now on; earlier snapshots are deleted with the records."""
        require(self.voters[v].start < offset)
        self.voters[v].start = offset
        self.voters[v].earliest = offset

    @action(
        by="follower",
        to="leader",
        sends="FetchSnapshot",
        receives="FetchSnapshot response",
        says="{follower} fetches the snapshot of {leader}, and truncates its log fully",
        fair="strong",
    )
    def fetch_snapshot(self, follower: Voter, leader: Voter) -> None:
        """KIP-630, FetchSnapshot: the follower has what the snapshot says, its log begins there, and so does its end.

        All of it is committed, so the high watermark is not below (KafkaRaftClient.handleFetchSnapshotResponse).
        """
        require(self.follows(follower, leader))
        require(self.needs_snapshot(follower, leader))
        require(self.accepts_snapshot(follower, leader))
        end = self.voters[leader].snapshot
        self.voters[follower].log.truncate(0)
        for o in range(end):
            self.voters[follower].log.append(self.voters[leader].log[o])
        self.voters[follower].start = end
        self.voters[follower].snapshot = end
        self.voters[follower].earliest = end
        self.voters[follower].hw = end
        self.voters[follower].has_fetched = True

    def accepts_snapshot(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the follower gives up its log for the snapshot: the leader says that the log is no good."""
        return True

    def truncate(self, follower: Voter, leader: Voter) -> None:
        """As in the quorum, if the leader can tell where the logs diverge."""
        require(not self.needs_snapshot(follower, leader))
        super().truncate(follower, leader)

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """Where a diverging follower's own records end: at the end of the snapshot, if it is sent one."""
        if self.needs_snapshot(follower, leader):
            return self.voters[leader].snapshot
        return super().truncation_offset(follower, leader)


@dataclass(frozen=True)
class SnapshotBounds(QuorumBounds):
    """Two offsets and three epochs: a snapshot below a LeaderChange record, and a follower with a later epoch."""

    voters: int = bound(
        3, least=3, most=4, help="the number of voters", why="of two each is needed; each more multiplies the states"
    )
    max_epoch: int = bound(
        3, least=1, most=8, help="the greatest epoch", why="each epoch multiplies the number of states"
    )


class QuorumSnapshots(Snapshots, Restart, OneStepElectionProperties, Commits, Views):
    """The quorum with snapshots (KIP-630), in which a follower loads whatever snapshot its leader sends."""

    name: ClassVar[str] = "quorum-snapshots"
    bounds: SnapshotBounds

    @view(of="voter")
    def voter_in_words(self, voter: Voter) -> str:
        """As in the quorum, with where the log starts and where the snapshots end."""
        own = self.voters[voter]
        snapshot = f", snapshot of all below {own.snapshot}" if own.snapshot > 0 else ""
        earliest = (
            f", the earliest of all below {own.earliest}" if own.earliest not in (own.start, own.snapshot) else ""
        )
        start = f", log starts at {own.start}" if own.start > 0 else ""
        return f"{super().voter_in_words(voter)}{snapshot}{earliest}{start}"

    # -- what must always be true ---------------------------------------------------------------------------------

    @invariant
    def snapshots_are_committed(self) -> bool:
        """All that a snapshot says is committed."""
        return all(self.begins_with(self.voters[v].log, self.committed, self.voters[v].snapshot) for v in self.voters)

    @invariant
    def snapshot_helps_who_needs_it(self) -> bool:
        """Whom a leader sends a snapshot loads it, and can read on from there in the leader's log."""
        return all(
            self.accepts_snapshot(f, leader) and self.voters[leader].snapshot >= self.voters[leader].start
            for f in self.voters
            for leader in self.voters
            if self.follows(f, leader) and self.needs_snapshot(f, leader)
        )

    @action_property
    def log_start_only_grows(self, new: Self) -> bool:
        """What a voter has deleted is never back, not even by a truncation."""
        return all(new.voters[v].start >= self.voters[v].start for v in self.voters) and all(
            new.end(v) >= new.voters[v].start for v in new.voters
        )

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def later_epoch_given_up(self, new: Self) -> bool:
        """A follower gives up a record of a later epoch for a snapshot that ends in an earlier one."""
        return any(
            new.voters[v].start > self.voters[v].start and new.last_epoch(v) < self.last_epoch(v) for v in self.voters
        )

    @reachable
    def truncates_without_a_snapshot(self, new: Self) -> bool:
        """A follower cuts off what diverges, and keeps the rest: its leader has the records to compare."""
        return any(
            new.end(f) < self.end(f)
            and self.follows(f, leader)
            and self.diverges(f, leader)
            and not self.needs_snapshot(f, leader)
            for f in self.voters
            for leader in self.voters
        )

    @reachable
    def log_is_empty_after_a_snapshot(self) -> bool:
        """A leader's whole log is in its snapshot: it says what its last epoch is by the snapshot alone."""
        return any(self.voters[v].role == Role.LEADER and 0 < self.voters[v].start == self.end(v) for v in self.voters)
