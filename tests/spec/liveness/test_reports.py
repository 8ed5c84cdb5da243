"""What must happen in the end is judged by default, told if it need not, and said to be open where it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import pytest
from click.testing import CliRunner

from epochal.api.check import check
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness.native import NativeGraph
from epochal.checker.semantics.properties import liveness
from epochal.cli.main import main
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import Integers, LanguageError, Map, Protocol, action, leads_to

SENTENCES = [member.name for member in liveness(Kraft())]


CHECK = ["check", "balancing-kraft", "--brokers", "2", "--failures", "1"]


def test_the_page_of_a_protocol_lists_its_promises() -> None:
    shown = CliRunner().invoke(main, ["show", "kraft"])
    assert shown.exit_code == 0
    assert "\nLiveness\n" in shown.stdout
    assert all(name in shown.stdout for name in SENTENCES)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_promises_are_judged_by_default(engine: str) -> None:
    text = CliRunner().invoke(main, [*CHECK, "--engine", engine])
    assert text.exit_code == 0
    assert "1 liveness property holds (1 case) in every fair run within the bounds" in text.stdout
    assert "- deadlock\n" in text.stdout
    document = json.loads(CliRunner().invoke(main, [*CHECK, "--engine", engine, "--format", "json"]).stdout)
    assert document["liveness"] == [
        {
            "id": "policy_is_satisfied",
            "kind": "leads_to",
            "sentence": "Whatever the policy wants changed is changed in the end.",
            "source": document["liveness"][0]["source"],
            "optional": False,
            "wish": False,
            "once": False,
            "fair": ["begin_round", "elect_preferred", "elect_online", "come_back", "rejoin"],
            "not_assumed": [],
            "verdict": "holds",
            "never_due": False,
            "reason": "",
            "needs": [],
            "cases": [document["liveness"][0]["cases"][0]],
        }
    ]
    assert document["liveness"][0]["source"].startswith("spec/balancing/balancing.py:")
    case = document["liveness"][0]["cases"][0]
    assert (case["verdict"], case["stopped"], case["doomed"], case["trace"]) == ("holds", 0, 0, None)
    assert case["waiting"] > 0


def test_arguments_of_promises_are_data() -> None:
    cases = check(Chosen()).to_dict()["liveness"][0]["cases"]
    assert len(cases) == 8
    assert json.loads(json.dumps(cases[-1]["arguments"])) == {
        "to": {"#map": [[False, True], [True, True]]},
        "least": [{"#bigint": "1"}],
    }


class Chosen(Protocol):
    """Waits for what is chosen by a map, none and a number."""

    done: bool

    @action(fair="weak")
    def end(self) -> None:
        self.done = True

    @leads_to(fair=("end",))
    def ends(self, to: Map[bool, bool], least: Annotated[int, Integers(1, 1)] | None) -> tuple[bool, bool]:
        return to[False], self.done


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [
        (["--no-liveness"], 0, "left out"),
        (["--symmetry"], 0, "symmetry: a canonical representative does not show who waits"),
        (["--compact"], 0, "the search keeps fingerprints of most states, not the states"),
        (["--max-states", "100"], 30, "not every state was explored"),
        (["--max-states", "100", "--property", "policy_is_satisfied"], 30, "not every state was explored"),
        (
            ["--symmetry", "--property", "policy_is_satisfied"],
            30,
            "symmetry: a canonical representative does not show who waits",
        ),
    ],
)
def test_what_cannot_be_judged_is_said_to_be_so(options: list[str], code: int, reason: str) -> None:
    """Only a promise that was asked for by name makes it more than a line of the report."""
    result = CliRunner().invoke(main, [*CHECK, *options])
    assert result.exit_code == code, result.output
    assert f"- deadlock and liveness (policy_is_satisfied: {reason})" in result.stdout


def test_memory_that_is_not_enough_leaves_the_rest_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate is made before: what the search found is reported whatever happens."""
    monkeypatch.setattr(NativeGraph, "needed", 1 << 60)
    found = check(KraftBalancing(brokers=2, failures=1))
    assert found.holds
    assert found.search.liveness.reason.startswith("memory: it would take another 1048576 TiB; stopped at 90 %")
    assert found.search.liveness.by_machine and found.search.cut_by_machine
    assert found.search.liveness.reason.endswith(" MiB would do, or files (spill)")
    assert found.verdicts["policy_is_satisfied"] == "not judged"


BROKEN = """
from epochal.language import Protocol, action, leads_to, require


class Door(Protocol):
    \"\"\"A door that opens and closes.\"\"\"

    open: bool
    locked: bool

    @action(fair="weak", says="The door is locked")
    def lock(self) -> None:
        \"\"\"Only a closed door is locked.\"\"\"
        require(not self.open and not self.locked)
        self.locked = True

    @action(says="Somebody goes through")
    def move(self) -> None:
        \"\"\"Opens, or closes.\"\"\"
        require(not self.locked)
        self.open = not self.open

    @leads_to(fair=("lock",))
    def is_locked(self) -> tuple[bool, bool]:
        \"\"\"An open door is locked in the end.\"\"\"
        return self.open, self.locked
"""


@pytest.fixture
def door(tmp_path: Path) -> str:
    """A protocol whose promise is broken."""
    (tmp_path / "door.py").write_text(BROKEN)
    return f"{tmp_path / 'door.py'}:Door"


def test_a_broken_promise_is_told(door: str, tmp_path: Path) -> None:
    """Exit code 13, the run with what happens for ever and why that is fair, and a file that replays."""
    result = CliRunner().invoke(main, ["check", door, "--out", str(tmp_path / "found")])
    assert result.exit_code == 13
    assert "1 of 1 liveness property violated (1 case) by a fair run within the bounds" in result.stdout
    told = result.stdout[result.stdout.index("Counterexample") :]
    order = [
        "1. Move()  Somebody goes",
        "-- from here on the goal does not hold",
        "-- for ever: nothing changes",
    ]
    places = [told.index(line) for line in order]
    assert places == sorted(places)
    assert "Lock(): impossible in state 1: require(not self.open and not self.locked)" in told
    file = next((tmp_path / "found").glob("*is-locked.itf.json"))
    assert json.loads(file.read_text())["loop"] == 1
    assert CliRunner().invoke(main, ["replay", str(file), "--protocol", door]).exit_code == 0
    drawn = CliRunner().invoke(main, ["trace", "export", str(file), "--protocol", door, "--to", "mermaid"])
    assert "for ever: nothing changes any more" in drawn.stdout


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


def test_only_a_check_judges_promises() -> None:
    result = CliRunner().invoke(main, ["simulate", "kraft", "--property", "leader_is_elected"])
    assert result.exit_code == 2
    assert "'leader_is_elected' is a liveness property, which 'epochal check' checks" in result.output
    one = CliRunner().invoke(main, [*CHECK, "--property", "policy_is_satisfied"])
    assert one.exit_code == 0
    assert "1 liveness property holds (1 case)" in one.stdout


def test_fairness_is_not_assumed_of_anything() -> None:
    with pytest.raises(LanguageError, match="lights_up assumes that toggle is taken fairly") as error:
        compile_protocol(Unfair())
    assert error.value.where is not None
    assert error.value.where.file == "tests/spec/liveness/test_reports.py"
    assert "Fair actions: none" in (error.value.advice or "")
