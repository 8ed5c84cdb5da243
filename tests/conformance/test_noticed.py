"""Events by which records may have been lost are named where they stand, and healthy evidence has none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.kafka.evidence.metadata_log import MetadataLog, MetadataRecord
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.controller import RuleSet
from epochal.kafka.validation.noticed import Noticed, noticed
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS, known_as
from tests.conformance.evidence import ARCHIVES, changes_of, of_archive, records_of
from tests.conformance.made_up import MadeUp, disk
from tests.each import for_each


def noticed_in(name: str, records: tuple[MetadataRecord, ...] | None = None) -> tuple[Noticed, ...]:
    """What is noticed in an archive's log, or in other records of it."""
    evidence = of_archive(name)
    (version,) = evidence.versions
    rules = RuleSet(ConfigurableKraft, VERSIONS[known_as(version)], version, evidence.static)
    return noticed(MetadataLog(records or records_of(name)), rules).events


@for_each("name", [name for name in ARCHIVES if name.startswith(("leader-", "preferred-", "isr-"))])
def test_healthy_evidence_has_none(name: str) -> None:
    assert noticed_in(name) == ()


@pytest.mark.parametrize("name", [name for name in ARCHIVES if name.startswith("unclean-election")])
def test_an_unclean_election(name: str) -> None:
    event = next(one for one in noticed_in(name) if "KIP-106" in one.about)
    assert event.says == "unclean election of broker 2: what only 1 had is lost"
    assert event.offset == changes_of(name)[2].offset


def test_eligible_leader_replicas_that_are_cleared() -> None:
    short, cleared = noticed_in("cleared-elr-4.3.1")
    assert short.says == "the ISR 1 is smaller than min.insync.replicas=2: acks=all is refused"
    assert (cleared.about, cleared.says) == ("KAFKA-16540", "the eligible leader replicas 2 are cleared")


def record(offset: int, kind: str, **data: object) -> MetadataRecord:
    return MetadataRecord(offset, 1, kind, data, Place("made", offset=offset))


BEGINNING = (
    record(0, "REGISTER_BROKER_RECORD", brokerId=1, brokerEpoch=0, fenced=False),
    record(1, "REGISTER_BROKER_RECORD", brokerId=2, brokerEpoch=1, fenced=False),
    record(2, "TOPIC_RECORD", name="t", topicId="T"),
)


def partition(**more: object) -> MetadataRecord:
    said = {"replicas": [1, 2], "isr": [1], "leader": 1, "leaderEpoch": 0, "partitionEpoch": 0, **more}
    return record(3, "PARTITION_RECORD", partitionId=0, topicId="T", **said)


def only(*records: MetadataRecord) -> Noticed:
    (one,) = noticed_in("leader-change-4.0.2", (*BEGINNING, *records))
    return one


def test_a_directory_that_empties_the_elr() -> None:
    """H3: what 4.0 to 4.2 wrote for AssignReplicasToDirs."""
    change = record(
        4, "PARTITION_CHANGE_RECORD", partitionId=0, topicId="T", directories=["A", "B"], eligibleLeaderReplicas=[]
    )
    one = only(partition(eligibleLeaderReplicas=[2]), change)
    assert (one.about, one.offset) == ("H3", change.offset)


def test_a_broker_that_registers_before_it_was_fenced() -> None:
    """KAFKA-18106: nothing is written for its partitions."""
    again = record(4, "REGISTER_BROKER_RECORD", brokerId=1, brokerEpoch=4, fenced=True)
    one = only(partition(), again)
    assert one.about == "KAFKA-18106 (S18)" and one.partition == "t-0"
    fenced = record(4, "BROKER_REGISTRATION_CHANGE_RECORD", brokerId=1, brokerEpoch=0, fenced=1)
    assert noticed_in("leader-change-4.0.2", (*BEGINNING, partition(), fenced, replace(again, offset=5))) == ()


def test_the_last_known_leader_is_elected() -> None:
    """N2: with neither ISR nor ELR."""
    change = record(4, "PARTITION_CHANGE_RECORD", partitionId=0, topicId="T", isr=[1], leader=1, leaderRecoveryState=1)
    one = only(partition(isr=[], leader=-1, lastKnownElr=[1]), change)
    assert one.about == "KIP-966 (N2)"


def test_partitions_that_change_by_a_failed_directory_are_told_as_one_event() -> None:
    """Kafka writes it behind the changes, and says which directories are left."""
    made = MadeUp()
    made.creates(1)
    for number in (0, 1):
        made.changes(number, isr=[1, 2])
    made.registration_changes(3, logDirs=[disk(3, 2)])
    for number in (0, 1):
        made.changes(number, isr=[1])
    made.registration_changes(2, logDirs=[disk(2, 2)])
    rules = RuleSet(ConfigurableKraft, VERSIONS["4.3.1"], "4.3.1")
    events = [str(one.event) for one in noticed(made.log(), rules).events]
    assert events == ["broker 2 loses a log directory"] * 2
