"""Transactions (KIP-98, KIP-890): batches, markers, what `read_committed` shows, and the log of the coordinator.

Of the data side producer and coordinator are the model's: what they decide is sent to Kafka's leaders under the
transaction version that the release ships. What a leader asks, takes, fences and shows is Kafka's own.

Where the partition is one of `__transaction_state`, whoever takes office there reads it with Kafka's own coordinator
and its TransactionStateManager, and what these hand to the channel of markers is compared. A decision is appended by
the harness as the coordinator does it; the partitions of the transaction are the harness's.
"""

from __future__ import annotations

from collections.abc import Sequence

from epochal.spec.kraft.options.last_stable_offset import LastStableOffset
from epochal.spec.kraft.options.loaded_markers import LoadedMarkers
from epochal.spec.kraft.options.transaction_log import CoordinatorDecision, TransactionLog
from epochal.spec.kraft.options.transactions import Kind, Transactions
from epochal.spec.language import Identifier, Set

from .family import Family, KafkaRequest, Leaves, Places, Said, line, yes

SUCCESS = frozenset({"NONE"})

# -- the data side ----------------------------------------------------------------------------------------------------


def _batch(state: Transactions, request: KafkaRequest, places: Places, batch: int, transaction: int) -> str:
    return line(f"transact:{{leader}}:{batch}:{transaction}:{int(state.is_ongoing())}", state, request, places)


def _produce(state: Transactions, request: KafkaRequest, places: Places) -> str:
    return _batch(state, request, places, state.next_record, state.finished)


def _arrive(state: Transactions, request: KafkaRequest, places: Places) -> str:
    return _batch(state, request, places, state.delayed, state.delayed_in)


def _marker(state: Transactions, leader: int, marker: int) -> str:
    content = state.contents[marker]
    return f"marker:{leader}:{marker}:{content.transaction}:{content.kind.name}"


def _answers(state: Transactions, request: KafkaRequest) -> frozenset[str] | None:
    """What completes a transaction is an answer: to each marker at once, if nobody waits for replication."""
    at_once = request.action == "write_marker" and not state.settings.markers_acknowledged
    return SUCCESS if at_once or request.action == "acknowledge_marker" else None


def _refused(now: Transactions, request: KafkaRequest) -> str:
    """A marker that another leader has appended is written, in the model; Kafka's coordinator writes it anew."""
    if request.action != "acknowledge_marker":
        return ""
    leader = request["leader"]
    log = now.brokers[leader].log
    answered = (now.appended_in_office(leader, offset) for offset in range(len(log)) if log[offset].id == now.marker)
    return "" if any(answered) else "a marker of another leader is written again"


def _stable(now: LastStableOffset, broker: Identifier) -> Leaves:
    stable, log = now.last_stable_offset(broker), now.brokers[broker].log
    aborted = [
        offset
        for offset in range(stable)
        if not now.is_marker(log[offset].id) and now.is_shown_as(broker, offset, Kind.ABORT)
    ]
    return _leaves(stable, aborted, ongoing=now.has_open_transaction(broker))


def _leaves(stable: int, aborted: Sequence[int], *, ongoing: bool) -> Leaves:
    return {
        "last stable offset": str(stable),
        "aborted": ", ".join(map(str, aborted)) or "none",
        "transaction open": yes(ongoing),
    }


# -- the log of the coordinator ---------------------------------------------------------------------------------------

COORDINATES = "transaction-log"
"""A mode of a cluster, as `Cluster.java` has it."""

RESULT = {CoordinatorDecision.PREPARE_COMMIT: "COMMIT", CoordinatorDecision.PREPARE_ABORT: "ABORT"}
"""What a marker says, by the decision that it carries out."""

NOTHING = "nothing"


def _carry_out(state: TransactionLog, request: KafkaRequest, places: Places) -> str:
    result = RESULT[state.decision(request["leader"])]
    return line(f"carry_out:{{leader}}:{{partition}}:{result}", state, request, places)


def _carried_out(now: TransactionLog, broker: Identifier) -> Leaves:
    carries = now.presumes_leadership(broker) and now.end(broker) > 0 and now.sends_markers(broker)
    return {"carries out": RESULT[now.decision(broker)] if carries else NOTHING}


def _markers(now: TransactionLog) -> Leaves:
    return {
        **{f"marker at {one}": "COMMIT" for one in now.committed_at},
        **{f"marker at {one}": "ABORT" for one in now.aborted_at},
    }


def _decode(now: TransactionLog, said: Said) -> None:
    now.committed_at, now.aborted_at = (
        Set(int(partition) for partition, result in said["markers"].items() if result == wanted)
        for wanted in ("COMMIT", "ABORT")
    )


FAMILIES = (
    Family(
        Transactions,
        {
            **dict.fromkeys(("begin_transaction", "delay_request", "end_transaction"), ""),  # told to nobody
            "produce": _produce,
            "arrive": _arrive,
            "write_marker": lambda now, request, places: _marker(now, places[request["leader"]], now.marker),
            "repeat_marker": lambda now, request, places: _marker(now, places[request["leader"]], now.last_marker()),
            "acknowledge_marker": lambda now, request, places: f"answer:{places[request['leader']]}:{now.marker}",
        },
        frozenset({"contents", "begun", "finished", "marker", "delayed", "delayed_in"}),
        answers=_answers,
        refused=_refused,
        brought_along=True,
    ),
    Family(
        LastStableOffset,
        {},
        frozenset({"visible"}),
        told_by_model=_stable,
        told_by_kafka=lambda said: _leaves(said["lastStableOffset"], said["aborted"], ongoing=said["ongoing"]),
        brought_along=True,
    ),
    # of its two variables the last stable offset is made, which is compared
    Family(LoadedMarkers, {}, frozenset({"loaded", "taken"}), brought_along=True),
    Family(
        TransactionLog,
        {
            "end_transaction": "decide:{leader}:{record}:COMMIT",
            "abort_transaction": "decide:{leader}:{record}:ABORT",
            "answer_commit": "",  # the producer alone
            "write_marker": _carry_out,
        },
        frozenset({"decisions", "committed_at", "aborted_at", "told_committed"}),
        told_by_model=_carried_out,
        told_by_kafka=lambda said: {"carries out": said["carriesOut"] or NOTHING},
        shared_in_model=_markers,
        shared_in_kafka=lambda said, _: {f"marker at {one}": result for one, result in said["markers"].items()},
        decode_shared=_decode,
        answers=lambda _, request: SUCCESS if request.action == "write_marker" else None,
        brought_along=True,
    ),
)
