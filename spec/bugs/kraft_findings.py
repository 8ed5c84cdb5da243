"""What this project found in the modern protocol: no ticket tells it. Running brokers have shown some of it.

Each was read in Kafka's sources and shown by a search of the model. docs/kafka/findings.md tells more of each, and
docs/kafka/reproduced.md what running brokers did.
"""

from __future__ import annotations

from dataclasses import replace

from ..kraft.settings import FollowersForgotten, ReassignmentEnds, Settings
from .known_bug import KnownBug

NEWEST = Settings()
ALONE = Settings(min_insync_replicas=1)
"""One copy is enough: `min.insync.replicas=1`."""

ALL_ADDED = replace(ALONE, reassignment_ends=ReassignmentEnds.ALL_ADDED_IF_AS_MANY)
"""A reassignment ends as in Kafka 4.3 (KAFKA-19975)."""

FINDINGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="N1",
        title="A leader that missed a term of another counts a follower at where it was before",
        tickets=("Replica.resetReplicaState; no ticket known", "KAFKA-2721"),
        versions="0.9 to 4.4",
        faulty=Settings(followers_forgotten=FollowersForgotten.NEW_LEADER),
        sound=NEWEST,
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
    ),
    KnownBug(
        id="N2",
        title="Two brokers crash, one loses its log, and that one is elected as the last known leader",
        tickets=("KIP-966; no ticket known",),
        versions="4.0 to 4.4, with ELR",
        faulty=NEWEST,
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
    ),
    KnownBug(
        id="N3",
        title="A copy of a refused AlterPartition is accepted later",
        tickets=("KIP-841; no ticket known",),
        versions="3.3 to 4.4, if copies can overtake each other",
        faulty=replace(ALONE, copies_arrive_in_order=False),
        sound=ALONE,
        properties=("leader_candidate_completeness",),
        bounds={"fencings": 2},
    ),
    KnownBug(
        id="H1",
        title="min.insync.replicas is raised, and a leader that does not know it yet commits alone",
        tickets=("BrokerMetadataPublisher; no ticket known", "KAFKA-16540", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(min_isr_follows_log=False),
        sound=NEWEST,
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "shrinks": 1, "fencings": 1},
        story=(
            "All of it is clean. An operator raises min.insync.replicas from 1 to 2, which clears the ELR. b1, who "
            "does not know it yet, drops both slow followers: the controller, who does, takes them into the ELR, "
            "because it believes that nothing is committed while the ISR is that small. b1 replays the new ISR before "
            "the new configuration: of one batch the partitions are published first (BrokerMetadataPublisher), and an "
            "answer to AlterPartition carries no configuration at all. For b1 one copy is still enough: it commits r0 "
            "alone and tells the producer of success. It is fenced, and b2, eligible by the new value, is elected "
            "without r0. Before ELR only b1 could have been. KAFKA-16540 clears the ELR for this reason, and narrows "
            "it down to what is on its way. Nobody has reported it. It was reproduced on running brokers of Kafka 4.0 "
            "to 4.3 by delaying their metadata."
        ),
        shown_on=("4.0.2", "4.1.2", "4.3.1", "4.4.0"),
    ),
    KnownBug(
        id="H2",
        title="The controller takes min.insync.replicas for that of partition 0, which has fewer replicas",
        tickets=("ReplicationControlManager.getTopicEffectiveMinIsr; no ticket known", "KIP-966"),
        versions="4.0 to 4.4, with ELR, while the replication factor of a topic is raised",
        faulty=Settings(min_insync_replicas=1, leader_min_insync_replicas=2),
        sound=NEWEST,
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
        story=(
            "The replication factor of a topic is raised from 1 to 3, partition by partition, and partition 0 comes "
            "last. The controller takes the least of min.insync.replicas and the replicas of partition 0, which is 1, "
            "for all of them (getTopicEffectiveMinIsr); the leader counts its own replicas. So nobody becomes "
            "eligible when the ISR shrinks below 2, and the last member of the ISR is elected without its log (S20), "
            "although ELR is on. In the model; no report is known, and no running Kafka has shown it yet."
        ),
    ),
    KnownBug(
        id="H3",
        title="A replica is assigned to a log directory, and nobody is eligible any more",
        tickets=("ReplicationControlManager.handleAssignReplicasToDirs; no ticket known", "KIP-858", "KIP-966"),
        versions="4.0 to 4.2, with ELR",
        faulty=Settings(directory_change_keeps_elr=False),
        sound=NEWEST,
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
        story=(
            "b2 and b3 shut down in turn; b3 becomes eligible, because the ISR is {b1} then and min.insync.replicas "
            "is 2. b1 assigns its replica to a log directory: the partition change is built as if ELR were off "
            "(handleAssignReplicasToDirs did not say that it is on), and that empties the ELR. b1 crashes and loses "
            "its log. Nobody is eligible, so the last known leader b1 is elected, although b3 has r0. Kafka 4.3 "
            "passes the feature on. It was corrected beside something else; no ticket is known."
        ),
        shown_on=("4.0.2", "4.1.2", "4.2.1", "4.2.2"),
    ),
    KnownBug(
        id="H4",
        title="A log directory is replaced while its broker is shut down, and the broker counts as clean",
        tickets=("LogManager; no ticket known", "KIP-858", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(missing_directory_is_unclean=False),
        sound=NEWEST,
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
        story=(
            "b2 shuts down cleanly and stays eligible. While it is down its log directory is replaced, and taken out "
            "of log.dirs: the marker of a clean shutdown is looked for in the directories that are configured, so b2 "
            "registers as a broker that lost nothing. b1 shuts down as well, b2 comes back first and is elected from "
            "the ELR without r0, which was acknowledged. Derived from the sources (LogManager); no report is known, "
            "and no running Kafka has shown it yet."
        ),
    ),
    KnownBug(
        id="H6",
        title="The answer to a fetch is checked under one lock, and truncates by it under another",
        tickets=("AbstractFetcherThread.truncateOnFetchResponse; no ticket known", "KAFKA-18991"),
        versions="3.9.1 to 3.9.2 and 4.0.1 to 4.4",
        faulty=Settings(late_answer_checked_when_applied=False),
        sound=NEWEST,
        properties=("leader_candidate_completeness",),
        bounds={"max_epoch": 3, "elections": 3},
        story=(
            "As S10, in a window of one lock hand-over. A fetcher collects the partitions whose answer diverges while "
            "it holds the lock and compares leader epochs (KAFKA-18991), gives the lock up, and truncates under it "
            "again, where it asks only whether the partition is still among those it fetches. Between the two the "
            "partition may have been removed and added again in a later epoch. truncateToEpochEndOffsets looks again, "
            "truncateOnFetchResponse does not. In the model; no report is known, and no running Kafka has shown it "
            "yet."
        ),
    ),
    KnownBug(
        id="H7",
        title="A reassignment is overridden by one that adds nobody, and can never complete",
        tickets=("ReplicationControlManager.changePartitionReassignment; no ticket known", "KIP-455", "KAFKA-19975"),
        versions="3.0 to 3.7 and 4.3 to 4.4",
        faulty=replace(ALL_ADDED, override_starts_anew=False),
        sound=ALL_ADDED,
        properties=("reassignment_can_complete",),
        bounds={"max_epoch": 1, "metadata_lag": 3, "reassignments": 3},
        story=(
            "The partition is on b1, and b2 is to join. Before it has caught up the operator thinks better of it, and "
            "asks for b1 again: b2 is to go, and nobody is added, so Kafka leaves what is being added as it was. b2 "
            "is to be added and to go. The reassignment is complete when all that are added are in the ISR without "
            "those that go, which b2 never is: it goes on for ever, with a replica too many, until somebody cancels "
            "it or asks for something else. From 3.8 to 4.2 it is complete when all that stay are in the ISR "
            "(KAFKA-15665), and ends. In the model; no report is known, and no running Kafka has shown it yet."
        ),
    ),
    KnownBug(
        id="H7b",
        title="A reassignment is overridden by one that takes nobody away, and takes a replica away all the same",
        tickets=("ReplicationControlManager.changePartitionReassignment; no ticket known", "KIP-455"),
        versions="3.0 to 4.4",
        faulty=replace(ALONE, override_starts_anew=False),
        sound=ALONE,
        properties=("replicas_as_asked_for",),
        bounds={"max_epoch": 2, "metadata_lag": 2, "reassignments": 3},
        story=(
            "The partition is on b2 and moves to b1. Before b1 has caught up the operator asks for both, and is told "
            "of success: nobody is to go, so Kafka leaves who goes as it was, and writes nothing. When b1 is in the "
            "ISR, b2 is taken away, although the last request named it: two replicas were asked for, and there is "
            "one. In the model; no report is known, and no running Kafka has shown it yet."
        ),
    ),
    KnownBug(
        id="W4",
        title="A replica that was reassigned away stays eligible, comes back empty, and is elected",
        tickets=("PartitionChangeBuilder.maybeUpdateRecordElr; no ticket known", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(elr_has_only_replicas=False),
        sound=NEWEST,
        properties=("leader_completeness", "elr_has_replicas", "leader_candidate_completeness"),
        bounds={"replication_factor": 3, "max_epoch": 3, "crashes": 1, "shrinks": 1, "reassignments": 4},
        story=(
            "b2 is slow and leaves the ISR {b1, b2}, which is smaller than min.insync.replicas then. b3 is being "
            "added, joins the ISR, and the reassignment is cancelled: b3 leaves the ISR while this is too small, so "
            "the controller takes b3, which is no replica any more, into the ELR. b1 does not know that yet: it "
            "commits r0, which b3 has as well, and crashes, and loses nothing. b3 learns of the end of the "
            "reassignment and deletes its log. A new reassignment adds b3 again: it is still eligible. b1 is fenced, "
            "the ISR is empty, and b3 is elected from the ELR with an empty log. What was acknowledged with acks=all "
            "and min.insync.replicas=2 is gone. Until b3 is added again the ghost does harm of another kind: the last "
            "known leader may lead only if the ELR is empty. Intersecting the ELR with the replicas closes both. In "
            "the model; no report is known, and no running Kafka has shown it yet."
        ),
    ),
)
