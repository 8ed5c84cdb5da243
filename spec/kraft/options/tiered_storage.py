"""Tiered storage (KIP-405): a leader copies what is committed to a remote store, and brokers delete it from disk.

A record is a segment here, and what is written of remote segments in `__remote_log_metadata` is known to all at once.
"""

from __future__ import annotations

from typing import Self

from ...language import Identifier, Map, Set, action, invariant, reachable, require, view
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import KnownOffset, Offset, RecordId, Replica
from .future_log import FutureLogsOfLogStart
from .idempotence import IdempotentProducer
from .late_fetch import LateAnswersOfLogStart
from .log_start import LogStart
from .lost_fetch import LostFetchAnswers
from .producer_snapshots import ProducerSnapshots
from .torn_answer import TornAnswers

NOTHING = -1
"""The remote tier has nothing of a log, for all its broker knows."""

BEFORE_TIERED_STORAGE = {"": True, "3.6": False}
"""Releases without tiered storage cannot break the rule, and none since has it."""


@governed_by(local_retention_asks_lineage=BEFORE_TIERED_STORAGE, only_where_asked_for=True)
class TieredStorage(LogStart):
    """A replica has [local log start offset, log end offset) on its disk, and the remote tier what came before.

    `remote` are the records of segments that the metadata refer to, whoever has uploaded them. `local_start` is where a
    replica's disk begins, `believed` the highest offset that a broker has ever noted as uploaded
    (UnifiedLog.highestOffsetInRemoteStorage). What a log has here below its local start is its lineage: Kafka keeps the
    epochs of that (LeaderEpochFileCache), and looks remote segments up by them.

    Simpler than in Kafka: a log that is cut back to before its local start keeps its log start offset, where Kafka's
    begins anew and empty at the cut until its broker leads and finds the start in the remote tier (KAFKA-15351); and
    remote segments of other lineages stay for ever.
    """

    remote: Set[RecordId]
    local_start: Map[Replica, Offset]
    believed: Map[Replica, KnownOffset]

    def initial(self, leader: Replica) -> None:
        """Nothing has been uploaded."""
        super().initial(leader)
        for r in self.believed:
            self.believed[r] = NOTHING

    # -- words ----------------------------------------------------------------------------------------------------

    def is_remote(self, r: Identifier, offset: int) -> bool:
        """Whether the remote tier has the record that stands at an offset of r's log."""
        return self.brokers[r].log[offset].id in self.remote

    def can_be_found(self, r: Identifier, offset: int) -> bool:
        """Whether r can read the record of its log in the remote tier, at once or as soon as it has been told."""
        return self.is_remote(r, offset)

    def highest_remote(self, r: Identifier) -> int:
        """RemoteLogManager.findHighestRemoteOffset: up to where the remote tier has what r's log has now."""
        return max(
            (offset for offset in range(self.log_start[r], self.end(r)) if self.is_remote(r, offset)), default=NOTHING
        )

    def note_uploaded(self, r: Identifier) -> None:
        """UnifiedLog.updateHighestOffsetInRemoteStorage: the number only grows."""
        self.believed[r] = max(self.believed[r], self.highest_remote(r))

    def trusts(self, r: Identifier) -> int:
        """The last offset that local retention of r takes to be in the remote tier."""
        if self.settings.local_retention_asks_lineage:
            return min(self.believed[r], self.highest_remote(r))
        return self.believed[r]

    # -- the remote tier ------------------------------------------------------------------------------------------

    @action(by="leader", says="{leader} uploads the record at offset {offset}")
    def upload(self, leader: Replica, offset: Offset) -> None:
        """RLMCopyTask.copyLogSegmentsToRemote: in order, what is committed. A deposed leader does it, too."""
        require(self.presumes_leadership(leader))
        require(offset == max(self.highest_remote(leader) + 1, self.log_start[leader]))
        require(self.local_start[leader] <= offset < self.brokers[leader].hw)
        self.remote |= {self.brokers[leader].log[offset].id}
        self.note_uploaded(leader)

    @action(by="broker", says="{broker} looks up what is in the remote tier")
    def look_up(self, broker: Replica) -> None:
        """RLMFollowerTask, or RLMCopyTask.maybeUpdateCopiedOffset of a new leader."""
        require(self.is_running(broker))
        require(self.highest_remote(broker) > self.believed[broker])
        self.note_uploaded(broker)

    @action(by="leader", says="{leader} deletes from the remote tier what its log start has passed")
    def delete_remote(self, leader: Replica) -> None:
        """RLMExpirationTask.cleanupExpiredRemoteLogSegments: the log start is raised first, and its segments go after.

        What raises it is `delete_records`, which here stands for `retention.ms` and `retention.bytes` as well.
        """
        require(self.presumes_leadership(leader))
        gone = Set(id for id in self.remote if self.is_before_log_start(leader, id))
        require(len(gone) > 0)
        self.remote -= gone

    def is_before_log_start(self, leader: Identifier, id: int) -> bool:
        """Whether a record is one of those that were deleted at the start of a log."""
        return any(self.brokers[leader].log[offset].id == id for offset in range(self.log_start[leader]))

    # -- the disk -------------------------------------------------------------------------------------------------

    @action(by="broker", says="Local retention deletes the record at {offset} from the disk of {broker}")
    def delete_local(self, broker: Replica, offset: Offset) -> None:
        """UnifiedLog.deletableSegments and isSegmentEligibleForDeletion: what is committed and taken to be uploaded.

        `local.retention.ms` is over, on whichever replica. Uploads ask the lineage how far they are (KAFKA-15241), this
        guard asks a number.
        """
        require(self.is_running(broker))
        require(offset == self.local_start[broker])
        require(offset < self.brokers[broker].hw)
        require(offset <= self.trusts(broker))
        self.local_start[broker] = offset + 1

    def raise_log_start(self, r: Identifier, offset: int) -> None:
        """As always, and segments before the log start offset leave the disk without being asked for elsewhere."""
        super().raise_log_start(r, offset)
        self.keep_from_log_start(r)

    def adopt_log_start(self, follower: Identifier, leader: Identifier, start: int) -> None:
        """As always; the follower's disk begins no earlier than its log."""
        super().adopt_log_start(follower, leader, start)
        self.keep_from_log_start(follower)

    def keep_from_log_start(self, r: Identifier) -> None:
        """UnifiedLog.maybeIncrementLocalLogStartOffset."""
        self.local_start[r] = max(self.local_start[r], self.log_start[r])

    def truncate(self, r: Identifier, offset: int) -> None:
        """As always. Nobody tells `believed`: it goes on naming an offset that may be beyond the end of the log."""
        super().truncate(r, offset)
        self.local_start[r] = min(self.local_start[r], offset)

    def begin_anew(self, follower: Identifier, leader: Identifier, start: int) -> None:
        """As always, and nothing is on the disk before that."""
        super().begin_anew(follower, leader, start)
        self.local_start[follower] = start

    def crash(self, broker: Replica, kept: Offset) -> None:
        """As always; what was deleted from the disk cannot be lost."""
        require(kept >= self.local_start[broker])
        super().crash(broker, kept)
        self.believed[broker] = NOTHING

    def shut_down(self, broker: Replica, successor: Replica | None) -> None:
        """As always; a new process has noted nothing."""
        super().shut_down(broker, successor)
        self.believed[broker] = NOTHING

    # -- fetches --------------------------------------------------------------------------------------------------

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always, unless the leader has what is asked for in the remote tier only.

        The answer is OFFSET_MOVED_TO_TIERED_STORAGE then, if the epochs do not diverge, and the follower begins anew at
        the leader's local start (TierStateMachine.buildRemoteLogAuxState).
        """
        if (
            follower not in self.failed
            and self.log_start[leader] <= self.end(follower) < self.local_start[leader]
            and not self.diverges(follower, leader)
        ):
            require(follower != leader)
            require(self.presumes_leadership(leader))
            require(self.follows(follower, leader))
            require(self.is_remote(leader, self.local_start[leader] - 1))
            self.begin_after_remote(follower, leader)
        else:
            super().fetch(follower, leader)

    def begin_after_remote(self, follower: Identifier, leader: Identifier) -> None:
        """The follower's disk is empty, and its lineage is that of the last remote segment before it."""
        self.begin_anew(follower, leader, self.local_start[leader])

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="remote tier")
    def remote_in_words(self) -> str:
        """Which records are uploaded."""
        return ", ".join(f"r{id}" for id in sorted(self.remote))

    @view(of="broker")
    def tiers_in_words(self, broker: Replica) -> str:
        """Where the disk begins, if that is not where the log does, and what the broker takes to be uploaded."""
        disk = self.local_start[broker] > self.log_start[broker]
        return "; ".join(
            (
                *((f"disk starts at {self.local_start[broker]}",) if disk else ()),
                *((f"uploaded up to {self.believed[broker]}",) if self.believed[broker] > NOTHING else ()),
            )
        )

    # -- properties -----------------------------------------------------------------------------------------------

    @invariant
    def committed_is_readable(self) -> bool:
        """What the leader has committed, and nobody has deleted, is on its disk, or in a remote segment of its lineage.

        From its log start offset on; and where it has not heard yet that others have deleted more, from there.
        """
        return all(
            offset < max(self.log_start[r], self.deleted)
            or offset >= min(self.local_start[r], self.brokers[r].hw)
            or self.can_be_found(r, offset)
            for r in self.brokers
            if self.is_legitimate(r)
            for offset in range(self.end(r))
        )

    @invariant
    def disk_keeps_what_is_not_remote(self) -> bool:
        """No replica, leader or not, has deleted from its disk what was not uploaded, unless it was to be deleted."""
        return all(
            offset < max(self.log_start[r], self.deleted)
            or offset >= self.local_start[r]
            or self.can_be_found(r, offset)
            for r in self.brokers
            for offset in range(self.end(r))
        )

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def follower_begins_after_remote(self, new: Self) -> bool:
        """A follower that asks for what its leader has in the remote tier only begins anew after it."""
        return any(self.end(r) < new.local_start[r] and new.log_start[r] < new.local_start[r] for r in self.brokers)


class FutureLogsOfTiers(FutureLogsOfLogStart, TieredStorage):
    """The same where the log that takes over has noted nothing of the remote tier."""

    def replace_current_log(self, broker: Identifier) -> None:
        """As always. The number is one of a UnifiedLog, and the future one has its own, -1 at first."""
        super().replace_current_log(broker)
        self.believed[broker] = NOTHING


class ProducersOfTiers(IdempotentProducer, TieredStorage):
    """The same where brokers remember what producers wrote: the remote tier has it of each segment."""

    def begin_after_remote(self, follower: Identifier, leader: Identifier) -> None:
        """As always, with the producers of the last remote segment (TierStateMachine.buildProducerSnapshotFile)."""
        super().begin_after_remote(follower, leader)
        if self.is_idempotent():
            self.rebuild(follower)


class SnapshotsOfTiers(ProducerSnapshots, ProducersOfTiers):
    """The same of snapshots that have the last batch only, those in the remote tier as well."""

    def begin_after_remote(self, follower: Identifier, leader: Identifier) -> None:
        """As always, from a snapshot of where the disk begins."""
        super().begin_after_remote(follower, leader)
        if self.is_idempotent():
            self.take_snapshot(follower)
            self.rebuild(follower)


class LateAnswersOfTiers(LateAnswersOfLogStart, TieredStorage):
    """Late answers of a leader that has in the remote tier what it no longer has on its disk."""

    def fetch_with_late_answer(self, follower: Replica, leader: Replica) -> None:
        """As always, of what is on the disk: OFFSET_MOVED_TO_TIERED_STORAGE nobody holds up here."""
        require(self.local_start[leader] <= self.end(follower))
        super().fetch_with_late_answer(follower, leader)


class LostAnswersOfTiers(LostFetchAnswers, TieredStorage):
    """The same of answers that are lost."""

    def fetch_without_answer(self, follower: Replica, leader: Replica) -> None:
        """As always, of what is on the disk: a fetch that is answered with an error is not taken note of."""
        require(self.local_start[leader] <= self.end(follower))
        super().fetch_without_answer(follower, leader)


class TornAnswersOfTiers(TornAnswers, TieredStorage):
    """The same of answers that are made in two steps."""

    def begin_answer(self, leader: Replica, follower: Replica) -> None:
        """As always, of what is on the disk."""
        require(self.local_start[leader] <= self.end(follower))
        super().begin_answer(leader, follower)


BUGS = (
    KraftBug(
        id="T1",
        title="After a truncation new records count as uploaded, and local retention deletes them",
        tickets=("UnifiedLog.highestOffsetInRemoteStorage; no ticket known", "KIP-405"),
        versions="3.6 to 4.4, with tiered storage",
        faulty=Settings(
            local_retention_asks_lineage=False, unclean_leader_election=True, elr=False, min_insync_replicas=1
        ),
        sound=Settings(unclean_leader_election=True, elr=False, min_insync_replicas=1),
        properties=("committed_is_readable", "disk_keeps_what_is_not_remote"),
        bounds={"records": 2, "max_epoch": 2, "metadata_lag": 2, "fencings": 2, "shrinks": 1},
        story=(
            "b1, alone in the ISR, commits r0 and uploads it: it notes that offset 0 is in the remote tier. b1 is "
            "fenced, and b2 is elected uncleanly without r0; that loss was accepted. b1 follows and truncates r0, and "
            "its note stays. b1 leads again, and commits r1 at offset 0. For local retention offset 0 is uploaded, so "
            "it deletes r1 from the disk, inside its retention. The remote tier has r0 there, of another lineage, and "
            "nobody has r1. This is a second loss, a silent one, of a record that was acknowledged after the first."
        ),
        shown_on=("3.9.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"),
        lesson=(
            "An offset names a record only together with its epoch. A note of how far something was done must go back "
            "with the log, or name the epoch as well."
        ),
    ),
)
