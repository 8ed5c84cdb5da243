"""Kafka's memory of the voters: read from the log once, and not read again where the log was cut back.

KRaftControlRecordStateMachine goes through the log and keeps each VotersRecord that it finds; `nextOffset` is up to
where it has come. When the log is truncated, `truncateNewEntries` forgets the voters of what was cut, but `nextOffset`
stays where it was. The records that a new leader has in their place are not read until the process starts anew: a
VotersRecord among them is in the log and not in memory, and elections and majorities are counted by memory
(KafkaRaftClient, `partitionState.lastVoterSet`). So in 3.9 to 4.4; derived from the sources, and no report is known.
"""

from __future__ import annotations

from typing import ClassVar

from ..language import Identifier, Map, Set, action, require, view
from .reconfiguration import QuorumReconfiguration, Reconfiguration, Replica
from .reconfiguration_snapshots import QuorumReconfigurationSnapshots
from .state import Offset, Voter
from .views import Views


class VotersInMemory(Reconfiguration, Views):
    """A quorum whose voters count the voters that they have read of, which are not those of their log always."""

    def has_read(self, v: Identifier, offset: int) -> bool:
        """Whether v has read the record at this offset of its log."""
        return True

    def voters_of(self, v: Identifier) -> Set[Identifier]:
        """The voters of the last VotersRecord that v has read; if there is none, those of the start."""
        log = self.voters[v].log
        last = max((o for o in range(len(log)) if self.has_read(v, o) and self.is_change(v, o)), default=-1)
        return log[last].voters if last >= 0 else Set(other for other in self.voters)

    def voters_to_change(self, leader: Identifier) -> Set[Identifier]:
        """AddVoterHandler and RemoveVoterHandler begin with the voters in memory."""
        return self.voters_of(leader)

    def change_voters(self, leader: Identifier, voters: Set[Identifier]) -> None:
        """As with the rule; a VotersRecord with the voters of the one before it could not be told from none here."""
        require(voters != self.last_voters(leader))
        super().change_voters(leader, voters)

    @view(of="voter")
    def voter_in_words(self, voter: Voter) -> str:
        """As in the quorum, with the voters that it takes for the present ones, if its log says otherwise."""
        known = self.voters_of(voter)
        wrong = f", believes the voters are {known}" if known != self.last_voters(voter) else ""
        return f"{super().voter_in_words(voter)}{wrong}"


class ForgetfulReplica(Replica):
    """A replica, and the offsets that it takes for read although other records stand there now, or will."""

    unread: Set[Offset]


class QuorumVotersNotReadAgain(VotersInMemory, QuorumReconfiguration):
    """Kafka 3.9 to 4.4: who has truncated its log does not read the voters that are written in place of what it cut."""

    name: ClassVar[str] = "quorum-voters-not-read-again"

    voters: Map[Voter, ForgetfulReplica]  # type: ignore[assignment]  # voters with more to them

    def has_read(self, v: Identifier, offset: int) -> bool:
        """Not where it had read another record, which it has truncated since."""
        return offset not in self.voters[v].unread

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        receives="Fetch response",
        says="{follower} fetches from {leader}, and truncates where their logs diverge",
        fair="strong",
    )
    def truncate(self, follower: Voter, leader: Voter) -> None:
        """As with the rule; what is appended where the log has been read already is not read (`nextOffset`)."""
        read = max(self.end(follower), max(self.voters[follower].unread, default=-1) + 1)
        super().truncate(follower, leader)
        self.voters[follower].unread |= Set(o for o in range(read) if o >= self.end(follower))

    @action(by="voter", says="{voter} restarts")
    def restart(self, voter: Voter) -> None:
        """As with the rule; a new process reads all of the log."""
        self.voters[voter].unread = Set()
        super().restart(voter)


class QuorumSnapshotWithoutVoters(VotersInMemory, QuorumReconfigurationSnapshots):
    """The quorum with snapshots that do not name the voters: a VotersRecord below one is forgotten (KAFKA-16207)."""

    name: ClassVar[str] = "quorum-snapshot-without-voters"

    voters_in_a_snapshot_only = None  # type: ignore[assignment]  # taken away

    def has_read(self, v: Identifier, offset: int) -> bool:
        """Only what the log still has."""
        return offset >= self.voters[v].start
