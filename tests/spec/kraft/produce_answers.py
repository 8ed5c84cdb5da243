"""What producers are told: each answer to a produce request apart from the others (DelayedProduce)."""

from __future__ import annotations

import enum

from epochal.spec.kraft.producer import Producer
from epochal.spec.kraft.settings import Acks
from epochal.spec.kraft.state import RecordId, Replica
from epochal.spec.language import Ghost, Identifier, Map, action, invariant, reachable, require


class Answer(enum.Enum):
    """The answer to a produce request, so far."""

    NONE = "none yet"
    SUCCESS = "success"
    NOT_ENOUGH_REPLICAS = "NOT_ENOUGH_REPLICAS"
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
    NOT_LEADER_OR_FOLLOWER = "NOT_LEADER_OR_FOLLOWER"


class ProduceAnswers(Producer):
    """The answer for each record, and the leader at which its producer waits, if it waits.

    A producer waits as long as the broker leads without interruption, in later leader epochs of its own, too. A
    connection that ends with the broker's process counts as NOT_LEADER_OR_FOLLOWER: the producer does not know either
    whether the record stays. REQUEST_TIMED_OUT is no answer at any later time.
    """

    answers: Ghost[Map[RecordId, Answer]]
    waits_at: Ghost[Map[RecordId, Replica | None]]

    def produce(self, leader: Replica) -> None:
        """As always; with acks=all the producer waits, with acks=1 it is told of success at once."""
        require(self.next_record < self.bounds.records)
        if self.settings.acks == Acks.ALL:
            self.waits_at[self.next_record] = leader
        if self.settings.acks == Acks.LEADER:
            self.answers[self.next_record] = Answer.SUCCESS
        super().produce(leader)

    @action(by="producer", to="leader", says="{leader} refuses a record: NOT_ENOUGH_REPLICAS")
    def refuse_record(self, leader: Replica) -> None:
        """Partition.appendRecordsToLeader: the committed ISR is too small for acks=all, and nothing is appended."""
        require(self.presumes_leadership(leader))
        require(self.next_record < self.bounds.records)
        require(not self.has_enough_replicas(leader))
        self.answers[self.next_record] = Answer.NOT_ENOUGH_REPLICAS
        self.next_record += 1

    def remember_commit(self, leader: Identifier, replicas: int, before: int) -> None:
        """As always; whoever waits is told whether the replicas that the leader counts were enough."""
        super().remember_commit(leader, replicas, before)
        for offset in range(before, self.brokers[leader].hw):
            id = self.brokers[leader].log[offset].id
            if self.waits_at[id] == leader:
                self.waits_at[id] = None
                if replicas >= self.leader_min_isr(leader):
                    self.answers[id] = Answer.SUCCESS
                    self.acknowledged |= {id}
                else:
                    self.answers[id] = Answer.NOT_ENOUGH_REPLICAS_AFTER_APPEND

    def forget_leadership(self, r: Identifier) -> None:
        """As always; whoever waits is told that another leads now."""
        super().forget_leadership(r)
        for id in self.answers:
            if self.waits_at[id] == r:
                self.waits_at[id] = None
                self.answers[id] = Answer.NOT_LEADER_OR_FOLLOWER

    # -- what the answers mean ------------------------------------------------------------------------------------

    @invariant
    def refused_is_not_appended(self) -> bool:
        """A record that was refused with NOT_ENOUGH_REPLICAS is in no log."""
        return all(
            all(record.id != id for record in self.brokers[r].log)
            for r in self.brokers
            for id in self.answers
            if self.answers[id] == Answer.NOT_ENOUGH_REPLICAS
        )

    @invariant
    def after_append_is_committed(self) -> bool:
        """A record that was answered with NOT_ENOUGH_REPLICAS_AFTER_APPEND is committed all the same."""
        return all(
            any(record.id == id for record in self.committed)
            for id in self.answers
            if self.answers[id] == Answer.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        )

    @invariant
    def success_is_acknowledgement(self) -> bool:
        """A record is acknowledged if and only if its producer was told of success."""
        return all((self.answers[id] == Answer.SUCCESS) == (id in self.acknowledged) for id in self.answers)

    @reachable(only_if=lambda self: self.settings.acks == Acks.ALL and self.least_min_isr() > 1)
    def told_of_too_few_replicas(self) -> bool:
        """A producer is told NOT_ENOUGH_REPLICAS, and its record is not appended."""
        return any(self.answers[id] == Answer.NOT_ENOUGH_REPLICAS for id in self.answers)

    @reachable(
        only_if=lambda self: self.settings.acks == Acks.ALL and self.least_min_isr() > 1 and not self.settings.strict_hw
    )
    def told_of_too_few_replicas_after_append(self) -> bool:
        """A producer is told NOT_ENOUGH_REPLICAS_AFTER_APPEND: the ISR became too small while it waited.

        With the strict high watermark it goes on waiting instead.
        """
        return any(self.answers[id] == Answer.NOT_ENOUGH_REPLICAS_AFTER_APPEND for id in self.answers)

    @reachable(only_if=lambda self: self.settings.acks == Acks.ALL)
    def told_of_another_leader(self) -> bool:
        """A producer that waits is told that the broker leads no longer; its record may survive or not."""
        return any(self.answers[id] == Answer.NOT_LEADER_OR_FOLLOWER for id in self.answers)
