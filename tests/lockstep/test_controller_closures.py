"""What a closure may ask for besides: shutdowns that wait, settings that change, two partitions, QuorumController."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import epochal
from epochal.api.lockstep_controller import told
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.closure import (
    ChangingSpecification,
    SpecificationOfTwo,
    beginnings,
    executions_of_two,
    requests_of_two,
)
from epochal.kafka.lockstep.controller_lines import (
    AnsweredStep,
    ChangingSettings,
    ControllerSettings,
    KnownState,
    answer_of,
    line_of,
)
from epochal.kafka.lockstep.requests import (
    CAUGHT_UP,
    ControllerRequest,
    executions,
    requests_while_waiting,
    settings_in,
    shutdowns_in,
)
from epochal.kafka.validation.controller import Outline, RuleSet
from epochal.kafka.validation.image import NOBODY
from epochal.report.schema import schema_of
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS, known_as
from epochal.spec.kraft.settings import Settings
from tests.each import for_each
from tests.lockstep.conftest import Released
from tests.lockstep.mutants import CHANGING_MUTANTS, CONTROLLER_MUTANTS, Mutant

EVERYBODY = 0b11
NEWEST = "4.4.0"


def settings_of(version: str, min_isr: int = 2) -> Settings:
    """The settings of the specification by the rules of a release, with ELR where it has that."""
    rules = RuleSet(ConfigurableKraft, VERSIONS[known_as(version)], version)
    return rules.settings_under(min_isr, False, version != "3.9.2", rules.shipped.shrink_bumps_leader_epoch)


def changing(version: str, minimum_is_default: bool = False) -> ChangingSpecification:
    """The specification of two brokers where settings change and brokers wait."""
    return ChangingSpecification(ConfigurableKraft, settings_of(version), 2, minimum_is_default)


def state(leader: int, isr: int, elr: int = 0, active: int = EVERYBODY, **more: Any) -> KnownState:
    """Two replicas; ELR is on, and min.insync.replicas is 2, unless another `in_force` is said."""
    last = more.pop("last", NOBODY)
    partition = Outline(leader, 0, isr, EVERYBODY, 0, 0, elr, last, False)
    return KnownState(partition, active)._replace(**{"in_force": ChangingSettings(True, 2), **more})


# -- without Java: lines ----------------------------------------------------------------------------------------------


def test_what_changes_stands_behind_the_steps() -> None:
    settings = ControllerSettings(brokers=2, elr=True, min_isr=2, unclean=False, minimum_is_default=True)
    now = state(0, 0b01, 0b10, active=0b01, leaving=0b10, in_force=ChangingSettings(False, 1))
    assert line_of(settings, now, (1, 0), "leave:1") == "2|0|1|0|1,0|0|5|9|0|1|-1|0|||0||leave:1|1||1"
    found = answer_of("NOT_YET|0|0|5|9|0|1||0|1,0|||0||1||1|0")
    assert found == AnsweredStep("NOT_YET", 0, now)
    assert told(now) == (
        "leader 0, ISR 0, ELR 1, replicas 0,1; active 0, waiting to shut down 1; min.insync.replicas 1, ELR off"
    )


def test_another_partition_stands_behind_the_steps() -> None:
    settings = ControllerSettings(brokers=2, elr=True, min_isr=2, unclean=False)
    one, other = Outline(0, 0, 1, 1, 0, 0, 0, NOBODY, False), Outline(1, 0, 3, 3, 0, 0, 0, NOBODY, False)
    now = KnownState(one, EVERYBODY, second=other)
    line = line_of(settings, now, (0,), "0/elect:preferred+1/elect:preferred", (1, 0))
    assert line == "2|1|2|0|0|0|5|9|0||-1|0|||0,1||0/elect:preferred+1/elect:preferred|1,0|1|5|9|0,1||-1|0||"
    found = answer_of("NONE|1|0|6|10|0|||0|0|||0,1||1|7|11|0,1|||0|1,0|||0,1|")
    after = KnownState(one._replace(epoch=1), EVERYBODY, second=other._replace(epoch=2))
    assert found == AnsweredStep("NONE", 1, after) and after.at_rest() == now
    assert "; partition 1: leader 1 e+2, ISR 0,1, replicas 0,1; active 0,1" in told(after)


@for_each(
    "request_, said, words",
    [
        (ControllerRequest("leave", 1), "broker 1, which wants to shut down", "leave:1"),
        (ControllerRequest("leave", 1, how=CAUGHT_UP), "when all others have replayed", "leave:1:caught_up"),
        (ControllerRequest("heartbeat", 0), "which has asked to shut down before", "unfence:0"),
        (ControllerRequest("take office"), "another controller takes office", "take_office"),
        (ControllerRequest("min isr", some=2), "min.insync.replicas is set to 2", "min_isr:2"),
        (ControllerRequest("elr", some=0), "becomes 0", "elr:0"),
    ],
)
def test_these_requests_in_words_and_for_kafka(request_: ControllerRequest, said: str, words: str) -> None:
    assert said in str(request_) and {step for _, step in executions(state(0, 0b11), request_)} == {words}


def test_the_default_of_the_cluster_is_another_setting() -> None:
    request = ControllerRequest("min isr", some=1)
    assert {step for _, step in executions(state(0, 0b11), request, True)} == {"default_min_isr:1"}


# -- without Java: the specification ----------------------------------------------------------------------------------

ANSWERED = (
    # version, default, state, request, an answer of Kafka
    ("4.3.1", False, state(1, 0b10, 0b01), ("min isr", NOBODY, 1), "NONE|2|1|5|10|1|||0|0,1|||0,1||||1|1"),
    ("4.3.1", False, state(1, 0b10, 0b01), ("min isr", NOBODY, 2), "NONE|0|1|5|9|1|0||0|0,1|||0,1||||2|1"),
    ("4.3.1", True, state(1, 0b10, 0b01), ("min isr", NOBODY, 2), "NONE|2|1|5|10|1|||0|0,1|||0,1||||2|1"),
    ("4.3.1", False, state(1, 0b10, 0b01), ("elr", NOBODY, 0), "NONE|1|1|5|9|1|0||0|0,1|||0,1||||2|0"),
    (
        *("4.3.1", False, state(1, 0b10, 0b01, in_force=ChangingSettings(False, 1)), ("fence", 1)),
        "NONE|2|0|6|10|0|||0|0,1|||0||||1|0",
    ),
    (
        *(
            "4.3.1",
            False,
            state(1, 0b10, 0b01, active=0b10, in_force=ChangingSettings(False, 2)),
            ("elect preferred", 0),
        ),
        "NONE|1|1|5|10|1|||0|0,1|||1||||2|0",
    ),
    ("4.3.1", False, state(0, 0b11), ("leave", 0), "NOT_YET|2|1|6|10|1|0||0|0,1|||1||0||2|1"),
    ("4.3.1", False, state(0, 0b11), ("leave", 1), "NONE|2|0|5|10|0|1||0|0,1|||0||||2|1"),
    (
        "4.3.1",
        False,
        state(1, 0b10, 0b01, active=0b10, leaving=1),
        ("leave", 0),
        "NOT_YET|0|1|5|9|1|0||0|0,1|||1||0||2|1",
    ),
)
"""Answers that Kafka's classes have given."""


@for_each("version, default, before, asked, answer", ANSWERED)
def test_the_specification_allows_what_kafka_has_answered(
    version: str, default: bool, before: KnownState, asked: tuple[Any, ...], answer: str
) -> None:
    found = answer_of(answer)
    assert isinstance(found, AnsweredStep)
    assert found.state in changing(version, default).ways(before, ControllerRequest(*asked))


def test_who_waits_is_told_when_the_others_have_replayed_the_change() -> None:
    waits = state(1, 0b10, 0b01, active=0b10, leaving=0b01)
    specification = changing("4.3.1")
    assert set(specification.ways(waits, ControllerRequest("leave", 0))) == {waits}
    assert set(specification.ways(waits, ControllerRequest("heartbeat", 0))) == {waits}
    gone = set(specification.ways(waits, ControllerRequest("leave", 0, how=CAUGHT_UP)))
    assert gone == {waits._replace(leaving=0)}
    alone = waits._replace(active=0, leaving=0b11)
    assert {one.leaving for one in specification.ways(alone, ControllerRequest("leave", 0))} == {0b10}
    later = set(specification.ways(waits, ControllerRequest("take office")))
    assert later == {waits._replace(leaving=0, forgotten=0b01)}


def test_what_is_asked_while_somebody_waits() -> None:
    waits = state(1, 0b10, 0b01, active=0b10, leaving=0b01)
    asked = [*shutdowns_in(waits, 2), *requests_while_waiting(waits, 2)]
    assert len(set(asked)) == len(asked)
    assert {(one.action, one.broker) for one in asked} >= {("leave", 0), ("heartbeat", 0), ("take office", NOBODY)}
    assert ("unfence", 0) not in {(one.action, one.broker) for one in asked}
    assert [one.some for one in settings_in(waits, 2, True)] == [1, 2, 0]


def test_two_partitions_are_two_of_the_specification() -> None:
    (now, *_) = beginnings(2, 1, 2)
    specification = SpecificationOfTwo(ConfigurableKraft, settings_of("4.3.1", 1), 2)
    fenced = specification.ways(now, ControllerRequest("fence", 0))
    assert {(one.partition.leader, one.second.leader) for one in fenced if one.second} == {(NOBODY, 1)}
    both = [one for one in requests_of_two(now, 2) if one.also is not None]
    (alters,) = (one for one in both if one.action == "alter" and one.also == (NOBODY, 0b01))
    (after,) = specification.ways(now, alters)
    assert after.second is not None and (after.partition.isr, after.second.isr) == (1, 1)
    assert {step for _, step in executions_of_two(now, alters)} == {"0/alter:0:+1/alter:0:"}
    assert str(alters) == "AlterPartition with ISR 0; partition 1: AlterPartition with ISR 0"


def test_what_does_not_go_together_is_refused() -> None:
    for given in (
        {"second_partition": 2, "shutdowns": True},
        {"second_partition": 4},
        {"shutdowns": True, "reassignments": 1},
        {"default_minimum": True},
    ):
        with pytest.raises(epochal.EpochalError):
            epochal.lockstep_controller(kafka="4.3.1", **given)


# -- with Kafka -------------------------------------------------------------------------------------------------------

RELEASES = ("3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", NEWEST)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_brokers_shut_down_heartbeat_by_heartbeat(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_controller(kafka=version, replication_factor=2, shutdowns=True)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    requests = result.judged.found.requests
    assert requests["leave"] and requests["heartbeat"] and requests["take office"]
    assert "--shutdowns" not in "".join(result.judged.not_asked)


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_settings_change_while_the_controller_runs(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_controller(kafka=version, brokers=2, setting_changes=True)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    requests = result.judged.found.requests
    assert requests["min isr"] and bool(requests["elr"]) == (version != "3.9.2")


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_the_minimum_is_the_default_of_the_cluster(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_controller(kafka=version, brokers=2, setting_changes=True, default_minimum=True)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert result.judged.found.requests["elr"] == 0


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_two_partitions_change_in_one_request(released: Released, version: str) -> None:
    """The first has one replica, so that the minimum of both is 1, as it is set to 2 (H2)."""
    released(version)
    result = epochal.lockstep_controller(kafka=version, brokers=2, replication_factor=1, second_partition=2)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    document = result.to_dict()
    jsonschema.validate(json.loads(json.dumps(document)), schema_of("lockstep-controller"))
    assert document["second_partition"] == 2 and "another partition with 2 replicas" in str(result)


@pytest.mark.lockstep
def test_the_fix_of_h2_is_noticed(released: Released) -> None:
    """A control: with it the other partition has the minimum that is set."""
    released(NEWEST)
    given: dict[str, Any] = {"brokers": 2, "replication_factor": 1, "second_partition": 2}
    result = epochal.lockstep_controller(kafka=NEWEST, fixes=["H2"], **given)
    assert result.exit_code == ExitCode.DRIFTED, str(result)
    assert "partition 1: " in str(result)


@pytest.mark.lockstep
@pytest.mark.parametrize("given, mutant", CHANGING_MUTANTS, ids=lambda one: getattr(one, "name", ""))
def test_what_only_these_closures_can_notice_is_noticed(
    released: Released, tmp_path: Path, given: dict[str, Any], mutant: Mutant
) -> None:
    released(NEWEST)
    result = epochal.lockstep_controller(kafka=NEWEST, classes=[mutant.made(NEWEST, tmp_path)], brokers=2, **given)
    assert result.exit_code == ExitCode.DRIFTED, str(result)


@pytest.mark.lockstep
@pytest.mark.parametrize("given", [{}, {"shutdowns": True}], ids=str)
def test_the_whole_quorum_controller_does_the_same(released: Released, given: dict[str, Any]) -> None:
    """With `take office` another one loads half of the log from a snapshot, and the rest as records."""
    released(NEWEST)
    result = epochal.lockstep_controller(kafka=NEWEST, brokers=2, quorum_controller=True, **given)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    alone = epochal.lockstep_controller(kafka=NEWEST, brokers=2, **given)
    assert result.judged.found.requests == alone.judged.found.requests
    assert result.judged.found.errors == alone.judged.found.errors


@pytest.mark.lockstep
def test_a_rule_that_the_quorum_controller_lacks_is_noticed(released: Released, tmp_path: Path) -> None:
    released(NEWEST)
    changed = CONTROLLER_MUTANTS[0].made(NEWEST, tmp_path)
    result = epochal.lockstep_controller(kafka=NEWEST, classes=[changed], brokers=2, quorum_controller=True)
    assert result.exit_code == ExitCode.DRIFTED, str(result)
    assert "--quorum-controller" in str(result)


# -- coverage ---------------------------------------------------------------------------------------------------------


@pytest.mark.lockstep
def test_kafka_takes_the_branches_of_the_controller(released: Released, tmp_path: Path) -> None:
    released(NEWEST)
    result = epochal.lockstep_controller_coverage(kafka=NEWEST, brokers=2)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    found = result.coverage
    assert found.percent == 100 and not found.missing and len(found.taken) > 400
    assert all(one.reason for one in found.branches if not one.taken)
    assert {one.branch.action for one in found.taken} >= {"fence", "restart", "override_reassignment", "clear_elr"}
    document = result.to_dict()
    jsonschema.validate(json.loads(json.dumps(document)), schema_of("lockstep-controller-coverage"))
    assert len(document["branches"]) == len(found.branches)


@pytest.mark.lockstep
def test_a_branch_that_kafka_does_not_take_is_missing(released: Released, tmp_path: Path) -> None:
    released(NEWEST)
    changed = CONTROLLER_MUTANTS[0].made(NEWEST, tmp_path)
    result = epochal.lockstep_controller_coverage(kafka=NEWEST, classes=[changed], brokers=2)
    assert result.exit_code == ExitCode.DRIFTED
    assert {one.reason for one in result.coverage.missing} == {"the specification takes it, and Kafka does not"}
    assert result.coverage.percent < 100
