"""KAFKA-18106: before Kafka 4.0 a leader could start again, and lead on in the epoch in which it had led before."""

from __future__ import annotations

from ...language import Bookkeeping, Ghost, Identifier, Map
from ..rules import governed_by, since
from ..settings import Acks
from ..state import Offset, Replica
from .fenced_in_isr import FencedLeader


@governed_by(registration_fences_the_old_incarnation=since("4.0"))
class UnnoticedRestart(FencedLeader):
    """What it appends belongs to the same epoch as what its process before had appended, and was never answered for.

    `answers_from` is the log end offset at which a process began to lead: requests for earlier records are gone.
    """

    answers_from: Ghost[Bookkeeping[Map[Replica, Offset]]]

    def remember_office(self, leader: Identifier) -> None:
        """A process begins to lead. What its log has already was appended by others, or by the process before."""
        if self.settings.acks == Acks.ALL:
            self.answers_from[leader] = self.end(leader)

    def forget_leadership(self, r: Identifier) -> None:
        """As always; the requests that it had not answered are gone, too."""
        super().forget_leadership(r)
        self.answers_from[r] = 0

    def appended_in_office(self, leader: Identifier, offset: int) -> bool:
        """Whether the process has appended the record itself since it leads."""
        return offset >= self.answers_from[leader]
