"""What each leader's log was, and who held how much of it: the history and the lemmas for leader completeness.

The argument is Raft's, told of every epoch at once. A record may be committed in an epoch if each voter of a majority
held it in that epoch, or has not gone on to a later one. Once that is false, it stays false: so a later leader need not
ask what was committed. It has the votes of a majority. If the record may be committed, one of these voters held it
before it voted, and it voted for a log not behind its own.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from ..language import Capacity, Ghost, Identifier, Log, Map, Set, action, lemma, shown, view
from .election_history import ElectionHistory
from .quorum import Quorum
from .state import B, Epoch, Offset, Record, Role, Voter


class LogHistory(ElectionHistory, Quorum):
    """For every epoch the log of its leader, and how much of it each voter is known to have held in that epoch.

    `decided` is the leader's log as it was when it wrote last; `held` of another voter is where it fetched. Of each
    committed record there is the first epoch whose leader committed it, and how much that leader committed with it.
    """

    decided: Ghost[Map[Epoch, Annotated[Log[Record], Capacity(B.log_size)]]]
    held: Ghost[Map[Epoch, Map[Voter, Offset]]]
    committed_in: Ghost[Map[Offset, Epoch]]
    committed_with: Ghost[Map[Offset, Offset]]

    def become_leader(self, v: Identifier) -> None:
        """As in the protocol; the log with which it leads is remembered for ever."""
        super().become_leader(v)
        self.remember_log(v)

    @action(by="leader", says="{leader} appends a record")
    def append(self, leader: Voter) -> None:
        """KIP-595: the leader, which is the active controller, appends a metadata record."""
        super().append(leader)
        self.remember_log(leader)

    def acknowledge(self, follower: Identifier, leader: Identifier) -> None:
        """As in the protocol; how much the follower held is remembered for ever."""
        super().acknowledge(follower, leader)
        self.held[self.voters[leader].epoch][follower] = self.end(follower)

    def commit(self, leader: Identifier, offset: int) -> None:
        """As in the protocol; of each record is remembered which epoch's leader committed it first, and with how many.

        A leader that others have left may commit after a later one what it had spread before.
        """
        known, before = len(self.committed), self.voters[leader].hw
        super().commit(leader, offset)
        if self.voters[leader].hw > before:
            for o in range(offset):
                if o >= known or self.committed_in[o] > self.voters[leader].epoch:
                    self.committed_in[o] = self.voters[leader].epoch
                    self.committed_with[o] = offset

    def remember_log(self, leader: Identifier) -> None:
        """What the leader of this epoch has written and found. It holds all of it."""
        self.decided[self.voters[leader].epoch] = self.voters[leader].log
        self.held[self.voters[leader].epoch][leader] = self.end(leader)

    @view(of="decided")
    def decided_in_words(self) -> str:
        """The log of each epoch's leader, as it was when that leader wrote last, and who held how much of it."""
        said = []
        for epoch in self.decided:
            log = " ".join(map(shown, self.decided[epoch]))
            held = ", ".join(f"{v} {self.held[epoch][v]}" for v in self.voters if self.held[epoch][v] > 0)
            if log or held:
                said.append(f"in e{epoch} {log or 'nothing'}{f' (held: {held})' if held else ''}")
        return "; ".join(said)

    @view(of="commits")
    def commits_in_words(self) -> str:
        """Of each committed record the first epoch whose leader committed it, and how much with it."""
        said = [f"{o} in e{self.committed_in[o]} of {self.committed_with[o]}" for o in range(len(self.committed))]
        return ", ".join(said)

    # -- words ----------------------------------------------------------------------------------------------------

    def written_in(self, epoch: int, length: int) -> bool:
        """Whether an epoch's leader wrote the last of so many records in that epoch, so that it may commit them."""
        return 0 < length <= len(self.decided[epoch]) and self.decided[epoch][length - 1].epoch == epoch

    def may_be_committed(self, epoch: int, length: int) -> bool:
        """Whether the leader of an epoch may find so many records on a majority, or has: some voters held them in time.

        Who has gone on to a later epoch acknowledges nothing more in this one.
        """
        return self.written_in(epoch, length) and self.is_majority(
            Set(v for v in self.voters if self.voters[v].epoch <= epoch or self.held[epoch][v] >= length)
        )

    # -- elections ------------------------------------------------------------------------------------------------

    @lemma
    def candidates_have_reached_the_epoch(self) -> bool:
        """Nobody has a vote in an epoch before it stands for election in it."""
        return all(
            self.voters[c].epoch >= e
            for e in self.cast
            for v in self.voters
            for c in self.voters
            if self.cast[e][v] == c
        )

    @lemma
    def who_was_not_elected_cannot_win(self) -> bool:
        """Where somebody was elected, the votes for anybody else, with those not yet cast, are no majority."""
        return all(
            not self.is_majority(Set(v for v in self.voters if self.cast[e][v] is None or self.cast[e][v] == c))
            for e in self.elected
            if self.elected[e] is not None
            for c in self.voters
            if self.elected[e] != c
        )

    # -- logs -----------------------------------------------------------------------------------------------------

    @lemma
    def elected_leads_its_epoch(self) -> bool:
        """Whoever was elected in an epoch has reached it, and knows itself as leader as long as it is there."""
        return all(
            self.voters[v].epoch >= e and (self.voters[v].epoch != e or self.voters[v].leader == v)
            for e in self.elected
            for v in self.voters
            if self.elected[e] == v
        )

    @lemma
    def decided_by_who_was_elected(self) -> bool:
        """The log of an epoch's leader ends with a record of that epoch; without a leader nobody holds any of it."""
        return all(
            len(self.decided[e]) > 0 and self.decided[e].last.epoch == e
            if self.elected[e] is not None
            else len(self.decided[e]) == 0 and all(self.held[e][v] == 0 for v in self.voters)
            for e in self.decided
        )

    @lemma
    def leaders_log_is_decided(self) -> bool:
        """As long as a voter leads, its log is what is remembered of it, and held by itself."""
        return all(
            self.end(v) == len(self.decided[self.voters[v].epoch]) == self.held[self.voters[v].epoch][v]
            and self.begins_with(self.voters[v].log, self.decided[self.voters[v].epoch], self.end(v))
            for v in self.voters
            if self.voters[v].role == Role.LEADER
        )

    @lemma
    def epochs_rise_in_decided(self) -> bool:
        """In the log of an epoch's leader epochs do not fall, and none is later than the leader's."""
        return all(
            self.decided[e][o].epoch <= self.decided[e][p].epoch <= e
            for e in self.decided
            for p in range(len(self.decided[e]))
            for o in range(p + 1)
        )

    @lemma
    def epochs_rise_in_logs(self) -> bool:
        """In each voter's log epochs do not fall, and none is later than the voter's."""
        return all(
            self.voters[v].log[o].epoch <= self.voters[v].log[p].epoch <= self.voters[v].epoch
            for v in self.voters
            for p in range(self.end(v))
            for o in range(p + 1)
        )

    @lemma
    def who_stands_has_no_record_of_the_epoch(self) -> bool:
        """Whoever votes for itself has no record of the epoch, as long as nobody leads it: candidates are answered."""
        return all(self.last_epoch(v) < self.voters[v].epoch for v in self.voters if self.voters[v].voted_for == v)

    @lemma
    def decided_is_of_the_decided(self) -> bool:
        """In the log of an epoch's leader, up to a record of an earlier epoch is what that epoch's leader had."""
        return all(
            self.elected[f] == self.decided[e][o].leader and self.begins_with(self.decided[e], self.decided[f], o + 1)
            for e in self.decided
            for o in range(len(self.decided[e]))
            for f in self.decided
            if self.decided[e][o].epoch == f
        )

    @lemma
    def logs_are_of_the_decided(self) -> bool:
        """Up to a record, a voter's log is what the leader of the record's epoch had. Log matching follows."""
        return all(
            self.elected[e] == self.voters[v].log[o].leader
            and self.begins_with(self.voters[v].log, self.decided[e], o + 1)
            for v in self.voters
            for o in range(self.end(v))
            for e in self.decided
            if self.voters[v].log[o].epoch == e
        )

    @lemma
    def who_does_not_diverge_ends_within_an_epoch(self) -> bool:
        """Where another voter finds no difference, its log has the epoch of the last record, to the end or further."""
        return all(
            self.end(v) <= self.end_of_epoch(leader, self.last_epoch(v))
            and self.voters[leader].log[self.end_of_epoch(leader, self.last_epoch(v)) - 1].epoch == self.last_epoch(v)
            for v in self.voters
            if self.end(v) > 0
            for leader in self.voters
            if not self.diverges(v, leader)
        )

    @lemma
    def who_does_not_diverge_holds_a_prefix(self) -> bool:
        """A voter that another one finds no difference with holds a prefix of the other's log."""
        return all(
            self.begins_with(self.voters[v].log, self.voters[leader].log, self.end(v))
            for v in self.voters
            for leader in self.voters
            if not self.diverges(v, leader)
        )

    @lemma
    def truncation_spares_what_is_common(self) -> bool:
        """A voter that truncates keeps all that it has in common with the beginning of its leader's log."""
        return all(
            self.truncation_offset(v, leader) >= length
            for v in self.voters
            for leader in self.voters
            if self.end(v) > 0
            for length in range(min(self.end(v), self.end(leader)) + 1)
            if self.begins_with(self.voters[v].log, self.voters[leader].log, length)
        )

    @lemma
    def held_is_held(self) -> bool:
        """Who held some of a leader's log has reached that epoch, and holds it still as long as it is there."""
        return all(
            self.held[e][v] <= len(self.decided[e])
            and (self.held[e][v] == 0 or self.voters[v].epoch >= e)
            and (self.voters[v].epoch != e or self.begins_with(self.voters[v].log, self.decided[e], self.held[e][v]))
            for e in self.held
            for v in self.voters
        )

    @lemma
    def held_is_in_the_log(self) -> bool:
        """As long as a voter is in an epoch, its log is no shorter than what it held in it."""
        return all(self.held[e][v] <= self.end(v) for e in self.held for v in self.voters if self.voters[v].epoch == e)

    @lemma
    def acknowledged_is_held(self) -> bool:
        """What a leader knows to be acknowledged is held."""
        return all(
            self.voters[leader].acknowledged[v] <= self.held[e][v]
            for leader in self.voters
            if self.voters[leader].role == Role.LEADER
            for e in self.held
            if self.voters[leader].epoch == e
            for v in self.voters
        )

    @lemma
    def truncation_spares_what_is_held(self) -> bool:
        """A voter that truncates keeps what it held in the epoch that it is in."""
        return all(
            self.truncation_offset(v, leader) >= self.held[e][v]
            for v in self.voters
            for leader in self.voters
            if self.follows(v, leader) and self.end(v) > 0
            for e in self.held
            if self.voters[v].epoch == e
        )

    # -- what may be committed ------------------------------------------------------------------------------------

    @lemma
    def who_held_it_holds_it(self) -> bool:
        """What may be committed in an epoch is held for ever by each voter that held it in that epoch."""
        return all(
            self.begins_with(self.voters[v].log, self.decided[e], length)
            for e in self.decided
            for v in self.voters
            for length in range(1, self.held[e][v] + 1)
            if self.may_be_committed(e, length)
        )

    @lemma
    def who_is_not_behind_holds_it(self) -> bool:
        """What may be committed in an epoch, and a voter held, is held by whoever is not behind that voter."""
        return all(
            self.begins_with(self.voters[c].log, self.decided[e], length)
            for v in self.voters
            for c in self.voters
            if self.is_not_behind(c, v)
            for e in self.decided
            for length in range(1, self.held[e][v] + 1)
            if self.may_be_committed(e, length)
        )

    @lemma
    def whom_it_votes_for_holds_it(self) -> bool:
        """What may be committed in an epoch, and a voter held, is held by each candidate that it votes for later."""
        return all(
            self.begins_with(self.voters[c].log, self.decided[e], length)
            for c in self.voters
            if self.voters[c].voted_for == c
            for e in self.decided
            if e < self.voters[c].epoch
            for v in self.voters
            if self.cast[self.voters[c].epoch][v] == c
            for length in range(1, self.held[e][v] + 1)
            if self.may_be_committed(e, length)
        )

    @lemma
    def later_leaders_hold_it(self) -> bool:
        """What may be committed in an epoch is in the log of every leader of a later epoch."""
        return all(
            self.begins_with(self.decided[f], self.decided[e], length)
            for e in self.decided
            for f in self.decided
            if e < f and self.elected[f] is not None
            for length in range(1, len(self.decided[e]) + 1)
            if self.may_be_committed(e, length)
        )

    @lemma
    def who_leads_holds_it(self) -> bool:
        """What may be committed in an epoch is in the log of whoever leads in that epoch, or in a later one."""
        return all(
            self.begins_with(self.voters[leader].log, self.decided[e], length)
            for leader in self.voters
            if self.voters[leader].role == Role.LEADER
            for e in self.decided
            if e <= self.voters[leader].epoch
            for length in range(1, len(self.decided[e]) + 1)
            if self.may_be_committed(e, length)
        )

    @lemma
    def truncation_spares_what_may_be_committed(self) -> bool:
        """A voter that truncates keeps what it held in any epoch, and may be committed in that epoch."""
        return all(
            self.truncation_offset(v, leader) >= length
            for v in self.voters
            for leader in self.voters
            if self.follows(v, leader) and self.end(v) > 0
            for e in self.decided
            for length in range(1, self.held[e][v] + 1)
            if self.may_be_committed(e, length)
        )

    # -- what is committed ----------------------------------------------------------------------------------------

    @lemma
    def committed_is_held_by_a_majority(self) -> bool:
        """What is committed was written by the leader of the epoch of the last commit, and held by a majority in it."""
        return len(self.committed) == 0 or (
            self.written_in(self.commit_epoch, len(self.committed))
            and self.begins_with(self.decided[self.commit_epoch], self.committed, len(self.committed))
            and self.is_majority(Set(v for v in self.voters if self.held[self.commit_epoch][v] >= len(self.committed)))
        )

    @lemma
    def what_is_committed_may_be_committed(self) -> bool:
        """What is committed is something that the leader of the epoch of the last commit may commit."""
        return len(self.committed) == 0 or self.may_be_committed(self.commit_epoch, len(self.committed))

    @lemma
    def later_logs_hold_what_is_committed(self) -> bool:
        """What is committed is in the log of the leader of the epoch of the last commit, and of each later epoch."""
        return all(
            self.begins_with(self.decided[e], self.committed, len(self.committed))
            for e in self.decided
            if e >= self.commit_epoch and self.elected[e] is not None
        )

    @lemma
    def what_earlier_leaders_may_commit_is_committed(self) -> bool:
        """A leader of an epoch before the last commit finds nothing on a majority that is not committed."""
        return all(
            self.begins_with(self.committed, self.decided[e], length)
            for e in self.decided
            if e < self.commit_epoch and len(self.committed) > 0
            for length in range(1, len(self.decided[e]) + 1)
            if self.may_be_committed(e, length)
        )

    @lemma
    def each_commit_is_of_a_leaders_log(self) -> bool:
        """A record was committed with others of a leader's log, and that log had before it what is committed."""
        return all(
            o < self.committed_with[o] <= len(self.decided[self.committed_in[o]])
            and self.begins_with(self.decided[self.committed_in[o]], self.committed, o + 1)
            for o in range(len(self.committed))
        )

    @lemma
    def each_commit_is_held_by_a_majority(self) -> bool:
        """With what a record was committed its leader wrote, and a majority held it in that epoch."""
        return all(
            self.written_in(e, length) and self.is_majority(Set(v for v in self.voters if self.held[e][v] >= length))
            for o in range(len(self.committed))
            for e in self.decided
            if self.committed_in[o] == e
            for length in range(1, len(self.decided[e]) + 1)
            if self.committed_with[o] == length
        )

    @lemma
    def each_commit_may_be_committed(self) -> bool:
        """So its leader may commit it."""
        return all(
            self.may_be_committed(e, length)
            for o in range(len(self.committed))
            for e in self.decided
            if self.committed_in[o] == e
            for length in range(1, len(self.decided[e]) + 1)
            if self.committed_with[o] == length
        )

    @lemma
    def leaders_since_a_commit_hold_it(self) -> bool:
        """A committed record, and all before it, are in the log of each leader of its epoch or a later one."""
        return all(
            self.begins_with(self.decided[e], self.committed, o + 1)
            for o in range(len(self.committed))
            for e in self.decided
            if self.committed_in[o] <= e and self.elected[e] is not None
        )

    @lemma
    def hw_is_of_the_past(self) -> bool:
        """What a voter knows to be committed was committed in its epoch or an earlier one."""
        return all(self.committed_in[o] <= self.voters[v].epoch for v in self.voters for o in range(self.voters[v].hw))

    @lemma
    def what_is_below_hw_is_committed(self) -> bool:
        """Below its high watermark every voter holds what is committed."""
        return all(self.begins_with(self.voters[v].log, self.committed, self.voters[v].hw) for v in self.voters)

    @lemma
    def what_is_applied_is_committed(self) -> bool:
        """What a broker has applied is the beginning of what is committed."""
        return all(self.begins_with(self.committed, self.applied[b], len(self.applied[b])) for b in self.applied)


class QuorumCommitProof(LogHistory):
    """The quorum with its history, and lemmas: an epoch has one leader, and later leaders hold what is committed.

    The steps are those of `quorum`. `epochal prove` shows that each preserves the lemmas.
    """

    name: ClassVar[str] = "quorum-commit-proof"
