"""Producers that send again: what idempotence promises, and where Kafka does not keep it."""

from __future__ import annotations

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.configuration import configured, with_settings
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.deleted_records import DeletedRecords
from epochal.spec.kraft.options.idempotence import IdempotentProducer
from epochal.spec.kraft.options.producer_expiry import ProducerExpiry
from epochal.spec.kraft.options.producer_snapshots import ProducerSnapshots
from epochal.spec.kraft.settings import Acks, Settings

PROMISES = ("committed_once", "committed_in_order", "in_sequence_is_accepted", "remembered_is_in_log")
WITNESSES = ("written_and_not_known", "duplicate_at_another_leader")
FAULTS = {"max_epoch": 2, "metadata_lag": 2, "lossy_crashes": 1, "fencings": 1, "shrinks": 1, "elections": 1}


class RetryingKraft(IdempotentProducer, Kraft):
    """The modern protocol, with a producer that sends again."""


class DeletingKraft(DeletedRecords, Kraft):
    """The same, and its records are deleted."""


class ExpiringKraft(ProducerExpiry, Kraft):
    """The same, and brokers forget it."""


class SnapshotKraft(ProducerSnapshots, Kraft):
    """The same, and brokers take snapshots."""


def verdicts(
    base: type[Kraft], settings: Settings, properties: tuple[str, ...], **chosen: int
) -> tuple[CheckResult, dict[str, tuple[str, int | None]]]:
    """What becomes of the properties in all states of two brokers; bounds that are not given are the least."""
    kind = with_settings(base, settings)
    bounds = {name: one.least for name, one in kind.bounds_type().declared().items()}
    protocol = kind(kind.bounds_type()(**{**bounds, "replication_factor": 2, **chosen}))
    result = check(protocol, Options(properties=properties, all_violations=True, symmetry=True))
    assert result.exhaustive
    return result, {p.member.name: (p.verdict, p.length) for p in result.properties}


@pytest.mark.parametrize(
    ("records", "faults", "states"),
    [
        (2, {"max_epoch": 1, "fencings": 1, "elections": 1}, 3758),
        pytest.param(2, FAULTS, 267_521, marks=pytest.mark.long),
        pytest.param(3, FAULTS, 1_156_879, marks=pytest.mark.long),
    ],
)
def test_an_idempotent_producer_writes_once_and_in_order(records: int, faults: dict[str, int], states: int) -> None:
    """Leaders change, brokers lose logs, are fenced and truncate: no retry is written twice, none refused."""
    result, found = verdicts(RetryingKraft, Settings(), (*PROMISES, *WITNESSES), records=records, **faults)
    assert {name: verdict for name, (verdict, _) in found.items()} == dict.fromkeys((*PROMISES, *WITNESSES), "holds")
    assert result.distinct_states == states
    assert result.never_taken == ("bump_epoch",), "nobody is out of order"


@pytest.mark.long
def test_records_may_be_deleted_once_their_producer_knows() -> None:
    asked = (*PROMISES[:3], "replicas_take_what_leaders_have", "producer_outlives_its_records")
    result, found = verdicts(DeletingKraft, Settings(), asked, records=2, **FAULTS)
    assert {verdict for verdict, _ in found.values()} == {"holds"}
    assert result.distinct_states == 473_899


@pytest.mark.long
def test_what_kafka_15591_leaves_open() -> None:
    """A log that has held records, and a leader that has forgotten the idle producer: the second batch is first."""
    _, found = verdicts(ExpiringKraft, Settings(), PROMISES, records=4, expirations=2)
    assert found == {
        "committed_once": ("holds", None),
        "committed_in_order": ("violated", 13),
        "in_sequence_is_accepted": ("violated", 8),
        "remembered_is_in_log": ("holds", None),
    }


@pytest.mark.long
def test_p1_with_two_brokers() -> None:
    """min.insync.replicas is 2: a follower that was restarted leads, and the retry is written again."""
    lacking = Settings(snapshots_keep_batches=False)
    _, found = verdicts(SnapshotKraft, lacking, PROMISES[:3], records=3, max_epoch=1, fencings=2)
    assert found == {
        "committed_once": ("violated", 19),
        "committed_in_order": ("violated", 19),
        "in_sequence_is_accepted": ("violated", 10),
    }
    _, found = verdicts(SnapshotKraft, Settings(), PROMISES[:3], records=3, max_epoch=1, fencings=2)
    assert {verdict for verdict, _ in found.values()} == {"holds"}


def test_idempotence_needs_acks_all() -> None:
    """With acks=1 a producer is not idempotent, whatever enable.idempotence says (ProducerConfig)."""
    _, found = verdicts(RetryingKraft, Settings(acks=Acks.LEADER), ("committed_once",), records=2)
    assert found == {"committed_once": ("violated", 6)}


def test_a_release_has_the_holes_of_its_producers_where_there_are_some() -> None:
    """A class without them takes no part; one that has them gets the rules of the release."""
    assert configured(kafka="4.4").settings.snapshots_keep_batches
    assert not issubclass(configured(kafka="4.4"), IdempotentProducer)

    class Mine(IdempotentProducer, configured()):  # type: ignore[misc]  # a class that is made of settings
        """With a producer that sends again."""

    assert not Mine.configured({"kafka": "4.4"}).settings.empty_log_begins_at_zero
