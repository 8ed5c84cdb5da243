"""Voters that change, and logs that begin at a snapshot (KIP-853, KIP-630): a VotersRecord may be in a snapshot only.

A snapshot names the voters at its end offset, not those that its maker counts at that time (KafkaRaftClient,
createSnapshot: `voterSetAtOffset`). Who loads it, or starts from it, counts these until its log has a later
VotersRecord (KAFKA-16207, KRaftControlRecordStateMachine.maybeLoadSnapshot). In the model that is so by itself: below
its start a log keeps the records that the snapshot stands for. `QuorumSnapshotWithoutVoters` shows what it is for.

Brokers are left out: what they apply does not depend on who the voters are.
"""

from __future__ import annotations

from typing import ClassVar, Self

from ..language import Map, reachable
from .elections_in_one_step import ElectionInOneStep
from .reconfiguration import QuorumReconfiguration, ReconfigurationBounds, Replica
from .snapshots import QuorumSnapshots
from .state import Offset, Voter


class SnapshottedReplica(Replica):
    """A replica whose log begins at `start`, and the end offsets of its latest and earliest snapshot; 0 if none."""

    start: Offset
    snapshot: Offset
    earliest: Offset


class QuorumReconfigurationSnapshots(QuorumSnapshots, QuorumReconfiguration):
    """Kafka 3.9 and later, kraft.version 1: voters change, and the record that says so may be in a snapshot only."""

    name: ClassVar[str] = "quorum-reconfiguration-snapshots"
    bounds: ReconfigurationBounds  # type: ignore[assignment]  # of both, the second's

    voters: Map[Voter, SnapshottedReplica]  # type: ignore[assignment]  # voters with more to them
    elect_by_all = ElectionInOneStep.elect_by_all  # type: ignore[assignment]  # given back

    observer_applies = None  # type: ignore[assignment]  # taken away
    observers_see_a_prefix = None  # type: ignore[assignment]  # taken away
    observer_lags = None  # type: ignore[assignment]  # taken away
    later_epoch_given_up = None  # type: ignore[assignment]  # taken away

    def begins_with_a_snapshot(self) -> bool:
        """The one that a cluster is formatted with: it names the first voters (Snapshots.BOOTSTRAP_SNAPSHOT_ID)."""
        return True

    @reachable
    def voters_in_a_snapshot_only(self) -> bool:
        """A replica counts voters that its log does not name any more: the VotersRecord is below its start."""
        return any(
            self.voters_of(v) != self.voters_before(v, 0)
            and not any(self.is_change(v, o) for o in range(self.voters[v].start, self.end(v)))
            for v in self.voters
        )

    @reachable
    def voters_learned_from_a_snapshot(self, new: Self) -> bool:
        """A follower that fetches a snapshot learns of other voters by it."""
        return any(
            new.voters[v].start > self.voters[v].start
            and new.end(v) != self.end(v)
            and new.voters_of(v) != self.voters_of(v)
            for v in self.voters
        )
