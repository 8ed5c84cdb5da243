"""What is always true of what is committed, or may still be: the lemmas that carry the proof."""

from __future__ import annotations

from ..language import lemma
from .commit_words import CommitWords
from .state import Epoch


class CommitLemmas(CommitWords):
    """Whoever may lead holds what is committed, what a leader would commit, and what one that is stuck still may."""

    # -- what is committed ----------------------------------------------------------------------------------------

    @lemma
    def commits_have_an_epoch(self) -> bool:
        """What is committed was first committed in an epoch, and its record is of that epoch or of an earlier one."""
        return all(
            (self.commit_epoch[offset] is not None) == (offset < len(self.committed)) for offset in self.commit_epoch
        ) and all(
            epoch <= self.metadata[0].leader_epoch and self.committed[offset].epoch <= epoch
            for offset in range(len(self.committed))
            for epoch in self.each(Epoch)
            if self.commit_epoch[offset] == epoch
        )

    @lemma
    def nobody_commits_before_the_leader(self) -> bool:
        """In an epoch whose leader has yet to replay that it leads nothing was committed first."""
        return all(
            self.commit_epoch[offset] != self.metadata[age].leader_epoch
            for leader in self.brokers
            for age in self.metadata
            if self.will_lead_at(leader, age) and self.metadata[age].leader_epoch > self.epoch_of(leader)
            for offset in self.commit_epoch
        )

    @lemma
    def below_hw_is_committed(self) -> bool:
        """Below a replica's high watermark everything is committed, and the replica holds it."""
        return all(
            offset < len(self.committed)
            and offset < self.end(r)
            and self.brokers[r].log[offset] == self.committed[offset]
            for r in self.brokers
            for offset in range(self.brokers[r].hw)
        )

    @lemma
    def acknowledged_is_committed(self) -> bool:
        """Every record of whose success a producer was told is committed."""
        return all(any(record.id == id for record in self.committed) for id in self.acknowledged)

    @lemma
    def present_leader_covers_commits(self) -> bool:
        """What is committed lies below the high watermark of the present leader, or below the start of its epoch."""
        return all(
            len(self.committed) <= max(self.brokers[r].hw, self.brokers[r].epoch_start)
            for r in self.brokers
            if self.is_legitimate(r)
        )

    # -- who holds what is committed ------------------------------------------------------------------------------

    @lemma
    def electable_hold_what_is_committed(self) -> bool:
        """Who may be elected holds everything that is committed, and has reached the epochs in which that was."""
        return all(
            self.holds_committed(r)
            and all(
                self.has_reached(r, epoch)
                for offset in range(len(self.committed))
                for epoch in self.each(Epoch)
                if self.commit_epoch[offset] == epoch
            )
            for r in self.brokers
            if self.may_be_elected_intact(r)
        )

    @lemma
    def leaders_hold_what_is_committed(self) -> bool:
        """Who leads in the epoch of a commit or in a later one holds the committed record."""
        return all(
            offset < self.end(r) and self.brokers[r].log[offset] == self.committed[offset]
            for r in self.brokers
            if self.presumes_leadership(r)
            for offset in range(len(self.committed))
            for epoch in self.each(Epoch)
            if self.commit_epoch[offset] == epoch and self.epoch_of(r) >= epoch
        )

    @lemma
    def future_leaders_hold_what_is_committed(self) -> bool:
        """So does who will lead there when it replays a change record."""
        return all(
            offset < self.end(r) and self.brokers[r].log[offset] == self.committed[offset]
            for r in self.brokers
            for age in self.metadata
            if self.will_lead_at(r, age)
            for offset in range(len(self.committed))
            for epoch in self.each(Epoch)
            if self.commit_epoch[offset] == epoch and self.metadata[age].leader_epoch >= epoch
        )

    # -- whom a leader counts -------------------------------------------------------------------------------------

    @lemma
    def leaders_count_the_electable_or_are_stuck(self) -> bool:
        """A leader that may still commit counts everybody who may be elected, or it is stuck.

        In the present epoch nobody has left, so there the first is true.
        """
        return all(
            self.is_stuck(leader, age)
            or all(r in self.counted_at(leader, age) for r in self.brokers if self.may_be_elected(r))
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
        )

    @lemma
    def leaders_count_later_ones_or_are_stuck(self) -> bool:
        """It counts everybody who leads after it as well, now or after replaying a change record, or it is stuck."""
        return all(
            self.is_stuck(leader, age)
            or all(
                r in self.counted_at(leader, age)
                for r in self.brokers
                if self.leads_after(r, self.epoch_of(leader), age)
            )
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
        )

    @lemma
    def future_isrs_have_later_leaders_or_are_stuck(self) -> bool:
        """The ISR with which a leader will take office has all of these, too, or a member that has left that epoch."""
        return all(
            any(self.has_left(member, self.metadata[age].leader_epoch) for member in self.metadata[age].isr)
            or all(
                r in self.metadata[age].isr
                for r in self.brokers
                if self.may_be_elected(r) or self.leads_after(r, self.metadata[age].leader_epoch, age)
            )
            for leader in self.brokers
            for age in self.metadata
            if self.will_lead_at(leader, age) and len(self.metadata[age].isr) >= self.leader_min_isr(leader)
        )

    # -- who holds what may be committed --------------------------------------------------------------------------

    @lemma
    def electable_hold_what_may_be_committed(self) -> bool:
        """What a leader would commit with what it knows is as good as committed: who may be elected holds it."""
        return all(
            self.agree_below(r, leader, self.would_commit(leader, age))
            and (
                self.would_commit(leader, age) <= self.brokers[leader].hw or self.has_reached(r, self.epoch_of(leader))
            )
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
            for r in self.brokers
            if self.may_be_elected_intact(r)
        )

    # -- where a leader is stuck ----------------------------------------------------------------------------------

    @lemma
    def successors_hold_where_it_is_stuck(self) -> bool:
        """Who may be elected or leads later holds a leader's records up to where that is stuck.

        If the high watermark may still rise to there, who may be elected has reached the leader's epoch, too. It is not
        asked of those whom the leader counts and who have not left: of these the leader may hear again.
        """
        return all(
            self.agree_below(r, leader, self.stuck_at(leader, age))
            and (
                self.stuck_at(leader, age) <= self.brokers[leader].hw
                or self.has_reached(r, self.epoch_of(leader))
                or not self.may_be_elected_intact(r)
            )
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age) and self.is_stuck(leader, age)
            for r in self.brokers
            if r not in self.counted_at(leader, age) or self.has_left(r, self.epoch_of(leader))
            if self.may_be_elected_intact(r) or (r != leader and self.leads_after(r, self.epoch_of(leader), age))
        )

    @lemma
    def later_epochs_start_where_it_is_stuck(self) -> bool:
        """The epoch of a later leader starts at or beyond where an earlier leader is stuck."""
        return all(
            self.brokers[later].epoch_start >= self.stuck_at(leader, age)
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age) and self.is_stuck(leader, age)
            for later in self.brokers
            if self.presumes_leadership(later) and self.epoch_of(later) > self.epoch_of(leader)
        )
