"""KAFKA-7104: a leader reads what it answers to a fetch one by one, and its log goes on meanwhile."""

from __future__ import annotations

from ...language import Identifier, Struct, action, require, view
from ..rules import governed_by
from ..settings import AnswerRead
from ..state import Offset, Replica, Status
from .log_start import LogStart


class BegunAnswer(Struct, text="{leader} to {follower}: log start {log_start}, hw {hw}, record {record}"):
    """An answer that is being made: to whose fetch, and what of it has been read. Without a follower there is none."""

    follower: Replica | None
    leader: Replica | None
    log_start: Offset
    hw: Offset
    record: bool


@governed_by("answer_read")
class TornAnswers(LogStart):
    """One answer at a time is made in two steps; all other fetches are answered at once."""

    begun: BegunAnswer

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
        self.forget_begun_answer()

    def answer(self, follower: Identifier, leader: Identifier) -> None:
        """What the follower does with an answer of which parts are older than the rest."""
        order = self.settings.answer_read
        start = self.begun.log_start if order == AnswerRead.LOG_START else self.log_start[leader]
        hw = self.begun.hw if order == AnswerRead.HIGH_WATERMARK else self.brokers[leader].hw
        if order != AnswerRead.RECORDS and self.end(follower) < self.log_start[leader]:
            self.truncate_fully(follower, leader)
        else:
            self.accept_fetch(leader, follower)
            if order == AnswerRead.RECORDS:
                hw = self.brokers[leader].hw
            if order != AnswerRead.RECORDS or self.begun.record:
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

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always. A leader waits for the end of the read (leaderIsrUpdateLock), and a follower drops the answer."""
        new_epoch = self.view(broker).leader_epoch > epoch_before
        if new_epoch and (self.begun.follower == broker or self.begun.leader == broker):
            self.forget_begun_answer()
        super().act_on_metadata(broker, led_before, epoch_before)

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; nobody waits for an answer to a process that is gone, or makes one there."""
        super().stop(broker, status)
        if self.begun.follower == broker or self.begun.leader == broker:
            self.forget_begun_answer()
