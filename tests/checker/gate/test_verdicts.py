"""The known answers of the gate, on real repositories."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from junitparser import JUnitXml

from epochal.checker.gate.record import Record
from epochal.checker.gate.reports import gate_schema
from epochal.checker.gate.verdict import Baseline, Expectations, differing_figures, judge
from epochal.exit_codes import ExitCode
from tests.checker.gate.conftest import FENCE, KIP_279, KIP_320, ROOT, SHOWING, SMALL, UNFENCED, Repository
from tests.checker.gate.lamp import LAMP, OTHER_RULES, RECORD, says
from tests.checker.identity.ways import RULES
from tests.zoo.rows import source

EXPAND = "        require(self.hw_is_current(leader))\n"
assert EXPAND in KIP_320


def only(document: dict[str, Any]) -> dict[str, Any]:
    """The one model of a result."""
    models: list[dict[str, Any]] = document["models"]
    (model,) = models
    return model


def actions(model: dict[str, Any]) -> dict[str, str]:
    """How each action differs."""
    return {one["action"]: one["kind"] for one in model["difference"]["actions"]}


def test_a_comment_and_a_reformat_change_nothing(kip_320: Repository) -> None:
    text = KIP_320.replace("class Mine(", "# A comment.\n\n\nclass Mine(").replace(
        "require(follower != leader)",
        "require(  # two replicas\n            follower\n            != leader\n        )",
    )
    kip_320.write("mine.py", text.replace("KIP-320: the leader", "The leader"))
    for arguments in ((), ("--base", "HEAD")):
        model = only(kip_320.gate(*arguments, expect=0))
        assert model["verdict"] == "unchanged"
        assert model["source"] == "cache"
        assert model["findings"] == []


def test_a_helper_that_is_extracted_preserves_behaviour(kip_320: Repository) -> None:
    helper = "    def fenced(self, leader: Identifier, epoch: int) -> bool:\n        return (\n            "
    helper += "self.presumes_leadership(leader) and self.replicas[leader].epoch == epoch\n        )\n\n"
    text = KIP_320.replace(FENCE, "        require(self.fenced(leader, epoch))\n        self.follow(")
    kip_320.write("mine.py", text.replace("    def follows_epoch(", helper + "    def follows_epoch("))
    for arguments in (("--base", "HEAD"), ()):
        model = only(kip_320.gate(*arguments, expect=0))
        assert model["verdict"] == "refactored"
        assert [f["message"] for f in model["findings"]] == ["behaviour preserved, 6,787 states compared"]
        for digest in ("state_digest", "step_digest", "specification_digest"):
            assert model["record"][digest] == model["baseline"]["record"][digest]
        assert model["record"]["text_digest"] != model["baseline"]["record"]["text_digest"]


def test_another_text_of_other_expressions_but_the_same_steps_is_refactored(kip_320: Repository) -> None:
    kip_320.write("mine.py", KIP_320.replace("require(self.follows_epoch(follower, leader))\n        self.copy_next", (
        "require(self.follows_epoch(follower, leader) and self.end(leader) > 0)\n        self.copy_next"
    )))  # fmt: skip
    model = only(kip_320.gate("--base", "HEAD", expect=0))
    assert model["verdict"] == "refactored"
    assert model["record"]["specification_digest"] != model["baseline"]["record"]["specification_digest"]
    assert model["record"]["step_digest"] == model["baseline"]["record"]["step_digest"]


def test_kip_279_edited_into_kip_320(repository: Repository) -> None:
    bounds = {**SMALL, "log-size": 2, "records": 2}
    repository.record(KIP_279, bounds, expect_violated=["strong_isr"])
    repository.write("mine.py", KIP_320)
    repository.model(bounds)
    model = only(repository.gate("--base", "HEAD", expect=20))
    assert model["verdict"] == "changed"
    narrowed = ("leader_expands_isr", "advance_high_watermark", "become_follower", "fetch")
    assert actions(model) == {"leader_shrinks_isr": "widened", **dict.fromkeys(narrowed, "narrowed")}
    assert model["turned"] == [{"property": "strong_isr", "before": "violated", "after": "holds"}]
    assert (model["record"]["distinct_states"], model["baseline"]["record"]["distinct_states"]) == (39_619, 60_106)
    by_name = {one["action"]: one for one in model["difference"]["actions"]}
    gained = by_name["leader_shrinks_isr"]["gained_example"]
    assert gained["reason"].startswith("the baseline refuses it: require(not self.is_caught_up(")
    lost = by_name["fetch"]["lost_example"]
    assert lost["reason"].startswith("the change refuses it: require(self.follows_epoch(follower, leader)) (mine.py:")
    assert len(lost["trace"]["states"]) == lost["steps"] + 1

    from_lock = only(repository.gate(expect=20))
    assert actions(from_lock) == actions(model)

    without_reason = repository.here("baseline", "update")
    assert without_reason.exit_code == 2
    assert "so a reason is required" in without_reason.stderr
    repository.baseline("--reason", "KIP-320 fences what KIP-279 left open")
    approved = only(repository.gate("--base", "HEAD", expect=0))
    assert approved["approved"] == "KIP-320 fences what KIP-279 left open"
    assert approved["verdict"] == approved["relation"] == "changed"
    assert only(repository.gate(expect=0))["verdict"] == "unchanged"


def test_a_dropped_fence_is_violated_at_bounds_that_show_it(repository: Repository) -> None:
    repository.record(KIP_320, SHOWING)
    repository.write("mine.py", UNFENCED)
    model = only(repository.gate("--base", "HEAD", expect=12))
    assert model["verdict"] == "violated"
    assert actions(model) == {"become_follower": "widened"}
    violated = [f for f in model["findings"] if f["verdict"] == "violated"]
    assert {f["about"] for f in violated} <= {"weak_isr", "strong_isr"}
    last = violated[0]["trace"]["states"][-1]["#meta"]
    assert violated[0]["source"] == last["source"]


def test_a_dropped_fence_is_widened_at_bounds_that_hide_the_bug(kip_320: Repository) -> None:
    kip_320.write("mine.py", UNFENCED)
    model = only(kip_320.gate("--base", "HEAD", expect=20))
    assert model["verdict"] == "widened"
    assert actions(model) == {"become_follower": "widened"}
    (one,) = model["difference"]["actions"]
    assert one["lost"] == 0 and one["gained"] > 0
    assert one["gained_example"]["reason"].startswith(
        "the baseline refuses it: require(self.presumes_leadership(leader)) (mine.py:"
    )
    assert one["gained_example"]["steps"] == 2
    assert all(p["verdict"] == "holds" for p in model["record"]["properties"].values())
    kip_320.model(SMALL, refinement=True)
    kip_320.gate("--base", "HEAD", expect=23)


def test_a_further_fence_is_narrowed(kip_320: Repository) -> None:
    kip_320.write("mine.py", KIP_320.replace(EXPAND, EXPAND + "        require(self.has_entry(leader, 0))\n"))
    model = only(kip_320.gate("--base", "HEAD", expect=0))
    assert model["verdict"] == "narrowed"
    assert actions(model) == {"leader_expands_isr": "narrowed"}
    (finding,) = model["findings"]
    lost = 6787 - model["record"]["distinct_states"]
    assert lost > 0 and finding["message"].endswith(f"; {lost:,} of 6,787 states are no longer reached")
    assert kip_320.gate("--base", "HEAD", "--fail-on", "narrowed", expect=20)["models"][0]["verdict"] == "narrowed"


def test_an_action_made_impossible_is_vacuous(kip_320: Repository) -> None:
    kip_320.write("mine.py", KIP_320.replace(EXPAND, EXPAND + "        require(hw > self.end(leader))\n"))
    model = only(kip_320.gate(expect=13))
    assert model["verdict"] == "violated"
    assert [(f["about"], f["exit_code"]) for f in model["findings"] if f["exit_code"]] == [
        ("follower_joins_isr", 13),
        ("leader_expands_isr", 22),
    ]
    kip_320.model(SMALL, expect_violated=["follower_joins_isr"])
    model = only(kip_320.gate(expect=22))
    assert model["verdict"] == "vacuous"
    assert [f["message"] for f in model["findings"] if f["exit_code"]] == [
        "LeaderExpandsIsr can never happen within these bounds"
    ]
    kip_320.model(SMALL, expect_never=["leader_expands_isr"], expect_violated=["follower_joins_isr"])
    assert only(kip_320.gate(expect=0))["verdict"] == "narrowed"
    kip_320.model(SMALL, expect_never=["leader_expands_isr"])
    kip_320.write("mine.py", KIP_320)
    (finding,) = only(kip_320.gate(expect=21))["findings"]
    assert finding["message"].startswith("LeaderExpandsIsr is expected never to happen, and does: ")


def test_a_known_bug_that_is_no_longer_found(repository: Repository) -> None:
    repository.record(KIP_279, SMALL, expect_violated=["strong_isr"])
    body = KIP_279.replace("import Kip279\n", "import Kip279\nfrom epochal.spec.classic.kip_320 import Kip320\n")
    body += "    follows_epoch = Kip320.follows_epoch\n    hw_is_current = Kip320.hw_is_current\n"
    body += "".join(
        f"    {name} = Kip320.{name}\n"
        for name in ("leader_expands_isr", "advance_high_watermark", "become_follower", "fetch")
    )
    repository.write("mine.py", body)
    model = only(repository.gate(expect=20))
    assert (model["verdict"], model["relation"]) == ("unseen", "narrowed")
    assert any("a known bug is no longer found" in finding["message"] for finding in model["findings"])


def test_a_witness_that_cannot_be_reached(kip_320: Repository) -> None:
    kip_320.write("mine.py", KIP_320 + (
        "\n    @reachable\n    def two_records(self) -> bool:\n"
        '        """Two records are produced."""\n        return self.next_record == 2\n'
    ).replace("@reachable", "@reachable"))  # fmt: skip
    text = (
        (kip_320.path / "mine.py")
        .read_text()
        .replace("import Identifier, action,", "import Identifier, action, reachable,")
    )
    kip_320.write("mine.py", text)
    model = only(kip_320.gate(expect=21))
    assert model["notes"] == ["the property two_records is new"]


def mechanism(only_if: str, method: str = "return self.next_record == 1") -> str:
    """KIP-320 with a witness that is declared to apply under a condition only."""
    text = KIP_320.replace("import Identifier, action,", "import Identifier, action, reachable,")
    witness = f'"""A record is produced."""\n        {method}\n'
    return f"{text}\n    @reachable(only_if=lambda self: {only_if})\n    def produced(self) -> bool:\n        {witness}"


def test_a_witness_that_does_not_apply(repository: Repository) -> None:
    """It is said in every report; it must not happen; and that it no longer applies needs approval."""
    two = "return self.next_record == 2"
    repository.record(mechanism("self.bounds.records > 1", two), SMALL)
    model = only(repository.gate("--out", "report", expect=0))
    assert model["record"]["properties"]["produced"]["verdict"] == "not applicable"
    jsonschema.validate(json.loads((repository.path / "report/result.json").read_text()), gate_schema())
    (suite,) = JUnitXml.fromfile(str(repository.path / "report/junit/epochal/mine/TEST-mine.xml"))
    assert [case.result[0].message for case in suite if case.result] == [
        "does not apply under these bounds and settings"
    ]

    repository.write("mine.py", mechanism("self.bounds.records > 1"))
    model = only(repository.gate(expect=21))
    (finding,) = [f for f in model["findings"] if f["exit_code"]]
    assert finding["message"].startswith("produced does not apply under these bounds and settings (only_if), but hap")
    assert len(finding["trace"]["states"]) == model["record"]["properties"]["produced"]["length"]
    refused = repository.here("baseline", "update", "--reason", "x")
    assert refused.exit_code == 21
    assert "what is declared of ['produced']: expect-violated, expect-never, only_if" in refused.stderr

    repository.write("mine.py", mechanism("self.bounds.records == 1"))
    repository.baseline("--reason", "it applies")
    assert only(repository.gate(expect=0))["record"]["properties"]["produced"]["verdict"] == "holds"
    repository.write("mine.py", mechanism("self.bounds.records > 1", two))
    (finding,) = [f for f in only(repository.gate(expect=20))["findings"] if f["exit_code"]]
    assert finding["message"] == "the property produced no longer applies under these bounds and settings"


def test_a_property_that_is_taken_away_needs_approval(kip_320: Repository) -> None:
    kip_320.write("mine.py", KIP_320 + "    strong_isr = None\n")
    model = only(kip_320.gate(expect=20))
    assert [f["message"] for f in model["findings"] if f["exit_code"]] == ["the property strong_isr is gone"]


def test_a_budget_that_is_too_small_is_inconclusive(repository: Repository) -> None:
    repository.write("mine.py", KIP_320)
    repository.model({**SHOWING, "log-size": 2})
    repository.baseline()
    repository.write("mine.py", UNFENCED)
    document = repository.gate("--budget", "0.001s", "--out", "report", expect=30)
    assert only(document)["verdict"] == "inconclusive"
    for name in ("result.json", "summary.md", "sarif.json", "junit/epochal/mine/TEST-mine.xml"):
        assert (repository.path / "report" / name).stat().st_size > 0, name


TANK = source(
    """
    Mine: A tank that is filled.
        name: ClassVar[str] = "mine"
        bounds: Bounds
        level: Annotated[int, Integers(0, 7)]
        action fill: One more.
            require(self.level < 6)
            self.level += 1
        invariant holds: There is room.
            return self.level < 7
        constraint narrow: It is not looked at when it is fuller.
            return self.level < 4
    """
)


def test_another_constraint_is_drift_until_it_is_approved(repository: Repository) -> None:
    """No step came or went, but what was approved was said of other states; `compare` leaves it open, too."""
    repository.write("mine.py", TANK)
    repository.model({})
    repository.baseline()
    repository.write("before.py", TANK)
    repository.commit()
    repository.write("mine.py", TANK.replace("< 4", "< 3"))
    for arguments in ((), ("--base", "HEAD")):
        model = only(repository.gate(*arguments, expect=20))
        assert (model["verdict"], actions(model)) == ("changed", {})
        assert [one["message"] for one in model["findings"] if one["exit_code"]] == [
            "the state constraint is another: other states are looked at than in the baseline"
        ]
    compared = repository.here("compare", "before.py:Mine", "mine.py:Mine", "--format", "json")
    assert (compared.exit_code, json.loads(compared.stdout)["constraint"]) == (30, "differs")
    repository.baseline("--reason", "it is enough")
    assert only(repository.gate("--base", "HEAD", expect=0))["approved"] == "it is enough"


# This project's own specifications as of another commit: their rules and names come from there, the tool stays.

BEFORE = '''"""The names as they were, in a module that knew less."""

REGISTRY = {"kip-320": "epochal.spec.classic.fenced:Kip320"}
'''


@pytest.mark.parametrize("former", [False, True])
def test_names_and_rules_are_those_of_the_commit(repository: Repository, former: bool) -> None:
    """Also of a commit in which the packages had their former names."""
    for package in ("src", "spec", "checker", "cli"):
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, repository.path / package, symlinks=True, ignore=unwanted)
    names = (repository.path / "spec/registry.py").read_text(encoding="utf-8")
    rules = (repository.path / "spec/classic/kip_320.py").read_text(encoding="utf-8")
    bounds = ", ".join(f"{name} = {value}" for name, value in SMALL.items())
    repository.write("epochal.toml", f'[model.kip-320]\nprotocol = "kip-320"\nbounds = {{ {bounds} }}\n')
    assert FENCE in rules
    unfenced = rules.replace(FENCE, "        self.follow(")
    repository.write("spec/classic/fenced.py", unfenced.replace("from ..", "from spec.") if former else unfenced)
    repository.write("spec/registry.py", BEFORE.replace("epochal.", "") if former else BEFORE)
    repository.commit("the fence was not there, and another module had the name")
    (repository.path / "spec/classic/fenced.py").unlink()
    repository.write("spec/registry.py", names)
    done = repository.epochal("gate", "--base", "HEAD", PYTHONPATH=str(repository.path / "src"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passes: kip-320 narrowed" in done.stdout
    assert "BecomeFollower loses 3,030" in done.stdout
    assert "of 7,891 states are no longer reached" in done.stdout


# Two searches of the same rules that do not agree are a bug of an engine, and told as one.

CUT = "the budget of 9 states is spent"
STEPS = {name: (steps + 1, new) for name, (steps, new) in RECORD.actions.items()}
NEW = {name: (steps, new + 1) for name, (steps, new) in RECORD.actions.items()}
DIFFERENT = {
    "distinct states": replace(RECORD, distinct_states=RECORD.distinct_states + 1),
    "transitions": replace(RECORD, transitions=RECORD.transitions + 1_000),
    "depth": replace(RECORD, depth=RECORD.depth + 1),
    "the digest of the states": replace(RECORD, state_digest="other"),
    "the digest of the steps": replace(RECORD, step_digest="other"),
    "steps of press": replace(RECORD, actions=STEPS),
    "the verdict on dark": says("violated", length=2),  # and now it holds
    "the shortest run of lit": says("holds", "lit", length=9),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_every_figure_counts(what: str) -> None:
    judgement = judge(RECORD, LAMP, (), Baseline("main", DIFFERENT[what]), None, Expectations(), None)
    assert judgement.verdict == "semantics disagree" and judgement.code == ExitCode.READINGS_DISAGREE
    found = next(one for one in judgement.findings if one.kind == "semantics disagree")
    assert what in found.message and "report it" in found.message


SAME: dict[str, tuple[Record, Record]] = {
    "the same": (RECORD, RECORD),
    "a violation that is replayed, and fails by itself": (says("violated", length=2), RECORD),
    "other rules": (OTHER_RULES, RECORD),
    "one was cut": (replace(RECORD, cut=CUT, distinct_states=1), RECORD),
    "the other was cut": (RECORD, replace(RECORD, cut=CUT, distinct_states=1)),
    "new states of each action, which the order of actions decides": (replace(RECORD, actions=NEW), RECORD),
    "another engine, text and version": (replace(RECORD, engine="python", text="other", tool="epochal 0"), RECORD),
}


@pytest.mark.parametrize("what", SAME)
def test_what_is_no_disagreement(what: str) -> None:
    assert differing_figures(*SAME[what]) == []


# A base is judged as it is today: what its commit reads besides its files is what stands there now.


def test_an_environment_that_has_changed_since(repository: Repository) -> None:
    repository.write("p.py", "import os\nSTOP = int(os.environ['STOP'])\n" + RULES)
    repository.write("epochal.toml", '[model.m]\nprotocol = "p.py:P"\n')
    repository.commit()

    def judged(stop: str) -> tuple[int, int]:
        done = repository.epochal("gate", "--base", "HEAD", "--format", "json", STOP=stop)
        (model,) = json.loads(done.stdout)["models"]
        return done.returncode, model["record"]["distinct_states"]

    assert [judged(stop) for stop in ("3", "2", "3")] == [(0, 4), (0, 3), (0, 4)]
