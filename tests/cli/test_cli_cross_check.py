"""--cross-check and exit code 40 on the command line: what is told where the semantics disagree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.ir.expression import Op
from epochal.checker.native.program.expressions import ExpressionWriter
from epochal.exit_codes import ExitCode
from tests.checker.search.test_cross_check import BROKEN
from tests.cli.conftest import Run

SMALL = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """`min` is `max` in machine code."""
    honest = ExpressionWriter.__init__

    def lying(self: ExpressionWriter, *arguments: Any) -> None:
        honest(self, *arguments)
        self._table[Op.MIN] = lambda node: BROKEN[Op.MIN](self, node)

    monkeypatch.setattr(ExpressionWriter, "__init__", lying)


def test_the_report_says_how_many(run: Run) -> None:
    told = run("check", "kip-320", *SMALL, "--cross-check", "30").stdout
    assert "cross-check      30 states with " in told
    assert "repeated in the Python semantics, without a difference" in told
    document = json.loads(run("check", "kip-320", *SMALL, "--cross-check", "30", "--format", "json").stdout)
    assert document["cross_check"]["states"] == 30 < document["cross_check"]["steps"]
    assert (
        "cross-check      off: no state was repeated" in run("check", "kip-320", *SMALL, "--cross-check", "off").stdout
    )
    every = json.loads(run("check", "kip-320", *SMALL, "--cross-check", "all", "--format", "json").stdout)
    assert every["cross_check"] == {"states": every["distinct_states"], "steps": every["generated_states"]}
    python = json.loads(run("check", "kip-320", *SMALL, "--engine", "python", "--format", "json").stdout)
    assert python["cross_check"] is None


@pytest.mark.parametrize("wrong", ["0", "-3", "some", "1.5"])
def test_what_is_no_number_of_states_is_refused(run: Run, wrong: str) -> None:
    result = run("check", "kip-320", f"--cross-check={wrong}")
    assert result.exit_code == 2
    assert f"{wrong!r} is no number of states. Write a whole number from 1 on, 'all' or 'off'." in result.stderr


def test_where_it_makes_no_sense(run: Run) -> None:
    result = run("check", "kip-320", "--engine", "python", "--cross-check", "10")
    assert result.exit_code == 2
    assert "--cross-check is for the other engines: they are compared with the Python semantics." in result.stderr
    for command in (("bmc", "kip-320", "--length", "1"), ("prove", "kip-320-proof")):
        result = run(*command, "--cross-check", "all")
        assert result.exit_code == 2
        assert "there are more typed states than anybody can repeat.\n  Give a number" in result.stderr


def test_a_disagreement_has_its_own_exit_code_and_no_verdict(run: Run, broken: None) -> None:
    result = run("check", "kip-320", "--progress", "none")
    assert result.exit_code == ExitCode.READINGS_DISAGREE.value == 40
    assert result.stdout == ""
    told = result.stderr.splitlines()
    assert told[0].startswith("epochal: the semantics disagree on ") and "[spec/classic/" in told[0]
    assert told[1].strip().startswith("native: ") and told[2].strip().startswith("python: ")
    assert "in the state:" in told[3]
    assert any("b1: log " in line for line in told)
    assert "This is a bug in Epochal: report it with these lines and the file of the specification." in result.stderr
    python = "epochal check kip-320 --replicas 3 --log-size 2 --records 2 --max-epoch 2 --engine python"
    assert told[-1].strip() == f"The Python semantics define what the specification means: {python}"
    (line,) = [line for line in told if "the run to it: " in line]
    file = line.split("the run to it: ")[1].split(" (")[0]
    assert run("trace", "show", file).exit_code == 0
    replayed = run("replay", file)
    assert replayed.exit_code == 20
    assert "python: every step is possible" in replayed.stdout and "native: step " in replayed.stdout


def test_json_and_the_folder_have_it(run: Run, broken: None, tmp_path: Path) -> None:
    result = run("check", "kip-320", "--format", "json", "--out", "found")
    assert result.exit_code == 40
    document = json.loads(result.stdout)
    assert document == json.loads(Path("found/result.json").read_text())
    assert document["exit_code"] == 40 and "properties" not in document
    found = document["disagreement"]
    assert [one["reading"] for one in found["answers"]] == ["native", "python"]
    assert found["source"].startswith("spec/classic/") and found["trace"]["#meta"]["protocol"] == "kip-320"
    assert Path(found["file"]).parent == Path("found") and Path(found["file"]).is_file()


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "kip-320", "--runs", "200"),
        ("mutate", "kip-320", "--only", "become_follower"),
        ("compare", "kip-320", "kip-279"),
    ],
    ids=lambda words: words[0],
)
def test_other_commands_give_no_verdict_either(run: Run, broken: None, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (40, "")
    assert "the semantics disagree on " in result.stderr


def test_the_code_is_explained(run: Run) -> None:
    told = run("explain", "40").stdout
    assert "the semantics disagree" in told and "--engine python" in told


def test_the_gate_has_no_verdict_and_keeps_nothing(run: Run, broken: None, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("epochal.toml").write_text('[model.mine]\nprotocol = "kip-320"\n')
    refused = run("baseline", "update")
    assert refused.exit_code == 40 and "the semantics disagree on " in refused.stderr
    assert not Path("epochal.lock.json").exists()
    Path("epochal.lock.json").write_text('{"format": "epochal-lock", "version": 1, "models": {}}\n')
    for _ in range(2):  # nothing was kept
        result = run("gate", "--format", "json", "--out", "report")
        assert result.exit_code == 40
        (model,) = json.loads(result.stdout)["models"]
        assert (model["verdict"], model["exit_code"]) == ("semantics disagree", 40)
        assert "holds" not in result.stdout
    sarif = next(Path("report").rglob("*sarif*")).read_text()
    assert "An engine gives another result for a state than the Python semantics." in sarif
    junit = next(Path("report").rglob("TEST-*.xml")).read_text()
    assert '<error type="semantics disagree"' in junit
