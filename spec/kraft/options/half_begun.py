"""Tiered storage (KIP-405): a follower truncates its log to begin after the remote tier, and cannot read the epochs."""

from __future__ import annotations

from ...language import Identifier, Map, Set, action, require, view
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import Offset, Replica, Status
from .found_log_start import FoundLogStart
from .tiered_storage import BEFORE_TIERED_STORAGE, NOTHING


@governed_by(epochs_read_before_truncation=BEFORE_TIERED_STORAGE, only_where_asked_for=True)
class HalfBegunFollowers(FoundLogStart):
    """A replica knows epochs from `known_from` on, and what is before that it cannot look up in the remote tier.

    `half_begun` are followers whose beginning has failed. Their fetcher asks for the offset of before, is told again
    that this is in the remote tier, and begins again. A new process, or one that hears of a new leader epoch, asks for
    the end of its log instead, and names no epoch.
    """

    known_from: Map[Replica, Offset]
    half_begun: Set[Replica]

    # -- what is known --------------------------------------------------------------------------------------------

    def can_be_found(self, r: Identifier, offset: int) -> bool:
        """As always, where r knows an epoch for the offset (LeaderEpochFileCache.epochForOffset)."""
        return offset >= self.known_from[r] and super().can_be_found(r, offset)

    def highest_remote(self, r: Identifier) -> int:
        """As always, of the epochs that r knows."""
        return max(
            (
                offset
                for offset in range(max(self.log_start[r], self.known_from[r]), self.end(r))
                if self.is_remote(r, offset)
            ),
            default=NOTHING,
        )

    def first_known(self, r: Identifier) -> int:
        """As always, and no earlier than r knows epochs."""
        return max(super().first_known(r), self.known_from[r])

    def end_offset_for(self, r: Identifier, epoch: int) -> int:
        """LeaderEpochFileCache.endOffsetFor: of an epoch before those that are known it is where these begin."""
        start, log = self.first_known(r), self.brokers[r].log
        return start + sum(1 for offset in range(start, self.end(r)) if log[offset].epoch <= epoch)

    def epoch_before(self, r: Identifier, offset: int, otherwise: int) -> int:
        """As always, of the epochs that are known."""
        return super().epoch_before(r, offset, otherwise) if offset > self.known_from[r] else otherwise

    def diverges(self, follower: Identifier, leader: Identifier) -> bool:
        """As always; a follower that knows no epoch asks without one."""
        return self.end(follower) > self.known_from[follower] and super().diverges(follower, leader)

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        says="{follower} truncates its log to begin after the remote tier of {leader}, and cannot read its epochs",
    )
    def fail_to_begin(self, follower: Replica, leader: Replica) -> None:
        """TierStateMachine.buildRemoteLogAuxState: the log is truncated, and then readLeaderEpochCheckpoint throws."""
        require(not self.settings.epochs_read_before_truncation)
        require(follower not in self.failed and follower not in self.half_begun)
        require(follower != leader)
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        require(self.log_start[leader] <= self.end(follower) < self.local_start[leader])
        require(not self.diverges(follower, leader))
        require(self.can_be_found(leader, self.local_start[leader] - 1))
        start = self.local_start[leader]
        self.begin_anew(follower, leader, start)
        self.known_from[follower] = start
        self.half_begun |= {follower}

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always; who has begun halfway begins again."""
        if follower in self.half_begun:
            require(follower != leader)
            require(self.presumes_leadership(leader))
            require(self.follows(follower, leader))
            require(self.local_start[leader] > self.log_start[leader])
            require(self.can_be_found(leader, self.local_start[leader] - 1))
            self.begin_after_remote(follower, leader)
            self.half_begun -= {follower}
        else:
            super().fetch(follower, leader)

    def truncate(self, r: Identifier, offset: int) -> None:
        """As always; nothing is left of which the epoch is not known but what is before the cut."""
        super().truncate(r, offset)
        self.known_from[r] = min(self.known_from[r], offset)

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; in a new leader epoch the fetcher begins at the log end (ReplicaManager.initialFetchOffset)."""
        if self.view(broker).leader_epoch > epoch_before:
            self.half_begun -= {broker}
        super().act_on_metadata(broker, led_before, epoch_before)

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; so does that of a new process."""
        super().stop(broker, status)
        self.half_begun -= {broker}

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="broker")
    def known_epochs_in_words(self, broker: Replica) -> str:
        """From where on a replica knows epochs, and whether it is to begin again."""
        known = f"knows epochs from offset {self.known_from[broker]} on" if self.known_from[broker] > 0 else ""
        return "; ".join(filter(None, (known, "is to begin again" if broker in self.half_begun else "")))


BUGS = (
    KraftBug(
        id="T3",
        title="A follower begins after the remote tier without its epochs, leads, and nobody finds what is there",
        tickets=("TierStateMachine.buildRemoteLogAuxState; no ticket known", "KIP-405"),
        versions="3.6 to 4.4, with tiered storage",
        faulty=Settings(epochs_read_before_truncation=False, elr=False, min_insync_replicas=1),
        sound=Settings(elr=False, min_insync_replicas=1),
        properties=("committed_is_readable",),
        bounds={"max_epoch": 2, "metadata_lag": 1, "fencings": 2, "shrinks": 1},
        story=(
            "b1, alone in the ISR, commits r0, uploads it, and local retention deletes it from its disk. b2 asks for "
            "offset 0, and is told that it is in the remote tier. It truncates its log, to begin at offset 1, and then "
            "reads from the remote tier which epochs come before that. The store does not answer. b2 is to begin "
            "again, but it restarts first. Its log is empty and ends at offset 1, so it fetches from there, is in the "
            "ISR at once, and leads when b1 shuts down, as clean as can be. It knows no epoch for offset 0, and finds "
            "no segment without one: consumers get OFFSET_OUT_OF_RANGE. When it has a record, its copy task looks for "
            "the first segment of that record's epoch. If this is a later epoch than that of what was uploaded, the "
            "log begins after all of that now, and it is deleted."
        ),
        lesson=(
            "Read what you need before you throw away what you have. A step that can fail halfway must leave a state "
            "that says so."
        ),
    ),
)
