"""The known bugs and design holes of the modern protocol: which rule to take away, and where its absence shows.

Each names a property that is violated without the rule and holds with it, at bounds as small as were found. `versions`
are the Kafka releases without the rule. Numbers S1 to S30 are those of the project's fact sheet; what the project
found itself follows them (`kraft_findings`).
"""

from __future__ import annotations

from dataclasses import replace

from ..kraft.settings import Acks, CountedIsr, FollowersForgotten, ReassignmentEnds, Settings, Truncation
from .known_bug import KnownBug
from .kraft_directories import DIRECTORIES
from .kraft_findings import ALONE, FINDINGS, NEWEST
from .kraft_log_start import LOG_START
from .kraft_producers import RETRIES
from .kraft_transactions import TRANSACTIONS

BEFORE_STRICT_HW = Settings(elr=False, strict_hw=False, min_insync_replicas=1)
BEFORE_ELR = Settings(elr=False)
GAP = Settings(late_answer_checked_when_applied=False)
"""Between the check of an answer and what it does the fetcher's lock is given up (H6)."""

BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="S1",
        title="A follower that truncates to its own high watermark loses committed records",
        tickets=("KAFKA-1211", "KIP-101"),
        versions="0.8 to 0.10.2",
        faulty=Settings(truncation=Truncation.HIGH_WATERMARK),
        sound=NEWEST,
        properties=("leader_candidate_completeness",),
        bounds={"max_epoch": 2, "elections": 2},
    ),
    KnownBug(
        id="S2",
        title="After a lost suffix a follower that truncates to its own high watermark diverges for ever",
        tickets=("KAFKA-3919", "KIP-101"),
        versions="0.8 to 0.10.2",
        faulty=replace(BEFORE_STRICT_HW, truncation=Truncation.HIGH_WATERMARK),
        sound=BEFORE_STRICT_HW,
        properties=("known_followers_match",),
        bounds={"records": 2, "max_epoch": 3, "lossy_crashes": 1, "fencings": 1},
    ),
    KnownBug(
        id="S9",
        title="A replica joins the ISR before it has reached the start of the leader's epoch",
        tickets=("KAFKA-7128",),
        versions="before 2.1",
        faulty=Settings(epoch_start_rule=False),
        sound=NEWEST,
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "records": 2, "max_epoch": 1, "fencings": 1, "elections": 1},
    ),
    KnownBug(
        id="S10",
        title="The answer to a fetch of an older epoch truncates committed records",
        tickets=("KAFKA-18991",),
        versions="2.7 to 3.9.0 and 4.0.0",
        faulty=Settings(late_answers_dropped=False),
        sound=NEWEST,
        properties=("leader_candidate_completeness",),
        bounds={"max_epoch": 3, "elections": 3},
        shown_on=("4.0.0",),
    ),
    KnownBug(
        id="S11",
        title="The leader goes on counting the old ISR while it asks for a wider one",
        tickets=("KIP-497",),
        versions="none; the mistake that KIP-497 avoids",
        faulty=Settings(counted_isr=CountedIsr.COMMITTED),
        sound=NEWEST,
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "fencings": 1},
    ),
    KnownBug(
        id="S12",
        title="The leader counts a smaller ISR before the controller has agreed",
        tickets=("KIP-497",),
        versions="none; the mistake that KIP-497 avoids",
        faulty=replace(ALONE, counted_isr=CountedIsr.PROPOSED),
        sound=ALONE,
        properties=("leader_candidate_completeness",),
        bounds={"shrinks": 1},
    ),
    KnownBug(
        id="S13",
        title="A late AlterPartition is accepted although the partition has changed since",
        tickets=("KIP-497",),
        versions="none; the mistake that KIP-497 avoids",
        faulty=replace(ALONE, partition_epoch_check=False),
        sound=ALONE,
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "fencings": 2},
    ),
    KnownBug(
        id="S14",
        title="A deposed controller confirms a change that was never made",
        tickets=("KAFKA-14154",),
        versions="none; the controllers on ZooKeeper did so up to 3.2 (S14 ZooKeeper), KRaft never",
        faulty=replace(ALONE, stale_controller_refuses=False),
        sound=ALONE,
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "records": 2, "fencings": 1, "shrinks": 1},
    ),
    KnownBug(
        id="S15",
        title="Metadata of the partition epoch that the leader knows already makes it forget a newer proposal",
        tickets=("Partition.makeLeader; no ticket known", "KAFKA-13790"),
        versions="2.8 to 4.4",
        faulty=replace(ALONE, known_partition_epoch_ignored=False),
        sound=ALONE,
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "metadata_lag": 2, "fencings": 2},
        story=(
            "b1 learns from the answer to its first proposal that b3 is in the ISR, and at once proposes b2 as well. "
            "Then it replays the change record of the first proposal. Its partition epoch is not newer than what b1 "
            "knows, but equal is accepted (Partition.makeLeader, since KAFKA-13790; before, older ones were, too), "
            "and that forgets the pending proposal. The controller accepts it all the same. Until b1 replays that "
            "change, it counts {b1, b3} while the ISR is {b1, b2, b3}: it commits r0 without b2, who may be elected "
            "at any time. Where Kafka also waits for replicas that were caught up within replica.lag.time.max.ms, "
            "this needs b2 to be slower than that; the model leaves that clause out. Ignoring metadata unless it is "
            "strictly newer closes it. Nobody has reported it. It was reproduced on running brokers of Kafka 3.9 to "
            "4.3 by delaying metadata and a proposal."
        ),
        shown_on=("3.9.2", "4.1.2", "4.3.1", "4.4.0"),
    ),
    KnownBug(
        id="S16",
        title="A fenced replica returns to the ISR",
        tickets=("KIP-841", "KAFKA-13916"),
        versions="2.8 to 3.2",
        faulty=replace(BEFORE_STRICT_HW, fenced_check=False, broker_epoch_check=False),
        sound=replace(BEFORE_STRICT_HW, broker_epoch_check=False),
        properties=("fenced_not_in_isr",),
        bounds={"fencings": 1},
    ),
    KnownBug(
        id="S17",
        title="A replica that restarted without its log is admitted on the strength of an earlier fetch",
        tickets=("KIP-903", "KAFKA-14139"),
        versions="2.8 to 3.4",
        faulty=replace(BEFORE_STRICT_HW, broker_epoch_check=False),
        sound=BEFORE_STRICT_HW,
        properties=("expansion_safe",),
        bounds={"fencings": 1, "lossy_crashes": 1},
    ),
    KnownBug(
        id="S17b",
        title="Caught up by a fetch of the old incarnation, admitted under the broker epoch of the new one",
        tickets=("KAFKA-15221",),
        versions="3.5 and 3.6",
        faulty=replace(BEFORE_STRICT_HW, lossy_crashes_spare_last_member=True, decides_on_one_fetch=False),
        sound=replace(BEFORE_STRICT_HW, lossy_crashes_spare_last_member=True),
        properties=("leader_candidate_completeness",),
        bounds={"records": 2, "fencings": 1, "lossy_crashes": 1},
    ),
    KnownBug(
        id="S18",
        title="A broker that lost its log registers before it was fenced, and goes on leading",
        tickets=("KAFKA-18106",),
        versions="2.8 to 3.9",
        faulty=replace(BEFORE_ELR, registration_fences_the_old_incarnation=False),
        sound=BEFORE_ELR,
        properties=("leader_completeness",),
        bounds={"lossy_crashes": 1},
        story=(
            "b1 crashes and loses its log while its session still runs. It registers again before the controller has "
            "fenced it: it gets a new broker epoch and is marked fenced, but the partition does not change, so that "
            "b1 finds itself the leader of the same epoch with an empty log. No election has happened. There the run "
            "ends; what follows is worse: with its next fetch b2, an honest member of the ISR with acks=all and "
            "min.insync.replicas=2, is told that epoch 0 ends at offset 0, and truncates the only copy of r0. Since "
            "Kafka 4.0 a new incarnation first takes the old one out of leadership and ISR."
        ),
    ),
    KnownBug(
        id="S19",
        title="A broker is away so shortly that the controller does not notice, and stays in the ISR without its log",
        tickets=("KIP-380", "KAFKA-7235"),
        versions="before 2.2",
        faulty=replace(BEFORE_ELR, bounce_noticed=False),
        sound=BEFORE_ELR,
        properties=("leader_candidate_completeness",),
        bounds={"lossy_crashes": 1},
    ),
    KnownBug(
        id="S20",
        title="The last member of the ISR loses its log, and nobody else may lead",
        tickets=("KIP-966",),
        versions="0.8 to 4.4, since 4.0 only where eligible.leader.replicas.version is 0, as in upgraded clusters",
        faulty=BEFORE_ELR,
        sound=NEWEST,
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "fencings": 2},
        shown_on=("3.9.2",),
    ),
    KnownBug(
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
    ),
    KnownBug(
        id="S21b",
        title="Leader and controller disagree about min.insync.replicas",
        tickets=("KAFKA-16540",),
        versions="none; the mistake that KAFKA-16540 narrows down to an answer that is on its way (H1)",
        faulty=Settings(leader_min_insync_replicas=1),
        sound=NEWEST,
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "fencings": 2},
    ),
    KnownBug(
        id="S22",
        title="The last known leader is elected although it is not alive",
        tickets=("KAFKA-19522",),
        versions="4.0, with ELR",
        faulty=replace(ALONE, known_leader_must_be_active=False),
        sound=ALONE,
        properties=("elected_leader_is_alive",),
        bounds={"max_epoch": 2, "crashes": 1, "lossy_crashes": 1, "fencings": 1},
    ),
    KnownBug(
        id="S23",
        title="A replica is taken away and given back between two looks of the leader at the metadata",
        tickets=("KIP-455",),
        versions="none; Kafka expands the ISR at a fetch only",
        faulty=Settings(joins_by_fetch_only=False, followers_forgotten=FollowersForgotten.NEW_LEADER),
        sound=Settings(followers_forgotten=FollowersForgotten.NEW_LEADER),
        properties=("leader_candidate_completeness",),
        bounds={"replication_factor": 3, "max_epoch": 1, "metadata_lag": 2, "reassignments": 2},
        story=(
            "b3 is taken from the partition and given back. b1 replays both changes in one batch, sees the same "
            "replicas as before, and still remembers from its term before that b3 is at offset 1. Here it proposes "
            "b3 by what it remembers. b3 replays the first change by itself and deletes its log, and the controller "
            "takes it into the ISR all the same. Then r0 is committed by b1 and b2, and b3, which may be elected, "
            "lacks it. Kafka proposes a follower only at a fetch of its own in the present epoch, which "
            "overwrites what was remembered; forgetting the table in each new epoch would do as well. No released "
            "Kafka has this, and nothing but that order of steps prevents it."
        ),
    ),
    KnownBug(
        id="S24",
        title="acks=all with min.insync.replicas=1 is one copy",
        tickets=("KIP-966",),
        versions="all",
        faulty=ALONE,
        sound=NEWEST,
        properties=("acknowledged_durable",),
        bounds={"max_epoch": 2, "lossy_crashes": 1, "fencings": 1},
        shown_on=("3.9.2", "4.3.1", "4.4.0"),
    ),
    KnownBug(
        id="S25",
        title="acks=1 is lost by a clean failover",
        tickets=("KIP-101",),
        versions="all",
        faulty=Settings(acks=Acks.LEADER),
        sound=NEWEST,
        properties=("acknowledged_durable",),
        bounds={"max_epoch": 1, "fencings": 1},
        shown_on=("3.9.2", "4.3.1", "4.4.0"),
    ),
    KnownBug(
        id="S26a",
        title="A consumer reads from a follower what was never committed",
        tickets=("KAFKA-14704",),
        versions="2.7 to 3.4.0",
        faulty=replace(ALONE, diverging_answer_has_no_hw=False),
        sound=ALONE,
        properties=("follower_read_consistency",),
        bounds={"records": 2, "max_epoch": 1, "fencings": 1},
        story=(
            "b1 was deposed with r0 in its log, which was never committed. Its first fetch from b2 is answered with a "
            "diverging epoch and, in the same answer, with b2's high watermark 1. Before KAFKA-14704 the follower "
            "took over the high watermark first and truncated afterwards: for that moment r0 is below b1's high "
            "watermark, and a consumer that reads from followers (KIP-392) gets a record that no leader ever "
            "committed. Since then an answer with a diverging epoch carries no high watermark."
        ),
    ),
    KnownBug(
        id="S27",
        title="Unclean election loses committed records",
        tickets=("KIP-106",),
        versions="all, with unclean.leader.election.enable=true, which KRaft heeds since 3.9 (KAFKA-12670)",
        faulty=replace(BEFORE_STRICT_HW, unclean_leader_election=True),
        sound=BEFORE_STRICT_HW,
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "fencings": 2},
        shown_on=("3.9.2", "4.3.1", "4.4.0"),
    ),
    KnownBug(
        id="S28",
        title="Unclean election before leader epochs: logs diverge for ever",
        tickets=("KIP-101",),
        versions="0.8 to 0.10.2",
        faulty=replace(BEFORE_STRICT_HW, unclean_leader_election=True, truncation=Truncation.HIGH_WATERMARK),
        sound=replace(BEFORE_STRICT_HW, unclean_leader_election=True),
        properties=("known_followers_match",),
        bounds={"records": 2, "max_epoch": 2, "fencings": 2},
    ),
    KnownBug(
        id="S29",
        title="The longest log is not the one with the committed records",
        tickets=("KIP-966", "unclean recovery"),
        versions="none; never shipped",
        faulty=replace(BEFORE_ELR, unclean_leader_election=True, unclean_by_longest_log=True),
        sound=BEFORE_ELR,
        properties=("leader_completeness",),
        bounds={"replication_factor": 3, "records": 2, "max_epoch": 3, "crashes": 1, "fencings": 2, "elections": 1},
    ),
    KnownBug(
        id="S30",
        title="The latest offset goes back after a failover",
        tickets=("KIP-207", "KAFKA-2334"),
        versions="before 2.2",
        faulty=Settings(offset_not_available=False),
        sound=NEWEST,
        properties=("latest_offset_never_goes_back",),
        bounds={"max_epoch": 1, "elections": 1},
    ),
    KnownBug(
        id="KAFKA-15665",
        title="A reassignment is complete although a replica that stays is not in the ISR",
        tickets=("KAFKA-15665",),
        versions="3.0 to 3.7",
        faulty=Settings(reassignment_ends=ReassignmentEnds.ALL_ADDED),
        sound=NEWEST,
        properties=("committed_never_lost",),
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "shrinks": 1, "reassignments": 1},
    ),
    KnownBug(
        id="KAFKA-20634",
        title="A coordinator's write is told of success by the high watermark of a follower, and is lost",
        tickets=("KAFKA-20634",),
        versions="4.0 to 4.2.1 and 4.3.0",
        faulty=Settings(coordinator_hears_as_leader_only=False),
        sound=NEWEST,
        properties=("coordinator_writes_durable",),
        bounds={"records": 2, "max_epoch": 1, "elections": 1},
        story=(
            "b2 is elected, and the coordinator on b1, which does not know it yet, writes r0 to its partition of "
            "__consumer_offsets: an offset commit, say. b2 writes r1 at the same offset. b1 becomes follower, cuts r0 "
            "off and copies r1; its coordinator is yet to be unloaded. When the high watermark of b1, the follower, "
            "passes the offset, the coordinator takes its own write for committed, and tells the client of success. "
            "What stands there is r1. No offset says so: after a truncation the same offset holds another record. "
            "Since KAFKA-20634 the listener hears nothing more once its broker has become follower."
        ),
    ),
    KnownBug(
        id="KAFKA-13207",
        title="A diverging answer truncates a partition that its fetcher has given up, also a leader's log",
        tickets=("KAFKA-13207",),
        versions="2.7 to 2.8.0",
        faulty=replace(GAP, fetched_partitions_only=False),
        sound=GAP,
        properties=("leader_completeness",),
        bounds={"max_epoch": 3, "elections": 3},
        story=(
            "No broker fails: the leader is elected three times in place of a live one. An answer that tells a "
            "follower to truncate passes the check under the fetcher's lock. The lock is given up, the broker becomes "
            "leader itself and commits a record, and then its former fetcher truncates what the answer said. Since "
            "KAFKA-13207 only a partition that the thread still fetches is truncated; that it may fetch it in another "
            "epoch by then is H6."
        ),
    ),
    KnownBug(
        id="KAFKA-17375",
        title="segment.bytes is lowered, and a follower gives up the partition at a batch that is larger",
        tickets=("KAFKA-17375", "KAFKA-9617"),
        versions="0.9 to 4.4",
        faulty=Settings(followers_take_any_size=False),
        sound=NEWEST,
        properties=("logs_converge", "follower_joins_isr"),
        bounds={"max_epoch": 1, "shrinks": 1},
    ),
    *FINDINGS,
    *DIRECTORIES,
    *RETRIES,
    *TRANSACTIONS,
    *LOG_START,
)
