"""The brokers against the metadata log and the specification: what each says it did is what it had to do.

Each log is taken line by line in its own order; no clock is read, and logs of different brokers are not put in order.
A line names the partition epoch or the leader epoch that it is about, and so the decision of the controller that it
goes back to. What lines and records are missing is no reason to refuse any: evidence is seldom whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from epochal.evidence.broker_events import (
    UNKNOWN_BROKER,
    CopyTruncated,
    FetcherAdded,
    LogCut,
    OfPartition,
    PartitionMade,
    Process,
    RoleTaken,
)
from epochal.evidence.broker_log import BrokerLog
from epochal.evidence.place import Place, partition_named

from .held import Excuses, Held, Known
from .line import LeftOut, Suspected, Wrong
from .noticed import Noticed, Weight
from .partition_history import Named
from .requested import Requested


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

    judged: dict[str, int] = field(default_factory=dict)
    partitions: set[Named] = field(default_factory=set)
    brokers: set[int] = field(default_factory=set)
    refused: list[RefusedLine] = field(default_factory=list)
    suspected: list[Noticed] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    cut: tuple[Place, ...] = ()

    @property
    def accepted(self) -> int:
        """How many lines agree."""
        return sum(self.judged.values())


def partitions_in(logs: Iterable[BrokerLog]) -> set[Named]:
    """The partitions of which logs tell, by the names of their topics; requests have the ids of these."""
    logs = tuple(logs)
    said = (one.event for log in logs for one in log.events)
    asked = {(request.topic, request.number) for log in logs for request in log.requests}
    return asked | {(event.topic, event.number) for event in said if isinstance(event, OfPartition)}


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
        of = (event.topic, event.number)
        if isinstance(event, LogCut | CopyTruncated) and (one.broker == UNKNOWN_BROKER or of not in known.history):
            continue  # it repeats what another line says
        if one.broker == UNKNOWN_BROKER:
            _count(verdict.left_out, "which broker wrote the line is not known")
            continue
        lives = known.history.get(of)
        if lives is None:
            _count(verdict.left_out, "the metadata log here has no such partition")
            continue
        now = held.setdefault((one.broker, of), Held(one.broker, lives, known, excuses))
        try:
            kind = now.take(event)
        except LeftOut as reason:
            _count(verdict.left_out, str(reason))
        except Suspected as suspected:
            name = partition_named(event.topic, event.number)
            says = f"broker {one.broker}: {suspected.found}"
            verdict.suspected.append(Noticed(one.place, None, name, suspected.why, says, Weight.GONE))
        except Wrong as wrong:
            name = partition_named(event.topic, event.number)
            verdict.refused.append(RefusedLine(one.place, one.broker, name, wrong.found, wrong.expected))
        else:
            if kind is not None:
                _count(verdict.judged, kind)
                verdict.partitions.add(of)
                verdict.brokers.add(one.broker)


def _judge_requests(log: BrokerLog, known: Known, verdict: BrokersVerdict) -> None:
    """The requests of one log, in its order: whose they are they say, and not who answers."""
    requested = Requested(known)
    for request in log.requests:
        try:
            kind = requested.take(request)
        except LeftOut as reason:
            _count(verdict.left_out, str(reason))
        except Wrong as wrong:
            name = partition_named(*requested.named(request))
            verdict.refused.append(RefusedLine(request.place, request.sender, name, wrong.found, wrong.expected))
        else:
            if kind is not None:
                _count(verdict.judged, kind)
                verdict.partitions.add(requested.named(request))
                verdict.brokers.add(request.sender)


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
                topics[one.broker, (event.topic, event.number)] = event.topic_id
            elif isinstance(event, FetcherAdded):
                fetchers[one.broker, event.topic_id, event.number, event.leader_epoch] += 1
            elif isinstance(event, RoleTaken) and not event.leads:
                topic = topics.get((one.broker, (event.topic, event.number)))
                if topic is not None:
                    key = (one.broker, topic, event.number, event.leader_epoch)
                    found.setdefault(key, []).append(event.high_watermark)
    return {key: min(said) for key, said in found.items() if len(said) >= fetchers[key]}


def unclean_starts(logs: Iterable[BrokerLog]) -> Mapping[int, bool]:
    """Of each broker that says how it started whether something may have been lost before.

    That is so without a clean shutdown, and where a later start finds no logs at all.
    """
    found: dict[int, bool] = {}
    for log in logs:
        for one in log.events:
            if isinstance(one.event, Process):
                lost = one.event.clean is False or (one.event.clean is None and one.broker in found)
                found[one.broker] = found.get(one.broker, False) or lost
    return found


def _count(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
