"""Random runs: the same on every release, and every rule that is taken away on either side is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.directed import not_mapped, play
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.kafka.lockstep.models import protocol_beside
from epochal.spec.kraft.configuration import ConfigurableKraft, with_more
from epochal.spec.kraft.options.fetch_news import FetchNews
from tests.lockstep.conftest import Released, run_of
from tests.lockstep.mutants import LEADER_MUTANTS, Mutant

NEWEST = "4.4.0"


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.1.2", "4.2.2", "4.3.1", "4.4.0"])
def test_kafka_does_what_the_specification_says(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_runs(kafka=version, elr=True, seed=3, runs=8)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert result.runs.runs == 8 and result.runs.compared > 400
    assert len(result.runs.steps) >= 12  # of the thirteen actions that are mapped


@pytest.mark.lockstep
def test_one_seed_says_the_same_lines(released: Released, tmp_path: Path) -> None:
    released(NEWEST)
    rule = {"known_partition_epoch_ignored": "true"}
    first, second = (epochal.lockstep_runs(kafka=NEWEST, rules=rule, seed=3, runs=2) for _ in range(2))
    assert first.runs.differing and first.runs.steps == second.runs.steps
    assert [one.lines for one in first.runs.differing] == [one.lines for one in second.runs.differing]
    files = [Path(name) for name in first.write(tmp_path)]
    again = epochal.lockstep_lines(next(one for one in files if one.suffix == ".steps"), kafka=NEWEST)
    assert again.exit_code == ExitCode.HOLDS, str(again)


@pytest.mark.lockstep
@pytest.mark.parametrize("mutant", LEADER_MUTANTS, ids=lambda mutant: mutant.name)
def test_a_rule_that_kafka_lacks_is_noticed(released: Released, tmp_path: Path, mutant: Mutant) -> None:
    released(NEWEST)
    result = epochal.lockstep_runs(
        kafka=NEWEST, classes=[mutant.made(NEWEST, tmp_path)], elr=True, seed=1, runs=20, budget=120
    )
    assert result.exit_code == ExitCode.DRIFTED, str(result)


@pytest.mark.lockstep
def test_a_fix_is_the_model_with_its_rule(released: Released) -> None:
    released(NEWEST)
    rule = {"known_partition_epoch_ignored": "true"}
    result = epochal.lockstep_runs(kafka=NEWEST, fixes=["S15"], rules=rule, seed=3, runs=4)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    without = epochal.lockstep_runs(kafka=NEWEST, fixes=["S15"], seed=3, runs=4)
    assert without.exit_code == ExitCode.DRIFTED, str(without)
    assert without.findings == ["replay_known_change maximal ISR"]


NEWS = with_more(ConfigurableKraft, FetchNews)
FEW = {"replication_factor": 3, "records": 1, "metadata_lag": 2, "max_epoch": 2, "fencings": 2}
FEW |= dict.fromkeys(("crashes", "lossy_crashes", "shrinks", "elections"), 0)
REFUSED = (
    *("Fence(b3, b1)", "ReplayMetadata(b1, 1)", "Unfence(b3, -)"),
    *("Fetch(b3, b1)", "Produce(b1)", "Fetch(b2, b1)", "Fetch(b2, b1)"),
    *("Fence(b3, -)", "HandleAlterPartition(-)", "Fetch(b2, b1)"),
)
"""The leader waits for a third replica, which is to join; that is refused, and nothing new comes from the second."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"])
def test_a_fetch_without_news_leaves_the_high_watermark(released: Released, version: str) -> None:
    found = released(version)
    with running(CLUSTER, found) as harness:
        trace = run_of(protocol_beside(version, NEWS, {"elr": version != "3.9.2"}, FEW), REFUSED)
        assert not not_mapped(trace, version)
        assert play(harness, trace).followed
        core = run_of(protocol_beside(version, ConfigurableKraft, {"elr": version != "3.9.2"}, FEW), REFUSED)
        played = play(harness, core)
    assert (played.taken, played.differs) == (len(REFUSED) - 1, ())
    assert played.refused.startswith("a fetch without news"), played.refused


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.2.2", "4.4.0"])
def test_random_runs_with_refused_proposals_are_the_same(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_runs(kafka=version, protocol=NEWS, elr=True, seed=5, runs=8)
    assert result.exit_code == ExitCode.HOLDS, str(result)
