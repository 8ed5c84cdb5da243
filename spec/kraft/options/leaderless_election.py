"""KIP-460: a preferred leader is asked for where no live broker leads."""

from __future__ import annotations

from ...language import Set, action, require
from ..broker_lifecycle import BrokerLifecycle
from ..controller import Election
from ..state import Replica


class LeaderlessElection(BrokerLifecycle):
    """An operator, or the balancing of leaders, finds a partition whose leader is fenced, or that has none."""

    @action(by="controller", says="The controller elects whom it can where no live broker leads")
    def elect_any_leader(self, successor: Replica | None) -> None:
        """ElectLeaders PREFERRED (electPreferredLeader): if neither preferred replica nor leader may lead, others may.

        Without a clean candidate that is the last known leader, and nobody uncleanly. A fenced leader goes in any case.
        """
        require(self.used.elections < self.bounds.elections)
        require(not self.is_settled())
        leader = self.metadata[0].leader
        require(successor is not None or leader is not None)
        require(any(leader != r and self.is_replica(r) for r in self.brokers))
        self.used.elections += 1
        self.change_partition(self.metadata[0].isr, successor, Set(), election=Election.ONLINE)
