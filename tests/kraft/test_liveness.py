"""What must happen in the end: each sentence says something, and reports say that no search judges it."""

from __future__ import annotations

import itertools
import json

import pytest
from click.testing import CliRunner

from checker.properties import liveness
from cli.main import main
from spec.kraft.kraft import Kraft
from spec.kraft.state import KraftBounds
from spec.language import LanguageError, Protocol, action, leads_to


def bounds(**given: int) -> KraftBounds:
    """The least bounds but for these."""
    least = {name: bound.least for name, bound in KraftBounds.declared().items()}
    return KraftBounds(**{**least, "replication_factor": 2, **given})


TWO_FENCED = bounds(max_epoch=2, fencings=2)
ONE_SLOW = bounds(replication_factor=3, shrinks=1)
SENTENCES = [member.name for member in liveness(Kraft(TWO_FENCED))]


@pytest.fixture(scope="module")
def answers() -> dict[str, set[tuple[bool, bool]]]:
    """Premise and goal of each sentence, in all states where both brokers are fenced or one of three is slow."""
    found: dict[str, set[tuple[bool, bool]]] = {name: set() for name in SENTENCES}
    for protocol in (Kraft(TWO_FENCED), Kraft(ONE_SLOW)):
        members = [(m, [list(p.domain.values()) for p in protocol.parameters(m.function)]) for m in liveness(protocol)]
        seen = set(protocol.initial_states())
        frontier = list(seen)
        while frontier:
            codes = frontier.pop()
            state = protocol.at(codes)
            for member, choices in members:
                found[member.name] |= {member.function(state, *chosen) for chosen in itertools.product(*choices)}
            for _, after in protocol.successors(codes):
                if after not in seen:
                    seen.add(after)
                    frontier.append(after)
    return found


@pytest.mark.parametrize("name", SENTENCES)
def test_each_sentence_promises_something(name: str, answers: dict[str, set[tuple[bool, bool]]]) -> None:
    """In some state the premise holds and the goal does not, and in some the goal holds."""
    assert (True, False) in answers[name]
    assert any(goal for _, goal in answers[name])


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


def test_fairness_is_not_assumed_of_anything() -> None:
    with pytest.raises(LanguageError, match="lights_up assumes that toggle is taken fairly") as error:
        liveness(Unfair())
    assert error.value.where is not None
    assert error.value.where.file == "tests/kraft/test_liveness.py"
    assert "Fair actions: none" in (error.value.advice or "")
