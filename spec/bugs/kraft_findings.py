"""What this project found in the modern protocol: no ticket tells it, and no running Kafka has shown it yet.

Each was read in Kafka's sources and shown by a search of the model. docs/kafka/findings.md tells more of each.
"""

from __future__ import annotations

from dataclasses import replace

from ..kraft.settings import FollowersForgotten, Settings
from .known_bug import KnownBug

NEWEST = Settings()
ALONE = Settings(min_insync_replicas=1)
"""One copy is enough: `min.insync.replicas=1`."""

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
            "b1 leads, is deposed and elected again, and replays both changes in one batch: as far as it can tell it "
            "has led all the time, so it keeps its follower table. In the term between, a follower truncated what it "
            "had from b1's former term. b1 still counts it at its old offset, and commits a record that this member "
            "of the ISR does not have. A producer with acks=all is told of success: DelayedProduce knows no epoch. "
            "Forgetting the table in every new epoch closes it, and so does taking an epoch that is not the next one "
            "for a new term (Partition.makeLeader): what KAFKA-7164 did for followers. In the model; no report is "
            "known, and no running Kafka has shown it yet."
        ),
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
            "the controller takes b3, which is no replica any more, into the ELR. b3 deletes its log. A new "
            "reassignment adds b3 again: it is still eligible. b1 crashes and loses nothing; the ISR is empty, and b3 "
            "is elected from the ELR with an empty log. What was acknowledged with acks=all and min.insync.replicas=2 "
            "is gone. Until b3 is added again the ghost does harm of another kind: the last known leader may lead "
            "only if the ELR is empty. Intersecting the ELR with the replicas closes both. In the model; no report is "
            "known, and no running Kafka has shown it yet."
        ),
    ),
)
