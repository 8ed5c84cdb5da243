"""What is always true of logs, and of what leaders know of them: the lemmas that know nothing of commits."""

from __future__ import annotations

from ..language import lemma
from .commit_words import CommitWords
from .state import UNKNOWN


class LogLemmas(CommitWords):
    """Records come from the leader of their epoch, and logs that share a record share everything before it."""

    # -- one log --------------------------------------------------------------------------------------------------

    @lemma
    def records_are_of_known_epochs(self) -> bool:
        """No record is of a later epoch than its replica knows, and every record was produced."""
        return all(
            record.epoch <= (self.epoch_of(r) if self.is_running(r) else self.metadata[0].leader_epoch)
            and record.id < self.next_record
            for r in self.brokers
            for record in self.brokers[r].log
        )

    @lemma
    def epochs_along_a_log(self) -> bool:
        """Epochs never decrease along a log."""
        return all(
            self.brokers[r].log[earlier].epoch <= self.brokers[r].log[offset].epoch
            for r in self.brokers
            for offset in range(self.end(r))
            for earlier in range(offset)
        )

    @lemma
    def logs_have_only_what_was_produced(self) -> bool:
        """No log has more records than were produced, so that there is room for the next."""
        return len(self.committed) <= self.next_record and all(self.end(r) <= self.next_record for r in self.brokers)

    # -- two logs -------------------------------------------------------------------------------------------------

    @lemma
    def logs_match(self) -> bool:
        """A log that has a record of an epoch holds everything that another has up to an earlier one of that epoch."""
        return all(
            self.agree_below(a, b, offset + 1)
            for a in self.brokers
            for b in self.brokers
            if a != b
            for offset in range(self.end(a))
            for later in range(offset, self.end(b))
            if self.brokers[a].log[offset].epoch == self.brokers[b].log[later].epoch
        )

    @lemma
    def records_come_from_their_leader(self) -> bool:
        """A leader has every record of its own epoch that anybody has, and everything before it."""
        return all(
            self.agree_below(r, leader, offset + 1)
            for leader in self.brokers
            if self.presumes_leadership(leader)
            for r in self.brokers
            for offset in range(self.end(r))
            if self.brokers[r].log[offset].epoch == self.epoch_of(leader)
        )

    @lemma
    def nobody_writes_before_the_leader(self) -> bool:
        """Of an epoch whose leader has yet to replay that it leads there is no record."""
        return all(
            record.epoch != self.metadata[age].leader_epoch
            for leader in self.brokers
            for age in self.metadata
            if self.will_lead_at(leader, age) and self.metadata[age].leader_epoch > self.epoch_of(leader)
            for r in self.brokers
            for record in self.brokers[r].log
        )

    # -- what leaders know ----------------------------------------------------------------------------------------

    @lemma
    def known_followers_have_reached_the_epoch(self) -> bool:
        """A follower whose fetch a leader has seen in its epoch has reached that epoch."""
        return all(
            self.has_reached(f, self.epoch_of(leader))
            for leader in self.brokers
            for f in self.brokers
            if f != leader and self.presumes_leadership(leader) and self.brokers[leader].followers[f] != UNKNOWN
        )

    @lemma
    def known_followers_hold_what_is_known(self) -> bool:
        """It holds the leader's records up to there until it leaves the epoch, unless it has lost data."""
        return all(
            self.agree_below(f, leader, self.brokers[leader].followers[f]) or self.has_left(f, self.epoch_of(leader))
            for leader in self.brokers
            for f in self.brokers
            if f != leader and f not in self.lost_data and self.presumes_leadership(leader)
        )
