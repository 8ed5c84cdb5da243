"""`epochal bmc`: the report, the JSON, the traces, other starts, and what can be asked wrongly."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

SMALL = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")


def test_a_bug(run: Any, folder: Path) -> None:
    """The story of a shortest violation; files that replay; nothing on stderr that took no time."""
    shown = run("bmc", "truncate-to-hw", *SMALL, "--length", "9", "--property", "weak_isr", "--out", "found")
    assert shown.exit_code == 12
    lines = shown.stdout.splitlines()
    assert lines[0] == "truncate-to-hw: weak_isr violated in a run of 9 states"
    assert (
        "truncate-to-hw: weak_isr is violated (9 states; replicas 2, log_size 1, records 1, max_epoch 1)"
        in shown.stdout
    )
    assert "0. Initial state" in shown.stdout
    assert "1 trace replayed step by step in: python, native" in shown.stdout
    assert "- runs of more than 9 states" in shown.stdout
    again = run("replay", "found/truncate-to-hw-weak-isr.itf.json")
    assert again.exit_code == 0, again.output
    result = json.loads((folder / "found" / "result.json").read_text())
    assert [(p["id"], p["verdict"], p["steps"]) for p in result["properties"]] == [("weak_isr", "violated", 8)]
    assert result["properties"][0]["trace"]["#meta"]["engine"] == "z3"


def test_none_within_so_many_steps(run: Any) -> None:
    """The headline says within what; the JSON has a time for every length."""
    text = run("bmc", "truncate-to-hw", *SMALL, "--length", "3")
    assert text.exit_code == 0
    assert text.stdout.startswith(
        "truncate-to-hw: nothing is violated in runs of at most 4 states, within these bounds\n"
    )
    assert "none found  strong_isr" in text.stdout and "within 4 states" in text.stdout
    shown = run("bmc", "truncate-to-hw", *SMALL, "--length", "3", "--actions", "--format", "json")
    document = json.loads(shown.stdout)
    assert shown.exit_code == document["exit_code"] == 0
    assert [one["steps"] for one in document["lengths"]] == [0, 1, 2, 3]
    assert all(one["seconds"] >= 0 for one in document["lengths"])
    assert document["complete_to"] == document["length"] == 3
    taken = {one["name"]: one["first_taken"] for one in document["actions"]}
    assert taken["elect_leader"] == 1 and taken["fetch"] is None
    assert document["start"] == "the initial states" and document["start_is_reachable"] is True


def test_progress(run: Any) -> None:
    """One object for each length, on stderr."""
    shown = run("bmc", "kip-320", *SMALL, "--length", "2", "--progress", "json")
    told = [json.loads(line) for line in shown.stderr.splitlines()]
    assert [(one["steps"], one["verdict"]) for one in told] == [(0, "none"), (1, "none"), (2, "none")]
    assert run("bmc", "kip-320", *SMALL, "--length", "2", "--progress", "none").stderr == ""


def test_a_spent_limit(run: Any) -> None:
    """Exit code 31, said in words."""
    shown = run("bmc", "truncate-to-hw", *SMALL, "--length", "8", "--rlimit", "20000")
    assert shown.exit_code == 31
    assert "inconclusive: the solver gave up on runs of" in shown.stdout


def test_a_witness_that_is_missed(run: Any) -> None:
    """A property that must be reachable is looked for if it is named."""
    shown = run("bmc", "kip-320", *SMALL, "--length", "2", "--property", "record_committed")
    assert shown.exit_code == 21
    assert shown.stdout.startswith("kip-320: record_committed cannot be reached within 3 states")


def test_a_rule_that_fails(run: Any, counter: Path) -> None:
    """The run that leads to it, and exit code 75."""
    shown = run("bmc", "counter.py:Overflow", "--length", "5")
    assert shown.exit_code == 75
    assert shown.stdout.startswith("overflow: a rule of the specification could not be evaluated")
    assert "value: 4 is outside 0..3 (counter.py:" in shown.stdout
    assert "The run that leads to it" in shown.stdout


START = """
    def late(self) -> bool:
        \"\"\"Where the counter is at one.\"\"\"
        return self.value == 1


    def wrong(self, more) -> bool:
        return True
"""


def test_from_a_trace_and_from_a_condition(run: Any, counter: Path, folder: Path) -> None:
    """After a step of a trace, told with the way there; from a condition of one's own, which need not be reachable."""
    assert run("check", "counter.py:Counter", "--out", "found").exit_code == 12
    trace = "found/counter-small.itf.json"
    after = run("bmc", "counter.py:Counter", "--length", "3", "--from", f"{trace}:1")
    assert after.exit_code == 12
    assert after.stdout.startswith("counter: small violated in a run of 2 states, from where it was to begin")
    assert "small is violated (3 states; most 3)" in after.stdout
    assert "State 1 of counter-small.itf.json" in after.stdout
    (folder / "start.py").write_text(textwrap.dedent(START), encoding="utf-8")
    own = run("bmc", "counter.py:Counter", "--length", "3", "--start", "start.py:late", "--out", "other")
    assert own.exit_code == 12
    assert "0. Any typed state in which late holds" in own.stdout
    assert "whether the first state can be reached at all" in own.stdout
    file, named = "other/counter-small.itf.json", ("--protocol", "counter.py:Counter")
    again = run("replay", file, *named)
    assert again.exit_code == 0, again.output
    assert "Any typed state in which late holds" in run("trace", "show", file, *named).stdout
    sibling = run("bmc", "counter.py:Fine", "--length", "1", "--from", f"{trace}:1")
    assert sibling.exit_code == 22, sibling.output  # as of check: it has an action that never happens
    assert "nothing is violated in runs of at most 2 states, from where it was to begin" in sibling.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "missing option '--length'"),
        (("--length", "-1"), 2, "-1 is not in the range"),
        (("--length", "1", "--property", "smal"), 2, "Did you mean small?"),
        (("--length", "1", "--rlimit", "0"), 2, "0 is not in the range"),
        (("--length", "1", "--from", "nowhere.itf.json"), 2, "there is no trace nowhere.itf.json"),
        (("--length", "1", "--from", "counter.py"), 2, "the file is not JSON"),
        (("--length", "1", "--from", "a.itf.json", "--start", "small"), 2, "--from and --start exclude each other"),
        (("--length", "1", "--start", "full", "--start", "larg"), 2, "'larg' is no condition on states of counter"),
        (("--length", "1", "--start", "nowhere.py:late"), 150, "there is no file nowhere.py"),
        (("--length", "1", "--start", "start.py:lat"), 150, "has no function lat Did you mean late?"),
        (("--length", "1", "--start", "start.py:wrong"), 2, "wrong does not take the state alone"),
        (("--length", "1", "--start", "start.py"), 150, "Write path/to/file.py:function."),
    ],
)
def test_mistakes(run: Any, counter: Path, folder: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    """Each with its exit code and what to do."""
    (folder / "start.py").write_text(textwrap.dedent(START), encoding="utf-8")
    shown = run("bmc", "counter.py:Counter", *arguments)
    assert shown.exit_code == code, shown.output
    assert said in shown.stderr.replace("\n  ", " "), shown.stderr


def test_a_trace_without_such_a_state_or_of_other_states(run: Any, counter: Path) -> None:
    """An index beyond the end; a trace of a protocol with other states."""
    run("check", "counter.py:Counter", "--out", "found")
    beyond = run("bmc", "counter.py:Counter", "--length", "1", "--from", "found/counter-small.itf.json:7")
    assert beyond.exit_code == 2 and "has no state 7" in beyond.stderr
    run("check", "kip-279", "--max-epoch", "1", "--property", "strong_isr", "--out", "found")
    other = run("bmc", "counter.py:Counter", "--length", "1", "--from", "found/kip-279-strong-isr.itf.json")
    assert other.exit_code == 2
    assert "differ: the first has value where the second has next_record" in other.stderr
