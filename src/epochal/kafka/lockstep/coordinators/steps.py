"""How each step of `spec/transactions` is put to Kafka's coordinators, and what they must answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from epochal.spec.transactions.state import ProducerPhase, TransactionalIdState

Arguments = Mapping[str, Any]
Places = Mapping[Any, int]
"""The id of a broker in Kafka, by the specification's identifier."""

Line = Callable[[Any, Arguments, Places, int], str]
"""The last argument is how many epochs of the first producer id are used up in Kafka before the run (`in_kafka`)."""

MODES = ("transactional-id", "transaction-version-2")
"""The modes of a cluster, as `Cluster.java` has them: one for all, and one where each transaction has an epoch."""

DONE = "NONE"
MARKER_REFUSED = frozenset({"INVALID_PRODUCER_EPOCH", "TRANSACTION_COORDINATOR_FENCED"})
CONCURRENT = "CONCURRENT_TRANSACTIONS"
FIRST_THAT_TELLS = 2
"""Since this transaction version EndTxn is answered with the producer id and epoch of the next transaction."""


def in_kafka(producer_id: int, epoch: int, epochs: int) -> str:
    """A producer id and its epoch, of which Kafka has taken so many before the run if it is the first id."""
    return f"{producer_id}:{epoch + epochs if producer_id == 0 else epoch}"


def is_success(said: str) -> bool:
    """Whether Kafka has done what it was asked for. With it goes the id and epoch of the producer, if it tells any."""
    return said.removeprefix(f"{DONE}:").replace(":", "").isdecimal() or said == DONE


def version(state: TransactionalIdState) -> int:
    """The transaction version of the producers: 2, or 0 for clients that name none."""
    return 2 if state.epoch_per_transaction else 0


def _write(state: Any, arguments: Arguments, places: Places, epochs: int) -> str:
    own = state.producers[arguments["producer"]]
    asked = f"txn_write:{places[state.leader]}:{in_kafka(own.producer_id, own.epoch, epochs)}"
    return f"{asked}:{arguments['partition']}:{own.transaction}:{version(state)}"


def _end(state: Any, arguments: Arguments, places: Places, epochs: int) -> str:
    own = state.producers[arguments["producer"]]
    whose = in_kafka(own.producer_id, own.epoch, epochs)
    return f"txn_end:{places[state.leader]}:{whose}:{own.result.value}:{version(state)}"


def _delayed_end(state: Any, arguments: Arguments, places: Places, epochs: int) -> str:
    late = state.delayed
    whose = in_kafka(late.producer_id, late.epoch, epochs)
    return f"txn_end:{places[state.leader]}:{whose}:{late.result.value}:{version(state)}"


def _coordinator(word: str) -> Line:
    return lambda state, arguments, places, epochs: f"{word}:{places[state.leader]}"


def _broker(word: str, *more: str) -> Line:
    return lambda state, arguments, places, epochs: ":".join(
        (word, str(places[arguments["broker"]]), *(str(arguments[one]) for one in more))
    )


def _nobody(state: Any, arguments: Arguments, places: Places, epochs: int) -> str:
    """The producer alone: no broker hears of it."""
    return ""


MAPPED: Mapping[str, Line] = {
    **dict.fromkeys(("start", "begin_transaction", "end_transaction", "end_is_delayed"), _nobody),
    "init_producer_id": _coordinator("txn_init"),
    "init_fences": _coordinator("txn_init"),
    "write": _write,
    "end_is_answered": _end,
    "end_answer_is_lost": _end,
    "delayed_end_arrives": _delayed_end,
    "time_out": _coordinator("txn_time_out"),
    "write_marker": _broker("txn_marker", "partition"),
    "marker_answer_is_lost": _broker("txn_marker_unheard", "partition"),
    "marker_is_refused": _broker("txn_marker", "partition"),
    "complete": _coordinator("txn_complete"),
    "elect": _broker("txn_elect"),
    "load_log": _broker("txn_load"),
    "load_part": _broker("txn_load_part", "number"),
    "resign": _broker("txn_resign"),
}
"""The line of each step that Kafka can be told to take; "" if it is told nothing."""


def differs_in_answer(action: str, arguments: Arguments, after: Any, said: str, epochs: int) -> str:
    """What Kafka should have answered; "" if it has, or if nobody hears the answer."""
    if action == "delayed_end_arrives":
        return ""
    if action == "init_producer_id":
        own = after.producers[arguments["producer"]]
        wanted = in_kafka(own.producer_id, own.epoch, epochs)
        return _unless(said == wanted, wanted)
    if action == "init_fences":
        return _unless(said == CONCURRENT, CONCURRENT)
    if action == "marker_is_refused":
        return _unless(said in MARKER_REFUSED, " or ".join(sorted(MARKER_REFUSED)))
    if action == "end_is_answered":
        own = after.producers[arguments["producer"]]
        if own.phase == ProducerPhase.FAILED:
            return _unless(not is_success(said) and said != CONCURRENT, "an error that is fatal")
        told = f":{in_kafka(own.producer_id, own.epoch, epochs)}" if version(after) == FIRST_THAT_TELLS else ""
        return _unless(said == f"{DONE}{told}", f"{DONE}{told}")
    return _unless(is_success(said), DONE)


def _unless(so: bool, wanted: str) -> str:
    return "" if so else wanted
