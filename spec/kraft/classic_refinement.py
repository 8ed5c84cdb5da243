"""The joint of two families: with everything newer switched off, the modern protocol takes steps of KIP-320 only.

`KraftKip320` is `Kraft` as of Kafka 2.1 to 2.6. It carries a state of `spec/classic` along as history, and with each
of its steps attempts, in that state, the steps of KIP-320 that do the same (a forward simulation, Lynch and Vaandrager
1995). These are the classic family's own rules, called, not written again. `refines_kip_320` says that none of them
was refused, and that the two states agree afterwards.

| in `spec/kraft` | in KIP-320 |
|---|---|
| a follower is fenced or shuts down; a leader is, and nobody succeeds it | `controller_shrinks_isr` |
| a leader is fenced or shuts down, and another succeeds it | `controller_replaces_leader` |
| a leader is elected in place of a live one, or by unfencing | `elect_leader` |
| a broker replays that it leads | `become_leader`, then as below |
| a broker replays that another leads, or none | nothing: that it knows shows with its first fetch |
| the first `fetch` of an epoch, or what it truncates | `become_follower`, then as any other |
| `fetch` | `leader_expands_isr` if the follower is to join, `fetch` if it learns anything |
| `produce`, `propose_shrink` | `leader_write`, `leader_shrinks_isr` for each follower |
| a leader's high watermark rises in any of these | `advance_high_watermark`, once for each offset |
| crash, start, registration, any change of which a broker or the controller takes no notice | nothing |

The states agree on leader, leader epoch and ISR of the partition; on every log and high watermark; and on epoch and ISR
of each broker that leads. A follower that has not fetched in its epoch is, in KIP-320, still in the one before.

*Switched off*: ELR, strict high watermark, `min.insync.replicas`, the checks of KIP-841 and KIP-903, and AlterPartition
itself: the leader writes the ISR in one step, if it knows the partition's last change (`propose`). *Not switched off*:
metadata is replayed late, and several records at a time, which is what a delayed or skipped LeaderAndIsr request is.

*Read as Kafka shipped it*: the community's model of KIP-320 is stricter than the broker in five places. The check is
`Kip320AsShipped`, which is not, and has all properties of the family.

*Outside*: lossy crashes, unclean election, ELR, reassignment and answers to fetches that come late, of which the
classic family knows nothing; acknowledgements of producers; and the opposite direction. KIP-320's controller drops and
elects whom it likes and as often as it likes, here a broker must fail first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from ..classic import state as classic
from ..classic.kip_320_as_shipped import Kip320AsShipped
from ..language import (
    Capacity,
    Ghost,
    Identifier,
    Log,
    Map,
    Set,
    Struct,
    attempt,
    bound,
    invariant,
    seen_as,
    shown,
    view,
)
from ..language.configurable import WithSmallBounds
from .generations import G4
from .kraft import Kraft
from .options.fenced_in_isr import FencedInIsr
from .settings import Acks, Settings
from .state import KraftBounds, Lag, Replica


@dataclass(frozen=True)
class Kip320Bounds(KraftBounds):
    """As always, but nothing is ever lost: in the classic family no log loses its end."""

    records: int = bound(
        1, least=1, most=4, help="the number of records produced", why="each record multiplies the number of states"
    )
    crashes: int = bound(1, least=0, most=3, help="the number of crashes that lose nothing")
    lossy_crashes: int = bound(
        0, least=0, most=0, help="the number of crashes that lose the end of a log", why="KIP-320 knows none"
    )

    @property
    def replicas(self) -> int:
        """The classic family's word for the replication factor."""
        return self.replication_factor

    @property
    def log_size(self) -> int:
        """A log has room for every record that is produced."""
        return self.records

    def classic(self) -> classic.ClassicBounds:
        """The bounds of the classic family that correspond to these."""
        return classic.ClassicBounds(self.replicas, self.log_size, self.records, self.max_epoch)


class ClassicPartition(Struct):
    """A state of the classic family, as history: its variables are the fields."""

    next_record: classic.RecordCount
    replicas: Map[classic.Replica, classic.ReplicaState]
    quorum: classic.Quorum
    requests: Annotated[Log[classic.LeaderAndIsr], Capacity(classic.B.max_epoch + 1)]


class KraftKip320(WithSmallBounds, FencedInIsr, Kraft):
    """Kafka 2.1 to 2.6 in the words of the modern protocol, checked step by step by the classic family's KIP-320.

    `old` is the classic state, and `refused` whether KIP-320 did not allow what was done.
    """

    name: ClassVar[str] = "kraft-kip-320"
    settings: ClassVar[Settings] = replace(
        G4, min_insync_replicas=1, acks=Acks.NONE, shrink_bumps_leader_epoch=True, broker_epoch_check=False
    )
    refined: ClassVar[type[Kip320AsShipped]] = Kip320AsShipped
    bounds: Kip320Bounds

    old: Ghost[ClassicPartition]
    refused: Ghost[bool]

    @classmethod
    def small_bounds(cls) -> Mapping[str, int]:
        """33,696 states, where the defaults have millions. No crash loses data in the classic family."""
        if cls.bounds_type() is not Kip320Bounds:
            return {}
        return {**{name: field.default for name, field in Kip320Bounds.declared().items()}, "replication_factor": 2}

    # -- what is switched off -------------------------------------------------------------------------------------

    # Nobody asks for an ISR, it need not exclude the fenced (KIP-841), and one copy is enough.
    handle_alter_partition = None  # type: ignore[assignment]  # taken away
    proposal_pending = None  # type: ignore[assignment]  # taken away
    proposal_refused = None  # type: ignore[assignment]  # taken away
    proposal_resolved = None  # type: ignore[assignment]  # taken away
    proposal_is_resolved = None  # type: ignore[assignment]  # taken away
    slow_follower_dropped = None  # type: ignore[assignment]  # taken away
    controller_never_expands = None  # type: ignore[assignment]  # taken away
    fenced_not_in_isr = None  # type: ignore[assignment]  # taken away
    enough_copies = None  # type: ignore[assignment]  # taken away

    def propose(self, leader: Identifier, isr: Set[Identifier], joining: Identifier | None = None) -> None:
        """Before KIP-497 the leader writes the ISR to ZooKeeper itself, unless the partition has changed since."""
        if self.brokers[leader].behind == 0:
            self.metadata[0].isr = isr

    # -- the steps of KIP-320 that each step stands for -----------------------------------------------------------

    def kip_320(self) -> Kip320AsShipped:
        """The state of KIP-320 that corresponds to this one."""
        return seen_as(self.refined, self.old, self.bounds.classic())

    def judge(self, allowed: bool) -> None:
        """Remember a step that KIP-320 refuses."""
        if not allowed:
            self.refused = True

    def initial(self, leader: Replica) -> None:
        """In KIP-320, the state after the first election, when every replica has heard of it."""
        super().initial(leader)
        old = self.kip_320()
        self.judge(attempt(old.initial))
        self.judge(attempt(old.elect_leader, leader))
        self.judge(attempt(old.become_leader, leader, 0))
        for r in self.brokers:
            if r != leader:
                self.judge(attempt(old.become_follower, r, leader, 0))

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        """As always. The controller of KIP-320 drops a replica, elects one, or does both."""
        last, members = self.metadata[0].leader, self.metadata[0].isr
        super().append_change(leader, leader_epoch, isr)
        if leader == last:
            for r in self.brokers:
                if r in members and r not in isr:
                    allowed = attempt(self.kip_320().controller_shrinks_isr, r)
                    self.judge(allowed)
        elif leader is None:
            allowed = attempt(self.kip_320().controller_shrinks_isr, last)
            self.judge(allowed)
        elif last is None or isr == members:
            allowed = attempt(self.kip_320().elect_leader, leader)
            self.judge(allowed)
        else:
            allowed = attempt(self.kip_320().controller_replaces_leader, last, leader)
            self.judge(allowed)

    def take_office(self, broker: Identifier) -> None:
        """A broker that has replayed that it leads takes office in KIP-320, and its high watermark follows."""
        if self.view(broker).leader == broker:
            if self.old.replicas[broker].epoch != self.view(broker).leader_epoch:
                allowed = attempt(self.kip_320().become_leader, broker, self.view(broker).leader_epoch)
                self.judge(allowed)
            self.raise_high_watermark(broker)

    def raise_high_watermark(self, leader: Identifier) -> None:
        """The high watermark of KIP-320 advances one offset at a time."""
        for _ in range(self.bounds.records):
            if self.old.replicas[leader].hw < self.brokers[leader].hw:
                allowed = attempt(self.kip_320().advance_high_watermark, leader)
                self.judge(allowed)

    def replay_metadata(self, broker: Replica, records: Lag) -> None:
        """As always. A leader takes office; what a follower has heard shows when it fetches."""
        super().replay_metadata(broker, records)
        self.take_office(broker)

    def restart(self, broker: Replica, successor: Replica | None) -> None:
        """As always. A broker that is back knows the present change."""
        super().restart(broker, successor)
        self.take_office(broker)

    def produce(self, leader: Replica) -> None:
        """As always."""
        super().produce(leader)
        allowed = attempt(self.kip_320().leader_write, leader)
        self.judge(allowed)
        self.raise_high_watermark(leader)

    def propose_shrink(self, leader: Replica, slow: Set[Replica]) -> None:
        """As always, and the high watermark is re-examined at once. KIP-320 drops one follower at a time."""
        super().propose_shrink(leader, slow)
        self.advance_high_watermark(leader)
        for follower in self.brokers:
            if follower in slow and self.brokers[leader].behind == 0:
                allowed = attempt(self.kip_320().leader_shrinks_isr, leader, follower)
                self.judge(allowed)
        self.raise_high_watermark(leader)

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always. In KIP-320 the follower is first reconciled with its leader, once in an epoch.

        While it still diverges from the leader after truncating, it is not.
        """
        member, truncates = follower in self.view(leader).isr, self.diverges(follower, leader)
        end, hw = self.end(follower), self.brokers[follower].hw
        super().fetch(follower, leader)
        if not truncates or not self.diverges(follower, leader):
            if self.old.replicas[follower].epoch != self.view(leader).leader_epoch:
                epoch = self.view(leader).leader_epoch
                allowed = attempt(self.kip_320().become_follower, follower, leader, epoch)
                self.judge(allowed)
            if not truncates:
                if not member and follower in self.view(leader).isr:
                    allowed = attempt(self.kip_320().leader_expands_isr, leader, follower)
                    self.judge(allowed)
                if self.end(follower) > end or self.brokers[follower].hw != hw:
                    allowed = attempt(self.kip_320().fetch, follower, leader)
                    self.judge(allowed)
                self.raise_high_watermark(leader)

    # -- the result --------------------------------------------------------------------------------------------

    def partitions_agree(self) -> bool:
        """Whether both know the same leader, leader epoch, ISR and number of records."""
        now, old = self.metadata[0], self.old
        return (
            old.next_record == self.next_record
            and old.quorum.leader == now.leader
            and old.quorum.isr == now.isr
            and len(old.requests) == now.leader_epoch + 1
        )

    def replicas_agree(self, r: Identifier) -> bool:
        """Whether both have the same replica; here it may be shorter while it truncates in several rounds."""
        here, there = self.brokers[r], self.old.replicas[r]
        if len(here.log) < len(there.log):
            return (
                self.is_running(r)
                and there.epoch < self.view(r).leader_epoch
                and self.logs_agree(r)
                and here.hw <= there.hw
            )
        return len(here.log) == len(there.log) and self.logs_agree(r) and here.hw == there.hw

    def logs_agree(self, r: Identifier) -> bool:
        """Whether the replica's log here is the beginning of the one there."""
        here, there = self.brokers[r].log, self.old.replicas[r].log
        return all(here[o].id == there[o].id and here[o].epoch == there[o].epoch for o in range(len(here)))

    def leaders_agree(self, r: Identifier) -> bool:
        """Whether a broker that presumes leadership does so in both, in the same epoch and with the same ISR."""
        there = self.old.replicas[r]
        return not self.presumes_leadership(r) or (
            there.leader == r and there.epoch == self.view(r).leader_epoch and there.isr == self.view(r).isr
        )

    @invariant
    def refines_kip_320(self) -> bool:
        """Every step does what KIP-320 allows, in a step, in several or in none, and ends in the state that they do."""
        return (
            not self.refused
            and self.partitions_agree()
            and all(self.replicas_agree(r) and self.leaders_agree(r) for r in self.brokers)
        )

    @view(of="KIP-320")
    def old_in_words(self) -> str:
        """The classic state, and whether KIP-320 did not allow what was done."""
        said = [f"leader {shown(self.old.quorum.leader)} e{len(self.old.requests) - 1}, ISR {self.old.quorum.isr}"]
        said += [
            f"{r} {' '.join(map(shown, one.log))}, hw {one.hw}"
            for r in self.old.replicas
            if len((one := self.old.replicas[r]).log) > 0
        ]
        said += ["it does not allow this step"] if self.refused else []
        return "; ".join(said)
