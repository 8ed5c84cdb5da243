"""Settings of a configuration make a protocol, and contradictions are refused with what to do."""

from __future__ import annotations

import itertools
from dataclasses import fields
from typing import Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.spec.kraft.configuration import configured
from epochal.spec.kraft.generations import CLASSIC, GENERATIONS, OLDER, VERSIONS
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.answers import AnswersAheadOfMetadata
from epochal.spec.kraft.options.consumer import FollowerReads
from epochal.spec.kraft.options.late_decision import LateDecision
from epochal.spec.kraft.options.late_fetch import LateFetchAnswers
from epochal.spec.kraft.options.stale_controller import StaleController
from epochal.spec.kraft.settings import Acks, Settings
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.language import BoundsError
from epochal.spec.registry import REGISTRY


def test_without_settings_it_is_the_newest_generation() -> None:
    assert configured().settings == GENERATIONS["G9"] == Settings()
    assert issubclass(configured(), Kraft)


def test_a_configuration_becomes_settings() -> None:
    made = configured(kafka="3.9", min_insync_replicas=1, acks="1", unclean_leader_election=True).settings
    assert (made.min_insync_replicas, made.acks, made.unclean_leader_election) == (1, Acks.LEADER, True)
    assert made.strict_hw and not made.elr


@pytest.mark.parametrize(
    ("version", "strict_hw", "elr"),
    [("3.6", False, False), ("3.7", True, False), ("4.0", True, False), ("4.1", True, True)],
)
def test_versions(version: str, strict_hw: bool, elr: bool) -> None:
    made = configured(kafka=version).settings
    assert (made.strict_hw, made.elr) == (strict_hw, elr)


def test_elr_is_an_option_of_4_0_and_can_be_left_out_of_4_1() -> None:
    assert configured(kafka="4.0", elr=True).settings.elr
    assert not configured(kafka="4.1", elr=False).settings.elr


def test_rules_are_never_lost_again() -> None:
    """From one generation to the next, and from one version to the next, rules only come."""
    rules = [f.name for f in fields(Settings) if f.type == "bool"]
    turned = {
        "shrink_bumps_leader_epoch",
        "decides_on_one_fetch",
        "known_partition_epoch_ignored",
        "known_leader_must_be_active",
        "register_only_when_fenced",
    }
    for family in (GENERATIONS, VERSIONS):
        settings = list(family.values())
        for older, newer in itertools.pairwise(settings):
            for rule in set(rules) - turned:
                assert getattr(newer, rule) >= getattr(older, rule), rule


def test_steps_come_with_the_holes_that_need_them() -> None:
    steps = (AnswersAheadOfMetadata, LateFetchAnswers, FollowerReads, StaleController, LateDecision)
    assert [issubclass(configured(kafka="2.8"), step) for step in steps] == [True, True, True, True, False]
    assert [issubclass(configured(kafka="3.5"), step) for step in steps] == [True, True, False, False, True]
    assert [issubclass(configured(kafka="4.1"), step) for step in steps] == [True, False, False, False, False]
    assert [issubclass(configured(kafka="G9"), step) for step in steps] == [False, False, False, False, False]


@pytest.mark.parametrize("version", [*VERSIONS, *GENERATIONS])
def test_every_version_can_be_compiled(version: str) -> None:
    kind = configured(kafka=version)
    small = KraftBounds(
        replication_factor=2,
        records=1,
        max_epoch=1,
        metadata_lag=1,
        lossy_crashes=1,
        fencings=0,
        shrinks=0,
        elections=0,
    )
    assert kind.name == f"kraft-{version.lower()}"
    assert compile_protocol(kind(small)).instances


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"kafka": "5.0"}, "kafka: no version or generation is called '5.0'\n  Known: 2.7, 2.8"),
        (
            {"kafka": "2.0"},
            "kafka='2.0' is older than AlterPartition, which came with Kafka 2.7\n  Its protocol is 'kip-279'",
        ),
        ({"acks": "2"}, "acks='2': producers know 0, 1, all (INVALID_REQUIRED_ACKS)"),
        ({"min_insync_replicas": 0}, "min_insync_replicas=0: at least 1 is needed"),
        ({"strict_hw": False}, "strict_hw=False: eligible leader replicas without the strict high watermark lose"),
        (
            {"kafka": "3.9", "elr": True},
            "elr=True with kafka='3.9': eligible leader replicas (KIP-966) came with Kafka 4.0",
        ),
        ({"kafka": "G8", "elr": True}, "elr=True with kafka='G8': eligible leader replicas"),
    ],
)
def test_contradictions_are_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(BoundsError) as refused:
        configured(**said)
    assert str(refused.value).startswith(message)


def test_minus_one_is_another_word_for_all() -> None:
    made = configured(acks="-1")
    assert (made.settings.acks, made.configuration) == (Acks.ALL, {"acks": "all"})


def test_a_write_must_be_able_to_succeed() -> None:
    kind = configured(min_insync_replicas=3)
    kind(KraftBounds(replication_factor=3))
    with pytest.raises(BoundsError) as refused:
        kind(KraftBounds(replication_factor=2))
    assert str(refused.value) == (
        "min_insync_replicas=3 with replication_factor=2: no write with acks=all could ever succeed\n  Choose 1 to 2."
    )
    assert configured()(KraftBounds(replication_factor=1)).min_isr() == 1, "unsaid, it is at most what there is"


def test_older_versions_and_generations_name_registered_protocols() -> None:
    assert {*OLDER.values(), *CLASSIC.values()} <= set(REGISTRY)
