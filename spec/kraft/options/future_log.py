"""A replica moves to another log directory of its broker: the future log is filled there, and takes its place."""

from __future__ import annotations

from typing import Annotated, Self

from ...language import (
    Bookkeeping,
    Capacity,
    Identifier,
    Log,
    Struct,
    action,
    invariant,
    reachable,
    require,
    shown,
    view,
)
from ..broker_lifecycle import BrokerLifecycle
from ..rules import governed_by
from ..state import B, Record, Replica


class FutureLog(Struct, text="of {replica}: {log}, assigned {assigned}"):
    """The second copy of a replica, in the directory that it moves to. Without a replica there is none.

    `assigned` says that for the controller the replica lies there already (KIP-858).
    """

    replica: Replica | None
    log: Annotated[Log[Record], Capacity(B.records)]
    assigned: bool


@governed_by("abandoned_future_log_has_caught_up")
class FutureLogs(BrokerLifecycle):
    """AlterReplicaLogDirs (KIP-113): one replica moves, once.

    What cuts back the current log cuts back the future one as well: a truncation is told to it, and a machine that dies
    loses the end of both. `moved` says that the move has begun.
    """

    future: FutureLog
    moved: Bookkeeping[bool]

    @action(by="broker", says="An operator moves the replica of {broker} to another log directory")
    def alter_log_directory(self, broker: Replica) -> None:
        """Partition.maybeCreateFutureReplica: an empty log beside the current one."""
        require(not self.moved)
        require(self.is_running(broker))
        self.moved = True
        self.future.replica = broker

    @action(by="broker", says="The future log of {broker} copies the next record of the current one", fair="weak")
    def copy_to_future_log(self, broker: Replica) -> None:
        """ReplicaAlterLogDirsThread: a fetcher whose leader is the current log of the same broker."""
        require(self.future.replica == broker and self.is_running(broker))
        require(not self.has_caught_up(broker))
        self.future.log.append(self.brokers[broker].log[len(self.future.log)])

    def has_caught_up(self, broker: Identifier) -> bool:
        """Partition.runCallbackIfFutureReplicaCaughtUp: whether both logs end at the same offset."""
        return len(self.future.log) == self.end(broker)

    @action(
        by="broker",
        to="controller",
        sends="AssignReplicasToDirs",
        says="The controller learns that the replica of {broker} is to lie elsewhere",
    )
    def assign_future_log(self, broker: Replica) -> None:
        """AssignReplicasToDirs, sent when the future log has caught up; a partition change about a directory only.

        It takes a while, and the current log may grow meanwhile (ReplicaAlterLogDirsThread.maybePromoteFutureReplica).
        """
        require(self.future.replica == broker and self.is_running(broker) and self.is_active(broker))
        require(self.has_caught_up(broker) and not self.future.assigned)
        self.future.assigned = True
        now = self.metadata[0]
        self.append_change(now.leader, now.leader_epoch, now.isr)

    @action(by="broker", says="The future log of {broker} takes the place of the current one", fair="weak")
    def promote_future_log(self, broker: Replica) -> None:
        """Partition.maybeReplaceCurrentWithFutureReplica: when the controller knows, and it has caught up again."""
        require(self.future.replica == broker and self.is_running(broker))
        require(self.future.assigned and self.has_caught_up(broker))
        self.replace_current_log(broker)

    def replace_current_log(self, broker: Identifier) -> None:
        """LogManager.replaceCurrentWithFutureLog: the log that was current is deleted."""
        if not self.has_caught_up(broker):
            self.lost_data |= {broker}
        self.brokers[broker].log = self.future.log
        self.brokers[broker].hw = min(self.brokers[broker].hw, self.end(broker))
        self.forget_future_log()

    def forget_future_log(self) -> None:
        """Nothing moves any more."""
        self.future.replica = None
        self.future.log.truncate(0)
        self.future.assigned = False

    def restart(self, broker: Replica, successor: Replica | None) -> None:
        """LogManager.recoverAbandonedFutureLogs: as always, and the log is looked for where the controller has it.

        Kafka takes the future log if it lies there (KAFKA-16082), and deletes the current one, which may have more
        (H13).
        """
        complete = self.has_caught_up(broker) or not self.settings.abandoned_future_log_has_caught_up
        if self.future.replica == broker and self.future.assigned and complete:
            self.replace_current_log(broker)
        super().restart(broker, successor)

    def truncate(self, r: Identifier, offset: int) -> None:
        """As always, and the future log likewise (ReplicaAlterLogDirsManager.markPartitionsForTruncation)."""
        super().truncate(r, offset)
        if self.future.replica == r and len(self.future.log) > offset:
            self.future.log.truncate(offset)

    # -- properties -----------------------------------------------------------------------------------------------

    @invariant
    def future_log_is_a_prefix(self) -> bool:
        """The future log has what the current one has, up to its own end."""
        return all(self.future.replica != r or self.begins_with_future_log(r) for r in self.brokers)

    def begins_with_future_log(self, r: Identifier) -> bool:
        """Whether r's current log begins with all of the future one."""
        log = self.future.log
        return len(log) <= self.end(r) and all(log[offset] == self.brokers[r].log[offset] for offset in range(len(log)))

    @reachable
    def future_log_takes_over(self, new: Self) -> bool:
        """A record is in the future log when it takes the place of the current one."""
        return len(self.future.log) > 0 and self.future.replica is not None and new.future.replica is None

    @reachable
    def future_log_behind(self) -> bool:
        """The controller takes the replica to be where the future log is, and that is behind."""
        return self.future.assigned and any(
            self.future.replica == r and not self.has_caught_up(r) for r in self.brokers
        )

    # -- in words -------------------------------------------------------------------------------------------------

    @view(of="broker")
    def future_log_in_words(self, broker: Replica) -> str:
        """The future log of a broker whose replica moves, and whether the controller takes it for the replica."""
        if self.future.replica != broker:
            return ""
        log = " ".join(map(shown, self.future.log)) or "empty"
        return f"future log {log}{', where the controller has the replica' if self.future.assigned else ''}"
