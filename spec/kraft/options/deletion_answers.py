"""When DeleteRecords succeeds (KIP-107): whoever deleted records is told that they are gone."""

from __future__ import annotations

from typing import Self

from ...language import Ghost, Identifier, action, invariant, reachable, require, view
from ..rules import governed_by
from ..state import Offset, Replica
from .log_start import LogStart


@governed_by("deletion_waits_for_candidates")
class DeletionAnswers(LogStart):
    """DeleteRecords is answered when the low watermark has reached its offset (DelayedDeleteRecords).

    `confirmed` is the greatest offset up to which somebody was told that all records are gone.
    """

    confirmed: Ghost[Offset]

    def is_waited_for(self, leader: Identifier, r: Identifier) -> bool:
        """Whether a deletion waits for a replica: in Kafka if its broker is registered and not fenced.

        With the rule also if it may be elected, now or when a proposal of the leader is accepted.
        """
        return (
            r == leader
            or self.is_active(r)
            or (self.settings.deletion_waits_for_candidates and (self.is_candidate(r) or r in self.maximal_isr(leader)))
        )

    def low_watermark(self, leader: Identifier) -> int:
        """Partition.lowWatermarkIfLeader: the least log start offset of the leader and of those it waits for.

        A leader learns those of followers with their fetches. Here it knows them at once.
        """
        return min(self.log_start[r] for r in self.brokers if self.is_waited_for(leader, r))

    @action(
        by="leader",
        to="admin",
        sends="DeleteRecords response",
        says="{leader} answers that the records are deleted",
    )
    def confirm_deletion(self, leader: Replica) -> None:
        """DelayedDeleteRecords.tryComplete: DeleteRecords succeeds."""
        require(self.presumes_leadership(leader))
        require(self.low_watermark(leader) > 0)
        self.confirmed = max(self.confirmed, self.low_watermark(leader))

    @view(of="deleted")
    def confirmed_in_words(self) -> str:
        """Up to where somebody was told so."""
        return f"confirmed up to offset {self.confirmed}" if self.confirmed > 0 else ""

    @invariant
    def deleted_records_stay_deleted(self) -> bool:
        """What somebody was told is deleted, the partition's leader does not have, once it has taken office."""
        return all(self.log_start[r] >= self.confirmed for r in self.brokers if self.is_legitimate(r))

    @reachable
    def deletion_confirmed_without_a_follower(self, new: Self) -> bool:
        """A deletion succeeds while a broker is down that still has the records."""
        return any(
            new.confirmed > self.confirmed
            and not self.is_running(r)
            and self.end(r) > self.log_start[r] < new.confirmed
            for r in self.brokers
        )
