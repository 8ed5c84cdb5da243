"""`epochal check`: one verdict drives the text, the JSON, the files and the exit code."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click
import pytest

from epochal.checker.base.processes import stopping
from epochal.checker.semantics.semantics import Codes
from epochal.cli.app.command import ProtocolCommand
from epochal.cli.main import main
from epochal.exit_codes import ExitCode
from epochal.report.page import PlainPage, TerminalPage
from tests.cli.conftest import Run
from tests.each import for_each

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


def test_a_violation_exits_with_12_and_is_told_as_a_story(run: Run, folder: Path) -> None:
    """The same each time, and the commands that are told next work."""
    result, again = (run("check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", *PYTHON) for _ in range(2))
    assert result.exit_code == 12
    assert result.stdout.startswith("truncate-to-hw: weak_isr violated\n")
    assert "  VIOLATED  weak_isr               invariant          9 states  Below a presumed leader's" in result.stdout
    assert "  open      strong_isr " in result.stdout
    assert "stopped at the first violation; --all-violations explores the rest" in result.stdout
    assert "8. BecomeFollower(b1, b2, 1)  b1 becomes follower of b2 in epoch 1" in result.stdout
    assert "b1: follows b2 e1; empty log" in result.stdout
    assert "  traces           1 trace replayed step by step in: python, native\n" in result.stdout
    told, same = (
        [line for line in one.stdout.splitlines() if not line.startswith(("  time", "  memory"))]
        for one in (result, again)
    )
    assert told == same
    commands = told[told.index("Next") + 1 :]
    assert commands == [
        "  epochal check truncate-to-hw --replicas 2 --max-epoch 1 --property weak_isr --engine python --out found"
        "  # the run as a page: found/truncate-to-hw-weak-isr.html",
        "  epochal check truncate-to-hw --replicas 2 --max-epoch 1 --engine python --all-violations --brief",
    ]
    assert run(*shlex.split(commands[0], comments=True)[1:]).exit_code == 12
    assert (folder / "found" / "truncate-to-hw-weak-isr.html").exists()
    assert run(*commands[1].split()[1:]).exit_code == 12


def test_the_json_object_has_what_other_programs_need(run: Run, folder: Path) -> None:
    """And `--out` holds it, every violation and every witness."""
    small, out = (
        ("truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--all-violations"),
        folder / "deep" / "found",
    )
    document = checked(run, *small, "--out", str(out))
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
    written = {p.name for p in out.iterdir()}
    assert {"result.json", "truncate-to-hw-strong-isr.itf.json", "truncate-to-hw-weak-isr.itf.json"} < written
    traces = {one["id"] for one in document["properties"] if one["trace"] is not None}
    assert len(written) == 1 + 2 * len(traces) and "truncate-to-hw-record-committed.itf.json" in written
    assert {name.removesuffix(".itf.json") + ".html" for name in written if name.endswith(".itf.json")} < written
    assert json.loads((out / "result.json").read_text()) == document


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
        "epochal: found/async-isr-proposal-accepted.itf.json: nothing can be written there: No space left on device."
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
    from epochal.checker.search.result import Progress, StopReason

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


# SIGTERM ends the work wherever it comes, also where Python swallows exceptions.


class Deleted:
    """An object whose deletion takes a moment, in which a signal comes."""

    def __init__(self, during: Callable[[], None]) -> None:
        self.during = during

    def __del__(self) -> None:
        self.during()


def send() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.05)  # for the handler, which runs between two steps of Python


@pytest.mark.parametrize("deleting", [False, True])
def test_it_ends_the_work_wherever_it_comes(deleting: bool) -> None:
    told: list[str] = []
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), stopping(told.append):
        if deleting:
            Deleted(send)
            assert told == []
        else:
            send()
        time.sleep(10)
    assert told == ["SIGTERM"]
    assert signal.getsignal(signal.SIGTERM) is before


# `--brief`: the verdict, what is violated and where the rest is; on a terminal a long report ends with its verdict.

TINY = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")

REPORTS = {
    ("check", "truncate-to-hw", *TINY, "--all-violations"): (
        12,
        [
            "truncate-to-hw: weak_isr, strong_isr violated",
            "  weak_isr (9 states), strong_isr (10 states)",
            "  exit code 12 (violated); the whole report: the same without --brief",
        ],
    ),
    ("check", "kip-320", *TINY): (
        0,
        [
            "kip-320: all checked properties hold within these bounds",
            "  exit code 0 (holds); the whole report: the same without --brief",
        ],
    ),
    ("simulate", "kip-320", *TINY, "--runs", "300"): (0, ["kip-320: nothing is violated in these runs"]),
    ("bmc", "kip-320", *TINY, "--length", "2"): (0, ["kip-320: nothing is violated in runs of at most 3 states"]),
    ("prove", "kip-279", *TINY, "--property", "strong_isr"): (32, ["kip-279-proof: not proved: "]),
    ("compare", "kip-279", "kip-320", *TINY): (0, ["kip-279 and kip-320: "]),
    ("mutate", "kip-320", *TINY, "--only", "become_follower: drop require #1"): (None, ["kip-320: "]),
}


@pytest.mark.parametrize("arguments", REPORTS, ids=lambda arguments: " ".join(arguments[:2]))
def test_three_lines(arguments: tuple[str, ...], run: Run) -> None:
    result = run(*arguments, "--brief")
    code, expected = REPORTS[arguments]
    shown = result.stdout.splitlines()
    assert code is None or result.exit_code == code
    assert [line for line, begin in zip(shown, expected, strict=False) if not line.startswith(begin)] == []
    assert 2 <= len(shown) <= 3
    assert shown[-1].startswith(f"  exit code {int(result.exit_code)} (")


ODD = """
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, require

class Over(Protocol):
    n: Annotated[int, Integers(0, 3)]

    @action
    def grow(self, by: Annotated[int, Integers(1, 2)]) -> None:
        self.n += by

    @invariant
    def small(self) -> bool:
        return self.n < 5

class Vacuous(Over):
    def grow(self, by: Annotated[int, Integers(1, 2)]) -> None:
        require(self.n < 2)
        self.n += by

    @action
    def never(self) -> None:
        require(self.n > 3)
"""


def test_what_is_wrong_beside_violations_is_said(folder: Path, run: Run) -> None:
    """The rule that failed, with its line; and the warnings for which the verdict means little."""
    (folder / "odd.py").write_text(ODD)
    over = run("check", "odd.py:Over", "--brief")
    assert over.exit_code == 75 and over.stdout.splitlines()[1] == "  n: 4 is outside 0..3 in grow (odd.py:10)"
    vacuous = run("check", "odd.py:Vacuous", "--brief")
    assert vacuous.exit_code == 22 and "Never cannot happen at these bounds" in vacuous.stdout.splitlines()[1]
    assert len(vacuous.stdout.splitlines()) == 3


def test_files_are_named(run: Run) -> None:
    shown = run("check", "truncate-to-hw", *TINY, "--brief", "--out", "found").stdout.splitlines()
    assert len(shown) == 3
    assert shown[-1].endswith("written: found/truncate-to-hw-weak-isr.itf.json, found/result.json")


def test_the_gate_is_brief_too(run: Run) -> None:
    run("gate", "add", "async-isr", "--replicas", "2", "--max-offset", "1", "--max-version", "1")
    shown = run("gate", "--brief").stdout.splitlines()
    assert shown[-1] == "  exit code 0 (holds); the whole report: the same without --brief"
    assert len(shown) == 2


def test_json_is_whole_anyway(run: Run) -> None:
    assert '"properties"' in run("check", "async-isr", "--replicas", "2", "--brief", "--format", "json").stdout


def test_a_long_report_on_a_terminal_says_its_verdict_last_too() -> None:
    from rich.console import Console

    def shown(lines: int) -> list[str]:
        stream = io.StringIO()
        page = TerminalPage(Console(file=stream, width=80, height=10, color_system=None))
        page.lines(["x"] * lines)
        page.again("kip-320: holds")
        return stream.getvalue().split("\n")

    assert shown(5)[-2] == "x"
    assert shown(30)[-3:] == ["", "kip-320: holds", ""]
    stream = io.StringIO()
    PlainPage(stream).again("kip-320: holds")
    assert stream.getvalue() == ""


# The table of exit codes against every command: what each ends with, of each kind of finding and of mistake.

JUDGED: Final = """
    from dataclasses import dataclass
    from typing import Annotated

    from epochal.language import (
        Bounds, Capacity, Integers, Log, Protocol, action, bound, invariant, leads_to, lemma, reachable,
        require,
    )


    @dataclass(frozen=True)
    class Most(Bounds):
        most: int = bound(3, least=1, most=9, help="the greatest value", why="it is small")


    class Holds(Protocol):
        bounds: Most
        x: Annotated[int, Integers(0, 9)]

        @action(fair="weak")
        def grow(self):
            \"\"\"One more.\"\"\"
            require(self.x < self.bounds.most)
            self.x += 1

        @invariant
        def small(self):
            \"\"\"It stays small.\"\"\"
            return self.x <= self.bounds.most

        @lemma
        def bounded(self):
            \"\"\"It never passes its bound.\"\"\"
            return self.x <= self.bounds.most


    class Violated(Holds):
        def small(self):
            return self.x < 2


    class Fails(Holds):
        log: Annotated[Log[bool], Capacity(1)]

        def small(self):
            return self.x < 2 or self.log[0]


    class Promises(Holds):
        @action
        def back(self):
            \"\"\"Starts again.\"\"\"
            require(self.x == 2)
            self.x = 0

        @leads_to(fair=())
        def ends(self):
            \"\"\"The greatest value comes in the end.\"\"\"
            return self.x == 0, self.x == self.bounds.most


    class Never(Holds):
        @action
        def never(self):
            \"\"\"It cannot happen.\"\"\"
            require(self.x > self.bounds.most)
            self.x = 0


    class Unreached(Holds):
        @reachable
        def beyond(self):
            \"\"\"Nothing gets there.\"\"\"
            return self.x > self.bounds.most


    class Outside(Holds):
        def small(self):
            while self.x:
                pass
            return True
"""


def leaves(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that can be run, with the words that name it."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, (*path, name))


COMMANDS: Final = dict(leaves())
OF_A_PROTOCOL: Final = [path for path, one in COMMANDS.items() if isinstance(one, ProtocolCommand)]
MORE: Final[dict[tuple[str, ...], list[str]]] = {
    ("compare",): ["m.py:Holds"],
}
"""What a command needs besides the protocol."""


def named(path: tuple[str, ...]) -> str:
    return " ".join(path)


@pytest.fixture
def files(folder: Path) -> Path:
    """The working folder with the specifications, and two files that cannot be loaded."""
    (folder / "m.py").write_text(textwrap.dedent(JUDGED), encoding="utf-8")
    (folder / "broken.py").write_text("class Broken(\n", encoding="utf-8")
    (folder / "raises.py").write_text("raise RuntimeError('while it is imported')\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_of_every_command(path: tuple[str, ...], files: Path, run: Run) -> None:
    """Help, an option that does not exist, and a configuration file that says what nobody knows."""
    assert run(*path, "--help").exit_code == ExitCode.HOLDS
    unknown = run(*path, "--no-such-option")
    assert (unknown.exit_code, "Traceback" in unknown.output) == (ExitCode.USAGE, False), unknown.output
    (files / "epochal.toml").write_text("no-such-key = 1\n", encoding="utf-8")
    wrong = run(*path)
    assert wrong.exit_code == ExitCode.BAD_CONFIGURATION and "epochal.toml" in wrong.output, wrong.output


@for_each("path", OF_A_PROTOCOL)
@for_each(
    "said, code",
    [
        (["kip-1011"], ExitCode.NOT_LOADED),
        (["nowhere.py:Holds"], ExitCode.NOT_LOADED),
        (["broken.py:Broken"], ExitCode.NOT_LOADED),
        (["raises.py:Holds"], ExitCode.NOT_LOADED),
        (["m.py:Nobody"], ExitCode.NOT_LOADED),
        (["m.py:Holds", "--most", "10"], ExitCode.USAGE),
        (["m.py:Holds", "--least", "1"], ExitCode.USAGE),
    ],
)
def test_a_protocol_that_cannot_be_asked_about(
    path: tuple[str, ...], said: list[str], code: ExitCode, files: Path, run: Run
) -> None:
    done = run(*path, said[0], *MORE.get(path, []), *said[1:])
    assert done.exit_code == code and done.output.count("Traceback") == 0, done.output


VERDICTS: Final[dict[tuple[str, ...], tuple[int, ...]]] = {
    # .......................... Holds, Violated, Fails, Promises, Never, Unreached, Outside
    ("check",): (0, 12, 75, 13, 22, 21, 120),
    ("check", "--engine", "python"): (0, 12, 75, 13, 22, 21, 120),
    ("check", "--deadlock"): (11, 12, 75, 13, 11, 11, 120),
    ("check", "--max-states", "1"): (30, 30, 30, 30, 30, 30, 120),
    ("liveness",): (2, 2, 2, 13, 2, 2, 2),
    ("prove",): (0, 32, 32, 0, 22, 0, 120),
    ("bmc", "--length", "5"): (0, 12, 75, 0, 0, 0, 120),
    ("mutate",): (0, 22, 75, 0, 0, 0, 120),
    ("simulate",): (0, 12, 75, 0, 0, 0, 120),
    ("graph", "--out", "g.dot"): (0, 12, 75, 0, 0, 0, 120),
    ("gate", "add"): (0, 12, 75, 13, 22, 21, 120),
    ("export-tla",): (0, 0, 0, 0, 0, 0, 120),
    ("show",): (0, 0, 0, 0, 0, 0, 0),
}
"""What each command ends with. `liveness` is asked of promises alone; `mutate` needs something that holds."""
PROTOCOLS: Final = ("Holds", "Violated", "Fails", "Promises", "Never", "Unreached", "Outside")


@pytest.mark.parametrize("words", VERDICTS, ids=named)
def test_a_verdict(words: tuple[str, ...], files: Path, run: Run) -> None:
    """The finding is the exit code, whoever finds it; rules outside the language are never run."""
    done = [run(*words, f"m.py:{one}") for one in PROTOCOLS]
    told = tuple(one.exit_code for one in done)
    assert told == VERDICTS[words], [one.output[-300:] for one in done]


def test_every_command_that_judges_a_protocol_is_in_the_table() -> None:
    """`compare` judges two, `guarantees` those of the newest family, and the explorer nothing until it is asked."""
    told = {words[:1] for words in VERDICTS} | {("compare",), ("explore",), ("guarantees",)}
    assert set(OF_A_PROTOCOL) <= told
