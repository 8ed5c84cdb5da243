"""The logs of brokers as they lie on a disk: a log is cut into files by its rotation, and put together again here."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from epochal.evidence.broker_events import ASIDES
from epochal.evidence.broker_log import BEGINS, BrokerLog, events_in
from epochal.evidence.files import EvidenceFile
from epochal.evidence.layouts import STAMP, message_of, written_at
from epochal.evidence.place import Place
from epochal.evidence.request_log import COMPLETED, Cut, Request, requests_in
from epochal.evidence.zookeeper import WORDS as OF_ZOOKEEPER
from epochal.evidence.zookeeper import is_of_zookeeper

from .in_order import Line, Part, from_the_end, in_order, is_newest_first
from .in_order import unrotated as _unrotated
from .terms import OF_NODES, Mark, mark_of, processes_of, terms_of, without_repeats
from .terms import WORDS as OF_TERMS


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
    lines: dict[int, Line] = field(default_factory=dict)
    """The lines that have a time, by their numbers."""

    zookeeper: Place | None = None
    """The first line that only a cluster on ZooKeeper has."""

    def of(self, numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
        """The messages of these lines, each with the whole of its line."""
        for number, line in numbered:
            written, message = written_at(line), message_of(line)
            if written is not None:
                self.begins = self.begins or written
                self.lines[number] = written, hash(message[stamp.end() if (stamp := STAMP.search(message)) else 0 :])
            self.marks += mark_of(message, line)
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
    files: list[Part] = field(default_factory=list)
    marks: list[tuple[str, str, list[Mark]]] = field(default_factory=list)
    """What each file says of versions and leaders of the quorum, with the time at which it begins, and its name."""

    nodes: set[str] = field(default_factory=set)
    """The logs in which brokers or controllers write, by their names without what a rotation adds."""

    copies: list[str] = field(default_factory=list)
    """The files that are copies of others: they begin at the same time, and say the same in the same lines."""

    copied: int = 0
    """How many lines were left out because they were there before."""

    _known: set[Hashable] = field(default_factory=set)

    def take(self, file: EvidenceFile) -> None:
        """What brokers say in a file. JSON may have escapes in its messages, so that all of its lines are looked at."""
        name, head = file.name, file.head().decode("utf-8", "replace").splitlines()
        times = [written for line in head if (written := written_at(line)) is not None]
        noted = Noted(name, next(iter(times), ""))
        is_json = any(line.startswith("{") for line in head)
        words = (*BEGINS, *OF_TERMS, *OF_ZOOKEEPER, COMPLETED)
        lines = enumerate(file.lines(), start=1) if is_json else file.lines_with(words)
        events, cut = events_in(noted.of(lines), name)
        if noted.is_of_node or events:
            self.nodes.add(_unrotated(name))
        backwards = is_newest_first(times) and is_newest_first([times[0], *(said for said, _ in noted.lines.values())])
        if backwards:
            noted.begins = min(times[-1], *(said for said, _ in noted.lines.values()))
            noted.marks.reverse()
        self.marks.append((noted.begins, name, list(without_repeats(noted.marks))))
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
        part = Part(noted.begins, from_the_end(log) if backwards else log, {})
        matter = {place.line for place in part.places}
        kept: dict[tuple[str, int | None], Line] = {
            (name, number): line for number, line in noted.lines.items() if number in matter
        }
        self.files.append(replace(part, lines=kept))

    def joined(self) -> tuple[BrokerLog, ...]:
        """Each log with all files into which it was rotated, in the order in which they begin.

        Only files of one log are put in order by time: a rotation moves them whole. Where one of them has no time, two
        have the same, or names or lines tell of another order, it is not known, and each is taken for itself.
        """
        found: dict[str, list[Part]] = {}
        for part in self.files:
            found.setdefault(_unrotated(part.log.name), []).append(part)
        logs: list[BrokerLog] = []
        seen: set[object] = set()
        for _, parts in sorted(found.items()):
            some, copied = in_order(parts, seen)
            logs += some
            self.copied += copied
        return tuple(log for log in logs if log.events or log.cut or log.asides or log.requests)

    def versions(self) -> frozenset[str]:
        """Which versions brokers and controllers say they are. Where none of them says one, it is what anybody says:
        an excerpt may have little more than that."""
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for name, marks in self._marks().items():
            found[True] |= {one for process in processes_of(marks) for one in process.versions if name in self.nodes}
            found[False] |= {mark.version for mark in marks if mark.version}
        return frozenset(found[True] or found[False])

    def terms(self) -> dict[int, str]:
        """The version of the controller of each epoch of the metadata quorum, as far as logs tell."""
        return terms_of(self._marks().values())

    def _marks(self) -> dict[str, list[Mark]]:
        """The marks of each log with all files into which it was rotated, by its name."""
        found: dict[str, list[Mark]] = {}
        for _, name, marks in sorted(self.marks, key=lambda one: one[:2]):
            found.setdefault(_unrotated(name), []).extend(marks)
        return found
