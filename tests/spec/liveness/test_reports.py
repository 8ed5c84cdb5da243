"""What must happen in the end is listed, and every report says that no search judges it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.properties import liveness
from epochal.cli.main import main
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import LanguageError, Protocol, action, leads_to

SENTENCES = [member.name for member in liveness(Kraft())]


def test_reports_say_what_was_not_checked() -> None:
    shown = CliRunner().invoke(main, ["show", "kraft"])
    assert shown.exit_code == 0
    assert "what must happen in the end, which is not checked" in shown.stdout
    assert all(name in shown.stdout for name in SENTENCES)
    check = ["check", "balancing-kraft", "--brokers", "2", "--failures", "1"]
    text = CliRunner().invoke(main, check)
    assert "- deadlock and liveness (policy_is_satisfied)" in text.stdout
    document = json.loads(CliRunner().invoke(main, [*check, "--format", "json"]).stdout)
    assert document["liveness"] == [
        {
            "id": "policy_is_satisfied",
            "kind": "leads_to",
            "sentence": "Whatever the policy wants changed is changed in the end.",
            "source": document["liveness"][0]["source"],
            "fair": ["begin_round", "elect_preferred", "elect_online", "come_back", "rejoin"],
            "verdict": "not checked",
        }
    ]
    assert document["liveness"][0]["source"].startswith("spec/balancing/balancing.py:")


class Unfair(Protocol):
    """Assumes what nobody granted."""

    on: bool

    @action
    def toggle(self) -> None:
        """Changes."""
        self.on = not self.on

    @leads_to(fair=("toggle",))
    def lights_up(self) -> tuple[bool, bool]:
        """It lights up."""
        return True, self.on


class NoPair(Protocol):
    """Promises one condition only."""

    on: bool

    @action(fair="weak")
    def toggle(self) -> None:
        """Changes."""
        self.on = not self.on

    @leads_to(fair=("toggle",))
    def lights_up(self) -> bool:
        """It lights up."""
        return self.on


def test_a_promise_is_a_premise_and_a_goal() -> None:
    with pytest.raises(LanguageError, match="lights_up does not return a premise and a goal"):
        compile_protocol(NoPair())
    with pytest.raises(LanguageError, match="leads_to takes the names of actions, not str"):
        leads_to(fair="toggle")  # type: ignore[arg-type]  # no tuple, on purpose


def test_a_promise_cannot_be_asked_for() -> None:
    result = CliRunner().invoke(main, ["check", "kraft", "--property", "leader_is_elected"])
    assert result.exit_code == 2
    assert "'leader_is_elected' says what must happen in the end (liveness), which no command judges" in result.output


def test_fairness_is_not_assumed_of_anything() -> None:
    with pytest.raises(LanguageError, match="lights_up assumes that toggle is taken fairly") as error:
        compile_protocol(Unfair())
    assert error.value.where is not None
    assert error.value.where.file == "tests/spec/liveness/test_reports.py"
    assert "Fair actions: none" in (error.value.advice or "")
