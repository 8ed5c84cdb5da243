"""The bounds of a model: those that it takes if nobody says any, and those that a refusal names."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from epochal.checker.crosscheck.cross_check import Disagreement, SemanticsDisagree
from epochal.checker.difference.compare import where_available
from epochal.checker.gate.baseline import bounds_of, bounds_that_reach
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.cli.main import main
from epochal.spec.kraft.configuration import SMALL_BOUNDS, configured
from epochal.spec.language import LanguageError, SourceLine
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered
from tests.checker.gate.conftest import KIP_320, SMALL, UNFENCED, Repository
from tests.zoo.rows import source

LAKE = source(
    """
    Size < Bounds:
        rains: int = bound(1, least=1, most=4, help="how often it rains")
        frosts: int = bound(0, least=0, most=2, help="how often it freezes")
    Lake: A lake that rain fills.
        bounds: Size
        level: Annotated[int, Integers(0, 9)]
        action rain: It rains.
            require(self.level < self.bounds.rains)
            self.level += 1
        invariant wet: It is never dry below its bed.
            return self.level < 5
        reachable deep: It is deep.
            return self.level == 2 + self.bounds.frosts
    """
)


def test_without_any_bounds_a_family_has_its_own() -> None:
    assert bounds_of(configured()(), False) == dict(SMALL_BOUNDS)
    assert bounds_of(configured()(), True) == configured()().bounds.as_dict()
    assert SMALL_BOUNDS["lossy_crashes"] > 0
    protocol = registered("kip-320")()
    assert bounds_of(protocol, False) == protocol.bounds.as_dict()


@pytest.mark.parametrize(("name", "states"), [("kraft-kip-320", 33_696), ("kraft-reassignment", 367_269)])
def test_larger_families_have_bounds_of_a_few_seconds(name: str, states: int) -> None:
    """Everything that must be possible happens, and data may be lost wherever the family knows that."""
    protocol = registered(name)
    bounds = bounds_of(protocol(), False)
    assert bounds["lossy_crashes"] == min(1, protocol.bounds_type().declared()["lossy_crashes"].most)
    result = check(instantiate(protocol, bounds), Options(all_violations=True, workers=1))
    assert result.exhaustive and result.distinct_states == states and result.never_taken == ()
    assert {one.verdict for one in result.properties} <= {"holds", "not applicable"}


@pytest.mark.parametrize(
    "kafka", ["G9", *(pytest.param(one, marks=pytest.mark.long) for one in ("4.4", "3.9", "3.4", "2.8"))]
)
def test_there_everything_happens(kafka: str) -> None:
    result = check(instantiate(configured(kafka=kafka), dict(SMALL_BOUNDS)), Options(all_violations=True, workers=1))
    witnesses = {one.member.name: one.verdict for one in result.properties if one.member.mark.kind == "reachable"}
    assert {name for name, verdict in witnesses.items() if verdict not in ("holds", "not applicable")} == set()
    assert result.exhaustive and result.never_taken == ()
    if kafka == "G9":
        assert result.distinct_states == 63_598


def test_a_refusal_names_bounds_that_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lake.py").write_text(LAKE)
    refused = CliRunner().invoke(main, ["gate", "add", "lake.py:Lake"])
    assert refused.exit_code == 21
    assert "deep cannot be reached" in refused.stderr
    assert "These bounds reach it, and the model is recorded there: --rains 2 --frosts 0" in refused.stderr
    assert not Path("epochal.toml").exists()
    assert CliRunner().invoke(main, ["gate", "add", "lake.py:Lake", "--rains", "2"]).exit_code == 0
    Path("lake.py").write_text(LAKE.replace("self.level == 2", "self.level == 8"))
    refused = CliRunner().invoke(main, ["gate", "add", "lake.py:Lake", "--name", "other"])
    assert refused.exit_code == 21 and "These bounds" not in refused.stderr


REFUSALS = {
    "its first state is outside a domain": ("self.bounds.n * 5", "5"),
    "its first state cannot be evaluated": ("0 if self.bounds.n < 2 else none", "0"),
    "its first state divides by zero": ("5 // (2 - self.bounds.n)", "5"),
}
NARROW = source(
    """
    Size < Bounds:
        n: int = bound(1, least=1, most=2, help="how much there is at first")
        k: int = bound(1, least=1, most=4, help="how often it grows")
    Mine: Something of which larger bounds are not always available.
        bounds: Size
        a: Annotated[int, Integers(0, 9)]
        b: Annotated[int, Integers(0, 4)]
        def initial(self) -> None:
            self.a = FIRST
        action grow: It grows.
            require(self.b != self.bounds.k and self.b < 4)
            self.b += 1
        invariant small: It stays small.
            return self.b < 4
        reachable two: There are two.
            return self.b == 2
    """
)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_bounds_that_nobody_asked_for_may_be_refused(
    refusal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a protocol says to them is no answer to what was asked: others are tried."""
    monkeypatch.chdir(tmp_path)
    Path("m.py").write_text(NARROW.replace("FIRST", REFUSALS[refusal][0]))
    assert CliRunner().invoke(main, ["check", "m.py:Mine", "--n", "2"]).exit_code not in (0, 21)
    refused = CliRunner().invoke(main, ["gate", "add", "m.py:Mine"])
    assert refused.exit_code == 21 and "two cannot be reached" in refused.stderr, refused.output
    assert "These bounds reach it, and the model is recorded there: --n 1 --k 2" in refused.stderr


def test_bounds_at_which_a_rule_fails_are_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    """With n = 2 it is reached, and one step later the rule cannot be evaluated."""
    failing = NARROW.replace("FIRST", "0").replace("self.b == 2", "self.a == 9")
    failing = failing.replace("self.b += 1", "self.b += 1\n        self.a += 9 * (self.b - 1)")
    Path("m.py").write_text(failing.replace("self.bounds.k and", "2 * self.bounds.n + self.bounds.k - 2 and"))
    refused = CliRunner().invoke(main, ["gate", "add", "m.py:Mine"])
    assert refused.exit_code == 21 and "--n 1 --k 2" in refused.stderr, refused.output


@pytest.mark.parametrize("refusal", REFUSALS)
def test_the_gate_goes_on_where_larger_bounds_are_refused(refusal: str, repository: Repository) -> None:
    """It tells the same, with bounds that are available: those of the baseline are not enough."""
    first, at_one = REFUSALS[refusal]
    text = NARROW.replace("self.b == 2", "self.b == 1")
    repository.record(text.replace("FIRST", at_one), {"n": 1, "k": 1})
    changed = text.replace("self.b += 1", "self.b += 1 if self.b == 0 else 0")
    repository.write("mine.py", changed.replace("FIRST", first))
    (model,) = repository.gate("--base", "HEAD", expect=20)["models"]
    (finding,) = model["findings"]
    assert model["verdict"] == "unseen" and finding["message"].endswith("; it shows with --k 2")


def test_readings_that_disagree_at_larger_bounds_are_told() -> None:
    with pytest.raises(SemanticsDisagree), where_available():
        raise SemanticsDisagree(Disagreement("a rule", SourceLine("mine.py", 1), registered("kip-320")(), (), ()))
    with where_available():
        raise LanguageError("no such bounds")
    with pytest.raises(KeyboardInterrupt), where_available():
        raise KeyboardInterrupt


def test_no_bounds_are_recommended_that_are_refused_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is reached another property is violated: then that is said, and it is no recommendation."""
    monkeypatch.chdir(tmp_path)
    Path("lake.py").write_text(LAKE.replace("self.level < 5", "self.level < 2"))
    refused = CliRunner().invoke(main, ["gate", "add", "lake.py:Lake"])
    assert refused.exit_code == 21 and "is recorded there" not in refused.stderr
    assert "These bounds reach it, and something else is refused there: --rains 2 --frosts 0" in refused.stderr
    assert "wet is violated: It is never dry below its bed." in refused.stderr
    expected = ["gate", "add", "lake.py:Lake", "--rains", "2", "--expect-violated", "wet"]
    assert CliRunner().invoke(main, expected).exit_code == 0


def test_an_advice_is_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    more = (
        LAKE
        + """
    @reachable
    def deeper(self) -> bool:
        \"\"\"It is deeper.\"\"\"
        return self.level == 8
"""
    )
    Path("lake.py").write_text(more)
    refused = CliRunner().invoke(main, ["gate", "add", "lake.py:Lake"])
    assert "deep cannot be reached" in refused.stderr and "deeper cannot be reached" in refused.stderr
    assert refused.stderr.count("Enlarge the bounds") == 1


def test_no_bounds_are_looked_for_when_the_budget_is_spent() -> None:
    protocol = registered("kip-320")()
    assert bounds_that_reach(protocol, ["no_leader"], lambda _: [], 1.0, time.monotonic() - 2) is None


def test_progress_is_silenced_as_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lake.py").write_text(LAKE)
    for words in (["add", "lake.py:Lake", "--rains", "2"], ["approve"]):
        silent = CliRunner().invoke(main, ["gate", *words, "--progress", "none"])
        assert (silent.exit_code, silent.stderr) == (0, "")
    assert "checking lake" in CliRunner().invoke(main, ["gate", "approve"]).stderr


def test_a_property_without_a_docstring_ends_no_line_with_a_colon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bare = LAKE.replace('        """It is never dry below its bed."""\n', "").replace(
        "self.level < 5", "self.level < 2"
    )
    Path("lake.py").write_text(bare)
    refused = CliRunner().invoke(main, ["gate", "add", "lake.py:Lake", "--rains", "2"])
    assert refused.exit_code == 12
    assert "wet is violated\n" in refused.stderr and "violated:" not in refused.stderr
    told = CliRunner().invoke(main, ["check", "lake.py:Lake", "--rains", "2", "--out", "found"])
    assert told.exit_code == 12 and "wet is violated" in told.stdout
    (itf,) = Path("found").glob("*wet.itf.json")
    assert json.loads(itf.read_text())["#meta"]["description"].endswith("wet is violated")


# Which models the gate looks at: how they are configured, what is left out, and mistakes in the configuration.


def test_a_broken_specification_is_told_and_the_others_are_checked(kip_320: Repository) -> None:
    kip_320.write("second.py", "class Mine(\n")
    kip_320.append("epochal.toml", '[model.second]\nprotocol = "second.py:Mine"\n')
    document = kip_320.gate(expect=150)
    assert [model["verdict"] for model in document["models"]] == ["unchanged", "not loaded"]
    assert document["models"][1]["findings"][0]["source"] == {"file": "second.py", "line": 1}


def test_a_model_that_is_no_longer_configured(kip_320: Repository) -> None:
    text = (kip_320.path / "epochal.toml").read_text(encoding="utf-8")
    kip_320.write("epochal.toml", text.replace("[model.mine]", "[model.other]"))
    document = kip_320.gate(expect=20)
    assert {m["name"]: m["verdict"] for m in document["models"]} == {"other": "new", "mine": "changed"}


def test_a_profile_includes_those_before_it(kip_320: Repository) -> None:
    """What belongs to a later profile is not checked, and its entry in the lock file is not called forgotten."""
    bounds = ", ".join(f"{name} = {value}" for name, value in SMALL.items())
    with (kip_320.path / "epochal.toml").open("a") as file:
        for name in ("release", "nightly"):
            file.write(f'[model.{name}]\nprotocol = "mine.py:Mine"\nbounds = {{ {bounds} }}\nprofile = "{name}"\n')
    kip_320.baseline()

    def checked(*arguments: str) -> list[str]:
        return [model["name"] for model in kip_320.gate(*arguments, expect=0)["models"]]

    assert checked() == ["mine"]
    assert checked("--profile", "nightly") == ["mine", "nightly"]
    assert checked("--profile", "release") == ["mine", "release", "nightly"]
    assert checked("release") == ["release"]


def test_a_refactoring_fails_on_request(kip_320: Repository) -> None:
    kip_320.write("mine.py", KIP_320.replace("require(follower != leader)", "require(leader != follower)"))
    kip_320.gate(expect=0)
    (model,) = kip_320.gate("--fail-on", "refactored", expect=20)["models"]
    assert (model["verdict"], model["findings"][0]["exit_code"]) == ("refactored", 20)


def test_only_changed_models_are_looked_at(kip_320: Repository) -> None:
    document = kip_320.gate("--only-changed", "--base", "HEAD", expect=0)
    assert (document["models"], document["skipped"]) == ([], ["mine"])
    assert kip_320.gate("--only-changed", expect=0)["skipped"] == ["mine"]
    kip_320.write("mine.py", UNFENCED)
    assert kip_320.gate("--only-changed", expect=20)["skipped"] == []


def test_code_that_changed_without_its_model(kip_320: Repository) -> None:
    kip_320.write("core/Partition.scala", "class Partition\n")
    kip_320.write("core/Log.scala", "class Log\n")
    kip_320.append(
        "epochal.toml", '[[code_links]]\nfiles = ["core/**/Partition.scala"]\nactions = ["become_follower"]\n'
    )
    kip_320.commit()
    assert kip_320.gate("--base", "HEAD", expect=0)["code_links"] == []
    kip_320.write("core/Log.scala", "class Log { }\n")
    assert kip_320.gate("--base", "HEAD", expect=0)["code_links"] == []
    kip_320.write("core/Partition.scala", "class Partition { }\n")
    assert kip_320.gate("--base", "HEAD", expect=0)["code_links"] == [
        "core/Partition.scala changed, but what models it did not: become_follower"
    ]
    kip_320.write("mine.py", UNFENCED)
    assert kip_320.gate("--base", "HEAD", expect=20)["code_links"] == []
    kip_320.git("checkout", "-q", "core")
    assert kip_320.gate("--base", "HEAD", expect=20)["code_links"] == [
        "become_follower changed, but the code it models did not: core/**/Partition.scala"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[model.mine]\nprotocl = "x"\n', "model.mine: unknown key 'protocl'. Did you mean protocol?"),
        ("[model.mine]\n", "model.mine: protocol must name a protocol"),
        (
            '[model.mine]\nprotocol = "kip-320"\nbounds = { replica = 3 }\n',
            "has no bound 'replica'. Did you mean replicas?",
        ),
        ('[model.mine]\nprotocol = "kip-320"\nbounds = 3\n', "bounds must be a table of whole numbers"),
        (
            '[model.mine]\nprotocol = "kip-320"\nbounds = { log-size = 1, log_size = 2 }\n',
            "bounds has both 'log-size' and 'log_size'",
        ),
        ('[model.mine]\nprotocol = "kip-320"\nprofile = "weekly"\n', "profile must be one of pr, nightly, release"),
        ('[model.mine]\nprotocol = "kip-320"\nexpect-violated = ["weak"]\n', "Did you mean weak_isr?"),
        ('[model.mine]\nprotocol = "kip-320"\nrefinement = "yes"\n', "refinement must be true or false"),
        ("[[code_links]]\nactions = []\n", "code_links[0]: files must list at least one file"),
        ("model = 3\n", "model must be a table of models"),
        ("", "no model is configured"),
    ],
)
def test_a_mistake_in_the_configuration_is_named(repository: Repository, text: str, message: str) -> None:
    repository.write("epochal.toml", text)
    done = repository.here("baseline", "update")
    assert done.exit_code == 151
    assert message in done.stderr


def test_two_commands_set_the_gate_up(repository: Repository) -> None:
    repository.write("models/mine.py", KIP_320)
    added = repository.here("baseline", "add", "models/mine.py:Mine", "--log-size", "1", "--max-epoch", "1")
    assert added.exit_code == 0, added.stderr
    assert "epochal.toml: added the model mine" in added.stdout
    assert repository.here("gate").exit_code == 0
    again = repository.here("baseline", "add", "models/mine.py:Mine")
    assert again.exit_code == 2 and "--name NAME" in again.stderr
    refused = repository.here("baseline", "add", "kip-101", "--max-epoch", "1")
    assert refused.exit_code == 12
    assert "expect-violated = ['strong_isr']" in refused.stderr
    both = repository.here("baseline", "add", "truncate-to-hw", "--max-epoch", "1", "--log-size", "1")
    assert both.exit_code == 12
    assert "expect-violated = ['weak_isr', 'strong_isr']." in both.stderr
    assert "kip-101" not in (repository.path / "epochal.toml").read_text(encoding="utf-8")
    known = repository.here("baseline", "add", "kip-101", "--max-epoch", "1", "--expect-violated", "strong_isr")
    assert known.exit_code == 0, known.stderr
    assert repository.here("gate").exit_code == 0
    shown = repository.here("baseline", "show").stdout
    assert "violated: strong_isr" in shown


def test_a_pyproject_with_a_section_of_its_own_is_used(repository: Repository) -> None:
    repository.write("mine.py", KIP_320)
    repository.write("pyproject.toml", '[tool.epochal]\nbudget = "5m"')
    added = repository.here("baseline", "add", "mine.py:Mine", "--max-epoch", "1", "--records", "1", "--name", "a b")
    assert added.exit_code == 0, added.stderr
    assert '[tool.epochal.model."a b"]' in (repository.path / "pyproject.toml").read_text(encoding="utf-8")
    assert repository.here("gate").exit_code == 0
