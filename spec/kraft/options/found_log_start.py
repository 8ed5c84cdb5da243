"""Tiered storage (KIP-405): how a new leader finds out where its log begins in the remote tier."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...language import Ghost, Identifier, Map, Set, action, bound, invariant, leads_to, require, view
from ..rules import PARTS, KraftBug, governed_by
from ..settings import Settings
from ..state import Epoch, KnownOffset, KraftBounds, Offset, RecordId, Replica, Status
from .tiered_storage import BEFORE_TIERED_STORAGE, NOTHING, TieredStorage

UNCLEAN = Settings(unclean_leader_election=True, elr=False, min_insync_replicas=1)


@dataclass(frozen=True)
class FoundLogStartBounds(KraftBounds):
    """As always, and whether copying may be disabled."""

    copy_disablings: int = bound(0, least=0, most=1, help="the number of times remote.log.copy.disable is set")


@governed_by(
    "leader_finds_log_start",
    log_start_found_without_copying={"": True, "3.9": False},
    log_start_found_again=BEFORE_TIERED_STORAGE,
    log_start_found_within_lineage=BEFORE_TIERED_STORAGE,
    only_where_asked_for=True,
)
class FoundLogStart(TieredStorage):
    """A leader deletes segments, and its successor has not heard of that: it looks for the start of the remote tier.

    `segment_at` and `segment_of` say of each record that was uploaded at which offset and of which epoch its segment
    is. `deleting` are segments whose deletion has begun (DELETE_SEGMENT_STARTED): nobody reads them, and lists name
    them until they are gone. `found` are leaders whose copy task has looked for the start. `expired` are the records
    that somebody has deleted at the start of a log.

    Simpler than in Kafka: once `remote.log.copy.disable` is set it stays so, and then nothing leaves a disk but what is
    before the log start.
    """

    bounds: FoundLogStartBounds

    segment_at: Map[RecordId, KnownOffset]
    segment_of: Map[RecordId, Epoch]
    deleting: Set[RecordId]
    found: Set[Replica]
    copy_disabled: bool
    expired: Ghost[Set[RecordId]]

    def initial(self, leader: Replica) -> None:
        """Nothing has been uploaded."""
        super().initial(leader)
        for id in self.segment_at:
            self.segment_at[id] = NOTHING

    def first_known(self, r: Identifier) -> int:
        """The first offset of which r knows the epoch (LeaderEpochFileCache)."""
        return self.log_start[r]

    # -- what lists of segments say -------------------------------------------------------------------------------

    def is_listed(self, r: Identifier, id: int, epoch: int) -> bool:
        """Whether r takes a segment for one of its log's, of an epoch (RemoteLogMetadataManager.listRemoteLogSegments).

        Kafka takes all of the epoch: those whose deletion has begun, and those that begin where the epoch has ended in
        r's log. The highest offset that was copied is cut to the lineage (KAFKA-15241), the lowest is not.
        """
        return (
            self.segment_at[id] > NOTHING
            and self.segment_of[id] == epoch
            and (id in self.remote or (id in self.deleting and not self.settings.log_start_found_again))
            and (
                not self.settings.log_start_found_within_lineage or self.segment_at[id] < self.end_offset_for(r, epoch)
            )
        )

    def first_found(self, r: Identifier) -> int:
        """RemoteLogManager.findLogStartOffset: where the first segment of the log's earliest epoch begins.

        Of the earliest that has any; where none has, it is the start of the disk.
        """
        log = self.brokers[r].log
        epoch = min(
            (
                log[offset].epoch
                for offset in range(self.first_known(r), self.end(r))
                if any(self.is_listed(r, id, log[offset].epoch) for id in self.segment_at)
            ),
            default=NOTHING,
        )
        return min(
            (self.segment_at[id] for id in self.segment_at if self.is_listed(r, id, epoch)),
            default=self.local_start[r],
        )

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(by="leader", says="{leader} looks for the start of its log in the remote tier", fair="weak")
    def find_log_start(self, leader: Replica) -> None:
        """RLMCopyTask.maybeUpdateLogStartOffsetOnBecomingLeader (KAFKA-15351), in each leadership once.

        A start beyond the high watermark is refused (UnifiedLog.maybeIncrementLogStartOffset throws), and the task
        comes again. With `remote.log.copy.disable` (KIP-950) there is no such task. A log start offset is only raised.
        """
        require(self.settings.leader_finds_log_start)
        require(self.settings.log_start_found_without_copying or not self.copy_disabled)
        require(self.presumes_leadership(leader))
        require(leader not in self.found)
        require(self.first_found(leader) > self.log_start[leader] or not self.settings.log_start_found_again)
        self.look_for_start(leader)

    def look_for_start(self, leader: Identifier) -> None:
        """Where a leader looks once, it has looked now."""
        start = self.first_found(leader)
        require(start <= self.brokers[leader].hw)
        if not self.settings.log_start_found_again:
            self.found |= {leader}
        if start > self.log_start[leader]:
            self.log_start[leader] = start
            self.keep_from_log_start(leader)

    @action(by="admin", says="Nothing is to be copied any more (remote.log.copy.disable)")
    def disable_copying(self) -> None:
        """KIP-950: what is in the remote tier stays, and is read and expires as before."""
        require(self.bounds.copy_disablings > 0)
        require(not self.copy_disabled)
        self.copy_disabled = True

    def upload(self, leader: Replica, offset: Offset) -> None:
        """As always. A task that looks for the start once does so before."""
        require(not self.copy_disabled)
        if leader not in self.found and not self.settings.log_start_found_again:
            self.look_for_start(leader)
        super().upload(leader, offset)
        record = self.brokers[leader].log[offset]
        self.segment_at[record.id] = offset
        self.segment_of[record.id] = record.epoch

    def delete_remote(self, leader: Replica) -> None:
        """RLMExpirationTask.deleteRemoteLogSegment: as always, and in two steps where anybody reads the difference."""
        before = self.remote
        super().delete_remote(leader)
        if self.settings.log_start_found_again:
            self.forget(before - self.remote)
        else:
            self.deleting |= before - self.remote

    @action(by="leader", says="{leader} has deleted what was to be deleted in the remote tier")
    def finish_deletion(self, leader: Replica) -> None:
        """DELETE_SEGMENT_FINISHED. Another leader finishes what one has begun, and raises no log start for that."""
        require(self.presumes_leadership(leader))
        require(len(self.deleting) > 0)
        self.forget(self.deleting)
        self.deleting = Set()

    def forget(self, gone: Set[RecordId]) -> None:
        """RemoteLogLeaderEpochState.handleSegmentWithDeleteSegmentFinishedState: no list names these segments again."""
        for id in gone:
            self.segment_at[id] = NOTHING
            self.segment_of[id] = 0

    def delete_local(self, broker: Replica, offset: Offset) -> None:
        """As always. Without copies local retention is retention, and raises the log start as `delete_records` does."""
        require(not self.copy_disabled)
        super().delete_local(broker, offset)

    def raise_log_start(self, r: Identifier, offset: int) -> None:
        """As always; these records are deleted."""
        super().raise_log_start(r, offset)
        self.expired |= Set(self.brokers[r].log[o].id for o in range(offset))

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; who leads no longer has no copy task (RemoteLogManager.doHandleFollowerPartition)."""
        super().act_on_metadata(broker, led_before, epoch_before)
        if not self.presumes_leadership(broker):
            self.found -= {broker}

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; a new process looks anew."""
        super().stop(broker, status)
        self.found -= {broker}

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="remote tier")
    def segments_in_words(self) -> str:
        """Where the segments are, those among them whose deletion has begun."""
        listed = [id for id in self.segment_at if id in self.remote or id in self.deleting]
        return ", ".join(f"r{id} at offset {self.segment_at[id]} of epoch {self.segment_of[id]}" for id in listed)

    @view(of="remote tier")
    def deleting_in_words(self) -> str:
        """What is being deleted, and whether anything is copied."""
        going = f"deletes {', '.join(f'r{id}' for id in sorted(self.deleting))}" if len(self.deleting) > 0 else ""
        return "; ".join(filter(None, (going, "nothing is copied any more" if self.copy_disabled else "")))

    @view(of="broker")
    def found_in_words(self, broker: Replica) -> str:
        """Whether a leader has looked for the start of its log."""
        return "has looked for the start" if broker in self.found else ""

    @view(of="deleted")
    def expired_in_words(self) -> str:
        """Which records somebody has deleted."""
        return ", ".join(f"r{id}" for id in sorted(self.expired))

    # -- properties -----------------------------------------------------------------------------------------------

    def is_stale(self, r: Identifier) -> bool:
        """Whether a consumer that begins at the earliest offset of r gets OFFSET_OUT_OF_RANGE, as often as it asks."""
        start = self.log_start[r]
        return start < min(self.local_start[r], self.brokers[r].hw) and not self.can_be_found(r, start)

    @invariant
    def committed_is_readable(self) -> bool:
        """As always; and what is before the start of a leader's log are records that somebody has deleted.

        An offset that was deleted in one lineage says nothing of another.
        """
        return all(
            self.brokers[r].log[offset].id in self.expired
            or (
                offset >= self.log_start[r]
                and (offset >= min(self.local_start[r], self.brokers[r].hw) or self.can_be_found(r, offset))
            )
            for r in self.brokers
            if self.is_legitimate(r)
            for offset in range(self.end(r))
        )

    @leads_to(fair=("find_log_start", "replay_metadata"), parts=PARTS)
    def earliest_is_readable(self, leader: Replica) -> tuple[bool, bool]:
        """A leader that goes on leading has a record at the earliest offset that it tells consumers of."""
        leads = self.is_legitimate(leader) and self.brokers[leader].behind == 0
        return leads and self.is_stale(leader), not leads or not self.is_stale(leader)


BUGS = (
    KraftBug(
        id="KAFKA-15351",
        title="A new leader tells of a log start whose segments the former one has deleted",
        tickets=("KAFKA-15351", "KIP-405"),
        versions="none; found before 3.6 was released",
        faulty=Settings(leader_finds_log_start=False),
        properties=("earliest_is_readable",),
        bounds={"max_epoch": 1, "fencings": 1},
        story=(
            "Both have r0, and b2, which leads, uploads it. Local retention deletes it from the disk of b1. b2 deletes "
            "it at the start of its log, and in the remote tier, and shuts down. b1 leads now and has not heard of the "
            "deletion: its log starts at offset 0, where it finds nothing. A consumer that begins at the earliest "
            "offset is sent there, gets OFFSET_OUT_OF_RANGE, asks again, and is sent there again, until some deletion "
            "of this leader raises the start of its log."
        ),
        lesson=(
            "Who takes over an office has to look up what the former holder did last, where it was done: in the store, "
            "and not in messages that may not have come."
        ),
    ),
    KraftBug(
        id="T2",
        title="Nothing is copied any more, and no leader looks for the start of its log",
        tickets=("RemoteLogManager.doHandleLeaderPartition; no ticket known", "KIP-950"),
        versions="3.9 to 4.4, with tiered storage and remote.log.copy.disable",
        faulty=Settings(log_start_found_without_copying=False),
        properties=("earliest_is_readable",),
        bounds={"max_epoch": 1, "fencings": 1, "copy_disablings": 1},
        story=(
            "b2 has uploaded r0, and local retention has deleted it from the disk of b1. Now nothing is to be copied "
            "any more. So no leader has a copy task, and that is the task which looks for the start of the log "
            "(KAFKA-15351). b2 deletes r0, in the remote tier as well, and shuts down. b1 leads, has not heard of the "
            "deletion, and tells consumers of offset 0, where nothing is. It helps to set remote.log.copy.disable back "
            "for a moment: that makes the task anew. Kafka's own classes show it, and with copying the new leader "
            "finds the start; no report is known, and no running broker has shown it yet."
        ),
        lesson=(
            "A repair that hangs on another job ends with that job. Who switches something off has to know what else "
            "it did."
        ),
    ),
    KraftBug(
        id="T6",
        title="A new leader takes a segment of another lineage for the start of its log, and drops its own records",
        tickets=("RemoteLogManager.findLogStartOffset; no ticket known", "KIP-405"),
        versions="3.6 to 4.4, with tiered storage",
        faulty=replace(UNCLEAN, log_start_found_within_lineage=False),
        sound=UNCLEAN,
        properties=("committed_is_readable",),
        bounds={"records": 4, "max_epoch": 1, "metadata_lag": 1, "fencings": 1, "shrinks": 1},
        story=(
            "b1, alone in the ISR, commits r0 and r1 in epoch 0, and deletes them at the start of its log. It commits "
            "r2 at offset 2, and uploads it. b2 has r0 alone, and is elected uncleanly: the loss of r2 was accepted. "
            "b2 commits r3 at offset 1, in epoch 1. Its copy task looks for the first segment of the earliest epoch in "
            "its log, which is epoch 0: it begins at offset 2. In b2's log epoch 0 has ended before that, but it does "
            "not look. So its log starts at offset 2 now, and r3 is deleted. While the high watermark is below that "
            "offset Kafka refuses the new start, and the task comes again, so that it does not help to be early."
        ),
        lesson=(
            "An epoch may be longer in the store than in a log. Whoever looks up by epoch has to cut the answer to its "
            "own lineage: its end (KAFKA-15241), and its beginning as well."
        ),
    ),
    KraftBug(
        id="T7",
        title="A leader looks once where its log begins, and another broker deletes after that",
        tickets=("RLMCopyTask.isLogStartOffsetUpdated; no ticket known", "KIP-405"),
        versions="3.6 to 4.4, with tiered storage",
        faulty=Settings(log_start_found_again=False),
        properties=("earliest_is_readable",),
        bounds={"max_epoch": 1, "fencings": 1},
        story=(
            "b2 leads until the controller elects b1, and has not heard of that. b1 looks for the start of its log, "
            "uploads r0, and deletes it from its disk. Now b2 deletes r0 at the start of its own log, and in the "
            "remote tier, as leaders do. b1 does not look again: its log starts at offset 0, where nothing is, until a "
            "deletion of its own raises that. The same follows where the former leader has begun to delete a segment "
            "and fails: the new one takes that segment for the start of its log, and deletes it afterwards."
        ),
        lesson=(
            "A look at what others change is true for a moment. Either they cannot change it any more when you look, "
            "or you have to look again."
        ),
    ),
)
