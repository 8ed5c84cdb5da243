"""The brokers against the metadata log and the specification: what each says it did is what it had to do.

Each log is taken line by line in its own order; no clock is read, and logs of different brokers are not put in order.
A line names the partition epoch or the leader epoch that it is about, and so the decision of the controller that it
goes back to. What lines and records are missing is no reason to refuse any: evidence is seldom whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..evidence.broker_log import (
    NO_ERROR,
    UNKNOWN_BROKER,
    BrokerLog,
    CopyTruncated,
    Fetched,
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
    Process,
    Proposed,
    Request,
    RoleKept,
    RoleTaken,
    Truncated,
)
from ..evidence.broker_log import told as told_in
from ..evidence.place import Named, Place, partition_named
from .image import NOBODY, Brokers, History, Lifespan, Partition, leader_of, listed
from .noticed import Noticed, Weight, by_clean_events

# -- held -------------------------------------------------------------------------------------------------------------
# A partition as one broker holds it: what its log has said so far, and whether the next line may follow.

# -- line -------------------------------------------------------------------------------------------------------------
# A line of a broker's log that cannot be, or cannot be checked, and how that is told.

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
    """A line that cannot be checked, and why."""


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
"""What is checked, as reports call it."""


@dataclass(frozen=True)
class Metadata:
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

    def __init__(self, broker: int, lives: list[Lifespan], known: Metadata, excuses: Excuses) -> None:
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
        """Check a line and remember it. What it counts as; None if it tells of nothing that is checked.

        Raises Wrong for a line that cannot be, and LeftOut for one that cannot be checked.
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

    def _lives(self) -> list[Lifespan]:
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


# -- requested --------------------------------------------------------------------------------------------------------
# Requests against the metadata log: AlterPartition as the controller answers it, and fetches as a leader does.

PROPOSAL, FETCH = "AlterPartition requests", "fetches of followers"
NEW_LEADER_ELECTED = 108
"""The controller has accepted a proposal that ends a reassignment, by which the leader leads no longer."""


class Requested:
    """The requests of one log, in its order."""

    def __init__(self, known: Metadata) -> None:
        self.known = known
        self._lives: dict[Named, list[Lifespan]] = {}
        self._names: dict[Named, Named] = {}
        for of, lives in known.history.items():
            self._lives[of], self._names[of] = lives, of
            for life in lives:
                self._lives[life.topic_id, of[1]], self._names[life.topic_id, of[1]] = [life], of
        self._hw: dict[tuple[str, int, int, int], int] = {}

    def named(self, request: Request) -> Named:
        """The partition by the name of its topic; as the request calls it, if it is not known."""
        return self._names.get(request.named, request.named)

    def take(self, request: Request) -> str | None:
        """Check a request. What it counts as; None if it tells of nothing that is checked.

        Raises Wrong for one that cannot be, and LeftOut for one that cannot be checked.
        """
        lives = self._lives.get(request.named)
        if lives is None:
            raise LeftOut("the metadata log here has no such partition")
        if isinstance(request, Proposed):
            return self._proposed(request, lives)
        assert isinstance(request, Fetched)  # there is no other
        return self._fetched(request, lives)

    def _proposed(self, request: Proposed, lives: Iterable[Lifespan]) -> str | None:
        """`Controller.handle_alter_partition`: accepted only of whom the controller has as the leader, at this epoch.

        The answer is the partition as the change has made it, which is its next partition epoch.
        """
        accepted = request.error in (NO_ERROR, NEW_LEADER_ELECTED)
        if not accepted:
            return None
        life = next((one for one in lives if request.partition_epoch in one.at), None)
        if life is None:
            raise LeftOut("its partition epoch is not in the metadata log here")
        before = life.at[request.partition_epoch]
        if (before.leader, before.leader_epoch) != (request.sender, request.leader_epoch):
            raise Wrong(
                "AlterPartition is accepted of " + told(request.sender, request.leader_epoch, {}),
                told(before.leader, before.leader_epoch, {}, request.partition_epoch),
            )
        if request.answer is None:
            after = life.at.get(request.partition_epoch + 1)
            if after is not None and after.leader == request.sender:
                raise Wrong(
                    f"AlterPartition of broker {request.sender} is answered with NEW_LEADER_ELECTED",
                    told(after.leader, after.leader_epoch, {}, after.partition_epoch),
                )
            return PROPOSAL
        self._answered(request, life)
        return PROPOSAL

    def _answered(self, request: Proposed, life: Lifespan) -> None:
        answer = request.answer
        assert answer is not None  # the caller has looked
        said = told(leader_of(answer.leader), answer.leader_epoch, {"isr": answer.isr}, answer.partition_epoch)
        if answer.partition_epoch not in (request.partition_epoch, request.partition_epoch + 1):
            raise Wrong(
                f"the answer to AlterPartition at partition epoch {request.partition_epoch} is {said}",
                f"partition epoch {request.partition_epoch + 1}, or {request.partition_epoch} where nothing changed",
            )
        after = life.at.get(answer.partition_epoch)
        if after is None:
            raise LeftOut("its partition epoch is later than the metadata log here ends")
        if (after.leader, after.leader_epoch, after.isr) != (leader_of(answer.leader), answer.leader_epoch, answer.isr):
            raise Wrong(
                f"AlterPartition is answered with {said}",
                told(after.leader, after.leader_epoch, {"isr": after.isr}, after.partition_epoch),
            )
        if answer.isr != request.isr and not after.removing and not life.at[request.partition_epoch].removing:
            raise Wrong(
                f"AlterPartition asks for ISR {listed(request.isr)} and is answered with ISR {listed(answer.isr)}",
                f"ISR {listed(request.isr)}: no reassignment is on",
            )

    def _fetched(self, request: Fetched, lives: Iterable[Lifespan]) -> str | None:
        """`Follower.fetch`: answered by whom the metadata log has as the leader of that epoch, and to a replica.

        A leader's high watermark never goes back (`Leader.advance_high_watermark`), so no follower is told less than
        it was told before.
        """
        if request.error != NO_ERROR:
            return None
        life = next((one for one in lives if request.leader_epoch in one.leaders), None)
        if life is None:
            raise LeftOut("its leader epoch is not in the metadata log here")
        leader = life.leaders[request.leader_epoch]
        found = f"a fetch of broker {request.sender} in leader epoch {request.leader_epoch} is answered"
        if leader is None or leader == request.sender:
            raise Wrong(found, told(leader, request.leader_epoch, {}))
        replicas = frozenset[int]().union(*(at.brokers for at in life.at.values()))
        if request.sender not in replicas:
            raise Wrong(found, f"a fetch of a replica: {listed(replicas)}")
        key = (life.topic_id, request.number, request.leader_epoch, request.sender)
        if request.high_watermark is not None:
            if request.high_watermark < self._hw.get(key, 0):
                raise Wrong(
                    f"{found} with high watermark {request.high_watermark}",
                    f"at least {self._hw[key]}: it was answered that before",
                )
            self._hw[key] = request.high_watermark
        return FETCH


@dataclass(frozen=True)
class RefusedLine:
    """A line that cannot be: what it says, and what the metadata log or a rule of the specification says instead."""

    place: Place
    broker: int
    partition: str
    found: str
    expected: str


@dataclass
class BrokersVerdict:
    """How many lines were checked, by what they tell; those refused; and what was left out, by reason.

    `suspected` are lines that lose what was committed, although the rules of every release allow them.

    `cut` are lines that begin like one of use and cannot be read to their end.
    """

    judged: Counter[str] = field(default_factory=Counter)
    partitions: set[Named] = field(default_factory=set)
    brokers: set[int] = field(default_factory=set)
    refused: list[RefusedLine] = field(default_factory=list)
    suspected: list[Noticed] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    cut: tuple[Place, ...] = ()

    @property
    def accepted(self) -> int:
        """How many lines agree."""
        return self.judged.total()

    def take(self, place: Place, broker: int, of: Named, judge: Callable[[], str | None]) -> None:
        """Check what a line says of a partition."""
        try:
            kind = judge()
        except LeftOut as reason:
            self.left_out[str(reason)] += 1
        except Suspected as suspected:
            says = f"broker {broker}: {suspected.found}"
            self.suspected.append(Noticed(place, None, partition_named(*of), suspected.why, says, Weight.GONE))
        except Wrong as wrong:
            self.refused.append(RefusedLine(place, broker, partition_named(*of), wrong.found, wrong.expected))
        else:
            if kind is not None:
                self.judged[kind] += 1
                self.partitions.add(of)
                self.brokers.add(broker)


def partitions_in(logs: Iterable[BrokerLog]) -> set[Named]:
    """The partitions of which logs tell, by the names of their topics; requests have the ids of these."""
    logs = tuple(logs)
    asked = {request.named for log in logs for request in log.requests}
    return asked | {one.event.named for log in logs for one in log.events if isinstance(one.event, OfPartition)}


def judge_brokers(logs: Iterable[BrokerLog], known: Metadata) -> BrokersVerdict:
    """Hold what brokers say against what the metadata log knows of their partitions, and the specification."""
    logs = tuple(logs)
    verdict = BrokersVerdict(cut=tuple(place for log in logs for place in log.cut))
    excuses = Excuses(_high_watermarks(logs), unclean_starts(logs))
    for log in logs:
        _judge(log, known, excuses, verdict)
        _judge_requests(log, known, verdict)
    return verdict


def _judge(log: BrokerLog, known: Metadata, excuses: Excuses, verdict: BrokersVerdict) -> None:
    """One log, in its order. What a refused line says is not believed of those behind it."""
    held: dict[tuple[int, Named], Held] = {}
    for one in log.events:
        event = one.event
        if isinstance(event, Process):
            for (broker, _), other in held.items():
                if broker == one.broker:
                    other.begins()
        if not isinstance(event, OfPartition):
            continue
        of = event.named
        if isinstance(event, LogCut | CopyTruncated) and (one.broker == UNKNOWN_BROKER or of not in known.history):
            continue  # it repeats what another line says
        if one.broker == UNKNOWN_BROKER:
            verdict.left_out["which broker wrote the line is not known"] += 1
            continue
        lives = known.history.get(of)
        if lives is None:
            verdict.left_out["the metadata log here has no such partition"] += 1
            continue
        now = held.setdefault((one.broker, of), Held(one.broker, lives, known, excuses))
        verdict.take(one.place, one.broker, of, partial(now.take, event))


def _judge_requests(log: BrokerLog, known: Metadata, verdict: BrokersVerdict) -> None:
    """The requests of one log, in its order: whose they are they say, and not who answers."""
    requested = Requested(known)
    for request in log.requests:
        verdict.take(request.place, request.sender, requested.named(request), partial(requested.take, request))


Follows = tuple[int, str, int, int]
"""A broker that follows: with the topic's id, the partition, and the leader epoch."""


def _high_watermarks(logs: tuple[BrokerLog, ...]) -> Mapping[Follows, int]:
    """The high watermark with which each broker began to follow in each leader epoch: the lowest it said, of several.

    Topics are told apart by their ids, which "Creating new partition" says; without one nothing is known, nor where
    more fetchers were started than such lines are here.
    """
    found: dict[Follows, list[int]] = {}
    fetchers: Counter[Follows] = Counter()
    for log in logs:
        topics: dict[tuple[int, Named], str] = {}
        for one in log.events:
            event = one.event
            if isinstance(event, PartitionMade):
                topics[one.broker, event.named] = event.topic_id
            elif isinstance(event, FetcherAdded):
                fetchers[one.broker, event.topic_id, event.number, event.leader_epoch] += 1
            elif isinstance(event, RoleTaken) and not event.leads:
                topic = topics.get((one.broker, event.named))
                if topic is not None:
                    key = (one.broker, topic, event.number, event.leader_epoch)
                    found.setdefault(key, []).append(event.high_watermark)
    return {key: min(said) for key, said in found.items() if len(said) >= fetchers[key]}


def unclean_starts(logs: Iterable[BrokerLog]) -> Mapping[int, bool]:
    """Of each broker that says how it started whether something may have been lost before.

    That is so without a clean shutdown, and where a later start finds no logs at all.
    """
    found: dict[int, bool] = {}
    for one, process in told_in(logs, Process):
        lost = process.clean is False or (process.clean is None and one.broker in found)
        found[one.broker] = found.get(one.broker, False) or lost
    return found
