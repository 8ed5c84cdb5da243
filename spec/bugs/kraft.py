"""The known bugs and design holes of the modern protocol: which rule to take away, and where its absence shows.

Here are those of the rules of the core; those of optional steps stand beside the steps (`spec.kraft.options`). Each
names a property that is violated without the rule and holds with it, at bounds as small as were found. `versions` are
the Kafka releases without the rule. Numbers S1 to S30 are those of the project's fact sheet. What the project found
itself (N, H, W, P) was read in Kafka's sources and shown by a search of the model: docs/kafka/findings.md tells more of
each, and docs/kafka/reproduced.md what running brokers did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..kraft.options.needed import MODULES
from ..kraft.rules import KraftBug
from ..kraft.settings import (
    ALONE,
    BEFORE_ELR,
    BEFORE_STRICT_HW,
    Acks,
    CountedIsr,
    FollowersForgotten,
    Settings,
    Truncation,
)

CORE = (
    KraftBug(
        id="S1",
        title="A follower that truncates to its own high watermark loses committed records",
        tickets=("KAFKA-1211", "KIP-101"),
        versions="0.8 to 0.10.2",
        faulty=Settings(truncation=Truncation.HIGH_WATERMARK),
        properties=("leader_candidate_completeness",),
        bounds={"max_epoch": 2, "elections": 2},
        lesson=(
            "A high watermark that a follower has heard of is a lower bound, and late. Truncate to where the logs "
            "part, not to what was known to be committed."
        ),
    ),
    KraftBug(
        id="S2",
        title="After a lost suffix a follower that truncates to its own high watermark diverges for ever",
        tickets=("KAFKA-3919", "KIP-101"),
        versions="0.8 to 0.10.2",
        faulty=replace(BEFORE_STRICT_HW, truncation=Truncation.HIGH_WATERMARK),
        sound=BEFORE_STRICT_HW,
        properties=("known_followers_match",),
        bounds={"records": 2, "max_epoch": 3, "lossy_crashes": 1, "fencings": 1},
        lesson=(
            "Two logs of the same length may hold different records. Only the epoch of each record tells that they do, "
            "so a follower must compare epochs before it goes on."
        ),
    ),
    KraftBug(
        id="S9",
        title="A replica joins the ISR before it has reached the start of the leader's epoch",
        tickets=("KAFKA-7128",),
        versions="before 2.1",
        faulty=Settings(epoch_start_rule=False),
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "records": 2, "max_epoch": 1, "fencings": 1, "elections": 1},
        lesson=(
            "A new leader's high watermark is stale at first. Nobody may join the ISR by it, before having all that "
            "the leader had when its epoch began."
        ),
    ),
    KraftBug(
        id="S11",
        title="The leader goes on counting the old ISR while it asks for a wider one",
        tickets=("KIP-497",),
        versions="none; the mistake that KIP-497 avoids",
        faulty=Settings(counted_isr=CountedIsr.COMMITTED),
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "fencings": 1},
        lesson=(
            "While a wider set is asked for, wait for all of it: the controller may have agreed before its answer "
            "comes."
        ),
    ),
    KraftBug(
        id="S12",
        title="The leader counts a smaller ISR before the controller has agreed",
        tickets=("KIP-497",),
        versions="none; the mistake that KIP-497 avoids",
        faulty=replace(ALONE, counted_isr=CountedIsr.PROPOSED),
        sound=ALONE,
        properties=("leader_candidate_completeness",),
        bounds={"shrinks": 1},
        lesson=(
            "While a smaller set is asked for, wait for the old one: the controller may not have agreed, and may elect "
            "whom you no longer wait for."
        ),
    ),
    KraftBug(
        id="S13",
        title="A late AlterPartition is accepted although the partition has changed since",
        tickets=("KIP-497",),
        versions="none; the mistake that KIP-497 avoids",
        faulty=replace(ALONE, partition_epoch_check=False),
        sound=ALONE,
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "fencings": 2},
        lesson=(
            "A request that was made of an older state must be refused (compare and set). Otherwise it undoes what was "
            "decided since."
        ),
    ),
    KraftBug(
        id="S17",
        title="A replica that restarted without its log is admitted on the strength of an earlier fetch",
        tickets=("KIP-903", "KAFKA-14139"),
        versions="2.8 to 3.4",
        faulty=replace(BEFORE_STRICT_HW, broker_epoch_check=False),
        sound=BEFORE_STRICT_HW,
        properties=("expansion_safe",),
        bounds={"fencings": 1, "lossy_crashes": 1},
        lesson=(
            "A broker that restarted is another one, even under the same name. What was known of its log belongs to "
            "its incarnation, so a request must name that."
        ),
    ),
    KraftBug(
        id="S19",
        title="A broker is away so shortly that the controller does not notice, and stays in the ISR without its log",
        tickets=("KIP-380", "KAFKA-7235"),
        versions="before 2.2",
        faulty=replace(BEFORE_ELR, bounce_noticed=False),
        sound=BEFORE_ELR,
        properties=("leader_candidate_completeness",),
        bounds={"lossy_crashes": 1},
        lesson=(
            "An absence that nobody noticed is an absence all the same. Membership needs a number that grows with each "
            "incarnation, not only a name that is there or not."
        ),
    ),
    KraftBug(
        id="S20",
        title="The last member of the ISR loses its log, and nobody else may lead",
        tickets=("KIP-966",),
        versions="0.8 to 4.4, since 4.0 only where eligible.leader.replicas.version is 0, as in upgraded clusters",
        faulty=BEFORE_ELR,
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
        shown_on=("3.9.2",),
        lesson=(
            "The last member of the ISR is one copy. Keep beside the ISR who else has all that is committed, so that "
            "somebody may lead when that copy is lost."
        ),
    ),
    KraftBug(
        id="S21",
        title="Eligible leader replicas without the strict high watermark: a record that consumers read is lost",
        tickets=("KIP-966",),
        versions="none; the mistake that KIP-966 avoids",
        faulty=Settings(strict_hw=False, acks=Acks.LEADER),
        sound=Settings(acks=Acks.LEADER),
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "fencings": 2},
        story=(
            "b2 leaves the ISR and, because the ISR is now smaller than min.insync.replicas, becomes an eligible "
            "leader replica: the controller takes it to have everything that is committed. That is true only if "
            "nothing is committed while the ISR is that small. Here b1 alone moves its high watermark over r0, which "
            "consumers may then read, although b2 can be elected without it, and was: clean failures only. (In this "
            "shortest run b1 does not know yet that it was deposed; had it appended before, b2 would lack r0 as "
            "well.) Without ELR nobody but b1 could be elected. The strict high watermark of Kafka 3.7 stands still "
            "instead."
        ),
        only_with_elr=True,
        lesson=(
            "Who leaves a set that is too small may be trusted later only if nothing is committed meanwhile. Eligible "
            "replicas and the strict high watermark are one rule in two places."
        ),
    ),
    KraftBug(
        id="S21b",
        title="Leader and controller disagree about min.insync.replicas",
        tickets=("KAFKA-16540",),
        versions="none; the mistake that KAFKA-16540 narrows down to an answer that is on its way (H1)",
        faulty=Settings(leader_min_insync_replicas=1),
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "fencings": 2},
        only_with_elr=True,
        lesson=(
            "Two parties that rely on one number must have the same number. Leader and controller may not disagree "
            "about min.insync.replicas."
        ),
    ),
    KraftBug(
        id="S24",
        title="acks=all with min.insync.replicas=1 is one copy",
        tickets=("KIP-966",),
        versions="all",
        faulty=ALONE,
        properties=("acknowledged_durable",),
        bounds={"max_epoch": 2, "lossy_crashes": 1, "fencings": 1},
        shown_on=("3.9.2", "4.3.1", "4.4.0"),
        lesson=(
            "acks=all waits for all that are in sync, however few they are. How many copies there are is said by "
            "min.insync.replicas."
        ),
    ),
    KraftBug(
        id="S25",
        title="acks=1 is lost by a clean failover",
        tickets=("KIP-101",),
        versions="all",
        faulty=Settings(acks=Acks.LEADER),
        properties=("acknowledged_durable",),
        bounds={"max_epoch": 1, "fencings": 1},
        shown_on=("3.9.2", "4.3.1", "4.4.0"),
        lesson="acks=1 promises one copy, and a failover may choose another one. Nothing has to break for that.",
    ),
    KraftBug(
        id="S27",
        title="Unclean election loses committed records",
        tickets=("KIP-106",),
        versions="all, with unclean.leader.election.enable=true, which KRaft heeds since 3.9 (KAFKA-12670)",
        faulty=replace(BEFORE_STRICT_HW, unclean_leader_election=True),
        sound=BEFORE_STRICT_HW,
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "fencings": 2},
        shown_on=("3.9.2", "4.3.1", "4.4.0"),
        lesson="An unclean election trades committed records for availability. No rule after it can bring them back.",
    ),
    KraftBug(
        id="S28",
        title="Unclean election before leader epochs: logs diverge for ever",
        tickets=("KIP-101",),
        versions="0.8 to 0.10.2",
        faulty=replace(BEFORE_STRICT_HW, unclean_leader_election=True, truncation=Truncation.HIGH_WATERMARK),
        sound=replace(BEFORE_STRICT_HW, unclean_leader_election=True),
        properties=("known_followers_match",),
        bounds={"records": 2, "max_epoch": 2, "fencings": 2},
        lesson=(
            "After an unclean election logs agree again only if somebody compares them record by record: with epochs."
        ),
    ),
    KraftBug(
        id="S29",
        title="The longest log is not the one with the committed records",
        tickets=("KIP-966", "unclean recovery"),
        versions="none; never shipped",
        faulty=replace(BEFORE_ELR, unclean_leader_election=True, unclean_by_longest_log=True),
        sound=BEFORE_ELR,
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "records": 2, "max_epoch": 3, "crashes": 1, "fencings": 2, "elections": 1},
        lesson=(
            "The longest log need not hold what was committed: a deposed leader may have appended much that nobody "
            "acknowledged. Compare the last epoch before the length."
        ),
    ),
    KraftBug(
        id="N1",
        title="A leader that missed a term of another counts a follower at where it was before",
        tickets=("Replica.resetReplicaState; no ticket known", "KAFKA-2721"),
        versions="0.9 to 4.4",
        faulty=Settings(followers_forgotten=FollowersForgotten.NEW_LEADER),
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "metadata_lag": 2, "fencings": 1, "elections": 1},
        story=(
            "b2 is elected in b1's place and is fenced at once, so that b1 is elected again. b1 knows of neither, and "
            "goes on in its former term: it appends r0, and b3 copies it. Then b1 replays both changes in one batch: "
            "as far as it can tell it has led all the time, so it keeps its follower table, counts b3 at the offset "
            "of the former term, and commits r0. A producer with acks=all is told of success: DelayedProduce knows no "
            "epoch. But b3 has the term between still before it: it replays the election of b2, fetches from it and "
            "truncates r0. It is a member of the ISR, may be elected, and does not have what is committed. (It is "
            "the same if b3 truncates first, and is counted at its old offset afterwards.) Forgetting the table in "
            "every new epoch closes it, and so does taking an epoch that is not the next one for a new term "
            "(Partition.makeLeader): what KAFKA-7164 did for followers. Nobody has reported it. It was reproduced on "
            "running brokers by delaying their metadata."
        ),
        shown_on=("3.9.2", "4.1.2", "4.2.1", "4.2.2", "4.3.1", "4.4.0"),
        lesson=(
            "A leader that cannot tell that it was deposed must assume it: each new epoch is a new term, and what was "
            "known of followers is from the term before."
        ),
    ),
    KraftBug(
        id="N2",
        title="Two brokers crash, one loses its log, and that one is elected as the last known leader",
        tickets=("KIP-966; no ticket known",),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(),
        sound=Settings(elects_last_known_leader=False),
        properties=("acknowledged_durable",),
        bounds={"max_epoch": 2, "crashes": 1, "lossy_crashes": 1},
        story=(
            "Both brokers crash, but only one loses its log. Neither left a marker of a clean shutdown, so both leave "
            "the ELR when they return, and with an empty ISR and an empty ELR the last known leader is elected: the "
            "one without the log. The other still has the record, acknowledged with acks=all and "
            "min.insync.replicas=2. So ELR tolerates min.insync.replicas - 1 crashes of any kind, not only lossy "
            "ones. This is the documented fallback of KIP-966's first part; its motivation promises more, and its "
            "second part, which would look into the logs, was never released."
        ),
        shown_on=("4.0.2", "4.3.1", "4.4.0"),
        only_with_elr=True,
        lesson=(
            "Eligible leader replicas survive fewer crashes than there are copies: whoever returns without a marker of "
            "a clean shutdown is not eligible, whether or not it lost anything."
        ),
    ),
    KraftBug(
        id="H2",
        title="The controller takes min.insync.replicas for that of partition 0, which has fewer replicas",
        tickets=("ReplicationControlManager.getTopicEffectiveMinIsr; no ticket known", "KIP-966"),
        versions="4.0 to 4.4, with ELR, while the replication factor of a topic is raised",
        faulty=Settings(min_insync_replicas=1, leader_min_insync_replicas=2),
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
        story=(
            "The replication factor of a topic is raised from 1 to 3, partition by partition, and partition 0 comes "
            "last. The controller takes the least of min.insync.replicas and the replicas of partition 0, which is 1, "
            "for all of them (getTopicEffectiveMinIsr); the leader counts its own replicas. So nobody becomes eligible "
            "when the ISR shrinks below 2, and the last member of the ISR is elected without its log (S20), although "
            "ELR is on. Kafka's own classes of 4.0 to 4.4 have shown it, step by step; no report is known, and no "
            "running Kafka has shown it yet."
        ),
        only_with_elr=True,
        lesson=(
            "What is computed for one partition does not hold for all partitions of a topic. Two sides must compute a "
            "limit from the same replicas."
        ),
    ),
)

ORDER = (
    " S1 S2 S9 S10 S11 S12 S13 S14 S15 S16 S17 S17b S18 S19 S20 S21 S21b S22 S23 S24 S25 S26a S27 S28 S29 S30 "
    "KAFKA-15665 KAFKA-20634 KAFKA-13207 KAFKA-17375 N1 N2 N3 H1 H2 H3 H4 H6 H7 H7b W4 H13 S31 KIP-98 KIP-360 "
    "KIP-854 KAFKA-6003 KAFKA-7190 KAFKA-15591 P1 P2 KIP-98b KIP-98c KAFKA-14402 KIP-890 KAFKA-19446 KAFKA-20716 "
    "X1 KAFKA-5634 KAFKA-7104 KAFKA-7414 KAFKA-9491 KAFKA-12996 H8 H8b H8c H14 H14b T1 H15 KAFKA-15241 KAFKA-20732 T5 "
)
"""In which order reports name them; those that are not here come last."""

BUGS: tuple[KraftBug, ...] = tuple(
    sorted(
        (*CORE, *(bug for module in MODULES for bug in getattr(module, "BUGS", ()))),
        key=lambda bug: f"{ORDER}{bug.id} ".index(f" {bug.id} "),
    )
)


# -- open holes -------------------------------------------------------------------------------------------------------
# Which known bugs a configuration of the modern protocol has open: those whose rule it lacks.


def open_holes(settings: Settings) -> tuple[KraftBug, ...]:
    """The known bugs whose rule these settings lack, in the order of the catalogue.

    What takes steps that a protocol has only if it is asked for, such as transactions, is none of its holes.
    """
    return tuple(bug for bug in BUGS if not bug.steps and _shows(settings, bug))


def _shows(settings: Settings, bug: KraftBug) -> bool:
    """Whether settings are without the rule of a bug, and no other rule closes it."""
    if (bug.only_with_elr and not settings.elr) or (bug.closed_by and _are(settings, bug.closed_by)):
        return False
    return bool(bug.rule) and _are(settings, bug.rule)


def _are(settings: Settings, values: Mapping[str, object]) -> bool:
    return all(getattr(settings, name) == value for name, value in values.items())
