"""Producers that send again, on Kafka's own classes: what is appended twice, and what brokers remember of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.directed import not_mapped, play
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.kafka.lockstep.models import protocol_beside, with_rules
from epochal.spec.kraft.configuration import ConfigurableKraft, with_more
from epochal.spec.kraft.options.deleted_records import DeletedRecords
from epochal.spec.kraft.options.producer_snapshots import ProducerSnapshots
from tests.lockstep.conftest import Released, run_of

RUNS = Path(__file__).resolve().parents[2] / "counterexamples"
P1 = RUNS / "kraft-p1-committed-once.itf.json"
KAFKA_15591 = RUNS / "kraft-kafka-15591-committed-once.itf.json"
NEWEST = "4.4.0"

STANDS = {
    "S31": "shown in 5 steps",
    "P1": "shown in 8 steps",
    "KIP-98": "closed: at step 5 of 5",
    "KIP-360": "shown in 7 steps",
    "KIP-854": "shown in 6 steps",
    "KAFKA-15591": "shown in 9 steps",
}
SNAPSHOTS = with_more(ConfigurableKraft, ProducerSnapshots)
DELETED = with_more(ConfigurableKraft, DeletedRecords)
P1_BOUNDS = {"replication_factor": 1, "records": 3, "max_epoch": 2, "metadata_lag": 1, "fencings": 1}
P1_BOUNDS |= dict.fromkeys(("crashes", "lossy_crashes", "shrinks", "elections"), 0)
RESTARTED = ("ShutDown(b1, -)", "Restart(b1, -)", "Unfence(b1, b1)", "ReplayMetadata(b1, 1)")
ANSWERED = ("ReceiveSuccess(b1, 0)", "ReceiveSuccess(b1, 1)")


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"])
def test_holes_of_producers_stand_as_the_model_of_the_release_says(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_catalogue(*STANDS, kafka=version, traces=RUNS)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {one.id: one.says for one in result.holes if one.id in STANDS} == STANDS


@pytest.mark.lockstep
def test_p1_is_open_before_elr_as_well(released: Released) -> None:
    released("3.9.2")
    protocol = protocol_beside("3.9.2", SNAPSHOTS, None, P1_BOUNDS)
    trace = epochal.check(protocol, properties=["committed_once"]).counterexample
    assert trace is not None
    result = epochal.lockstep_run(trace, kafka="3.9.2")
    assert (result.exit_code, result.played.holds) == (ExitCode.VIOLATED, False), str(result)


def leader_of(answer: str) -> Any:
    """What the harness says of its one broker."""
    (broker,) = json.loads(answer)["state"]["brokers"]
    return broker


@pytest.mark.lockstep
def test_p1_duplicates_what_was_committed(released: Released) -> None:
    released(NEWEST)
    played = epochal.lockstep_run(P1, kafka=NEWEST).played
    assert (played.followed, played.holds) == (True, False)
    assert json.loads(played.answers[7])["answers"][-1] == "OUT_OF_ORDER_SEQUENCE_NUMBER"
    assert leader_of(played.answers[2])["remembered"] == [0, 1]
    assert leader_of(played.answers[4])["remembered"] == [1]
    last = leader_of(played.answers[-1])
    assert (last["log"], last["highWatermark"]) == ([[0, 0], [1, 0], [2, 2]], 3)  # r2 carries what r0 does


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"])
def test_a_snapshot_of_all_batches_closes_p1(released: Released, version: str) -> None:
    """The run of P1 up to its restart: with all batches in the snapshot both are known then, and answered."""
    found = released(version)
    protocol = with_rules(protocol_beside(version, SNAPSHOTS, None, P1_BOUNDS), {"snapshots_keep_batches": "true"})
    trace = run_of(protocol, ("Produce(b1)", "Produce(b1)", *RESTARTED, *ANSWERED))
    assert not not_mapped(trace, version)
    with running(CLUSTER, kafka_classes(version, None, fixes=["P1"])) as harness:
        kept = play(harness, trace)
    assert kept.followed, kept.differs
    last = leader_of(kept.answers[-1])
    assert (last["log"], last["remembered"]) == ([[0, 0], [1, 0]], [0, 1])
    with running(CLUSTER, found) as harness:
        lost = play(harness, trace)
    assert (lost.taken, [tuple(one) for one in lost.differs]) == (4, [("b1 remembers", "r1", "r0 r1")])


@pytest.mark.lockstep
@pytest.mark.parametrize(
    ("fix", "trace", "left_at"),
    [
        ("P1", P1, 4),
        ("P1", KAFKA_15591, None),
        ("KAFKA-15591", KAFKA_15591, 2),
        ("KAFKA-15591", P1, None),
    ],
    ids=["p1-p1", "p1-15591", "15591-15591", "15591-p1"],
)
def test_a_fix_closes_its_own_hole_alone(released: Released, fix: str, trace: Path, left_at: int | None) -> None:
    released(NEWEST)
    result = epochal.lockstep_run(trace, kafka=NEWEST, fixes=[fix])
    if left_at is None:
        assert result.exit_code == ExitCode.VIOLATED
    else:
        assert (result.exit_code, result.played.taken) == (ExitCode.HOLDS, left_at)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.3.1", "4.4.0"])
def test_random_runs_of_an_idempotent_producer_are_the_same(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_runs(kafka=version, protocol=SNAPSHOTS, bounds={"records": 4}, seed=1, runs=12)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {"retry", "lose_request", "receive_success", "bump_epoch"} <= set(result.runs.steps)


@pytest.mark.lockstep
def test_what_a_snapshot_lacks_is_noticed(released: Released) -> None:
    released(NEWEST)
    asked: dict[str, Any] = {"kafka": NEWEST, "protocol": SNAPSHOTS, "bounds": {"records": 4}, "seed": 1, "runs": 12}
    fixed: dict[str, Any] = {"fixes": ["P1"]}
    for one in (fixed, {"rules": ["snapshots_keep_batches=true"]}):
        result = epochal.lockstep_runs(**asked, **one)
        assert result.exit_code == ExitCode.DRIFTED, str(result)
        assert any("remembers" in finding for finding in result.findings)


@pytest.mark.lockstep
def test_random_runs_in_which_records_are_deleted_are_the_same(released: Released) -> None:
    """On one broker: followers learn the log start offset with their fetches. A snapshot has all batches, as here."""
    released(NEWEST)
    bounds = {"replication_factor": 1, "records": 4}
    result = epochal.lockstep_runs(kafka=NEWEST, protocol=DELETED, fixes=["P1"], bounds=bounds, seed=2, runs=30)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {"delete_records", "retry", "crash", "bump_epoch"} <= set(result.runs.steps)
