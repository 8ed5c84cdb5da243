"""KAFKA-7104: a leader reads what it answers to a fetch one by one, and its log goes on meanwhile."""

from __future__ import annotations

from dataclasses import replace

from ...language import Identifier, Set, Struct, action, require, view
from ..rules import KraftBug, governed_by
from ..settings import ALONE, AnswerRead
from ..state import Lag, Offset, Replica, Status
from .answers import AnswersAheadOfMetadata
from .log_start import LogStart


class BegunAnswer(Struct, text="{leader} to {follower}: log start {log_start}, hw {hw}, record {record}"):
    """An answer that is being made: to whose fetch, and what of it has been read. Without a follower there is none."""

    follower: Replica | None
    leader: Replica | None
    log_start: Offset
    hw: Offset
    record: bool


@governed_by("answer_read")
class TornAnswers(LogStart, AnswersAheadOfMetadata):
    """One answer at a time is made in two steps; all other fetches are answered at once.

    Since Kafka 2.1 the leader holds leaderIsrUpdateLock for reading meanwhile. Others read as well: it appends, deletes
    and raises its high watermark. Whatever changes what it knows of the partition waits for the end of the read
    (`lock_for_writing`).
    """

    begun: BegunAnswer

    def lock_for_writing(self, leader: Identifier) -> None:
        """What the leader changes it changes under leaderIsrUpdateLock for writing: not while it makes an answer."""
        require(self.begun.leader != leader or self.settings.answer_read == AnswerRead.RECORDS)

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always, unless the follower waits for an answer."""
        require(self.begun.follower != follower)
        super().fetch(follower, leader)

    @action(
        by="follower",
        to="leader",
        sends="Fetch",
        says="{leader} begins to read what it answers to {follower}",
    )
    def begin_answer(self, leader: Replica, follower: Replica) -> None:
        """Partition.readRecords: the high watermark, the log start offset and the records are not read at one moment.

        Up to Kafka 2.0 the records were read first, and the offsets again when the fetch had been taken note of.
        """
        require(self.begun.follower is None)
        require(follower != leader and follower not in self.failed)
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        require(self.log_start[leader] <= self.end(follower) <= self.end(leader))
        require(not self.diverges(follower, leader))
        self.begun.follower = follower
        self.begun.leader = leader
        if self.settings.answer_read == AnswerRead.LOG_START:
            self.begun.log_start = self.log_start[leader]
        elif self.settings.answer_read == AnswerRead.HIGH_WATERMARK:
            self.begun.hw = self.brokers[leader].hw
        else:
            self.begun.record = self.end(follower) < self.end(leader)

    @action(
        by="begun.follower",
        to="begun.leader",
        receives="Fetch response",
        says="The answer that was begun is sent",
        fair="weak",
    )
    def finish_answer(self) -> None:
        """The leader reads the rest, and the follower takes the answer.

        A fetch that is below the log start offset by now is OFFSET_OUT_OF_RANGE, unless its records were read before.
        """
        require(self.begun.follower is not None)
        for follower in self.brokers:
            for leader in self.brokers:
                if self.begun.follower == follower and self.begun.leader == leader:
                    self.answer(follower, leader)

    def answer(self, follower: Identifier, leader: Identifier) -> None:
        """What the follower does with an answer of which parts are older than the rest.

        Who fetches is taken note of when all is read: it may be proposed for the ISR.
        """
        order = self.settings.answer_read
        start = self.begun.log_start if order == AnswerRead.LOG_START else self.log_start[leader]
        hw = self.begun.hw if order == AnswerRead.HIGH_WATERMARK else self.brokers[leader].hw
        record = self.begun.record
        self.forget_begun_answer()
        if order != AnswerRead.RECORDS and self.end(follower) < self.log_start[leader]:
            self.truncate_fully(follower, leader)
        else:
            self.accept_fetch(leader, follower)
            if order == AnswerRead.RECORDS:
                hw = self.brokers[leader].hw
            if order != AnswerRead.RECORDS or record:
                self.copy_next(follower, leader)
            self.brokers[follower].hw = min(hw, self.end(follower))
            self.adopt_log_start(follower, leader, start)

    @view(of="on its way")
    def begun_in_words(self) -> str:
        """The answer that is being made, and what was read of it."""
        begun, order = self.begun, self.settings.answer_read
        if begun.follower is None:
            return ""
        if order == AnswerRead.LOG_START:
            read = f"log start {begun.log_start}"
        elif order == AnswerRead.HIGH_WATERMARK:
            read = f"hw {begun.hw}"
        else:
            read = "a record" if begun.record else "no record"
        return f"answer of {begun.leader} to a fetch of {begun.follower}, of which is read: {read}"

    def forget_begun_answer(self) -> None:
        """No answer is being made any more."""
        self.begun.follower = None
        self.begun.leader = None
        self.begun.log_start = 0
        self.begun.hw = 0
        self.begun.record = False

    # -- what waits for the end of the read -----------------------------------------------------------------------

    def propose(self, leader: Identifier, isr: Set[Identifier], joining: Identifier | None = None) -> None:
        """As always, once the leader has read: the fetch of somebody else who is to join waits, too."""
        self.lock_for_writing(leader)
        super().propose(leader, isr, joining)

    def withdraw_proposal(self) -> None:
        """As always, once the leader has read."""
        for leader in self.brokers:
            if self.request.leader == leader:
                self.lock_for_writing(leader)
        super().withdraw_proposal()

    def receive_answer(self, leader: Replica) -> None:
        """As always, once the leader has read."""
        self.lock_for_writing(leader)
        super().receive_answer(leader)

    def replay_metadata(self, broker: Replica, records: Lag) -> None:
        """As always, once a leader has read."""
        self.lock_for_writing(broker)
        super().replay_metadata(broker, records)

    def replay_known_change(self, leader: Replica) -> None:
        """As always, once the leader has read."""
        self.lock_for_writing(leader)
        super().replay_known_change(leader)

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always. A follower drops the answer, and so does a leader that reads without the lock."""
        new_epoch = self.view(broker).leader_epoch > epoch_before
        if new_epoch and (self.begun.follower == broker or self.begun.leader == broker):
            self.forget_begun_answer()
        super().act_on_metadata(broker, led_before, epoch_before)

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; nobody waits for an answer to a process that is gone, or makes one there."""
        super().stop(broker, status)
        if self.begun.follower == broker or self.begun.leader == broker:
            self.forget_begun_answer()


BUGS = (
    KraftBug(
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
        lesson="An answer must be of one moment. Offsets that are read later than the records do not describe them.",
    ),
    KraftBug(
        id="H8",
        title="A log start offset is read just after the high watermark, and a follower gives the partition up",
        tickets=("Partition.readRecords; no ticket known", "KAFKA-7104"),
        versions="0.11 to 4.4",
        faulty=replace(ALONE, answer_read=AnswerRead.HIGH_WATERMARK),
        sound=ALONE,
        properties=("fetchers_go_on",),
        bounds={"replication_factor": 3},
        story=(
            "Partition.readRecords reads the leader's high watermark and then its log start offset. Both are volatile, "
            "and neither the lock that it holds nor any other keeps deletions out, which hold the same lock for "
            "reading. Between the two the high watermark rises and DeleteRecords, or retention, deletes up to it: the "
            "answer says log start 1 and high watermark 0, and the follower does with it what KAFKA-5634 tells. Its "
            "partition has failed until the leader epoch changes or its broker starts again. Nothing else is needed "
            "but the fetch of a third replica, which raises the high watermark: the ISR cannot change meanwhile, for "
            "that takes the lock for writing. The window is that of two reads. Reading the log start offset first "
            "closes it, because it is never beyond the high watermark. Kafka's own classes of 3.9 to 4.4 have shown "
            "it, held between the two reads; no report is known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "Two values that must fit together have to be read in the order in which they cannot contradict each "
            "other: first the one that the other never falls below."
        ),
    ),
)
