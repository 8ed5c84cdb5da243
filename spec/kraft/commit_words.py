"""The words of the proof that no committed record is lost: who may lead, what a leader would commit, who is gone.

They are for lemmas only (`commit_proof`): no step of the protocol uses them.
"""

from __future__ import annotations

from typing import Annotated

from ..language import Ghost, Identifier, Integers, Map, Set, shown, view
from .controller import Controller
from .state import B, Epoch, Status

LogOffset = Annotated[int, Integers(0, B.records - 1)]


class CommitWords(Controller):
    """For every offset the epoch of the leader that first committed there, and words about what may still happen.

    A broker that runs has yet to replay some change records, and acts on one after the other; so a question about a
    leader is asked at every change record (`age`) at which it may still be leader. Nothing is asked of brokers that are
    down: what they knew is gone, and they begin anew with the newest change record.
    """

    commit_epoch: Ghost[Map[LogOffset, Epoch | None]]

    def remember_commit(self, leader: Identifier, replicas: int, before: int) -> None:
        """As always; the epoch of the leader that commits is remembered besides, where nothing was committed before."""
        for offset in range(len(self.committed), self.brokers[leader].hw):
            self.commit_epoch[offset] = self.epoch_of(leader)
        super().remember_commit(leader, replicas, before)

    @view(of="committed")
    def committed_in_words(self) -> str:
        """What was committed at each offset, and in which leader's epoch first."""
        at = {offset: epoch for offset in self.commit_epoch if (epoch := self.commit_epoch[offset]) is not None}
        said = [
            f"{shown(self.committed[offset])} in {f'e{at[offset]}' if offset in at else 'no epoch'}"
            for offset in range(len(self.committed))
        ]
        return ", ".join([*said, *(f"nothing at {o} in e{at[o]}" for o in at if o >= len(self.committed))])

    # -- epochs ---------------------------------------------------------------------------------------------------

    def epoch_of(self, r: Identifier) -> int:
        """The leader epoch that r knows."""
        return self.view(r).leader_epoch

    def has_reached(self, r: Identifier, epoch: int) -> bool:
        """Whether r is in this epoch or a later one, or will be as soon as it starts."""
        return not self.is_running(r) or self.epoch_of(r) >= epoch

    def has_left(self, r: Identifier, epoch: int) -> bool:
        """Whether r will never again be in this epoch, so that no leader of it hears from r any more."""
        if self.is_running(r):
            return self.epoch_of(r) > epoch
        return epoch != self.metadata[0].leader_epoch

    def is_kept(self, age: int) -> bool:
        """Whether a running broker acts on this change record, or has yet to replay it."""
        return age == 0 or any(self.is_running(r) and self.brokers[r].behind >= age for r in self.brokers)

    def down_after_a_crash(self) -> Set[Identifier]:
        """The brokers that have crashed and not come back."""
        return Set(r for r in self.brokers if self.brokers[r].status == Status.CRASHED)

    # -- who may lead ---------------------------------------------------------------------------------------------

    def can_be_accepted(self) -> bool:
        """Whether an AlterPartition request is on its way that comes from the present leader."""
        return self.request.leader is not None and self.is_from_present_leader()

    def is_asked_for(self, r: Identifier) -> bool:
        """Whether such a request has r in its ISR, and r has not started anew since it was to join."""
        return (
            self.can_be_accepted()
            and r in self.request.isr
            and (self.request.joining != r or self.request.joining_epoch == self.registrations[r].broker_epoch)
        )

    def may_be_elected(self, r: Identifier) -> bool:
        """Whether a clean election may choose r, now or after the request: it is in ISR or ELR, or asked for."""
        return self.is_candidate(r) or self.is_asked_for(r)

    def may_be_elected_intact(self, r: Identifier) -> bool:
        """The same, of a replica that has not lost data. Who has is out of ISR and ELR before it runs again."""
        return r not in self.lost_data and self.may_be_elected(r)

    def will_lead_at(self, r: Identifier, age: int) -> bool:
        """Whether r runs, and has yet to replay a change record that makes it leader."""
        return self.is_running(r) and self.brokers[r].behind > age and self.metadata[age].leader == r

    def leads_after(self, r: Identifier, epoch: int, age: int) -> bool:
        """Whether r leads in a later epoch than this, or will when it replays a change record after this one."""
        return (self.presumes_leadership(r) and self.epoch_of(r) > epoch) or any(
            self.will_lead_at(r, later) for later in range(age)
        )

    def may_commit_at(self, leader: Identifier, age: int) -> bool:
        """Whether a leader acts on this change record, or will in the same epoch, and its ISR is large enough then."""
        return (
            self.presumes_leadership(leader)
            and age <= self.brokers[leader].behind
            and self.metadata[age].leader == leader
            and self.metadata[age].leader_epoch == self.epoch_of(leader)
            and len(self.metadata[age].isr) >= self.leader_min_isr(leader)
        )

    # -- what a leader would commit -------------------------------------------------------------------------------

    def counted_at(self, leader: Identifier, age: int) -> Set[Identifier]:
        """Whom a leader counts when it acts on this change record; it forgets its proposal when it replays another."""
        if age == self.brokers[leader].behind:
            return self.maximal_isr(leader)
        return self.metadata[age].isr

    def would_commit(self, leader: Identifier, age: int) -> int:
        """Up to where a leader would commit at this change record, with what it knows of its followers now."""
        return min(self.known_end(leader, r) for r in self.counted_at(leader, age))

    def is_stuck(self, leader: Identifier, age: int) -> bool:
        """Whether somebody whom the leader counts has left its epoch: it waits for fetches that will never come."""
        return any(self.has_left(r, self.epoch_of(leader)) for r in self.counted_at(leader, age))

    def stuck_at(self, leader: Identifier, age: int) -> int:
        """Beyond which offset it can never commit, because of that; its own end if nobody has left."""
        return min(
            (
                self.known_end(leader, r)
                for r in self.counted_at(leader, age)
                if self.has_left(r, self.epoch_of(leader))
            ),
            default=self.end(leader),
        )
