"""`epochal new`: the files it writes check at once, and nothing is written over."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from epochal.cli.commands.new import SMALL, SOURCES
from epochal.spec.starting_files import FILES
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_written_checks_at_once(source: str, folder: Path, run: Run) -> None:
    assert tuple(FILES) == SOURCES == tuple(SMALL)
    written = run("new", "mine.py", "--from", source)
    assert written.exit_code == 0, written.output
    following = [line.strip() for line in written.stdout.splitlines() if line.startswith("  epochal")]
    for command in following:
        result = run(*command.split()[1:])
        assert result.exit_code == 0, result.output
    text = (folder / "mine.py").read_text()
    assert "FILE" not in text
    assert f"epochal check mine.py:{FILES[source][0]}" in text
    ruff = (sys.executable, "-m", "ruff", "check", "--isolated", "--line-length", "120", "--ignore", "F401", "mine.py")
    linted = subprocess.run(ruff, cwd=folder, capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout + linted.stderr


EXAMPLE = re.compile(r"^ {4}# (?=(?:@|def )).*\n(?: {4}#.*\n)*", re.MULTILINE)
"""A method that is written as a comment, to be uncommented."""


@pytest.mark.parametrize(("source", "methods"), [("kip-320", ["resign"]), ("kraft", ["may_lead"]), ("toy", [])])
def test_every_commented_example_works_when_it_is_none(source: str, methods: list[str], folder: Path, run: Run) -> None:
    """Nothing is missing that it needs: it is evaluated, and judged."""
    run("new", "mine.py", "--from", source)
    text = (folder / "mine.py").read_text()
    examples = EXAMPLE.findall(text)
    assert [re.findall(r"def (\w+)", one)[0] for one in examples] == methods
    for one in examples:
        (folder / "tried.py").write_text(text.replace(one, one.replace("    # ", "    ")))
        checked = run("check", f"tried.py:{FILES[source][0]}", *SMALL[source].split(), "--all-violations")
        assert checked.exit_code in (0, 12, 13, 21), checked.output + checked.stderr
        ruff = (sys.executable, "-m", "ruff", "check", "--isolated", "--line-length", "120", "tried.py")
        linted = subprocess.run(ruff, cwd=folder, capture_output=True, text=True, check=False)
        assert linted.returncode == 0, linted.stdout + linted.stderr


def test_the_guard_that_the_toy_says_to_take_away_matters(folder: Path, run: Run) -> None:
    run("new", "mine.py")
    text = (folder / "mine.py").read_text()
    (folder / "mine.py").write_text(text.replace("        require(self.holder is None)  # take", "        # take"))
    assert run("check", "mine.py:Lock").exit_code == 12


def test_nothing_is_written_over(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text("mine")
    result = run("new", "mine.py")
    assert (result.exit_code, (folder / "mine.py").read_text()) == (2, "mine")
    assert "exists already, and is not written over" in result.stderr
    assert "Write mine.py." in run("new", "mine").stderr
    assert run("new", "nowhere/mine.py").exit_code in (2, 153)
