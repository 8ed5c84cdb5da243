"""Every branch of the specification's actions is taken on Kafka, as far as that is possible."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.coverage import Watched, elsewhere
from epochal.kafka.lockstep.refused import Answer
from epochal.spec.kraft.configuration import SMALL_BOUNDS, configured
from tests.lockstep.conftest import Released

NEWEST = "4.4.0"


@pytest.mark.lockstep
def test_kafka_takes_every_branch_that_can_be_taken(released: Released, tmp_path: Path) -> None:
    released(NEWEST)
    result = epochal.lockstep_coverage(kafka=NEWEST, runs=6, max_states=50_000)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    found = result.coverage
    assert found.percent > 90 and len(found.taken) > 260
    assert {one.branch.action for one in found.taken} == {one.branch.action for one in found.branches}
    assert all(one.reason for one in found.branches if not one.taken)
    assert any(one.reason == "with unclean_leader_election on" for one in found.elsewhere)
    assert result.covered.directed  # some branches are taken by a run that was searched for
    guards = result.covered.guards
    assert not result.covered.not_refused
    refused = {(one.guard.action, *one.said[-1:]) for one in guards if one.answer == Answer.REFUSED}
    assert {("produce", "NOT_LEADER_OR_FOLLOWER"), ("produce", "NOT_ENOUGH_REPLICAS")} <= refused
    assert ("receive_answer", "NO_ANSWER") in refused
    (written,) = result.write(tmp_path)
    document = json.loads(Path(written).read_text())
    assert len(document["branches"]) == len(found.branches) and document["percent"] == found.percent


@pytest.mark.lockstep
def test_one_seed_makes_the_same_guided_runs(released: Released) -> None:
    released(NEWEST)
    rule = {"known_partition_epoch_ignored": "true"}
    first, second = (
        epochal.lockstep_runs(kafka=NEWEST, rules=rule, seed=3, runs=2, steps=40, guided=True) for _ in range(2)
    )
    assert first.runs.steps == second.runs.steps
    assert [one.lines for one in first.runs.differing] == [one.lines for one in second.runs.differing]


def test_settings_are_named_that_have_a_branch() -> None:
    shipped, other = configured(kafka="4.4.0"), configured(kafka="4.4.0", unclean_leader_election=True)
    watched, wider = (Watched(one(None, **SMALL_BOUNDS)) for one in (shipped, other))
    gained = frozenset(wider.possible - watched.possible)
    found = elsewhere(shipped(None, **SMALL_BOUNDS), gained)
    assert gained and found == dict.fromkeys(gained, "with unclean_leader_election on".removeprefix("with "))
