"""What the cache must answer: what the log says."""

from __future__ import annotations

from typing import Self

from ..language import action_property, invariant, reachable
from .log import ReplicaLog
from .state import NONE


class Properties(ReplicaLog):
    """The cache held against its definition by the log."""

    # -- by the log -----------------------------------------------------------------------------------------------

    def end_by_log(self, asked: int) -> int:
        """Where the records of an epoch and of earlier ones end in the log, as `spec/kraft` computes it."""
        return self.start + sum(1 for offset in range(self.start, self.end()) if self.log[offset] <= asked)

    def epoch_by_log(self, asked: int) -> int:
        """The epoch of the last record of that epoch or an earlier one; without one, that epoch."""
        end = self.end_by_log(asked)
        return self.log[end - 1] if end > self.start else asked

    # -- properties -----------------------------------------------------------------------------------------------

    @invariant
    def every_record_has_its_epoch(self) -> bool:
        """Of every record the cache knows the epoch."""
        return all(self.epoch_for(offset) == self.log[offset] for offset in range(self.start, self.end()))

    @invariant
    def end_offsets_are_those_of_the_log(self) -> bool:
        """Whatever epoch the cache is asked for, up to the latest it knows, its answer ends where the log says."""
        return all(
            self.answered_end(asked) == self.end_by_log(asked) for asked in self.cache if asked <= self.latest_epoch()
        )

    @invariant
    def epochs_are_those_of_the_log(self) -> bool:
        """The epoch of an answer is that of the log, but for the latest one, which may have no record."""
        return all(
            self.answered_epoch(asked) == self.epoch_by_log(asked)
            for asked in self.cache
            if asked < self.latest_epoch()
        )

    @invariant
    def epochs_and_offsets_grow_together(self) -> bool:
        """No epoch begins where an earlier one does, or before it; none begins outside the log."""
        return all(
            self.cache[epoch] < 0
            or (
                self.start <= self.cache[epoch] <= self.end()
                and all(self.cache[earlier] < self.cache[epoch] for earlier in self.cache if earlier < epoch)
            )
            for epoch in self.cache
        )

    @invariant
    def leader_knows_its_epoch(self) -> bool:
        """A leader's latest epoch is that in which it leads (KAFKA-7415)."""
        return not self.leads or self.latest_epoch() == self.leader_epoch

    @invariant
    def file_misses_no_epoch(self) -> bool:
        """The file has every entry that the cache has; it may begin earlier there, and the file may have more."""
        return all(0 <= self.file[epoch] <= self.cache[epoch] for epoch in self.cache if self.cache[epoch] >= 0)

    @invariant
    def nothing_is_asked_in_vain(self) -> bool:
        """A follower that was told that it diverges asks with another epoch than before."""
        return not self.in_vain

    # -- what must be possible ------------------------------------------------------------------------------------

    @reachable
    def epoch_without_records(self) -> bool:
        """The cache knows an epoch of which the log has no record."""
        return any(self.cache[epoch] == self.end() for epoch in self.cache) and self.end() > self.start

    @reachable
    def entry_outlives_its_records(self) -> bool:
        """All records are deleted, and the epoch of the last one is still known."""
        return self.start == self.end() > 0 and 0 <= self.latest_epoch() < self.leader_epoch

    @reachable
    def file_has_more_than_the_cache(self, new: Self) -> bool:
        """A failure brings back what the file had and the cache did not, and recovery takes it away again."""
        return new.failures > self.failures and any(
            self.file[epoch] > self.end() or (self.file[epoch] >= 0 and new.cache[epoch] == NONE) for epoch in self.file
        )

    @action_property
    def latest_epoch_goes_back_by_truncation_only(self, new: Self) -> bool:
        """The latest epoch goes back only when the log is cut, begins anew, or is read again after a failure."""
        return (
            new.latest_epoch() >= self.latest_epoch()
            or new.end() != self.end()
            or new.failures > self.failures
            or not self.leads
        )
