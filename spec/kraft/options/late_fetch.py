"""KAFKA-18991: an answer to a fetch arrives after the leader epoch in which it was asked for."""

from __future__ import annotations

from ...language import Identifier, Set, Struct, action, require, shown, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import KraftBug, governed_by, since
from ..settings import Settings
from ..state import Epoch, Offset, Record, Replica, Status
from .idempotence import IdempotentProducer
from .log_start import LogStart


class FetchAnswer(
    Struct, text="{leader} e{leader_epoch} to {follower} at {offset}: {record}, truncate to {end}, hw {hw}"
):
    """An answer on its way: to which request it belongs, and a record or the diverging epoch and where that ends.

    Without a follower there is none. `epoch` is the largest epoch of the leader up to the one asked for.
    """

    follower: Replica | None
    leader: Replica | None
    leader_epoch: Epoch
    offset: Offset
    diverging: bool
    epoch: Epoch
    end: Offset
    record: Record | None
    hw: Offset


@governed_by(late_answers_dropped={"": False, "3.9.1": True, "4.0": False, "4.0.1": True})
class LateFetchAnswers(BrokerLifecycle):
    """One answer at a time may be held up on its way; all other fetches are answered at once."""

    late: FetchAnswer

    def fetch(self, follower: Replica, leader: Replica) -> None:
        """As always, unless this follower waits for this leader's answer: a fetcher has one request on its way."""
        require(self.late.follower != follower or self.late.leader != leader)
        super().fetch(follower, leader)

    @action(by="follower", to="leader", sends="Fetch", says="{follower} fetches from {leader}; the answer is held up")
    def fetch_with_late_answer(self, follower: Replica, leader: Replica) -> None:
        """The leader handles the request as always. What it answers is fixed now, whatever happens on the way."""
        require(follower != leader)
        require(self.late.follower is None)
        require(self.presumes_leadership(leader))
        require(self.follows(follower, leader))
        self.late.follower = follower
        self.late.leader = leader
        self.late.leader_epoch = self.view(follower).leader_epoch
        self.late.offset = self.end(follower)
        if self.diverges(follower, leader):
            asked = self.brokers[follower].log.last.epoch
            self.late.diverging = True
            self.late.end = self.end_offset_for(leader, asked)
            self.late.epoch = self.epoch_before(leader, self.end_offset_for(leader, asked), asked)
        else:
            self.late.hw = self.brokers[leader].hw
            self.accept_fetch(leader, follower)
            if self.end(follower) < self.end(leader):
                self.late.record = self.brokers[leader].log[self.end(follower)]

    @action(
        by="late.follower",
        to="late.leader",
        receives="Fetch response",
        says="The answer that was held up arrives",
        fair="weak",
    )
    def late_answer_arrives(self) -> None:
        """AbstractFetcherThread.processFetchRequest: the offset and the leader must be those that the follower has now.

        Since KAFKA-18991 the leader epoch must be, too.
        """
        require(self.late.follower is not None)
        for r in self.brokers:
            if self.late.follower == r and self.is_expected(r):
                if self.late.diverging:
                    self.truncate(r, self.offset_of_divergence(r, self.late.epoch, self.late.end))
                else:
                    if self.late.record is not None:
                        self.brokers[r].log.append(self.late.record)
                    self.brokers[r].hw = min(self.late.hw, self.end(r))
        self.forget_late_answer()

    def is_expected(self, r: Identifier) -> bool:
        """Whether the follower still waits for this answer."""
        return self.is_answer_to_the_last_fetch(r)

    def is_answer_to_the_last_fetch(self, r: Identifier) -> bool:
        """Whether leader, offset and leader epoch are those that the follower has now."""
        return (
            self.is_running(r)
            and self.view(r).leader == self.late.leader
            and self.late.offset == self.end(r)
            and (not self.settings.late_answers_dropped or self.late.leader_epoch == self.view(r).leader_epoch)
        )

    def forget_late_answer(self) -> None:
        """Nothing is on its way any more."""
        self.late.follower = None
        self.late.leader = None
        self.late.leader_epoch = 0
        self.late.offset = 0
        self.late.diverging = False
        self.late.epoch = 0
        self.late.end = 0
        self.late.record = None
        self.late.hw = 0

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always; nobody waits for an answer to a request of a process that is gone."""
        super().stop(broker, status)
        if self.late.follower == broker:
            self.forget_late_answer()

    @view(of="on its way")
    def late_answer_in_words(self) -> str:
        """The answer that is held up."""
        late = self.late
        if late.follower is None:
            return ""
        found = f"{shown(late.record)}, " if late.record is not None else ""
        carries = f"e{late.epoch} ends at {late.end}" if late.diverging else f"{found}hw {late.hw}"
        return f"answer of {late.leader} e{late.leader_epoch} to a fetch of {late.follower} at {late.offset}: {carries}"


@governed_by("late_answer_checked_when_applied", fetched_partitions_only=since("2.8.1"))
class AnswerCheckedBefore(LateFetchAnswers):
    """The epoch of an answer is looked at under the lock, and what it says is done under another (KAFKA-18991).

    `checked` says that the answer that is held up has passed.
    """

    checked: bool

    @action(by="late.follower", says="The follower finds the answer to be of its epoch, and gives up the lock")
    def check_late_answer(self) -> None:
        """AbstractFetcherThread.processFetchRequest: what diverges is collected, and truncated after the lock was given
        up."""
        require(not (self.settings.late_answer_checked_when_applied and self.settings.fetched_partitions_only))
        require(self.late.follower is not None and self.late.diverging and not self.checked)
        require(any(self.late.follower == r and self.is_answer_to_the_last_fetch(r) for r in self.brokers))
        self.checked = True

    def is_expected(self, r: Identifier) -> bool:
        """As always; once checked, it is enough that the follower fetches from this leader, in whatever epoch.

        truncateOnFetchResponse looks for the partition among those that the thread fetches, and for nothing else;
        before KAFKA-13207 not even for that.
        """
        if self.checked:
            still_fetched = self.view(r).leader == self.late.leader
            return self.is_running(r) and (still_fetched or not self.settings.fetched_partitions_only)
        return super().is_expected(r)

    def forget_late_answer(self) -> None:
        """As always."""
        super().forget_late_answer()
        self.checked = False

    @view(of="on its way")
    def checked_in_words(self) -> str:
        """Whether the answer has passed the check."""
        return "the answer is found to be of the follower's epoch" if self.checked else ""


class LateAnswersOfLogStart(LateFetchAnswers, LogStart):
    """The same where logs begin at a log start offset.

    Below it the answer is OFFSET_OUT_OF_RANGE, which nobody holds up here. A late answer tells no log start offset
    either; the next fetch does.
    """

    def fetch_with_late_answer(self, follower: Replica, leader: Replica) -> None:
        """As always, from the leader's log start offset on."""
        require(follower not in self.failed)
        require(self.log_start[leader] <= self.end(follower))
        super().fetch_with_late_answer(follower, leader)

    def late_answer_arrives(self) -> None:
        """As always. UnifiedLog.updateHighWatermark: no high watermark is before the start of its log."""
        expecting = Set(r for r in self.brokers if self.late.follower == r and self.is_expected(r))
        super().late_answer_arrives()
        for r in self.brokers:
            if r in expecting:
                self.brokers[r].hw = max(self.brokers[r].hw, self.log_start[r])


class LateAnswersRemembered(LateFetchAnswers, IdempotentProducer):
    """The same where brokers remember what producers wrote: a record that comes late is remembered, too."""

    def late_answer_arrives(self) -> None:
        """As always, and the follower remembers what it appends."""
        gets_it = Set(r for r in self.brokers if self.late.follower == r)
        before = sum(self.end(r) for r in self.brokers)
        super().late_answer_arrives()
        appended = sum(self.end(r) for r in self.brokers) > before
        for r in self.brokers:
            if self.is_idempotent() and appended and r in gets_it:
                self.remember(r, self.brokers[r].log.last.id)


BUGS = (
    KraftBug(
        id="S10",
        title="The answer to a fetch of an older epoch truncates committed records",
        tickets=("KAFKA-18991",),
        versions="2.7 to 3.9.0 and 4.0.0",
        faulty=Settings(late_answers_dropped=False),
        properties=("leader_candidate_completeness",),
        bounds={"max_epoch": 3, "elections": 3},
        shown_on=("4.0.0",),
        lesson=(
            "An answer belongs to the epoch of its question. Look at that epoch again when the answer is used: the "
            "world may have moved while it was on its way."
        ),
    ),
    KraftBug(
        id="KAFKA-13207",
        title="A diverging answer truncates a partition that its fetcher has given up, also a leader's log",
        tickets=("KAFKA-13207",),
        versions="2.7 to 2.8.0",
        faulty=Settings(late_answer_checked_when_applied=False, fetched_partitions_only=False),
        sound=Settings(late_answer_checked_when_applied=False),
        properties=("leader_completeness",),
        bounds={"max_epoch": 3, "elections": 3},
        story=(
            "No broker fails: the leader is elected three times in place of a live one. An answer that tells a "
            "follower to truncate passes the check under the fetcher's lock. The lock is given up, the broker becomes "
            "leader itself and commits a record, and then its former fetcher truncates what the answer said. Since "
            "KAFKA-13207 only a partition that the thread still fetches is truncated; that it may fetch it in another "
            "epoch by then is H6."
        ),
        lesson=(
            "An effect must be checked where it takes place. Under a lock that was given up between, what was asked "
            "for may belong to nobody any more."
        ),
    ),
    KraftBug(
        id="H6",
        title="The answer to a fetch is checked under one lock, and truncates by it under another",
        tickets=("AbstractFetcherThread.truncateOnFetchResponse; no ticket known", "KAFKA-18991"),
        versions="3.9.1 to 3.9.2 and 4.0.1 to 4.4",
        faulty=Settings(late_answer_checked_when_applied=False),
        properties=("leader_candidate_completeness",),
        bounds={"max_epoch": 3, "elections": 3},
        story=(
            "As S10, in a window of one lock hand-over. A fetcher collects the partitions whose answer diverges while "
            "it holds the lock and compares leader epochs (KAFKA-18991), gives the lock up, and truncates under it "
            "again, where it asks only whether the partition is still among those it fetches. Between the two the "
            "partition may have been removed and added again in a later epoch. truncateToEpochEndOffsets looks again, "
            "truncateOnFetchResponse does not. Kafka's own classes of 3.9 to 4.4 have shown it, step by step; no "
            "report is known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "A check and what it allows belong under one lock. What was true when the lock was given up must be looked "
            "at again."
        ),
    ),
)
