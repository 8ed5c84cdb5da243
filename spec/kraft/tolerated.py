"""Kafka with eligible leader replicas, and no more crashes than these tolerate: what is proved for every bound."""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, action, lemma, require
from .commit_proof import KraftProof
from .commit_words import LogOffset
from .state import Offset, Replica, Status


class KraftTolerated(KraftProof):
    """KRaft with eligible leader replicas as designed, and fewer crashes than `min.insync.replicas`.

    So many ELR tolerates (KIP-966), and N2 is one more. Within bounds those on crashes say so; where bounds are any
    numbers a rule has to. Its other steps, and the lemmas, are those of `kraft-proof`.
    """

    name: ClassVar[str] = "kraft-tolerated"

    @action(by="broker", says="{broker} crashes with its log up to offset {kept} on disk")
    def crash(self, broker: Replica, kept: Offset) -> None:
        """As always, if with this crash there are fewer than `min.insync.replicas`."""
        require(self.used.crashes + self.used.lossy_crashes + 1 < self.min_isr())
        super().crash(broker, kept)

    @lemma
    def crashes_are_tolerated(self) -> bool:
        """Fewer crashes have happened than `min.insync.replicas` says."""
        return self.used.crashes + self.used.lossy_crashes < self.min_isr()

    def is_known_of_all(self, leader: Identifier, offset: int) -> bool:
        """Whether a leader may commit a record: all whom it counts have fetched beyond it, for all that it knows."""
        return (
            self.presumes_leadership(leader)
            and len(self.view(leader).isr) >= self.leader_min_isr(leader)
            and all(self.known_end(leader, r) > offset for r in self.maximal_isr(leader))
        )

    def agree_at(self, a: Identifier, b: Identifier, offset: int) -> bool:
        """Whether both have the same record at an offset."""
        return offset < min(self.end(a), self.end(b)) and self.brokers[a].log[offset] == self.brokers[b].log[offset]

    def is_stuck_beyond(self, leader: Identifier, age: int, offset: int) -> bool:
        """Whether a leader is stuck, but has seen those who have left its epoch fetch beyond an offset."""
        return self.is_stuck(leader, age) and all(
            self.known_end(leader, r) > offset
            for r in self.counted_at(leader, age)
            if self.has_left(r, self.epoch_of(leader))
        )

    def succeeds_unheard(self, r: Identifier, leader: Identifier, age: int) -> bool:
        """Whether r may be elected or leads later, and the leader will not hear of it again."""
        return (r not in self.counted_at(leader, age) or self.has_left(r, self.epoch_of(leader))) and (
            self.may_be_elected_intact(r) or (r != leader and self.leads_after(r, self.epoch_of(leader), age))
        )

    # -- what follows from the others -----------------------------------------------------------------------------
    # These lemmas say nothing new: others imply them. A proof for every choice of the bounds has them at hand.

    @lemma
    def an_epoch_has_one_leader(self) -> bool:
        """Running brokers in one leader epoch know the same leader, if any."""
        return all(
            self.view(a).leader == self.view(b).leader
            for a in self.brokers
            if self.is_running(a)
            for b in self.brokers
            if self.is_running(b) and self.epoch_of(a) == self.epoch_of(b)
        )

    @lemma
    def nobody_has_left_the_present_epoch(self) -> bool:
        """No broker is beyond the present leader epoch: in it no leader is stuck."""
        return all(not self.has_left(r, self.metadata[0].leader_epoch) for r in self.brokers)

    @lemma
    def somebody_not_crashed_can_be_elected(self) -> bool:
        """In ISR or ELR is somebody who is not down after a crash."""
        return any(self.is_candidate(r) and self.brokers[r].status != Status.CRASHED for r in self.brokers)

    @lemma
    def somebody_intact_can_be_elected(self) -> bool:
        """Somebody who has lost no data may be elected."""
        return any(self.may_be_elected_intact(r) for r in self.brokers)

    @lemma
    def who_does_not_diverge_holds_a_prefix(self) -> bool:
        """A replica in which another finds no difference, and that is no longer, holds a prefix of the other's log."""
        return all(
            self.agree_below(r, leader, self.end(r))
            for r in self.brokers
            for leader in self.brokers
            if r != leader and not self.diverges(r, leader) and self.end(r) <= self.end(leader)
        )

    @lemma
    def truncation_spares_what_is_common(self) -> bool:
        """A replica that truncates keeps all that it has in common with the beginning of its leader's log."""
        return all(
            self.truncation_offset(r, leader) > offset
            for r in self.brokers
            if self.end(r) > 0
            for leader in self.brokers
            if r != leader
            for offset in range(min(self.end(r), self.end(leader)))
            if self.agree_below(r, leader, offset + 1)
        )

    @lemma
    def what_is_shared_is_not_truncated(self) -> bool:
        """Nor does it cut off any record that its leader has at the same offset."""
        return all(
            self.truncation_offset(r, leader) > offset
            for r in self.brokers
            for leader in self.brokers
            if r != leader
            for offset in range(min(self.end(r), self.end(leader)))
            if self.brokers[r].log[offset] == self.brokers[leader].log[offset]
        )

    @lemma
    def truncation_spares_what_is_known(self) -> bool:
        """A follower that truncates keeps what its leader knows it to have, unless it has lost data."""
        return all(
            self.truncation_offset(r, leader) >= self.brokers[leader].followers[r]
            for r in self.brokers
            if self.end(r) > 0 and r not in self.lost_data
            for leader in self.brokers
            if r != leader and self.presumes_leadership(leader) and self.follows(r, leader)
        )

    @lemma
    def what_is_known_is_in_the_logs(self) -> bool:
        """A leader knows of no follower in its epoch more than is in the follower's log and in its own."""
        return all(
            self.brokers[leader].followers[r] <= self.end(r) and self.brokers[leader].followers[r] <= self.end(leader)
            for leader in self.brokers
            if self.presumes_leadership(leader)
            for r in self.brokers
            if r != leader and r not in self.lost_data and not self.has_left(r, self.epoch_of(leader))
        )

    @lemma
    def successors_hold_each_record_where_it_is_stuck(self) -> bool:
        """`successors_hold_where_it_is_stuck`, of one record: whoever succeeds holds it."""
        return all(
            self.agree_at(r, leader, offset)
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
            for offset in self.each(LogOffset)
            if self.is_stuck_beyond(leader, age, offset)
            for r in self.brokers
            if self.succeeds_unheard(r, leader, age)
        )

    @lemma
    def electable_hold_each_record_where_it_is_stuck(self) -> bool:
        """The same, of those who may be elected."""
        return all(
            self.agree_at(r, leader, offset)
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
            for offset in self.each(LogOffset)
            if self.is_stuck_beyond(leader, age, offset)
            for r in self.brokers
            if r not in self.counted_at(leader, age) or self.has_left(r, self.epoch_of(leader))
            if self.may_be_elected_intact(r)
        )

    @lemma
    def later_leaders_hold_each_record_where_it_is_stuck(self) -> bool:
        """The same, of those who lead in a later epoch now: each of them has left the leader's."""
        return all(
            self.agree_at(r, leader, offset)
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
            for offset in self.each(LogOffset)
            if self.is_stuck_beyond(leader, age, offset)
            for r in self.brokers
            if self.presumes_leadership(r) and self.epoch_of(r) > self.epoch_of(leader)
        )

    @lemma
    def future_leaders_hold_each_record_where_it_is_stuck(self) -> bool:
        """The same, of those who will lead when they replay a change record after this one."""
        return all(
            self.agree_at(r, leader, offset)
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
            for offset in self.each(LogOffset)
            if self.is_stuck_beyond(leader, age, offset)
            for r in self.brokers
            if r != leader and (r not in self.counted_at(leader, age) or self.has_left(r, self.epoch_of(leader)))
            if any(self.will_lead_at(r, later) for later in range(age))
        )

    @lemma
    def who_was_elected_earlier_holds_each_record_where_it_is_stuck(self) -> bool:
        """The same, of those whom a change record makes leader that is not the newest: that one names an electable."""
        return all(
            self.agree_at(r, leader, offset)
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
            for offset in self.each(LogOffset)
            if self.is_stuck_beyond(leader, age, offset)
            for r in self.brokers
            if r != leader and (r not in self.counted_at(leader, age) or self.has_left(r, self.epoch_of(leader)))
            if any(self.will_lead_at(r, later) for later in range(1, age))
        )

    @lemma
    def electable_have_reached_the_epoch_where_it_is_stuck(self) -> bool:
        """They have reached the leader's epoch, too, or its high watermark will not rise any more."""
        return all(
            self.has_reached(r, self.epoch_of(leader))
            or any(
                self.has_left(x, self.epoch_of(leader)) and self.known_end(leader, x) <= self.brokers[leader].hw
                for x in self.counted_at(leader, age)
            )
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age) and self.is_stuck(leader, age)
            for r in self.brokers
            if self.succeeds_unheard(r, leader, age) and self.may_be_elected_intact(r)
        )

    @lemma
    def electable_that_are_not_counted_have_reached_the_epoch(self) -> bool:
        """The same, of those that run and are not counted: who has left the epoch has reached it, or does not run."""
        return all(
            self.epoch_of(r) >= self.epoch_of(leader)
            or any(
                self.has_left(x, self.epoch_of(leader)) and self.known_end(leader, x) <= self.brokers[leader].hw
                for x in self.counted_at(leader, age)
            )
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age) and self.is_stuck(leader, age)
            for r in self.brokers
            if self.is_running(r) and r not in self.counted_at(leader, age) and self.may_be_elected_intact(r)
        )

    @lemma
    def later_epochs_start_beyond_where_it_is_stuck(self) -> bool:
        """`later_epochs_start_where_it_is_stuck`, of one record."""
        return all(
            self.brokers[later].epoch_start > offset
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
            for offset in self.each(LogOffset)
            if self.is_stuck_beyond(leader, age, offset)
            for later in self.brokers
            if self.presumes_leadership(later) and self.epoch_of(later) > self.epoch_of(leader)
        )

    @lemma
    def electable_hold_what_is_known_of_all(self) -> bool:
        """A record that a leader may commit, because it knows that all whom it counts have it, the electable hold."""
        return all(
            self.agree_at(r, leader, offset)
            for leader in self.brokers
            for offset in self.each(LogOffset)
            if self.is_known_of_all(leader, offset)
            for r in self.brokers
            if self.may_be_elected_intact(r)
        )

    @lemma
    def later_leaders_hold_what_is_known_of_all(self) -> bool:
        """So do those who lead later, now or after replaying a change record."""
        return all(
            self.agree_at(later, leader, offset)
            for leader in self.brokers
            for offset in self.each(LogOffset)
            if self.is_known_of_all(leader, offset)
            for later in self.brokers
            if later != leader and self.leads_after(later, self.epoch_of(leader), self.brokers[leader].behind)
        )

    @lemma
    def later_epochs_start_beyond_what_is_known_of_all(self) -> bool:
        """And their epochs start beyond it."""
        return all(
            self.brokers[later].epoch_start > offset
            for leader in self.brokers
            for offset in self.each(LogOffset)
            if self.is_known_of_all(leader, offset)
            for later in self.brokers
            if self.presumes_leadership(later) and self.epoch_of(later) > self.epoch_of(leader)
        )

    @lemma
    def what_is_known_of_all_fits_what_is_committed(self) -> bool:
        """It is the same record as what is committed there already."""
        return all(
            offset < self.end(leader) and self.brokers[leader].log[offset] == self.committed[offset]
            for leader in self.brokers
            for offset in range(len(self.committed))
            if self.is_known_of_all(leader, offset)
        )

    @lemma
    def electable_hold_each_committed_record(self) -> bool:
        """Who may be elected holds every record that is committed."""
        return all(
            offset < self.end(r) and self.brokers[r].log[offset] == self.committed[offset]
            for r in self.brokers
            if self.may_be_elected_intact(r)
            for offset in range(len(self.committed))
        )

    @lemma
    def present_leader_covers_each_commit(self) -> bool:
        """Every committed record lies below the present leader's high watermark, or below the start of its epoch."""
        return all(
            offset < max(self.brokers[r].hw, self.brokers[r].epoch_start)
            for r in self.brokers
            if self.is_legitimate(r)
            for offset in range(len(self.committed))
        )

    @lemma
    def whom_candidates_follow_holds_what_is_committed(self) -> bool:
        """A leader holds everything that is committed if somebody follows it who may be elected."""
        return all(
            self.agree_below(r, leader, len(self.committed))
            for r in self.brokers
            if self.may_be_elected_intact(r)
            for leader in self.brokers
            if r != leader and self.presumes_leadership(leader) and self.follows(r, leader)
        )

    @lemma
    def truncation_spares_what_is_committed(self) -> bool:
        """A follower that may be elected and truncates keeps what is committed."""
        return all(
            self.truncation_offset(r, leader) > offset
            for r in self.brokers
            if self.end(r) > 0 and self.may_be_elected_intact(r)
            for leader in self.brokers
            if r != leader and self.presumes_leadership(leader) and self.follows(r, leader)
            for offset in range(len(self.committed))
        )

    @lemma
    def whom_candidates_follow_holds_where_a_leader_is_stuck(self) -> bool:
        """Such a leader also holds the records of an earlier leader up to where that is stuck."""
        return all(
            self.agree_below(r, leader, self.stuck_at(stuck, age))
            for stuck in self.brokers
            for age in self.metadata
            if self.may_commit_at(stuck, age) and self.is_stuck(stuck, age)
            for r in self.brokers
            if self.may_be_elected_intact(r)
            if r not in self.counted_at(stuck, age) or self.has_left(r, self.epoch_of(stuck))
            for leader in self.brokers
            if r != leader and self.presumes_leadership(leader) and self.follows(r, leader)
        )

    @lemma
    def who_has_not_reached_the_epoch_holds_it_back(self) -> bool:
        """A leader that somebody electable has yet to hear of commits no more.

        It counts that one, or another that has left, and knows neither to be beyond its high watermark.
        """
        return all(
            self.has_reached(r, self.epoch_of(leader))
            or any(
                (x == r or self.has_left(x, self.epoch_of(leader)))
                and x != leader
                and self.known_end(leader, x) <= self.brokers[leader].hw
                for x in self.counted_at(leader, age)
            )
            for leader in self.brokers
            for age in self.metadata
            if self.may_commit_at(leader, age)
            for r in self.brokers
            if self.may_be_elected_intact(r)
        )
