"""Known holes on Kafka's own classes: those that the release has are shown, and the others closed at a step."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.known import PLAYED
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.registry import registered
from tests.lockstep import shown
from tests.lockstep.conftest import Released
from tests.lockstep.shown import FURTHER, HOLES, RELEASES, RUNS, keep, kept, with_further


def test_what_is_kept_is_about_every_hole_that_may_be_played() -> None:
    lockstep = {bug.id for bug in CATALOGUE if issubclass(registered(bug.without_rule), PLAYED)}
    for release in RELEASES:
        found = kept(release)
        had = {id for id in FURTHER for bug in CATALOGUE if bug.id == id and bug.was_in(release)}
        assert found.keys() == lockstep | had
        assert all(said in ("shown", "closed") or said.startswith("not mapped: ") for said in found.values())


def test_what_is_kept_of_a_release_changes_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {one: kept(one) for one in RELEASES}
    monkeypatch.setattr(shown, "HOLES", Path(shutil.copy(HOLES, tmp_path)))
    changed = {**before["4.1.2"], "S2": "shown"}
    keep("4.1.2", changed)
    assert {one: kept(one) for one in RELEASES} == {**before, "4.1.2": changed}
    keep("4.1.2", before["4.1.2"])
    assert shown.HOLES.read_bytes() == HOLES.read_bytes()


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_each_hole_stands_as_it_is_kept_and_as_the_model_of_the_release_says(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_catalogue(kafka=version, traces=RUNS)
    assert result.findings == [], str(result)
    assert with_further(version, result.holes) == kept(version)


@pytest.mark.lockstep
def test_an_open_hole_that_is_fixed_is_told(released: Released) -> None:
    released("4.4.0")
    result = epochal.lockstep_catalogue("N1", "N2", kafka="4.4.0", fixes=["N1"], traces=RUNS)
    assert (result.exit_code, result.findings) == (ExitCode.EXPECTATION_MISSED, ["N1"])
    assert "closed: at step 7 of 9; the model of the release: shown" in str(result)


@pytest.mark.lockstep
def test_a_run_that_is_in_no_folder_is_searched_for(released: Released) -> None:
    released("4.4.0")
    result = epochal.lockstep_catalogue("S12", kafka="4.4.0")
    assert [one.says for one in result.holes] == ["closed: at step 1 of 2"]
