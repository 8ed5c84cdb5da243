"""What the guarantees rest on: properties of single roles, which break before a record is lost."""

from __future__ import annotations

from typing import Self

from ..language import Set, action_property, invariant
from .follower import Follower


class Safeguards(Follower):
    """What each role keeps to, whatever the others do."""

    # -- leaders --------------------------------------------------------------------------------------------------

    @invariant
    def single_leader_per_epoch(self) -> bool:
        """Two brokers never presume leadership in the same leader epoch."""
        return all(
            self.view(a).leader_epoch != self.view(b).leader_epoch
            for a in self.brokers
            for b in self.brokers
            if a != b and self.presumes_leadership(a) and self.presumes_leadership(b)
        )

    @invariant
    def only_leaders_keep_a_follower_table(self) -> bool:
        """A broker that does not presume leadership proposes nothing, and remembers nothing of its followers."""
        return all(
            len(self.brokers[r].proposed) == 0
            and self.brokers[r].epoch_start == 0
            and all(self.brokers[r].followers[f] < 0 for f in self.brokers)
            for r in self.brokers
            if not self.presumes_leadership(r)
        )

    @action_property
    def enough_copies(self, new: Self) -> bool:
        """With the strict high watermark a record is committed only when min.insync.replicas brokers hold it.

        Or have held it, and lost data since. Without, one copy is enough.
        """
        enough = self.least_min_isr() if self.settings.strict_hw else 1
        copies = sum(1 for r in self.brokers if r in self.lost_data or new.holds_committed(r))
        return len(new.committed) == len(self.committed) or copies >= enough

    @action_property
    def proposal_resolved(self, new: Self) -> bool:
        """A leader gives up a proposal only when it replays metadata, or its refusal is proven (INELIGIBLE_REPLICA)."""
        return all(
            new.brokers[r].proposed == self.brokers[r].proposed
            or new.brokers[r].behind < self.brokers[r].behind
            or (self.request.isr == self.brokers[r].proposed and new.request.leader is None)
            for r in self.brokers
            if len(self.brokers[r].proposed) > 0 and new.is_running(r)
        )

    # -- followers ------------------------------------------------------------------------------------------------

    @invariant
    def high_watermark_in_log(self) -> bool:
        """No high watermark is beyond the end of its log."""
        return all(self.brokers[r].hw <= self.end(r) for r in self.brokers)

    # -- the controller -------------------------------------------------------------------------------------------

    @action_property
    def controller_never_expands(self, new: Self) -> bool:
        """Whoever joins the ISR was proposed by the leader, or leads from now on with an ISR of its own."""
        before, now = self.metadata[0], new.metadata[0]
        return now.isr <= before.isr or any(
            (self.request.leader == r and before.leader == r and now.isr <= before.isr | self.request.isr)
            or (now.leader == r and now.leader_epoch > before.leader_epoch and now.isr == Set({r}))
            for r in self.brokers
        )

    @action_property
    def epochs_never_go_back(self, new: Self) -> bool:
        """Leader epoch and broker epochs never go back, nor does the leader epoch that a running broker knows."""
        return new.metadata[0].leader_epoch >= self.metadata[0].leader_epoch and all(
            new.registrations[r].broker_epoch >= self.registrations[r].broker_epoch
            and (
                not self.is_running(r) or not new.is_running(r) or new.view(r).leader_epoch >= self.view(r).leader_epoch
            )
            for r in self.brokers
        )
