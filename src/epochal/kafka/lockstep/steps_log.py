"""Logs and what is on its way between followers and leaders: late answers, log start offsets, retention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from epochal.spec.kraft.options.late_fetch import AnswerCheckedBefore, LateFetchAnswers
from epochal.spec.kraft.state import KraftState

from .family import Family, KafkaRequest, Leaves, Places, Said

NOTHING = "nothing"
ON_ITS_WAY = "answer on its way"


def _record(id: int, epoch: int) -> str:
    return f"r{id}@e{epoch}"


# -- answers that are late --------------------------------------------------------------------------------------------


def _fetch_with_late_answer(_: KraftState, request: KafkaRequest, places: Places) -> Sequence[str]:
    return (f"fetch_late:{places[request['follower']]}:{places[request['leader']]}",)


def _check_late_answer(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("check_late",)


def _late_answer_arrives(_: KraftState, __: KafkaRequest, ___: Places) -> Sequence[str]:
    return ("late_arrives",)


def _late(leader: str, epoch: int, follower: str, offset: int, carries: str) -> Leaves:
    return {ON_ITS_WAY: f"{leader} e{epoch} to {follower} at {offset}: {carries}"}


def _carried(diverging: Sequence[int] | None, records: Sequence[str], high_watermark: int) -> str:
    if diverging is not None:
        return f"e{diverging[0]} ends at {diverging[1]}"
    return f"{' '.join(records) or 'no record'}, high watermark {high_watermark}"


def _late_in_kafka(said: Said, names: Sequence[str]) -> Leaves:
    late = said["late"]
    if late is None:
        return {ON_ITS_WAY: NOTHING}
    carries = f"error {late['error']}"
    if not late["error"]:
        records = [_record(id, epoch) for id, epoch in late["records"]]
        carries = _carried(late["diverging"], records, late["highWatermark"])
    return _late(names[late["leader"]], late["leaderEpoch"], names[late["follower"]], late["offset"], carries)


def _late_in_model(state: KraftState) -> Leaves:
    late = cast(LateFetchAnswers, state).late
    if late.follower is None:
        return {ON_ITS_WAY: NOTHING}
    records = [] if late.record is None else [_record(late.record.id, late.record.epoch)]
    carries = _carried((late.epoch, late.end) if late.diverging else None, records, late.hw)
    return _late(str(late.leader), late.leader_epoch, str(late.follower), late.offset, carries)


def _checked(so: bool) -> Leaves:
    return {f"{ON_ITS_WAY} was checked": "yes" if so else "no"}


def _checked_in_kafka(said: Said, _: Sequence[str]) -> Leaves:
    return _checked(said["late"] is not None and said["late"]["checked"])


def _checked_in_model(state: KraftState) -> Leaves:
    return _checked(cast(AnswerCheckedBefore, state).checked)


FAMILIES: tuple[Family, ...] = (
    Family(
        LateFetchAnswers,
        {"fetch_with_late_answer": _fetch_with_late_answer, "late_answer_arrives": _late_answer_arrives},
        frozenset({"late"}),
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
)
"""What is mapped here."""
