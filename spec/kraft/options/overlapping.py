"""KIP-455: a reassignment that is under way is overridden by another."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from ...language import Ghost, Identifier, Set, action, invariant, reachable, require, view
from ..controller import Election
from ..rules import NEVER, KraftBug, governed_by
from ..settings import ALONE, ReassignmentEnds
from ..state import Replica
from .reassignment import Reassignment


@governed_by(override_starts_anew=NEVER, only_where_asked_for=True)
class OverlappingReassignments(Reassignment):
    """An operator changes his mind before the new replicas have caught up.

    `asked_for` are the replicas that were asked for last.
    """

    asked_for: Ghost[Set[Replica]]

    def initial(self, leader: Replica) -> None:
        """As always; every replica was asked for."""
        super().initial(leader)
        self.asked_for = Set(self.brokers)

    def reassign(self, target: Set[Replica], successor: Replica | None) -> None:
        """As always."""
        super().reassign(target, successor)
        self.asked_for = target

    @action(by="controller", says="The reassignment is overridden: the partition is reassigned to {target}")
    def override_reassignment(self, target: Set[Replica], successor: Replica | None) -> None:
        """ReplicationControlManager.changePartitionReassignment: the target is compared with all replicas there are.

        Those count that the reassignment before is adding, and those that it takes away. Kafka sets what is added only
        if somebody is, and what is taken away likewise; else that of the reassignment before stays (H7).
        """
        require(self.reassigned < self.bounds.reassignments)
        require(self.is_under_way())
        require(len(target) >= self.min_isr())
        self.reassigned += 1
        self.asked_for = target
        adding, removing = target - self.replicas[0], self.replicas[0] - target
        if len(adding) == 0 and not self.settings.override_starts_anew:
            adding = self.adding
        if len(removing) == 0 and not self.settings.override_starts_anew:
            removing = self.removing
        if adding != self.adding or removing != self.removing:
            self.adding = adding
            self.removing = removing
            self.write_assignment(target, successor)
        elif self.is_settled():
            require(successor is None)
        else:
            self.change_partition(self.metadata[0].isr, successor, Set(), election=Election.ONLINE)

    def cancel_reassignment(self, successor: Replica | None) -> None:
        """PartitionReassignmentRevert: as always, the replicas without those that are being added."""
        self.asked_for = self.replicas[0] - self.adding
        super().cancel_reassignment(successor)

    def is_complete(self, isr: Set[Identifier]) -> bool:
        """As always; of the ISR only those count who stay. Somebody who is to be added and to go never does (H7).

        Where all target replicas must be in the ISR (Kafka 3.8 to 4.2), nobody asks who is added.
        """
        staying = isr - self.removing
        if self.settings.reassignment_ends == ReassignmentEnds.ALL_TARGETS:
            return self.is_under_way() and (self.replicas[0] | self.adding) - self.removing <= staying
        return super().is_complete(staying)

    # -- properties -----------------------------------------------------------------------------------------------

    @invariant
    def reassignment_can_complete(self) -> bool:
        """A reassignment under way would be complete if all the replicas that it aims at were in the ISR.

        Where it would not, it waits for ever, until an operator cancels or overrides it.
        """
        return not self.is_under_way() or self.is_complete(self.replicas[0] - self.removing)

    @invariant
    def replicas_as_asked_for(self) -> bool:
        """With no reassignment under way the partition has the replicas that were asked for last."""
        return self.is_under_way() or self.replicas[0] == self.asked_for

    @reachable(only_if=lambda self: self.bounds.reassignments > 1)
    def reassignment_overridden(self, new: Self) -> bool:
        """Other replicas are asked for before those that were asked for are there."""
        return self.is_under_way() and new.is_under_way() and new.asked_for != self.asked_for

    @view(of="operator")
    def asked_for_in_words(self) -> str:
        """The replicas that were asked for last, where the partition has others."""
        return f"asked for {self.asked_for}" if self.asked_for != self.replicas[0] else ""


BUGS = (
    KraftBug(
        id="H7",
        title="A reassignment is overridden by one that adds nobody, and can never complete",
        tickets=("ReplicationControlManager.changePartitionReassignment; no ticket known", "KIP-455", "KAFKA-19975"),
        versions="3.0 to 3.7 and 4.3 to 4.4",
        faulty=replace(ALONE, reassignment_ends=ReassignmentEnds.ALL_ADDED_IF_AS_MANY, override_starts_anew=False),
        sound=replace(ALONE, reassignment_ends=ReassignmentEnds.ALL_ADDED_IF_AS_MANY),
        properties=("reassignment_can_complete",),
        bounds={"max_epoch": 1, "metadata_lag": 3, "reassignments": 3},
        story=(
            "The partition is on b1, and b2 is to join. Before it has caught up the operator thinks better of it, and "
            "asks for b1 again: b2 is to go, and nobody is added, so Kafka leaves what is being added as it was. b2 is "
            "to be added and to go. The reassignment is complete when all that are added are in the ISR without those "
            "that go, which b2 never is: it goes on for ever, with a replica too many, until somebody cancels it or "
            "asks for something else. From 3.8 to 4.2 it is complete when all that stay are in the ISR (KAFKA-15665), "
            "and ends. Kafka's own classes of 4.3 and 4.4 have shown it, step by step; no report is known, and no "
            "running Kafka has shown it yet."
        ),
        closed_by={"reassignment_ends": ReassignmentEnds.ALL_TARGETS},
        lesson=(
            'Who overrides a plan must make it anew, also where the new one is empty. "Set it if there is something" '
            "keeps half of the old plan."
        ),
    ),
    KraftBug(
        id="H7b",
        title="A reassignment is overridden by one that takes nobody away, and takes a replica away all the same",
        tickets=("ReplicationControlManager.changePartitionReassignment; no ticket known", "KIP-455"),
        versions="3.0 to 4.4",
        faulty=replace(ALONE, override_starts_anew=False),
        sound=ALONE,
        properties=("replicas_as_asked_for",),
        bounds={"max_epoch": 2, "metadata_lag": 2, "reassignments": 3},
        story=(
            "The partition is on b2 and moves to b1. Before b1 has caught up the operator asks for both, and is told "
            "of success: nobody is to go, so Kafka leaves who goes as it was, and writes nothing. When b1 is in the "
            "ISR, b2 is taken away, although the last request named it: two replicas were asked for, and there is one. "
            "Kafka's own classes of 3.9 to 4.4 have shown it, step by step; no report is known, and no running Kafka "
            "has shown it yet."
        ),
        lesson=(
            "An empty answer is an answer. Where the new request takes nobody away, what the old one took away must be "
            "cleared, or success is told of something else."
        ),
    ),
)
