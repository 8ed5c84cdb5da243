"""Faults side by side: after Ctrl-C what is known is told and nothing is searched; what processes cannot, one does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.api.result import Interrupted
from epochal.checker.workers.pool import WorkerLost, one_by_one
from epochal.kafka.guarantees import decided as guarantees
from epochal.kafka.guarantees import tables as faults_apart
from epochal.kafka.guarantees.cases import Answer
from epochal.kafka.guarantees.decided import Decided, GuaranteeOptions
from epochal.kafka.guarantees.tables import FaultAnswering

TINY: dict[str, Any] = {
    "replication_factor": 1,
    "max_epoch": 1,
    "metadata_lag": 1,
    "shrinks": 0,
    "elections": 0,
    "kafka": "G9",
    "workers": 2,
}
"""Bounds that no usual answer is of."""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known but what comes with the package, and processes do not take the time to start."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(faults_apart, "apart", lambda *_: nullcontext(partial(one_by_one, FaultAnswering)))


def engine_that(raises: type[BaseException], answers: int) -> Any:
    """Who answers so many of the last questions, and then raises something."""

    def engine(premises: GuaranteeOptions, questions: Sequence[tuple[int, Any]]) -> Iterator[tuple[int, Answer | None]]:
        yield from one_by_one(FaultAnswering, premises, questions[len(questions) - answers :])
        raise raises

    return lambda *_: nullcontext(engine)


def interrupted(faults: Sequence[str], **more: Any) -> epochal.Guarantees:
    """What is found until Ctrl-C."""
    with pytest.raises(Interrupted) as ended:
        epochal.guarantees(faults=faults, **{**TINY, **more})
    found = ended.value.result
    assert isinstance(found, epochal.Guarantees) and found.interrupted and found.exit_code == 30
    return found


def no_search(*_: object, **__: object) -> None:
    pytest.fail("nothing is searched after Ctrl-C")


def ids(found: epochal.Guarantees) -> list[str]:
    """The faults that the table has."""
    return [one.fault.id for one in found.tables[0].decided]


def test_after_ctrl_c_all_that_is_known_is_told_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first fault has no answer, the second one was known before, and the last one is answered."""
    epochal.guarantees(faults=["clean"], **TINY)
    monkeypatch.setattr(faults_apart, "apart", engine_that(KeyboardInterrupt, 1))
    monkeypatch.setattr(guarantees, "searched", no_search)
    found = interrupted(["none", "fencing", "clean"])
    assert ids(found) == ["clean", "fencing"] and found.missing == 1
    assert "Open: 1 fault not searched: interrupted." in str(found)


@pytest.mark.parametrize("more", ["causes", "recovery"])
def test_after_ctrl_c_nothing_more_is_searched(more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults_apart, "apart", engine_that(KeyboardInterrupt, 2))
    monkeypatch.setattr(guarantees, "_causes", no_search)
    monkeypatch.setattr(guarantees, "recoveries", no_search)
    found = interrupted(["none", "clean"], **{more: True})
    assert len(ids(found)) == 2 and found.missing == 0
    assert "Interrupted: nothing more was searched." in str(found)


def test_ctrl_c_before_the_first_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults_apart, "apart", engine_that(KeyboardInterrupt, 0))
    monkeypatch.setattr(guarantees, "searched", no_search)
    found = interrupted(["none", "clean"])
    assert ids(found) == [] and found.missing == 2 and "2 faults not searched" in str(found)
    assert found.to_dict()["exit_code"] == 30


def test_ctrl_c_beneath_a_fault_ends_the_others_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was decided of it stays, and of the next one what is known."""
    decided: list[Decided] = []

    def causes(_: object, found: Decided, *__: object) -> Iterator[Decided]:
        decided.append(found)
        yield replace(found, interrupted=True)

    monkeypatch.setattr(guarantees, "_causes", causes)
    found = interrupted(["none", "clean"], causes=True)
    assert len(decided) == 1 and len(ids(found)) == 2 and found.missing == 0


def test_ctrl_c_in_one_column_searches_nothing_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults_apart, "apart", engine_that(KeyboardInterrupt, 1))
    monkeypatch.setattr(guarantees, "searched", no_search)
    said = {**TINY, "versions": ("3.9", "G9")}
    said.pop("kafka")
    with pytest.raises(Interrupted) as ended:
        epochal.guarantees(faults=["none", "clean"], **said)
    found = ended.value.result
    assert isinstance(found, epochal.Guarantees)
    assert [len(table.decided) for table in found.tables] == [1, 0] and found.missing == 3
    assert "3 faults not searched" in str(found)


@pytest.mark.parametrize("short", ["memory", "lost"])
def test_what_no_process_can_answer_is_searched_here(short: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Answer | None] = []

    class Heard(FaultAnswering):
        def answer(self, question: Any, /) -> Answer | None:
            told.append(super().answer(question))
            return told[-1]

    if short == "memory":
        monkeypatch.setattr(faults_apart, "memory_limit", lambda: 2)
        monkeypatch.setattr(faults_apart, "apart", lambda *_: nullcontext(partial(one_by_one, Heard)))
    else:
        monkeypatch.setattr(faults_apart, "apart", engine_that(WorkerLost, 0))
    found = epochal.guarantees(faults=["none", "clean"], **TINY)
    assert len(ids(found)) == 2 and not found.tables[0].open and found.exit_code == 0
    assert told == ([None, None] if short == "memory" else [])
