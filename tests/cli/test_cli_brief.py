"""`--brief`: the verdict, what is violated and where the rest is; on a terminal a long report ends with its verdict."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from epochal.report.page import PlainPage, TerminalPage
from tests.cli.conftest import Run

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
