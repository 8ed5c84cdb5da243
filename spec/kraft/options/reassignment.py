"""KIP-455: the partition moves to other replicas, on one broker more than it has replicas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from ...language import (
    ALL,
    Bookkeeping,
    Identifier,
    Integers,
    Map,
    Set,
    action,
    bound,
    invariant,
    leads_to,
    reachable,
    require,
    view,
)
from ..broker_lifecycle import BrokerLifecycle
from ..controller import NOBODY, Election
from ..liveness import HEALING, Liveness
from ..rules import NEVER, PARTS, KraftBug, governed_by
from ..settings import FollowersForgotten, ReassignmentEnds, Settings
from ..state import UNKNOWN, Age, KraftBounds, RecordId, Replica


@dataclass(frozen=True)
class ReassignmentBounds(KraftBounds):
    """As always, and how often the partition is reassigned."""

    reassignments: int = bound(2, least=0, most=4, help="the number of reassignments begun or cancelled")


@governed_by(
    "joins_by_fetch_only",
    reassignment_ends={
        "": ReassignmentEnds.ALL_ADDED,
        "3.8": ReassignmentEnds.ALL_TARGETS,
        "4.3": ReassignmentEnds.ALL_ADDED_IF_AS_MANY,
    },
    elr_has_only_replicas=NEVER,
    only_where_asked_for=True,
)
class Reassignment(BrokerLifecycle, Liveness):
    """A reassignment adds the new replicas beside the old ones, and takes these away when the new are in the ISR.

    `replicas[n]` are the replicas as of `metadata[n]`, those included that are to leave. At first every broker has one;
    a broker that was taken out of the partition is the one more that the next reassignment may choose.
    """

    bounds: ReassignmentBounds

    replicas: Map[Age, Set[Replica]]
    adding: Set[Replica]
    removing: Set[Replica]
    reassigned: Bookkeeping[Annotated[int, Integers(0, ReassignmentBounds.reassignments)]]

    def initial(self, leader: Replica) -> None:
        """As always, and every broker has a replica."""
        super().initial(leader)
        self.replicas[0] = Set(self.brokers)

    def has_replica(self, r: Identifier, known_to: Identifier) -> bool:
        """Whether r belongs to the partition, for all that a broker knows."""
        return r in self.replicas[self.brokers[known_to].behind]

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        """As always, and both know that the follower has a replica; else the answer is UNKNOWN_LEADER_EPOCH."""
        return (
            super().follows(follower, leader)
            and self.has_replica(follower, follower)
            and self.has_replica(follower, leader)
        )

    # -- the controller -------------------------------------------------------------------------------------------

    def may_lead(self, r: Identifier) -> bool:
        """As always, and it has a replica."""
        return super().may_lead(r) and r in self.replicas[0]

    def is_replica(self, r: Identifier) -> bool:
        """As always, and it has a replica."""
        return r in self.replicas[0]

    def is_settled(self) -> bool:
        """As always, and no reassignment waits for the next change to end it."""
        return super().is_settled() and not self.is_complete(self.metadata[0].isr)

    def registers_at_once(self) -> bool:
        """As always, and where a reassignment is on: the change behind that which fences may end it."""
        return self.settings.registration_fences_the_old_incarnation

    def is_candidate(self, r: Identifier) -> bool:
        """As always, and it has a replica."""
        return super().is_candidate(r) and r in self.replicas[0]

    def is_under_way(self) -> bool:
        """Whether a reassignment has begun and not ended."""
        return len(self.adding | self.removing) > 0

    def is_complete(self, isr: Set[Identifier]) -> bool:
        """PartitionReassignmentReplicas.maybeCompleteReassignment: whether with this ISR the old replicas may go.

        KAFKA-15665, Kafka 3.8: when all target replicas are in the ISR; before, when all new ones are. KAFKA-19975,
        Kafka 4.3: when all new ones are, and if they are fewer than those that go, all target ones.
        """
        target = (self.replicas[0] | self.adding) - self.removing
        rule = self.settings.reassignment_ends
        return (
            self.is_under_way()
            and len(isr - self.removing) > 0
            and self.adding <= isr
            and (
                rule == ReassignmentEnds.ALL_ADDED
                or (rule == ReassignmentEnds.ALL_ADDED_IF_AS_MANY and len(self.adding) >= len(self.removing))
                or target <= isr
            )
        )

    @action(by="controller", says="The partition is reassigned to {target}")
    def reassign(self, target: Set[Replica], successor: Replica | None) -> None:
        """AlterPartitionReassignments: at once complete if nobody is added and all who stay are in the ISR.

        Never to fewer replicas than min.insync.replicas, which would then be smaller as well. To the replicas that it
        has nothing is written, unless that changes the leader.
        """
        require(self.reassigned < self.bounds.reassignments)
        require(not self.is_under_way())
        require(len(target) >= self.min_isr())
        require(target != self.replicas[0] or not self.is_settled())
        self.reassigned += 1
        self.adding = target - self.replicas[0]
        self.removing = self.replicas[0] - target
        if self.is_under_way():
            self.write_assignment(target, successor)
        else:
            self.change_partition(self.metadata[0].isr, successor, Set(), election=Election.ONLINE)

    def write_assignment(self, target: Set[Identifier], successor: Identifier | None) -> None:
        """PartitionChangeBuilder.build: the change that ends a reassignment at once, or one that begins it.

        Like every change it elects where no live broker leads, but nobody uncleanly. LeaderAcceptor looks up in which
        directory a candidate's replica lies, and who is added has none yet. If it is eligible all the same (W4), the
        request fails with UNKNOWN_SERVER_ERROR, unless another of the target replicas comes first; who is to go does
        not.
        """
        isr = self.metadata[0].isr
        if self.is_complete(isr):
            self.change_partition(isr, successor, Set(), election=Election.ONLINE)
        else:
            eligible = self.recovery.elr if len(isr) == 0 else NOBODY
            without_directory = Set(r for r in (target & eligible) - self.replicas[0] if self.is_active(r))
            require(len(without_directory) == 0 or (successor is not None and successor in target))
            everyone = self.replicas[0] | target
            self.change_partition(isr, successor, Set(), election=Election.ONLINE, written=True)
            self.replicas[0] = everyone

    @action(by="controller", says="The reassignment is cancelled")
    def cancel_reassignment(self, successor: Replica | None) -> None:
        """AlterPartitionReassignments without a target: the new replicas go. One of the old must be in the ISR.

        With unclean election it need not be: `options.unclean_cancellation`.
        """
        require(self.reassigned < self.bounds.reassignments)
        require(self.is_under_way())
        require(len(self.metadata[0].isr - self.adding) > 0)
        self.reassigned += 1
        leaving = self.adding
        self.end_reassignment(leaving, self.metadata[0].isr, successor, Set(), False, Election.AS_CONFIGURED)

    def change_partition(
        self,
        isr: Set[Identifier],
        successor: Identifier | None,
        unclean: Set[Identifier],
        recovered: bool = False,
        election: Election = Election.AS_CONFIGURED,
        leaving: Set[Identifier] = NOBODY,
        written: bool = False,
    ) -> None:
        """As always; the change that completes the reassignment takes the old replicas away as well."""
        if self.is_complete(isr):
            self.end_reassignment(self.removing, isr, successor, unclean, recovered, election)
        else:
            super().change_partition(isr, successor, unclean, recovered, election, leaving, written)

    def end_reassignment(
        self,
        leaving: Set[Identifier],
        isr: Set[Identifier],
        successor: Identifier | None,
        unclean: Set[Identifier],
        recovered: bool,
        election: Election,
    ) -> None:
        """Some replicas leave: from the ISR and from leadership, and from the ELR if that is the rule (W4).

        That nobody is to come or to go any more is a change as well, if nobody leaves.
        """
        before = self.replicas[0]
        self.replicas[0] = before - leaving
        self.adding = Set()
        self.removing = Set()
        gone = unclean | leaving if self.settings.elr_has_only_replicas else unclean
        super().change_partition(isr - leaving, successor, gone, recovered, election, leaving, written=True)
        if len(leaving) > 0:
            self.replicas[1] = before
            self.forget_replayed_changes()

    # -- the brokers ----------------------------------------------------------------------------------------------

    def append_change(self, leader: Identifier | None, leader_epoch: int, isr: Set[Identifier]) -> None:
        """As always. The replicas stay the same, unless the caller changes them."""
        for age in reversed(range(self.bounds.metadata_lag)):
            self.replicas[age + 1] = self.replicas[age]
        super().append_change(leader, leader_epoch, isr)

    def matters_to(self, r: Identifier, leader: Identifier | None, leader_epoch: int) -> bool:
        """Every change may be about a broker's own replica."""
        return True

    def ends_a_batch(self, broker: Identifier, age: int) -> bool:
        """So a batch may end anywhere."""
        return True

    def forget_replayed_changes(self) -> None:
        """As always, the replicas included."""
        super().forget_replayed_changes()
        for age in range(1, self.bounds.metadata_lag + 1):
            if all(self.brokers[r].behind < age for r in self.brokers):
                self.replicas[age] = Set()

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; a broker without a replica deletes its log, and a leader forgets who has none.

        A broker that replays in one batch that it lost its replica and has it again does nothing of the kind.
        """
        if not self.has_replica(broker, broker):
            self.truncate(broker, 0)
        for follower in self.brokers[broker].followers:
            if not self.has_replica(follower, broker):
                self.brokers[broker].followers[follower] = UNKNOWN
        super().act_on_metadata(broker, led_before, epoch_before)

    @action(by="leader", to="controller", sends="AlterPartition", says="{leader} proposes {follower} without a fetch")
    def propose_without_fetch(self, leader: Replica, follower: Replica) -> None:
        """What Kafka never does: the leader looks at what it remembers of a follower, and proposes it for the ISR."""
        require(not self.settings.joins_by_fetch_only)
        require(follower != leader)
        require(self.presumes_leadership(leader))
        require(self.has_replica(follower, leader))
        require(self.may_join(leader, follower))
        self.propose(leader, self.view(leader).isr | {follower}, joining=follower)

    # -- properties -----------------------------------------------------------------------------------------------

    @invariant
    def isr_has_replicas(self) -> bool:
        """Every member of the ISR is a replica of the partition."""
        return self.metadata[0].isr <= self.replicas[0]

    @invariant
    def elr_has_replicas(self) -> bool:
        """Every eligible leader replica is a replica of the partition (W4)."""
        return self.recovery.elr <= self.replicas[0]

    @reachable
    def reassignment_waits(self) -> bool:
        """A new replica has yet to catch up, and the old one is still there."""
        return len(self.adding) > 0 and len(self.removing) > 0

    @reachable
    def reassignment_moves_leader(self, new: Self) -> bool:
        """The leader is not among the new replicas, and another is elected when the reassignment is complete."""
        leader = self.metadata[0].leader
        return leader is not None and leader in self.removing and leader not in new.replicas[0]

    # -- what must happen in the end ------------------------------------------------------------------------------

    @leads_to(fair=HEALING, parts=PARTS)
    def follower_joins_isr(self, follower: Replica) -> tuple[bool, bool]:
        """A follower that goes on running and being a replica, under a leader that goes on leading, is in the ISR."""
        premise, goal = super().follower_joins_isr(follower)
        return premise, goal or follower not in self.replicas[0]

    @leads_to(fair=HEALING, parts=PARTS)
    def acknowledged_is_fully_replicated(self, record: RecordId, replica: Replica) -> tuple[bool, bool]:
        """An acknowledged record is on every replica that goes on running under a leader that goes on leading."""
        premise, goal = super().acknowledged_is_fully_replicated(record, replica)
        return premise, goal or replica not in self.replicas[0]

    @leads_to(fair=HEALING, parts=PARTS)
    def logs_converge(self, follower: Replica, leader: Replica) -> tuple[bool, bool]:
        """A follower that goes on running and being a replica has the log of a leader that goes on leading."""
        premise, goal = super().logs_converge(follower, leader)
        return premise, goal or follower not in self.replicas[0]

    @leads_to(fair=HEALING, parts=PARTS)
    def reassignment_ends(self) -> tuple[bool, bool]:
        """A reassignment ends, unless a broker is down and not fenced yet."""
        waits = self.is_under_way()
        return waits, not waits or any(self.is_active(r) and not self.is_running(r) for r in self.brokers)

    @leads_to(fair=ALL, optional=True)
    def isr_is_full(self) -> tuple[bool, bool]:
        """Every replica that is to stay is in the ISR again, unless a broker is down and not fenced yet."""
        full = self.replicas[0] - self.removing <= self.metadata[0].isr
        return not full, full or any(self.is_active(r) and not self.is_running(r) for r in self.brokers)

    # -- words ----------------------------------------------------------------------------------------------------

    @view(of="controller")
    def reassignment_in_words(self) -> str:
        """The replicas, where these are not all brokers, and who comes and goes."""
        said = [f"replicas {self.replicas[0]}"] if len(self.replicas[0]) < len(self.brokers) else []
        said += [f"{self.adding} is to join"] if self.adding else []
        said += [f"{self.removing} is to go"] if self.removing else []
        return ", ".join(said)

    @view(of="broker")
    def known_replicas_in_words(self, broker: Replica) -> str:
        """The replicas that a broker knows, where it has yet to replay others."""
        known = self.replicas[self.brokers[broker].behind]
        return f"believes the replicas are {known}" if known != self.replicas[0] else ""


BUGS = (
    KraftBug(
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
        lesson=(
            "What is remembered of a replica ends with its term. Propose a member for what it has just shown, not for "
            "what was once true of it."
        ),
    ),
    KraftBug(
        id="KAFKA-15665",
        title="A reassignment is complete although a replica that stays is not in the ISR",
        tickets=("KAFKA-15665",),
        versions="3.0 to 3.7",
        faulty=Settings(reassignment_ends=ReassignmentEnds.ALL_ADDED),
        properties=("committed_never_lost",),
        bounds={"replication_factor": 3, "max_epoch": 2, "lossy_crashes": 1, "shrinks": 1, "reassignments": 1},
        lesson="A plan is complete when all that shall stay are in sync, not only those that are new.",
    ),
    KraftBug(
        id="W4",
        title="A replica that was reassigned away stays eligible, comes back empty, and is elected",
        tickets=("PartitionChangeBuilder.maybeUpdateRecordElr; no ticket known", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(elr_has_only_replicas=False),
        properties=("leader_completeness", "elr_has_replicas", "leader_candidate_completeness"),
        bounds={"replication_factor": 3, "max_epoch": 3, "crashes": 1, "shrinks": 1, "reassignments": 4},
        story=(
            "b2 is slow and leaves the ISR {b1, b2}, which is smaller than min.insync.replicas then. b3 is being "
            "added, joins the ISR, and the reassignment is cancelled: b3 leaves the ISR while this is too small, so "
            "the controller takes b3, which is no replica any more, into the ELR. b1 does not know that yet: it "
            "commits r0, which b3 has as well, and crashes, and loses nothing. b3 learns of the end of the "
            "reassignment and deletes its log. A new reassignment adds b3 again: it is still eligible. b1 is fenced, "
            "the ISR is empty, and b3 is elected from the ELR with an empty log. What was acknowledged with acks=all "
            "and min.insync.replicas=2 is gone. Until b3 is added again the ghost does harm of another kind: the last "
            "known leader may lead only if the ELR is empty. Intersecting the ELR with the replicas closes both. "
            "Kafka's own classes of 4.0 to 4.4 have shown it, step by step; no report is known, and no running Kafka "
            "has shown it yet."
        ),
        only_with_elr=True,
        lesson=(
            "Whoever stops being a replica must leave every list of those who may lead. Being taken out of one list "
            "must not be what puts it into another."
        ),
    ),
)
