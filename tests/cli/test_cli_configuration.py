"""Flags beat EPOCHAL_ variables, which beat the file, which beats defaults; mistakes in any of them are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.conftest import Run

CHEAP = ("check", "async-isr", "--replicas", "2", "--max-offset", "1", "--property", "record_committed")
TOML = "[tool.epochal]\n"


def cut_and_engine(result: Result) -> tuple[str, str]:
    document = json.loads(result.stdout)
    return document["cut"], document["engine"]


def test_flags_beat_variables_beat_the_file_beats_defaults(folder: Path, run: Run) -> None:
    big = ("check", "kip-320")
    (folder / "epochal.toml").write_text('engine = "python"\nformat = "json"\nmax-states = 30\n', encoding="utf-8")
    assert cut_and_engine(run(*big)) == ("the budget of 30 states is spent", "python")
    env = {"EPOCHAL_MAX_STATES": "40"}
    assert cut_and_engine(run(*big, env=env)) == ("the budget of 40 states is spent", "python")
    assert cut_and_engine(run(*big, "--max-states", "50", env=env)) == ("the budget of 50 states is spent", "python")
    text = run(*big, "--format", "text", env=env).stdout
    assert text.startswith("kip-320: inconclusive: the budget of 40 states")


def test_pyproject_is_read_and_epochal_toml_beats_it(folder: Path, run: Run) -> None:
    (folder / "pyproject.toml").write_text(TOML + 'engine = "python"\nformat = "json"\nmax-states = 30\n')
    assert cut_and_engine(run("check", "kip-320")) == ("the budget of 30 states is spent", "python")
    (folder / "epochal.toml").write_text('engine = "python"\nmax-states = 20\nformat = "json"\n', encoding="utf-8")
    assert cut_and_engine(run("check", "kip-320")) == ("the budget of 20 states is spent", "python")


def test_a_pyproject_of_somebody_else_is_no_concern(folder: Path, run: Run) -> None:
    (folder / "pyproject.toml").write_text("[tool.other]\nengine = 1\n")
    assert run(*CHEAP, "--engine", "python").exit_code == 0


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("epochal.toml", "bugdet = '5m'\n", "epochal.toml: unknown key 'bugdet'. Did you mean budget?"),
        ("epochal.toml", "max_states = 5\n", "epochal.toml: unknown key 'max_states'. Did you mean max-states?"),
        ("epochal.toml", "zzz = 1\n", "epochal.toml: unknown key 'zzz'. Known keys: engine, budget, max-states"),
        ("epochal.toml", "engine = \n", "epochal.toml is not valid TOML:"),
        ("epochal.toml", "engine = true\n", "epochal.toml: engine must be a text or a number, not True"),
        (
            "epochal.toml",
            "engine = 'tlc'\n",
            "epochal.toml: engine: 'tlc' is not one of 'auto', 'native',",
        ),
        ("epochal.toml", "budget = 'soon'\n", "epochal.toml: budget: 'soon' is not a duration. Write 30s, 5m or 2h."),
        ("epochal.toml", "format = 'xml'\n", "epochal.toml: format: 'xml' is not one of"),
        ("pyproject.toml", TOML + "engin = 'native'\n", "pyproject.toml, [tool.epochal]: unknown key 'engin'. Did you"),
        ("pyproject.toml", "[tool]\nepochal = 3\n", "pyproject.toml, [tool.epochal] must be a table of settings"),
    ],
)
def test_a_bad_file_exits_with_151(file: str, text: str, message: str, folder: Path, run: Run) -> None:
    (folder / file).write_text(text, encoding="utf-8")
    result = run(*CHEAP)
    assert message in result.stderr
    assert result.exit_code == 151
    assert run("check", "--help").exit_code == 0


def test_a_bad_variable_exits_with_151(run: Run) -> None:
    result = run(*CHEAP, env={"EPOCHAL_BUDGET": "soon"})
    assert result.exit_code == 151
    assert result.stderr == (
        "epochal: environment variable EPOCHAL_BUDGET: 'soon' is not a duration. Write 30s, 5m or 2h.\n"
    )


def test_variables_of_others_are_no_concern(run: Run) -> None:
    result = run("list", env={"EPOCHAL_HOME": "/x", "EPOCHAL_WORKERS": "2"})
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_variable_that_is_nearly_a_setting_is_told(run: Run) -> None:
    result = run("list", env={"EPOCHAL_BUGDET": "5m"})
    assert result.exit_code == 0
    assert result.stderr == (
        "epochal: EPOCHAL_BUGDET is no variable of epochal and is not heeded. Did you mean EPOCHAL_BUDGET?\n"
    )


def test_a_file_that_is_not_text_exits_with_151(folder: Path, run: Run) -> None:
    (folder / "epochal.toml").write_bytes(b"\xff\xfe")
    result = run(*CHEAP)
    assert result.exit_code == 151
    assert "epochal.toml is not valid TOML" in result.stderr
