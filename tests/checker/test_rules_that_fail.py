"""A rule that cannot be evaluated is exit code 75 with its place: each kind of rule by each command that judges it.

A command that does not judge a kind says nothing about it: its code is that of the same protocol without the rule.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from epochal.cli.main import main
from epochal.exit_codes import ExitCode

BASE: Final = '''
from typing import Annotated

from epochal.language import (
    Capacity, Integers, Log, Protocol, action, action_property, constraint, ends, invariant, leads_to, lemma,
    reachable, require,
)

Small = Annotated[int, Integers(0, 3)]


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
PREDICATE: Final = '''
    @{mark}
    def odd(self{more}) -> {type}:
        """What is asked of the log."""
        return {value}
'''
ALWAYS, LATER = "self.log[0] > 0", "self.count != 2 or self.log[0] > 0"
"""What fails in every state, and in one state alone."""

KINDS: Final = {
    "invariant": ("invariant", "", "bool", "{fails}"),
    "action property": ("action_property", ", new", "bool", "{fails}"),
    "reachable": ("reachable", "", "bool", "({fails}) and self.count == 3"),
    "lemma": ("lemma", "", "bool", "{fails}"),
    "constraint": ("constraint", "", "bool", "{fails}"),
    "ends": ("ends", "", "bool", "{fails}"),
    "premise": ('leads_to(fair=("add",))', "", "tuple[bool, bool]", "{fails}, self.count == 3"),
    "goal": ('leads_to(fair=("add",))', "", "tuple[bool, bool]", "self.count < 3, self.count == 3 or ({fails})"),
    "wish": ('leads_to(fair=("add",), optional=True)', "", "tuple[bool, bool]", "{fails}, self.count == 3"),
    "goal of a wish": ('leads_to(fair=("add",), optional=True)', "", "tuple[bool, bool]", "False, {fails}"),
}
STATES: Final = {"constraint"}
SAFETY: Final = STATES | {"invariant", "action property"}
PROMISED: Final = {"premise", "goal"}
WISHED: Final = {"wish", "goal of a wish"}
CHECKED: Final = SAFETY | PROMISED | {"reachable"}
COMMANDS: Final[dict[tuple[str, ...], set[str]]] = {
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
    ("bmc", "--length", "4"): SAFETY,
    ("simulate",): SAFETY | {"reachable"} | PROMISED,
    ("mutate",): CHECKED,
    ("gate", "add"): CHECKED,
}
"""Which kinds of rules each command judges."""


def run(*arguments: str) -> tuple[int, str]:
    """The exit code and what is printed."""
    found = CliRunner().invoke(main, list(arguments))
    return found.exit_code, found.output


def written(folder: Path, kind: str, fails: str) -> int:
    """Write the protocol with such a rule to `counter.py`; the line of the rule."""
    mark, more, type_, value = KINDS[kind]
    text = BASE + PREDICATE.format(mark=mark, more=more, type=type_, value=value.format(fails=fails))
    (folder / "counter.py").write_text(text)
    return len(text.splitlines())


@pytest.mark.parametrize("fails", [ALWAYS, LATER], ids=["always", "later"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_command_that_judges_a_rule_says_where_it_fails(
    kind: str, fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    line = written(tmp_path, kind, fails)
    subprocess.run(["git", "init", "-q", "."], check=True)
    wrong = []
    for command, judged in COMMANDS.items():
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
    import epochal

    monkeypatch.chdir(tmp_path)
    written(tmp_path, "goal", LATER)
    with pytest.raises(AssertionError, match="offset 0 is outside the log"):
        epochal.assert_holds("counter.py:Counter")
