"""Producers, consumers and coordinators: each answer on its own, reads that stay true, and writes that stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.configuration import with_settings
from epochal.spec.kraft.generations import G7, G9
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.consumer import Consumer
from epochal.spec.kraft.options.coordinator import CoordinatorWrites
from epochal.spec.kraft.settings import Acks, Settings
from epochal.spec.kraft.state import KraftBounds
from tests.spec.kraft.produce_answers import ProduceAnswers

ANSWERS = (
    "refused_is_not_appended",
    "after_append_is_committed",
    "success_is_acknowledgement",
    "told_of_too_few_replicas",
    "told_of_too_few_replicas_after_append",
    "told_of_another_leader",
)
READS = ("consistent_read", "truncation_never_detected", "offset_in_range", "waits_above_high_watermark")


class AnsweredKraft(ProduceAnswers, Kraft):
    """The modern protocol, with producers that wait for their answers."""


class ConsumedKraft(Consumer, Kraft):
    """The modern protocol, with a consumer."""


def verdicts(base: type[Kraft], settings: Settings, properties: tuple[str, ...]) -> tuple[CheckResult, dict[str, str]]:
    """The whole state space of two brokers at the default bounds, and what becomes of the properties."""
    protocol = with_settings(base, settings)(KraftBounds(replication_factor=2))
    result = check(protocol, Options(properties=properties, all_violations=True, symmetry=True))
    assert result.exhaustive
    return result, {p.member.name: p.verdict for p in result.properties}


def test_answers_with_acks_all() -> None:
    """Every answer happens, and means what it says; AFTER_APPEND is gone since the strict high watermark."""
    newest, found = verdicts(AnsweredKraft, G9, ANSWERS)
    assert found == dict.fromkeys(ANSWERS, "holds") | {"told_of_too_few_replicas_after_append": "not applicable"}
    assert newest.never_taken == ()
    assert newest.distinct_states == 23_322
    _, found = verdicts(AnsweredKraft, G7, ANSWERS)
    assert found == dict.fromkeys(ANSWERS, "holds")


def test_answers_with_acks_1() -> None:
    """Success is all that a producer can be told."""
    result, found = verdicts(AnsweredKraft, replace(G7, acks=Acks.LEADER), ANSWERS)
    assert {name for name, verdict in found.items() if verdict == "not applicable"} == set(ANSWERS[3:])
    assert set(found.values()) == {"holds", "not applicable"}
    assert set(result.never_taken) <= {"refuse_record"}


def test_reads_stay_true() -> None:
    """A consumer at leaders and followers reads only what stays; its position is never found wrong."""
    result, found = verdicts(ConsumedKraft, G9, READS)
    assert found == dict.fromkeys(READS, "holds")
    assert result.never_taken == ()
    assert result.distinct_states == 93_900


def test_a_consumer_is_told_of_truncation_after_an_unclean_election() -> None:
    """What was read is gone, and KIP-320 says so."""
    _, found = verdicts(ConsumedKraft, replace(G7, unclean_leader_election=True), READS)
    assert found == dict.fromkeys(READS[:3], "violated") | {"waits_above_high_watermark": "holds"}


class CoordinatedKraft(CoordinatorWrites, Kraft):
    """The modern protocol, with a coordinator that waits for the high watermark of its own broker."""


@pytest.mark.long
@pytest.mark.parametrize(("rule", "length"), [(True, None), (False, 15)])
def test_a_coordinator_that_was_fenced(rule: bool, length: int | None) -> None:
    """KAFKA-20634, and nobody is elected in place of a live leader: one session that ends is enough."""
    settings = Settings(coordinator_hears_as_leader_only=rule)
    bounds = KraftBounds(replication_factor=2, records=2, max_epoch=1, lossy_crashes=0, shrinks=0, elections=0)
    asked = ("coordinator_writes_durable", "write_succeeds")
    result = check(with_settings(CoordinatedKraft, settings)(bounds), Options(properties=asked, all_violations=True))
    assert result.exhaustive
    assert [one.length for one in result.properties if one.verdict == "violated"] == ([length] if length else [])
    assert "hear_high_watermark" not in result.never_taken
