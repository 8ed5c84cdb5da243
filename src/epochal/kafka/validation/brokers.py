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

from ..evidence.broker_events import (
    UNKNOWN_BROKER,
    CopyTruncated,
    FetcherAdded,
    LogCut,
    OfPartition,
    PartitionMade,
    Process,
    RoleTaken,
)
from ..evidence.broker_log import BrokerLog
from ..evidence.broker_log import told as told_in
from ..evidence.place import Named, Place, partition_named
from ..evidence.request_log import NO_ERROR, Fetched, Proposed, Request
from .held import Excuses, Held, Known, LeftOut, Suspected, Wrong, leader_of, listed, told
from .image import Life
from .noticed import Noticed, Weight

# -- requested --------------------------------------------------------------------------------------------------------
# Requests against the metadata log: AlterPartition as the controller answers it, and fetches as a leader does.

PROPOSAL, FETCH = "AlterPartition requests", "fetches of followers"
NEW_LEADER_ELECTED = 108
"""The controller has accepted a proposal that ends a reassignment, by which the leader leads no longer."""


class Requested:
    """The requests of one log, in its order."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._lives: dict[Named, list[Life]] = {}
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
        """Judge a request. What it counts as; None if it tells of nothing that is judged.

        Raises Wrong for one that cannot be, and LeftOut for one that cannot be judged.
        """
        lives = self._lives.get(request.named)
        if lives is None:
            raise LeftOut("the metadata log here has no such partition")
        if isinstance(request, Proposed):
            return self._proposed(request, lives)
        assert isinstance(request, Fetched)  # there is no other
        return self._fetched(request, lives)

    def _proposed(self, request: Proposed, lives: Iterable[Life]) -> str | None:
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

    def _answered(self, request: Proposed, life: Life) -> None:
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

    def _fetched(self, request: Fetched, lives: Iterable[Life]) -> str | None:
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
    """How many lines were judged, by what they tell; those refused; and what was left out, by reason.

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
        """Judge what a line says of a partition."""
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


def judge_brokers(logs: Iterable[BrokerLog], known: Known) -> BrokersVerdict:
    """Hold what brokers say against what the metadata log knows of their partitions, and the specification."""
    logs = tuple(logs)
    verdict = BrokersVerdict(cut=tuple(place for log in logs for place in log.cut))
    excuses = Excuses(_high_watermarks(logs), unclean_starts(logs))
    for log in logs:
        _judge(log, known, excuses, verdict)
        _judge_requests(log, known, verdict)
    return verdict


def _judge(log: BrokerLog, known: Known, excuses: Excuses, verdict: BrokersVerdict) -> None:
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


def _judge_requests(log: BrokerLog, known: Known, verdict: BrokersVerdict) -> None:
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
