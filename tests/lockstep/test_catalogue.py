"""Known holes on Kafka's own classes: those that the release has are shown, and the others closed at a step."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from tests.lockstep.conftest import Released
from tests.lockstep.patches import N1_FIXED

RUNS = Path(__file__).resolve().parents[2] / "counterexamples"

ALWAYS = {"KAFKA-20716", "Q5", "Q9", "S20", "S27", "S29"}
"""Holes that each of these releases has. On 3.9.2, without ELR, runs of a model that has it are not mapped."""

WITH_ELR = {
    *("H1", "H6", "H7b", "H8", "H8b", "H8c", "H13", "KAFKA-15591", "KAFKA-17375", "KIP-854"),
    *("N1", "N3", "P1", "S15", "S25", "S31"),
}

SHOWN = {
    "3.9.2": {*ALWAYS, "S18"},
    "4.0.2": {*ALWAYS, *WITH_ELR, "KAFKA-19446", "KAFKA-20634", "S22", "W4"},
    "4.1.2": {*ALWAYS, *WITH_ELR, "H2", "H3", "KAFKA-19446", "KAFKA-20634", "N2", "S24", "W4"},
    "4.4.0": {*ALWAYS, *WITH_ELR, "H2", "H4", "H7", "N2", "S24"},
}


@pytest.mark.lockstep
@pytest.mark.parametrize("version", SHOWN)
def test_each_hole_stands_as_the_model_of_the_release_says(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_catalogue(kafka=version, traces=RUNS)
    assert result.findings == [], str(result)
    assert {one.id for one in result.holes if one.standing.value == "shown"} == SHOWN[version]
    assert len(result.holes) == result.asked > 60
    assert sum(one.standing.value == "closed" for one in result.holes) >= 9


@pytest.mark.lockstep
def test_an_open_hole_that_is_fixed_is_told(released: Released, tmp_path: Path) -> None:
    released("4.4.0")
    fixed = [N1_FIXED.made("4.4.0", tmp_path)]
    result = epochal.lockstep_catalogue("N1", "N2", kafka="4.4.0", classes=fixed, traces=RUNS)
    assert (result.exit_code, result.findings) == (ExitCode.EXPECTATION_MISSED, ["N1"])
    assert "closed: at step 7 of 9; the model of the release: shown" in str(result)


@pytest.mark.lockstep
def test_a_run_that_is_in_no_folder_is_searched_for(released: Released) -> None:
    released("4.4.0")
    result = epochal.lockstep_catalogue("S12", kafka="4.4.0")
    assert [one.says for one in result.holes] == ["closed: at step 1 of 2"]
