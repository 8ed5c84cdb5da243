"""`epochal check`: one verdict drives the text, the JSON, the files and the exit code."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.semantics.semantics import Codes
from tests.cli.conftest import Run

PYTHON = ("--engine", "python")
KEYS = {
    "protocol", "bounds", "engine", "exhaustive", "distinct_states", "generated_states", "depth", "state_digest",
    "step_digest", "wall_seconds", "cpu_seconds", "search_cpu_seconds", "peak_memory_bytes", "properties", "actions",
    "exit_code",
}  # fmt: skip


def checked(run: Run, *arguments: str) -> dict[str, Any]:
    result = run("check", *arguments, *PYTHON, "--format", "json")
    document: dict[str, Any] = json.loads(result.stdout)
    assert document["exit_code"] == result.exit_code
    return document


def test_what_holds_exits_with_0(run: Run) -> None:
    result = run("check", "async-isr", "--replicas", "2", *PYTHON)
    assert result.exit_code == 0
    assert result.stdout.startswith("async-isr: all checked properties hold within these bounds\n")
    assert "  bounds: --replicas 2 --max-offset 2 --max-version 2\n" in result.stdout
    assert "84 distinct, 306 transitions, depth 12" in result.stdout
    assert "  holds    valid_high_watermark  invariant" in result.stdout
    assert "  - larger bounds\n" in result.stdout
    assert "90 steps left the state constraint" in result.stdout
    assert "Counterexample" not in result.stdout


def test_a_violation_exits_with_12_and_is_told_as_a_story(run: Run) -> None:
    result = run("check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", *PYTHON)
    assert result.exit_code == 12
    assert result.stdout.startswith("truncate-to-hw: weak_isr violated\n")
    assert "  VIOLATED  weak_isr               invariant          9 states  Below a presumed leader's" in result.stdout
    assert "  open      strong_isr " in result.stdout
    assert "stopped at the first violation; --all-violations explores the rest" in result.stdout
    assert "8. BecomeFollower(b1, b2, 1)  b1 becomes follower of b2 in epoch 1" in result.stdout
    assert "b1: follows b2 e1; empty log" in result.stdout
    assert "  traces           1 trace replayed step by step in: python, native\n" in result.stdout


def test_the_next_commands_work(run: Run, folder: Path) -> None:
    told = run("check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", *PYTHON).stdout
    commands = told[told.index("\nNext\n") :].splitlines()[2:]
    assert commands == [
        "  epochal check truncate-to-hw --replicas 2 --max-epoch 1 --property weak_isr --engine python --out found"
        "  # the run as a page: found/truncate-to-hw-weak-isr.html",
        "  epochal check truncate-to-hw --replicas 2 --max-epoch 1 --engine python --all-violations --brief",
    ]
    assert run(*shlex.split(commands[0], comments=True)[1:]).exit_code == 12
    assert (folder / "found" / "truncate-to-hw-weak-isr.html").exists()
    assert run(*commands[1].split()[1:]).exit_code == 12


def test_the_json_object_has_what_other_programs_need(run: Run) -> None:
    document = checked(run, "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--all-violations")
    assert document.keys() >= KEYS
    assert document["protocol"] == "truncate-to-hw"
    assert document["bounds"] == {"replicas": 2, "log_size": 2, "records": 2, "max_epoch": 1}
    assert document["engine"] == "python"
    assert document["exhaustive"] is True
    assert (document["distinct_states"], document["depth"]) == (1251, 16)
    assert document["exit_code"] == 12
    assert len(document["state_digest"]) == len(document["step_digest"]) == 32
    by_id = {one["id"]: one for one in document["properties"]}
    assert [(by_id[i]["verdict"], by_id[i]["length"]) for i in ("weak_isr", "strong_isr", "leader_in_isr")] == [
        ("violated", 9),
        ("violated", 10),
        ("holds", None),
    ]
    assert by_id["leader_in_isr"]["trace"] is None
    assert by_id["epochs_only_grow"]["kind"] == "action_property"
    assert document["replayed"] == ["python", "native"]
    trace = by_id["weak_isr"]["trace"]
    assert len(trace["states"]) == 9
    assert trace["#meta"]["property"] == "weak_isr"
    assert trace["#meta"]["shortest"] is True
    witness = by_id["record_committed"]
    assert (witness["kind"], witness["verdict"]) == ("reachable", "holds")
    assert witness["length"] == len(witness["trace"]["states"]) == 6
    assert {a["name"] for a in document["actions"]} >= {"fetch", "leader_write"}
    assert all(a.keys() == {"name", "steps", "new_states"} for a in document["actions"])
    assert sum(a["steps"] for a in document["actions"]) == document["generated_states"]
    assert sum(a["new_states"] for a in document["actions"]) == document["distinct_states"] - 1


def test_only_the_properties_asked_for_are_judged(run: Run) -> None:
    small = ("truncate-to-hw", "--replicas", "2", "--max-epoch", "1")
    document = checked(run, *small, "--property", "leader_in_isr", "--property", "epochs_only_grow")
    assert [one["id"] for one in document["properties"]] == ["leader_in_isr", "epochs_only_grow"]
    assert document["exit_code"] == 0
    text = run("check", *small, "--property", "leader_in_isr", *PYTHON).stdout
    assert "- the properties that were not selected: weak_isr, strong_isr, leader_hw_monotone" in text


def test_a_spent_budget_is_no_success(run: Run) -> None:
    document = checked(run, "kip-320", "--max-states", "100")
    assert document["exit_code"] == 30
    assert document["exhaustive"] is False
    assert document["cut"] == "the budget of 100 states is spent"
    text = run("check", "kip-320", "--max-states", "100", *PYTHON)
    assert text.exit_code == 30
    assert text.stdout.startswith("kip-320: inconclusive: the budget of 100 states is spent; nothing is violated")
    assert "- the states beyond the end of the search: the budget of 100 states is spent" in text.stdout


@pytest.mark.parametrize(
    ("option", "cut"),
    [("--budget=0.001s", "the time budget of 0.001 s is spent"), ("--max-memory=1M", "the memory budget of 1 MiB")],
)
def test_time_and_memory_are_budgets_too(option: str, cut: str, run: Run) -> None:
    document = checked(run, "kip-320", option)
    assert document["exit_code"] == 30
    assert cut in document["cut"]


def test_a_missing_witness_exits_with_21(run: Run) -> None:
    result = run("check", "async-isr", "--replicas", "1", "--max-offset", "0", *PYTHON)
    assert result.exit_code == 21
    assert result.stdout.startswith("async-isr: proposal_accepted cannot be reached within these bounds\n")
    assert "  UNREACHED  proposal_accepted" in result.stdout
    larger = "--replicas, --max-offset, --max-version"
    assert f"\nLarger bounds may reach it ({larger}); else a guard is too strong.\n" in result.stdout
    assert result.stdout.endswith("\nNext\n  epochal explain 21\n")


def test_actions_that_never_happen_make_the_verdict_vacuous(counter: Path, run: Run) -> None:
    result = run("check", "counter.py:Fine", *PYTHON)
    assert result.exit_code == 22
    assert result.stdout.startswith("fine: nothing is violated within these bounds, but the verdict means less than it")
    assert "Never cannot happen at these bounds: no state enables it" in result.stdout
    document = checked(run, "counter.py:Fine")
    assert document["never_taken"] == ["never"]
    assert document["exit_code"] == 22


def test_a_rule_that_fails_exits_with_75_and_shows_the_run(counter: Path, run: Run) -> None:
    result = run("check", "counter.py:Overflow", *PYTHON)
    assert result.exit_code == 75
    assert result.stdout.startswith("overflow: a rule of the specification could not be evaluated\n")
    assert "value: 4 is outside 0..3" in result.stdout
    assert "(counter.py:57)" in result.stdout
    told = result.stdout.partition("  3. Grow()")[2]
    assert re.search(r"\n  4\. Grow\(\)  .*  \[counter\.py:5\d\]\n", told), "the step that fails is told, too"
    assert "\n       cannot be evaluated: value: 4 is outside 0..3  [counter.py:57]\n" in told
    document = checked(run, "counter.py:Overflow")
    assert document["error"]["source"] == "counter.py:57"
    assert document["error"]["length"] == 4


def test_a_user_protocol_keeps_its_reference_in_its_traces(counter: Path, folder: Path, run: Run) -> None:
    result = run("check", "counter.py:Counter", "--most", "4", *PYTHON, "--out", "found")
    assert result.exit_code == 12
    trace = folder / "found" / "counter-small.itf.json"
    assert json.loads(trace.read_text())["#meta"]["protocol"] == "counter.py:Counter"
    assert "\n  found/counter-small.html\n" in result.stdout
    assert run("replay", str(trace), "--protocol", "counter.py:Counter").exit_code == 0


def test_out_holds_the_result_every_violation_and_every_witness(run: Run, folder: Path) -> None:
    out = folder / "deep" / "found"
    small = ("truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--all-violations")
    result = run("check", *small, *PYTHON, "--out", str(out), "--format", "json")
    written = sorted(p.name for p in out.iterdir())
    assert {"result.json", "truncate-to-hw-strong-isr.itf.json", "truncate-to-hw-weak-isr.itf.json"} < set(written)
    traces = {one["id"] for one in json.loads(result.stdout)["properties"] if one["trace"] is not None}
    assert len(written) == 1 + 2 * len(traces) and "truncate-to-hw-record-committed.itf.json" in written
    assert {name.removesuffix(".itf.json") + ".html" for name in written if name.endswith(".itf.json")} < {*written}
    assert (out / "result.json").read_text() == result.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_found_before_the_search(run: Run, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o555)
    result = run("check", "kip-320", *PYTHON, "--out", "closed/found", "--budget", "1h")
    assert result.exit_code == 153
    assert "Permission denied" in result.stderr


def test_a_folder_that_cannot_be_made_is_found_before_the_search(run: Run, folder: Path) -> None:
    (folder / "file").write_text("x")
    result = run("check", "kip-320", *PYTHON, "--out", "file/found", "--budget", "1h")
    assert result.exit_code == 153
    assert result.stderr.startswith("epochal: file/found: nothing can be written there: Not a directory.\n  Give --out")
    assert result.stdout == ""


def test_a_disk_that_fills_up_does_not_take_the_report_with_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import epochal.checker.base.files as files

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", f"{path}.tmp")

    monkeypatch.setattr(files, "write_atomically", full)
    result = run("check", "async-isr", "--replicas", "2", *PYTHON, "--out", "found")
    assert result.exit_code == 153
    assert result.stdout.startswith("async-isr: all checked properties hold")
    assert result.stderr.startswith(
        "epochal: found/async-isr-proposal-accepted.html: nothing can be written there: No space left on device."
    )


def test_a_violation_outweighs_a_full_disk(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed and the code of the process are the same, and the graver of the two findings."""
    import epochal.checker.base.files as files

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", f"{path}.tmp")

    monkeypatch.setattr(files, "write_atomically", full)
    small = ("--replicas", "2", "--max-epoch", "1", *PYTHON, "--out", "found")
    violated = run("check", "truncate-to-hw", *small, "--brief")
    assert violated.exit_code == 12 and "exit code 12 (violated)" in violated.stdout
    assert "nothing can be written there" in violated.stderr
    lost = run("check", "truncate-to-hw", *small, "--property", "record_committed", "--brief")
    assert lost.exit_code == 153 and "exit code 153 (engine failure)" in lost.stdout
    data = run("check", "truncate-to-hw", *small, "--property", "record_committed", "--format", "json")
    assert data.exit_code == json.loads(data.stdout)["exit_code"] == 153


def test_the_same_command_gives_the_same_text(run: Run) -> None:
    def told() -> list[str]:
        lines = run("check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", *PYTHON).stdout.splitlines()
        return [line for line in lines if not line.startswith(("  time", "  memory"))]

    assert told() == told()


def test_a_trace_that_does_not_replay_is_not_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal.checker.search import reference_engine
    from epochal.checker.trace.run import PlainRun

    honest = reference_engine.ReferenceSearch.run_to

    def lying(self: reference_engine.ReferenceSearch, codes: Codes) -> PlainRun:
        initial, steps = honest(self, codes)
        return initial, steps[1:]

    monkeypatch.setattr(reference_engine.ReferenceSearch, "run_to", lying)
    result = run("check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", *PYTHON)
    assert result.exit_code == 40
    assert result.stdout == ""
    assert "the semantics disagree on the run found for weak_isr" in result.stderr
    assert "python: weak_isr is violated" in result.stderr
    assert "python, step by step: step 1, " in result.stderr


def test_an_interrupted_search_reports_what_is_known(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from epochal.checker.search.budget import Budget
    from epochal.checker.search.result import Progress
    from epochal.checker.search.stop import StopReason

    honest = Budget.spent

    def interrupted(self: Budget, now: Progress) -> StopReason | None:
        if now.states > 200:
            raise KeyboardInterrupt
        return honest(self, now)

    monkeypatch.setattr(Budget, "spent", interrupted)
    document = checked(run, "kip-320")
    assert document["exit_code"] == 30
    assert document["cut"] == "interrupted"
    assert document["distinct_states"] > 200
