"""Recordings of brokers under the hands of operators: a log directory fails, ELR is switched off and on, and a broker
that lost its log registers before its session has ended.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import cast

import pytest

import epochal
from epochal.kafka.evidence.metadata_log import MetadataLog
from epochal.kafka.validation.collected import Collected, collected
from epochal.kafka.validation.controller import RuleSet, controller_of, judge_controller
from epochal.kafka.validation.detectors import detected, known_of
from epochal.kafka.validation.image import LOST_DIRECTORY
from epochal.kafka.validation.noticed import noticed
from epochal.kafka.validation.run.evidence import OfBroker, decided, evidence_of
from epochal.kafka.validation.run.judged_runs import PartitionRun, run_of
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.language.configurable import with_configuration
from tests.conformance.evidence import FOLDER

DISK, ELR_OFF = "log-dir-fails-4.3.1", "elr-off-4.3.1"


@cache
def of(name: str) -> tuple[Collected, MetadataLog, RuleSet]:
    """A recording, its metadata log, and the rules of its release."""
    evidence = collected([FOLDER / "operated" / f"{name}.tar.xz"])
    assert evidence.metadata is not None
    judging = with_configuration(controller_of(ConfigurableKraft, ConfigurableKraft.settings), {"kafka": "4.3.1"})
    settings = cast("type[ConfigurableKraft]", judging).settings
    return evidence, evidence.metadata, RuleSet(ConfigurableKraft, settings, "4.3.1", evidence.static)


def run(name: str, topic: str, number: int) -> PartitionRun:
    """The run of one partition."""
    evidence, log, rules = of(name)
    (one,) = decided(log, rules, {(topic, number)})
    return run_of(ConfigurableKraft, evidence_of(one, evidence.logs, evidence.replicas))


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        (DISK, {"assign_directory": 12, "lose_directory": 2, "fence": 2, "handle_alter_partition": 6}),
        (
            ELR_OFF,
            {
                "fence": 24,
                "shut_down": 6,
                "unfence": 2,
                "elect_uncleanly": 5,
                "elect_preferred_leader": 5,
                "handle_alter_partition": 23,
            },
        ),
    ],
)
def test_the_controller_is_accepted(name: str, steps: dict[str, int]) -> None:
    _, log, rules = of(name)
    verdict = judge_controller(log, rules)
    assert verdict.refused == [] and verdict.left_out == {}
    assert verdict.explained == steps


@pytest.mark.parametrize("number", [1, 2])
def test_a_run_explains_that_a_disk_fails(number: int) -> None:
    """Under a follower (j-1) and under the leader (j-2), whose log is there again when it restarts."""
    found = run(DISK, "j", number)
    assert found.is_whole and found.explained == found.evidence.events
    lost = [one for one in found.evidence.decided.decisions if isinstance(one, OfBroker) and one.says == LOST_DIRECTORY]
    assert [one.broker for one in lost] == [3]
    steps = [step.action for step in found.steps]
    assert steps.count("lose_directory") == steps.count("name_directory") == 1


def test_a_run_explains_that_elr_is_switched_off_and_on() -> None:
    """Who was eligible is elected cleanly after that, and the last known leader stays until the next election."""
    found = run(ELR_OFF, "u", 1)
    assert found.is_whole and found.explained == found.evidence.events


def test_a_broker_registers_before_it_was_fenced() -> None:
    """One change for both, with one leader epoch more (ClusterControlManager.registerBroker), on brokers of 4.4.0."""
    result = epochal.conform(FOLDER / "operated" / "registers-at-once-4.4.0.tar.xz")
    controller, runs = result.judged.controller, result.judged.runs
    assert result.exit_code == 0 and controller is not None and runs is not None
    assert controller.explained == {"fence": 2, "handle_alter_partition": 2, "restart": 1, "unfence": 1}
    assert not runs.refused and "t-0" in {one.partition for one in runs.whole}


def test_what_an_unclean_election_lost_is_told_and_so_is_the_disk() -> None:
    for name, lost, disks in (
        (ELR_OFF, {"u-0": 75}, []),
        (DISK, {}, ["lost the log directory", "has the log directory"]),
    ):
        evidence, log, rules = of(name)
        events, clients = detected(evidence, known_of(evidence, log, "4.3.1"), noticed(log, rules), ())
        assert clients is not None and clients.left_out == {}
        partitions = [one.partition for one in clients.lost]
        assert {one: partitions.count(one) for one in partitions} == lost
        of_disks = [one for one in events if one.partition == "broker 3"]
        assert [" ".join(one.says.split()[:4]) for one in of_disks] == disks
        assert all(Path(one.place.file).suffix == ".log" for one in of_disks)
