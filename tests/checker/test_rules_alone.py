"""A protocol that says one thing of itself, and one of which one rule cannot be evaluated: by each command.

What nobody judges is exit code 22, with who would; a promise is a property like any other. A rule that fails is exit
code 75 with its place; a command that does not judge its kind says nothing about it.
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

HEAD: Final = """
from typing import Annotated

from epochal.language import (
    Capacity, Integers, Log, Protocol, action, action_property, constraint, ends, invariant, leads_to, lemma, reachable,
    require, view
)

Small = Annotated[int, Integers(0, 3)]
"""
ALONE: Final = f'''{HEAD}

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
BESIDE: Final = f'''{HEAD}

class Counter(Protocol):
    """Counts to three, beside a log that stays empty."""

    count: Small
    log: Annotated[Log[Small], Capacity(3)]

    @action(fair="weak")
    def add(self) -> None:
        """One more."""
        require(self.count < 3)
        self.count += 1

    @invariant
    def small(self) -> bool:
        """It does not get past three, and the log is empty."""
        return self.count < 3 or len(self.log) == 0

    @leads_to(fair=("add",))
    def arrives(self) -> tuple[bool, bool]:
        """It is three in the end."""
        return self.count < 3, self.count == 3 and len(self.log) == 0

    @lemma
    def empty(self) -> bool:
        """The log is empty."""
        return len(self.log) == 0
'''
RULE: Final = '''
    @{mark}
    def odd(self{more}) -> {type}:
        """What is said."""
        return {value}
'''
MUST, WISHED_FOR = 'leads_to(fair=("add",))', 'leads_to(fair=("add",), optional=True)'
KINDS: Final = {
    "invariant": ("invariant", "not self.done or self.count == 3", "{fails}"),
    "action property": ("action_property", "new.done or not self.done", "{fails}"),
    "reachable": ("reachable", "self.done", "({fails}) and self.count == 3"),
    "premise": (MUST, "not self.done, self.count == 3", "{fails}, self.count == 3"),
    "goal": (MUST, "True, self.done", "self.count < 3, self.count == 3 or ({fails})"),
    "wish": (WISHED_FOR, "True, self.done", "{fails}, self.count == 3"),
    "goal of a wish": (WISHED_FOR, "", "False, {fails}"),
    "lemma": ("lemma", "not self.done or self.count == 3", "{fails}"),
    "ends": ("ends", "self.done", "{fails}"),
    "view": ('view(of="counter")', "str(self.done)", ""),
    "constraint": ("constraint", "not self.done or self.count == 3", "{fails}"),
    "nothing": ("", "", ""),
}
"""How a kind of rule is marked, what it says alone, and how it fails."""


def rule(kind: str, value: str) -> str:
    """The text of a rule."""
    mark = KINDS[kind][0]
    more = ", new" if mark == "action_property" else ""
    type_ = "tuple[bool, bool]" if mark.startswith("leads_to") else "str" if kind == "view" else "bool"
    return RULE.format(mark=mark, more=more, type=type_, value=value) if mark else ""


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


@pytest.fixture(params=[kind for kind, (_, says, fails) in KINDS.items() if says or not fails])
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A protocol that says only this of itself, in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # whoever loads a file adds its folder
    name = str(request.param)
    (tmp_path / "counter.py").write_text(ALONE + rule(name, KINDS[name][1]))
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


# -- a rule that fails ------------------------------------------------------------------------------------------------

ALWAYS, LATER = "self.log[0] > 0", "self.count != 2 or self.log[0] > 0"
"""What fails in every state, and in one state alone."""
FAILING: Final = [kind for kind, (_, _, fails) in KINDS.items() if fails]
STATES: Final = {"constraint"}
UNSAFE: Final = STATES | {"invariant", "action property"}
WISHED: Final = {"wish", "goal of a wish"}
CHECKED: Final = UNSAFE | PROMISED | {"reachable"}
NOTICED: Final[dict[tuple[str, ...], set[str]]] = {
    ("check",): CHECKED,
    ("check", "--engine", "python"): CHECKED,
    ("check", "--workers", "2", "--all-violations"): CHECKED,
    ("check", "--no-liveness"): CHECKED - PROMISED,
    ("check", "--wishes"): CHECKED | WISHED,
    ("check", "--deadlock"): CHECKED | {"ends"},
    ("check", "--deadlock", "--engine", "python"): CHECKED | {"ends"},
    ("check", "--deadlock", "--property", "small"): STATES | PROMISED | {"ends"},
    ("check", "--deadlock", "--property", "small", "--engine", "python"): STATES | PROMISED | {"ends"},
    ("check", "--lemmas"): CHECKED | {"lemma"},
    ("liveness",): STATES | PROMISED,
    ("liveness", "--wishes", "--needs"): STATES | PROMISED | WISHED,
    ("bmc", "--length", "4"): UNSAFE,
    ("simulate",): UNSAFE | {"reachable"} | PROMISED,
    ("mutate",): CHECKED,
    ("gate", "add"): CHECKED,
}
"""Which kinds of rules each command judges."""


def written(folder: Path, kind: str, fails: str) -> int:
    """Write the protocol with such a rule to `counter.py`; the line of the rule."""
    text = BESIDE + rule(kind, KINDS[kind][2].format(fails=fails))
    (folder / "counter.py").write_text(text)
    return len(text.splitlines())


@pytest.mark.parametrize("fails", [ALWAYS, LATER], ids=["always", "later"])
@pytest.mark.parametrize("kind", FAILING)
def test_every_command_that_judges_a_rule_says_where_it_fails(
    kind: str, fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = written(tmp_path, kind, fails)
    subprocess.run(["git", "init", "-q", "."], check=True)
    wrong = []
    for command, judged in NOTICED.items():
        code, text = run(*command, "counter.py:Counter")
        if kind in judged:
            told = f"counter.py:{line}" in text and "offset 0 is outside the log" in text
            right = code == ExitCode.EVALUATION_FAILED and told
        else:
            right = code == ExitCode.HOLDS
        if not right or "1 liveness property holds (0 cases)" in text:
            wrong.append((command, code, text))
    assert not wrong, wrong


@pytest.mark.parametrize("kind", ["invariant", "premise", "goal"])
def test_a_sweep_has_a_row_for_the_rule_that_fails(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = written(tmp_path, kind, LATER)
    (tmp_path / "sweep.toml").write_text('[[task]]\ncheck = "counter.py:Counter"\n')
    assert run("sweep", "sweep.toml", "--out", "out", "--progress", "none")[0] == ExitCode.HOLDS
    rows = [json.loads(one) for one in (tmp_path / "out" / "results.jsonl").read_text().splitlines()]
    (failed,) = [one for one in rows if one["verdict"] == "failed"]
    assert failed["note"] == f"counter.py:{line}: offset 0 is outside the log, which ends at 0"
    assert failed["length"] == 3
    assert {one["verdict"] for one in rows if one["property"] == "arrives"} == {"not judged"}


def test_a_promise_that_fails_is_told_to_pytest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "goal", LATER)
    with pytest.raises(AssertionError, match="offset 0 is outside the log"):
        epochal.assert_holds("counter.py:Counter")
