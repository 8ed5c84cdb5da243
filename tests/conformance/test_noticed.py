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
from tests.conformance.evidence import ARCHIVES, MadeUp, accepted, changes_of, disk, of_archive, records_of, refused
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


@pytest.mark.parametrize(
    ("recording", "about", "says"),
    [
        ("reproduced-h14-4.4.0", "(H14)", "broker 3 is elected from an ELR that is left over"),
        ("reproduced-h14b-4.0.2", "(H14)", "broker 3 is elected from an ELR that is left over"),
        ("reproduced-h15-4.4.0", "(H15)", "broker 2 has no replica any more, and is the last known leader"),
    ],
)
def test_what_is_left_when_elr_or_a_replica_goes(recording: str, about: str, says: str) -> None:
    (one,) = [each for each in noticed_in(recording) if each.about.endswith(about)]
    assert one.says.startswith(says)


@pytest.mark.parametrize(
    ("level", "whole", "told"), [(0, True, True), (0, False, True), (1, True, False), (None, False, False)]
)
def test_an_election_from_an_elr_is_told_where_the_feature_is_off(level: int | None, whole: bool, told: bool) -> None:
    """H14; not where it is on, nor where the beginning of the log is missing, and with it what the level is."""
    feature = {"name": "eligible.leader.replicas.version", "featureLevel": level}
    said = () if level is None else (record(3, "FEATURE_LEVEL_RECORD", **feature),)
    change = {"isr": [2], "leader": 2, "eligibleLeaderReplicas": []}
    elected = record(4, "PARTITION_CHANGE_RECORD", partitionId=0, topicId="T", **change)
    log = (*BEGINNING, *said, partition(isr=[], leader=-1, eligibleLeaderReplicas=[2]), elected)
    events = noticed_in("leader-change-4.0.2", log if whole else log[1:])
    assert any("H14" in one.about for one in events) == told


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


# What writes a change of a partition, each with the record beside it: as Kafka writes it, and otherwise refused.

LOST, UNASSIGNED = "AAAAAAAAAAAAAAAAAAAAAg", "AAAAAAAAAAAAAAAAAAAAAQ"


@pytest.mark.parametrize("version", ["3.7", "3.9.2", "4.0.2", "4.3.1", "4.4"])
def test_a_log_directory_fails_under_a_leader(version: str) -> None:
    """The broker goes on, and is not in the records of the partition any more."""
    made = MadeUp(eligible_leader_replicas_version=0)
    made.changes(isr=[2, 3], leader=2)
    made.loses(1, 2)
    assert accepted(made, version) == {"lose_directory": 1}


def test_a_log_directory_fails_under_a_follower() -> None:
    made = MadeUp()
    made.changes(isr=[1, 3])
    made.loses(2, 2)
    assert accepted(made) == {"lose_directory": 1}


def test_what_a_failed_directory_causes_must_be_there() -> None:
    made = MadeUp()
    made.loses(1, 2)
    assert refused(made) == [len(made.records) - 1]


def test_a_directory_without_the_replica_may_fail() -> None:
    """Nothing comes of it, and no change before it is due to it."""
    made = MadeUp()
    made.loses(1, 1)
    assert accepted(made) == {}
    made = MadeUp()
    made.changes(isr=[2, 3], leader=2)
    made.loses(1, 1)
    assert refused(made) == [len(made.records) - 2]


def test_the_last_member_stays_eligible_and_does_not_lead_until_its_directory_is_back() -> None:
    """Brokers 2 and 3 are away; the directory of broker 1 fails, and it restarts without and then with it."""
    made = MadeUp()
    made.changes(isr=[1, 3])
    made.is_fenced(2)
    made.changes(isr=[1], eligibleLeaderReplicas=[3])
    made.is_fenced(3)
    made.changes(isr=[], leader=-1, eligibleLeaderReplicas=[1, 3], lastKnownElr=[1])
    made.loses(1, 2)
    made.is_fenced(1)
    made.registers(1, 2)
    made.is_unfenced(1)
    assert accepted(made) == {"fence": 2, "lose_directory": 1}
    led = len(made.records)
    made.changes(isr=[1], leader=1, eligibleLeaderReplicas=[3], lastKnownElr=[])
    assert refused(made) == [led]
    made.records.pop()
    made.is_fenced(1)
    made.registers(1)
    made.is_unfenced(1)
    made.changes(isr=[1], leader=1, eligibleLeaderReplicas=[3], lastKnownElr=[])
    assert accepted(made) == {"fence": 2, "lose_directory": 1, "unfence": 1}


def test_a_replica_is_assigned_to_a_directory_that_is_offline_already() -> None:
    """AssignReplicasToDirs: two changes, and no record of their own."""
    made = MadeUp()
    made.changes(directories=[LOST, disk(2, 1), disk(3, 1)])
    made.changes(isr=[2, 3], leader=2)
    assert accepted(made) == {"assign_directory": 1, "lose_directory": 1}
    made = MadeUp()
    made.changes(directories=[disk(1, 2), disk(2, 1), disk(3, 1)])
    made.changes(isr=[2, 3], leader=2)
    assert refused(made) == [len(made.records) - 1]


def test_a_replica_that_is_assigned_nowhere_yet_stays_when_a_directory_fails() -> None:
    """The controller learns where it lies by AssignReplicasToDirs, and then takes it out."""
    made = MadeUp()
    made.changes(directories=[UNASSIGNED, disk(2, 1), disk(3, 1)])
    made.loses(1, 2)
    made.changes(directories=[disk(1, 1), disk(2, 1), disk(3, 1)])
    made.changes(isr=[2, 3], leader=2)
    assert accepted(made) == {"assign_directory": 2, "lose_directory": 1}


def test_an_accepted_proposal_may_name_a_broker_whose_directory_has_failed() -> None:
    """ReplicationControlManager.ineligibleReplicasForIsr looks at no directory: the proposal was on its way."""
    made = MadeUp()
    made.changes(isr=[1, 3])
    made.loses(2, 2)
    made.changes(isr=[1, 2, 3])
    assert accepted(made) == {"lose_directory": 1, "handle_alter_partition": 1}


@pytest.mark.parametrize("change", [{"cordonedLogDirs": []}, {"cordonedLogDirs": [disk(1, 1)]}, {"logDirs": []}])
def test_a_cordoned_directory_and_an_empty_list_move_nobody(change: dict[str, list[str]]) -> None:
    made = MadeUp()
    made.registration_changes(1, **change)
    assert accepted(made) == {}
    made.records.pop()
    made.changes(isr=[2, 3], leader=2)
    made.registration_changes(1, **change)
    assert refused(made) == [len(made.records) - 2]


def test_a_broker_that_is_unregistered_leaves() -> None:
    made = MadeUp()
    made.changes(isr=[2, 3], leader=2)
    made.add("UNREGISTER_BROKER_RECORD", brokerId=1, brokerEpoch=2)
    assert accepted(made) == {"unregister": 1}
    made = MadeUp()
    made.add("UNREGISTER_BROKER_RECORD", brokerId=1, brokerEpoch=2)
    assert refused(made) == [len(made.records) - 1]


def test_all_directories_fail_and_the_broker_stops() -> None:
    """A broker without a directory halts: its session expires."""
    made = MadeUp()
    made.changes(isr=[2, 3], leader=2)
    made.is_fenced(1)
    assert accepted(made) == {"fence": 1}


def test_a_deleted_topic_is_asked_for_nothing_and_a_new_partition_is() -> None:
    made = MadeUp()
    made.creates(1)
    made.changes(1, isr=[2, 3], leader=2)
    made.changes(0, isr=[2, 3], leader=2)
    made.is_fenced(1)
    assert accepted(made) == {"fence": 2}
    made.add("REMOVE_TOPIC_RECORD", topicId="id-of-t")
    made.is_fenced(2)
    assert accepted(made) == {"fence": 2}
    made = MadeUp()
    made.creates(1)
    made.changes(0, isr=[2, 3], leader=2)
    made.is_fenced(1)
    assert refused(made) == [len(made.records) - 1]


@pytest.mark.parametrize(("level", "bumps"), [(11, True), (12, False)])
def test_the_leader_epoch_grows_with_a_shrink_by_metadata_version(level: int, bumps: bool) -> None:
    """KAFKA-15021: a controller of 3.9 in a cluster that has not been upgraded to 3.6 writes as 3.5 did."""
    made = MadeUp(eligible_leader_replicas_version=0, metadata_version=level)
    made.changes(isr=[1, 3], **({"leader": 1} if bumps else {}))
    made.is_fenced(2)
    assert accepted(made, "3.9.2") == {"fence": 1}
    made = MadeUp(eligible_leader_replicas_version=0, metadata_version=level)
    made.changes(isr=[1, 3], **({} if bumps else {"leader": 1}))
    made.is_fenced(2)
    assert refused(made, "3.9.2") == [len(made.records) - 2]
