"""Every release plays a scenario, and the newest plays all; what is kept agrees with itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.brokers.conftest import needed
from tests.brokers.evidence import unpack
from tests.brokers.record import record
from tests.brokers.releases import PINNED, release
from tests.brokers.scenarios import SCENARIOS
from tests.brokers.test_evidence import check
from tests.house.test_architecture import ROOT


@pytest.mark.brokers
@pytest.mark.parametrize("version", PINNED)
def test_a_change_of_leader_on_every_release(version: str, tmp_path: Path) -> None:
    archive = record(SCENARIOS["leader-change"], needed(release(version)), tmp_path, tier=2)
    about = check(unpack(archive, tmp_path / "out"))
    assert (about["kafka"], about["tier"]) == (version, 2)


@pytest.mark.brokers
@pytest.mark.parametrize("name", [name for name in SCENARIOS if name != "leader-change"])
def test_every_scenario_on_the_newest_release(name: str, tmp_path: Path) -> None:
    archive = record(SCENARIOS[name], needed(release("newest")), tmp_path)
    assert check(unpack(archive, tmp_path / "out"))["tier"] == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["no-such"], 2, "no scenario is called no-such: leader-change, "),
        (["all", "--kafka", "2.8"], 1, "no checksums are kept for Kafka 2.8: 3.9.2, "),
    ],
)
def test_what_cannot_be_recorded_is_said(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.brokers.record", *words, "--to", str(tmp_path / "none")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code and said in done.stderr
    assert not (tmp_path / "none").exists()
