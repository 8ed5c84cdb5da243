"""How each step of the specification is put to Kafka's classes.

A step becomes commands of the harness. Parameters that the controller chooses (`successor`, `elected`) are left out:
Kafka chooses itself, and the outcome of the model that agrees is followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epochal.spec.kraft.state import KraftState, Status

from .compared import ahead
from .families import asking_of, families_of, second_rounds_of
from .family import FETCH, PRODUCE, Asking, KafkaRequest, Places, line

LONGER_THAN_LAG_MS = 31_000
"""The time between two steps: longer than `replica.lag.time.max.ms`, so that nobody counts as caught up lately. The
model leaves that clause out (Partition.shouldWaitForReplicaToJoinIsr)."""

WAIT = f"wait:{LONGER_THAN_LAG_MS}"


def _replay_metadata(state: KraftState, request: KafkaRequest, places: Places) -> str:
    broker = request["broker"]
    known = 1 if broker in ahead(state) else 0
    return f"replay:{places[broker]}:{request['records'] + known}"


def _handle_alter_partition(state: KraftState, _: KafkaRequest, places: Places) -> str:
    assert state.request.leader is not None  # the guard of this step
    return f"judge:{places[state.request.leader]}"


def _receive_answer(state: KraftState, request: KafkaRequest, places: Places) -> str:
    """A leader that has yet to replay what it knew from an earlier answer replays it now: it is older than what it is
    told, and nothing happens. The model keeps count of the newest alone."""
    leader = places[request["leader"]]
    return f"tell:{leader} replay:{leader}:1" if request["leader"] in ahead(state) else f"tell:{leader}"


def _fence(state: KraftState, request: KafkaRequest, places: Places) -> str:
    """A broker that is fenced already has no more to ask for: its session ends (KAFKA-19130)."""
    how = "expire" if state.registrations[request["broker"]].fenced else "fence"
    return f"controller:{how}:{places[request['broker']]}"


def _crash(state: KraftState, request: KafkaRequest, places: Places) -> str:
    everything = request["kept"] == state.end(request["broker"])
    return f"crash:{places[request['broker']]}:{-1 if everything else request['kept']}"


def _restart(state: KraftState, request: KafkaRequest, places: Places) -> str:
    broker = places[request["broker"]]
    how = "clean" if state.brokers[request["broker"]].status == Status.SHUT_DOWN else "unclean"
    return f"controller:restart:{broker}:{how} start:{broker}"


MAPPED: Mapping[str, Asking] = {
    "produce": PRODUCE,
    "fetch": FETCH,
    "replay_metadata": _replay_metadata,
    "replay_known_change": "replay:{leader}:1",
    "propose_shrink": "shrink:{leader}",
    "handle_alter_partition": _handle_alter_partition,
    "receive_answer": _receive_answer,
    "fence": _fence,
    "unfence": "controller:unfence:{broker}",
    "elect_preferred_leader": "elect:{replica}",  # who is no first replica becomes one before
    "elect_any_leader": "controller:elect:preferred",
    "elect_uncleanly": "controller:elect:unclean",
    "shut_down": "stop:{broker} controller:shut_down:{broker}",
    "crash": _crash,
    "restart": _restart,
}
"""The steps of every model that can be put to Kafka, by the names of their actions."""


def asking(state: KraftState | type[KraftState]) -> Mapping[str, Asking]:
    """The steps of a model that can be put to Kafka."""
    return {**MAPPED, **asking_of(state)}


def second_round(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str] | None:
    """What is done between the rounds of a step, if that may need two."""
    between = {"fetch": "", **second_rounds_of(state)}.get(request.action)
    return None if between is None else _line(between, state, request, places).split()


def commands(state: KraftState, request: KafkaRequest, places: Places) -> str:
    """The line of the harness that takes a step from a state."""
    return f"{WAIT} {_line(asking(state)[request.action], state, request, places)}".rstrip()


def _line(asked: Asking, state: KraftState, request: KafkaRequest, places: Places) -> str:
    return asked(state, request, places) if callable(asked) else line(asked, state, request, places)


def refused_by_harness(state: KraftState, request: KafkaRequest) -> str:
    """Why the harness cannot take a step that the model can; "" if it can.

    A leader drops all followers that are not at the end of its log, and not some of them.
    """
    if request.action not in asking(state):
        return f"{request.action} is not mapped"
    refused = "; ".join(filter(None, (one.refused(state, request) for one in families_of(state))))
    if refused:
        return refused
    if request.action == "propose_shrink":
        leader = request["leader"]
        known = state.brokers[leader].followers
        slow = {one for one in state.view(leader).isr if one != leader and known[one] != state.end(leader)}
        if set(request["slow"]) != slow:
            return "the leader drops all that are slow"
    return ""
