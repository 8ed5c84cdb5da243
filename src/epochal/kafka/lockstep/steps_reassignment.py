"""A partition that moves, and `min.insync.replicas` that changes: how the steps are put to Kafka, what is compared.

The replicas, who comes and who goes, and what controller and leader take for the least number of copies, are compared
in every run, whether or not it has such steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from epochal.spec.kraft.options.min_isr_change import MinIsrChange
from epochal.spec.kraft.options.reassignment import Reassignment
from epochal.spec.kraft.options.tiered_storage import TieredStorage
from epochal.spec.kraft.options.transaction_log import TransactionLog
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import Identifier, Set

from .family import Asking, Family, KafkaRequest, Places, Said, yes
from .steps_tiers import TIERED_STORAGE
from .steps_transactions import COORDINATES

EVERY_CHANGE_WAITS = "every-change-waits"
SETTINGS_WAIT = "settings-wait"
SECOND_PARTITION = "second-partition"
"""Modes of a cluster, as `Cluster.java` has them."""


# -- steps ------------------------------------------------------------------------------------------------------------


def _reassign(_: KraftState, request: KafkaRequest, places: Places) -> str:
    return "reassign:" + ",".join(str(places[one]) for one in request["target"])


MAPPED: Mapping[str, Asking] = {
    "reassign": _reassign,
    "override_reassignment": _reassign,
    "cancel_reassignment": "controller:reassign:-",
    "cancel_uncleanly": "controller:reassign:-",
    "propose_without_fetch": "",  # Kafka has no method for it: it may do what it has scheduled, and nothing else
    "raise_min_isr": lambda state, _, __: f"controller:min_isr:{state.settings.min_insync_replicas}",
    "learn_min_isr": "learn:{broker}",
    "lower_min_isr": "controller:min_isr:1",
    "switch_elr_off": "controller:elr:0",
}

COMPARED = frozenset(
    {
        *("replicas", "adding", "removing", "reassigned", "asked_for"),
        *("changed", "knowing", "changes_since", "elr_is_off"),
    }
)
"""Variables of these steps that are compared, are seen in what is, or count steps that the harness takes."""


# -- the beginning ----------------------------------------------------------------------------------------------------


def modes(state: KraftState) -> tuple[str, ...]:
    """What is different about the cluster of a protocol with these steps or settings."""
    leader, controller = state.settings.leader_min_insync_replicas, state.settings.min_insync_replicas
    found = {
        EVERY_CHANGE_WAITS: isinstance(state, Reassignment),
        SETTINGS_WAIT: isinstance(state, MinIsrChange) or (leader is not None and leader < controller),
        SECOND_PARTITION: leader is not None and leader > controller,
        COORDINATES: isinstance(state, TransactionLog),
        TIERED_STORAGE: isinstance(state, TieredStorage),
    }
    return tuple(mode for mode, so in found.items() if so)


def min_isr_at_first(state: KraftState) -> int:
    """The setting of the topic when the cluster begins.

    A leader that waits for more than the controller counts has more replicas than partition 0 of the topic, which has
    one (H2); one that waits for less has not heard of a raise, which is made at once (`raised_at_once`).
    """
    if isinstance(state, MinIsrChange):
        return state.min_isr()
    leader = state.settings.leader_min_insync_replicas
    return state.settings.min_insync_replicas if leader is None else leader


def raised_at_once(state: KraftState) -> tuple[str, ...]:
    """What is done before the first step: leaders that know a lower min.insync.replicas have the raise to replay."""
    leader, controller = state.settings.leader_min_insync_replicas, state.settings.min_insync_replicas
    return (f"controller:min_isr:{controller}",) if leader is not None and leader < controller else ()


def not_settable(settings: Any) -> str:
    """Why the harness cannot have leader and controller disagree; "" if it can: partition 0 has one replica."""
    leader, controller = settings.leader_min_insync_replicas, settings.min_insync_replicas
    if leader is not None and leader > controller > 1:
        return "leader_min_insync_replicas: partition 0 of the topic has one replica in the harness"
    return ""


# -- leaves -----------------------------------------------------------------------------------------------------------


def _setting(state: KraftState) -> int:
    """The `min.insync.replicas` of the topic, whatever follows from it."""
    settings = state.settings
    if isinstance(state, MinIsrChange):
        return state.min_isr()
    return max(settings.min_insync_replicas, settings.leader_min_insync_replicas or 0)


def has_replica(state: KraftState, broker: Identifier, known_to: Identifier) -> bool:
    """Whether a broker belongs to the partition, for all that another one knows."""
    return state.has_replica(broker, known_to) if isinstance(state, Reassignment) else True


def model_leaves(state: KraftState) -> dict[str, str]:
    """What is compared of the model."""
    brokers = list(state.brokers)

    def some(members: set[Identifier]) -> str:
        return _shown(str(one) for one in brokers if one in members)

    replicas, adding, removing = set(brokers), set[Identifier](), set[Identifier]()
    if isinstance(state, Reassignment):
        replicas, adding, removing = set(state.replicas[0]), set(state.adding), set(state.removing)
    leaves = {
        "controller replicas": some(replicas),
        "controller adding": some(adding),
        "controller removing": some(removing),
        "controller min.insync.replicas": str(_setting(state)),
    }
    for one in brokers:
        if not state.is_running(one):
            continue
        own = has_replica(state, one, one)
        leaves[f"{one} has a replica"] = yes(own)
        if own and state.view(one).leader == one:
            leaves[f"{one} min ISR"] = str(state.leader_min_isr(one))
    return leaves


def kafka_leaves(said: Said, names: Sequence[str]) -> dict[str, str]:
    """The same of what the harness says."""
    replicas, adding, removing = (
        _shown(names[place] for place in sorted(places)) for places in _assignment(said["controller"])
    )
    leaves = {
        "controller replicas": replicas,
        "controller adding": adding,
        "controller removing": removing,
        "controller min.insync.replicas": str(said["minIsr"]),
    }
    for name, broker in zip(names, said["brokers"], strict=True):
        if broker is None:
            continue
        leaves[f"{name} has a replica"] = yes(broker["replica"])
        if broker["leads"]:
            leaves[f"{name} min ISR"] = str(broker["minIsr"])
    return leaves


def _assignment(line: str) -> tuple[list[int], ...]:
    """Replicas, adding and removing ones in a line of the controller."""
    return tuple([int(one) for one in words.split(",") if one] for words in line.split("|")[7:10])


def decode(state: KraftState, said: Said) -> None:
    """Put what Kafka's controller says of the replicas into a state of the model."""
    if isinstance(state, Reassignment):
        members = list(state.brokers)
        replicas, adding, removing = _assignment(said["controller"])
        state.replicas[0] = Set(members[one] for one in replicas)
        state.adding = Set(members[one] for one in adding)
        state.removing = Set(members[one] for one in removing)


def _shown(members: Iterable[str]) -> str:
    return ",".join(members) or "empty"


FAMILIES = (
    Family(
        KraftState, MAPPED, COMPARED, shared_in_model=model_leaves, shared_in_kafka=kafka_leaves, decode_shared=decode
    ),
)
"""What is mapped here, for every model."""
