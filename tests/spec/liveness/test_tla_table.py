"""The table of docs/liveness.md for people who come from TLA+: each row means what TLC says it means."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import epochal
from tests.benchmarks.tlc_speed import JAR
from tests.spec.liveness.tla_rows import ROWS, Row

PAGE = Path(__file__).parents[3] / "docs" / "liveness.md"


def named(row: Row) -> str:
    """A row as tests are called."""
    return f"{row.protocol.__name__}, {row.formula}"


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_epochal_says_what_tlc_said(row: Row, engine: Any) -> None:
    found = epochal.check(row.protocol(), engine=engine, properties=[row.promise]).search.liveness
    assert [one.verdict for one in found.promises] == ["holds" if row.kept else "violated"]


def test_the_page_has_these_rows_and_no_others() -> None:
    section = PAGE.read_text().partition("## From TLA+")[2].partition("\n## ")[0]
    first = [line.split("` | ")[0].removeprefix("| `") for line in section.splitlines() if line.startswith("| `")]
    assert first == list(dict.fromkeys(row.row for row in ROWS))
    assert {row.kept for row in ROWS} == {True, False}


@pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason=f"TLC is not there: {JAR}")
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_tlc_says_so_still(row: Row, tmp_path: Path) -> None:
    module = (
        f"---- MODULE Row ----{row.module}Spec == Init /\\ [][Next]_vars /\\ {row.fairness}\nWanted == {row.formula}\n"
    )
    (tmp_path / "Row.tla").write_text(module + "====\n")
    (tmp_path / "Row.cfg").write_text("SPECIFICATION Spec\nPROPERTY Wanted\nCHECK_DEADLOCK FALSE\n")
    command = ["java", "-XX:+UseParallelGC", "-cp", str(JAR), "tlc2.TLC", "-workers", "1", "-metadir", "states", "Row"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    kept = "Model checking completed. No error has been found." in done.stdout
    assert kept or re.search(r"Temporal properties were violated|Property \w+ is violated", done.stdout), done.stdout
    assert kept == row.kept, done.stdout
