"""Counterexamples on Kafka's own classes: followed where the hole is open, left where a fix has closed it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import epochal
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.directed import COMPARED
from epochal.kafka.lockstep.families import families_of
from epochal.kafka.lockstep.known import own_model
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.registry import registered
from tests.lockstep.conftest import Released
from tests.lockstep.shown import RELEASES

RUNS = Path(__file__).resolve().parents[2] / "counterexamples"
N1 = RUNS / "kraft-n1-leader-candidate-completeness.itf.json"
S15 = RUNS / "kraft-s15-leader-candidate-completeness.itf.json"
S16 = RUNS / "kraft-s16-fenced-not-in-isr.itf.json"
NEWEST = "4.4.0"


@pytest.mark.parametrize("version", RELEASES)
def test_what_a_release_brings_along_is_compared(version: str) -> None:
    """A rule of a release may have variables of its own. If nothing compares them, no run of the release is mapped."""
    (s15,) = (bug for bug in CATALOGUE if bug.id == "S15")
    kind = registered(s15.without_rule)
    assert issubclass(kind, Kraft)
    model = own_model(kind(None), version, s15)
    assert isinstance(model, Kraft)
    variables = {leaf.path.partition(".")[0].partition("[")[0] for leaf in model.leaves}
    assert variables <= COMPARED.union(*(family.variables for family in families_of(model)))


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"])
def test_n1_is_lost_on_every_release(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_run(N1, kafka=version)
    assert result.exit_code == ExitCode.VIOLATED
    assert result.played.taken == len(result.played.trace.steps) == 9
    assert result.played.holds is False
    last = json.loads(result.played.answers[-1])["state"]
    assert last["acknowledged"] == [0]
    assert [broker["log"] for broker in last["brokers"]] == [[[0, 0]], [], []]


@pytest.mark.lockstep
@pytest.mark.parametrize(
    ("fix", "trace", "left_at"),
    [("N1", N1, 7), ("N1", S15, None), ("S15", S15, 10), ("S15", N1, None)],
    ids=lambda one: one.name[6:9] if isinstance(one, Path) else str(one),
)
def test_a_fix_keeps_its_own_run_alone(released: Released, fix: str, trace: Path, left_at: int | None) -> None:
    released(NEWEST)
    result = epochal.lockstep_run(trace, kafka=NEWEST, fixes=[fix])
    if left_at is None:
        assert result.exit_code == ExitCode.VIOLATED
    else:
        assert (result.exit_code, result.played.taken) == (ExitCode.HOLDS, left_at)
        assert result.played.differs and result.played.holds is None


@pytest.mark.lockstep
def test_a_hole_that_no_release_has_is_left_where_its_rule_is(released: Released) -> None:
    released(NEWEST)
    result = epochal.lockstep_run(S16, kafka=NEWEST, same=True)
    assert (result.exit_code, result.played.taken) == (ExitCode.DRIFTED, 3)
    assert [tuple(one) for one in result.played.differs] == [
        ("AlterPartition on its way", "none", "b1 asks for b1,b2"),
        ("b1 maximal ISR", "b1", "b1,b2"),
    ]
    assert "kept: Kafka leaves the run at step 3 of 4" in str(result)


@pytest.mark.lockstep
def test_a_kept_run_plays_to_the_same_answers(released: Released, tmp_path: Path) -> None:
    from epochal.kafka.lockstep.class_path import kafka_classes
    from epochal.kafka.lockstep.harness import CLUSTER, running
    from epochal.kafka.lockstep.lines import played_again, read_lines

    released(NEWEST)
    result = epochal.lockstep_run(N1, kafka=NEWEST)
    result.write(tmp_path)
    lines = read_lines(tmp_path / "run.steps")
    with running(CLUSTER, kafka_classes(NEWEST, None)) as kafka:
        again = list(played_again(kafka, lines))
    assert [one.line for one in again] == list(result.played.lines)
    assert all(one.kept and one.same for one in again)


@pytest.mark.lockstep
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("kraft-s17b-leader-candidate-completeness", "propose_decided: no step of the harness"),
    ],
)
def test_what_is_neither_set_nor_compared_has_no_verdict(released: Released, name: str, why: str) -> None:
    released(NEWEST)
    with pytest.raises(UsageError, match="cannot be played") as refused:
        epochal.lockstep_run(RUNS / f"{name}.itf.json", kafka=NEWEST)
    assert why in str(refused.value)
