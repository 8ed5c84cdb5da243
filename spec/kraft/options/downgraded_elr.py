"""KIP-966: `eligible.leader.replicas.version` is set to 0, and what is left of the ELR is not kept up any more."""

from __future__ import annotations

from typing import Self

from ...language import Identifier, Set, action, action_property, invariant, require, view
from ..broker_lifecycle import BrokerLifecycle
from ..controller import NOBODY, Election
from ..rules import KraftBug, governed_by
from ..settings import Settings
from .min_isr_change import MinIsrChange


@governed_by("unclean_restart_leaves_left_over_elr", only_with_elr=True)
class DowngradedElr(BrokerLifecycle):
    """The feature is on at first, and may be switched off.

    Who is eligible stays so until the partition changes, and may be elected by that change.
    """

    elr_is_off: bool

    @action(by="operator", to="controller", says="eligible.leader.replicas.version is set to 0")
    def switch_elr_off(self) -> None:
        """FeatureLevelRecord: no partition changes by it (FeatureControlManager.updateFeatures)."""
        require(self.settings.elr and not self.elr_is_off)
        self.elr_is_off = True

    # -- what the controller does while the feature is off --------------------------------------------------------

    def last_known_leader_stands(self, isr: Set[Identifier], elr: Set[Identifier]) -> bool:
        """Only while the feature is on."""
        return not self.elr_is_off and super().last_known_leader_stands(isr, elr)

    def eligible_leader_replicas(self, isr: Set[Identifier], unclean: Set[Identifier]) -> Set[Identifier]:
        """Who is left may be elected this once more."""
        return self.recovery.elr if self.elr_is_off else super().eligible_leader_replicas(isr, unclean)

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
        """As without ELR: the last member stays in the ISR, the ELR is emptied, the last known leader stays."""
        last = self.recovery.last_known_leader
        left_over = self.elr_is_off and len(self.recovery.elr) > 0
        stays = self.elr_is_off and successor is None and len(isr) == 0
        require(not stays or len(self.clean_candidates(isr, self.recovery.elr)) == 0)
        aimed_at = self.metadata[0].isr if stays else isr
        super().change_partition(aimed_at, successor, unclean, recovered, election, leaving, written or left_over)
        if self.elr_is_off:
            self.recovery.elr = Set()
            self.recovery.last_known_leader = last

    def leave_isr(self, broker: Identifier, successor: Identifier | None, unclean: Set[Identifier]) -> None:
        """handleBrokerShutdown: an unclean shutdown is like any other; with the rule, the ELR is emptied by it."""
        is_left_over = self.elr_is_off and broker in self.recovery.elr and broker in unclean
        if is_left_over and self.settings.unclean_restart_leaves_left_over_elr:
            now = self.metadata[0]
            self.append_change(now.leader, now.leader_epoch, now.isr)
            self.recovery.elr = Set()
        super().leave_isr(broker, successor, Set() if self.elr_is_off else unclean)

    # -- properties -----------------------------------------------------------------------------------------------

    @invariant
    def fenced_not_in_isr(self) -> bool:
        """A fenced broker is not in the ISR; without ELR, unless it is its last member."""
        now = self.metadata[0]
        is_last = self.elr_is_off and len(now.isr) == 1
        return all(self.is_active(r) or r not in now.isr or is_last for r in self.brokers)

    @action_property
    def elected_from_elr_is_complete(self, new: Self) -> bool:
        """A running broker that is elected from the ELR holds every committed record."""
        before, now = self.metadata[0], new.metadata[0]
        return all(
            r not in self.recovery.elr or not self.is_running(r) or new.holds_committed(r)
            for r in self.brokers
            if now.leader == r and now.leader_epoch != before.leader_epoch
        )

    @view(of="controller")
    def elr_level_in_words(self) -> str:
        """Whether the feature is switched off."""
        return "ELR is switched off" if self.elr_is_off else ""


@governed_by("min_isr_change_clears_left_over_elr", only_with_elr=True)
class LoweredMinIsr(MinIsrChange, DowngradedElr):
    """`min.insync.replicas` is what the settings say at first, and may be lowered to 1."""

    # -- who knows what -------------------------------------------------------------------------------------------

    def min_isr(self) -> int:
        """The controller knows it at once."""
        return 1 if self.changed else super().min_isr()

    def least_min_isr(self) -> int:
        """A leader may know the lower one."""
        return 1

    def leader_min_isr(self, leader: Identifier) -> int:
        """A leader has the lower one when it has replayed it."""
        return 1 if self.changed and leader in self.knowing else super().min_isr()

    # -- the step -------------------------------------------------------------------------------------------------

    @action(by="operator", to="controller", says="min.insync.replicas is lowered to 1")
    def lower_min_isr(self) -> None:
        """ConfigRecord, and ClearElrRecord beside it (createClearElrRecordsAsNeeded), in Kafka only while ELR is on."""
        require(not self.changed)
        require(self.min_isr() > 1)
        if not self.elr_is_off or self.settings.min_isr_change_clears_left_over_elr:
            self.forget_eligible()
        self.changed = True

    @view(of="controller")
    def lowered_in_words(self) -> str:
        """Whether the new value stands in the metadata log, and how many changes of the partition come after it."""
        return f"min.insync.replicas is lowered to 1{self.later_changes_in_words()}" if self.changed else ""


BUGS = (
    KraftBug(
        id="H14",
        title="ELR is switched off and min.insync.replicas lowered, and who is left in the ELR is elected",
        tickets=(
            "FeatureControlManager.updateFeatures; no ticket known",
            "KIP-966",
            "KAFKA-16540",
        ),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(min_isr_change_clears_left_over_elr=False),
        properties=("elected_from_elr_is_complete", "leader_completeness"),
        bounds={"fencings": 2, "max_epoch": 1},
        story=(
            "b2 is fenced while min.insync.replicas is 2, and is eligible: nothing is committed without it. An "
            "operator sets eligible.leader.replicas.version to 0. No partition changes by that, and b2 stays in the "
            "ELR. min.insync.replicas is lowered to 1. While ELR is on this clears the ELR (KAFKA-16540); now it does "
            "not. b1 commits r0 alone and tells the producer of success. b2 is back and has not fetched yet when b1 is "
            "fenced: the controller finds it in the ELR and elects it as a clean candidate, without r0. By that change "
            "the ELR is emptied at last. Without ELR nobody would lead until b1 is back. It was reproduced on running "
            "brokers of Kafka 4.0 to 4.4."
        ),
        shown_on=("4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"),
        only_with_elr=True,
        lesson=(
            "A feature that is switched off leaves its state behind. Either the state goes with it, or the rules that "
            "keep it true stay."
        ),
    ),
    KraftBug(
        id="H14b",
        title="ELR is switched off, and a broker that is left in it loses its log and is elected",
        tickets=("ReplicationControlManager.handleBrokerShutdown; no ticket known", "KIP-966"),
        versions="4.0 to 4.4, with ELR",
        faulty=Settings(unclean_restart_leaves_left_over_elr=False),
        properties=("elected_from_elr_is_complete",),
        bounds={"fencings": 2, "max_epoch": 1, "lossy_crashes": 1},
        story=(
            "b2 is fenced while min.insync.replicas is 2, and is eligible. An operator sets "
            "eligible.leader.replicas.version to 0, and b2 stays in the ELR. r0 is on both and committed: b1 does not "
            "know yet that b2 has left the ISR. b2 crashes and loses r0. When it registers, the controller learns that "
            "its shutdown was unclean, and takes brokers with an unclean shutdown out of the ELR only while ELR is on. "
            "b1 shuts down, and b2 is elected as a clean candidate, without r0. It was reproduced on running brokers "
            "of Kafka 4.0 to 4.4, where r0 was committed before b2 left."
        ),
        shown_on=("4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"),
        only_with_elr=True,
        lesson="Who may be elected must be decided by the same rules as long as anybody is in the list.",
    ),
)
