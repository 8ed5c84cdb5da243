"""KAFKA-16540: whoever changes `min.insync.replicas` clears the eligible leader replicas (ClearElrRecord)."""

from __future__ import annotations

from ...language import Set, action, require
from ..broker_lifecycle import BrokerLifecycle


class ClearedElr(BrokerLifecycle):
    """The partition changes by that although no PartitionChangeRecord says so (TopicDelta.maybeClearElr)."""

    @action(by="operator", to="controller", says="min.insync.replicas is changed, and nobody is eligible any more")
    def clear_elr(self) -> None:
        """ConfigurationControlManager: ELR and last known leader go, and the partition epoch grows."""
        require(len(self.recovery.elr) > 0 or self.recovery.last_known_leader is not None)
        now = self.metadata[0]
        self.append_change(now.leader, now.leader_epoch, now.isr)
        self.recovery.elr = Set()
        self.recovery.last_known_leader = None
