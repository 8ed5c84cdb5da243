"""How records spread: the leader appends, followers fetch or truncate, a majority commits, observers apply."""

from __future__ import annotations

from ..language import Identifier, Set, action, require
from .state import Observer, QuorumState, Role, Voter


class Replication(QuorumState):
    """The metadata log: written by the leader, copied by fetches, committed by a majority (KIP-595)."""

    @action(by="leader", says="{leader} appends a record")
    def append(self, leader: Voter) -> None:
        """KIP-595: the leader, which is the active controller, appends a metadata record."""
        require(self.voters[leader].role == Role.LEADER)
        require(self.end(leader) < self.bounds.log_size)
        self.voters[leader].log.append(self.record_of(leader))

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} fetches from {leader}",
        fair="strong",
    )
    def fetch(self, follower: Voter, leader: Voter) -> None:
        """KIP-595, Fetch: a follower asks at its log end, which says that it holds everything before.

        The answer is the next record, committed or not, and the leader's high watermark, as far as that is told.
        """
        self.acknowledge(follower, leader)
        if self.end(follower) < self.end(leader):
            self.voters[follower].log.append(self.voters[leader].log[self.end(follower)])
        self.voters[follower].hw = max(self.voters[follower].hw, min(self.told_hw(leader), self.end(follower)))
        self.voters[follower].has_fetched = True

    @action(by="follower", to="leader", sends="Fetch", says="{follower} fetches from {leader}, but the answer is lost")
    def fetch_unanswered(self, follower: Voter, leader: Voter) -> None:
        """KIP-595, Fetch: the answer is lost. The leader knows what the follower holds all the same."""
        self.acknowledge(follower, leader)

    def acknowledge(self, follower: Identifier, leader: Identifier) -> None:
        """The leader notes up to where the follower holds its log, and commits what a majority holds.

        Of no use any more, and so forgotten, is what does not reach beyond the high watermark.
        """
        require(self.follows(follower, leader))
        require(not self.diverges(follower, leader))
        if self.may_commit(leader, self.end(follower)):
            self.voters[leader].acknowledged[follower] = self.end(follower)
        self.commit(leader, self.held_by_a_majority(leader))
        for v in self.voters:
            if self.voters[leader].acknowledged[v] <= self.voters[leader].hw:
                self.voters[leader].acknowledged[v] = 0

    def held_by_a_majority(self, leader: Identifier) -> int:
        """The largest offset up to which a majority, the leader included, holds the leader's log."""
        return max(
            (
                offset
                for offset in range(1, self.end(leader) + 1)
                if self.is_majority_for(
                    leader, Set(v for v in self.voters if v == leader or self.voters[leader].acknowledged[v] >= offset)
                )
            ),
            default=0,
        )

    def may_commit(self, leader: Identifier, offset: int) -> bool:
        """KAFKA-12619: only beyond the start of the leader's epoch, with the LeaderChange record itself."""
        return offset > self.epoch_start(leader)

    def told_hw(self, leader: Identifier) -> int:
        """The high watermark that a leader tells: one that it knew before it took office is none (LeaderState)."""
        return self.voters[leader].hw if self.may_commit(leader, self.voters[leader].hw) else 0

    def commit(self, leader: Identifier, offset: int) -> None:
        """The leader's high watermark goes up to this offset, if it may. What is new is remembered as history."""
        if offset > self.voters[leader].hw and self.may_commit(leader, offset):
            self.voters[leader].hw = offset
            if offset > len(self.committed):
                for o in range(len(self.committed), offset):
                    self.committed.append(self.voters[leader].log[o])
                self.commit_epoch = self.voters[leader].epoch

    # -- diverging logs -------------------------------------------------------------------------------------------

    def leader_epoch_at_most(self, leader: Identifier, epoch: int) -> int:
        """The latest epoch in the leader's log up to this one; this one, if there is none."""
        return max((r.epoch for r in self.voters[leader].log if r.epoch <= epoch), default=epoch)

    def diverges(self, follower: Identifier, leader: Identifier) -> bool:
        """Whether the leader lacks the epoch of the follower's last record, or ends it before the follower's end."""
        last = self.last_epoch(follower)
        return self.end(follower) > 0 and (
            self.leader_epoch_at_most(leader, last) < last or self.end_of_epoch(leader, last) < self.end(follower)
        )

    def truncation_offset(self, follower: Identifier, leader: Identifier) -> int:
        """Where a diverging follower cuts its log: where the leader's epoch before ends, in the leader's or its own."""
        epoch = self.leader_epoch_at_most(leader, self.last_epoch(follower))
        own = self.end_of_epoch(follower, epoch)
        holds_epoch = any(r.epoch == epoch for r in self.voters[follower].log)
        return min(own, self.end_of_epoch(leader, epoch)) if holds_epoch else own

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} fetches from {leader}, and truncates where their logs diverge",
        fair="strong",
    )
    def truncate(self, follower: Voter, leader: Voter) -> None:
        """KIP-595, diverging epoch: the answer to a fetch names an epoch and its end, and the follower truncates.

        It refuses (KafkaRaftClient throws) to truncate below its high watermark.
        """
        require(self.follows(follower, leader))
        require(self.diverges(follower, leader))
        require(self.truncation_offset(follower, leader) >= self.voters[follower].hw)
        self.voters[follower].log.truncate(self.truncation_offset(follower, leader))
        self.voters[follower].has_fetched = True

    # -- brokers --------------------------------------------------------------------------------------------------

    @action(
        by="observer",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{observer} fetches from {leader}, and applies a record",
    )
    def observer_applies(self, observer: Observer, leader: Voter) -> None:
        """KIP-595: a broker fetches from whoever leads, and applies the records in order, up to the high watermark."""
        position = len(self.applied[observer])
        require(self.voters[leader].role == Role.LEADER)
        require(position < self.visible_end(leader))
        self.applied[observer].append(self.voters[leader].log[position])

    def visible_end(self, leader: Identifier) -> int:
        """The offset below which observers apply what the leader has: the high watermark that it tells."""
        return self.told_hw(leader)
