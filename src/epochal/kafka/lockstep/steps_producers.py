"""A producer that sends again, and the idempotent one: requests, answers, and what brokers remember (KIP-98).

Of the producer itself no class of Kafka runs: the harness sends what the model has it send, under the same producer
epochs and sequence numbers. The brokers' side is Kafka's own.
"""

from __future__ import annotations

from collections.abc import Iterable

from epochal.spec.kraft.options.deleted_records import DeletedRecords
from epochal.spec.kraft.options.idempotence import NO_BUMP, IdempotentProducer
from epochal.spec.kraft.options.producer_expiry import ProducerExpiry
from epochal.spec.kraft.options.producer_snapshots import ProducerSnapshots
from epochal.spec.kraft.options.retries import Retries
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import Identifier, Set

from .family import PRODUCE, Family, KafkaRequest, Leaves, Places, Said, line, shown_log

ANSWERS = {"receive_success": frozenset({"NONE"}), "bump_epoch": frozenset({"OUT_OF_ORDER_SEQUENCE_NUMBER"})}


def _batch(state: KraftState, batch: int) -> str:
    """How the producer numbers a batch: in its second epoch from 0 again; nothing if it does not."""
    if not (isinstance(state, IdempotentProducer) and state.is_idempotent()):
        return ""
    epoch = int(state.bumped_at != NO_BUMP and batch >= state.bumped_at)
    return f":{epoch}:{batch - state.bumped_at if epoch else batch}"


def _sent(state: KraftState, request: KafkaRequest, places: Places, batch: int) -> str:
    numbered = _batch(state, batch)
    words = f"send:{{leader}}:{batch}{numbered}" if numbered else PRODUCE
    return line(words, state, request, places, record=batch)


def _produce(state: KraftState, request: KafkaRequest, places: Places) -> str:
    return _sent(state, request, places, state.next_record)


def _retry(state: KraftState, request: KafkaRequest, places: Places) -> str:
    return _sent(state, request, places, request["batch"])


def _receive_success(state: KraftState, request: KafkaRequest, places: Places) -> str:
    return line("answer:{leader}:{batch}", state, request, places) + _batch(state, request["batch"])


def _delete_records(state: KraftState, request: KafkaRequest, places: Places) -> str:
    return f"delete:{places[request['leader']]}:{state.brokers[request['leader']].hw}"


def _followers_delete_later(state: KraftState, request: KafkaRequest) -> str:
    if request.action != "delete_records" or len(state.brokers) == 1:
        return ""
    return "delete_records: in the specification all replicas delete at once, in Kafka followers do with their fetches"


# -- what is compared -------------------------------------------------------------------------------------------------


def _remembers(batches: Iterable[int]) -> Leaves:
    return {"remembers": " ".join(f"r{batch}" for batch in batches) or "nothing"}


def _decode_remembered(state: IdempotentProducer, broker: Identifier, said: Said) -> None:
    state.remembered[broker] = Set(said["remembered"])


def _deleted(state: DeletedRecords, broker: Identifier) -> Leaves:
    left = [(record.id, record.epoch) for record in state.brokers[broker].log][state.deleted :]
    return {"log": shown_log(left), "log start": str(state.deleted)}


def _decode_deleted(state: DeletedRecords, _: Identifier, said: Said) -> None:
    state.deleted = said["logStart"]


def _snapshots(offsets: Iterable[int]) -> Leaves:
    return {"producer snapshots": ", ".join(map(str, offsets)) or "none"}


def _decode_snapshots(state: ProducerSnapshots, broker: Identifier, said: Said) -> None:
    state.snapshots[broker] = Set(said["snapshots"])


FAMILIES = (
    Family(
        Retries,
        {"produce": _produce, "retry": _retry, "lose_request": "", "receive_success": _receive_success},
        frozenset({"known"}),
        answers=lambda _, request: ANSWERS.get(request.action),
        brought_along=True,
    ),
    Family(
        IdempotentProducer,
        {"bump_epoch": _retry},
        frozenset({"remembered", "bumped_at", "resumed_from"}),
        told_by_model=lambda state, broker: _remembers(sorted(state.remembered[broker])),
        told_by_kafka=lambda said: _remembers(said["remembered"]),
        decode=_decode_remembered,
        operator=("idempotence",),
        brought_along=True,
    ),
    Family(
        ProducerSnapshots,
        {},
        frozenset({"snapshots"}),
        told_by_model=lambda state, broker: _snapshots(sorted(state.snapshots[broker])),
        told_by_kafka=lambda said: _snapshots(said["snapshots"]),
        decode=_decode_snapshots,
        # with all batches in it a snapshot is no other than the log before it, and the model has none
        applies=lambda settings: not settings.snapshots_keep_batches,
        brought_along=True,
    ),
    Family(
        ProducerExpiry,
        {"forget_producer": "forget:{broker}"},
        frozenset({"expirations"}),
        operator=("producer_state_outlives_retries",),
        brought_along=True,
    ),
    Family(
        DeletedRecords,
        {"delete_records": _delete_records},
        frozenset({"deleted"}),
        told_by_model=_deleted,
        told_by_kafka=lambda said: {"log start": str(said["logStart"])},
        decode=_decode_deleted,
        refused=_followers_delete_later,
        operator=("records_outlive_retries",),
        brought_along=True,
    ),
)
