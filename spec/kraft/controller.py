"""What the controller does with the partition: change it, elect leaders, and check AlterPartition requests."""

from __future__ import annotations

import enum

from ..language import Identifier, Set, action, require
from .cluster_metadata import ClusterMetadata
from .rules import governed_by
from .state import Replica

NOBODY: Set[Identifier] = Set()


class Election(enum.Enum):
    """PartitionChangeBuilder.Election: whom a change may make leader if no clean candidate is live."""

    AS_CONFIGURED = "the last known leader, else whom `unclean.leader.election.enable` allows"
    ONLINE = "the last known leader"
    CLEAN = "nobody"
    PREFERRED = "the successor, although the leader could stay"
    UNCLEAN = "the last known leader, else any live replica"


@governed_by(shrink_bumps_leader_epoch={"": True, "3.6": False})
class Controller(ClusterMetadata):
    """ReplicationControlManager and PartitionChangeBuilder. The controller knows nothing of logs and offsets."""

    # -- who may lead ---------------------------------------------------------------------------------------------

    def may_lead(self, r: Identifier) -> bool:
        """Whether the controller accepts a replica as leader: it is live."""
        return self.is_active(r)

    def clean_candidates(self, isr: Set[Identifier], elr: Set[Identifier]) -> Set[Identifier]:
        """Live members of the ISR; if the ISR is empty, live eligible leader replicas (KIP-966)."""
        return Set(r for r in self.brokers if self.may_lead(r) and (r in isr or (len(isr) == 0 and r in elr)))

    def last_known_leader_stands(self, isr: Set[Identifier], elr: Set[Identifier]) -> bool:
        """KIP-966: with neither ISR nor ELR the last known leader leads again; KAFKA-19522: if it is alive."""
        last = self.recovery.last_known_leader
        return (
            self.settings.elr
            and self.settings.elects_last_known_leader
            and len(isr) == 0
            and len(elr) == 0
            and last is not None
            and (not self.settings.known_leader_must_be_active or self.may_lead(last))
        )

    def is_replica(self, r: Identifier) -> bool:
        """Whether the partition has a replica on a broker: every broker has one."""
        return True

    def is_settled(self) -> bool:
        """Whether the leader may stay. If not, every change that is written elects another, whatever it is about."""
        return any(self.metadata[0].leader == r and self.may_lead(r) for r in self.brokers)

    def require_successor(
        self,
        successor: Identifier | None,
        clean: Set[Identifier],
        isr: Set[Identifier],
        elr: Set[Identifier],
        election: Election,
    ) -> None:
        """PartitionChangeBuilder.electAnyLeader: the leader stays if it can.

        Otherwise any clean candidate follows; without one the last known leader, or with unclean election any live
        replica, whatever its log.
        """
        now = self.metadata[0]
        live = Set(r for r in self.brokers if self.may_lead(r))
        if now.leader in clean:
            require(successor == now.leader)
        elif len(clean) > 0:
            require(successor in clean)
        elif election != Election.CLEAN and self.last_known_leader_stands(isr, elr):
            require(successor == self.recovery.last_known_leader)
        elif self.may_be_unclean(election) and len(live) >= self.compared_replicas():
            require(successor in live)
            require(not self.settings.unclean_by_longest_log or self.has_longest_log(successor, live))
        else:
            require(successor is None)

    def may_be_unclean(self, election: Election) -> bool:
        """Whether a replica may be elected that is no clean candidate, and not the last known leader."""
        return election == Election.UNCLEAN or (
            election == Election.AS_CONFIGURED and self.settings.unclean_leader_election
        )

    def compared_replicas(self) -> int:
        """How many replicas must be live for an unclean election; to find the longest log, all but the lost leader."""
        return self.bounds.replication_factor - 1 if self.settings.unclean_by_longest_log else 1

    def has_longest_log(self, r: Identifier | None, among: Set[Identifier]) -> bool:
        """Whether no other replica's last record has a greater epoch, or the same and a greater offset."""
        return any(
            r == candidate
            and all(
                self.last_epoch(other) < self.last_epoch(candidate)
                or (self.last_epoch(other) == self.last_epoch(candidate) and self.end(other) <= self.end(candidate))
                for other in among
            )
            for candidate in among
        )

    # -- the partition change -------------------------------------------------------------------------------------

    def eligible_leader_replicas(self, isr: Set[Identifier], unclean: Set[Identifier]) -> Set[Identifier]:
        """KIP-966: who left the ISR while it was smaller than `min.insync.replicas`, unless it may have lost data.

        Where ELR was switched off, who was eligible may be elected this once more.
        """
        if not self.settings.elr:
            return self.recovery.elr
        if len(isr) >= self.min_isr():
            return Set()
        return (self.recovery.elr | self.metadata[0].isr) - isr - unclean

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
        """PartitionChangeBuilder.build: every cause of a change goes through here. Nothing is written without one.

        `isr` is the ISR aimed at, `unclean` who restarted uncleanly, `leaving` who is no replica any more (KIP-455),
        and a change is `written` although none of this changes if it is about something else as well.
        Without ELR the last member stays in the ISR; of what is left from when it was on, the ELR is emptied, and the
        last known leader stays (maybeUpdateRecordElr, maybeUpdateLastKnownLeader). The leader epoch grows with every
        election, and when a replica leaves; before KAFKA-15021 also when one leaves the ISR.
        """
        now = self.metadata[0]
        elr = self.eligible_leader_replicas(isr, unclean)
        clean = self.clean_candidates(isr, elr)
        if election == Election.PREFERRED:
            require(successor in clean)
        else:
            self.require_successor(successor, clean, isr, elr, election)
        recovering = self.recovery.recovering and not recovered
        if successor is not None and successor not in clean:
            isr, elr, recovering = Set({successor}), Set(), True
        elif len(isr) == 0 and successor is not None:
            isr, elr = Set({successor}), elr - {successor}
        elif len(isr) == 0 and not self.settings.elr:
            isr = now.isr
        epoch = now.leader_epoch
        if (
            successor != now.leader
            or len(leaving) > 0
            or (self.settings.shrink_bumps_leader_epoch and not now.isr <= isr)
        ):
            epoch = now.leader_epoch + 1
        last = self.recovery.last_known_leader
        if not self.settings.elr:
            elr = Set()
        elif successor is not None:
            if epoch != now.leader_epoch or self.settings.last_known_leader_is_kept_up:
                last = None
        elif self.settings.last_known_leader_is_kept_up:
            if len(isr) == 0 and isr != now.isr:
                last = now.leader
        elif last is None:
            last = now.leader
        if (
            written
            or successor != now.leader
            or isr != now.isr
            or elr != self.recovery.elr
            or last != self.recovery.last_known_leader
            or recovering != self.recovery.recovering
            or epoch != now.leader_epoch
        ):
            self.append_change(successor, epoch, isr)
            self.recovery.elr = elr
            self.recovery.last_known_leader = last
            self.recovery.recovering = recovering

    # -- steps ----------------------------------------------------------------------------------------------------

    @action(
        by="controller",
        to="request.leader",
        receives="AlterPartition",
        says="The controller handles AlterPartition",
        fair="weak",
    )
    def handle_alter_partition(self, successor: Replica | None) -> None:
        """KIP-497, KIP-841, KIP-903: the controller checks the AlterPartition request that is on its way.

        FENCED_LEADER_EPOCH and INVALID_UPDATE_VERSION leave the leader waiting for metadata, because an earlier copy
        may have been accepted. After INELIGIBLE_REPLICA it returns to the ISR it had.
        """
        require(self.request.leader is not None)
        if self.is_from_present_leader():
            if all(self.is_eligible(r) for r in self.request.isr):
                isr = self.request.isr
                self.forget_request()
                self.change_partition(isr, successor, Set(), recovered=True)
            else:
                require(successor is None)
                self.withdraw_proposal()
                self.forget_request()
        else:
            require(successor is None)
            self.forget_request()

    def is_from_present_leader(self) -> bool:
        """Whether the request comes from the partition's leader in its present epoch, and from its present incarnation.

        Otherwise the answer is FENCED_LEADER_EPOCH or STALE_BROKER_EPOCH.
        """
        return any(
            self.request.leader == r
            and self.metadata[0].leader == r
            and self.request.leader_epoch == self.metadata[0].leader_epoch
            and self.request.broker_epoch == self.registrations[r].broker_epoch
            for r in self.brokers
        )

    def withdraw_proposal(self) -> None:
        """INELIGIBLE_REPLICA reaches the leader: nothing was applied, so it proposes nothing any more."""
        for r in self.brokers:
            if (
                self.request.leader == r
                and self.presumes_leadership(r)
                and self.view(r).leader_epoch == self.request.leader_epoch
                and self.brokers[r].proposed == self.request.isr
            ):
                self.brokers[r].proposed = Set()

    @action(by="controller", to="replica", says="The controller elects {replica} in place of a live leader")
    def elect_preferred_leader(self, replica: Replica) -> None:
        """ElectLeaders PREFERRED (KIP-460), or the balancing of leaders: any live member of the ISR may be named.

        Where no live broker leads it does more than that: `options.leaderless_election`.
        """
        require(self.used.elections < self.bounds.elections)
        require(self.metadata[0].leader is not None and self.metadata[0].leader != replica)
        require(replica in self.metadata[0].isr)
        self.used.elections += 1
        self.change_partition(self.metadata[0].isr, replica, Set(), election=Election.PREFERRED)
