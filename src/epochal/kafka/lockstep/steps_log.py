"""Logs and what is on its way between followers and leaders: late answers, log start offsets, retention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from epochal.spec.kraft.options.answers import RepeatedRequests
from epochal.spec.kraft.options.consumer import LatestOffsets
from epochal.spec.kraft.options.coordinator import CoordinatorWrites
from epochal.spec.kraft.options.deletion_answers import DeletionAnswers
from epochal.spec.kraft.options.late_fetch import AnswerCheckedBefore, LateFetchAnswers
from epochal.spec.kraft.options.log_start import LogStart
from epochal.spec.kraft.options.lost_fetch import UnansweredFetches
from epochal.spec.kraft.options.retention import Retention
from epochal.spec.kraft.options.segment_size import LoweredSegmentSize
from epochal.spec.kraft.options.stale_controller import StaleController
from epochal.spec.kraft.options.torn_answer import TornAnswers
from epochal.spec.kraft.settings import AnswerRead
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import Identifier, Set

from .family import Family, KafkaRequest, Leaves, Places, Said, fetch_segment, produce, produce_segment, shown_log

NOTHING = "nothing"
SUCCESS = frozenset({"NONE"})


def _succeeds(action: str) -> Callable[[KraftState, KafkaRequest], frozenset[str] | None]:
    return lambda _, request: SUCCESS if request.action == action else None


ON_ITS_WAY = "answer on its way"
BEGUN = "answer that is being made"
ON_THE_WAY = frozenset({ON_ITS_WAY, BEGUN})
"""The leaves of answers that have not arrived."""


# -- answers that are late --------------------------------------------------------------------------------------------


def _fetch_with_late_answer(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"fetch_late:{places[request['follower']]}:{places[request['leader']]}",)


def _check_late_answer(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("check_late",)


def _late_answer_arrives(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("late_arrives",)


def _late(leader: str, epoch: int, follower: str, offset: int, carries: str) -> Leaves:
    return {ON_ITS_WAY: f"{leader} e{epoch} to {follower} at {offset}: {carries}"}


def _carried(diverging: Sequence[int] | None, records: Sequence[tuple[int, int]], high_watermark: int) -> str:
    if diverging is not None:
        return f"e{diverging[0]} ends at {diverging[1]}"
    return f"{shown_log(records) if records else 'no record'}, high watermark {high_watermark}"


def _late_in_kafka(said: Said, names: Sequence[str]) -> Leaves:
    late = said["late"]
    if late is None:
        return {ON_ITS_WAY: NOTHING}
    carries = f"error {late['error']}"
    if not late["error"]:
        carries = _carried(late["diverging"], [(id, epoch) for id, epoch in late["records"]], late["highWatermark"])
    return _late(names[late["leader"]], late["leaderEpoch"], names[late["follower"]], late["offset"], carries)


def _late_in_model(state: KraftState) -> Leaves:
    late = cast(LateFetchAnswers, state).late
    if late.follower is None:
        return {ON_ITS_WAY: NOTHING}
    records = [] if late.record is None else [(late.record.id, late.record.epoch)]
    carries = _carried((late.epoch, late.end) if late.diverging else None, records, late.hw)
    return _late(str(late.leader), late.leader_epoch, str(late.follower), late.offset, carries)


def _checked(so: bool) -> Leaves:
    return {f"{ON_ITS_WAY} was checked": "yes" if so else "no"}


def _checked_in_kafka(said: Said, _: Sequence[str]) -> Leaves:
    return _checked(said["late"] is not None and said["late"]["checked"])


def _checked_in_model(state: KraftState) -> Leaves:
    return _checked(cast(AnswerCheckedBefore, state).checked)


def _fetch_without_answer(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"fetch_lost:{places[request['follower']]}:{places[request['leader']]}",)


def _fetch_with_answer(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"fetch:{places[request['follower']]}:{places[request['leader']]}",)


# -- log start offsets ------------------------------------------------------------------------------------------------


def _delete_records(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"delete:{places[request['leader']]}:{request['offset']}",)


def _confirm_deletion(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"confirm:{places[request['leader']]}",)


def _begin_answer(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"begin_answer:{places[request['follower']]}:{places[request['leader']]}",)


def _finish_answer(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("finish_answer",)


def _start(start: int, failed: bool) -> dict[str, str]:
    return {"log start": str(start), "has given the partition up": "yes" if failed else "no"}


def _start_in_kafka(said: Said) -> Leaves:
    return _start(said["logStart"], said["failed"])


def _start_in_model(state: KraftState, broker: Identifier) -> Leaves:
    known = cast(LogStart, state)
    start = known.log_start[broker]
    left = [(record.id, record.epoch) for record in state.brokers[broker].log][start:]
    return {"log": shown_log(left), **_start(start, broker in known.failed)}


def _decode_start(state: KraftState, broker: Identifier, said: Said) -> None:
    known = cast(LogStart, state)
    known.log_start[broker] = said["logStart"]
    known.failed = known.failed | {broker} if said["failed"] else known.failed - {broker}


def _confirmed_in_kafka(said: Said, _: Sequence[str]) -> Leaves:
    return {"deletion confirmed up to": str(said["confirmed"])}


def _confirmed_in_model(state: KraftState) -> Leaves:
    return {"deletion confirmed up to": str(cast(DeletionAnswers, state).confirmed)}


def _decode_confirmed(state: KraftState, said: Said) -> None:
    cast(DeletionAnswers, state).confirmed = said["confirmed"]


def _begun_in_kafka(said: Said, names: Sequence[str]) -> Leaves:
    if said["begun"] is None:
        return {BEGUN: NOTHING}
    follower, leader, high_watermark = said["begun"]
    return {BEGUN: f"{names[leader]} to {names[follower]}: high watermark {high_watermark}"}


def _begun_in_model(state: KraftState) -> Leaves:
    begun = cast(TornAnswers, state).begun
    if begun.follower is None:
        return {BEGUN: NOTHING}
    read = {
        AnswerRead.LOG_START: f"log start {begun.log_start}",
        AnswerRead.HIGH_WATERMARK: f"high watermark {begun.hw}",
        AnswerRead.RECORDS: "a record" if begun.record else "no record",
    }
    return {BEGUN: f"{begun.leader} to {begun.follower}: {read[state.settings.answer_read]}"}


# -- retention, and the size of segments ------------------------------------------------------------------------------


def _expire(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"expire:{places[request['broker']]}:{request['offset']}",)


def _produce_of_a_size(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    """What is produced before segments are lowered is too large for them, and nothing later."""
    (small,) = produce(state, places[request["leader"]], state.next_record)
    return (small if cast(LoweredSegmentSize, state).too_large else small.replace("produce:", "produce_large:"),)


def _lower_segment_size(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("lower_segments",)


def _failed(so: bool) -> Leaves:
    return {"has given the partition up": "yes" if so else "no"}


def _failed_in_kafka(said: Said) -> Leaves:
    return _failed(said["failed"])


def _failed_in_model(state: KraftState, broker: Identifier) -> Leaves:
    return _failed(broker in cast(LoweredSegmentSize, state).failed)


# -- coordinators -----------------------------------------------------------------------------------------------------


def _write(state: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    (written,) = produce(state, places[request["leader"]], state.next_record)
    return (written.replace("produce:", "coordinate:"),)


def _hear_high_watermark(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"hear:{places[request['broker']]}",)


def _told(ids: Iterable[int]) -> Leaves:
    return {"coordinators were told of": " ".join(f"r{id}" for id in sorted(ids)) or NOTHING}


def _told_in_kafka(said: Said, _: Sequence[str]) -> Leaves:
    return _told(said["coordinatorsTold"])


def _told_in_model(state: KraftState) -> Leaves:
    return _told(cast(CoordinatorWrites, state).told)


def _decode_told(state: KraftState, said: Said) -> None:
    cast(CoordinatorWrites, state).told = Set(said["coordinatorsTold"])


# -- consumers, and controllers ---------------------------------------------------------------------------------------


def _list_latest_offset(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"latest:{places[request['leader']]}",)


def _latest_in_kafka(said: Said, _: Sequence[str]) -> Leaves:
    return {"latest offset that was told": str(said["latest"])}


def _latest_in_model(state: KraftState) -> Leaves:
    return {"latest offset that was told": str(cast(LatestOffsets, state).latest)}


def _decode_latest(state: KraftState, said: Said) -> None:
    cast(LatestOffsets, state).latest = said["latest"]


def _refuse_a_copy(state: KraftState, _: KafkaRequest, places: Places) -> Sequence[str]:
    assert state.request.leader is not None  # the guard of this step
    return (f"judge_copy:{places[state.request.leader]}",)


def _take_over(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("take_over",)


def _confirm_from_memory(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"ask_old:{places[request['leader']]}",)


def _remembered(names: Iterable[str]) -> Leaves:
    return {"ISR of the old controller": ",".join(sorted(names)) or NOTHING}


def _remembered_in_kafka(said: Said, names: Sequence[str]) -> Leaves:
    return _remembered(names[place] for place in said["remembered"])


def _remembered_in_model(state: KraftState) -> Leaves:
    return _remembered(str(one) for one in cast(StaleController, state).remembered)


FAMILIES: tuple[Family, ...] = (
    Family(
        LateFetchAnswers,
        {"fetch_with_late_answer": _fetch_with_late_answer, "late_answer_arrives": _late_answer_arrives},
        frozenset({"late"}),
        second_round={"fetch_with_late_answer": _late_answer_arrives},
        shared_in_model=_late_in_model,
        shared_in_kafka=_late_in_kafka,
    ),
    Family(
        AnswerCheckedBefore,
        {"check_late_answer": _check_late_answer},
        frozenset({"checked"}),
        shared_in_model=_checked_in_model,
        shared_in_kafka=_checked_in_kafka,
    ),
    Family(
        UnansweredFetches,
        {"fetch_without_answer": _fetch_without_answer},
        frozenset(),
        second_round={"fetch_without_answer": _fetch_with_answer},
    ),
    Family(
        LogStart,
        {"delete_records": _delete_records},
        frozenset({"log_start", "failed", "deleted"}),
        told_by_model=_start_in_model,
        told_by_kafka=_start_in_kafka,
        decode=_decode_start,
    ),
    Family(
        DeletionAnswers,
        {"confirm_deletion": _confirm_deletion},
        frozenset({"confirmed", "known_starts"}),  # by the second of these deletions are confirmed
        shared_in_model=_confirmed_in_model,
        shared_in_kafka=_confirmed_in_kafka,
        decode_shared=_decode_confirmed,
    ),
    Family(
        TornAnswers,
        {"begin_answer": _begin_answer, "finish_answer": _finish_answer},
        frozenset({"begun"}),
        second_round={"begin_answer": _finish_answer},
        shared_in_model=_begun_in_model,
        shared_in_kafka=_begun_in_kafka,
    ),
    Family(
        LatestOffsets,
        {"list_latest_offset": _list_latest_offset},
        frozenset({"latest"}),
        shared_in_model=_latest_in_model,
        shared_in_kafka=_latest_in_kafka,
        decode_shared=_decode_latest,
        answers=_succeeds("list_latest_offset"),
    ),
    Family(RepeatedRequests, {"refuse_a_copy": _refuse_a_copy}, frozenset()),
    Family(
        StaleController,
        {"take_over": _take_over, "confirm_from_memory": _confirm_from_memory},
        frozenset({"remembered", "confirmed"}),
        shared_in_model=_remembered_in_model,
        shared_in_kafka=_remembered_in_kafka,
        answers=_succeeds("confirm_from_memory"),
    ),
    Family(
        Retention,
        {"produce": produce_segment, "fetch": fetch_segment, "expire": _expire},
        frozenset(),
    ),
    Family(
        LoweredSegmentSize,
        {"produce": _produce_of_a_size, "lower_segment_size": _lower_segment_size},
        frozenset({"too_large", "failed"}),
        told_by_model=_failed_in_model,
        told_by_kafka=_failed_in_kafka,
    ),
    Family(
        CoordinatorWrites,
        {"produce": _write, "hear_high_watermark": _hear_high_watermark},
        frozenset({"pending", "told"}),
        shared_in_model=_told_in_model,
        shared_in_kafka=_told_in_kafka,
        decode_shared=_decode_told,
    ),
)
"""What is mapped here."""
