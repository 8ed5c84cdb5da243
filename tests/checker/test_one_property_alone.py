"""A protocol that says one thing of itself: who judges it, what the others say, and that what it reads is read.

What nobody judges is exit code 22, with who would; a promise is a property like any other.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

import epochal
from epochal.checker.semantics.properties import no_properties
from epochal.cli.main import main
from epochal.exit_codes import ExitCode

BASE: Final = '''
from typing import Annotated

from epochal.language import (
    Integers, Protocol, action, action_property, constraint, ends, invariant, leads_to, lemma, reachable, require, view
)

Small = Annotated[int, Integers(0, 3)]


class Counter(Protocol):
    """Counts to three."""

    count: Small
    done: bool

    @action(fair="weak")
    def add(self) -> None:
        """One more."""
        require(self.count < 3)
        self.count += 1
        self.done = self.count == 3
'''
RULE: Final = '''
    @{mark}
    def odd({more}) -> {type}:
        """What is said."""
        return {value}
'''
KINDS: Final = {
    "invariant": ("invariant", "self", "bool", "not self.done or self.count == 3"),
    "action property": ("action_property", "self, new", "bool", "new.done or not self.done"),
    "reachable": ("reachable", "self", "bool", "self.done"),
    "premise": ('leads_to(fair=("add",))', "self", "tuple[bool, bool]", "not self.done, self.count == 3"),
    "goal": ('leads_to(fair=("add",))', "self", "tuple[bool, bool]", "True, self.done"),
    "wish": ('leads_to(fair=("add",), optional=True)', "self", "tuple[bool, bool]", "True, self.done"),
    "lemma": ("lemma", "self", "bool", "not self.done or self.count == 3"),
    "ends": ("ends", "self", "bool", "self.done"),
    "view": ('view(of="counter")', "self", "str", "str(self.done)"),
    "constraint": ("constraint", "self", "bool", "not self.done or self.count == 3"),
    "nothing": ("", "", "", ""),
}
SAFETY: Final = {"invariant", "action property"}
EVERYWHERE: Final = SAFETY | {"reachable"}
PROMISED: Final = {"premise", "goal"}
COMMANDS: Final[dict[tuple[str, ...], set[str]]] = {
    ("check",): EVERYWHERE | PROMISED,
    ("check", "--engine", "python"): EVERYWHERE | PROMISED,
    ("check", "--optional"): EVERYWHERE | PROMISED | {"wish"},
    ("check", "--lemmas"): EVERYWHERE | PROMISED | {"lemma"},
    ("check", "--no-liveness"): EVERYWHERE,
    ("bmc", "--length", "4"): EVERYWHERE,
    ("simulate",): EVERYWHERE,
    ("mutate",): EVERYWHERE | PROMISED,
    ("gate", "add"): EVERYWHERE | PROMISED,
}
"""What each command judges; what it does not judge is told with exit code 22."""

OTHERS: Final = {
    "premise": "liveness properties, which epochal check checks",
    "goal": "liveness properties, which epochal check checks",
    "wish": "optional liveness properties (epochal check --optional)",
    "lemma": "lemmas (epochal check --lemmas)",
    "ends": "where a run may end (epochal check --deadlock)",
}


def run(*arguments: str) -> tuple[int, str]:
    """The exit code and what is printed."""
    found = CliRunner().invoke(main, list(arguments))
    return found.exit_code, found.output


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A protocol that says only this of itself, in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # whoever loads a file adds its folder
    name = str(request.param)
    mark, more, type_, value = KINDS[name]
    rule = RULE.format(mark=mark, more=more, type=type_, value=value) if mark else ""
    (tmp_path / "counter.py").write_text(BASE + rule)
    return name


def test_each_command_judges_it_or_says_who_does(kind: str) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    for command, judged in COMMANDS.items():
        code, text = run(*command, "counter.py:Counter")
        assert code == (ExitCode.HOLDS if kind in judged else ExitCode.VACUOUS), (command, text)
        if kind in judged:
            assert "Warning" not in text, (command, text)
        elif command[0] not in ("mutate",):
            words = " ".join(text.split())
            assert OTHERS.get(kind, "Counter has no properties, so there is nothing to violate") in words, (
                command,
                text,
            )
    if kind in COMMANDS["gate", "add"]:
        assert run("gate")[0] == ExitCode.HOLDS


def test_liveness_judges_what_must_happen_in_the_end(kind: str) -> None:
    code, text = run("liveness", "counter.py:Counter")
    assert code == (ExitCode.HOLDS if kind in PROMISED | {"wish"} else ExitCode.USAGE), text


def test_a_check_of_ends_judges_ends(kind: str) -> None:
    """Without `ends` and promises a run may end nowhere; with a wish alone, too."""
    code, text = run("check", "counter.py:Counter", "--deadlock", "--format", "json")
    right = ExitCode.HOLDS if kind in PROMISED | {"ends"} else ExitCode.DEADLOCK
    assert code == right, text
    assert not json.loads(text)["vacuous"] or kind in ("view", "constraint", "nothing")


def test_what_is_read_by_any_kind_is_read(kind: str) -> None:
    """A view is for people, and nothing that is checked depends on it."""
    _, text = run("check", "counter.py:Counter", "--lemmas")
    assert ("the state variable done is never read" in text) == (kind in ("view", "nothing")), text


def test_a_sweep_has_a_row_for_it(kind: str, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(
        '[[task]]\ncheck = "counter.py:Counter"\n[[task]]\nsimulate = "counter.py:Counter"\nruns = 10\n'
    )
    code, text = run("sweep", "sweep.toml", "--out", "out", "--progress", "none")
    assert code == ExitCode.HOLDS, text
    rows = [json.loads(one) for one in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    judged = {"check": COMMANDS["check",], "simulate": COMMANDS["simulate",]}
    for row in rows:
        assert (row["verdict"] == "vacuous") == (kind not in judged[row["kind"]]), row
        assert row["property"] == ("odd" if kind in judged[row["kind"]] else "") and (row["note"] or row["property"])
    assert [row["kind"] for row in rows] == ["check", "simulate"]


def test_from_python_and_pytest_it_holds_if_it_is_judged(kind: str) -> None:
    protocol = epochal.load("counter.py:Counter")
    found = epochal.check(protocol, all_violations=True)
    assert found.holds == (kind in COMMANDS["check",])
    if found.holds:
        epochal.assert_holds(protocol)
        return
    with pytest.raises(AssertionError, match=re.escape(no_properties(protocol))):
        epochal.assert_holds(protocol)
