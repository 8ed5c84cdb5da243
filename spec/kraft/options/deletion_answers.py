"""When DeleteRecords succeeds (KIP-107): whoever deleted records is told that they are gone."""

from __future__ import annotations

from typing import Self

from ...language import Ghost, Identifier, Map, action, invariant, reachable, require, view
from ..rules import KraftBug, governed_by
from ..settings import Settings
from ..state import UNKNOWN, KnownOffset, Offset, Replica
from .log_start import LogStart


@governed_by("deletion_waits_for_candidates")
class DeletionAnswers(LogStart):
    """DeleteRecords is answered when the low watermark has reached its offset (DelayedDeleteRecords).

    `confirmed` is the greatest offset up to which somebody was told that all records are gone. `known_starts` has, by
    leader, where each follower's log began at its last fetch, -1 if unknown (Replica.java).
    """

    confirmed: Ghost[Offset]
    known_starts: Map[Replica, Map[Replica, KnownOffset]]

    def initial(self, leader: Replica) -> None:
        """As always, and nobody has fetched yet."""
        super().initial(leader)
        for r in self.brokers:
            for follower in self.brokers:
                self.known_starts[r][follower] = UNKNOWN

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        """As always; a fetch names the log start offset of the follower, too. That is from before its answer."""
        self.known_starts[leader][follower] = self.log_start[follower]
        super().accept_fetch(leader, follower)

    def forget_followers(self, leader: Identifier) -> None:
        """As always, log start offsets included (Replica.resetReplicaState)."""
        super().forget_followers(leader)
        for follower in self.known_starts[leader]:
            self.known_starts[leader][follower] = UNKNOWN

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

        Those of followers are as the leader knows them, -1 of one that has not fetched.
        """
        return min(
            self.log_start[r] if r == leader else self.known_starts[leader][r]
            for r in self.brokers
            if self.is_waited_for(leader, r)
        )

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

    @view(of="broker")
    def known_starts_in_words(self, broker: Replica) -> str:
        """Where a leader knows the logs of its followers to begin, if records were deleted."""
        known = [f"{r}'s at {start}" for r, start in self.known_starts[broker].items() if start > 0]
        return f"knows that a log starts: {', '.join(known)}" if known else ""

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


BUGS = (
    KraftBug(
        id="H8b",
        title="Records that were deleted, and whose deletion was confirmed, are there again after a clean failover",
        tickets=("Partition.lowWatermarkIfLeader; no ticket known", "KIP-107", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(deletion_waits_for_candidates=False),
        properties=("deleted_records_stay_deleted",),
        bounds={"max_epoch": 1, "fencings": 2},
        story=(
            "b2 is fenced and becomes eligible (ELR) while it still has r0, which b1 has deleted. DeleteRecords waits "
            "for brokers that are alive only (Partition.lowWatermarkIfLeader), so the client is told that r0 is gone. "
            "b2 returns, b1 shuts down, and b2 is elected from the ELR: its log begins at 0, and consumers get r0 "
            "again. All of it is clean, and nothing tells b2 but an answer to a fetch from b1. Without ELR the same "
            "needs a follower that is fenced while its proposal for the ISR is on its way (14 states). Waiting for all "
            "members of ISR and ELR, and for those proposed, closes it, at the price that a deletion does not succeed "
            "while an eligible broker is down. Kafka's own classes of 4.0 to 4.4 have shown it, step by step; no "
            "report is known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "Wait for all who may lead next, not only for those who are alive now. A deletion is confirmed when nobody "
            "can bring the records back by leading."
        ),
    ),
)
