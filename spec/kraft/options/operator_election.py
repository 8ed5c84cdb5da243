"""KIP-460: an operator elects a leader although no candidate is left (`kafka-leader-election`, type unclean)."""

from __future__ import annotations

from ...language import Set, action, require
from ..broker_lifecycle import BrokerLifecycle
from ..controller import Election
from ..state import Replica


class OperatorElection(BrokerLifecycle):
    """Whatever `unclean.leader.election.enable` says, an operator may ask for any live replica."""

    @action(by="operator", to="controller", sends="ElectLeaders", says="An operator elects {replica}, whatever its log")
    def elect_uncleanly(self, replica: Replica) -> None:
        """ElectLeaders UNCLEAN: only for a partition without a leader. The last known leader comes first if it stands.

        The new leader is alone in the ISR, and recovering until it has changed it (KIP-704).
        """
        require(self.metadata[0].leader is None)
        self.change_partition(self.metadata[0].isr, replica, Set(), election=Election.UNCLEAN)
