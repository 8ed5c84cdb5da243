"""Every mistake a user can make has one clear message, the documented exit code and no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

MISTAKES = [
    ("chek kip-320", 2, "no such command 'chek'. Did you mean check?"),
    ("frobnicate", 2, "no such command 'frobnicate'. Known commands: list, new, show, check"),
    ("trace shwo x", 2, "no such command 'shwo'. Did you mean show?"),
    ("check", 2, "missing argument 'PROTOCOL'"),
    ("check kip320", 150, "no protocol is named 'kip320'\n  Did you mean kip-320?"),
    ("check paxos", 150, "Registered: truncate-to-hw, kip-101"),
    ("check kip-320 --replica 3", 2, "no such option --replica. Did you mean --replicas?"),
    ("check --all-violation kip-320", 2, "no such option --all-violation. Did you mean --all-violations?"),
    ("check async-isr --nodes 2", 2, "async-isr has no option --nodes; its bounds are --replicas, --max-offset"),
    ("check kip-320 --replicas three", 2, "--replicas must be a whole number, not 'three'"),
    ("check kip-320 --replicas 0", 2, "--replicas 0: the number of replicas must be at least 1"),
    ("check kip-320 --replicas -1", 2, "--replicas -1: the number of replicas must be at least 1"),
    ("check kip-320 --log-size 1000000", 2, "must be at most 8 (each offset multiplies the number of states)"),
    ("check --max-epoch=99 kip-320", 2, "--max-epoch 99: the greatest leader epoch must be at most 8"),
    ("check kip-320 --replicas 9" + "9" * 5000, 2, "--replicas must be a whole number"),
    ("check kip-320 --property strong", 2, "kip-320 has no property 'strong'. Did you mean strong_isr?"),
    ("check kip-320 --property xyzzy", 2, "Known properties: weak_isr, strong_isr, leader_in_isr"),
    ("check kip-320 --engine tlc", 2, "'tlc' is not one of 'auto', 'native', 'spark', 'python'"),
    ("check kip-320 --budget soon", 2, "'soon' is not a duration. Write 30s, 5m or 2h."),
    ("check kip-320 --budget 0s", 2, "'0s' is not a duration"),
    ("check kip-320 --max-memory lots", 2, "'lots' is not a size. Write 512M or 6G."),
    ("check kip-320 --max-states 0", 2, "0 is not in the range x>=1"),
    ("check kip-320 extra", 2, "unexpected extra argument (extra)"),
    ("show", 2, "missing argument 'PROTOCOL'"),
    ("simulate kip-320 --runs 0", 2, "0 is not in the range x>=1"),
    ("simulate kip-320 --seed x", 2, "'x' is not a valid integer"),
    ("replay nothing.itf.json", 2, "File 'nothing.itf.json' does not exist"),
    ("replay .", 2, "File '.' is a directory"),
    ("trace export nothing.itf.json --to mermaid", 2, "does not exist"),
    ("explain 99", 2, "'99' is not an exit code of epochal. The codes are 0, 1, 2"),
    ("explain twelve", 2, "'twelve' is no exit code, property, action, lemma, setting, bound,"),
]


@pytest.mark.parametrize(("command", "code", "message"), MISTAKES, ids=[m[0][:40] for m in MISTAKES])
def test_mistakes(command: str, code: int, message: str, run: Run) -> None:
    result = run(*command.split())
    assert message in result.stderr
    assert result.stderr.startswith("epochal: ")
    assert "Traceback" not in result.output
    assert result.stdout == ""
    assert result.exit_code == code


def test_options_may_stand_before_the_protocol(run: Run) -> None:
    before = run("show", "--replicas", "2", "--log-size=1", "kip-320")
    after = run("show", "kip-320", "--replicas", "2", "--log-size", "1")
    assert before.exit_code == 0
    assert before.stdout == after.stdout
    assert "--log-size       1        2" in before.stdout


def test_usage_errors_name_the_help(run: Run) -> None:
    assert "Try 'epochal check --help'." in run("check", "kip-320", "--engine", "tlc").stderr


def test_a_damaged_trace_is_refused(folder: Path, run: Run) -> None:
    (folder / "cut.itf.json").write_text('{"vars": ["x"], "states": [', encoding="utf-8")
    result = run("replay", "cut.itf.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("epochal: cut.itf.json: the file is not JSON")


def test_a_foreign_trace_is_refused(folder: Path, run: Run) -> None:
    (folder / "foreign.itf.json").write_text('{"vars": ["x"], "states": [{"x": 1}]}', encoding="utf-8")
    result = run("trace", "show", "foreign.itf.json")
    assert result.exit_code == 2
    assert "was not written by epochal" in result.stderr


@pytest.mark.parametrize("name", ["KAFKA-18990", "kraft-s99", "kip-329"])
def test_a_name_with_another_number_is_no_suggestion(run: Run, name: str) -> None:
    """A ticket that is not known is no other ticket, and no protocol of one."""
    told = run("show", name)
    assert told.exit_code != 0 and "Did you mean" not in told.stderr
