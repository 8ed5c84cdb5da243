"""How each step of the specification is put to Kafka's classes.

A step becomes commands of the harness. Parameters that the controller chooses (`successor`, `elected`) are left out:
Kafka chooses itself, and the outcome of the model that agrees is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epochal.spec.kraft.settings import Acks
from epochal.spec.kraft.state import KraftState, Status
from epochal.spec.language import ActionInstance, Identifier

from .compared import ahead

CHOSEN_BY_CONTROLLER = ("successor", "elected")
CHOSEN_IN: Mapping[str, tuple[str, ...]] = {"elect_uncleanly": ("replica",)}
"""What else the controller chooses, by the action."""

LONGER_THAN_LAG_MS = 31_000
"""The time between two steps: longer than `replica.lag.time.max.ms`, so that nobody counts as caught up lately. The
model leaves that clause out (Partition.shouldWaitForReplicaToJoinIsr)."""

WAIT = f"wait:{LONGER_THAN_LAG_MS}"


@dataclass(frozen=True)
class KafkaRequest:
    """A step without what the controller chooses in it: all that Kafka is told of it."""

    action: str
    arguments: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        """`fetch(b2, b1)`."""
        return f"{self.action}({', '.join(str(value) for _, value in self.arguments)})"

    def __getitem__(self, parameter: str) -> Any:
        return dict(self.arguments)[parameter]


def request_of(instance: ActionInstance) -> KafkaRequest:
    """What Kafka is told of a step."""
    action = instance.action.name
    chosen = (*CHOSEN_BY_CONTROLLER, *CHOSEN_IN.get(action, ()))
    named = zip((one.name for one in instance.parameters), instance.arguments, strict=True)
    return KafkaRequest(action, tuple(pair for pair in named if pair[0] not in chosen))


Places = Mapping[Identifier, int]
"""The broker id in Kafka, by the specification's identifier."""

Asking = Callable[[KraftState, KafkaRequest, Places], Sequence[str]]

ACKS: Mapping[Acks, int] = {Acks.ALL: -1, Acks.LEADER: 1}
"""What a producer sends, of what can be compared."""


def _produce(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"produce:{places[request['leader']]}:{state.next_record}:{ACKS[state.settings.acks]}",)


def _fetch(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"fetch:{places[request['follower']]}:{places[request['leader']]}",)


def _replay_metadata(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    broker = request["broker"]
    known = 1 if broker in ahead(state) else 0
    return (f"replay:{places[broker]}:{request['records'] + known}",)


def _replay_known_change(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"replay:{places[request['leader']]}:1",)


def _propose_shrink(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"shrink:{places[request['leader']]}",)


def _handle_alter_partition(state: KraftState, _: KafkaRequest, places: Places) -> Sequence[str]:
    assert state.request.leader is not None  # the guard of this step
    return (f"judge:{places[state.request.leader]}",)


def _receive_answer(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    """A leader that has yet to replay what it knew from an earlier answer replays it now: it is older than what it is
    told, and nothing happens. The model keeps count of the newest alone."""
    leader = places[request["leader"]]
    return (f"tell:{leader}", f"replay:{leader}:1") if request["leader"] in ahead(state) else (f"tell:{leader}",)


def _fence(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    """A broker that is fenced already has no more to ask for: its session ends (KAFKA-19130)."""
    how = "expire" if state.registrations[request["broker"]].fenced else "fence"
    return (f"controller:{how}:{places[request['broker']]}",)


def _unfence(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"controller:unfence:{places[request['broker']]}",)


def _elect_preferred(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("controller:elect:preferred",)


def _elect_uncleanly(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("controller:elect:unclean",)


def _shut_down(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    broker = places[request["broker"]]
    return (f"stop:{broker}", f"controller:shut_down:{broker}")


def _crash(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    everything = request["kept"] == state.end(request["broker"])
    return (f"crash:{places[request['broker']]}:{-1 if everything else request['kept']}",)


def _restart(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    broker = places[request["broker"]]
    how = "clean" if state.brokers[request["broker"]].status == Status.SHUT_DOWN else "unclean"
    return (f"controller:restart:{broker}:{how}", f"start:{broker}")


MAPPED: Mapping[str, Asking] = {
    "produce": _produce,
    "fetch": _fetch,
    "replay_metadata": _replay_metadata,
    "replay_known_change": _replay_known_change,
    "propose_shrink": _propose_shrink,
    "handle_alter_partition": _handle_alter_partition,
    "receive_answer": _receive_answer,
    "fence": _fence,
    "unfence": _unfence,
    "elect_preferred_leader": _elect_preferred,
    "elect_any_leader": _elect_preferred,
    "elect_uncleanly": _elect_uncleanly,
    "shut_down": _shut_down,
    "crash": _crash,
    "restart": _restart,
}
"""The steps that can be put to Kafka, by the names of their actions."""


def commands(state: KraftState, request: KafkaRequest, places: Places) -> str:
    """The line of the harness that takes a step from a state."""
    return " ".join((WAIT, *MAPPED[request.action](state, request, places)))


def refused_by_harness(state: KraftState, request: KafkaRequest, preferred: Identifier) -> str:
    """Why the harness cannot take a step that the model can; "" if it can.

    `preferred` is the first of the replicas, which alone Kafka elects as preferred. A leader drops all followers that
    are not at the end of its log, and not some of them.
    """
    if request.action not in MAPPED:
        return f"{request.action} is not mapped"
    if request.action == "elect_preferred_leader" and request["replica"] != preferred:
        return "another replica is preferred"
    if request.action == "propose_shrink":
        leader = request["leader"]
        known = state.brokers[leader].followers
        slow = {one for one in state.view(leader).isr if one != leader and known[one] != state.end(leader)}
        if set(request["slow"]) != slow:
            return "the leader drops all that are slow"
    return ""
