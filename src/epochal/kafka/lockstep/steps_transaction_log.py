"""The log of a transaction coordinator: decisions, and the markers that carry them out (KIP-98).

The partition is one of `__transaction_state`. Whoever takes office there reads it with Kafka's own coordinator and its
TransactionStateManager, and what these hand to the channel of markers is compared. A decision is appended by the
harness as the coordinator does it; the partitions of the transaction are the harness's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from epochal.spec.kraft.options.transaction_log import CoordinatorDecision, TransactionLog
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import Identifier, Set

from .family import Family, KafkaRequest, Leaves, Places, Said

COORDINATES = "transaction-log"
"""A mode of a cluster, as `Cluster.java` has it."""

RESULT = {CoordinatorDecision.PREPARE_COMMIT: "COMMIT", CoordinatorDecision.PREPARE_ABORT: "ABORT"}
"""What a marker says, by the decision that it carries out."""

NOTHING = "nothing"


def _decide(state: KraftState, request: KafkaRequest, places: Places, decision: CoordinatorDecision) -> Sequence[str]:
    return (f"decide:{places[request['leader']]}:{state.next_record}:{RESULT[decision]}",)


def _end_transaction(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return _decide(state, request, places, CoordinatorDecision.PREPARE_COMMIT)


def _abort_transaction(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return _decide(state, request, places, CoordinatorDecision.PREPARE_ABORT)


def _answer_commit(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    """The producer alone."""
    return ()


def _write_marker(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    result = RESULT[cast(TransactionLog, state).decision(request["leader"])]
    return (f"carry_out:{places[request['leader']]}:{request['partition']}:{result}",)


def _answers(_: KraftState, request: KafkaRequest) -> frozenset[str] | None:
    return frozenset({"NONE"}) if request.action == "write_marker" else None


# -- what is compared -------------------------------------------------------------------------------------------------


def _carried_out(state: KraftState, broker: Identifier) -> Leaves:
    now = cast(TransactionLog, state)
    carries = now.presumes_leadership(broker) and now.end(broker) > 0 and now.sends_markers(broker)
    return {"carries out": RESULT[now.decision(broker)] if carries else NOTHING}


def _carried_out_by_kafka(said: Said) -> Leaves:
    return {"carries out": said["carriesOut"] or NOTHING}


def _markers(state: KraftState) -> Leaves:
    now = cast(TransactionLog, state)
    return {
        **{f"marker at {one}": "COMMIT" for one in now.committed_at},
        **{f"marker at {one}": "ABORT" for one in now.aborted_at},
    }


def _markers_of_kafka(said: Said, _: Sequence[str]) -> Leaves:
    return {f"marker at {partition}": result for partition, result in said["markers"].items()}


def _decode(state: KraftState, said: Said) -> None:
    now = cast(TransactionLog, state)
    now.committed_at, now.aborted_at = (
        Set(int(partition) for partition, result in said["markers"].items() if result == wanted)
        for wanted in ("COMMIT", "ABORT")
    )


FAMILIES = (
    Family(
        brought_along=True,
        steps=TransactionLog,
        asking={
            "end_transaction": _end_transaction,
            "abort_transaction": _abort_transaction,
            "answer_commit": _answer_commit,
            "write_marker": _write_marker,
        },
        answers=_answers,
        variables=frozenset({"decisions", "committed_at", "aborted_at", "told_committed"}),
        told_by_model=_carried_out,
        told_by_kafka=_carried_out_by_kafka,
        shared_in_model=_markers,
        shared_in_kafka=_markers_of_kafka,
        decode_shared=_decode,
    ),
)
