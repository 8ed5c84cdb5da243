"""The answer to a fetch is lost: the leader knows where the follower is, and the follower learns nothing."""

from __future__ import annotations

from dataclasses import replace

from ...language import action, require
from ..broker_lifecycle import BrokerLifecycle
from ..rules import KraftBug, governed_by
from ..settings import ALONE
from ..state import Replica
from .log_start import LogStart


@governed_by("fetch_answers_lost")
class UnansweredFetches(BrokerLifecycle):
    """A connection breaks between a fetch and its answer; the follower asks again.

    Elsewhere the step that tells the leader where a follower is takes the follower on by a record, so that one that a
    leader admits too early is made whole by the step that admits it.
    """

    @action(by="follower", to="leader", sends="Fetch", says="{follower} fetches from {leader}; the answer is lost")
    def fetch_without_answer(self, follower: Replica, leader: Replica) -> None:
        """Partition.fetchRecords: only what lies in the leader's log, and does not diverge, is taken note of."""
        require(follower != leader)
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        require(self.end(follower) <= self.end(leader))
        require(not self.diverges(follower, leader))
        self.accept_fetch(leader, follower)


@governed_by("joins_at_log_start", "full_truncation_raises_hw")
class LostFetchAnswers(UnansweredFetches, LogStart):
    """The same where logs begin at a log start offset: what lies below it, or is given up, is not taken note of."""

    def fetch_without_answer(self, follower: Replica, leader: Replica) -> None:
        """As always, from the leader's log start offset on."""
        require(follower not in self.failed)
        require(self.log_start[leader] <= self.end(follower))
        super().fetch_without_answer(follower, leader)


BUGS = (
    KraftBug(
        id="KAFKA-9491",
        title="A follower whose log begins anew leads with a high watermark that lies before its log",
        tickets=("KAFKA-9491",),
        versions="before 2.4.1",
        faulty=replace(ALONE, full_truncation_raises_hw=False),
        sound=ALONE,
        properties=("leader_reads_at_its_high_watermark", "high_watermark_in_log"),
        bounds={"max_epoch": 1, "shrinks": 1, "elections": 1},
        story=(
            "b2 is dropped from the ISR, and what was committed without it is deleted. It fetches below the log start "
            "offset of b1 and begins anew at offset 1, with its high watermark still at 0. Its next fetch brings it "
            "back into the ISR, but the answer is lost. b2 is elected; while b1 has not fetched from it, its high "
            "watermark stays at 0, where its log has nothing, and fetches that look it up fail (DelayedFetch). Now a "
            "log that begins anew takes its start for its high watermark."
        ),
        lesson="When a log begins anew, everything that points into it begins anew as well: the high watermark, too.",
    ),
    KraftBug(
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
            "follower's log start offset. Kafka's own classes of 3.9 to 4.4 have shown it, step by step; no report is "
            "known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "Where there is nothing left to compare with, nothing has been compared. A replica may not join the ISR "
            "before its log begins where the leader's does."
        ),
    ),
)
