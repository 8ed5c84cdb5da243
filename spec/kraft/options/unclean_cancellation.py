"""KIP-455: a reassignment is cancelled although all of the ISR goes with it, where unclean election is configured."""

from __future__ import annotations

from ...language import Set, action, require
from ..controller import Election
from ..state import Replica
from .overlapping import OverlappingReassignments


class UncleanCancellation(OverlappingReassignments):
    """PartitionReassignmentRevert: without unclean election such a request is refused (INVALID_REPLICA_ASSIGNMENT)."""

    @action(by="controller", says="The reassignment is cancelled, and the ISR is {kept}, whatever its log")
    def cancel_uncleanly(self, kept: Replica, successor: Replica | None) -> None:
        """The first replica that stays takes the place of the ISR. If it is not live, any other that stays may lead."""
        require(self.settings.unclean_leader_election)
        require(self.reassigned < self.bounds.reassignments)
        require(self.is_under_way())
        require(len(self.metadata[0].isr - self.adding) == 0)
        require(kept in self.replicas[0] - self.adding)
        self.reassigned += 1
        self.asked_for = self.replicas[0] - self.adding
        self.end_reassignment(self.adding, Set({kept}), successor, Set(), False, Election.UNCLEAN)
