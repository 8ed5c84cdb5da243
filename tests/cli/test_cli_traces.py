"""`replay`, `trace show` and `trace export` on stored traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FORMATS = {
    "mermaid": "sequenceDiagram\n",
    "sequencediagram": "title truncate-to-hw",
    "markdown": "# truncate-to-hw: weak_isr is violated\n",
    "dot": "digraph ",
}


@pytest.fixture
def stored(folder: Path, run) -> Path:
    """A counterexample, found and written."""
    run("check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--engine", "python", "--out", "found")
    return folder / "found" / "truncate-to-hw-weak-isr.itf.json"


def test_show_tells_the_story(stored: Path, run) -> None:
    result = run("trace", "show", str(stored))
    assert result.exit_code == 0
    assert result.stdout.startswith("truncate-to-hw: weak_isr is violated (8 steps; replicas 2")


@pytest.mark.parametrize("target", list(FORMATS))
def test_every_export_goes_to_stdout_or_to_a_file(target: str, stored: Path, folder: Path, run) -> None:
    result = run("trace", "export", str(stored), "--to", target)
    assert result.exit_code == 0
    assert result.stdout.startswith(FORMATS[target])
    written = run("trace", "export", str(stored), "--to", target, "--out", "out.txt")
    assert (written.exit_code, written.stdout) == (0, "")
    assert (folder / "out.txt").read_text(encoding="utf-8") == result.stdout
    assert [p.name for p in folder.iterdir() if p.name.endswith(".tmp")] == []


def test_the_exports_of_the_command_are_those_of_the_library(run) -> None:
    from checker.trace.export import FORMATS as EXPORTS
    from cli.commands.trace import FORMATS as OFFERED

    assert set(OFFERED) == set(EXPORTS) == set(FORMATS)


def test_an_export_that_cannot_be_written_exits_with_153(stored: Path, run) -> None:
    result = run("trace", "export", str(stored), "--to", "dot", "--out", "nowhere/out.dot")
    assert result.exit_code == 153
    assert result.stderr.startswith("epochal: nowhere/out.dot: nothing can be written there: No such file")


def test_an_unknown_format_lists_the_known_ones(stored: Path, run) -> None:
    result = run("trace", "export", str(stored), "--to", "svg")
    assert result.exit_code == 2
    assert "'svg' is not one of 'mermaid', 'sequencediagram', 'markdown', 'dot'" in result.stderr
    assert "missing option '--to'" in run("trace", "export", str(stored)).stderr


def test_replay_says_that_every_step_is_possible(stored: Path, run) -> None:
    result = run("replay", str(stored))
    assert result.exit_code == 0
    assert f"{stored}: replays exactly\n" in result.stdout
    assert "\n  python: every step is possible" in result.stdout
    assert "\n  native: every step is possible" in result.stdout


def test_replay_names_the_first_step_that_is_no_longer_possible(stored: Path, run) -> None:
    document = json.loads(stored.read_text())
    document["#meta"]["protocol"] = "kip-320"
    stored.write_text(json.dumps(document))
    result = run("replay", str(stored))
    assert result.exit_code == 20
    assert f"{stored}: no longer replays\n" in result.stdout
    for reading in ("python", "native"):
        assert f"\n  {reading}: step 2, BecomeFollower(b1, b2, 0), is not possible in state 1\n" in result.stdout
    assert "spec/classic/kip_320.py:75: require(self.presumes_leadership(leader))\n" in result.stdout


def test_a_trace_of_a_protocol_that_is_gone_says_so(stored: Path, run) -> None:
    document = json.loads(stored.read_text())
    document["#meta"]["protocol"] = "gone.py:Variant"
    stored.write_text(json.dumps(document))
    result = run("replay", str(stored))
    assert result.exit_code == 150
    assert "there is no file gone.py" in result.stderr
