"""`epochal simulate`: random runs, their coverage and what they found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

SMALL = ("truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--engine", "python")


def test_a_seed_gives_the_same_bytes_and_another_seed_others(run: Run) -> None:
    def document(seed: str) -> dict[str, Any]:
        result = run("simulate", *SMALL, "--runs", "20", "--depth", "15", "--seed", seed, "--format", "json")
        found: dict[str, Any] = json.loads(result.stdout)
        assert found.pop("wall_seconds") >= 0
        assert found["exit_code"] == result.exit_code
        return found

    first = document("7")
    assert document("7") == first
    assert document("8") != first
    assert (first["seed"], first["runs"], first["depth"], first["engine"]) == (7, 20, 15, "python")
    assert sum(action["steps"] for action in first["actions"]) == first["steps"] <= 20 * 15
    assert 1 < first["distinct_states"] <= first["steps"] + 1


def test_a_violation_is_told_with_the_seed_that_found_it(counter: Path, run: Run) -> None:
    arguments = ("simulate", "counter.py:Counter", "--runs", "3", "--depth", "9", "--seed", "5", "--engine", "python")
    result = run(*arguments)
    assert result.exit_code == 12
    assert result.stdout.startswith("counter: small violated\n  bounds: --most 3\n")
    assert "  VIOLATED  small  invariant" in result.stdout
    assert "python, seed 5" in result.stdout
    assert "Warning: never taken in these runs: never." in result.stdout
    assert "counter.py:Counter: small is violated (3 states; most 3)" in result.stdout
    assert "No step of it can be left out; a run of other steps may be shorter." in result.stdout
    assert "epochal check counter.py:Counter --property small  # finds a shortest run" in result.stdout
    document = json.loads(run(*arguments, "--format", "json").stdout)
    trace = next(one["trace"] for one in document["properties"] if one["id"] == "small")
    assert trace["#meta"]["seed"] == 5
    assert trace["#meta"]["shortest"] is False


def test_progress_counts_runs(counter: Path, run: Run) -> None:
    result = run("simulate", "counter.py:Fine", "--runs", "2", "--engine", "python", "--progress", "json")
    first = json.loads(result.stderr.splitlines()[0])
    assert (first["runs"], first["runs_left"]) == (1, 1)
    assert "depth" not in first


def test_runs_that_come_to_a_dead_end_are_counted(counter: Path, run: Run) -> None:
    """A line of four states is one run, after which none is left; runs that are asked for end with it."""
    asked = ("simulate", "counter.py:Fine", "--depth", "9", "--engine", "python")
    for more in ((), ("--runs", "4")):
        result = run(*asked, *more, "--format", "json")
        document = json.loads(result.stdout)
        assert result.exit_code == 0
        assert (document["runs"], document["dead_ends"], document["longest"], document["steps"]) == (1, 1, 3, 3)
        assert (document["distinct_states"], document["all_seen"], document["cut"]) == (4, True, "")
    text = run(*asked).stdout
    assert text.startswith("fine: nothing is violated in these runs, which proves nothing about others\n")
    assert "  terminal states  1 run ended in a state without a next step" in text
    assert "  states           4 distinct, all that there are" in text
    assert "  grow        3  100.0 %\n" in text
    assert "all that there are" not in run(*asked[:-3], "2", "--engine", "python").stdout


def test_a_rule_that_fails_exits_with_75(counter: Path, run: Run) -> None:
    result = run("simulate", "counter.py:Overflow", "--runs", "4", "--depth", "9", "--engine", "python")
    assert result.exit_code == 75
    assert "value: 4 is outside 0..3" in result.stdout


@pytest.mark.parametrize("engine", ["python", "native"])
def test_both_readings_find_the_same_runs(engine: str, run: Run) -> None:
    result = run("simulate", *SMALL[:-1], engine, "--runs", "20", "--depth", "15", "--seed", "7", "--format", "json")
    other = run("simulate", *SMALL[:-1], "python", "--runs", "20", "--depth", "15", "--seed", "7", "--format", "json")
    mine, reference = json.loads(result.stdout), json.loads(other.stdout)
    for key in ("steps", "distinct_states", "dead_ends", "longest", "actions"):
        assert mine[key] == reference[key]


def test_runs_are_written_as_test_vectors(run: Run, folder: Path) -> None:
    """The first that differ, the same for the same seed and whatever the engine; each can be replayed."""
    asked = ("simulate", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--runs", "30", "--depth", "8")
    for engine in ("python", "native"):
        result = run(*asked, "--seed", "3", "--traces", "4", "--engine", engine, "--out", engine)
        assert result.exit_code in (0, 12), result.output
    written = sorted((folder / "python").glob("*-run-*.itf.json"))
    assert [path.name for path in written] == [f"truncate-to-hw-run-{n}.itf.json" for n in (1, 2, 3, 4)]
    runs = [json.loads(path.read_text())["states"] for path in written]
    assert len({json.dumps(states) for states in runs}) == 4
    for path, states in zip(written, runs, strict=True):
        assert json.loads((folder / "native" / path.name).read_text())["states"] == states
        assert f"  python/{path.name}\n" not in result.stdout
        assert f"  native/{path.name}\n" in result.stdout
        assert not path.with_name(path.name.replace(".itf.json", ".html")).exists()
    assert run("replay", *map(str, written)).exit_code == 0


def test_as_many_runs_as_there_are(run: Run, folder: Path) -> None:
    run("simulate", *SMALL, "--runs", "50", "--depth", "1", "--traces", "50", "--out", "found")
    written = list((folder / "found").glob("*-run-*.itf.json"))
    assert 1 < len(written) < 50


def test_after_a_violation_no_more_runs_are_taken_than_asked_for(run: Run) -> None:
    """The report and the document say why the runs ended, and which promises they say nothing about."""
    result = run("simulate", "truncate-to-hw", "--seed", "3")
    assert result.exit_code == 12
    assert "in all; after a violation no more, unless --runs asks for them\n" in result.stdout
    assert "Not checked\n  - liveness properties, which epochal check checks (" in result.stdout
    document = json.loads(run("simulate", "truncate-to-hw", "--seed", "3", "--format", "json").stdout)
    assert document["ended_after_violation"] and document["distinct_states"] < 60_000
    assert "follower_joins_isr" in document["not_judged"]


def test_runs_to_write_need_a_place(run: Run) -> None:
    result = run("simulate", *SMALL, "--traces", "3")
    assert result.exit_code == 2
    assert "Add --out DIR." in result.stderr
