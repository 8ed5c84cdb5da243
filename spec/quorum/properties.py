"""What must always hold of the quorum, and what must be possible."""

from __future__ import annotations

from typing import Self

from ..language import Identifier, Log, Set, action_property, invariant, reachable
from .replication import Replication
from .state import Record, Role


class Properties(Replication):
    """Raft's properties, in the words of KIP-595, and KIP-996's liveness property."""

    def holds_committed(self, v: Identifier) -> bool:
        """Whether v's log begins with everything that was ever committed."""
        return self.begins_with(self.voters[v].log, self.committed, len(self.committed))

    def begins_with(self, log: Log[Record], other: Log[Record], length: int) -> bool:
        """Whether both logs hold the same records below this offset."""
        return all(o < len(log) and o < len(other) and log[o] == other[o] for o in range(length))

    @invariant
    def one_leader_per_epoch(self) -> bool:
        """No two voters lead in one epoch, and no two that are in one epoch know different leaders of it."""
        return all(
            self.voters[a].leader is None
            or self.voters[b].leader is None
            or self.voters[a].leader == self.voters[b].leader
            for a in self.voters
            for b in self.voters
            if self.voters[a].epoch == self.voters[b].epoch
        )

    @invariant
    def nobody_follows_itself(self) -> bool:
        """A follower follows another voter (QuorumState.transitionToFollower throws otherwise)."""
        return all(self.voters[v].leader != v for v in self.voters if self.voters[v].role == Role.FOLLOWER)

    @invariant
    def log_matching(self) -> bool:
        """Two logs with a record of the same epoch at an offset are the same up to there."""
        return all(
            self.begins_with(self.voters[a].log, self.voters[b].log, o + 1)
            for a in self.voters
            for b in self.voters
            for o in range(min(self.end(a), self.end(b)))
            if self.voters[a].log[o].epoch == self.voters[b].log[o].epoch
        )

    @invariant
    def leader_completeness(self) -> bool:
        """Whoever leads in the epoch of the last commit, or later, holds every committed record."""
        return all(
            self.holds_committed(v)
            for v in self.voters
            if self.voters[v].role == Role.LEADER and self.voters[v].epoch >= self.commit_epoch
        )

    @invariant
    def committed_is_on_a_majority(self) -> bool:
        """Every committed record is on the disks of a majority of the voters."""
        return self.is_majority(Set(v for v in self.voters if self.holds_committed(v)))

    @invariant
    def below_hw_is_committed(self) -> bool:
        """Below its high watermark every voter holds the records that were committed there first."""
        return all(self.begins_with(self.voters[v].log, self.committed, self.voters[v].hw) for v in self.voters)

    @invariant
    def truncation_spares_hw(self) -> bool:
        """No leader asks a follower to truncate below its own high watermark, which the follower would refuse."""
        return all(
            self.truncation_offset(f, leader) >= self.voters[f].hw
            for f in self.voters
            for leader in self.voters
            if self.follows(f, leader) and self.diverges(f, leader)
        )

    @invariant
    def observers_see_a_prefix(self) -> bool:
        """What a broker has applied is the beginning of what is committed."""
        return all(self.begins_with(self.committed, self.applied[b], len(self.applied[b])) for b in self.applied)

    @invariant
    def candidates_are_answered(self) -> bool:
        """Who stands for election in an epoch has no record of it: its vote requests would be refused as invalid."""
        return all(
            self.last_epoch(v) < self.voters[v].epoch for v in self.voters if self.voters[v].role == Role.CANDIDATE
        )

    @action_property
    def hw_monotone(self, new: Self) -> bool:
        """A voter's high watermark never goes back, unless a restart forgets it."""
        return all(new.voters[v].hw >= self.voters[v].hw or new.voters[v].hw == 0 for v in self.voters)

    @action_property
    def epochs_only_grow(self, new: Self) -> bool:
        """No voter's epoch ever decreases."""
        return all(new.voters[v].epoch >= self.voters[v].epoch for v in self.voters)

    def is_attached(self, v: Identifier, leader: Identifier) -> bool:
        """Whether v follows this leader in its epoch, and has fetched from it."""
        return self.follows(v, leader) and self.voters[v].has_fetched

    def leads_without(self, leader: Identifier, v: Identifier) -> bool:
        """Whether a leader has the latest epoch and, v not counted, a majority that fetches from it."""
        return (
            v != leader
            and self.voters[leader].role == Role.LEADER
            and all(self.voters[other].epoch <= self.voters[leader].epoch for other in self.voters)
            and self.is_majority(Set(o for o in self.voters if o == leader or (o != v and self.is_attached(o, leader))))
        )

    @action_property
    def leader_is_not_disturbed(self, new: Self) -> bool:
        """While a majority fetches from the leader, no voter outside that majority begins a later epoch (KIP-996)."""
        return all(
            new.voters[v].epoch <= self.voters[leader].epoch
            for leader in self.voters
            for v in self.voters
            if self.leads_without(leader, v)
        )

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def record_committed(self) -> bool:
        """A record is committed."""
        return len(self.committed) > 0

    @reachable
    def committed_after_failover(self) -> bool:
        """A second leader commits a record after the first."""
        return any(a.leader != b.leader for a in self.committed for b in self.committed)

    @reachable
    def two_presume_leadership(self) -> bool:
        """Two voters lead at once, in different epochs: the older leader does not know yet."""
        return any(
            self.voters[a].role == Role.LEADER
            and self.voters[b].role == Role.LEADER
            and self.voters[a].epoch < self.voters[b].epoch
            for a in self.voters
            for b in self.voters
        )

    @reachable
    def vote_split(self) -> bool:
        """Two candidates compete in one epoch."""
        return any(
            self.voters[a].role == Role.CANDIDATE
            and self.voters[b].role == Role.CANDIDATE
            and self.voters[a].epoch == self.voters[b].epoch
            for a in self.voters
            for b in self.voters
            if a != b
        )

    @reachable
    def pre_vote_refused(self) -> bool:
        """A voter that asks for pre-votes stands alone: all others follow a leader and have fetched from it."""
        return any(
            self.voters[p].role == Role.PROSPECTIVE
            and all(v in (p, leader) or self.is_attached(v, leader) for v in self.voters)
            for p in self.voters
            for leader in self.voters
            if self.voters[leader].role == Role.LEADER
        )

    @reachable
    def follower_truncates(self, new: Self) -> bool:
        """A follower truncates records that its leader does not have."""
        return any(new.end(v) < self.end(v) for v in self.voters)

    @reachable
    def leader_resigns(self) -> bool:
        """A leader resigns, or restarts and does not lead again."""
        return any(self.voters[v].role == Role.RESIGNED for v in self.voters)

    @reachable
    def candidate_again(self, new: Self) -> bool:
        """A voter that had stood for election restarts, and is a candidate of the same epoch again."""
        return any(
            new.voters[v].role == Role.CANDIDATE
            and self.voters[v].role == Role.PROSPECTIVE
            and new.voters[v].epoch == self.voters[v].epoch
            for v in self.voters
        )

    @reachable
    def observer_lags(self) -> bool:
        """A broker has applied some but not all committed records."""
        return any(0 < len(self.applied[b]) < len(self.committed) for b in self.applied)
