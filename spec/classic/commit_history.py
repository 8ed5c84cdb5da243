"""What was committed, when, and why no later leader can lack it: history for proofs, and the lemmas about it.

A variant of the family gains the history by putting `CommitHistory` before itself among the base classes. Nothing of
the protocol reads it.
"""

from __future__ import annotations

from typing import Annotated

from ..language import Ghost, Identifier, Integers, Map, Set, lemma, shown, view
from .leader import UnfencedLeader
from .state import B, Epoch, Record, Replica

LogOffset = Annotated[int, Integers(0, B.log_size - 1)]


class CommitHistory(UnfencedLeader):
    """For every offset the record that was first committed there and the epoch of the leader that did it, and lemmas.

    Each lemma is true in every reachable state of KIP-320, and all together are preserved by each of its steps. They
    are told from the requests, over the logs, to what is committed; each may lean on all others.
    """

    commit_epoch: Ghost[Map[LogOffset, Epoch | None]]
    committed: Ghost[Map[LogOffset, Record | None]]

    def advance_high_watermark(self, leader: Replica) -> None:
        """As the variant says. A record that no leader had committed before is remembered, with the leader's epoch."""
        hw = self.replicas[leader].hw
        super().advance_high_watermark(leader)
        if self.commit_epoch[hw] is None:
            self.commit_epoch[hw] = self.replicas[leader].epoch
            self.committed[hw] = self.replicas[leader].log[hw]

    # -- words ----------------------------------------------------------------------------------------------------

    @view(of="committed")
    def committed_in_words(self) -> str:
        """What was committed at each offset, and in which leader's epoch."""
        at = {offset: epoch for offset in self.commit_epoch if (epoch := self.commit_epoch[offset]) is not None}
        return ", ".join(f"{shown(self.committed[offset])} at {offset} in e{epoch}" for offset, epoch in at.items())

    def is_committed_in(self, offset: int, epoch: int) -> bool:
        """Whether the record at this offset was first committed by the leader of this epoch."""
        return self.commit_epoch[offset] == epoch

    def holds_committed(self, r: Identifier, offset: int) -> bool:
        """Whether r's log holds the record that was committed at this offset."""
        return self.has_entry(r, offset) and self.replicas[r].log[offset] == self.committed[offset]

    def keeps_committed(self, r: Identifier, offset: int, epoch: int) -> bool:
        """Whether r has reached this epoch with the record that was committed at this offset."""
        return self.replicas[r].epoch >= epoch and self.holds_committed(r, offset)

    def is_superseded(self, isr: Set[Identifier], epoch: int) -> bool:
        """Whether a member of this ISR has left the epoch, so that no leader of it can commit with this ISR again."""
        return any(self.replicas[r].epoch > epoch for r in isr)

    def covers_future(self, isr: Set[Identifier], epoch: int) -> bool:
        """Whether every replica that may lead after this epoch is in this ISR."""
        return self.quorum.isr <= isr and all(
            self.requests[later].isr <= isr for later in range(len(self.requests)) if later > epoch
        )

    # -- who leads ------------------------------------------------------------------------------------------------

    @lemma
    def quorum_is_the_latest_request(self) -> bool:
        """The quorum has the leader of the latest request; before the first request, none and the full ISR."""
        if len(self.requests) == 0:
            return self.quorum.leader is None and self.quorum.isr == Set(self.replicas)
        return self.quorum.leader == self.requests.last.leader

    @lemma
    def local_state_is_from_a_request(self) -> bool:
        """A replica's leader is the one that the request of its epoch names; without an epoch it has none."""
        return all(
            self.replicas[r].leader is None
            if self.replicas[r].epoch == -1
            else self.replicas[r].epoch < len(self.requests)
            and self.replicas[r].leader is not None
            and self.replicas[r].leader == self.requests[self.replicas[r].epoch].leader
            for r in self.replicas
        )

    @lemma
    def leader_is_in_its_isr(self) -> bool:
        """The leader that the quorum or a request names is a member of the ISR beside it."""
        return (self.quorum.leader is None or self.quorum.leader in self.quorum.isr) and all(
            request.leader is None or request.leader in request.isr for request in self.requests
        )

    @lemma
    def epoch_is_entered_by_its_leader_first(self) -> bool:
        """The leader that a replica follows is in the replica's epoch, or beyond it."""
        return all(
            self.replicas[leader].epoch >= self.replicas[r].epoch
            for r in self.replicas
            for leader in self.replicas
            if self.follows(r, leader)
        )

    @lemma
    def local_isr_contains_the_leader(self) -> bool:
        """The ISR that a replica knows contains the leader that it follows."""
        return all(
            leader in self.replicas[r].isr for r in self.replicas for leader in self.replicas if self.follows(r, leader)
        )

    # -- the logs -------------------------------------------------------------------------------------------------

    @lemma
    def record_epochs(self) -> bool:
        """Along a log epochs never decrease nor exceed the replica's own, and every record was produced."""
        return all(
            self.replicas[r].log[o].epoch <= self.replicas[r].epoch
            and self.replicas[r].log[o].id < self.next_record
            and all(self.replicas[r].log[p].epoch <= self.replicas[r].log[o].epoch for p in range(o))
            for r in self.replicas
            for o in range(self.end(r))
        )

    @lemma
    def log_matching(self) -> bool:
        """Two logs that hold the same record at an offset hold the same records at all offsets before."""
        return all(
            self.same_record(a, b, o)
            for a in self.replicas
            for b in self.replicas
            for p in range(self.bounds.log_size)
            if self.same_record(a, b, p)
            for o in range(p)
        )

    @lemma
    def follower_holds_a_prefix(self) -> bool:
        """A follower in its leader's epoch holds the beginning of the leader's log, and nothing else."""
        return all(
            self.end(f) <= self.end(leader) and all(self.same_record(f, leader, o) for o in range(self.end(f)))
            for f in self.replicas
            for leader in self.replicas
            if self.follows(f, leader) and self.replicas[f].epoch == self.replicas[leader].epoch
        )

    @lemma
    def hw_is_in_the_log(self) -> bool:
        """No replica's high watermark lies beyond the end of its log."""
        return all(self.replicas[r].hw <= self.end(r) for r in self.replicas)

    # -- whose ISR counts -----------------------------------------------------------------------------------------

    @lemma
    def quorum_isr_has_one_writer(self) -> bool:
        """The quorum's ISR is the true leader's, or until the leader takes office that of the latest request."""
        if any(self.is_true_leader(r) for r in self.replicas):
            return all(self.quorum.isr == self.replicas[r].isr for r in self.replicas if self.is_true_leader(r))
        return len(self.requests) == 0 or self.quorum.isr == self.requests.last.isr

    @lemma
    def isr_is_superseded_or_covers_the_future(self) -> bool:
        """A leader that can still commit has in its ISR everybody who may lead after it.

        Whoever presumes leadership, or will when it reads its request: either a member of its ISR has left its epoch,
        so that it can no longer commit, or the ISR contains the quorum's and those of all later requests.
        """
        return all(
            self.is_superseded(self.replicas[r].isr, self.replicas[r].epoch)
            or self.covers_future(self.replicas[r].isr, self.replicas[r].epoch)
            for r in self.replicas
            if self.presumes_leadership(r)
        ) and all(
            self.is_superseded(self.requests[e].isr, e) or self.covers_future(self.requests[e].isr, e)
            for e in range(len(self.requests))
            for r in self.replicas
            if self.requests[e].leader == r and self.replicas[r].epoch < e
        )

    # -- what is committed ----------------------------------------------------------------------------------------

    @lemma
    def commit_has_an_epoch(self) -> bool:
        """What is committed was committed by the leader of an epoch, whose high watermark is above it ever since."""
        return all(
            (self.commit_epoch[o] is None) == (self.committed[o] is None)
            and all(
                e < len(self.requests)
                and any(
                    self.requests[e].leader == r
                    and (self.replicas[r].epoch > e or (self.replicas[r].epoch == e and self.replicas[r].hw > o))
                    for r in self.replicas
                )
                for e in self.each(Epoch)
                if self.is_committed_in(o, e)
            )
            for o in self.commit_epoch
        )

    @lemma
    def committed_record_is_of_its_epoch_or_older(self) -> bool:
        """The committed record's own epoch is at most the epoch of the leader that committed it."""
        return all(
            self.committed[o].epoch <= e  # type: ignore[union-attr]  # not none, see below
            for o in self.commit_epoch
            for e in self.each(Epoch)
            if self.is_committed_in(o, e) and self.committed[o] is not None
        )

    @lemma
    def quorum_isr_holds_what_is_committed(self) -> bool:
        """Every replica that the controller may elect has reached the commit epoch and holds the committed record."""
        return all(
            self.keeps_committed(r, o, e)
            for o in self.commit_epoch
            for e in self.each(Epoch)
            if self.is_committed_in(o, e)
            for r in self.quorum.isr
        )

    @lemma
    def later_isrs_hold_what_is_committed(self) -> bool:
        """So does every member of the ISR of every request that is later than the commit epoch."""
        return all(
            self.keeps_committed(r, o, e)
            for o in self.commit_epoch
            for e in self.each(Epoch)
            if self.is_committed_in(o, e)
            for later in range(len(self.requests))
            if later > e
            for r in self.requests[later].isr
        )

    @lemma
    def leader_completeness(self) -> bool:
        """Whoever presumes leadership in the commit epoch or a later one holds the committed record.

        It follows from the others; it stands here because people look for it.
        """
        return all(
            self.holds_committed(r, o)
            for o in self.commit_epoch
            for e in self.each(Epoch)
            if self.is_committed_in(o, e)
            for r in self.replicas
            if self.presumes_leadership(r) and self.replicas[r].epoch >= e
        )

    @lemma
    def below_hw_is_committed(self) -> bool:
        """Below a replica's high watermark everything is committed, and the replica holds it."""
        return all(
            self.commit_epoch[o] is not None and self.holds_committed(r, o)
            for r in self.replicas
            for o in range(self.replicas[r].hw)
        )

    @lemma
    def hw_learns_nothing_of_later_epochs(self) -> bool:
        """Below a replica's high watermark nothing was first committed in a later epoch than the replica's own."""
        return all(
            e <= self.replicas[r].epoch
            for r in self.replicas
            for o in range(self.replicas[r].hw)
            for e in self.each(Epoch)
            if self.is_committed_in(o, e)
        )

    @lemma
    def own_isr_holds_what_is_committed(self) -> bool:
        """Every member of a presumed leader's own ISR keeps what was committed up to the leader's epoch.

        With the lemma before it Weak ISR follows.
        """
        return all(
            self.keeps_committed(r, o, e)
            for o in self.commit_epoch
            for e in self.each(Epoch)
            if self.is_committed_in(o, e)
            for leader in self.replicas
            if self.presumes_leadership(leader) and self.replicas[leader].epoch >= e
            for r in self.replicas[leader].isr
        )
