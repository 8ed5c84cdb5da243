"""The known bugs and design holes of the modern protocol: which rule to take away, and where its absence shows.

Each scenario names a property that is violated without the rule and holds with it, at bounds as small as were found.
`versions` are the Kafka releases without the rule. Numbers S1 to S30 are those of the project's fact sheet; N1 to N3
were found by the checker (docs/kafka/findings.md).
"""

from __future__ import annotations

import functools
from dataclasses import replace

from .answers import AnswersAheadOfMetadata, RepeatedRequests
from .consumer import FollowerReads, LatestOffsets
from .kraft import Kraft
from .late_decision import LateDecision
from .late_fetch import LateFetchAnswers
from .reassignment import Reassignment
from .scenario import KraftScenario
from .settings import Acks, CountedIsr, Settings, Truncation
from .stale_controller import StaleController

NEWEST = Settings()
ALONE = Settings(min_insync_replicas=1)
"""One copy is enough: `min.insync.replicas=1`."""
BEFORE_STRICT_HW = Settings(elr=False, strict_hw=False, min_insync_replicas=1)
BEFORE_ELR = Settings(elr=False)


class AnswersKraft(AnswersAheadOfMetadata, Kraft):
    """The modern protocol; the answer to a proposal may be ahead of the metadata."""


class RepeatedRequestsKraft(RepeatedRequests, Kraft):
    """The modern protocol; copies of a proposal may be on their way."""


class LateDecisionKraft(LateDecision, Kraft):
    """The modern protocol; a leader may decide on a follower by one fetch and propose it after the next."""


class LateFetchKraft(LateFetchAnswers, Kraft):
    """The modern protocol; the answer to a fetch may be late."""


class FollowerReadsKraft(FollowerReads, Kraft):
    """The modern protocol, with consumers that read from followers."""


class LatestOffsetsKraft(LatestOffsets, Kraft):
    """The modern protocol, with consumers that ask for the latest offset."""


class StaleControllerKraft(StaleController, Kraft):
    """The modern protocol, with a deposed controller that still answers."""


class ReassignmentKraft(Reassignment, Kraft):
    """The modern protocol, with replicas that are taken away and given back."""


SCENARIOS: tuple[KraftScenario, ...] = (
    KraftScenario(
        id="S1",
        title="A follower that truncates to its own high watermark loses committed records",
        source="KAFKA-1211, KIP-101",
        versions="0.8 to 0.10.2",
        faulty=Settings(truncation=Truncation.HIGH_WATERMARK),
        sound=NEWEST,
        property="leader_candidate_completeness",
        bounds={"max_epoch": 2, "elections": 2},
    ),
    KraftScenario(
        id="S2",
        title="After a lost suffix a follower that truncates to its own high watermark diverges for ever",
        source="KAFKA-3919, KIP-101",
        versions="0.8 to 0.10.2",
        faulty=replace(BEFORE_STRICT_HW, truncation=Truncation.HIGH_WATERMARK),
        sound=BEFORE_STRICT_HW,
        property="known_followers_match",
        bounds={"records": 2, "max_epoch": 3, "lossy_crashes": 1, "fencings": 1},
    ),
    KraftScenario(
        id="S9",
        title="A replica joins the ISR before it has reached the start of the leader's epoch",
        source="KAFKA-7128",
        versions="before 2.1",
        faulty=Settings(epoch_start_rule=False),
        sound=NEWEST,
        property="leader_candidate_completeness",
        bounds={"replication_factor": 3, "records": 2, "max_epoch": 1, "fencings": 1, "elections": 1},
    ),
    KraftScenario(
        id="S10",
        title="The answer to a fetch of an older epoch truncates committed records",
        source="KAFKA-18991",
        versions="2.7 to 4.0",
        faulty=Settings(late_answers_dropped=False),
        sound=NEWEST,
        property="leader_candidate_completeness",
        bounds={"max_epoch": 3, "elections": 3},
        base=LateFetchKraft,
    ),
    KraftScenario(
        id="S11",
        title="The leader goes on counting the old ISR while it asks for a wider one",
        source="KIP-497",
        versions="none; the mistake that KIP-497 avoids",
        faulty=Settings(counted_isr=CountedIsr.COMMITTED),
        sound=NEWEST,
        property="leader_candidate_completeness",
        bounds={"replication_factor": 3, "fencings": 1},
    ),
    KraftScenario(
        id="S12",
        title="The leader counts a smaller ISR before the controller has agreed",
        source="KIP-497",
        versions="none; the mistake that KIP-497 avoids",
        faulty=replace(ALONE, counted_isr=CountedIsr.PROPOSED),
        sound=ALONE,
        property="leader_candidate_completeness",
        bounds={"shrinks": 1},
    ),
    KraftScenario(
        id="S13",
        title="A late AlterPartition is accepted although the partition has changed since",
        source="KIP-497",
        versions="none; the mistake that KIP-497 avoids",
        faulty=replace(ALONE, partition_epoch_check=False),
        sound=ALONE,
        property="leader_candidate_completeness",
        bounds={"replication_factor": 3, "fencings": 2},
    ),
    KraftScenario(
        id="S14",
        title="A deposed controller confirms a change that was never made",
        source="KAFKA-14154",
        versions="2.7 to 3.2",
        faulty=replace(ALONE, stale_controller_refuses=False),
        sound=ALONE,
        property="leader_candidate_completeness",
        bounds={"replication_factor": 3, "records": 2, "fencings": 1, "shrinks": 1},
        base=StaleControllerKraft,
    ),
    KraftScenario(
        id="S15",
        title="Metadata of the partition epoch that the leader knows already makes it forget a newer proposal",
        source="KAFKA-13790",
        versions="2.8 to 4.1",
        faulty=replace(ALONE, known_partition_epoch_ignored=False),
        sound=ALONE,
        property="leader_candidate_completeness",
        bounds={"replication_factor": 3, "metadata_lag": 2, "fencings": 2},
        base=AnswersKraft,
    ),
    KraftScenario(
        id="S16",
        title="A fenced replica returns to the ISR",
        source="KIP-841, KAFKA-13916",
        versions="2.8 to 3.2",
        faulty=replace(BEFORE_STRICT_HW, fenced_check=False, broker_epoch_check=False),
        sound=replace(BEFORE_STRICT_HW, broker_epoch_check=False),
        property="fenced_not_in_isr",
        bounds={"fencings": 1},
    ),
    KraftScenario(
        id="S17",
        title="A replica that restarted without its log is admitted on the strength of an earlier fetch",
        source="KIP-903, KAFKA-14139",
        versions="2.8 to 3.4",
        faulty=replace(BEFORE_STRICT_HW, broker_epoch_check=False),
        sound=BEFORE_STRICT_HW,
        property="expansion_safe",
        bounds={"fencings": 1, "lossy_crashes": 1},
    ),
    KraftScenario(
        id="S17b",
        title="Caught up by a fetch of the old incarnation, admitted under the broker epoch of the new one",
        source="KAFKA-15221",
        versions="3.5 and 3.6",
        faulty=replace(BEFORE_STRICT_HW, lossy_crashes_spare_last_member=True, decides_on_one_fetch=False),
        sound=replace(BEFORE_STRICT_HW, lossy_crashes_spare_last_member=True),
        property="leader_candidate_completeness",
        bounds={"records": 2, "fencings": 1, "lossy_crashes": 1},
        base=LateDecisionKraft,
    ),
    KraftScenario(
        id="S18",
        title="A broker that lost its log registers before it was fenced, and goes on leading",
        source="KAFKA-18106",
        versions="2.8 to 3.9",
        faulty=replace(BEFORE_ELR, register_only_when_fenced=False),
        sound=BEFORE_ELR,
        property="leader_completeness",
        bounds={"lossy_crashes": 1},
    ),
    KraftScenario(
        id="S19",
        title="A broker is away so shortly that the controller does not notice, and stays in the ISR without its log",
        source="KIP-380, KAFKA-7235",
        versions="before 2.2",
        faulty=replace(BEFORE_ELR, bounce_noticed=False),
        sound=BEFORE_ELR,
        property="leader_candidate_completeness",
        bounds={"lossy_crashes": 1},
    ),
    KraftScenario(
        id="S20",
        title="The last member of the ISR loses its log, and nobody else may lead",
        source="KIP-966",
        versions="0.8 to 3.9",
        faulty=BEFORE_ELR,
        sound=NEWEST,
        property="leader_completeness",
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
    ),
    KraftScenario(
        id="S21",
        title="Eligible leader replicas without the strict high watermark: a record that consumers read is lost",
        source="KIP-966",
        versions="none; the mistake that KIP-966 avoids",
        faulty=Settings(strict_hw=False, acks=Acks.LEADER),
        sound=Settings(acks=Acks.LEADER),
        property="leader_completeness",
        bounds={"max_epoch": 2, "fencings": 2},
    ),
    KraftScenario(
        id="S21b",
        title="Leader and controller disagree about min.insync.replicas",
        source="KAFKA-16540",
        versions="none; the mistake that KAFKA-16540 avoids",
        faulty=Settings(leader_min_insync_replicas=1),
        sound=NEWEST,
        property="leader_completeness",
        bounds={"max_epoch": 2, "fencings": 2},
    ),
    KraftScenario(
        id="S22",
        title="The last known leader is elected although it is not alive",
        source="KAFKA-19522",
        versions="4.0",
        faulty=replace(ALONE, known_leader_must_be_active=False),
        sound=ALONE,
        property="elected_leader_is_alive",
        bounds={"max_epoch": 2, "crashes": 1, "lossy_crashes": 1, "fencings": 1},
    ),
    KraftScenario(
        id="S23",
        title="A replica is taken away and given back between two looks of the leader at the metadata",
        source="KIP-455",
        versions="none; Kafka expands the ISR at a fetch only",
        faulty=Settings(joins_by_fetch_only=False, forgets_followers_each_epoch=False),
        sound=Settings(forgets_followers_each_epoch=False),
        property="leader_candidate_completeness",
        bounds={"replication_factor": 3, "max_epoch": 1, "metadata_lag": 2, "reassignments": 2},
        base=ReassignmentKraft,
    ),
    KraftScenario(
        id="S24",
        title="acks=all with min.insync.replicas=1 is one copy",
        source="KIP-966",
        versions="all",
        faulty=ALONE,
        sound=NEWEST,
        property="acknowledged_durable",
        bounds={"max_epoch": 2, "lossy_crashes": 1, "fencings": 1},
    ),
    KraftScenario(
        id="S25",
        title="acks=1 is lost by a clean failover",
        source="KIP-101",
        versions="all",
        faulty=Settings(acks=Acks.LEADER),
        sound=NEWEST,
        property="acknowledged_durable",
        bounds={"max_epoch": 1, "fencings": 1},
    ),
    KraftScenario(
        id="S26a",
        title="A consumer reads from a follower what was never committed",
        source="KAFKA-14704",
        versions="2.7 to 3.4.0",
        faulty=replace(ALONE, diverging_answer_has_no_hw=False),
        sound=ALONE,
        property="follower_read_consistency",
        bounds={"records": 2, "max_epoch": 1, "fencings": 1},
        base=FollowerReadsKraft,
    ),
    KraftScenario(
        id="S27",
        title="Unclean election loses committed records",
        source="KIP-106",
        versions="all, with unclean.leader.election.enable=true",
        faulty=replace(BEFORE_STRICT_HW, unclean_leader_election=True),
        sound=BEFORE_STRICT_HW,
        property="leader_completeness",
        bounds={"max_epoch": 2, "fencings": 2},
    ),
    KraftScenario(
        id="S28",
        title="Unclean election before leader epochs: logs diverge for ever",
        source="KIP-101",
        versions="0.8 to 0.10.2",
        faulty=replace(BEFORE_STRICT_HW, unclean_leader_election=True, truncation=Truncation.HIGH_WATERMARK),
        sound=replace(BEFORE_STRICT_HW, unclean_leader_election=True),
        property="known_followers_match",
        bounds={"records": 2, "max_epoch": 2, "fencings": 2},
    ),
    KraftScenario(
        id="S29",
        title="The longest log is not the one with the committed records",
        source="KIP-966, unclean recovery",
        versions="none; never shipped",
        faulty=replace(BEFORE_ELR, unclean_leader_election=True, unclean_by_longest_log=True),
        sound=BEFORE_ELR,
        property="leader_completeness",
        bounds={"replication_factor": 3, "records": 2, "max_epoch": 3, "crashes": 1, "fencings": 2, "elections": 1},
    ),
    KraftScenario(
        id="S30",
        title="The latest offset goes back after a failover",
        source="KIP-207, KAFKA-2334",
        versions="before 2.2",
        faulty=Settings(offset_not_available=False),
        sound=NEWEST,
        property="latest_offset_never_goes_back",
        bounds={"max_epoch": 1, "elections": 1},
        base=LatestOffsetsKraft,
    ),
    KraftScenario(
        id="N1",
        title="A leader that missed a term of another counts a follower at where it was before",
        source="Replica.resetReplicaState; no ticket known",
        versions="2.8 to 4.1",
        faulty=Settings(forgets_followers_each_epoch=False),
        sound=NEWEST,
        property="leader_candidate_completeness",
        bounds={"replication_factor": 3, "max_epoch": 2, "metadata_lag": 2, "fencings": 1, "elections": 1},
    ),
    KraftScenario(
        id="N2",
        title="Two brokers crash, one loses its log, and that one is elected as the last known leader",
        source="KIP-966; no ticket known",
        versions="4.0 and 4.1, with ELR",
        faulty=NEWEST,
        sound=Settings(elects_last_known_leader=False),
        property="acknowledged_durable",
        bounds={"max_epoch": 2, "crashes": 1, "lossy_crashes": 1},
    ),
    KraftScenario(
        id="N3",
        title="A copy of a refused AlterPartition is accepted later",
        source="KIP-841; no ticket known",
        versions="3.3 to 4.1, if copies can overtake each other",
        faulty=replace(ALONE, copies_arrive_in_order=False),
        sound=ALONE,
        property="leader_candidate_completeness",
        bounds={"fencings": 2},
        base=RepeatedRequestsKraft,
    ),
)

BY_NAME: dict[str, tuple[KraftScenario, bool]] = {
    scenario.name(rule): (scenario, rule) for scenario in SCENARIOS for rule in (False, True)
}
"""Every registered name, with the scenario it belongs to and whether the rule is there."""


@functools.cache
def scenario_protocol(name: str) -> type[Kraft]:
    """The protocol that is registered under this name: `kraft-s15`, or `kraft-s15-fixed`."""
    scenario, rule = BY_NAME[name]
    return scenario.kind(rule)
