"""The state of Kafka and that of the model in the same form, and where they differ.

What is compared is what either side decides: nothing here follows from the other side. A value is what a report prints
of it: the identifiers are those of the specification, and a leaf is named as people say it, `b1 high watermark`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from epochal.spec.kraft.state import UNKNOWN, KraftState
from epochal.spec.language import Identifier, Set

from .families import families_of
from .family import Family, Leaves, Said, shown_log, yes
from .steps_reassignment import has_replica

NOBODY = "nobody"
NO_REQUEST = "none"


class LeafDifference(NamedTuple):
    """A leaf with two values; a side that has no such leaf says so."""

    leaf: str
    kafka: str
    model: str


MISSING = "not there"


def differences(kafka: Leaves, model: Leaves) -> tuple[LeafDifference, ...]:
    """Every leaf that is not the same, in the order of the model's leaves."""
    names = dict.fromkeys((*model, *kafka))
    both = (LeafDifference(name, kafka.get(name, MISSING), model.get(name, MISSING)) for name in names)
    return tuple(one for one in both if one.kafka != one.model)


# -- Kafka ------------------------------------------------------------------------------------------------------------
# What the harness says, decoded.


class ControllerSeen(NamedTuple):
    """The partition and the registrations as Kafka's controller has them; -1 is nobody."""

    leader: int
    leader_epoch: int
    isr: frozenset[int]
    elr: frozenset[int]
    last_known_leader: int
    recovering: bool
    active: frozenset[int]
    preferred: int


@dataclass(frozen=True)
class LeaderSeen:
    """What a broker knows as leader."""

    epoch_start: int
    isr: frozenset[int]
    maximal_isr: frozenset[int]
    followers: Mapping[int, int]


@dataclass(frozen=True)
class BrokerSeen:
    """A running broker: its role, its replica, how many changes it has not replayed, and the ISR that it asks for.

    Of its log it tells what is on its disk: from the log start offset on, or from where the disk begins if that is
    later (tiered storage). `said` is all that the harness says of it.
    """

    leader: int
    leader_epoch: int
    high_watermark: int
    disk_start: int
    log: tuple[tuple[int, int], ...]
    pending: int
    leads: LeaderSeen | None
    said: Said


@dataclass(frozen=True)
class ClusterSeen:
    """The state of Kafka's classes after a step. A broker is None while its process is down.

    `proposed` are the ISRs that are asked for by AlterPartition requests on their way, by the broker that has sent one;
    `said` is all that the harness says.
    """

    controller: ControllerSeen
    brokers: tuple[BrokerSeen | None, ...]
    proposed: Mapping[int, frozenset[int]]
    acknowledged: frozenset[int]
    said: Said

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> ClusterSeen:
        """What the harness says of the cluster."""
        proposed = {broker: frozenset(isr) for broker, isr in enumerate(state["proposed"]) if isr is not None}
        brokers = tuple(None if one is None else _broker(one) for one in state["brokers"])
        return cls(_controller(state["controller"]), brokers, proposed, frozenset(state["acknowledged"]), state)


def _numbers(text: str) -> frozenset[int]:
    return frozenset(int(one) for one in text.split(",")) if text else frozenset()


def _controller(line: str) -> ControllerSeen:
    leader, epoch, _, isr, elr, last, recovering, replicas, _, _, active, *_ = line.split("|")
    known = _numbers(last)
    return ControllerSeen(
        int(leader),
        int(epoch),
        _numbers(isr),
        _numbers(elr),
        min(known, default=-1),
        recovering == "1",
        _numbers(active),
        int(replicas.split(",")[0]),
    )


def _broker(said: Mapping[str, Any]) -> BrokerSeen:
    leads = None
    if said["leads"]:
        followers = {int(broker): offset for broker, offset in said["followers"].items()}
        leads = LeaderSeen(said["epochStart"], frozenset(said["isr"]), frozenset(said["maximalIsr"]), followers)
    log = tuple((id, epoch) for id, epoch in said["log"])
    start = said.get("localStart", said["logStart"])
    return BrokerSeen(
        said["leader"], said["leaderEpoch"], said["highWatermark"], start, log, said["pending"], leads, said
    )


def kafka_leaves(seen: ClusterSeen, names: Sequence[str], families: Sequence[Family[Any]] = ()) -> Leaves:
    """The leaves of Kafka's state; `names` are the specification's identifiers of brokers 0, 1, ...

    `families` are those of the model that stands beside it.
    """

    def name(broker: int) -> str:
        return NOBODY if broker < 0 else names[broker]

    def some(brokers: Iterable[int]) -> str:
        return shown(map(name, sorted(brokers)))

    now = seen.controller
    leaves = _controller_leaves(
        name(now.leader), now.leader_epoch, some(now.isr), some(now.elr), name(now.last_known_leader), now.recovering
    )
    leaves["controller active brokers"] = some(now.active)
    leaves["AlterPartition on its way"] = (
        "; ".join(f"{name(broker)} asks for {some(isr)}" for broker, isr in sorted(seen.proposed.items())) or NO_REQUEST
    )
    for place, broker in enumerate(seen.brokers):
        own = names[place]
        leaves[f"{own} runs"] = yes(broker is not None)
        if broker is None:
            continue
        leaves |= _broker_leaves(
            own, name(broker.leader), broker.leader_epoch, broker.high_watermark, broker.log, broker.pending
        )
        if broker.leads is not None:
            known = {names[other]: offset for other, offset in sorted(broker.leads.followers.items())}
            leaves |= _leader_leaves(
                own, broker.leads.epoch_start, some(broker.leads.isr), some(broker.leads.maximal_isr), known
            )
        for family in families:
            leaves |= {f"{own} {leaf}": value for leaf, value in family.told_by_kafka(broker.said).items()}
    leaves["acknowledged"] = records(seen.acknowledged)
    for family in families:
        leaves |= family.shared_in_kafka(seen.said, names)
    return leaves


# -- model ------------------------------------------------------------------------------------------------------------


def model_leaves(state: KraftState) -> Leaves:
    """The leaves of the model's state."""
    brokers, families = list(state.brokers), families_of(state)

    def name(broker: Identifier | None) -> str:
        return NOBODY if broker is None else str(broker)

    def some(members: Iterable[Identifier]) -> str:
        there = Set(members)
        return shown(str(one) for one in brokers if one in there)

    now, recovery = state.metadata[0], state.recovery
    leaves = _controller_leaves(
        name(now.leader),
        now.leader_epoch,
        some(now.isr),
        some(recovery.elr),
        name(recovery.last_known_leader),
        recovery.recovering,
    )
    leaves["controller active brokers"] = some(one for one in brokers if state.is_active(one))
    sender = state.request.leader
    asked = NO_REQUEST if sender is None else f"{name(sender)} asks for {some(state.request.isr)}"
    leaves["AlterPartition on its way"] = asked
    for one in brokers:
        leaves[f"{one} runs"] = yes(state.is_running(one))
        if not state.is_running(one):
            continue
        view, own = state.view(one), state.brokers[one]
        log = tuple((record.id, record.epoch) for record in own.log)
        leaves |= _broker_leaves(str(one), name(view.leader), view.leader_epoch, own.hw, log, pending(state, one))
        if view.leader == one:
            others = (other for other in brokers if other != one and has_replica(state, other, one))
            known = {str(other): own.followers[other] for other in others}
            maximal = cast(Any, state).maximal_isr(one)
            leaves |= _leader_leaves(str(one), own.epoch_start, some(view.isr), some(maximal), known)
        for family in families:
            leaves |= {f"{one} {leaf}": value for leaf, value in family.told_by_model(state, one).items()}
    leaves["acknowledged"] = records(state.acknowledged)
    for family in families:
        leaves |= family.shared_in_model(state)
    return leaves


def ahead(state: KraftState) -> Set[Identifier]:
    """Whoever knows its last change from the answer to a proposal alone: the record of it is still to be replayed."""
    known: Set[Identifier] = getattr(state, "ahead", Set())
    return known


def pending(state: KraftState, broker: Identifier) -> int:
    """How many changes of the partition a broker has not replayed, among them one that it knows otherwise."""
    return state.brokers[broker].behind + (1 if broker in ahead(state) else 0)


# -- words ------------------------------------------------------------------------------------------------------------


def shown(members: Iterable[str]) -> str:
    """A set of brokers: `b1,b3`."""
    return ",".join(members) or "empty"


def records(ids: Iterable[int]) -> str:
    """Records by their ids: `r0,r2`."""
    return ",".join(f"r{id}" for id in sorted(ids)) or "none"


def _controller_leaves(leader: str, epoch: int, isr: str, elr: str, last: str, recovering: bool) -> dict[str, str]:
    return {
        "controller leader": leader,
        "controller leader epoch": str(epoch),
        "controller ISR": isr,
        "controller ELR": elr,
        "controller last known leader": last,
        "controller leader recovers": yes(recovering),
    }


def _broker_leaves(
    name: str, leader: str, epoch: int, high_watermark: int, log: Sequence[tuple[int, int]], pending: int
) -> dict[str, str]:
    return {
        f"{name} leader": leader,
        f"{name} leader epoch": str(epoch),
        f"{name} high watermark": str(high_watermark),
        f"{name} log": shown_log(log),
        f"{name} changes to replay": str(pending),
    }


def _leader_leaves(name: str, start: int, isr: str, maximal: str, followers: Mapping[str, int]) -> dict[str, str]:
    known = {other: "unknown" if offset == UNKNOWN else str(offset) for other, offset in followers.items()}
    return {
        f"{name} epoch start": str(start),
        f"{name} ISR": isr,
        f"{name} maximal ISR": maximal,
        **{f"{name} knows {other} at": offset for other, offset in known.items()},
    }
