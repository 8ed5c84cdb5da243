"""The logs of brokers as they lie on a disk: a log is cut into files by its rotation, and put together again here."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from epochal.evidence.broker_events import ASIDES
from epochal.evidence.broker_log import BEGINS, BrokerLog, events_in
from epochal.evidence.files import EvidenceFile
from epochal.evidence.layouts import message_of, written_at
from epochal.evidence.place import Place
from epochal.evidence.request_log import COMPLETED, Cut, Request, requests_in
from epochal.evidence.zookeeper import WORDS as OF_ZOOKEEPER
from epochal.evidence.zookeeper import is_of_zookeeper

from .terms import OF_NODES, Mark, mark_of, terms_of
from .terms import WORDS as OF_TERMS

ROTATED = re.compile(r"[.-]\d[\d.-]*(?=$|\.log$)|\.(?:gz|bz2|xz)$")
"""What a rotation adds to the name of a log: a number or a day, and that it is compressed."""


@dataclass
class Noted:
    """What is noted of a file beside what brokers say in it: when it begins, requests, and which version led when."""

    name: str
    begins: str = ""
    marks: list[Mark] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    cut: list[Place] = field(default_factory=list)
    is_of_node: bool = False
    """Whether a broker or a controller writes here, and not a client, a tool, or Connect."""

    zookeeper: Place | None = None
    """The first line that only a cluster on ZooKeeper has."""

    def of(self, numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
        """The messages of these lines, each with the whole of its line."""
        for number, line in numbered:
            if not self.begins:
                self.begins = written_at(line) or ""
            message = message_of(line)
            self.marks += mark_of(message)
            self.is_of_node = self.is_of_node or any(word in message for word in OF_NODES)
            if COMPLETED in message:
                self._request(message, Place(self.name, line=number))
            if self.zookeeper is None and is_of_zookeeper(message):
                self.zookeeper = Place(self.name, line=number)
            yield number, message, line

    def _request(self, message: str, place: Place) -> None:
        try:
            self.requests += requests_in(message, place)
        except Cut:
            self.cut.append(place)


@dataclass
class Logs:
    """The logs, file by file."""

    zookeeper: Place | None = None
    files: list[tuple[str, BrokerLog]] = field(default_factory=list)
    marks: list[tuple[str, str, list[Mark]]] = field(default_factory=list)
    """What each file says of versions and leaders of the quorum, with the time at which it begins, and its name."""

    nodes: set[str] = field(default_factory=set)
    """The logs in which brokers or controllers write, by their names without what a rotation adds."""

    copies: list[str] = field(default_factory=list)
    """The files that are copies of others: they begin at the same time, and say the same in the same lines."""

    _known: set[Hashable] = field(default_factory=set)

    def take(self, file: EvidenceFile) -> None:
        """What brokers say in a file. JSON may have escapes in its messages, so that all of its lines are looked at."""
        name, head = file.name, file.head().decode("utf-8", "replace").splitlines()
        noted = Noted(name, next(filter(None, map(written_at, head)), ""))
        is_json = any(line.startswith("{") for line in head)
        words = (*BEGINS, *OF_TERMS, *OF_ZOOKEEPER, COMPLETED)
        lines = enumerate(file.lines(), start=1) if is_json else file.lines_with(words)
        events, cut = events_in(noted.of(lines), name)
        if noted.is_of_node or events:
            self.nodes.add(_unrotated(name))
        self.marks.append((noted.begins, name, noted.marks))
        self.zookeeper = self.zookeeper or noted.zookeeper
        asides = [one for one in events if isinstance(one.event, ASIDES)]
        told = [one for one in events if not isinstance(one.event, ASIDES)]
        log = BrokerLog(name, tuple(told), (*cut, *noted.cut), tuple(asides), tuple(noted.requests))
        content = (noted.begins, *((one.place.line, one.broker, one.event) for one in (*log.events, *log.asides)))
        asked = tuple(replace(one, place=Place("", line=one.place.line)) for one in log.requests)
        if (len(content) > 1 or asked) and (content, asked) in self._known:
            self.copies.append(name)
            return
        self._known.add((content, asked))
        self.files.append((noted.begins, log))

    def joined(self) -> tuple[BrokerLog, ...]:
        """Each log with all files into which it was rotated, in the order in which they begin.

        Only files of one log are put in order by time: a rotation moves them whole. Where one of them has no time, or
        two have the same, the order is not known, and each is taken for itself.
        """
        found: dict[str, list[tuple[str, BrokerLog]]] = {}
        for begins, log in sorted(self.files, key=lambda one: (one[0], one[1].name)):
            found.setdefault(_unrotated(log.name), []).append((begins, log))
        logs: list[BrokerLog] = []
        for name, parts in sorted(found.items()):
            times = {begins for begins, _ in parts}
            if len(parts) == 1 or (len(times) == len(parts) and "" not in times):
                logs.append(_one(name, [log for _, log in parts]))
            else:
                logs += [log for _, log in parts]
        return tuple(log for log in logs if log.events or log.cut or log.asides or log.requests)

    def versions(self) -> frozenset[str]:
        """Which versions brokers and controllers say they are. Where none of them says one, it is what anybody says:
        an excerpt may have little more than that."""
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for _, name, marks in self.marks:
            found[_unrotated(name) in self.nodes] |= {mark for mark in marks if isinstance(mark, str)}
        return frozenset(found[True] or found[False])

    def terms(self) -> dict[int, str]:
        """The version of the controller of each epoch of the metadata quorum, as far as logs tell."""
        found: dict[str, list[Mark]] = {}
        for _, name, marks in sorted(self.marks, key=lambda one: one[:2]):
            found.setdefault(_unrotated(name), []).extend(marks)
        return terms_of(found.values())


def _unrotated(name: str) -> str:
    """The name of a log, of whatever file of it."""
    while (shorter := ROTATED.sub("", name)) != name:
        name = shorter
    return name


def _one(name: str, parts: list[BrokerLog]) -> BrokerLog:
    return BrokerLog(
        name,
        events=tuple(one for log in parts for one in log.events),
        cut=tuple(one for log in parts for one in log.cut),
        asides=tuple(one for log in parts for one in log.asides),
        requests=tuple(one for log in parts for one in log.requests),
    )
