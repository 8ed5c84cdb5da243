"""What comes back by itself: the wishes of kraft under each fault, with nobody who restarts a broker, and with."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from typing import Any, cast

import pytest
from click.testing import CliRunner

import epochal
from epochal.api.result import Interrupted
from epochal.checker.search.result import CheckResult
from epochal.cli.main import main
from epochal.errors import UsageError
from epochal.kafka.guarantees import decided as guarantees
from epochal.kafka.guarantees import recovery as comes_back
from epochal.kafka.guarantees.cases import _text
from epochal.kafka.guarantees.decide_recoveries import usual_recoveries
from epochal.kafka.guarantees.recovery import Recovery, decided, recoveries, search_for
from epochal.kafka.guarantees.tables import same_answers
from epochal.spec.kraft.guarantees import guarded
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.loading import instantiate

SMALL: dict[str, Any] = {"replication_factor": 2, "max_epoch": 1, "records": 1, "metadata_lag": 1}


@pytest.fixture(scope="module")
def small() -> epochal.Guarantees:
    """Two brokers, of which one or both crash with their logs kept."""
    return epochal.guarantees(faults=["clean", "two-clean"], recovery=True, cached=False, kafka="G9", **SMALL)


@pytest.mark.xdist_group("comes-back")
def test_one_crash_and_two(small: epochal.Guarantees) -> None:
    """One that is left leads; when both are down nobody does before one restarts."""
    one, both = (fault.back for fault in small.tables[0].decided)
    assert one["leader"] == Recovery("alone")
    assert one["writes"].verdict == one["whole_isr"].verdict == "after a restart", "min.insync.replicas is 2"
    assert {found.verdict for found in both.values()} == {"after a restart"}


@pytest.mark.xdist_group("comes-back")
def test_it_is_what_a_check_of_the_wishes_says(small: epochal.Guarantees) -> None:
    found = small.tables[0].decided[1]
    protocol = epochal.load(found.reference, **found.bounds)
    for unfair in (("restart",), ()):
        result = epochal.check(protocol, properties=comes_back.CHECKED.values(), unfair=unfair, engine="native")
        lengths = {one.member.name: one.length for one in result.search.liveness.promises}
        for name, id in comes_back.CHECKED.items():
            assert lengths[id] == (found.back[name].length if unfair else None)


def test_the_report_and_the_json() -> None:
    options = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    asked = ["guarantees", "--fault", "clean", "--recovery", "--kafka", "G9", *options]
    shown = CliRunner().invoke(main, asked)
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert "What comes back by itself: G9" in lines
    (last,) = [line for line in lines if line.startswith("  a crash that loses nothing")][-1:]
    assert last.split()[5:9] == ["yes", "after", "a", "restart"]
    document = json.loads(CliRunner().invoke(main, [*asked, "--format", "json"]).stdout)
    (fault,) = document["tables"][0]["faults"]
    assert fault["recovery"]["leader"] == {"verdict": "alone", "length": None}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the budget may end in a gc callback
def test_what_a_budget_leaves_open_is_said() -> None:
    """It is never taken for a yes, and not kept."""
    case = instantiate(guarded({"kafka": "4.4"}), {**SMALL, "crashes": 2})
    answer = decided(search_for(case, None, 0.0, None, None))
    assert {verdict for verdict, _ in answer["verdicts"].values()} == {"open"}
    assert answer["cut"]
    found = epochal.guarantees(faults=["clean"], recovery=True, cached=False, kafka="G8", budget=1.0)
    assert found.exit_code == 30
    assert str(found).count("Open: a crash that loses nothing: the time budget of 1 s is spent") == 2
    assert {one.verdict for one in found.tables[0].decided[0].back.values()} == {"open"}


def test_a_usual_answer_stands_beside_every_usual_case() -> None:
    assert list(comes_back._usual()) == list(usual_recoveries())


def test_a_usual_answer_is_what_a_search_says() -> None:
    key, (settings, bounds) = next(iter(usual_recoveries().items()))
    again = decided(search_for(instantiate(guarded(settings), bounds), None, None, None, None))
    assert json.loads(json.dumps(again)) == comes_back._usual()[key]


def test_it_is_searched_where_the_package_does_not_know_it(monkeypatch: pytest.MonkeyPatch) -> None:
    settings, bounds = next(iter(usual_recoveries().values()))
    protocol = cast("Kraft", instantiate(guarded(settings), bounds))

    def refused(_: tuple[str, ...]) -> CheckResult:
        raise AssertionError("searched")

    assert recoveries(protocol, refused, registered=True)["leader"] == Recovery("alone")
    monkeypatch.setattr(comes_back, "_usual", dict)
    with pytest.raises(AssertionError, match="searched"):
        recoveries(protocol, refused, registered=True)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("bounded(self.used < 1)", "require(self.used < 1)", False),
        ("@action(fair='weak')", "@action(fair='strong')", False),
        ("@action(fair='weak')", "@action(fair='weak', says='It goes.')", True),
    ],
)
def test_the_key_knows_what_is_fair_and_what_is_bounded(before: str, after: str, same: bool) -> None:
    rule = "@action(fair='weak')\ndef go(self):\n    bounded(self.used < 1)\n    self.used += 1\n"
    texts = [list(_text(ast.parse(text).body[0], frozenset(), True)) for text in (rule, rule.replace(before, after))]
    assert (texts[0] == texts[1]) is same
    steps = [list(_text(ast.parse(text).body[0], frozenset())) for text in (rule, rule.replace(before, after))]
    assert steps[0] == steps[1], "to a search of states and steps they are the same"


def test_whoever_ends_it_keeps_what_was_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(guarantees, "recoveries", interrupted)
    with pytest.raises(Interrupted) as ended:
        epochal.guarantees(faults=["none", "clean"], recovery=True, kafka="G9", **SMALL)
    found = ended.value.result
    assert isinstance(found, epochal.Guarantees)
    first, *known = found.tables[0].decided
    assert found.interrupted and first.answers and not first.back
    assert all(one.answers and not one.back for one in known), "nothing more is searched of them"


def test_it_is_no_question_of_the_matrix() -> None:
    with pytest.raises(UsageError, match="matrix"):
        epochal.guarantees(varied=True, recovery=True)


def test_what_comes_back_otherwise_is_a_difference() -> None:
    """Two columns that keep the same differ where one needs a restart."""
    found = epochal.guarantees(faults=["clean"], recovery=True, kafka="G9", **SMALL).tables[0].decided[0]
    other = replace(found, back={**found.back, "leader": Recovery("never", 3)})
    assert same_answers(found, found) and not same_answers(found, other)
