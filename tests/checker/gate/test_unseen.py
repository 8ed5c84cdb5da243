"""Changes of meaning that no reached step shows: none of them is called a refactoring without a word."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from epochal.checker.difference.compare import larger_bounds
from epochal.checker.difference.difference import Unreached
from epochal.checker.gate.reports import MEANINGS
from epochal.checker.gate.verdict import KINDS, Baseline, Expectations, judge, relation_of
from epochal.spec.language import Bounds, bound
from tests.checker.gate.conftest import Repository
from tests.checker.gate.lamp import LAMP, RECORD
from tests.zoo.rows import source

POND = source(
    """
    Size < Bounds:
        rains: int = bound(2, least=1, most=4, help="how often it rains")
        frosts: int = bound(0, least=0, most=2, help="how often it freezes")
    Mine: A pond that rain fills, and that frost closes.
        bounds: Size
        level: Annotated[int, Integers(0, 9)]
        rained: Annotated[int, Integers(0, Size.rains)]
        frozen: Annotated[int, Integers(0, 2)]
        action(fair="weak") rain: It rains.
            require(self.level < 9)
            bounded(self.rained < self.bounds.rains)
            self.rained += 1
            self.level += 1
        action(fair="weak") freeze: It freezes, or does not.
            require(self.level < 4)
            if self.frozen < self.bounds.frosts:
                self.frozen += 1
        action(fair="weak") dry: The water sinks.
            require(self.level > 0)
            self.level -= 1 if self.frozen == 0 else 0
        invariant not_full: It does not run over.
            return self.level < 5
        leads_to(fair=("dry",)) empties: It is empty in the end.
            return self.level > 0, self.level == 0
    """
)
BOUNDS = {"rains": 2, "frosts": 0}
WATER = "self.level -= 1 if self.frozen == 0 else 0"
assert WATER in POND
BENEATH_ICE = POND.replace(WATER, "self.level -= 1")
"""What it does beneath ice, which these bounds have none of."""


@pytest.fixture
def pond(repository: Repository) -> Repository:
    """A repository with the pond, recorded and committed."""
    repository.record(POND, BOUNDS)
    return repository


def only(document: dict[str, Any]) -> dict[str, Any]:
    """The one model of a result."""
    (model,) = document["models"]
    found: dict[str, Any] = model
    return found


def test_a_rule_that_differs_where_nothing_was_reached_is_unseen(pond: Repository) -> None:
    """It names the rule, and the bounds at which it shows; approval is of these very rules."""
    pond.write("mine.py", BENEATH_ICE)
    for arguments, shown in ((("--base", "HEAD"), "; it shows with --frosts 1"), ((), "")):
        model = only(pond.gate(*arguments, expect=20))
        assert (model["verdict"], model["relation"]) == ("unseen", "unseen")
        (finding,) = model["findings"]
        assert (finding["about"], finding["exit_code"], finding["source"]["file"]) == ("dry", 20, "mine.py")
        states = model["record"]["distinct_states"]
        assert finding["message"] == (
            f"the rules of Dry differ from the baseline's; no state within these bounds shows it, {states:,} states "
            f"compared{shown}"
        )
    refused = pond.here("gate", "approve")
    assert refused.exit_code == 2 and "what the rules say of states that are not reached in mine" in refused.stderr
    assert pond.here("gate", "approve", "--reason", "ice is thin").exit_code == 0
    assert only(pond.gate(expect=0))["verdict"] == "unchanged"
    model = only(pond.gate("--base", "HEAD", expect=0))
    assert (model["verdict"], model["approved"]) == ("unseen", "ice is thin")


def test_an_approval_of_the_same_steps_is_none_of_other_rules(pond: Repository) -> None:
    """The lock file of the change has the same steps all along."""
    pond.write("mine.py", BENEATH_ICE)
    pond.write("README", "the lock file is as it was")
    assert only(pond.gate("--base", "HEAD", expect=20))["approved"] is None


def test_rules_that_are_equal_on_all_typed_states_are_refactored(pond: Repository) -> None:
    pond.write("mine.py", POND.replace(WATER, "if not self.frozen > 0:\n            self.level -= 1"))
    model = only(pond.gate("--base", "HEAD", expect=0))
    assert model["verdict"] == "refactored"


GUARD = "require(self.level < 4)"
assert GUARD in POND


def test_a_narrowing_hides_no_widening_that_is_unseen(pond: Repository) -> None:
    """What is gone is told as such; what is allowed elsewhere now, and was not, fails beside it."""
    pond.write("mine.py", POND.replace(GUARD, "require(self.level < 3)"))
    pond.baseline("--reason", "it freezes where it is shallow")
    pond.commit()
    pond.write("mine.py", POND.replace(GUARD, "require(self.level < 2)"))
    model = only(pond.gate("--base", "HEAD", expect=0))
    assert [one["verdict"] for one in model["findings"]] == [model["verdict"]] == ["narrowed"]

    pond.write("mine.py", POND.replace(GUARD, "require(self.level < 2 or self.level == 3)"))
    for arguments, shown in ((("--base", "HEAD"), "; it shows with --rains 3"), ((), "")):
        model = only(pond.gate(*arguments, expect=20))
        assert (model["verdict"], model["relation"]) == ("unseen", "narrowed")
        narrowed, unseen = model["findings"]
        assert (narrowed["verdict"], narrowed["exit_code"]) == ("narrowed", 0)
        assert (unseen["verdict"], unseen["exit_code"], unseen["about"]) == ("unseen", 20, "freeze")
        states = model["record"]["distinct_states"]
        assert unseen["message"] == (
            "the rules of Freeze allow steps that the baseline's do not; no state within these bounds shows it, "
            f"{states:,} states compared{shown}"
        )
    assert pond.here("gate", "approve", "--reason", "deep water freezes").exit_code == 0
    model = only(pond.gate("--base", "HEAD", expect=0))
    assert (model["verdict"], model["approved"]) == ("narrowed", "deep water freezes")
    assert [one["verdict"] for one in model["findings"]] == ["narrowed", "unseen"]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_rule_that_fails_elsewhere_is_unseen(pond: Repository, swapped: bool) -> None:
    """It takes the same steps in every typed state; in one it leaves its domain now, and did not, or did."""
    guarded = POND.replace("self.level += 1", "self.level += 4").replace("level < 5", "level < 9")
    texts = [guarded.replace("require(self.level < 9)", f"require(self.level < {most})") for most in (6, 9)]
    before, after = reversed(texts) if swapped else texts
    pond.write("mine.py", before)
    pond.baseline("--reason", "more rain")
    pond.commit()
    pond.write("mine.py", after)
    for arguments, shown in ((("--base", "HEAD"), "; it shows with --rains 3"), ((), "")):
        model = only(pond.gate(*arguments, expect=20))
        (finding,) = (one for one in model["findings"] if one["exit_code"])
        assert (model["verdict"], finding["about"]) == ("unseen", "rain")
        assert "the rules of Rain fail in other states than the baseline's; no state" in finding["message"]
        assert finding["message"].endswith(f"compared{shown}")


def test_a_narrowing_hides_no_rule_that_fails_elsewhere(pond: Repository) -> None:
    """To fail no more is not told beside a narrowing: nothing is allowed that was not."""
    narrowed = POND.replace(GUARD, "require(self.level < 2)")
    rain = "require(self.level < 9)"
    pond.write("mine.py", narrowed.replace(rain, "require(self.level < 10)"))
    model = only(pond.gate("--base", "HEAD", expect=20))
    assert (model["verdict"], model["relation"]) == ("unseen", "narrowed")
    assert "the rules of Rain fail where the baseline's do not; no state" in model["findings"][1]["message"]
    pond.write("mine.py", POND.replace(rain, "require(self.level < 10)"))
    pond.baseline("--reason", "a domain is left")
    pond.commit()
    pond.write("mine.py", narrowed)
    assert only(pond.gate("--base", "HEAD", expect=0))["verdict"] == "narrowed"


def test_without_the_rules_of_the_baseline_nothing_is_called_a_refactoring(pond: Repository) -> None:
    """A cache that is empty has no rules to compare with; a property alone is told by the digests of the lock file."""
    pond.write("mine.py", BENEATH_ICE)
    elsewhere = replace(pond, cache=pond.cache.parent / "another")
    model = only(elsewhere.gate(expect=20))
    assert model["verdict"] == "unseen" and "--base REF" in model["findings"][0]["message"]
    pond.write("mine.py", POND.replace("self.level < 5", "self.level < 6"))
    model = only(replace(pond, cache=pond.cache.parent / "a third").gate(expect=0))
    assert model["verdict"] == "refactored"


EDITS: dict[str, tuple[str, str, str]] = {
    "a weaker invariant": ("self.level < 5", "self.level < 6", "the property not_full says something else"),
    "another goal": ("self.level > 0, self.level == 0", "self.level > 0, self.level <= 1", "the property empties says"),
    "another premise": ("self.level > 0, self.level == 0", "self.level > 1, self.level == 0", "the property empties"),
    "another fairness": (
        '@action(fair="weak")\n    def dry',
        '@action(fair="strong")\n    def dry',
        "the property empties says something else than in the baseline, or takes other steps to be fair",
    ),
    "more that is fair": ('fair=("dry",)', 'fair=("dry", "rain")', "or takes other steps to be fair"),
    "a guard becomes a bound": ("require(self.level > 0)", "bounded(self.level > 0)", "(bounded, require)"),
    "a bound becomes a guard": ("bounded(self.rained", "require(self.rained", "(bounded, require)"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_every_other_change_of_meaning_has_a_finding(pond: Repository, edit: str) -> None:
    before, after, said = EDITS[edit]
    assert before in POND
    pond.write("mine.py", POND.replace(before, after))
    for arguments in (("--base", "HEAD"), ()):
        findings = only(pond.gate(*arguments, expect=0))["findings"]
        assert any(one["verdict"] == "changed" and said in one["message"] for one in findings), findings


def test_what_is_no_change_has_none(pond: Repository) -> None:
    pond.write("mine.py", POND.replace("It rains.", "Rain falls."))
    assert only(pond.gate("--base", "HEAD", expect=0))["findings"] == []


def test_every_report_knows_the_verdict(pond: Repository) -> None:
    pond.write("mine.py", BENEATH_ICE)
    done = pond.here("gate", "--base", "HEAD", "--out", "report")
    assert done.exit_code == 20 and "mine unseen" in done.stdout and "--frosts 1" in done.stdout
    assert "epochal gate approve --reason" in done.stdout
    assert "**unseen** (20)" in (pond.path / "report/summary.md").read_text()
    (junit,) = (pond.path / "report/junit").rglob("*.xml")
    assert '<failure type="unseen"' in junit.read_text()
    sarif = json.loads((pond.path / "report/sarif.json").read_text())
    (result,) = sarif["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("gate-unseen", "error")
    assert {"unchanged", "refactored", "violated"} == set(KINDS) - MEANINGS.keys()


@pytest.mark.parametrize("found", [Unreached(open=("press",)), Unreached(other="the state constraint")])
def test_what_nobody_could_tell_is_not_called_the_same(found: Unreached) -> None:
    record = replace(RECORD, specification="other rules")
    assert relation_of(record, Baseline("main", RECORD), None, found) == "unseen"
    judgement = judge(record, LAMP, (), Baseline("main", RECORD), None, Expectations(), None, found)
    assert judgement.code == 20 and "may differ from the baseline's" in judgement.findings[0].message


def test_larger_bounds_are_tried_from_the_smallest_on() -> None:
    class Size(Bounds):
        replicas: int = bound(2, least=1, most=3, help="replicas")
        crashes: int = bound(0, least=0, most=1, help="crashes")
        records: int = bound(1, least=1, most=1, help="records")

    tried = list(larger_bounds({"replicas": 2, "crashes": 0, "records": 1}, Size.declared()))
    one, other, both = ({"records": 1, "replicas": r, "crashes": c} for r, c in ((2, 1), (3, 0), (3, 1)))
    assert tried == [one, other, both]


EARLY = '''"""KRaft, and a follower that may join the ISR one record early."""
from epochal.language import Identifier
from epochal.spec.kraft.configuration import ConfigurableKraft


class Mine(ConfigurableKraft):
    """A Kafka of one's own."""

    def may_join(self, leader: Identifier, follower: Identifier) -> bool:
        """Near enough."""
        fetched = self.brokers[leader].followers[follower]
        near = fetched + 1 >= self.brokers[leader].hw and fetched >= self.brokers[leader].epoch_start
        free = follower not in self.view(leader).isr and self.may_propose(leader)
        return near and fetched >= 0 and free and self.is_active(follower)
'''


@pytest.mark.long
def test_a_loss_that_needs_a_lossy_crash_is_told_where_the_model_has_none(repository: Repository) -> None:
    """Both versions may lose the answer to a fetch, so that only the rule differs that was changed."""
    repository.record(
        EARLY[: EARLY.index("    def may_join")],
        {"replication-factor": 2, "records": 1, "max-epoch": 3, "crashes": 1, "lossy-crashes": 0},
    )
    repository.write("mine.py", EARLY)
    model = only(repository.gate("--base", "HEAD", expect=20))
    assert model["verdict"] == "unseen"
    assert [one["about"] for one in model["findings"]] == ["fetch", "fetch_without_answer"]
    assert all("it shows with --lossy-crashes 1" in one["message"] for one in model["findings"])
    assert any("may be lost here" in note for note in model["notes"])
