"""What a broker does as leader: take office, answer fetches, move the high watermark, and ask for another ISR."""

from __future__ import annotations

from ..language import Identifier, Set, action, require
from .history import History
from .rules import governed_by
from .settings import CountedIsr, FollowersForgotten
from .state import UNKNOWN, Replica


@governed_by(followers_forgotten={"": FollowersForgotten.NEW_LEADER})
class Leader(History):
    """The leader's side of Partition.scala and Replica.java (Replica.scala before Kafka 4.1)."""

    # -- taking and leaving office --------------------------------------------------------------------------------

    def become_leader(self, leader: Identifier, led_before: bool, epoch_before: int) -> None:
        """Partition.makeLeader: a broker replays that it leads. It never truncates, and keeps its high watermark.

        Any proposal is forgotten. In a new epoch it knows of no follower how far it is, unless it led before (N1).
        """
        self.brokers[leader].proposed = Set()
        if not led_before:
            self.remember_office(leader)
        if self.view(leader).leader_epoch > epoch_before:
            self.brokers[leader].epoch_start = self.end(leader)
            if not led_before or self.forgets_followers(self.view(leader).leader_epoch, epoch_before):
                self.forget_followers(leader)
        self.advance_high_watermark(leader)

    def forgets_followers(self, epoch: int, epoch_before: int) -> bool:
        """Replica.resetReplicaState: whether a leader that led before starts anew in a later epoch."""
        if self.settings.followers_forgotten == FollowersForgotten.MISSED_EPOCH:
            return epoch > epoch_before + 1
        return self.settings.followers_forgotten == FollowersForgotten.EACH_EPOCH

    def forget_leadership(self, r: Identifier) -> None:
        """What a leader knows is gone when it becomes follower, or its process ends."""
        self.brokers[r].proposed = Set()
        self.brokers[r].epoch_start = 0
        self.leads_since[r] = 0
        self.forget_followers(r)

    def forget_followers(self, leader: Identifier) -> None:
        """Every entry of the follower table becomes blank."""
        for follower in self.brokers[leader].followers:
            self.brokers[leader].followers[follower] = UNKNOWN

    # -- the high watermark ---------------------------------------------------------------------------------------

    def maximal_isr(self, leader: Identifier) -> Set[Identifier]:
        """KIP-497: every replica that is, or may already be, in the ISR, for all the leader knows."""
        isr, proposed = self.view(leader).isr, self.brokers[leader].proposed
        if self.settings.counted_isr == CountedIsr.COMMITTED:
            return isr
        if self.settings.counted_isr == CountedIsr.PROPOSED:
            return proposed if len(proposed) > 0 else isr
        return isr | proposed

    def waited_for(self, leader: Identifier, counted: Set[Identifier]) -> Set[Identifier]:
        """Whose progress holds back the high watermark: who is counted.

        Kafka waits besides for a replica outside the ISR that was caught up within `replica.lag.time.max.ms`
        (Partition.shouldWaitForReplicaToJoinIsr). That only delays, and is left out; see `options.caught_up`.
        """
        return counted

    def known_end(self, leader: Identifier, r: Identifier) -> int:
        """The log end offset of r as the leader knows it: its own, or where r last fetched; -1 if it has not."""
        return self.end(leader) if r == leader else self.brokers[leader].followers[r]

    def advance_high_watermark(self, leader: Identifier) -> None:
        """Partition.maybeIncrementLeaderHW: up to where every member of the maximal ISR has fetched; never back.

        KIP-966, Kafka 3.7: not at all while the committed ISR is smaller than `min.insync.replicas`.
        """
        if not self.settings.strict_hw or len(self.view(leader).isr) >= self.leader_min_isr(leader):
            counted = self.maximal_isr(leader)
            before = self.brokers[leader].hw
            reached = min((self.known_end(leader, r) for r in self.waited_for(leader, counted)), default=before)
            if reached > before:
                self.brokers[leader].hw = reached
                self.remember_commit(leader, len(counted), before)

    # -- fetches --------------------------------------------------------------------------------------------------

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        """Partition.updateFollowerFetchState: the leader learns how far the follower is.

        It may then propose the follower for the ISR, under the broker epoch of this fetch, and its high watermark may
        rise.
        """
        self.brokers[leader].followers[follower] = self.end(follower)
        if self.end(follower) >= max(self.brokers[leader].hw, self.brokers[leader].epoch_start):
            self.lost_data -= {follower}
        if self.may_join(leader, follower):
            self.propose(leader, self.view(leader).isr | {follower}, joining=follower)
        self.advance_high_watermark(leader)

    # -- the ISR --------------------------------------------------------------------------------------------------

    def may_join(self, leader: Identifier, follower: Identifier) -> bool:
        """Partition.isFollowerInSync: the follower has all that may be committed, and its broker is not fenced.

        KAFKA-7128: it must have reached the start of the leader's epoch, because the high watermark of a new leader may
        be behind the truth.
        """
        fetched = self.brokers[leader].followers[follower]
        return (
            follower not in self.view(leader).isr
            and self.may_propose(leader)
            and fetched >= self.brokers[leader].hw
            and (not self.settings.epoch_start_rule or fetched >= self.brokers[leader].epoch_start)
            and (not self.settings.fenced_check or self.is_active(follower))
        )

    def may_propose(self, leader: Identifier) -> bool:
        """KIP-497: a partition has one proposal at a time, and a broker one AlterPartition request on its way."""
        return len(self.brokers[leader].proposed) == 0 and self.request.leader is None

    def propose(self, leader: Identifier, isr: Set[Identifier], joining: Identifier | None = None) -> None:
        """KIP-497: send AlterPartition. It is repeated until it is answered, so it is never lost, only late.

        A request that is based on an old partition epoch can only be refused, and need not be sent.
        """
        self.brokers[leader].proposed = isr
        if self.brokers[leader].behind == 0 or not self.settings.partition_epoch_check:
            self.request.leader = leader
            self.request.leader_epoch = self.view(leader).leader_epoch
            self.request.isr = isr
            self.request.broker_epoch = self.registrations[leader].broker_epoch
            if self.settings.broker_epoch_check and joining is not None:
                self.request.joining = joining
                self.request.joining_epoch = self.registrations[joining].broker_epoch

    @action(by="leader", to="controller", sends="AlterPartition", says="{leader} asks to drop {slow} from the ISR")
    def propose_shrink(self, leader: Replica, slow: Set[Replica]) -> None:
        """`replica.lag.time.max.ms`: the leader asks to drop all followers that have not caught up for too long.

        It goes on counting them until the controller has agreed (KIP-497).
        """
        require(self.presumes_leadership(leader))
        require(self.used.shrinks < self.bounds.shrinks)
        require(self.may_propose(leader))
        require(len(slow) > 0 and leader not in slow and slow <= self.view(leader).isr)
        require(all(self.known_end(leader, r) != self.end(leader) for r in slow))
        self.used.shrinks += 1
        self.propose(leader, self.view(leader).isr - slow)
