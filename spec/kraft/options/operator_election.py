"""KIP-460: an operator elects a leader although no candidate is left (`kafka-leader-election`, type unclean)."""

from __future__ import annotations

from ...language import Set, action, require
from ..broker_lifecycle import BrokerLifecycle
from ..state import Replica


class OperatorElection(BrokerLifecycle):
    """Whatever `unclean.leader.election.enable` says, an operator may ask for any live replica."""

    @action(by="operator", to="controller", sends="ElectLeaders", says="An operator elects {replica}, whatever its log")
    def elect_uncleanly(self, replica: Replica) -> None:
        """ElectLeaders UNCLEAN: only for a partition without a leader, and only if no clean candidate is live.

        The new leader is alone in the ISR, and recovering until it has changed it (KIP-704).
        """
        now = self.metadata[0]
        require(now.leader is None)
        require(len(self.clean_candidates(now.isr, self.recovery.elr)) == 0)
        require(self.may_lead(replica))
        self.append_change(replica, now.leader_epoch + 1, Set({replica}))
        self.recovery.elr = Set()
        if self.settings.elr:
            self.recovery.last_known_leader = None
        self.recovery.recovering = True
