"""KAFKA-18106: before Kafka 4.0 a leader could start again, and lead on in the epoch in which it had led before."""

from __future__ import annotations

from dataclasses import replace

from ...language import Bookkeeping, Ghost, Identifier, Map, Set, view
from ..rules import KraftBug, governed_by, since
from ..settings import BEFORE_ELR, Acks
from ..state import UNKNOWN, Offset, Replica
from .fenced_in_isr import FencedLeader


@governed_by(registration_fences_the_old_incarnation=since("4.0"))
class UnnoticedRestart(FencedLeader):
    """What it appends belongs to the same epoch as what its process before had appended, and was never answered for.

    `answers_from` is the log end offset at which a process began to lead: requests for earlier records are gone.

    A member of the ISR may start again, too. KIP-903, Kafka 3.5: AlterPartition names its broker epoch, as of the last
    fetch that the leader has of it, and none where it has none; with an old one the answer is INELIGIBLE_REPLICA, until
    the member has fetched again. `restarted` are those who have not yet, by leader; `named` the members whose present
    broker epoch the request on its way names, and `outdated` says that it names an old one.
    """

    answers_from: Ghost[Bookkeeping[Map[Replica, Offset]]]
    restarted: Map[Replica, Set[Replica]]
    named: Set[Replica]
    outdated: bool

    def propose(self, leader: Identifier, isr: Set[Identifier], joining: Identifier | None = None) -> None:
        """As always; the request names what the leader knows of its members. Who is to join has just fetched."""
        super().propose(leader, isr, joining)
        if self.settings.broker_epoch_check and self.request.leader == leader:
            followers = self.brokers[leader].followers
            known = Set(r for r in isr if r != joining and followers[r] != UNKNOWN)
            self.outdated = len(known & self.restarted[leader]) > 0
            self.named = Set() if self.outdated else known

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        """As always; the leader learns the follower's present broker epoch."""
        self.restarted[leader] -= {follower}
        super().accept_fetch(leader, follower)

    def restart(self, broker: Replica, successor: Replica | None) -> None:
        """As always; what leaders know of its broker epoch is that of the incarnation before."""
        super().restart(broker, successor)
        if self.settings.broker_epoch_check and self.settings.bounce_noticed:
            for leader in self.brokers:
                if self.brokers[leader].followers[broker] != UNKNOWN:
                    self.restarted[leader] |= {broker}
            if broker in self.named:
                self.outdated = True
                self.named = Set()

    def is_eligible(self, member: Identifier) -> bool:
        """As always, and no member is named under an old broker epoch: that refuses the whole request."""
        return super().is_eligible(member) and not self.outdated

    def forget_request(self) -> None:
        """As always."""
        super().forget_request()
        self.named = Set()
        self.outdated = False

    def forget_followers(self, leader: Identifier) -> None:
        """As always, broker epochs included (Replica.resetReplicaState)."""
        super().forget_followers(leader)
        self.restarted[leader] = Set()

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

    @view(of="broker")
    def restarted_in_words(self, broker: Replica) -> str:
        """Of whom a leader has the broker epoch of the incarnation before."""
        return f"has an old broker epoch of {self.restarted[broker]}" if self.restarted[broker] else ""

    @view(of="controller")
    def named_in_words(self) -> str:
        """Whose present broker epoch the request on its way names, or that it names an old one."""
        if self.outdated:
            return "AlterPartition names an old broker epoch"
        return f"AlterPartition names the broker epochs of {self.named}" if self.named else ""


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
