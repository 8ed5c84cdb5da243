"""The data side of transactions: batches, markers, and what consumers with `read_committed` may see (KIP-98, KIP-890).

Producer and coordinator are the model's: what they decide is sent to Kafka's leaders under the transaction version that
the release ships. What a leader asks, takes, fences and shows is Kafka's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from epochal.spec.kraft.options.last_stable_offset import LastStableOffset
from epochal.spec.kraft.options.loaded_markers import LoadedMarkers
from epochal.spec.kraft.options.transactions import Kind, Transactions
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import Identifier

from .family import Family, KafkaRequest, Leaves, Places, Said

SUCCESS = frozenset({"NONE"})


def _batch(state: KraftState, leader: int, batch: int, transaction: int) -> Sequence[str]:
    return (f"transact:{leader}:{batch}:{transaction}:{int(cast(Transactions, state).is_ongoing())}",)


def _produce(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return _batch(state, places[request["leader"]], state.next_record, cast(Transactions, state).finished)


def _arrive(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    now = cast(Transactions, state)
    return _batch(state, places[request["leader"]], now.delayed, now.delayed_in)


def _marker(state: KraftState, leader: int, marker: int) -> Sequence[str]:
    content = cast(Transactions, state).contents[marker]
    return (f"marker:{leader}:{marker}:{content.transaction}:{content.kind.name}",)


def _write_marker(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return _marker(state, places[request["leader"]], cast(Transactions, state).marker)


def _repeat_marker(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return _marker(state, places[request["leader"]], cast(Transactions, state).last_marker())


def _acknowledge_marker(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"answer:{places[request['leader']]}:{cast(Transactions, state).marker}",)


def _nobody_is_told(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    """The coordinator and the producer alone."""
    return ()


def _answers(state: KraftState, request: KafkaRequest) -> frozenset[str] | None:
    """What completes a transaction is an answer: to each marker at once, if nobody waits for replication."""
    at_once = request.action == "write_marker" and not state.settings.markers_acknowledged
    return SUCCESS if at_once or request.action == "acknowledge_marker" else None


def _refused(state: KraftState, request: KafkaRequest) -> str:
    """A marker that another leader has appended is written, in the model; Kafka's coordinator writes it anew."""
    if request.action != "acknowledge_marker":
        return ""
    now, leader = cast(Transactions, state), request["leader"]
    log = now.brokers[leader].log
    answered = (now.appended_in_office(leader, offset) for offset in range(len(log)) if log[offset].id == now.marker)
    return "" if any(answered) else "a marker of another leader is written again"


# -- what is compared -------------------------------------------------------------------------------------------------


def _stable(state: KraftState, broker: Identifier) -> Leaves:
    now = cast(LastStableOffset, state)
    stable, log = now.last_stable_offset(broker), now.brokers[broker].log
    aborted = [
        offset
        for offset in range(stable)
        if not now.is_marker(log[offset].id) and now.is_shown_as(broker, offset, Kind.ABORT)
    ]
    return _leaves(stable, aborted, ongoing=now.has_open_transaction(broker))


def _stable_of_kafka(said: Said) -> Leaves:
    return _leaves(said["lastStableOffset"], said["aborted"], ongoing=said["ongoing"])


def _leaves(stable: int, aborted: Sequence[int], *, ongoing: bool) -> Leaves:
    return {
        "last stable offset": str(stable),
        "aborted": ", ".join(map(str, aborted)) or "none",
        "transaction open": "yes" if ongoing else "no",
    }


FAMILIES = (
    Family(
        brought_along=True,
        steps=Transactions,
        asking={
            "begin_transaction": _nobody_is_told,
            "produce": _produce,
            "delay_request": _nobody_is_told,
            "arrive": _arrive,
            "end_transaction": _nobody_is_told,
            "write_marker": _write_marker,
            "repeat_marker": _repeat_marker,
            "acknowledge_marker": _acknowledge_marker,
        },
        answers=_answers,
        refused=_refused,
        variables=frozenset({"contents", "begun", "finished", "marker", "delayed", "delayed_in"}),
    ),
    Family(
        brought_along=True,
        steps=LastStableOffset,
        asking={},
        variables=frozenset({"visible"}),
        told_by_model=_stable,
        told_by_kafka=_stable_of_kafka,
    ),
    Family(
        brought_along=True,
        steps=LoadedMarkers,
        asking={},
        variables=frozenset({"loaded", "taken"}),  # of these two the last stable offset is made, which is compared
    ),
)
