"""`epochal check --symmetry` as users meet it: the report, the JSON, the refusal, the trace."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from epochal.cli.main import main

SMALL = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")


def run(*arguments: str) -> Result:
    """One command."""
    return CliRunner().invoke(main, list(arguments))


def test_the_report_says_that_symmetry_is_on() -> None:
    """And what the counts mean."""
    done = run("check", "kip-320", *SMALL, "--symmetry")
    assert "symmetry reduction over b1..b2" in done.stdout
    assert "representatives (one of all states that differ in names only)" in done.stdout
    assert "no symmetry reduction" in run("check", "kip-320", *SMALL).stdout


def test_json_says_it_too() -> None:
    """With the identifiers that are interchangeable."""
    document = json.loads(run("check", "kip-320", *SMALL, "--symmetry", "--format", "json").stdout)
    assert document["symmetry"] is True and document["interchangeable"] == ["b1..b2"]
    assert document["distinct_states"] < 277
    plain = json.loads(run("check", "kip-320", *SMALL, "--format", "json").stdout)
    assert plain["symmetry"] is False and plain["interchangeable"] == []
    assert [(p["id"], p["verdict"], p["length"]) for p in document["properties"]] == [
        (p["id"], p["verdict"], p["length"]) for p in plain["properties"]
    ]


def test_a_protocol_that_tells_replicas_apart_is_refused() -> None:
    """With the line, the reason and what to do: the static checks' exit code."""
    done = run("check", "async-isr", "--symmetry")
    assert done.exit_code == 120
    assert "b1 and b2 are not symmetric" in done.stderr
    assert "spec/classic/async_isr.py:" in done.stderr
    assert "without --symmetry" in done.stderr


def test_the_trace_replays(tmp_path: Path) -> None:
    """The counterexample is a run of the protocol; the command told next has the option."""
    out = tmp_path / "found"
    done = run("check", "truncate-to-hw", *SMALL, "--symmetry", "--out", str(out))
    assert done.exit_code == 12
    assert "replayed step by step in: python, native" in done.stdout
    for file in sorted(out.glob("*.itf.json")):
        assert run("replay", str(file)).exit_code == 0
    assert "--symmetry --out found" in run("check", "truncate-to-hw", *SMALL, "--symmetry").stdout
