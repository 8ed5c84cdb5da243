"""Logs and what is on its way between followers and leaders: late answers, log start offsets, retention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

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

from .family import FETCH, PRODUCE, SEGMENTS, Family, KafkaRequest, Leaves, Places, Said, line, shown_log, yes

NOTHING = "nothing"
SUCCESS = frozenset({"NONE"})


def _succeeds(action: str) -> Callable[[KraftState, KafkaRequest], frozenset[str] | None]:
    return lambda _, request: SUCCESS if request.action == action else None


ON_ITS_WAY = "answer on its way"
BEGUN = "answer that is being made"
ON_THE_WAY = frozenset({ON_ITS_WAY, BEGUN})
"""The leaves of answers that have not arrived."""


# -- answers that are late --------------------------------------------------------------------------------------------


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


def _late_in_model(state: LateFetchAnswers) -> Leaves:
    late = state.late
    if late.follower is None:
        return {ON_ITS_WAY: NOTHING}
    records = [] if late.record is None else [(late.record.id, late.record.epoch)]
    carries = _carried((late.epoch, late.end) if late.diverging else None, records, late.hw)
    return _late(str(late.leader), late.leader_epoch, str(late.follower), late.offset, carries)


def _checked(so: bool) -> Leaves:
    return {f"{ON_ITS_WAY} was checked": yes(so)}


# -- log start offsets ------------------------------------------------------------------------------------------------


def _failed(so: bool) -> dict[str, str]:
    return {"has given the partition up": yes(so)}


def _start(start: int, failed: bool) -> dict[str, str]:
    return {"log start": str(start), **_failed(failed)}


def _start_in_model(known: LogStart, broker: Identifier) -> Leaves:
    start = known.log_start[broker]
    left = [(record.id, record.epoch) for record in known.brokers[broker].log][start:]
    return {"log": shown_log(left), **_start(start, broker in known.failed)}


def _decode_start(known: LogStart, broker: Identifier, said: Said) -> None:
    known.log_start[broker] = said["logStart"]
    known.failed = known.failed | {broker} if said["failed"] else known.failed - {broker}


def _confirmed(offset: int) -> Leaves:
    return {"deletion confirmed up to": str(offset)}


def _decode_confirmed(state: DeletionAnswers, said: Said) -> None:
    state.confirmed = said["confirmed"]


def _begun_in_kafka(said: Said, names: Sequence[str]) -> Leaves:
    if said["begun"] is None:
        return {BEGUN: NOTHING}
    follower, leader, high_watermark = said["begun"]
    return {BEGUN: f"{names[leader]} to {names[follower]}: high watermark {high_watermark}"}


def _begun_in_model(state: TornAnswers) -> Leaves:
    begun = state.begun
    if begun.follower is None:
        return {BEGUN: NOTHING}
    read = {
        AnswerRead.LOG_START: f"log start {begun.log_start}",
        AnswerRead.HIGH_WATERMARK: f"high watermark {begun.hw}",
        AnswerRead.RECORDS: "a record" if begun.record else "no record",
    }
    return {BEGUN: f"{begun.leader} to {begun.follower}: {read[state.settings.answer_read]}"}


def _produce_of_a_size(state: LoweredSegmentSize, request: KafkaRequest, places: Places) -> str:
    """What is produced before segments are lowered is too large for them, and nothing later."""
    return line(PRODUCE if state.too_large else PRODUCE.replace("produce:", "produce_large:"), state, request, places)


# -- coordinators, consumers and controllers --------------------------------------------------------------------------


def _told(ids: Iterable[int]) -> Leaves:
    return {"coordinators were told of": " ".join(f"r{id}" for id in sorted(ids)) or NOTHING}


def _decode_told(state: CoordinatorWrites, said: Said) -> None:
    state.told = Set(said["coordinatorsTold"])


def _latest(offset: int) -> Leaves:
    return {"latest offset that was told": str(offset)}


def _decode_latest(state: LatestOffsets, said: Said) -> None:
    state.latest = said["latest"]


def _refuse_a_copy(state: KraftState, _: KafkaRequest, places: Places) -> str:
    assert state.request.leader is not None  # the guard of this step
    return f"judge_copy:{places[state.request.leader]}"


def _remembered(names: Iterable[str]) -> Leaves:
    return {"ISR of the old controller": ",".join(sorted(names)) or NOTHING}


FAMILIES: tuple[Family[Any], ...] = (
    Family(
        LateFetchAnswers,
        {"fetch_with_late_answer": "fetch_late:{follower}:{leader}", "late_answer_arrives": "late_arrives"},
        frozenset({"late"}),
        second_round={"fetch_with_late_answer": "late_arrives"},
        shared_in_model=_late_in_model,
        shared_in_kafka=_late_in_kafka,
    ),
    Family(
        AnswerCheckedBefore,
        {"check_late_answer": "check_late"},
        frozenset({"checked"}),
        shared_in_model=lambda state: _checked(state.checked),
        shared_in_kafka=lambda said, _: _checked(said["late"] is not None and said["late"]["checked"]),
    ),
    Family(
        UnansweredFetches,
        {"fetch_without_answer": "fetch_lost:{follower}:{leader}"},
        frozenset(),
        second_round={"fetch_without_answer": FETCH},
    ),
    Family(
        LogStart,
        {"delete_records": "delete:{leader}:{offset}"},
        frozenset({"log_start", "failed", "deleted"}),
        told_by_model=_start_in_model,
        told_by_kafka=lambda said: _start(said["logStart"], said["failed"]),
        decode=_decode_start,
    ),
    Family(
        DeletionAnswers,
        {"confirm_deletion": "confirm:{leader}"},
        frozenset({"confirmed", "known_starts"}),  # by the second of these deletions are confirmed
        shared_in_model=lambda state: _confirmed(state.confirmed),
        shared_in_kafka=lambda said, _: _confirmed(said["confirmed"]),
        decode_shared=_decode_confirmed,
    ),
    Family(
        TornAnswers,
        {"begin_answer": "begin_answer:{follower}:{leader}", "finish_answer": "finish_answer"},
        frozenset({"begun"}),
        second_round={"begin_answer": "finish_answer"},
        shared_in_model=_begun_in_model,
        shared_in_kafka=_begun_in_kafka,
    ),
    Family(
        LatestOffsets,
        {"list_latest_offset": "latest:{leader}"},
        frozenset({"latest"}),
        shared_in_model=lambda state: _latest(state.latest),
        shared_in_kafka=lambda said, _: _latest(said["latest"]),
        decode_shared=_decode_latest,
        answers=_succeeds("list_latest_offset"),
    ),
    Family(RepeatedRequests, {"refuse_a_copy": _refuse_a_copy}, frozenset()),
    Family(
        StaleController,
        {"take_over": "take_over", "confirm_from_memory": "ask_old:{leader}"},
        frozenset({"remembered", "confirmed"}),
        shared_in_model=lambda state: _remembered(map(str, state.remembered)),
        shared_in_kafka=lambda said, names: _remembered(names[place] for place in said["remembered"]),
        answers=_succeeds("confirm_from_memory"),
    ),
    Family(Retention, {**SEGMENTS, "expire": "expire:{broker}:{offset}"}, frozenset()),
    Family(
        LoweredSegmentSize,
        {"produce": _produce_of_a_size, "lower_segment_size": "lower_segments"},
        frozenset({"too_large", "failed"}),
        told_by_model=lambda state, broker: _failed(broker in state.failed),
        told_by_kafka=lambda said: _failed(said["failed"]),
    ),
    Family(
        CoordinatorWrites,
        {"produce": PRODUCE.replace("produce:", "coordinate:"), "hear_high_watermark": "hear:{broker}"},
        frozenset({"pending", "told"}),
        shared_in_model=lambda state: _told(state.told),
        shared_in_kafka=lambda said, _: _told(said["coordinatorsTold"]),
        decode_shared=_decode_told,
    ),
)
"""What is mapped here."""
