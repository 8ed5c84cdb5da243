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
from ..rules import NEVER, KraftBug, governed_by
from ..settings import Settings
from ..state import B, Offset, Record, Replica
from .deletion_answers import DeletionAnswers
from .log_start import LogStart


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


class FutureLogsOfLogStart(FutureLogs, LogStart):
    """The same where logs begin at a log start offset.

    What the future log has below that is history, and as in the current log. Where the current log begins anew it is
    truncated first, and the future one with it (ReplicaAlterLogDirsThread.truncateFullyAndStartAt).
    """

    def adopt_log_start(self, follower: Identifier, leader: Identifier, start: int) -> None:
        """As always, and the history of the future log likewise."""
        super().adopt_log_start(follower, leader, start)
        if self.future.replica == follower:
            for offset in range(min(self.log_start[follower], len(self.future.log))):
                self.future.log[offset] = self.brokers[follower].log[offset]


@governed_by(future_log_keeps_log_start=NEVER, only_where_asked_for=True)
class FutureLogStart(FutureLogsOfLogStart):
    """The future log has a log start offset of its own, `future_start`.

    It learns that of the current log with each answer that it gets from there. Nothing compares the two when it takes
    the place of the current one: that asks for the log end offsets alone (runCallbackIfFutureReplicaCaughtUp).

    It takes the place when an answer has come. Such an answer may have been read long before, though in the same leader
    epoch: others are dropped (processFetchRequest). So it says at least `answer_start`, where the current log began
    when its broker heard of the leader epoch.
    """

    future_start: Offset
    answer_start: Offset

    def copy_to_future_log(self, broker: Replica) -> None:
        """As always; the answer that brings a record says where the current log begins."""
        super().copy_to_future_log(broker)
        self.future_start = self.log_start[broker]

    @action(by="broker", says="The future log of {broker} learns where the current one begins", fair="weak")
    def learn_log_start(self, broker: Replica) -> None:
        """ReplicaAlterLogDirsThread.processPartitionData, of an answer without a record."""
        require(self.future.replica == broker and self.is_running(broker))
        require(self.has_caught_up(broker) and self.future_start < self.log_start[broker])
        self.future_start = self.log_start[broker]

    def act_on_metadata(self, broker: Identifier, led_before: bool, epoch_before: int) -> None:
        """As always; an answer that was read in an earlier leader epoch is dropped (maybeAddLogDirFetchers)."""
        super().act_on_metadata(broker, led_before, epoch_before)
        if self.future.replica == broker and self.view(broker).leader_epoch > epoch_before:
            self.answer_start = self.log_start[broker]

    def promote_future_log(self, broker: Replica) -> None:
        """As always, with an answer that says where the current log began when it was read."""
        self.future_start = max(self.future_start, self.answer_start)
        super().promote_future_log(broker)

    def replace_current_log(self, broker: Identifier) -> None:
        """As always. LogManager.replaceCurrentWithFutureLog hands on the high watermark, and no log start offset."""
        start = self.log_start[broker] if self.settings.future_log_keeps_log_start else self.future_start
        super().replace_current_log(broker)
        self.log_start[broker] = start

    def forget_future_log(self) -> None:
        """As always."""
        super().forget_future_log()
        self.future_start = 0
        self.answer_start = 0

    def truncate(self, r: Identifier, offset: int) -> None:
        """As always, and the future log begins no later than it ends."""
        super().truncate(r, offset)
        if self.future.replica == r:
            self.future_start = min(self.future_start, offset)
            self.answer_start = min(self.answer_start, offset)

    @view(of="future log")
    def future_start_in_words(self) -> str:
        """Where the future log begins, if records were deleted there, and what an answer says of that at least."""
        start = f"starts at {self.future_start}" if self.future_start > 0 else ""
        answer = f"an answer says {self.answer_start} or more" if self.answer_start > self.future_start else ""
        return "; ".join(filter(None, (start, answer)))


class FutureLogStartConfirmed(FutureLogStart, DeletionAnswers):
    """A leader whose own replica moves tells of no deletion that its future log has not learned of."""

    follower_begins_anew = None  # type: ignore[assignment]  # shown without future logs: 46 properties are the most
    deletion_confirmed_without_a_follower = None  # type: ignore[assignment]  # likewise

    def low_watermark(self, leader: Identifier) -> int:
        """Partition.lowWatermarkIfLeader: as always, and the log start offset of its own future log.

        That of a follower's future log no leader knows.
        """
        low = super().low_watermark(leader)
        return min(low, self.future_start) if self.future.replica == leader else low


BUGS = (
    KraftBug(
        id="H13",
        title="A broker stops while its replica moves to another log directory, and comes back with the shorter log",
        tickets=("LogManager.recoverAbandonedFutureLogs; no ticket known", "KAFKA-16082", "KIP-858"),
        versions="3.7.1 to 4.4, with several log directories",
        faulty=Settings(abandoned_future_log_has_caught_up=False),
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "fencings": 2},
        story=(
            "All of it is clean. The replica of b1 moves to another log directory. Its future log has caught up, and "
            "the controller accepts that the replica lies there (AssignReplicasToDirs), but before the future log "
            "takes the place of the current one r0 is appended, committed by both brokers and acknowledged, and b1 "
            "shuts down. When it starts, it finds a future log where the controller has its replica, takes it for the "
            "rest of a disk failure, and deletes the current log, which has r0 (recoverAbandonedFutureLogs). Its "
            "shutdown was clean, so it is eligible. b2 shuts down before b1 has fetched, and b1 is elected without "
            "r0. Without ELR it takes the last member of the ISR; with one replica it takes nothing but a restart. In "
            "the model; no report is known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "Of two copies take the one that is complete, not the one that lies in the expected place. A copy that was "
            "being made is behind the copy it was made of."
        ),
    ),
    KraftBug(
        id="H16",
        title="Records whose deletion was confirmed return when a future log takes the place of a follower's log",
        tickets=("LogManager.replaceCurrentWithFutureLog; no ticket known", "KIP-113", "KIP-107"),
        versions="1.1 to 4.4, with several log directories",
        faulty=Settings(future_log_keeps_log_start=False),
        properties=("deleted_records_stay_deleted", "log_start_never_goes_back"),
        bounds={"max_epoch": 1, "metadata_lag": 2, "fencings": 1},
        steps=(FutureLogStartConfirmed,),
        story=(
            "The replica of b2 moves to another log directory, and its future log has caught up. The thread that moves "
            "it reads an answer from the current log, which begins at 0. Before it goes on, r0 is deleted at b1; b2 "
            "learns that with its next fetch, and tells b1 with the one after that. So b1 answers that r0 is gone. "
            "Then the thread goes on: the logs end at the same offset, and the future log, which begins at 0, takes "
            "the place of the one that begins at 1. b1 shuts down before b2 has fetched again, b2 is elected, and "
            "consumers read r0 once more. All of it is clean. A leader counts the log start offset of its own future "
            "log (Partition.lowWatermarkIfLeader), and knows of no other. Kafka's own classes of 3.9 to 4.4 have shown "
            "it, step by step; no report is known, and no running Kafka has shown it yet."
        ),
        lesson=(
            "A copy that takes the place of another inherits all that was promised of that one: how far it is "
            "committed, and how far it is deleted."
        ),
    ),
)
