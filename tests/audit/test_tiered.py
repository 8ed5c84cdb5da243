"""Known losses of tiered storage and transactional ids: by release, and only where the settings are of that kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal.kafka.audit.rules_loss import IDS, METADATA, RETENTION
from epochal.spec.kraft.generations import VERSIONS, numbered
from tests.audit.test_requests import of_topics, rules, topic
from tests.each import for_each

TIERED = "min.insync.replicas=2,remote.storage.enable=true"
LIMITED = f"{TIERED},retention.bytes=1000"


@for_each("release", VERSIONS)
def test_which_releases_have_it(release: str) -> None:
    version = numbered(release)
    assert RETENTION.is_in(release) == ((3, 6) <= version < (4, 4) and not (4, 3, 2) <= version < (4, 4))
    assert METADATA.is_in(release) == ((3, 6) <= version < (4, 3))
    assert IDS.is_in(release) == ((4, 0) <= version < (4, 3))


def test_a_point_release_may_have_the_fix() -> None:
    assert [RETENTION.is_in(one) for one in ("4.3.1", "4.3.2", "4.3.3", "4.4", "4.2.9")] == [
        True,
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("configs", "kafka", "told"),
    [
        (LIMITED, "4.2.1", True),
        (LIMITED, "4.3.1", True),
        (LIMITED, "4.4", False),
        (LIMITED, "3.5", False),
        (TIERED, "4.2.1", False),
        (f"{TIERED},retention.bytes=-1", "4.2.1", False),
        ("retention.bytes=1000", "4.2.1", False),
        ("remote.storage.enable=false,retention.bytes=1000", "4.2.1", False),
    ],
)
def test_a_limit_of_size_in_tiered_storage(tmp_path: Path, configs: str, kafka: str, told: bool) -> None:
    found = rules(of_topics(tmp_path, topic("t", 3, configs), kafka=kafka))
    assert ("tiered-retention/t" in found) == told


def test_metadata_of_tiered_storage_on_one_replica(tmp_path: Path) -> None:
    tiered = topic("t", 3, TIERED)
    key = "tiered-metadata/__remote_log_metadata"
    assert key in rules(of_topics(tmp_path, tiered, kafka="4.2")), "it is made by the release"
    assert key not in rules(of_topics(tmp_path, tiered, kafka="4.3"))
    for wanted in (1, 2):
        there = topic("__remote_log_metadata", 3, f"min.insync.replicas={wanted}")
        assert (key in rules(of_topics(tmp_path, tiered, there, kafka="4.4"))) == (wanted == 1), "it stays as it is"


def test_kafka_waits_for_all_of_the_isr_of_its_metadata(tmp_path: Path) -> None:
    result = of_topics(tmp_path, topic("__remote_log_metadata"))
    (kind,) = result.audit.audited.classes
    assert (kind.acks, kind.acks_known) == ("all", True)


def test_transactional_ids(tmp_path: Path) -> None:
    text = topic("__transaction_state")
    assert "producer-ids/__transaction_state" in rules(of_topics(tmp_path, text, kafka="4.2.1"))
    assert "producer-ids/__transaction_state" not in rules(of_topics(tmp_path, text, kafka="4.3"))
    assert "producer-ids/__transaction_state" not in rules(of_topics(tmp_path, text, kafka="3.9"))
