"""The state of Kafka's coordinators and that of the model in the same form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from epochal.spec.language import Set
from epochal.spec.transactions.state import NOTHING, TransactionResult
from epochal.spec.transactions.switches import WholeLoads

from ..family import Leaves, Said

NO_OFFICE = "nothing"
NOT_KNOWN = "has no producer yet"


def _metadata(state: str, producer_id: int, epoch: int, partitions: Iterable[int]) -> str:
    return f"{state}, id {producer_id} epoch {epoch}, partitions {_set(partitions)}"


def _set(some: Iterable[int]) -> str:
    return f"{{{', '.join(str(one) for one in sorted(some))}}}"


def _marks(transaction: object, result: str, where: Iterable[int]) -> Leaves:
    return {f"transaction {transaction} {result} at": _set(where)}


def _entry(epoch: int, coordinator_epoch: int, open_ones: Iterable[int]) -> str:
    coordinator = "no marker yet" if coordinator_epoch == NOTHING else f"last marker of e{coordinator_epoch}"
    return f"epoch {epoch}, {coordinator}, open {_set(open_ones)}"


# -- Kafka ------------------------------------------------------------------------------------------------------------


def in_epochs(said: Said, epochs: int) -> Said:
    """What Kafka says, with the epochs of the first producer id as those of the specification, less by so many."""

    def numbered(one: Said, id: int) -> Said:
        return {**one, "epoch": one["epoch"] - epochs} if id == 0 and one["epoch"] > NOTHING else one

    def office(one: Said | None) -> Said | None:
        return numbered(one, one["producerId"]) if one is not None and "epoch" in one else one

    return {
        **said,
        "brokers": [
            {
                **one,
                "office": office(one["office"]),
                "records": [numbered(record, record["producerId"]) for record in one["records"]],
            }
            for one in said["brokers"]
        ],
        "data": {key: numbered(entry, int(key.split(":")[1])) for key, entry in said["data"].items()},
    }


def _said_metadata(said: Said) -> str:
    return _metadata(said["state"], said["producerId"], said["epoch"], said["partitions"])


def kafka_leaves(said: Said, names: Sequence[str], leader: int, *, whole: bool) -> Leaves:
    """The leaves of Kafka's state. `leader` is whose log is told: `whole`, or its last record."""
    leaves: dict[str, str] = {}
    for name, broker in zip(names, said["brokers"], strict=True):
        office = broker["office"]
        if office is None:
            leaves[f"{name} coordinates"] = NO_OFFICE
        elif "loads" in office:
            leaves[f"{name} coordinates"] = f"loads for e{office['loads']}"
        elif office["serves"] is None or office["epoch"] == NOTHING:
            leaves[f"{name} coordinates"] = NOT_KNOWN
        else:
            leaves[f"{name} coordinates"] = f"e{office['serves']}: {_said_metadata(office)}"
    records = [one for one in said["brokers"][leader]["records"] if one["epoch"] != NOTHING]
    leaves["log"] = "; ".join(map(_said_metadata, records if whole else records[-1:]))
    for key, entry in said["data"].items():
        partition, producer_id = key.split(":")
        leaves[f"partition {partition} of id {producer_id}"] = _entry(
            entry["epoch"], entry["coordinatorEpoch"], entry["open"]
        )
    for key, where in said["decided"].items():
        transaction, result = key.split(":")
        leaves |= _marks(transaction, result, where)
    return leaves


def decode(state: Any, said: Said) -> None:
    """Put into a state of the model what Kafka has at the partitions, for the properties."""
    for transaction in state.committed_at:
        for marked, result in (
            (state.committed_at, TransactionResult.COMMIT),
            (state.aborted_at, TransactionResult.ABORT),
        ):
            marked[transaction] = Set(said["decided"].get(f"{transaction}:{result.value}", ()))
    for partition in state.data:
        for producer_id in state.data[partition].producers:
            entry, own = said["data"].get(f"{partition}:{producer_id}"), state.data[partition].producers[producer_id]
            if entry is not None:
                own.epoch, own.coordinator_epoch = entry["epoch"], entry["coordinatorEpoch"]
                own.open = Set(entry["open"])


# -- the model --------------------------------------------------------------------------------------------------------


def _model_metadata(record: Any) -> str:
    return _metadata(record.state.value, record.producer_id, record.epoch, record.partitions)


def model_leaves(state: Any) -> Leaves:
    """The leaves of the model's state."""
    leaves: dict[str, str] = {}
    for broker in state.offices:
        own = state.offices[broker]
        if own.elected != NOTHING:
            leaves[f"{broker} coordinates"] = f"loads for e{own.elected}"
        elif own.epoch == NOTHING:
            leaves[f"{broker} coordinates"] = NO_OFFICE
        elif own.cache.epoch == NOTHING:
            leaves[f"{broker} coordinates"] = NOT_KNOWN
        else:
            leaves[f"{broker} coordinates"] = f"e{own.epoch}: {_model_metadata(own.cache)}"
    records = list(state.records) if isinstance(state, WholeLoads) else [state.logged] * (state.logged.epoch != NOTHING)
    leaves["log"] = "; ".join(map(_model_metadata, records))
    for partition in state.data:
        for producer_id in state.data[partition].producers:
            entry = state.data[partition].producers[producer_id]
            if entry.epoch != NOTHING:
                leaves[f"partition {partition} of id {producer_id}"] = _entry(
                    entry.epoch, entry.coordinator_epoch, entry.open
                )
    for transaction in state.committed_at:
        for marked, result in (
            (state.committed_at, TransactionResult.COMMIT),
            (state.aborted_at, TransactionResult.ABORT),
        ):
            if len(marked[transaction]) > 0:
                leaves |= _marks(transaction, result.value, marked[transaction])
    return leaves


def phases(state: Any) -> Leaves:
    """How far each producer of the model is."""
    return {f"producer {one}": state.producers[one].phase.value for one in state.producers}
