"""What went wrong with the start of logs: DeleteRecords, retention, and followers that come too late.

The tickets were of Kafka's time before this protocol, most of them; the rule that each brought is shown by its absence
here. H8, H8b and H8c are this project's: read in Kafka's sources, and shown by a search of the model.
"""

from __future__ import annotations

from dataclasses import replace

from ..kraft.settings import AnswerRead, Settings, Truncation
from .known_bug import KnownBug
from .kraft_findings import ALONE, NEWEST

HIGH_WATERMARKS_ONLY = Settings(elr=False, strict_hw=False, min_insync_replicas=1, truncation=Truncation.HIGH_WATERMARK)
"""Logs without leader epochs, as of the message formats before KIP-101."""

LOG_START: tuple[KnownBug, ...] = (
    KnownBug(
        id="KAFKA-5634",
        title="Retention deletes what is not committed, and no follower takes over such a log start offset",
        tickets=("KAFKA-5634", "KIP-107"),
        versions="0.11.0.0",
        faulty=Settings(retention_stops_at_hw=False),
        sound=NEWEST,
        properties=("fetchers_go_on", "high_watermark_in_log", "leader_reads_at_its_high_watermark"),
        story=(
            "Retention on the leader deletes r0, which is not committed: its log start offset is 1, its high watermark "
            "0. The follower has r0, too, and fetches. The answer says log start 1 and high watermark 0, the follower "
            "cannot delete what is not committed (Log.maybeIncrementLogStartOffset throws), and its fetcher gives up. "
            "In 0.11 the whole thread died, with all other partitions; here, as since KIP-461 (2.3), the one partition "
            "stops until the leader epoch changes."
        ),
    ),
    KnownBug(
        id="KAFKA-7104",
        title="The answer to a fetch has a log start offset beyond the records that it brings",
        tickets=("KAFKA-7104", "KAFKA-5758"),
        versions="1.0.0 to 1.0.1 and 1.1.0",
        faulty=replace(ALONE, answer_read=AnswerRead.RECORDS),
        sound=ALONE,
        properties=("fetchers_go_on",),
        bounds={"shrinks": 1},
        story=(
            "The leader has read what it answers to a slow follower, no record, when the follower leaves the ISR, a "
            "record is appended and committed without it, and is deleted. The leader then completes the answer with "
            "its offsets of this later moment: the log start offset is 1, where the follower's log ends at 0, and its "
            "fetcher gives up. In Kafka the offsets were read again when the fetch had moved the high or the low "
            "watermark; in the model always. The fix left the order of the two reads that H8 is about, so the sound "
            "side here reads the log start offset first."
        ),
    ),
    KnownBug(
        id="KAFKA-7414",
        title="A follower with more records than its leader has its broker exit, and again at every start",
        tickets=("KAFKA-7414", "KAFKA-1028"),
        versions="0.8.2 to 2.0.0",
        faulty=replace(HIGH_WATERMARKS_ONLY, out_of_range_is_not_fatal=False),
        sound=HIGH_WATERMARKS_ONLY,
        properties=("no_broker_exits_by_itself",),
        bounds={"max_epoch": 2, "lossy_crashes": 1, "fencings": 1},
        story=(
            "b1 alone commits r0 and loses it with its machine; b2 has r0, but was out of the ISR. b1 leads again, as "
            "the last member of the ISR, and b2 fetches at offset 1 from a log that ends at 0: OFFSET_OUT_OF_RANGE. "
            "Because unclean election is off, b2 must not truncate what an unclean election would have lost, and halts "
            "(FatalExitError). It will do so again at every start, and takes all its partitions along. With leader "
            "epochs (KIP-101) a follower truncates before it fetches and does not come there; this is the protocol of "
            "logs without them. r0 is lost either way."
        ),
    ),
    KnownBug(
        id="KAFKA-9491",
        title="A follower whose log begins anew leads with a high watermark that lies before its log",
        tickets=("KAFKA-9491",),
        versions="before 2.4.1",
        faulty=replace(ALONE, full_truncation_raises_hw=False),
        sound=ALONE,
        properties=("leader_reads_at_its_high_watermark", "high_watermark_in_log"),
        bounds={"max_epoch": 1, "shrinks": 1, "elections": 1},
        story=(
            "b1 is dropped from the ISR, and what was committed without it is deleted. It fetches below the log start "
            "offset of b2 and begins anew at offset 1, with its high watermark still at 0. Its next fetch brings it "
            "back into the ISR, but the answer is lost. b1 is elected; while b2 has not fetched from it, its high "
            "watermark stays at 0, where its log has nothing, and fetches that look it up fail (DelayedFetch). Now a "
            "log that begins anew takes its start for its high watermark."
        ),
    ),
    KnownBug(
        id="KAFKA-12996",
        title="A follower far behind diverges, and fails over the offsets that come with the answer",
        tickets=("KAFKA-12996", "KAFKA-10554"),
        versions="2.7.0 to 2.7.1 and 2.8.0",
        faulty=replace(ALONE, out_of_range_before_divergence=False),
        sound=ALONE,
        properties=("fetchers_go_on",),
        bounds={"records": 4, "max_epoch": 2, "fencings": 1, "elections": 1},
        story=(
            "b2 was leader for a moment, and has a record of that epoch; b1, who leads again, has three of an older "
            "one, has committed them and deleted the first two. b2 fetches at offset 1, below the log start offset 2. "
            "The epochs diverge, which is looked at first, so the answer is no error, and brings the leader's offsets "
            "with it: b2 cannot take over a log start offset beyond its high watermark, and its fetcher gives up "
            "before it has truncated. Now such a fetch is OFFSET_OUT_OF_RANGE, whatever the epochs say, and b2 begins "
            "anew at 2."
        ),
    ),
    KnownBug(
        id="H8",
        title="A log start offset is read just after the high watermark, and a follower gives the partition up",
        tickets=("Partition.readRecords; no ticket known", "KAFKA-7104"),
        versions="0.11 to 4.4",
        faulty=replace(ALONE, answer_read=AnswerRead.HIGH_WATERMARK),
        sound=ALONE,
        properties=("fetchers_go_on",),
        bounds={"shrinks": 1},
        story=(
            "Partition.readRecords reads the leader's high watermark and then its log start offset. Both are volatile, "
            "and neither the lock that it holds nor any other keeps deletions out, which hold the same lock for "
            "reading. Between the two the high watermark rises and DeleteRecords, or retention, deletes up to it: the "
            "answer says log start 1 and high watermark 0, and the follower does with it what KAFKA-5634 tells. Its "
            "partition has failed until the leader epoch changes or its broker starts again. With three brokers "
            "nothing else is needed but the fetch of another follower; of two, one must leave the ISR meanwhile, as "
            "here. The window is that of two reads. Reading the log start offset first closes it, because it is never "
            "beyond the high watermark. In the model; no report is known, and no running Kafka has shown it yet."
        ),
    ),
    KnownBug(
        id="H8b",
        title="Records that were deleted, and whose deletion was confirmed, are there again after a clean failover",
        tickets=("Partition.lowWatermarkIfLeader; no ticket known", "KIP-107", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(deletion_waits_for_candidates=False),
        sound=NEWEST,
        properties=("deleted_records_stay_deleted",),
        bounds={"max_epoch": 1, "fencings": 2},
        story=(
            "b1 is fenced and becomes eligible (ELR) while it still has r0, which b2 has deleted. DeleteRecords waits "
            "for brokers that are alive only (Partition.lowWatermarkIfLeader), so the client is told that r0 is gone. "
            "b1 returns, b2 shuts down, and b1 is elected from the ELR: its log begins at 0, and consumers get r0 "
            "again. All of it is clean, and nothing tells b1 but an answer to a fetch from b2. Without ELR the same "
            "needs a follower that is fenced while its proposal for the ISR is on its way (14 states). Waiting for all "
            "members of ISR and ELR, and for those proposed, closes it, at the price that a deletion does not succeed "
            "while an eligible broker is down. In the model; no report is known, and no running Kafka has shown it "
            "yet."
        ),
    ),
    KnownBug(
        id="H8c",
        title="A record that was never committed is in place of one that was deleted, and its replica leads",
        tickets=("Partition.readRecords; no ticket known", "KAFKA-7415", "KIP-107"),
        versions="2.7 to 4.4",
        faulty=replace(ALONE, joins_at_log_start=False),
        sound=ALONE,
        properties=("leader_completeness", "leader_candidate_completeness"),
        bounds={"records": 2, "max_epoch": 2, "fencings": 2},
        story=(
            "b1 was deposed with r1 in its log, which was never committed; b2 has committed r0 at the same offset, and "
            "deleted it. b1 fetches at offset 1, with the epoch of r1. All that b2 has left is of a later epoch, so it "
            "answers that the older epoch ends at its log start offset 1 (LeaderEpochFileCache.endOffsetFor): nothing "
            "diverges. With this fetch b1 has reached the high watermark and joins the ISR; its answer, which would "
            "tell b1 to delete r1, is lost, or waits for records. b2 shuts down, b1 is elected, and consumers read r1. "
            "Letting a follower join only when its log begins where the leader's does closes it: a fetch names the "
            "follower's log start offset. In the model; no report is known, and no running Kafka has shown it yet."
        ),
    ),
)
