"""A producer that sends again, and the idempotent one: requests, answers, and what brokers remember (KIP-98).

Of the producer itself no class of Kafka runs: the harness sends what the model has it send, under the same producer
epochs and sequence numbers. The brokers' side is Kafka's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from epochal.spec.kraft.options.deleted_records import DeletedRecords
from epochal.spec.kraft.options.idempotence import NO_BUMP, IdempotentProducer
from epochal.spec.kraft.options.producer_expiry import ProducerExpiry
from epochal.spec.kraft.options.producer_snapshots import ProducerSnapshots
from epochal.spec.kraft.options.retries import Retries
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import Identifier, Set

from .family import Family, KafkaRequest, Leaves, Places, Said, produce, shown_log

ANSWERS = {"receive_success": frozenset({"NONE"}), "bump_epoch": frozenset({"OUT_OF_ORDER_SEQUENCE_NUMBER"})}


def _batch(state: KraftState, leader: int, batch: int) -> str:
    """Who gets a batch, what it carries, and how the producer numbers it: in its second epoch from 0 again."""
    bumped_at = cast(IdempotentProducer, state).bumped_at
    epoch = int(bumped_at != NO_BUMP and batch >= bumped_at)
    return f"{leader}:{batch}:{epoch}:{batch - bumped_at if epoch else batch}"


def _sent(state: KraftState, leader: int, batch: int) -> Sequence[str]:
    if isinstance(state, IdempotentProducer) and state.is_idempotent():
        return (f"send:{_batch(state, leader, batch)}",)
    return produce(state, leader, batch)


def _produce(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return _sent(state, places[request["leader"]], state.next_record)


def _retry(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return _sent(state, places[request["leader"]], request["batch"])


def _lose_request(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ()


def _receive_success(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    leader, batch = places[request["leader"]], request["batch"]
    if isinstance(state, IdempotentProducer) and state.is_idempotent():
        return (f"answer:{_batch(state, leader, batch)}",)
    return (f"answer:{leader}:{batch}",)


def _answers(_: KraftState, request: KafkaRequest) -> frozenset[str] | None:
    return ANSWERS.get(request.action)


def _forget_producer(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"forget:{places[request['broker']]}",)


def _delete_records(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"delete:{places[request['leader']]}:{state.brokers[request['leader']].hw}",)


def _followers_delete_later(state: KraftState, request: KafkaRequest) -> str:
    if request.action != "delete_records" or len(state.brokers) == 1:
        return ""
    return "delete_records: in the specification all replicas delete at once, in Kafka followers do with their fetches"


# -- what is compared -------------------------------------------------------------------------------------------------


def _listed(batches: Sequence[int]) -> str:
    return " ".join(f"r{batch}" for batch in batches) or "nothing"


def _remembered(state: KraftState, broker: Identifier) -> Leaves:
    return {"remembers": _listed(sorted(cast(IdempotentProducer, state).remembered[broker]))}


def _remembered_by_kafka(said: Said) -> Leaves:
    return {"remembers": _listed(said["remembered"])}


def _decode_remembered(state: KraftState, broker: Identifier, said: Said) -> None:
    cast(IdempotentProducer, state).remembered[broker] = Set(said["remembered"])


def _deleted(state: KraftState, broker: Identifier) -> Leaves:
    deleted = cast(DeletedRecords, state).deleted
    left = [(record.id, record.epoch) for record in state.brokers[broker].log][deleted:]
    return {"log": shown_log(left), "log start": str(deleted)}


def _deleted_by_kafka(said: Said) -> Leaves:
    return {"log start": str(said["logStart"])}


def _decode_deleted(state: KraftState, _: Identifier, said: Said) -> None:
    cast(DeletedRecords, state).deleted = said["logStart"]


def _snapshots(state: KraftState, broker: Identifier) -> Leaves:
    return {"producer snapshots": _offsets(sorted(cast(ProducerSnapshots, state).snapshots[broker]))}


def _snapshots_of_kafka(said: Said) -> Leaves:
    return {"producer snapshots": _offsets(said["snapshots"])}


def _decode_snapshots(state: KraftState, broker: Identifier, said: Said) -> None:
    cast(ProducerSnapshots, state).snapshots[broker] = Set(said["snapshots"])


def _offsets(offsets: Sequence[int]) -> str:
    return ", ".join(map(str, offsets)) or "none"


def _snapshots_lack_batches(settings: Settings) -> bool:
    """With all batches in it a snapshot is no other than the log before it, and the model has none."""
    return not settings.snapshots_keep_batches


FAMILIES = (
    Family(
        brought_along=True,
        steps=Retries,
        asking={
            "produce": _produce,
            "retry": _retry,
            "lose_request": _lose_request,
            "receive_success": _receive_success,
        },
        answers=_answers,
        variables=frozenset({"known"}),
    ),
    Family(
        brought_along=True,
        steps=IdempotentProducer,
        asking={"bump_epoch": _retry},
        variables=frozenset({"remembered", "bumped_at", "resumed_from"}),
        told_by_model=_remembered,
        told_by_kafka=_remembered_by_kafka,
        decode=_decode_remembered,
        operator=("idempotence",),
    ),
    Family(
        brought_along=True,
        steps=ProducerSnapshots,
        asking={},
        variables=frozenset({"snapshots"}),
        told_by_model=_snapshots,
        told_by_kafka=_snapshots_of_kafka,
        decode=_decode_snapshots,
        applies=_snapshots_lack_batches,
    ),
    Family(
        brought_along=True,
        steps=ProducerExpiry,
        asking={"forget_producer": _forget_producer},
        variables=frozenset({"expirations"}),
        operator=("producer_state_outlives_retries",),
    ),
    Family(
        brought_along=True,
        steps=DeletedRecords,
        asking={"delete_records": _delete_records},
        variables=frozenset({"deleted"}),
        told_by_model=_deleted,
        told_by_kafka=_deleted_by_kafka,
        decode=_decode_deleted,
        refused=_followers_delete_later,
        operator=("records_outlive_retries",),
    ),
)
