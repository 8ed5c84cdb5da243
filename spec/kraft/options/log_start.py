"""Records are deleted at the start of a log (DeleteRecords, KIP-107), and followers come too late for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from ...language import Ghost, Identifier, Map, Set, action, action_property, invariant, reachable, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import KraftBug, governed_by
from ..settings import ALONE
from ..state import Offset, Replica, Status


@governed_by("out_of_range_before_divergence")
class LogStart(BrokerLifecycle):
    """A replica's log is [log start offset, log end offset).

    What a log still has below `log_start` is history: the records that were deleted there, as the leader that deleted
    them had them, for the properties. No rule reads it. `failed` are followers whose fetcher has given the partition up
    (markPartitionFailed), and `deleted` is the offset up to which anybody has deleted records.

    Two things are simpler than in Kafka. A log start offset outlives a crash; Kafka writes it down once a minute only
    (LogManager), and what was deleted since returns with it. Followers without a record ask without an epoch, as those
    do that begin anew; Kafka's epoch cache keeps the epoch of the last record that was deleted, and asks for that.
    """

    log_start: Map[Replica, Offset]
    failed: Set[Replica]
    deleted: Ghost[Offset]

    # -- logs -----------------------------------------------------------------------------------------------------

    def end_offset_for(self, r: Identifier, epoch: int) -> int:
        """LeaderEpochFileCache.endOffsetFor: of epochs whose records were all deleted it is the log start offset."""
        start, log = self.log_start[r], self.brokers[r].log
        return start + sum(1 for offset in range(start, self.end(r)) if log[offset].epoch <= epoch)

    def epoch_before(self, r: Identifier, offset: int, otherwise: int) -> int:
        """As always, of the records that are left."""
        return self.brokers[r].log[offset - 1].epoch if offset > self.log_start[r] else otherwise

    def diverges(self, follower: Identifier, leader: Identifier) -> bool:
        """As always; a follower without a record asks for no epoch."""
        return self.end(follower) > self.log_start[follower] and super().diverges(follower, leader)

    def truncate(self, r: Identifier, offset: int) -> None:
        """UnifiedLog.truncateTo: as always; below the log start offset this goes back as well."""
        super().truncate(r, offset)
        self.log_start[r] = min(self.log_start[r], offset)

    def truncate_fully(self, follower: Identifier, leader: Identifier) -> None:
        """The log begins anew, and empty, at the leader's log start offset."""
        self.begin_anew(follower, leader, self.log_start[leader])

    def begin_anew(self, follower: Identifier, leader: Identifier, start: int) -> None:
        """UnifiedLog.truncateFullyAndStartAt: nothing is left of the log, and it goes on at `start`.

        Its log start offset becomes the leader's, also where that is lower. KAFKA-9491: the high watermark goes to
        `start`, too. Whoever keeps something of the log is told by `truncate`, as of any other truncation.
        """
        hw = self.brokers[follower].hw
        self.truncate(follower, 0)
        for offset in range(start):
            self.brokers[follower].log.append(self.brokers[leader].log[offset])
        self.log_start[follower] = self.log_start[leader]
        self.brokers[follower].hw = start if self.settings.full_truncation_raises_hw else hw

    def agree_below(self, a: Identifier, b: Identifier, end: int) -> bool:
        """As always, where both have records."""
        start = max(self.log_start[a], self.log_start[b])
        return all(
            offset < start
            or (offset < min(self.end(a), self.end(b)) and self.brokers[a].log[offset] == self.brokers[b].log[offset])
            for offset in range(end)
        )

    # -- deleting -------------------------------------------------------------------------------------------------

    @action(
        by="admin",
        to="leader",
        sends="DeleteRecords",
        says="Records are deleted at {leader} up to offset {offset}",
    )
    def delete_records(self, leader: Replica, offset: Offset) -> None:
        """Partition.deleteRecordsOnLeader (KIP-107): beyond the high watermark the answer is OFFSET_OUT_OF_RANGE.

        A deposed leader does it, too. Followers learn the log start offset with the answers to their fetches.
        """
        require(self.presumes_leadership(leader))
        require(offset <= self.brokers[leader].hw)
        self.raise_log_start(leader, offset)

    def raise_log_start(self, r: Identifier, offset: int) -> None:
        """UnifiedLog.maybeIncrementLogStartOffset: somebody deletes what r has below the offset."""
        require(self.log_start[r] < offset)
        self.log_start[r] = offset
        self.deleted = max(self.deleted, offset)

    # -- fetches --------------------------------------------------------------------------------------------------

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """Partition.readRecords, and AbstractFetcherThread.processFetchRequest and fetchOffsetAndTruncate.

        Below the leader's log start offset the answer is OFFSET_OUT_OF_RANGE, and the follower begins anew there. Since
        KAFKA-12996 also where epochs diverge; before, the leader's offsets in that answer made the follower fail.
        """
        require(follower != leader)
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        require(follower not in self.failed)
        if self.end(follower) >= self.log_start[leader]:
            diverges = self.diverges(follower, leader) or self.end(follower) > self.end(leader)
            super().fetch(follower, leader)
            if not diverges:
                self.adopt_log_start(follower, leader, self.log_start[leader])
        elif self.diverges(follower, leader) and not self.settings.out_of_range_before_divergence:
            self.failed |= {follower}
        else:
            self.truncate_fully(follower, leader)

    def adopt_log_start(self, follower: Identifier, leader: Identifier, start: int) -> None:
        """A follower takes over the log start offset of an answer, and keeps its high watermark at or above its own.

        UnifiedLog.maybeIncrementLogStartOffset throws where it is beyond the high watermark; the fetcher then gives the
        partition up. What is deleted there need not be what the leader had, and nobody has compared it.
        """
        self.brokers[follower].hw = max(self.brokers[follower].hw, self.log_start[follower])
        if start > self.brokers[follower].hw:
            self.failed |= {follower}
        elif start > self.log_start[follower]:
            self.log_start[follower] = start
            for offset in range(start):
                self.brokers[follower].log[offset] = self.brokers[leader].log[offset]

    def may_join(self, leader: Identifier, follower: Identifier) -> bool:
        """As always. With H8c closed also only a follower whose log begins where its leader's does, or later.

        A fetch names the follower's log start offset. Its last epoch cannot be compared with that of a record that the
        leader has deleted: what it has below may never have been committed.
        """
        return super().may_join(leader, follower) and (
            not self.settings.joins_at_log_start or self.log_start[follower] >= self.log_start[leader]
        )

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; with a new leader epoch a partition that had failed is fetched again (addPartitions)."""
        if self.view(broker).leader_epoch > epoch_before:
            self.failed -= {broker}
        super().act_on_metadata(broker, led_before, epoch_before)

    # -- brokers --------------------------------------------------------------------------------------------------

    def crash(self, broker: Replica, kept: Offset) -> None:
        """As always. A log that ends below its log start offset begins anew there (LogLoader.recoverLog), empty."""
        require(kept >= self.log_start[broker])
        super().crash(broker, kept)

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; a process that starts anew fetches again."""
        super().stop(broker, status)
        self.failed -= {broker}

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="broker")
    def log_start_in_words(self, broker: Replica) -> str:
        """Where the log begins, if records were deleted, and whether its fetcher has given the partition up."""
        start = f"log starts at {self.log_start[broker]}" if self.log_start[broker] > 0 else ""
        return "; ".join(filter(None, (start, "has given the partition up" if broker in self.failed else "")))

    @view(of="deleted")
    def deleted_in_words(self) -> str:
        """Up to where anybody has deleted records."""
        return f"up to offset {self.deleted}" if self.deleted > 0 else ""

    # -- properties -----------------------------------------------------------------------------------------------

    @invariant
    def fetchers_go_on(self) -> bool:
        """No follower gives the partition up because it cannot take over what its leader answers."""
        return len(self.failed) == 0

    @invariant
    def high_watermark_in_log(self) -> bool:
        """No high watermark is beyond the end of its log, or before its start: only what is committed is deleted."""
        return all(self.log_start[r] <= self.brokers[r].hw <= self.end(r) for r in self.brokers)

    @invariant
    def leader_reads_at_its_high_watermark(self) -> bool:
        """A leader's high watermark is an offset of its log, where consumers may read (DelayedFetch looks it up)."""
        return all(
            self.log_start[r] <= self.brokers[r].hw <= self.end(r) for r in self.brokers if self.presumes_leadership(r)
        )

    @invariant
    def only_deleted_records_are_missing(self) -> bool:
        """No log begins beyond what was deleted, so that with `leader_completeness` nothing else is missing."""
        return all(self.log_start[r] <= self.deleted for r in self.brokers)

    @action_property
    def log_start_never_goes_back(self, new: Self) -> bool:
        """What a replica has deleted returns to it only if it has lost what was committed (truncateTo)."""
        return all(new.log_start[r] >= self.log_start[r] or new.end(r) < self.log_start[r] for r in self.brokers)

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def follower_deletes_as_its_leader(self, new: Self) -> bool:
        """A follower that has the records deletes them when its leader's log start offset reaches it."""
        return any(
            new.log_start[r] > self.log_start[r] and new.end(r) >= self.end(r) > self.log_start[r] < self.end(r)
            for r in self.brokers
            if self.is_running(r) and self.view(r).leader != r
        )

    @reachable
    def follower_begins_anew(self, new: Self) -> bool:
        """A follower whose log ends below its leader's log start offset begins anew there."""
        return any(self.end(r) < new.log_start[r] for r in self.brokers)


BUGS = (
    KraftBug(
        id="KAFKA-12996",
        title="A follower far behind diverges, and fails over the offsets that come with the answer",
        tickets=("KAFKA-12996", "KAFKA-10554"),
        versions="2.7.0 to 2.7.1 and 2.8.0",
        faulty=replace(ALONE, out_of_range_before_divergence=False),
        sound=ALONE,
        properties=("fetchers_go_on",),
        bounds={"records": 4, "max_epoch": 2, "fencings": 1, "elections": 1},
        story=(
            "b2 was leader for a moment, and has a record of that epoch; b1, who leads again, has three of an older "
            "one, has committed them and deleted the first two. b2 fetches at offset 1, below the log start offset 2. "
            "The epochs diverge, which is looked at first, so the answer is no error, and brings the leader's offsets "
            "with it: b2 cannot take over a log start offset beyond its high watermark, and its fetcher gives up "
            "before it has truncated. Now such a fetch is OFFSET_OUT_OF_RANGE, whatever the epochs say, and b2 begins "
            "anew at 2."
        ),
        lesson=(
            "Which error comes first is part of the protocol: whether an offset is in the log is looked at before "
            "epochs are compared."
        ),
    ),
)
