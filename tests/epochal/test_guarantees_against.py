"""A protocol of one's own held against kraft: an empty promise is told, and whose run is told next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.epochal.test_guarantee_tables import CHANGE, run


def test_where_both_say_no_ones_own_run_is_told_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(CHANGE)
    bounds = ("--replication-factor", "2", "--metadata-lag", "1", "--elections", "0")
    said = run("mine.py:Forgetful", "--against", "kraft", *bounds, "--fault", "lossy-and-clean")
    after = said.stdout.partition("\nNext\n")[2]
    assert "epochal guarantees mine.py:Forgetful --fault lossy-and-clean" in after and "--kafka" not in after


SILENT = """\
from epochal.language import Identifier
from epochal.spec.kraft.configuration import ConfigurableKraft


class Forgets(ConfigurableKraft):
    \"\"\"A Kafka whose followers copy nothing: no write with acks=all ever succeeds.\"\"\"

    def copy_next(self, follower: Identifier, leader: Identifier) -> None:
        pass
"""


def test_a_protocol_that_acknowledges_nothing_keeps_no_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing acknowledged is lost, for nothing is ever acknowledged: that is not the same as what kraft promises."""
    monkeypatch.chdir(tmp_path)
    Path("v.py").write_text(SILENT)
    bounds = ("--replication-factor", "2", "--records", "1", "--max-epoch", "1", "--metadata-lag", "1")
    said = run("v.py:Forgets", "--against", "kraft", *bounds, "--fault", "lossy", "--fault", "clean")
    assert said.exit_code == 0, said.stderr
    assert "they guarantee the same" not in said.stdout
    assert (
        "v.py:Forgets never acknowledges a record where kraft --fetch-answers-lost does: a crash that loses "
        in said.stdout
    )
    assert said.stdout.count("read yes; nothing acknowledged") == 2
    again = run("v.py:Forgets", *bounds, "--fault", "clean")
    assert "v.py:Forgets never acknowledges a record: a crash that loses nothing." in again.stdout
