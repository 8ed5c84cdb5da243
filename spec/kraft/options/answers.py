"""The ways of AlterPartition requests and answers that are merged elsewhere (KIP-497)."""

from __future__ import annotations

from dataclasses import replace

from ...language import Identifier, Set, action, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..rules import NEVER, KraftBug, governed_by
from ..settings import ALONE
from ..state import Lag, Replica, Status


@governed_by(known_partition_epoch_ignored=NEVER)
class AnswersAheadOfMetadata(BrokerLifecycle):
    """A leader whose proposal was accepted may learn the new ISR from the answer, and replay the same change later.

    `answered` are the leaders to whom an acceptance is on its way, and `ahead` those that know their partition epoch
    from one alone.
    """

    answered: Set[Replica]
    ahead: Set[Replica]

    def handle_alter_partition(self, successor: Replica | None) -> None:
        """As always; an acceptance is answered."""
        accepted = Set(
            r
            for r in self.brokers
            if self.request.leader == r
            and self.is_from_present_leader()
            and all(self.is_eligible(member) for member in self.request.isr)
        )
        super().handle_alter_partition(successor)
        self.answered |= accepted

    def propose(self, leader: Identifier, isr: Set[Identifier], joining: Identifier | None = None) -> None:
        """As always; the answer to an earlier proposal is not looked at any more (Partition.submitAlterPartition)."""
        super().propose(leader, isr, joining)
        self.answered -= {leader}

    @action(
        by="controller",
        to="leader",
        sends="AlterPartition response",
        says="{leader} is told that its proposal was accepted",
        fair="weak",
    )
    def receive_answer(self, leader: Replica) -> None:
        """KIP-497: the answer carries ISR and partition epoch; the leader adopts both, and may propose again."""
        require(leader in self.answered)
        require(self.presumes_leadership(leader))
        require(self.brokers[leader].behind > 0 and len(self.brokers[leader].proposed) > 0)
        accepted = self.metadata[self.brokers[leader].behind - 1]
        require(accepted.leader == leader and accepted.leader_epoch == self.view(leader).leader_epoch)
        require(accepted.isr == self.brokers[leader].proposed)
        self.answered -= {leader}
        self.brokers[leader].behind -= 1
        self.brokers[leader].proposed = Set()
        self.ahead |= {leader}
        self.advance_high_watermark(leader)
        self.forget_replayed_changes()

    @action(
        by="leader",
        to="controller",
        receives="PartitionChangeRecord",
        says="{leader} replays the change that it knows from the answer",
        fair="weak",
    )
    def replay_known_change(self, leader: Replica) -> None:
        """Partition.makeLeader with a partition epoch that the leader has: Kafka accepts it.

        A newer proposal is forgotten then, and its answer will not be looked at, although the controller may accept it.
        """
        require(leader in self.ahead)
        self.ahead -= {leader}
        if not self.settings.known_partition_epoch_ignored:
            self.brokers[leader].proposed = Set()
            self.advance_high_watermark(leader)

    def replay_metadata(self, broker: Replica, records: Lag) -> None:
        """As always; what comes later includes the change that was known, or was to be."""
        super().replay_metadata(broker, records)
        self.answered -= {broker}
        self.ahead -= {broker}

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always, and what was known from an answer, or was on its way, is gone."""
        super().stop(broker, status)
        self.answered -= {broker}
        self.ahead -= {broker}

    @view(of="broker")
    def knows_by_answer_in_words(self, broker: Replica) -> str:
        """Whether a leader has yet to replay a change that it knows, or to hear that its proposal was accepted."""
        said = ["knows the last change from the answer alone"] if broker in self.ahead else []
        said += ["is answered that its proposal is accepted"] if broker in self.answered else []
        return "; ".join(said)


@governed_by("copies_arrive_in_order")
class RepeatedRequests(BrokerLifecycle):
    """AlterPartition is repeated until it is answered, so that a copy may still be on its way after a refusal."""

    @action(
        by="controller",
        to="request.leader",
        sends="AlterPartition response",
        says="The controller refuses AlterPartition, and another copy of it is still on its way",
    )
    def refuse_a_copy(self) -> None:
        """INELIGIBLE_REPLICA: the leader takes it for proven that its proposal was not applied, and drops it."""
        require(not self.settings.copies_arrive_in_order)
        require(self.is_from_present_leader())
        require(any(not self.is_eligible(member) for member in self.request.isr))
        require(any(self.request.leader == r and len(self.brokers[r].proposed) > 0 for r in self.brokers))
        self.withdraw_proposal()


BUGS = (
    KraftBug(
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
            "this needs b2 to be slower than that; the model has that clause with waits_for_caught_up. Ignoring "
            "metadata unless it is strictly newer closes it. Nobody has reported it. It was reproduced on running "
            "brokers of Kafka 3.9 to 4.4 by delaying metadata and a proposal."
        ),
        shown_on=("3.9.2", "4.1.2", "4.3.1", "4.4.0"),
        lesson=(
            "News that is already known must change nothing. Only metadata that is strictly newer may take the place "
            "of what was proposed since."
        ),
    ),
    KraftBug(
        id="N3",
        title="A copy of a refused AlterPartition is accepted later",
        tickets=("KIP-841; no ticket known",),
        versions="3.3 to 4.4, if copies can overtake each other",
        faulty=replace(ALONE, copies_arrive_in_order=False),
        sound=ALONE,
        properties=("leader_candidate_completeness",),
        bounds={"fencings": 2},
        lesson=(
            "A refusal does not take back the copies of a request that are still on their way. Wait for what was asked "
            "until nothing can accept it any more."
        ),
    ),
)
