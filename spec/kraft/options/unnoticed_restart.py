"""KAFKA-18106: before Kafka 4.0 a leader could start again, and lead on in the epoch in which it had led before."""

from __future__ import annotations

from dataclasses import replace

from ...language import Bookkeeping, Ghost, Identifier, Map
from ..rules import KraftBug, governed_by, since
from ..settings import BEFORE_ELR, Acks
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


BUGS = (
    KraftBug(
        id="S18",
        title="A broker that lost its log registers before it was fenced, and goes on leading",
        tickets=("KAFKA-18106",),
        versions="2.8 to 3.9",
        faulty=replace(BEFORE_ELR, registration_fences_the_old_incarnation=False),
        sound=BEFORE_ELR,
        properties=("leader_completeness",),
        bounds={"lossy_crashes": 1},
        story=(
            "b1 crashes and loses its log while its session still runs. It registers again before the controller has "
            "fenced it: it gets a new broker epoch and is marked fenced, but the partition does not change, so that "
            "b1 finds itself the leader of the same epoch with an empty log. No election has happened. There the run "
            "ends; what follows is worse: with its next fetch b2, an honest member of the ISR with acks=all and "
            "min.insync.replicas=2, is told that epoch 0 ends at offset 0, and truncates the only copy of r0. Since "
            "Kafka 4.0 a new incarnation first takes the old one out of leadership and ISR."
        ),
        lesson=(
            "A new incarnation must first take the old one out of leadership and ISR. A leader may lose its log "
            "without any election."
        ),
    ),
)
