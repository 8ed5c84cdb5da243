"""Transactions on Kafka's own classes: what comes late, what decides, and what consumers may see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.directed import not_mapped, play
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.kafka.lockstep.models import protocol_beside, with_rules
from epochal.spec.kraft.configuration import ConfigurableKraft, with_more
from epochal.spec.kraft.options.last_stable_offset import LastStableOffset
from epochal.spec.kraft.options.loaded_markers import LoadedMarkers
from tests.lockstep.conftest import Released, run_of

RUNS = Path(__file__).resolve().parents[2] / "counterexamples"
TRANSACTIONS = with_more(ConfigurableKraft, LastStableOffset)
NEWEST = "4.4.0"

SAME_IN_ALL = {
    "KIP-98b": "closed: at step 6 of 6",
    "KIP-98c": "closed: at step 6 of 8",
    "KAFKA-14402": "closed: at step 6 of 6",
    "KIP-890": "closed: at step 7 of 9",
    "KAFKA-20716": "shown in 12 steps",
}
LATE_MARKER = {"4.0.2": "shown in 7 steps", "4.1.2": "shown in 7 steps"}
LATE_MARKER |= dict.fromkeys(("4.2.2", "4.3.1", "4.4.0"), "closed: at step 7 of 7")


@pytest.mark.lockstep
@pytest.mark.parametrize("version", LATE_MARKER)
def test_holes_of_transactions_stand_as_the_model_of_the_release_says(released: Released, version: str) -> None:
    released(version)
    stands = {**SAME_IN_ALL, "KAFKA-19446": LATE_MARKER[version]}
    result = epochal.lockstep_catalogue(*stands, kafka=version, traces=RUNS)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {one.id: one.says for one in result.holes if one.id in stands} == stands


@pytest.mark.lockstep
@pytest.mark.parametrize(
    ("name", "version", "answer"),
    [
        ("kip-98b-no-hanging-transaction", NEWEST, "PENDING"),
        ("kip-890-aborted-is-never-visible", NEWEST, "INVALID_PRODUCER_EPOCH"),
        ("kafka-14402-no-hanging-transaction", "4.0.2", "INVALID_TXN_STATE"),
        ("kafka-14402-no-hanging-transaction", NEWEST, "INVALID_PRODUCER_EPOCH"),
        ("kafka-19446-stable-is-decided", "4.1.2", "NONE"),
        ("kafka-19446-stable-is-decided", NEWEST, "INVALID_PRODUCER_EPOCH"),
    ],
)
def test_a_hole_is_closed_by_the_answer_that_its_rule_brings(
    released: Released, name: str, version: str, answer: str
) -> None:
    released(version)
    played = epochal.lockstep_run(RUNS / f"kraft-{name}.itf.json", kafka=version).played
    assert json.loads(played.answers[-1])["answers"][-1] == answer


@pytest.mark.lockstep
@pytest.mark.parametrize("broken", ["aborted_is_never_visible", "stable_is_decided"])
def test_one_epoch_for_all_transactions_lets_late_requests_decide(released: Released, broken: str) -> None:
    released("3.9.2")
    few = dict.fromkeys(("max_epoch", "crashes", "lossy_crashes", "fencings", "shrinks", "elections"), 0)
    bounds = {"replication_factor": 1, "records": 3, "transactions": 2, "metadata_lag": 1, **few}
    trace = epochal.check(protocol_beside("3.9.2", TRANSACTIONS, None, bounds), properties=[broken]).counterexample
    assert trace is not None
    result = epochal.lockstep_run(trace, kafka="3.9.2")
    assert (result.exit_code, result.played.holds) == (ExitCode.VIOLATED, False), str(result)


LOADED = with_more(ConfigurableKraft, LoadedMarkers)
BOUNDS = {"replication_factor": 2, "records": 2, "metadata_lag": 1, "max_epoch": 4, "fencings": 3}
BOUNDS |= dict.fromkeys(("crashes", "lossy_crashes", "shrinks", "elections"), 0)
MARKER_AT_B1_ALONE = (
    "BeginTransaction()",
    "Produce(b1)",
    *3 * ("Fetch(b2, b1)",),
    "EndTransaction(commit)",
    "WriteMarker(b1)",
    "ShutDown(b2, b1)",
    "ReplayMetadata(b1, 1)",
)
B1_LEADS_AGAIN = ("ShutDown(b1, -)", "Restart(b1, -)", "Unfence(b1, b1)", "ReplayMetadata(b1, 1)")
B2_LEADS = ("ShutDown(b1, -)", "Restart(b2, -)", "Unfence(b2, b2)", "ReplayMetadata(b2, 1)")


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"])
def test_a_restart_forgets_that_a_marker_is_not_replicated(released: Released, version: str) -> None:
    """What KIP-98c avoids happens after a restart: consumers have seen what is open again at the next leader."""
    found = released(version)
    protocol = protocol_beside(version, LOADED, {"elr": True}, BOUNDS)
    trace = run_of(protocol, (*MARKER_AT_B1_ALONE, *B1_LEADS_AGAIN, *B2_LEADS))
    assert not not_mapped(trace, version)
    with running(CLUSTER, found) as harness:
        played = play(harness, trace)
    assert played.followed, played.differs
    before, restarted, after = (
        json.loads(played.answers[place])["state"]["brokers"] for place in (len(MARKER_AT_B1_ALONE), 13, 17)
    )
    assert (before[0]["log"], before[0]["highWatermark"], before[0]["lastStableOffset"]) == ([[0, 0], [1, 0]], 1, 0)
    assert (restarted[0]["leads"], restarted[0]["highWatermark"], restarted[0]["lastStableOffset"]) == (True, 1, 1)
    assert (after[1]["leads"], after[1]["log"], after[1]["lastStableOffset"]) == (True, [[0, 0]], 0)
    stays = [cast(LastStableOffset, protocol.at(step.codes)).visible_stays() for step in trace.steps]
    assert stays == [*16 * (True,), False]


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.1.2", "4.4.0"])
def test_random_runs_of_transactions_are_the_same(released: Released, version: str) -> None:
    released(version)
    bounds = {"records": 4, "transactions": 2}
    result = epochal.lockstep_runs(kafka=version, protocol=LOADED, bounds=bounds, seed=2, runs=12)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {"write_marker", "acknowledge_marker", "end_transaction"} <= set(result.runs.steps)


@pytest.mark.lockstep
def test_a_model_that_keeps_what_kafka_forgets_is_noticed(released: Released) -> None:
    found = released(NEWEST)
    kept = with_rules(protocol_beside(NEWEST, LOADED, {"elr": True}, BOUNDS), {"unreplicated_markers_are_kept": "true"})
    trace = run_of(kept, (*MARKER_AT_B1_ALONE, *B1_LEADS_AGAIN))
    assert not not_mapped(trace, NEWEST)
    with running(CLUSTER, found) as harness:
        played = play(harness, trace)
    restarted = len(MARKER_AT_B1_ALONE) + 2
    assert (played.taken, [tuple(one) for one in played.differs]) == (restarted, [("b1 last stable offset", "1", "0")])
