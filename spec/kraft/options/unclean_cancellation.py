"""KIP-455: a reassignment is cancelled although all of the ISR goes with it, where unclean election is configured."""

from __future__ import annotations

from dataclasses import replace

from ...language import Identifier, Set, action, invariant, require
from ..controller import Election
from ..rules import NEVER, KraftBug, governed_by
from ..settings import ALONE
from ..state import Replica
from .overlapping import OverlappingReassignments


@governed_by(last_known_leader_goes_with_replica=NEVER, only_with_elr=True, only_where_asked_for=True)
class UncleanCancellation(OverlappingReassignments):
    """PartitionReassignmentRevert: without unclean election such a request is refused (INVALID_REPLICA_ASSIGNMENT)."""

    @action(by="controller", says="The reassignment is cancelled, and the ISR is {kept}, whatever its log")
    def cancel_uncleanly(self, kept: Replica, successor: Replica | None) -> None:
        """The first replica that stays takes the place of the ISR. If it is not live, any other that stays may lead.

        Those that were asked for come first: who goes was not, unless an override has left it as it was (H7b).
        """
        require(self.settings.unclean_leader_election)
        require(self.reassigned < self.bounds.reassignments)
        require(self.is_under_way())
        require(len(self.metadata[0].isr - self.adding) == 0)
        staying, asked_for = self.replicas[0] - self.adding, self.replicas[0] - self.adding - self.removing
        require(kept in staying)
        require(kept in asked_for or len(asked_for) == 0 or not self.settings.override_starts_anew)
        self.reassigned += 1
        self.asked_for = self.replicas[0] - self.adding
        self.end_reassignment(self.adding, Set({kept}), successor, Set(), False, Election.UNCLEAN)

    def end_reassignment(
        self,
        leaving: Set[Identifier],
        isr: Set[Identifier],
        successor: Identifier | None,
        unclean: Set[Identifier],
        recovered: bool,
        election: Election,
    ) -> None:
        """As always; with the rule, the last known leader is forgotten if it goes."""
        super().end_reassignment(leaving, isr, successor, unclean, recovered, election)
        if self.settings.last_known_leader_goes_with_replica and self.recovery.last_known_leader in leaving:
            self.recovery.last_known_leader = None

    @invariant
    def last_known_leader_has_replica(self) -> bool:
        """The last known leader has a replica. If not, LeaderAcceptor throws when it looks for its directory."""
        last = self.recovery.last_known_leader
        return last is None or last in self.replicas[0]


BUGS = (
    KraftBug(
        id="H15",
        title="The last known leader has no replica any more, and the controller resigns when another one registers",
        tickets=("ReplicationControlManager.LeaderAcceptor; no ticket known", "KIP-455", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=replace(ALONE, unclean_leader_election=True, last_known_leader_goes_with_replica=False),
        sound=replace(ALONE, unclean_leader_election=True),
        properties=("last_known_leader_has_replica",),
        bounds={"max_epoch": 3, "fencings": 2, "reassignments": 3},
        story=(
            "The partition is on b1 and b2, and unclean election is configured. Both shut down; the last known leader "
            "is b1. An operator moves the partition to b2. That waits, because the ISR is empty. He cancels it: no "
            "member of the ISR stays, so b2 becomes the ISR. He asks for it again, and now the reassignment is "
            "complete at once: b1 has no replica any more, and is still the last known leader, because nobody leads. "
            "If b1 is running when b2 registers after an unclean shutdown, the controller considers b1, looks up the "
            "log directory of its replica, and throws. QuorumController takes that for a fault and resigns. b2 tries "
            "again, and so on. It was reproduced on running brokers of Kafka 4.1 to 4.4: the controller resigned every "
            "few seconds until the last known leader was shut down. That of 4.0 resigned once."
        ),
        shown_on=("4.1.2", "4.2.2", "4.3.1", "4.4.0"),
        only_with_elr=True,
        lesson="What refers to a replica goes with it, also where nobody leads.",
    ),
)
