"""KAFKA-15221: a leader decides by one fetch that a follower has caught up, and asks after the next one arrived."""

from __future__ import annotations

from ...language import Identifier, Set, Struct, action, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
from ..state import BrokerEpoch, Replica


class Decision(Struct, text="{leader}: {follower} of broker epoch {broker_epoch}"):
    """A follower that a leader has found caught up and not proposed yet, and its broker epoch as the leader has it.

    Without a leader there is none.
    """

    leader: Replica | None
    follower: Replica | None
    broker_epoch: BrokerEpoch


@governed_by(decides_on_one_fetch={"": True, "3.5": False, "3.7": True})
class LateDecision(BrokerLifecycle):
    """Two threads of a leader: one has found a follower caught up, the other handles the follower's next fetch.

    What goes into AlterPartition is the broker epoch of the fetch that was decided on, or before KAFKA-15221 that of
    the latest one.
    """

    decision: Decision

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        """As always. A fetch of a new incarnation may arrive between a decision and the proposal."""
        if (
            not self.settings.decides_on_one_fetch
            and self.decision.leader == leader
            and self.decision.follower == follower
        ):
            self.decision.broker_epoch = self.registrations[follower].broker_epoch
        super().accept_fetch(leader, follower)

    def propose(self, leader: Identifier, isr: Set[Identifier], joining: Identifier | None = None) -> None:
        """As always, but for a follower that is to join: it is only decided on. One decision is enough at a time."""
        if joining is None:
            super().propose(leader, isr)
        elif self.decision.leader is None:
            self.decision.leader = leader
            self.decision.follower = joining
            self.decision.broker_epoch = self.registrations[joining].broker_epoch

    @action(
        by="leader",
        to="controller",
        sends="AlterPartition",
        says="{leader} proposes {follower}, as it has decided before",
        fair="weak",
    )
    def propose_decided(self, leader: Replica, follower: Replica) -> None:
        """Partition.maybeExpandIsr, from the decision on: AlterPartition goes out."""
        require(self.decision.leader == leader and self.decision.follower == follower)
        require(self.may_propose(leader))
        super().propose(leader, self.view(leader).isr | {follower}, joining=follower)
        if self.request.joining is not None:
            self.request.joining_epoch = self.decision.broker_epoch
        self.forget_decision()
        self.advance_high_watermark(leader)

    def advance_high_watermark(self, leader: Identifier) -> None:
        """As always, but not between a decision and the proposal: the partition's lock is held (leaderIsrUpdateLock).

        Fetches are noted in the follower table without it.
        """
        if self.decision.leader != leader:
            super().advance_high_watermark(leader)

    def become_leader(self, leader: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always, and what was decided before the change is gone."""
        if self.decision.leader == leader:
            self.forget_decision()
        super().become_leader(leader, led_before, epoch_before)

    def forget_leadership(self, r: Identifier) -> None:
        """As always, and what was decided is gone."""
        if self.decision.leader == r:
            self.forget_decision()
        super().forget_leadership(r)

    def forget_decision(self) -> None:
        """Nobody is to be proposed any more."""
        self.decision.leader = None
        self.decision.follower = None
        self.decision.broker_epoch = 0

    @view(of="leader")
    def decision_in_words(self, leader: Replica) -> str:
        """Whom a leader has decided to propose."""
        if self.decision.leader != leader:
            return ""
        return f"has decided to propose {self.decision.follower} of broker epoch {self.decision.broker_epoch}"
