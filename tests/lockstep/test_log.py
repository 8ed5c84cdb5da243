"""Late answers, log start offsets and the epoch file on Kafka's own brokers: what is lost, and what a fix keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.options.deletion_answers import DeletionAnswers
from epochal.spec.kraft.options.late_fetch import AnswerCheckedBefore
from epochal.spec.kraft.options.lost_fetch import LostFetchAnswers
from tests.lockstep.conftest import Released
from tests.lockstep.shown import BOTH, EPOCH_FILE, FAILURE, after, shortest

RUNS = Path(__file__).resolve().parents[2] / "counterexamples"
NEWEST: Final = "4.4.0"
SINCE_ELR: Final = ("4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
ALL: Final = ("3.9.2", *SINCE_ELR)

STANDS: Final = {
    "S10": "closed: at step 13 of 13",
    "KAFKA-13207": "closed: at step 12 of 12",
    "H6": "shown in 14 steps",
    "H8": "shown in 8 steps",
    "H8b": "shown in 9 steps",
    "H8c": "shown in 11 steps",
    "KAFKA-7104": "closed: at step 1 of 7",
    "KAFKA-9491": "closed: at step 6 of 11",
    "KAFKA-12996": "closed: at step 12 of 12",
    "KAFKA-5634": "closed: at step 3 of 4",
    "KAFKA-17375": "shown in 3 steps",
    "S30": "closed: at step 7 of 7",
    "N3": "shown in 9 steps",
}
OPEN_COORDINATORS: Final = {"KAFKA-20634": "shown in 10 steps", "SG7": "shown in 8 steps"}
"""KAFKA-20634, of consumer groups and of share groups, before 4.2."""
CLOSED_COORDINATORS: Final = {"KAFKA-20634": "closed: at step 10 of 10", "SG7": "closed: at step 7 of 8"}


@pytest.mark.lockstep
@pytest.mark.parametrize("version", SINCE_ELR)
def test_each_hole_of_the_log_on_each_release(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_catalogue(*STANDS, "KAFKA-20634", kafka=version, traces=RUNS)
    coordinators = OPEN_COORDINATORS if version in ("4.0.2", "4.1.2") else CLOSED_COORDINATORS
    assert {one.id: one.says for one in result.holes} == {**STANDS, **coordinators}
    assert result.findings == []


@pytest.mark.lockstep
def test_s10_is_open_where_late_answers_are_taken(released: Released) -> None:
    released("4.0.0")
    result = epochal.lockstep_catalogue("S10", kafka="4.0.0", traces=RUNS)
    assert [one.says for one in result.holes] == ["shown in 13 steps"]
    assert result.exit_code == ExitCode.HOLDS


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ALL)
@pytest.mark.parametrize("hole", ["h6", "h8", "h8c"])
def test_open_holes_without_eligible_leaders(released: Released, version: str, hole: str) -> None:
    released(version)
    result = epochal.lockstep_run(shortest(hole), kafka=version)
    assert result.exit_code == ExitCode.VIOLATED, str(result)


LEFT_AT: Final = {"h6": 14, "h8b": 6, "h8c": 8}


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.0.2", NEWEST])
@pytest.mark.parametrize("hole", LEFT_AT)
def test_a_fix_keeps_what_was_lost(released: Released, version: str, hole: str) -> None:
    released(version)
    (run,) = RUNS.glob(f"kraft-{hole}-*.itf.json")
    assert epochal.lockstep_run(run, kafka=version).exit_code == ExitCode.VIOLATED
    fixed = epochal.lockstep_run(run, kafka=version, fixes=[hole])
    assert (fixed.exit_code, fixed.played.taken) == (ExitCode.HOLDS, LEFT_AT[hole]), str(fixed)


@pytest.mark.lockstep
def test_a_follower_that_takes_any_size_goes_on(released: Released) -> None:
    released(NEWEST)
    run = RUNS / "kraft-kafka-17375-logs-converge.itf.json"
    fixed = epochal.lockstep_run(run, kafka=NEWEST, fixes=["KAFKA-17375"])
    assert fixed.exit_code == ExitCode.HOLDS
    assert [tuple(one) for one in fixed.played.differs] == [
        ("b1 log", "r0@e0", "empty"),
        ("b1 has given the partition up", "no", "yes"),
    ]


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["3.9.2", NEWEST])
def test_an_answer_of_one_moment_keeps_the_follower(released: Released, version: str) -> None:
    released(version)
    run = shortest("h8")
    assert epochal.lockstep_run(run, kafka=version).exit_code == ExitCode.VIOLATED
    fixed = epochal.lockstep_run(run, kafka=version, fixes=["H8"])
    assert fixed.exit_code == ExitCode.HOLDS
    assert [tuple(one) for one in fixed.played.differs] == [("b3 has given the partition up", "no", "yes")]


# -- S14 --------------------------------------------------------------------------------------------------------------
# The shortest run drops one of two followers that are behind; here the other one has caught up.

DEPOSED: Final = [
    "controller:fence:1",
    "take_over",
    "controller:unfence:1",
    "replay:0:1",
    "fetch:1:0",
    "judge:0",
    "replay:0:1",
    "produce:0:0:-1",
    "fetch:2:0",
    "fetch:2:0",
    "shrink:0",
    "ask_old:0",
]
"""The leader asks for the ISR that a deposed controller remembers, and the request comes to that one."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ALL)
def test_a_deposed_controller_confirms_nothing(released: Released, version: str) -> None:
    released(version)
    begin = f"begin|3|{int(version != '3.9.2')}|1|0|0,1,2|0|0|0|0,1,2||-1|0|||0,1,2|"
    with running(CLUSTER, kafka_classes(version, None)) as kafka:
        answers = kafka.ask([begin, *(f"wait:31000 {line}" for line in DEPOSED)])
    last = json.loads(answers[-1])
    assert last["answers"] == ["NONE", "NOT_CONTROLLER"]
    assert last["state"]["remembered"] == last["state"]["proposed"][0] == [0, 2]
    assert last["state"]["brokers"][0]["isr"] == last["state"]["brokers"][0]["maximalIsr"] == [0, 1, 2]


# -- random runs ------------------------------------------------------------------------------------------------------


class Late(AnswerCheckedBefore, ConfigurableKraft):
    """Answers that are held up, checked and unchecked."""


class Deleting(DeletionAnswers, LostFetchAnswers, ConfigurableKraft):
    """Records that are deleted, answers that are lost, and deletions that are confirmed."""


AS_KAFKA: Final[dict[type[ConfigurableKraft], dict[str, str]]] = {
    Late: {"late_answer_checked_when_applied": "false"},
    Deleting: {"joins_at_log_start": "false", "deletion_waits_for_candidates": "false"},
}


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.3.1", NEWEST])
@pytest.mark.parametrize("model", AS_KAFKA, ids=lambda model: model.__name__)
def test_random_runs_are_the_same(released: Released, version: str, model: type[ConfigurableKraft]) -> None:
    released(version)
    result = epochal.lockstep_runs(kafka=version, protocol=model, rules=AS_KAFKA[model], seed=1, runs=8)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert result.runs.compared > 400


# -- H5 ---------------------------------------------------------------------------------------------------------------
# No time goes on, so that what the follower has truncated is not written to the file of its epochs.


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ALL)
def test_an_epoch_that_was_truncated_truncates_again(released: Released, version: str) -> None:
    released(version)
    *_, before, down, restarted, fetched = after(version, [*EPOCH_FILE, *FAILURE])
    assert down is None
    assert before["log"] == restarted["log"] == BOTH
    assert restarted["highWatermark"] == 2
    assert (fetched["log"], fetched["highWatermark"]) == (BOTH[:1], 1)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["3.9.2", NEWEST])
def test_an_epoch_file_that_is_written_keeps_the_log(released: Released, version: str) -> None:
    released(version)
    waited = after(version, [*EPOCH_FILE, "wait:1", *FAILURE])[-1]
    fixed = after(version, [*EPOCH_FILE, *FAILURE], ["H5"])[-1]
    for one in (waited, fixed):
        assert (one["log"], one["highWatermark"]) == (BOTH, 2)
