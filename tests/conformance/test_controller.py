"""The controllers of real clusters are accepted; edited evidence and changed rules are refused, where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from epochal.kafka.evidence.metadata_log import MetadataRecord
from epochal.kafka.evidence.place import Place
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.language import Identifier, Set
from tests.conformance.evidence import CHANGE, changes_of, edited, judged, records_of

Data = Mapping[str, Any]
REGISTER, REGISTRATION_CHANGE = "REGISTER_BROKER_RECORD", "BROKER_REGISTRATION_CHANGE_RECORD"


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("leader-change-3.9.2", {"fence": 1, "handle_alter_partition": 1}),
        ("preferred-election-4.3.1", {"shut_down": 1, "handle_alter_partition": 1, "elect_preferred_leader": 1}),
        ("unclean-election-4.3.1", {"fence": 2, "elect_uncleanly": 1, "handle_alter_partition": 1}),
        ("reassignment-4.3.1", {"reassign": 2, "handle_alter_partition": 2}),
        # b2 is unfenced, and then b1, the leader, is fenced: b2 may not lead, and no change was due when it came
        ("reproduced-s24-3.9.2", {"fence": 2, "unfence": 1, "handle_alter_partition": 1}),
    ],
)
def test_changes_are_explained_by_what_was_done(name: str, steps: dict[str, int]) -> None:
    assert judged(name).explained == steps


def test_a_broker_that_shut_down_in_good_order_stays_eligible() -> None:
    """It registers with the marker of a clean shutdown (KIP-966), which no record tells."""
    records = records_of("reproduced-n1-4.3.1")
    (change,) = (one for one in changes_of("reproduced-n1-4.3.1") if one.data.get("eligibleLeaderReplicas") == [1])
    behind = [one for one in records if one.offset > change.offset and one.kind in (CHANGE, "REGISTER_BROKER_RECORD")]
    assert [one.kind for one in behind[:2]] == ["REGISTER_BROKER_RECORD", CHANGE]
    assert behind[0].data["brokerId"] == 1 and behind[1].data["isr"] == [1, 3]
    assert judged("reproduced-n1-4.3.1").refused == []


@pytest.mark.parametrize("version", ["4.0.2", "4.1.2", "4.2.1"])
def test_a_change_of_a_directory_empties_the_elr_up_to_kafka_4_2(version: str) -> None:
    """H3: real controllers do it, and 4.3 would not."""
    name = f"reproduced-h3-{version}"
    assert judged(name).refused == []
    (chosen,) = (one for one in changes_of(name) if "directories" in one.data and "eligibleLeaderReplicas" in one.data)
    assert chosen.data["eligibleLeaderReplicas"] == []
    assert judged(name, kafka="4.3").refused[0].record.offset == chosen.offset


def test_a_last_known_leader_that_is_fenced_is_elected_up_to_kafka_4_0() -> None:
    """KAFKA-19522: 4.0.2 elects it in the batch in which it registers, fenced as it is; 4.1 and newer would wait."""
    name = "reproduced-n2-4.0.2"
    assert judged(name).refused == []
    elected = changes_of(name)[3]
    assert elected.data["leader"] == 1 and elected.data["leaderRecoveryState"] == 1
    registered, unfenced = (one for one in records_of(name) if one.offset > elected.offset and one.data.get("brokerId"))
    assert (registered.kind, registered.data["brokerId"], registered.data["fenced"]) == (REGISTER, 1, True)
    assert (unfenced.kind, unfenced.data["brokerId"], unfenced.data["fenced"]) == (REGISTRATION_CHANGE, 1, -1)
    for later in ("4.1.2", "4.3.1"):
        refused = judged(name, kafka=later).refused
        assert [one.record.offset for one in refused] == [elected.offset]


def without(name: str) -> Any:
    """The edit that takes a field away."""
    return lambda data: {field: value for field, value in data.items() if field != name}


def with_field(name: str, value: Any) -> Any:
    """The edit that sets a field."""
    return lambda data: {**data, name: value}


EDITS: dict[str, tuple[str, int, Any]] = {
    "the leader is fenced and no other is elected": ("leader-change-4.3.1", 0, without("leader")),
    "a member of the ISR too many after a fencing": ("leader-change-4.3.1", 0, with_field("isr", [1, 2, 3])),
    "a member too few": ("leader-change-4.3.1", 0, with_field("isr", [2])),
    "a leader outside the ISR": ("leader-change-4.3.1", 0, with_field("isr", [3])),
    "a leader that is fenced": ("leader-change-4.3.1", 0, with_field("leader", 1)),
    "the change of a fencing is missing": ("leader-change-4.3.1", 0, lambda _: None),
    "eligible leader replicas with an ISR that is large enough": (
        "leader-change-4.3.1", 0, with_field("eligibleLeaderReplicas", [1])
    ),
    "a recovery that no unclean election began": ("leader-change-4.3.1", 0, with_field("leaderRecoveryState", 1)),
    "AlterPartition elects another leader": ("leader-change-4.3.1", 1, with_field("leader", 3)),
    "AlterPartition with a broker that has no replica": ("reassignment-4.3.1", 1, with_field("isr", [1, 2, 3])),
    "a reassignment ends and its old replica stays": ("reassignment-4.3.1", 1, without("replicas")),
    "the replica to be added is in the ISR at once": ("reassignment-4.3.1", 0, with_field("isr", [1, 2, 3])),
    "an unclean election that is called clean": ("unclean-election-4.3.1", 2, without("leaderRecoveryState")),
    "the last member of the ISR leaves it without ELR": ("unclean-election-3.9.2", 1, with_field("isr", [])),
}  # fmt: skip


@pytest.mark.parametrize("what", EDITS)
def test_edited_evidence_is_refused_where_it_was_edited(what: str) -> None:
    name, number, edit = EDITS[what]
    records, chosen = edited(name, number, edit)
    verdict = judged(name, records)
    first = verdict.refused[0]
    assert first.partition == "t-0"
    if first.missing:  # what is due is asked for where the record beside the change stands
        assert first.record.offset == chosen.offset + 1
    else:
        assert first.record.offset == chosen.offset and edit(chosen.data) is not None


def test_a_change_that_comes_too_late_is_refused() -> None:
    """A fencing and its change, the other way round."""
    name = "leader-change-4.3.1"
    chosen = changes_of(name)[0]
    behind = next(one for one in records_of(name) if one.offset == chosen.offset + 1)
    swapped: dict[int, MetadataRecord] = {
        chosen.offset: replace(behind, offset=chosen.offset, place=chosen.place),
        behind.offset: replace(chosen, offset=behind.offset, place=behind.place),
    }
    verdict = judged(name, tuple(swapped.get(record.offset, record) for record in records_of(name)))
    assert [one.record.offset for one in verdict.refused] == [chosen.offset, behind.offset]


class ElectsNobody(ConfigurableKraft):
    """Only the leader may lead."""

    def may_lead(self, r: Identifier) -> bool:
        return super().may_lead(r) and self.metadata[0].leader == r


class KeepsTheFenced(ConfigurableKraft):
    """Who is fenced stays in the ISR."""

    def leave_isr(self, broker: Identifier, successor: Identifier | None, unclean: Set[Identifier]) -> None:
        self.change_partition(self.metadata[0].isr, successor, unclean)


class NeverEligible(ConfigurableKraft):
    """Nobody becomes an eligible leader replica."""

    def eligible_leader_replicas(self, isr: Set[Identifier], unclean: Set[Identifier]) -> Set[Identifier]:
        return Set()


class EagerElr(ConfigurableKraft):
    """Whoever leaves the ISR is eligible, however large it is."""

    def eligible_leader_replicas(self, isr: Set[Identifier], unclean: Set[Identifier]) -> Set[Identifier]:
        return (self.recovery.elr | self.metadata[0].isr) - isr - unclean


class BumpsAlways(ConfigurableKraft):
    """Every change begins a new leader epoch."""

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        super().append_change(leader, self.metadata[0].leader_epoch + 1, isr)


class NeverBumps(ConfigurableKraft):
    """The leader epoch stays, whoever leads."""

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        super().append_change(leader, self.metadata[0].leader_epoch, isr)


class KeepsTheIsr(ConfigurableKraft):
    """AlterPartition changes nothing."""

    def is_from_present_leader(self) -> bool:
        return False


class LeavesNobodyBehind(ConfigurableKraft):
    """The last member of the ISR leaves it, too, and nobody is kept beside it."""

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        super().append_change(leader, leader_epoch, isr if leader is not None else Set())


class NoPreferredLeader(ConfigurableKraft):
    """No other leader is elected while one is alive."""

    elect_preferred_leader = None  # type: ignore[assignment]


class CountsTheFenced(ConfigurableKraft):
    """A broker that was fenced may never be a member of the ISR again."""

    def is_eligible(self, member: Identifier) -> bool:
        return member in self.metadata[0].isr


MUTANTS: dict[type[ConfigurableKraft], str] = {
    ElectsNobody: "leader-change-3.9.2",
    KeepsTheFenced: "leader-change-3.9.2",
    BumpsAlways: "isr-shrink-3.9.2",
    NeverBumps: "leader-change-4.3.1",
    KeepsTheIsr: "isr-shrink-4.3.1",
    LeavesNobodyBehind: "unclean-election-3.9.2",
    NoPreferredLeader: "preferred-election-4.3.1",
    EagerElr: "leader-change-4.3.1",
    NeverEligible: "unclean-election-4.3.1",
    CountsTheFenced: "leader-change-4.1.2",
}


@pytest.mark.parametrize("kind", MUTANTS)
def test_a_real_controller_is_refused_by_other_rules(kind: type[ConfigurableKraft]) -> None:
    """Each changes one rule: the evidence of a healthy cluster is then no run of the specification."""
    verdict = judged(MUTANTS[kind], kind=kind)
    assert verdict.refused, verdict.explained


def record(offset: int, kind: str, **data: object) -> MetadataRecord:
    """A record that no controller wrote."""
    return MetadataRecord(offset, 1, kind, data, Place("made", offset=offset))


@pytest.mark.parametrize("clean", [False, True])
def test_a_restart_may_be_clean_or_not(clean: bool) -> None:
    """After a crash a broker leaves the ELR, after a clean shutdown it stays: the metadata log does not say which."""
    created = {"replicas": [1, 2, 3], "isr": [1], "eligibleLeaderReplicas": [2], "leader": 1}
    leaves = record(7, CHANGE, topicId="T", partitionId=0, eligibleLeaderReplicas=[])
    log = (
        record(0, "FEATURE_LEVEL_RECORD", name="eligible.leader.replicas.version", featureLevel=1),
        *(record(n, "REGISTER_BROKER_RECORD", brokerId=n, brokerEpoch=n, fenced=n > 1) for n in (1, 2, 3)),
        record(4, "TOPIC_RECORD", name="t", topicId="T"),
        record(5, "CONFIG_RECORD", resourceType=2, resourceName="t", name="min.insync.replicas", value="2"),
        record(6, "PARTITION_RECORD", topicId="T", partitionId=0, leaderEpoch=0, partitionEpoch=0, **created),
        *(() if clean else (leaves,)),
        record(8, "REGISTER_BROKER_RECORD", brokerId=2, brokerEpoch=8, fenced=True),
    )
    verdict = judged("leader-change-4.3.1", log)
    assert verdict.refused == []
    assert verdict.explained == ({} if clean else {"restart": 1})
