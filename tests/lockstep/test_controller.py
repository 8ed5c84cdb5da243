"""Kafka's controller against the specification: without Java by answers of the specification, with Java by Kafka."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

import epochal
from epochal.api import lockstep_controller as api
from epochal.checker.search.budget import BudgetExceeded
from epochal.checker.search.result import StopReason
from epochal.cli.main import main
from epochal.errors import Inconclusive, UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import KafkaClasses
from epochal.kafka.lockstep.controller_lines import (
    LEADER_EPOCH,
    AnsweredStep,
    ControllerSettings,
    KnownState,
    ThrownStep,
    answer_of,
    line_of,
    listed_places,
    places,
)
from epochal.kafka.lockstep.judged import model_of
from epochal.kafka.lockstep.requests import (
    FORMER,
    STALE_WORDS,
    WITHOUT_LEADER,
    ControllerRequest,
    ControllerSpecification,
    executions,
    requests_in,
)
from epochal.kafka.validation.controller import Outline, RuleSet, controller_model
from epochal.kafka.validation.image import NOBODY
from epochal.report.schema import schema_of
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS, known_as
from epochal.spec.language import Identifier, Set
from tests.each import for_each
from tests.lockstep.conftest import Released
from tests.lockstep.mutants import CONTROLLER_MUTANTS, Mutant

EVERYBODY = 0b111


def state(leader: int, isr: int, elr: int = 0, last: int = NOBODY, active: int = EVERYBODY, **more: Any) -> KnownState:
    """A state of three replicas, from which a step begins."""
    partition = Outline(leader, 0, isr, EVERYBODY, 0, 0, elr, last, False)
    return KnownState(partition._replace(**more), active)


def specification(version: str, elr: bool, brokers: int = 3, kind: type[ConfigurableKraft] = ConfigurableKraft) -> Any:
    """The controller of the specification by the rules of a release, with min.insync.replicas 2."""
    rules = RuleSet(kind, VERSIONS[known_as(version)], version)
    settings = rules.settings_under(min(2, brokers), False, elr, rules.shipped.shrink_bumps_leader_epoch)
    return ControllerSpecification(controller_model(kind, settings, brokers), settings)


# -- without Java: lines ----------------------------------------------------------------------------------------------


def test_a_state_is_a_line_and_an_answer_is_a_state() -> None:
    settings = ControllerSettings(brokers=3, elr=True, min_isr=2, unclean=False)
    now = KnownState(Outline(NOBODY, 0, 0, 0b111, 0b100, 0b001, 0b110, 1, True), 0b011, 0b010)
    assert line_of(settings, now, (2, 0, 1), "fence:1") == (
        "3|1|2|0|2,0,1|-1|5|9||1,2|1|1|2|0|0,1|1|fence:1"  # as PartitionState of the harness reads it
    )
    found = answer_of("NONE|2|-1|7|11||1,2|1|1|2,0,1|2|0|0,1|1")
    after = now._replace(partition=now.partition._replace(epoch=2))
    assert found == AnsweredStep("NONE", 2, after) and after.at_rest() == now
    assert answer_of("thrown|java.lang.X: said at y") == ThrownStep("java.lang.X: said at y")


@for_each(
    "request_, said, words",
    [
        (
            ControllerRequest("restart", 2, how="unclean"),
            "broker 2 registers after a shutdown that was unclean",
            "restart:2:unclean",
        ),
        (ControllerRequest("alter", some=0b101, stale=2), "with ISR 0,2, 2 by an old broker epoch", "alter:0,2:2"),
        (ControllerRequest("refused alter", 1, 0b011, "from who does not lead"), "from who does", "alter:0,1::1::"),
        (ControllerRequest("refused alter", some=1, how="of an old partition epoch"), "of an old", "alter:0::::-1"),
        (ControllerRequest("elect unclean"), "ElectLeaders UNCLEAN", "elect:unclean"),
        (ControllerRequest("cancel"), "cancelled", "reassign:-"),
    ],
)
def test_a_request_in_words_and_for_kafka(request_: ControllerRequest, said: str, words: str) -> None:
    found = list(executions(state(0, 0b111), request_))
    assert said in str(request_) and {step for _, step in found} == {words}
    assert len({order for order, _ in found}) == 6


def test_the_preferred_replica_is_the_first() -> None:
    found = list(executions(state(0, 0b111), ControllerRequest("elect preferred", 2)))
    assert [order for order, _ in found] == [(2, 0, 1), (2, 1, 0)]


def test_a_reassignment_is_asked_for_in_every_order() -> None:
    found = list(executions(state(0, 0b111), ControllerRequest("reassign", some=0b011)))
    assert len(found) == 12 and {step for _, step in found} == {"reassign:0,1", "reassign:1,0"}


# -- without Java: what Kafka has answered, and the specification ------------------------------------------------------

ANSWERED = (
    # version, ELR, state, request, an answer of Kafka
    ("3.9.2", 0, state(0, 7, active=6), ("shut_down", 0), "NONE|2|1|6|10|1,2|||0|1,2,0|||1,2|"),
    ("3.9.2", 0, state(0, 7, active=6), ("directory", 1), "NONE|1|2|6|10|0,1,2|||0|2,1,0|||1,2|"),
    ("3.9.2", 0, state(0, 7, active=4), ("elect preferred", 1), "NONE|1|2|6|10|0,1,2|||0|1,2,0|||2|"),
    ("4.0.2", 1, state(0, 1, active=6, recovering=True), ("shut_down", 0), "NONE|2|-1|6|10||0|0|1|2,1,0|||1,2|"),
    ("4.2.1", 1, state(-1, 0, last=2, active=4), ("elect preferred", 0), "NONE|1|2|6|10|2|||1|0,2,1|||2|"),
    ("4.2.1", 1, state(-1, 0, last=1, active=6), ("elect unclean",), "NONE|1|1|6|10|1|||1|2,1,0|||1,2|"),
    ("4.0.2", 1, state(-1, 0, last=0, active=6), ("elect unclean",), "NONE|1|0|6|10|0|||1|2,1,0|||1,2|"),
    ("4.1.2", 1, state(-1, 0, last=0, active=6), ("elect unclean",), "NONE|1|2|6|10|2|||1|2,1,0|||1,2|"),
    ("4.0.2", 1, state(2, 4, active=4), ("restart", 2, 0, "unclean"), "NONE|2|-1|6|10|||2|0|2,1,0||||"),
    (
        *("4.3.1", 1, state(2, 4, elr=3, adding=1, removing=1), ("restart", 2, 0, "unclean")),
        "NONE|2|0|6|10|0|1||0|2,0,1|0|0|0,1|",
    ),
    (
        *("4.3.1", 1, state(2, 4, recovering=True, adding=4, removing=2, active=4), ("directory", 2)),
        "NONE|1|2|6|10|2|||1|2,0|||2|",
    ),
    ("4.3.1", 1, state(1, 3, active=3)._replace(offline=1), ("fence", 1), "NONE|2|-1|6|10|0|1|1|0|0,1,2|||0|0"),
)
"""Answers that Kafka's classes have given, in narrow states: a fenced leader, no leader, a directory that failed."""


@for_each("version, elr, before, asked, answer", ANSWERED)
def test_the_specification_allows_what_kafka_has_answered(
    version: str, elr: int, before: KnownState, asked: tuple[Any, ...], answer: str
) -> None:
    found = answer_of(answer)
    assert isinstance(found, AnsweredStep)
    assert found.state in specification(version, bool(elr)).outcomes(before, ControllerRequest(*asked))


def test_a_request_that_nobody_may_make_changes_nothing() -> None:
    now = state(0, 0b011, elr=0b100, active=0b011)
    refused = [one for one in requests_in(now, 3) if one.action == "refused alter"]
    assert {one.how for one in refused} == {*STALE_WORDS, FORMER, WITHOUT_LEADER}
    assert all(specification("4.3.1", True).outcomes(now, one) == {now} for one in refused)


# -- without Java: the search -----------------------------------------------------------------------------------------

Change = Callable[[str, str], str]


class AnswersOfTheSpecification:
    """In place of Kafka: of the outcomes of the specification each order of the replicas has one. `change` may lie."""

    def __init__(self, version: str, brokers: int, change: Change = lambda _, answer: answer) -> None:
        self.specification, self.brokers, self.change = specification(version, True, brokers), brokers, change

    def ask(self, lines: Sequence[str]) -> list[str]:
        return [self.change(line, self._answer(line)) for line in lines]

    def _answer(self, line: str) -> str:
        *fields, step = line.split("|")
        settings, order = fields[:4], tuple(int(one) for one in fields[4].split(","))
        names = ("leader", "e", "p", "isr", "elr", "last", "recovering", "adding", "removing", "active", "offline")
        now = dict(zip(names, fields[5:], strict=True))
        before = "|".join((*(now[name] for name in names[:7]), fields[4], *(now[name] for name in names[7:])))
        found = answer_of(f"NONE|0|{before}")
        assert settings == [str(self.brokers), "1", "2", "0"] and isinstance(found, AnsweredStep)
        request = next(
            one for one in requests_in(found.state, self.brokers, True) if (order, step) in executions(found.state, one)
        )
        outcomes = sorted(self.specification.outcomes(found.state, request))
        number = sum(place * one for place, one in enumerate(order))
        after = outcomes[number % len(outcomes)]
        partition = after.partition
        sets = [listed_places(places(some)) for some in (partition.isr, partition.elr)]
        last = "" if partition.last_known_leader == NOBODY else str(partition.last_known_leader)
        more = [listed_places(places(some)) for some in (partition.adding, partition.removing, after.active)]
        epoch = LEADER_EPOCH + partition.epoch
        told = [str(partition.leader), str(epoch), "10", *sets, last, str(int(partition.recovering)), fields[4]]
        return "|".join(("NONE", "1", *told, *more, listed_places(places(after.offline))))


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have the specification of Kafka 4.3.1 answer in place of Kafka, or lie."""
    here = KafkaClasses((), ("--kafka", "4.3.1"))
    object.__setattr__(here, "__dict__", {**here.__dict__, "version": "4.3.1", "digest": "0" * 64})

    def answer(change: Change = lambda _, said: said) -> None:
        @contextmanager
        def running(*_: object) -> Iterator[AnswersOfTheSpecification]:
            yield AnswersOfTheSpecification("4.3.1", 2, change)

        monkeypatch.setattr(api, "running", running)
        monkeypatch.setattr(api, "kafka_classes", lambda *_: here)

    return answer


def test_where_all_is_the_same_nothing_is_reported(answered: Callable[..., None]) -> None:
    answered()
    result = epochal.lockstep_controller(kafka="4.3.1", brokers=2)
    found = result.judged.found
    assert result.exit_code == ExitCode.HOLDS and result.findings == []
    assert (found.states, found.asked, found.executions) == (36, 806, 1540)
    assert result.headline == (
        "the controller of Kafka 4.3.1 and kraft --kafka 4.3.1 do the same: 36 states, 806 requests"
    )
    assert "several partitions of one topic" in str(result) and "reassignments: --reassignments N" in str(result)


def test_the_shortest_of_each_kind_is_shown_with_its_run(answered: Callable[..., None]) -> None:
    def lies(line: str, answer: str) -> str:
        if line.endswith("|unfence:1") and "||0,1|" not in line:
            return answer.replace("NONE|1|0|5|10|0|", "NONE|1|0|5|10|0,1|")
        return "thrown|java.lang.NullPointerException: none at A.b" if line.endswith("|expire:0") else answer

    answered(lies)
    result = epochal.lockstep_controller(kafka="4.3.1", brokers=2)
    assert result.exit_code == ExitCode.DRIFTED
    kinds = ["expire: Kafka throws an exception", "unfence: another outcome"]
    assert result.findings == kinds
    thrown, other = (result.judged.found.shortest[key] for key in sorted(result.judged.found.shortest))
    assert thrown.run == () and thrown.kafka[0][1] == ThrownStep("java.lang.NullPointerException: none at A.b")
    assert [str(step.request) for step in other.run] == ["broker 1 asks to be fenced"]
    told = str(result)
    assert "broker 1 has caught up and is unfenced: another outcome" in told
    assert "throws java.lang.NullPointerException: none at A.b" in told
    assert "  epochal lockstep controller --kafka 4.3.1 --brokers 2 --replication-factor 2 --elr" in told
    document = result.to_dict()
    jsonschema.validate(json.loads(json.dumps(document)), schema_of("lockstep-controller"))
    differs = document["differences"][1]
    assert differs["run"] == [other.run[0].line] and differs["kafka"][0]["line"].endswith("|unfence:1")
    assert document["requests"]["unfence"]["differ"] == result.judged.found.differing["unfence", "another outcome"]


def test_a_budget_that_is_spent_is_told(answered: Callable[..., None]) -> None:
    spent = BudgetExceeded(StopReason("the budget of 5 s is spent"))

    def until(line: str, answer: str) -> str:
        if "|1|5|9|1|0|" in line:
            raise spent
        return answer

    answered(until)
    result = epochal.lockstep_controller(kafka="4.3.1", brokers=2)
    assert result.exit_code == ExitCode.INCONCLUSIVE
    assert "inconclusive: the budget of 5 s is spent; nothing differs until then" in result.headline
    assert 0 < result.judged.found.asked < 806

    def never(*_: str) -> str:
        raise spent

    answered(never)
    with pytest.raises(Inconclusive, match="nothing was compared"):
        epochal.lockstep_controller(kafka="4.3.1", brokers=2)


def test_the_command_prints_and_writes(answered: Callable[..., None], tmp_path: Path) -> None:
    answered(lambda line, answer: "thrown|X: y at z" if line.endswith("|elect:unclean") else answer)
    words = ["lockstep", "controller", "--kafka", "4.3.1", "--brokers", "2", "--progress", "none"]
    done = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "found"), "--format", "json"])
    assert done.exit_code == ExitCode.DRIFTED, done.output
    document = json.loads(done.stdout)
    assert document["exit_code"] == 20 and document == json.loads((tmp_path / "found/result.json").read_text())
    lines = (tmp_path / "found/difference-1.lines").read_text().splitlines()
    assert lines[-1].endswith("|elect:unclean") and all(line.count("|") == 16 for line in lines)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kafka": "3.9.2", "elr": True}, "eligible leader replicas since Kafka 4.0, and not in 3.9.2"),
        ({"kafka": "4.3.1", "brokers": 2, "replication_factor": 3}, "3 replicas need as many brokers"),
        ({"kafka": "4.3.1", "brokers": 6}, "brokers is at most 5, not 6"),
        ({"kafka": "4.3.1", "protocol": "kip-320"}, "is not kraft"),
        ({"kafka": "4.3.1", "classpath": "x"}, "say which Kafka is to be run"),
        ({}, "say which Kafka is to be run"),
    ],
)
def test_what_does_not_go_together_is_refused(
    given: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = KafkaClasses((), ())
    object.__setattr__(here, "__dict__", {**here.__dict__, "version": given.get("kafka", "")})
    if set(given) != {"kafka", "classpath"} and given:
        monkeypatch.setattr(api, "kafka_classes", lambda *_: here)
    with pytest.raises(UsageError, match=said):
        epochal.lockstep_controller(**given)


def test_a_build_is_held_against_its_release_or_the_newest() -> None:
    assert model_of("4.3.1") == "4.3.1" and model_of("4.2.0-SNAPSHOT") == "4.2.0"
    assert model_of("9.9.0-SNAPSHOT") == list(VERSIONS)[-1]


# -- with Kafka -------------------------------------------------------------------------------------------------------

CLOSURES = (
    # release, ELR, states, requests, executions
    ("3.9.2", False, 151, 7_783, 44_886),
    ("4.0.2", True, 221, 8_534, 48_552),
    ("4.1.2", True, 177, 7_014, 39_960),
    ("4.2.2", True, 177, 7_014, 39_960),
    ("4.3.1", True, 168, 6_789, 38_718),
    ("4.4.0", True, 168, 6_789, 38_718),
)


@pytest.mark.lockstep
@pytest.mark.parametrize(("version", "elr", "states", "requests", "steps"), CLOSURES, ids=lambda one: str(one))
def test_the_controller_of_a_release_does_what_its_specification_does(
    released: Released, version: str, elr: bool, states: int, requests: int, steps: int
) -> None:
    released(version)
    result = epochal.lockstep_controller(kafka=version, elr=elr)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    found = result.judged.found
    assert (found.states, found.asked, found.executions) == (states, requests, steps)


@pytest.mark.lockstep
@pytest.mark.parametrize(
    "given",
    [{"elr": False}, {"unclean_leader_election": True}, {"min_insync_replicas": 1}, {"min_insync_replicas": 3}],
    ids=str,
)
def test_so_it_is_under_other_settings(released: Released, given: dict[str, Any]) -> None:
    released("4.3.1")
    result = epochal.lockstep_controller(kafka="4.3.1", **given)
    assert result.exit_code == ExitCode.HOLDS, str(result)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["4.3.1", "4.4.0"])
def test_a_reassignment_is_cancelled_although_all_of_the_isr_goes(released: Released, version: str) -> None:
    """Others differ afterwards: the last known leader may be no replica any more, and elections of Kafka throw."""
    released(version)
    given: dict[str, Any] = {"brokers": 2, "replication_factor": 1, "reassignments": 2}
    found = epochal.lockstep_controller(kafka=version, unclean_leader_election=True, **given).judged.found
    assert found.requests["cancel"] - found.without_step["cancel"] == 32
    assert "cancel" not in {action for action, _ in found.differing}


# What must be noticed: a controller of other rules, on either side.


@pytest.mark.lockstep
@pytest.mark.parametrize(("version", "model"), [("4.3.1", "4.0.2"), ("4.0.2", "4.3.1")])
def test_the_rules_of_another_release_are_noticed(released: Released, version: str, model: str) -> None:
    released(version)
    result = epochal.lockstep_controller(kafka=version, model=model, elr=True)
    assert result.exit_code == ExitCode.DRIFTED and len(result.findings) >= 3
    assert f"--model {model}" in str(result)


class StaysInTheIsr(ConfigurableKraft):
    """Who is fenced stays in the ISR."""

    def leave_isr(self, broker: Identifier, successor: Identifier | None, unclean: Set[Identifier]) -> None:
        self.change_partition(self.metadata[0].isr, successor, unclean)


class EligibleAtMinIsr(ConfigurableKraft):
    """Who leaves an ISR that has min.insync.replicas left is eligible, too."""

    def eligible_leader_replicas(self, isr: Set[Identifier], unclean: Set[Identifier]) -> Set[Identifier]:
        if len(isr) > self.min_isr():
            return Set()
        return (self.recovery.elr | self.metadata[0].isr) - isr - unclean


class NoLastKnownLeader(ConfigurableKraft):
    """Where nobody is left, nobody is remembered."""

    def change_partition(self, *given: Any, **more: Any) -> None:
        super().change_partition(*given, **more)
        self.recovery.last_known_leader = None


@pytest.mark.lockstep
@pytest.mark.parametrize("mutant", [StaysInTheIsr, EligibleAtMinIsr, NoLastKnownLeader])
def test_a_rule_that_the_specification_lacks_is_noticed(released: Released, mutant: type[ConfigurableKraft]) -> None:
    released("4.3.1")
    result = epochal.lockstep_controller(kafka="4.3.1", protocol=mutant, brokers=2, min_insync_replicas=1)
    if mutant is not EligibleAtMinIsr:
        result = epochal.lockstep_controller(kafka="4.3.1", protocol=mutant, brokers=2)
    assert result.exit_code == ExitCode.DRIFTED, str(result)


@pytest.mark.lockstep
@pytest.mark.parametrize("mutant", CONTROLLER_MUTANTS, ids=lambda mutant: mutant.name)
def test_a_rule_that_kafka_lacks_is_noticed(released: Released, tmp_path: Path, mutant: Mutant) -> None:
    released("4.3.1")
    result = epochal.lockstep_controller(kafka="4.3.1", classes=[mutant.made("4.3.1", tmp_path)], brokers=2)
    assert result.exit_code == ExitCode.DRIFTED, str(result)
