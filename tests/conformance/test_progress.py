"""What takes long says how far it is."""

from __future__ import annotations

import json
import time

import pytest
from click.testing import CliRunner

import epochal
from epochal.api.conform import TELLING
from epochal.cli.main import main
from epochal.kafka.validation.meter import MANY, Meter, Progress
from tests.conformance.evidence import FOLDER

pytestmark = pytest.mark.usefixtures("without_runs")

ARCHIVE = FOLDER / "leader-change-4.3.1.tar.xz"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock on which every look takes three seconds."""
    seconds = iter(range(0, 1_000_000, 3))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))


def test_files_and_records(slow: None) -> None:
    told: list[Progress] = []
    epochal.conform(ARCHIVE, progress=told.append)
    assert told[0].doing == "reading leader-change-4.3.1.tar.xz"
    # twice: of which records the values are wanted is known after the first time
    assert max(one.read or 0 for one in told) == 2 * ARCHIVE.stat().st_size
    doing = list(dict.fromkeys(one.doing for one in told))
    assert doing[1:] == ["checking the controller", "looking for what may lose records"]
    assert {(one.done, one.of) for one in told if one.read is None} == {(0, 63)}


def test_nothing_is_told_of_what_is_quick() -> None:
    told: list[Progress] = []
    list(Meter(told.append).each("counting", range(10 * MANY)))
    assert len(told) == 1


def test_lines_of_the_command(slow: None) -> None:
    shown = CliRunner().invoke(main, ["conform", str(ARCHIVE), "--progress", "plain", "--format", "json"])
    assert "reading leader-change-4.3.1.tar.xz, " in shown.stderr and "0 of 63 records" in shown.stderr
    assert json.loads(shown.stdout)["exit_code"] == 0
    silent = CliRunner().invoke(main, ["conform", str(ARCHIVE), "--progress", "none"])
    assert silent.stderr == ""


def test_an_object_a_line() -> None:
    telling = TELLING
    reading = Progress("reading \x1b[31mx", 2048, None, None, 2.0004)
    assert telling.in_words(reading) == "reading ?[31mx, 2.0 KiB in all, 2.00 s"
    assert telling.document(reading) == {"doing": "reading \x1b[31mx", "read": 2048, "seconds": 2.0}
    judging = Progress("checking the controller", None, 1024, 1_000_000, 9.0)
    assert telling.in_words(judging).startswith("checking the controller, 1,024 of 1,000,000 records, ")
    assert telling.document(judging)["of"] == 1_000_000
