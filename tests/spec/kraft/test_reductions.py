"""What the protocol joins in one step is taken apart, or told, wherever a rule of somebody else makes it wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

import epochal
from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.cli.main import main
from epochal.spec.kraft.configuration import ConfigurableKraft, configured, with_more
from epochal.spec.kraft.guarantees import guarded
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.lost_fetch import UnansweredFetches
from epochal.spec.kraft.reductions import REDUCTIONS, void, void_if_changed
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Replica
from epochal.spec.language import Identifier, LanguageError, action, require
from epochal.spec.language.configurable import configuration_of, with_configuration
from epochal.spec.loading import instantiate
from epochal.spec.registry import REGISTRY, names_in_catalogue, registered
from tests.spec.kraft.test_catalogue import FETCH, LOSES, VOID, CountsWhatItSends, JoinsWithinOne

RECORD = Path(__file__).parents[3] / "docs/decisions/011-what-is-joined-in-one-step.md"
STEP = "fetch_without_answer"
Helper = Callable[[ConfigurableKraft, Identifier], bool]
SMALL = {"replication_factor": 2, "records": 1, "max_epoch": 2, "metadata_lag": 2, "shrinks": 1, "elections": 1}
LOSSY = {**SMALL, "crashes": 0, "lossy_crashes": 1, "fencings": 0}
ASKED = ("acknowledged_durable", "leader_completeness")


def actions(kind: type[Kraft]) -> set[str]:
    """The names of a protocol's actions."""
    return {member.name for member in kind.members("action")}


def searched(kind: type[ConfigurableKraft]) -> CheckResult:
    """Every state with one crash that loses data."""
    result = check(instantiate(kind, LOSSY), Options(ASKED, all_violations=True, symmetry=True, workers=1))
    assert result.exhaustive and result.error is None
    return result


def violated(result: CheckResult) -> set[str]:
    """What does not hold."""
    return {one.member.name for one in result.properties if one.verdict == "violated"}


@pytest.mark.parametrize("kind", VOID, ids=lambda kind: kind.__name__)
def test_what_a_changed_rule_makes_void(kind: type[ConfigurableKraft]) -> None:
    """Also where a setting is said, and where a class derives from the changed one; every report has the remarks."""
    for one in (kind, type("Derived", (kind,), {}), with_configuration(kind, {"acks": "1"})):
        made = with_configuration(one, {})
        assert issubclass(made, ConfigurableKraft) and issubclass(one, ConfigurableKraft)
        assert {taken.reduction.title for taken in void(one)} == VOID[kind]
        assert (STEP in actions(made)) == (FETCH in VOID[kind])
        assert configuration_of(made) == configuration_of(one)
        assert len(made.remarks()) == len(VOID[kind])
    told = [str(taken) for taken in void(kind)]
    assert all("cannot be told" in said or "may be lost" in said for said in told)


def test_rules_of_kafka_make_nothing_void() -> None:
    """Known answers stay: no registered protocol gets a step that it did not have."""
    for name in (*REGISTRY, *names_in_catalogue()):
        kind = registered(name)
        if issubclass(kind, Kraft):
            assert void(kind) == ()
            assert (STEP in actions(kind)) == issubclass(kind, UnansweredFetches)


def test_a_class_that_lacks_the_step_is_not_made() -> None:
    with pytest.raises(LanguageError, match="may_join is not as in the newest Kafka") as error:
        JoinsWithinOne()
    assert "lost_fetch.UnansweredFetches" in str(error.value)
    assert STEP in actions(with_more(JoinsWithinOne, UnansweredFetches))


def test_a_setting_of_a_class_of_ones_own_counts_as_a_rule() -> None:
    own = type("Own", (ConfigurableKraft,), {"settings": replace(Settings(), epoch_start_rule=False)})
    assert void(own)[0].rules == ("epoch_start_rule",)
    assert void(configured(kafka="3.9")) == ()


def test_a_helper_beside_the_class_is_read_as_well() -> None:
    class Helped(ConfigurableKraft):
        def may_lead(self, r: Identifier) -> bool:
            return super().may_lead(r) and _is_ahead(self, r)

    assert void(Helped)[0].reduction.title == FETCH


def _is_ahead(state: ConfigurableKraft, r: Identifier) -> bool:
    return all(state.brokers[r].followers[other] <= 0 for other in state.brokers)


class Reads(ConfigurableKraft):
    """Somebody's class, with a step of its own."""

    @action(by="leader", says="{r} is looked after")
    def cleanup(self, r: Replica) -> None:
        require(self.brokers[r].hw > 0)


class IsRefined(Reads):
    """It is overridden, by a class of somebody's as well, and may be called by super()."""

    @action(by="leader", says="{r} is looked after")
    def cleanup(self, r: Replica) -> None:
        super().cleanup(r)
        require(self.is_running(r))


class Refines(ConfigurableKraft):
    @action(by="leader", says="{r} is looked after")
    def cleanup(self, r: Replica) -> None:
        require(self.is_running(r))


class NowReads(Refines):
    @action(by="leader", says="{r} is looked after")
    def cleanup(self, r: Replica) -> None:
        require(self.brokers[r].hw > 0)


@pytest.mark.parametrize("kind", [Reads, IsRefined, NowReads, type("Again", (IsRefined,), {})])
def test_every_definition_of_a_name_counts(kind: type[ConfigurableKraft]) -> None:
    assert [(one.reduction.title, one.rules) for one in void(kind)] == [(FETCH, ("cleanup",))]


def _deep(state: ConfigurableKraft, r: Identifier) -> bool:
    return state.brokers[r].hw > 0


def _outer(state: ConfigurableKraft, r: Identifier) -> bool:
    return _deep(state, r)


def _round(state: ConfigurableKraft, r: Identifier, again: bool) -> bool:
    return _round(state, r, False) if again else _outer(state, r)


def _in_a_lambda(state: ConfigurableKraft, r: Identifier) -> bool:
    return (lambda: _outer(state, r))()


def _in_a_comprehension(state: ConfigurableKraft, r: Identifier) -> bool:
    return all(_outer(state, one) for one in state.brokers)


def _nested(state: ConfigurableKraft, r: Identifier) -> bool:
    def inner() -> bool:
        return _outer(state, r)

    return inner()


def _by_default(state: ConfigurableKraft, r: Identifier, helper: Helper = _outer) -> bool:
    return helper(state, r)


def _elsewhere() -> ModuleType:
    """Two modules, each with a function of one name: the second reads what a fetch changes."""
    first, second = ModuleType("first"), ModuleType("second")
    exec("def helper(state, r): return second.helper(state, r)", vars(first))
    exec("def helper(state, r): return state.brokers[r].hw > 0", vars(second))
    vars(first)["second"] = second
    return first


first = _elsewhere()
TABLE = {"one": _outer}
HELPERS: dict[str, Helper] = {
    "through another": _outer,
    "through itself": lambda state, r: _round(state, r, True),
    "in a lambda": _in_a_lambda,
    "in a comprehension": _in_a_comprehension,
    "in a nested function": _nested,
    "by a default": _by_default,
    "of another module": lambda state, r: first.helper(state, r),
    "in a table": lambda state, r: TABLE["one"](state, r),
}


@pytest.mark.parametrize("way", HELPERS)
def test_helpers_are_followed_to_the_end(way: str) -> None:
    helper = HELPERS[way]

    class Helped(ConfigurableKraft):
        def may_lead(self, r: Identifier) -> bool:
            return super().may_lead(r) and helper(self, r)

    assert [one.reduction.title for one in void(Helped)] == [FETCH]


def test_every_reduction_names_rules_that_exist_and_stands_in_the_record() -> None:
    text = RECORD.read_text(encoding="utf-8")
    for one in REDUCTIONS:
        assert one.title.casefold() in text.casefold()
        for name in one.rests_on:
            assert callable(getattr(Kraft, name)), name
            assert f"`{name}`" in text, name


@pytest.mark.parametrize("kind", [CountsWhatItSends, *(pytest.param(k, marks=pytest.mark.long) for k in LOSES)])
def test_a_loss_by_a_lost_answer_is_told_by_all(kind: type[ConfigurableKraft]) -> None:
    """By a search, by what is promised beside kraft, and by the steps that only one of the two takes."""
    assert violated(searched(guarded({}, kind))) == set(ASKED)
    protocol = instantiate(with_configuration(kind, {}), {**SMALL, "fencings": 0, "lossy_crashes": 0})
    found = epochal.guarantees(protocol, against="kraft", faults="lossy", cached=False, workers=1)
    assert [fault.id for fault in found.changed] == ["lossy"]
    assert [table.column.reference.endswith("--fetch-answers-lost") for table in found.tables] == [True, False]
    assert found.tables[0].broken == 0 < found.tables[1].broken
    assert "may be lost here" in str(found)


@pytest.mark.parametrize("kafka", ["G9", *(pytest.param(one, marks=pytest.mark.long) for one in ("4.4", "3.9", "G7"))])
def test_for_kafka_itself_a_lost_answer_changes_no_verdict(kafka: str) -> None:
    one, two = (searched(guarded({"kafka": kafka, **more})) for more in ({}, {"fetch_answers_lost": True}))
    assert one.distinct_states < two.distinct_states
    assert violated(one) == violated(two)


def test_settings_are_those_of_both() -> None:
    """What the second says itself stays; what it does not know is refused."""
    protocol = epochal.load("kraft", kafka="4.0", acks="1", **SMALL)
    found = epochal.guarantees(protocol, against="kraft --acks all", faults="none", budget=0.01)
    assert [dict(table.column.settings) for table in found.tables] == [
        {"kafka": "4.0", "acks": "all"},
        {"kafka": "4.0", "acks": "1"},
    ]


def test_settings_of_a_comparison_are_those_of_both() -> None:
    """Those that stand with one name alone are its own, and answers that may be lost in one may be in both."""
    bounds = ["--replication-factor", "1", "--max-epoch", "0", "--metadata-lag", "1", "--lossy-crashes", "0"]

    def headline(*said: str) -> str:
        done = CliRunner().invoke(main, ["compare", *said, *bounds, "--progress", "none"])
        assert done.exit_code == 0, done.stderr
        return done.stdout.partition(":")[0]

    assert headline("kraft", "kraft", "--kafka", "4.0") == "kraft --kafka 4.0 and kraft --kafka 4.0"
    own = ("kraft --acks 1", "kraft", "--kafka", "G8")
    assert headline(*own) == "kraft --kafka G8 --acks 1 and kraft --kafka G8"
    lost = ("kraft --fetch-answers-lost", "kraft")
    assert headline(*lost) == "kraft --fetch-answers-lost and kraft --fetch-answers-lost"
    refused = CliRunner().invoke(main, ["compare", "kraft", "kip-320", "--kafka", "4.0"])
    assert refused.exit_code == 2 and "kip-320 has no setting --kafka" in refused.stderr


def test_a_mutant_of_a_rule_that_a_joined_step_rests_on_is_told() -> None:
    """By the words for a rule of somebody's; a mutant of another rule, or of a model that has the step, is not."""
    bounds = {"replication_factor": 2, "max_epoch": 1, "metadata_lag": 1, "lossy_crashes": 0}
    told = {}
    for lost in (False, True):
        protocol = epochal.load("kraft", fetch_answers_lost=lost, **bounds)
        found = epochal.mutate(protocol, only="may_join: drop conjunct #2")
        (shown,) = found.to_dict()["mutants"]
        assert shown["verdict"] in ("survived", "changed")
        told[lost] = shown["remarks"]
        assert all(remark in str(found) for remark in told[lost])
    (said,) = told[False]
    assert said.startswith("may_join is not Kafka's own, so this cannot be told: a fetch is one step")
    assert told[True] == []
    assert void_if_changed(Kraft, ["elect_preferred_leader"]) == ()
    for one in REDUCTIONS:
        assert one in [taken.reduction if not one.taken_back else one for taken in void_if_changed(Kraft, one.rests_on)]
