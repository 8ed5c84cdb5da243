"""A partition as one broker holds it: what its log has said so far, and whether the next line may follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..evidence.broker_events import (
    CopyTruncated,
    FetcherAdded,
    FetcherRemoved,
    HighWatermarkMoved,
    IsrShrinks,
    IsrUpdated,
    LogCut,
    LogLoaded,
    LogRead,
    OfPartition,
    PartitionMade,
    RoleKept,
    RoleTaken,
    Truncated,
)
from .findings import by_clean_events
from .image import Brokers, History, Life, Partition

# -- line -------------------------------------------------------------------------------------------------------------
# A line of a broker's log that cannot be, or cannot be judged, and how that is told.

NOBODY = -1
"""How logs write that there is no leader."""

NAMES = {"isr": "ISR", "elr": "ELR"}


class Wrong(Exception):
    """A line that cannot be: what it says, and what was expected."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(found)
        self.found, self.expected = found, expected


class Suspected(Exception):
    """A line that the version's rules allow, and that loses what was committed: what it says, and by what it may."""

    def __init__(self, found: str, why: str) -> None:
        super().__init__(found)
        self.found, self.why = found, why


class LeftOut(Exception):
    """A line that cannot be judged, and why."""


def leader_of(said: int) -> int | None:
    """The leader that a log names; None if it says that there is none."""
    return None if said == NOBODY else said


def sets_of(at: Partition) -> dict[str, Brokers]:
    """The sets of brokers that a log may print of a partition."""
    return {
        "isr": at.isr,
        "adding": at.adding,
        "removing": at.removing,
        "elr": at.elr,
        "replicas": frozenset(at.replicas),
    }


def told(leader: int | None, epoch: int | None, sets: Mapping[str, Brokers], at: int | None = None) -> str:
    """`leader 2 e1, ISR 2,3 at partition epoch 4`."""
    who = "no leader" if leader is None else f"leader {leader}"
    said = [who if epoch is None else f"{who} e{epoch}"]
    said += [f"{NAMES.get(name, name)} {listed(some)}" for name, some in sets.items()]
    return ", ".join(said) + ("" if at is None else f" at partition epoch {at}")


def listed(some: Brokers) -> str:
    """`1,2`."""
    return ",".join(map(str, sorted(some))) or "empty"


def cut_to(offset: int, high_watermark: int) -> str:
    """A truncation of what was committed."""
    return f"truncation to {offset}, and the high watermark was {high_watermark}"


# -- log cuts ---------------------------------------------------------------------------------------------------------
# What a log says of where it is cut, held against what its fetcher has said just before: one thread does both.


class LogCuts:
    """The truncations of one log, as its broker's lines tell them."""

    def __init__(self) -> None:
        self.said: int | None = None
        """Where the fetcher has said to cut, if no other line of the partition came since: some may be missing."""
        self.copied = False
        """Whether a copy that moves to another directory was cut: it has the same name, and its lines look alike."""

    def take(self, event: OfPartition) -> None:
        """Go on by a line of the partition. Raises Wrong for one of the log that does not agree with its fetcher's."""
        said, self.said = self.said, None
        if isinstance(event, CopyTruncated):
            self.copied = True
        elif isinstance(event, Truncated) and not self.copied:
            self.said = event.offset
        elif isinstance(event, LogCut) and said is not None:
            if event.offset != said:
                raise Wrong(f"the log is cut at {event.offset}", f"{said}, as its fetcher says")
            if event.largest is not None and event.largest >= said:
                raise Wrong(f"nothing to cut at {said}, and {event.largest} in the log", f"at most {said - 1} in it")


ROLE, KEPT, ANSWER, SHRINK = "role changes", "changes within a leader epoch", "answers to AlterPartition", "ISR shrinks"
FETCHER, TRUNCATION, START, HW = "fetchers", "truncations", "log starts", "high watermarks"
"""What is judged, as reports call it."""


@dataclass(frozen=True)
class Known:
    """What the metadata log knows, whether nothing is missing before it, and the version of Kafka that is meant."""

    history: History
    is_whole: bool
    version: str


@dataclass(frozen=True)
class Excuses:
    """What explains that a follower cuts off what was committed.

    `high_watermarks` are those with which a broker began to follow, by broker, topic id, partition and leader epoch;
    `unclean` says of each broker that tells how it started whether it was not shut down before.
    """

    high_watermarks: Mapping[tuple[int, str, int, int], int]
    unclean: Mapping[int, bool]


class Held:
    """A partition on a broker, as one log tells of it."""

    def __init__(self, broker: int, lives: list[Life], known: Known, excuses: Excuses) -> None:
        self.broker, self.lives, self.known, self.excuses = broker, lives, known, excuses
        self.life: int | None = 0
        """Which life of the partition it is, of those under its name; None if the metadata log has not that one."""
        self.acted_on = -1
        """The last partition epoch, of whatever process."""
        self.role: RoleTaken | RoleKept | None = None
        """The last role that was said since the process took up the partition."""
        self.end: int | None = None
        self.hw: int | None = None
        self.answered = -1
        self.shrank: tuple[int, int] | None = None
        """The leader epoch in which it last asked for a smaller ISR, and its high watermark then."""
        self.fetches: int | None = None
        self.end_on_disk: int | None = None
        self.cuts = LogCuts()

    def take(self, event: OfPartition) -> str | None:
        """Judge a line and remember it. What it counts as; None if it tells of nothing that is judged.

        Raises Wrong for a line that cannot be, and LeftOut for one that cannot be judged.
        """
        self.cuts.take(event)
        if isinstance(event, LogCut | CopyTruncated):
            return None
        judge: Callable[[Any], str | None] = JUDGES[type(event)].__get__(self)
        if not isinstance(event, LogRead | LogLoaded):
            self.begins()
        try:
            return judge(event)
        except Wrong:
            self.cuts.said = None  # it is not believed
            raise

    def begins(self) -> None:
        """A process begins, or goes on after it has taken up its log: what was read before is of another time."""
        self.end_on_disk = None

    # -- what the metadata log says -------------------------------------------------------------------------------

    def _of_topic(self, topic_id: str | None) -> None:
        """Switch to the partition of this topic id, if the line names one."""
        if topic_id is None:
            return
        life = next((number for number, one in enumerate(self.lives) if one.topic_id == topic_id), None)
        if life != self.life:
            self._forget()
            self.life, self.acted_on = life, -1
        if life is None:
            raise LeftOut("the metadata log here has no topic of that id")

    def _forget(self) -> None:
        """What a process knew is gone with it."""
        self.role, self.answered, self.end, self.hw, self.fetches, self.shrank = None, -1, None, None, None, None

    def _lives(self) -> list[Life]:
        """The life that it is, and those after it: without a topic's id a line may be of a topic that was made anew."""
        if self.life is None:
            raise LeftOut("the metadata log here has no topic of that id")
        return self.lives[self.life :]

    def _at(self, partition_epoch: int, agrees: Callable[[Partition], bool]) -> Partition:
        """The partition at a partition epoch: one with which the line agrees, if there is one."""
        lives = self._lives()
        found = [life.at[partition_epoch] for life in lives if partition_epoch in life.at]
        if found:
            return next(filter(agrees, found), found[0])
        if partition_epoch > lives[0].last:
            raise LeftOut("its partition epoch is later than the metadata log here ends")
        raise LeftOut("its partition epoch is from before the metadata log here begins")

    # -- roles ----------------------------------------------------------------------------------------------------

    def made(self, event: PartitionMade) -> None:
        """The process begins anew: `BrokerLifecycle.restart`, or a replica that was assigned."""
        self._of_topic(event.topic_id)
        self._forget()

    def role_taken(self, event: RoleTaken) -> str:
        """`ClusterMetadata.replay_metadata`: a broker acts on the partition as the controller has it at that epoch.

        `Leader.become_leader` and `Follower.become_follower`: neither moves the high watermark, which is at most the
        log's end; a leader never truncates, so that its log's end and high watermark have not fallen when it acts next.
        """
        self._of_topic(event.topic_id)
        self._agrees(event, {"isr": event.isr, "adding": event.adding, "removing": event.removing})
        self._previous(event)
        if event.high_watermark > event.offset:
            raise Wrong(
                f"high watermark {event.high_watermark}, log end {event.offset}",
                f"a high watermark of at most {event.offset}",
            )
        if self.role is not None and self.role.leads and self._follows_at_once(event, self.role):
            _not_back("log end", self.end, event.offset)
            _not_back("high watermark", self.hw, event.high_watermark)
        self._acts_on(event)
        self.end, self.hw = event.offset, event.high_watermark
        return ROLE

    def role_kept(self, event: RoleKept) -> str:
        """The same within a leader epoch: `ClusterMetadata.replay_metadata` changes the ISR alone.

        A leader's high watermark never goes back: `Leader.advance_high_watermark`.
        """
        self._of_topic(event.topic_id)
        said = {"isr": event.isr, "adding": event.adding, "removing": event.removing, "elr": event.elr}
        self._agrees(event, said | {"replicas": event.replicas})
        if event.already != event.leader_epoch:
            raise Wrong(f"it has this role in leader epoch {event.already}", f"leader epoch {event.leader_epoch}")
        if event.now is not None and event.now != (event.isr, event.adding, event.removing):
            isr, *_ = event.now
            raise Wrong(f"it goes on with ISR {listed(isr)}", "the ISR, adding and removing replicas that it was told")
        if event.high_watermark is not None:
            if self.role is not None and self.role.leads and self.role.leader_epoch == event.leader_epoch:
                _not_back("high watermark", self.hw, event.high_watermark)
            self.hw = event.high_watermark
        self._acts_on(event)
        return KEPT

    def _agrees(self, event: RoleTaken | RoleKept, said: Mapping[str, Brokers | None]) -> None:
        """A line against the partition as the controller has it. A broker leads only if it is named.

        A broker never acts on an older partition epoch, nor does its next process: `BrokerLifecycle.restart` begins
        with the newest.
        """
        claimed = {name: some for name, some in said.items() if some is not None}
        leader = leader_of(event.leader)

        def agrees(at: Partition) -> bool:
            known = sets_of(at)
            same = all(some == known[name] for name, some in claimed.items())
            return same and (at.leader, at.leader_epoch) == (leader, event.leader_epoch)

        at = self._at(event.partition_epoch, agrees)
        if not agrees(at):
            shown = [name for name in claimed if name == "isr" or claimed[name] != sets_of(at)[name]]
            raise Wrong(
                told(leader, event.leader_epoch, {name: claimed[name] for name in shown}, event.partition_epoch),
                told(at.leader, at.leader_epoch, {name: sets_of(at)[name] for name in shown}, event.partition_epoch),
            )
        if self.broker not in at.brokers:
            raise Wrong(
                f"broker {self.broker} {'leads' if event.leads else 'follows'}",
                f"replicas {listed(frozenset(at.replicas))} at partition epoch {event.partition_epoch}",
            )
        if event.leads != (at.leader == self.broker):
            raise Wrong(
                f"broker {self.broker} {'leads' if event.leads else 'follows'}",
                told(at.leader, at.leader_epoch, {}, event.partition_epoch),
            )
        if event.partition_epoch < self.acted_on:
            raise Wrong(
                f"partition epoch {event.partition_epoch}",
                f"at least {self.acted_on}: this broker has acted on that before",
            )

    def _previous(self, event: RoleTaken) -> None:
        """Which leader it acted on before. Up to 4.1 a follower prints the new one (KAFKA-19776)."""
        if event.previous is None or event.previous_epoch < 0 or _prints_the_new(event):
            return
        found = f"previous leader {event.previous}, previous leader epoch {event.previous_epoch}"
        if event.previous_epoch >= event.leader_epoch:
            raise Wrong(found, f"a leader epoch before {event.leader_epoch}")
        led = [life.leaders[event.previous_epoch] for life in self._lives() if event.previous_epoch in life.leaders]
        if led and leader_of(event.previous) not in led:
            raise Wrong(found, f"previous leader {NOBODY if led[0] is None else led[0]} in that leader epoch")
        if self.role is not None and event.previous_epoch < self.role.leader_epoch:
            raise Wrong(found, f"previous leader epoch {self.role.leader_epoch}, on which it acted before")

    def _follows_at_once(self, event: RoleTaken, role: RoleTaken | RoleKept) -> bool:
        """Whether no role was taken between, and no process or replica has begun anew, in lines that are not here.

        A line that prints the new leader in place of the former one does not tell that.
        """
        return not _prints_the_new(event) and event.previous_epoch == role.leader_epoch

    def _acts_on(self, event: RoleTaken | RoleKept) -> None:
        self.role, self.acted_on = event, event.partition_epoch

    # -- the ISR --------------------------------------------------------------------------------------------------

    def isr_updated(self, event: IsrUpdated) -> str:
        """`ClusterMetadata.receive_answer`: the leader takes over what the controller has made of its request.

        That is the partition at that epoch. An older answer than what it knows is dropped (Partition.scala).
        """

        def agrees(at: Partition) -> bool:
            return event.isr == at.isr and at.leader == self.broker

        at = self._at(event.partition_epoch, agrees)
        if not agrees(at):
            raise Wrong(
                told(self.broker, None, {"isr": event.isr}, event.partition_epoch),
                told(at.leader, None, {"isr": at.isr}, event.partition_epoch),
            )
        if event.partition_epoch < self.answered:
            raise Wrong(
                f"an answer of partition epoch {event.partition_epoch}",
                f"at least {self.answered}: it has taken over that before",
            )
        self.answered = event.partition_epoch
        return ANSWER

    def isr_shrinks(self, event: IsrShrinks) -> str:
        """`Leader.propose_shrink`: a leader drops members of the ISR that are behind, and never itself."""
        slow = frozenset(broker for broker, _ in event.slow)
        if not slow or event.before - event.after != slow or event.after - event.before or self.broker in slow:
            raise Wrong(
                f"ISR from {listed(event.before)} to {listed(event.after)}, out of sync {listed(slow)}",
                f"the ISR without those out of sync, and with the leader {self.broker}",
            )
        states = [at for life in self._lives() for at in life.at.values()]
        epochs = {at.leader_epoch for at in states if at.leader == self.broker and at.isr == event.before}
        if not epochs:
            if not self.known.is_whole:
                raise LeftOut("its ISR may be from before the metadata log here begins")
            raise Wrong(f"ISR {listed(event.before)}", f"an ISR that the metadata log has with leader {self.broker}")
        if event.high_watermark > event.end or any(end == event.end for _, end in event.slow):
            raise Wrong(
                f"high watermark {event.high_watermark}, log end {event.end}, out of sync "
                + ", ".join(f"{broker} at {'unknown' if end is None else end}" for broker, end in event.slow),
                f"a high watermark of at most {event.end}, and nobody dropped who has all of the log",
            )
        if self.shrank is not None and epochs == {self.shrank[0]}:
            _not_back("high watermark", self.shrank[1], event.high_watermark)
        self.shrank = (min(epochs), event.high_watermark) if len(epochs) == 1 else None
        return SHRINK

    def high_watermark_moved(self, event: HighWatermarkMoved) -> str:
        """`Leader.advance_high_watermark`: up, and never back. Lines of two threads may stand the other way round."""
        _not_back("high watermark", event.before, event.high_watermark)
        return HW

    # -- the log --------------------------------------------------------------------------------------------------

    def log_read(self, event: LogRead) -> None:
        """Where the log on disk ends."""
        self.end_on_disk = event.end

    def log_loaded(self, event: LogLoaded) -> str:
        """`BrokerLifecycle.restart`: a process begins with what was kept, and the high watermark is within it."""
        end, self.end_on_disk = self.end_on_disk, None
        self._forget()
        if end is not None and event.high_watermark > end:
            raise Wrong(f"high watermark {event.high_watermark}, log end {end}", f"a high watermark of at most {end}")
        return START

    def fetcher_added(self, event: FetcherAdded) -> str:
        """`Follower.follows`: a broker fetches from the leader that the metadata names in that leader epoch."""
        self._of_topic(event.topic_id)
        self.fetches, self.shrank = None, None
        leaders = self._lives()[0].leaders
        if event.leader_epoch not in leaders:
            raise LeftOut("its leader epoch is not in the metadata log here")
        leader = leaders[event.leader_epoch]
        if event.leader != leader or leader == self.broker:
            raise Wrong(
                f"broker {self.broker} fetches from {event.leader} in leader epoch {event.leader_epoch}",
                told(leader, event.leader_epoch, {}),
            )
        self.fetches = event.leader_epoch
        return FETCHER

    def fetcher_removed(self, event: FetcherRemoved) -> None:
        """It fetches no longer. The line of a new fetcher may come after what that does."""
        self.fetches = None

    def truncated(self, event: Truncated) -> str:
        """`Follower.truncation_offset`: back to where the leader's records of an epoch end, or to its own end of them.

        `Follower.truncate` takes the high watermark along. What lies below one was committed, so that no leader lacks
        it but after an unclean election, or where a machine has lost what was not flushed (`BrokerLifecycle.crash`).
        The model of shipped versions goes there by its known defects, too: such a run is worth a look.
        """
        if event.high_watermark is not None and event.offset != event.high_watermark:
            raise Wrong(
                f"truncation to {event.offset} due to high watermark {event.high_watermark}",
                f"truncation to {event.high_watermark}",
            )
        if event.leader_end is not None and event.completed and 0 <= event.leader_end < event.offset:
            raise Wrong(
                f"truncation to {event.offset} where the leader's records end at {event.leader_end}",
                f"at most {event.leader_end}",
            )
        floor = self._known_high_watermark(event.number)
        if floor is not None and event.offset < floor:
            self._below(event.offset, floor)
        return TRUNCATION

    def _known_high_watermark(self, number: int) -> int | None:
        """The high watermark that this broker is known to have had when it began to follow in this leader epoch."""
        if self.fetches is None:
            return None
        return self.excuses.high_watermarks.get((self.broker, self._lives()[0].topic_id, number, self.fetches))

    def _below(self, offset: int, floor: int) -> None:
        """A truncation of what was committed."""
        life = self._lives()[0]
        if life.was_uncleanly_elected:
            raise LeftOut("a truncation below a high watermark, with an unclean election")
        replicas = frozenset[int]().union(*(at.brokers for at in life.at.values()))
        if any(self.excuses.unclean.get(broker, True) for broker in replicas):
            raise LeftOut("a truncation below a high watermark, where a crash may have lost records")
        raise Suspected(
            f"{cut_to(offset, floor)}: no crash and no unclean election explains it",
            by_clean_events(self.known.version),
        )


JUDGES: Mapping[type[OfPartition], Callable[..., str | None]] = {
    PartitionMade: Held.made,
    RoleTaken: Held.role_taken,
    RoleKept: Held.role_kept,
    IsrUpdated: Held.isr_updated,
    IsrShrinks: Held.isr_shrinks,
    HighWatermarkMoved: Held.high_watermark_moved,
    LogRead: Held.log_read,
    LogLoaded: Held.log_loaded,
    FetcherAdded: Held.fetcher_added,
    FetcherRemoved: Held.fetcher_removed,
    Truncated: Held.truncated,
}


def _not_back(what: str, before: int | None, now: int) -> None:
    """A leader's log and high watermark only grow."""
    if before is not None and now < before:
        raise Wrong(f"{what} {now}", f"at least {before}: it led with that, and a leader never goes back")


def _prints_the_new(event: RoleTaken) -> bool:
    return not event.leads and (event.previous, event.previous_epoch) == (event.leader, event.leader_epoch)
