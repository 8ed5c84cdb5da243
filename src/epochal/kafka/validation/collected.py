"""What a collection of evidence has: the metadata log, the version, settings; and what it lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum, auto
from itertools import pairwise
from pathlib import Path

from ..evidence.broker_log import (
    ASIDES,
    BEGINS,
    COMPLETED,
    STAMP,
    UNKNOWN_BROKER,
    BrokerEvent,
    BrokerLog,
    Cut,
    Labels,
    Request,
    Told,
    events_in,
    is_of_zookeeper,
    labels_of,
    message_of,
    requests_in,
    written_at,
)
from ..evidence.broker_log import WORDS as OF_ZOOKEEPER
from ..evidence.client_history import Acknowledged, ClientHistory, WasRead, history_of
from ..evidence.disks import DiskLog, Disks, LogDirectory
from ..evidence.files import EvidenceFile, Kind, evidence_files, refuse_utf_16
from ..evidence.metadata_log import MetadataLog, MetadataRecord, OneOrder, records_of_dump, records_of_segment
from ..evidence.place import EvidenceError, Named, Place
from ..evidence.segments import QuorumStateFile, properties_in, quorum_state
from .controller import ROLES
from .meter import SILENT, Meter
from .run.evidence import OF_STATES

# -- in order ---------------------------------------------------------------------------------------------------------
# The order of the lines of a log, as far as files, their names and times agree on it, and lines that are there twice.
#
# Shippers send a line at least once, windows of exports overlap, consoles show the newest line first, and a local clock
# is set back. What a broker has written at one time in the same words is one line. Where times go back all the way a
# file is read from its end. Where they go back some other way nothing of the order is believed.

Line = tuple[str, int]
"""When a line was written, and what tells it from others of that time."""

SLACK = 1.0
"""So many seconds may a time lie before that of the line above: threads of one process write side by side."""

FEWEST = 3
"""So many lines within that, each older than the one before, are newest first; of rotated files as well so many."""

ROTATED = re.compile(r"[.-]\d[\d.-]*(?=$|\.log$)|\.(?:gz|bz2|xz)$")
"""What a rotation adds to the name of a log: a number or a day, and that it is compressed."""

DATE = 6
"""So many digits are a date, and fewer a number."""


@dataclass(frozen=True)
class Part:
    """A file of a log: when it begins, and its lines that have a time, by file and number."""

    begins: str
    log: BrokerLog
    lines: Mapping[tuple[str, int | None], Line]

    def written(self, place: Place) -> str:
        """When what stands there was written; empty if that is not known."""
        return self.lines.get((place.file, place.line), ("", 0))[0]

    @property
    def places(self) -> Iterator[Place]:
        """Where something stands that matters."""
        return map(_place_of, self.log.all)


def unrotated(name: str) -> str:
    """The name of a log, of whatever file of it."""
    while (shorter := ROTATED.sub("", name)) != name:
        name = shorter
    return name


def is_newest_first(times: Sequence[str]) -> bool:
    """Whether the times of a file only go back."""
    falls = sum(one > other for one, other in pairwise(times))
    rises = sum(one < other for one, other in pairwise(times))
    if falls <= rises or any(_goes_back(other, one) for one, other in pairwise(times)):
        return False
    return _goes_back(times[0], times[-1]) or (rises == 0 and falls >= FEWEST)


def from_the_end(log: BrokerLog) -> BrokerLog:
    """A log that was written newest first. What one line says stays in its order."""
    return log.changed(lambda some: sorted(some, key=lambda one: -(_place_of(one).line or 0)))


def _place_of(one: Told) -> Place:
    return one if isinstance(one, Place) else one.place


def in_order(parts: Iterable[Part], seen: set[object]) -> tuple[list[BrokerLog], int]:
    """The files of one log in one, where their order is known; and how many lines were there before.

    `seen` are the lines of other logs, to which these are added: additive appenders write one into two.
    """
    found: list[Part] = []
    copied = 0
    for part in sorted(parts, key=lambda one: (one.begins, -len(one.lines), one.log.name)):
        kept, twice = _without_copies(part, seen)
        copied += twice
        if not twice or next(kept.places, None) is not None:
            found.append(kept)
    found.sort(key=lambda one: (one.begins, one.log.name))
    times = {one.begins for one in found}
    if len(found) > 1 and len(times) == len(found) and "" not in times:
        whole = _joined(found)
        if _names_agree([one.log.name for one in found]) and _is_believed(whole):
            return [whole.log], copied
    return [log for one in found for log in _as_believed(one, len(found) > 1)], copied


def _without_copies(part: Part, seen: set[object]) -> tuple[Part, int]:
    """A file without the lines that were there before, and how many these are."""
    name, here = unrotated(part.log.name), dict[object, int | None]()
    twice: set[int | None] = set()

    def is_new(one: Told) -> bool:
        place, broker = _place_of(one), one.broker if isinstance(one, BrokerEvent) else UNKNOWN_BROKER
        said = part.lines.get((place.file, place.line))
        if said is None:
            return True
        key = (said, broker, name if broker == UNKNOWN_BROKER else "")
        if key in seen or here.setdefault(key, place.line) != place.line:
            twice.add(place.line)
            return False
        return True

    kept = part.log.changed(lambda some: filter(is_new, some))
    seen.update(here)
    if not twice:
        return part, 0
    left = replace(part, log=kept)
    return replace(left, begins=min(filter(None, map(left.written, left.places)), default=part.begins)), len(twice)


def _joined(parts: Sequence[Part]) -> Part:
    """The files of a log, one behind the other."""
    logs = [one.log for one in parts]
    log = BrokerLog(
        unrotated(logs[0].name),
        events=tuple(one for log in logs for one in log.events),
        cut=tuple(one for log in logs for one in log.cut),
        asides=tuple(one for log in logs for one in log.asides),
        requests=tuple(one for log in logs for one in log.requests),
    )
    return Part(parts[0].begins, log, {at: line for one in parts for at, line in one.lines.items()})


def _as_believed(part: Part, is_one_of_several: bool) -> Iterator[BrokerLog]:
    """A file, or each line of it for itself."""
    log = part.log if is_one_of_several else replace(part.log, name=unrotated(part.log.name))
    if _is_believed(part):
        yield log
        return
    yield BrokerLog(log.name, (), log.cut, log.asides)
    yield from (BrokerLog(log.name, (one,)) for one in log.events)
    yield from (BrokerLog(log.name, (), requests=(one,)) for one in log.requests)


def _is_believed(part: Part) -> bool:
    """Whether times go on where an order counts: state-change.log and server.log are two, also in one file.

    What a broker says of its role in one partition comes from one thread, and of that no time goes back at all.
    """
    last: dict[object, str] = {}

    def goes_on(lane: object, place: Place, slack: float = SLACK) -> bool:
        now = part.written(place)
        before = last.get(lane, "")
        last[lane] = max(before, now)
        return not now or not _goes_back(before, now, slack)

    def role_goes_on(one: BrokerEvent) -> bool:
        said = one.event
        lane = (one.broker, said.topic, said.number) if isinstance(said, OF_STATES) else None
        return lane is None or goes_on(lane, one.place, slack=0.0)

    return (
        all(goes_on((one.broker, isinstance(one.event, OF_STATES)), one.place) for one in part.log.events)
        and all(map(role_goes_on, part.log.events))
        and all(goes_on("requests", one.place) for one in part.log.requests)
    )


def _goes_back(before: str, after: str, slack: float = SLACK) -> bool:
    """Whether a time lies before another, by more than threads explain, in seconds."""
    if after >= before:
        return False
    try:
        return (_time(before) - _time(after)).total_seconds() > slack
    except ValueError:  # no day of a calendar
        return False


def _time(written: str) -> datetime:
    whole, _, part = written.partition(".")
    return datetime.fromisoformat(f"{whole}.{part[:6].ljust(6, '0')}")


def _names_agree(names: Sequence[str]) -> bool:
    """Whether the names of files, in the order of their times, may be those of a rotation in that order.

    What is not yet rotated is the newest. Dates go on. Numbers go down (log4j 1, logrotate), or up (log4j 2 and a
    `fileIndex` of `max`): with two files a clock that was set back looks the same.
    """
    *before, last = [_numbers(name) for name in names]
    rotated = before if not last else [*before, last]
    if not all(rotated) or len({_is_date(one) for one in rotated}) != 1:
        return False
    goes_up = all(one < other for one, other in pairwise(rotated))
    if _is_date(rotated[0]):
        return goes_up
    return all(one > other for one, other in pairwise(rotated)) or (len(rotated) >= FEWEST and goes_up)


def _numbers(name: str) -> tuple[int, ...]:
    """The numbers that a rotation has added to a name."""
    found: tuple[int, ...] = ()
    while (added := ROTATED.search(name)) is not None:
        if not added[0].startswith((".gz", ".bz2", ".xz")):
            found = (*map(int, re.findall(r"\d+", added[0])), *found)
        name = name[: added.start()] + name[added.end() :]
    return found


def _is_date(numbers: tuple[int, ...]) -> bool:
    return sum(len(str(one)) for one in numbers) >= DATE


# -- terms ------------------------------------------------------------------------------------------------------------
# Which releases of Kafka the nodes of a log were, and which of them the controller of each epoch was: in a rolling
# upgrade that changes on the way.
#
# A log says when a process of a node starts, which version it is, in which epochs it leads the metadata quorum, and
# that it is up. The line with the version has no node in it, and every program writes it that has the library of Kafka
# in it: Connect, MirrorMaker, a client. A process has one version, and says it just before it says that it is up: what
# else is said while it runs is another program's, as is what stands beside words by which no node of the log speaks.

VERSION = "Kafka version: "
LEADS = "Completed transition to Leader("

OF_NODES = ("[BrokerServer id=", "[ControllerServer id=", "[KafkaRaftServer nodeId=", "[KafkaServer id=", LEADS)
"""What only a broker or a controller writes."""

WORDS = (VERSION, *OF_NODES)
"""What such lines have in them."""


class Says(Enum):
    """What a line says of a process."""

    STARTS_CONTROLLER = auto()
    STARTS_BROKER = auto()
    LEADS = auto()
    VERSION = auto()
    IS_UP = auto()
    SPEAKS = auto()
    """Nothing, but that it is there."""


_FORMS = {
    Says.VERSION: re.compile(r"\bKafka version: (?P<version>\d+\.\d+(?:\.\d+)?)"),
    Says.LEADS: re.compile(
        r"(?:\[RaftManager id=(?P<node>\d{1,10})\] )?Completed transition to Leader\(.*?\bepoch=(?P<epoch>\d{1,10}),"
    ),
    Says.IS_UP: re.compile(
        r"\[(?:KafkaRaftServer nodeId|KafkaServer id)=(?P<node>\d{1,10})\] (?:Kafka Server )?started\b"
    ),
    Says.STARTS_CONTROLLER: re.compile(r"\[ControllerServer id=(?P<node>\d{1,10})\] Starting controller\b"),
    Says.STARTS_BROKER: re.compile(
        r"\[(?:BrokerServer|KafkaServer) id=(?P<node>\d{1,10})\] (?:Starting broker|starting)\b"
    ),
    Says.SPEAKS: re.compile(
        r"\[(?:BrokerServer id|ControllerServer id|KafkaServer id|KafkaRaftServer nodeId)=(?P<node>\d{1,10})\]"
    ),
}


@dataclass(frozen=True)
class VersionMark:
    """What a line says, of which node, and what stands beside it. Lines with a version do not name their node."""

    says: Says
    node: int = UNKNOWN_BROKER
    version: str = ""
    epoch: int = 0
    labels: Labels = field(default_factory=dict)


def mark_of(message: str, line: str = "") -> Iterator[VersionMark]:
    """What a message says, if it says anything of that; `line` is the whole of its line."""
    if not any(word in message for word in WORDS):
        return
    for says, form in _FORMS.items():
        if (found := form.search(message)) is not None:
            said = found.groupdict()
            node, version, epoch = (said.get(name) for name in ("node", "version", "epoch"))
            yield VersionMark(says, int(node or UNKNOWN_BROKER), version or "", int(epoch or 0), labels_of(line))
            return


def without_repeats(marks: Iterable[VersionMark]) -> Iterator[VersionMark]:
    """The marks of a file without those that say no more than one before them: brokers speak often."""
    spoken: set[tuple[int, tuple[tuple[str, str], ...]]] = set()
    for mark in marks:
        who = mark.node, tuple(mark.labels.items())
        if mark.says is not Says.SPEAKS or who not in spoken:
            yield mark
        spoken.add(who)


@dataclass
class NodeProcess:
    """A process of a node: the epochs in which it led, and its version, or those that may be."""

    node: int
    epochs: list[int] = field(default_factory=list)
    version: str = ""
    may_be: set[str] = field(default_factory=set)

    @property
    def versions(self) -> set[str]:
        """Its version, if it is known; else those that may be."""
        return {self.version} if self.version else self.may_be


def processes_of(log: Sequence[VersionMark]) -> list[NodeProcess]:
    """The processes whose lines are in a log, from its marks in their order. Where no node says its number it is one.

    What stands before the first start of a node is of a process whose start is not here.
    """
    nodes = {mark.node for mark in log if mark.says is not Says.VERSION} or {UNKNOWN_BROKER}
    controllers = {mark.node for mark in log if mark.says is Says.STARTS_CONTROLLER}
    running = {node: NodeProcess(node) for node in nodes}
    found = list(running.values())
    unclaimed: list[tuple[VersionMark, tuple[NodeProcess, ...]]] = []

    def starts(node: int) -> None:
        running[node] = NodeProcess(node)
        found.append(running[node])

    for mark in log:
        if mark.says is Says.STARTS_CONTROLLER or (mark.says is Says.STARTS_BROKER and mark.node not in controllers):
            starts(mark.node)
        elif mark.says is Says.LEADS:
            running[mark.node].epochs.append(mark.epoch)
        elif mark.says is Says.VERSION:
            unclaimed.append((mark, tuple(running.values())))
        elif mark.says is Says.IS_UP:
            said = [one for one in unclaimed if one[0].labels == mark.labels] or unclaimed
            if said:
                if running[mark.node].version:
                    starts(mark.node)  # its start is not here
                running[mark.node].version = said[-1][0].version
                unclaimed.remove(said[-1])
    speaking = _Speaking(log)
    for mark, there in unclaimed:
        for process in there:
            if speaking.may_write(process.node, mark.labels):
                process.may_be.add(mark.version)
    return found


class _Speaking:
    """What stands beside the lines of each node of a log."""

    def __init__(self, log: Iterable[VersionMark]) -> None:
        self.beside: dict[int, dict[str, set[str]]] = {}
        versions: list[Labels] = []
        for mark in log:
            if mark.says is Says.VERSION:
                versions.append(mark.labels)
                continue
            for label, value in mark.labels.items():
                self.beside.setdefault(mark.node, {}).setdefault(label, set()).add(value)
        everyone: set[tuple[str, str]] = {
            (label, value) for said in self.beside.values() for label, values in said.items() for value in values
        }
        self.telling = {item[0] for labels in versions for item in labels.items() if item in everyone}
        """What tells writers apart: a label that has a value beside a version as beside another line of a node."""

    def may_write(self, node: int, labels: Labels) -> bool:
        """Whether a line with these words beside it may be a node's."""
        beside: Mapping[str, set[str]] = self.beside.get(node, {})
        return all(labels.get(label) in values for label, values in beside.items() if label in self.telling)


def terms_of(logs: Iterable[Sequence[VersionMark]]) -> dict[int, str]:
    """The version of the controller of each epoch, from the marks of each log in their order."""
    return {
        epoch: version
        for log in logs
        for process in processes_of(log)
        if len(process.versions) == 1
        for version in process.versions
        for epoch in process.epochs
    }


# -- rotated ----------------------------------------------------------------------------------------------------------
# The logs of brokers as they lie on a disk: a log is cut into files by its rotation, and put together again here.


@dataclass
class Noted:
    """What is noted of a file beside what brokers say in it: when it begins, requests, and which version led when."""

    name: str
    begins: str = ""
    marks: list[VersionMark] = field(default_factory=list)
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
class CollectedLogs:
    """The logs, file by file."""

    zookeeper: Place | None = None
    files: list[Part] = field(default_factory=list)
    marks: list[tuple[str, str, list[VersionMark]]] = field(default_factory=list)
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
        words = (*BEGINS, *WORDS, *OF_ZOOKEEPER, COMPLETED)
        lines = enumerate(file.lines(), start=1) if is_json else file.lines_with(words)
        events, cut = events_in(noted.of(lines), name)
        if noted.is_of_node or events:
            self.nodes.add(unrotated(name))
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
            found.setdefault(unrotated(part.log.name), []).append(part)
        logs: list[BrokerLog] = []
        seen: set[object] = set()
        for _, parts in sorted(found.items()):
            some, copied = in_order(parts, seen)
            logs += some
            self.copied += copied
        return tuple(log for log in logs if log.all)

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

    def _marks(self) -> dict[str, list[VersionMark]]:
        """The marks of each log with all files into which it was rotated, by its name."""
        found: dict[str, list[VersionMark]] = {}
        for _, name, marks in sorted(self.marks, key=lambda one: one[:2]):
            found.setdefault(unrotated(name), []).extend(marks)
        return found


@dataclass(frozen=True)
class Collected:
    """The evidence: `read` says how many files of each kind there are, `unread` names those of no known kind.

    `versions` are those that brokers and controllers said they are; `static` the settings in the properties file of a
    controller, or of any node if no controller's is there. `logs` are those in which brokers tell of partitions,
    `histories` are what clients saw, `replicas` and `directories` what brokers have on their disks, with the values of
    the records that clients were told of. `unplaced` are segments and dumps that do not say of which partition they
    are, or of a replica that is not in use. `damaged` says what is wrong with segments. `copies` are files that say
    what others say already, and `copied_lines` counts lines of others that are there twice. `terms` are the versions of
    the nodes that led the metadata quorum, by epoch.
    `zookeeper` is where a line is that only a cluster on ZooKeeper has.
    """

    metadata: MetadataLog | None
    versions: tuple[str, ...]
    static: Mapping[str, str]
    read: Mapping[str, int]
    unread: tuple[str, ...]
    logs: tuple[BrokerLog, ...] = ()
    histories: tuple[ClientHistory, ...] = ()
    replicas: tuple[DiskLog, ...] = ()
    directories: tuple[LogDirectory, ...] = ()
    quorum: tuple[QuorumStateFile, ...] = ()
    unplaced: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    copied_lines: int = 0
    terms: Mapping[int, str] = field(default_factory=dict)
    zookeeper: Place | None = None

    @property
    def is_of_zookeeper(self) -> bool:
        """Whether it is of a cluster on ZooKeeper. With a metadata log it is one that moves to KRaft."""
        return self.zookeeper is not None and self.metadata is None


SEGMENTS = (Kind.SEGMENT, Kind.DATA_DUMP)
"""What is read last: of which records the values are wanted the histories of clients say."""


def collected(paths: Sequence[Path], meter: Meter = SILENT) -> Collected:
    """Read every file below these paths. Raises EvidenceError for what is damaged, and where nothing is found."""
    metadata = OneOrder()
    snapshots: list[list[MetadataRecord]] = []
    logs = CollectedLogs()
    histories: list[ClientHistory] = []
    quorum: list[QuorumStateFile] = []
    disks = Disks()
    properties: list[dict[str, str]] = []
    read: Counter[str] = Counter()
    unread: list[str] = []
    for file in evidence_files(paths, meter.took):
        if file.kind is None:
            refuse_utf_16(file.name, file.head(), file.path)
            unread.append(file.name)
            continue
        read[file.kind.value] += 1
        match file.kind:
            case Kind.METADATA:
                metadata.take(records_of_segment(file.stream, file.name))
            case Kind.METADATA_DUMP:
                metadata.take(records_of_dump(file.lines(), file.name))
            case Kind.SNAPSHOT:
                snapshots.append(list(records_of_segment(file.stream, file.name)))
            case Kind.LOG:
                logs.take(file)
            case Kind.PROPERTIES:
                properties.append(properties_in(file.lines()))
            case Kind.HISTORY:
                histories.append(history_of(file.lines(), file.name))
            case Kind.QUORUM_STATE:
                quorum.append(quorum_state(file.stream.read(), file.name))
            case Kind.SEGMENT | Kind.DATA_DUMP:
                continue
            case _:
                disks.take(file)
    if not read:
        raise EvidenceError(
            "nothing here is a file that Kafka writes",
            "Give the folder of __cluster_metadata-0, of logs, or what kafka-dump-log has printed.",
        )
    disks.nodes += properties
    unplaced: list[str] = []
    if any(kind.value in read for kind in SEGMENTS):
        wanted = _told(histories)
        segments = (file for file in evidence_files(paths, meter.took) if file.kind in SEGMENTS)
        unplaced = [file.name for file in segments if not disks.take_segments(file, wanted)]
    controllers = [one for one in properties if "controller" in one.get(ROLES, "")]
    joined = logs.joined()
    return Collected(
        metadata=_log(metadata.records(), snapshots),
        versions=tuple(sorted(logs.versions())),
        static=next(iter(controllers or properties), {}),
        read=dict(read),
        unread=tuple(unread),
        logs=joined,
        histories=tuple(histories),
        replicas=disks.replicas(),
        directories=disks.directories(),
        quorum=tuple(quorum),
        unplaced=tuple(unplaced),
        copies=tuple(sorted(logs.copies)),
        copied_lines=logs.copied,
        terms=logs.terms(),
        zookeeper=logs.zookeeper,
        damaged=tuple(sorted(one.damaged for one in disks.segments if one.damaged)),
    )


def _told(histories: Iterable[ClientHistory]) -> dict[Named, set[int]]:
    """The offsets of each partition of which clients say what is there."""
    found: dict[Named, set[int]] = {}
    for line in (line for one in histories for line in one.lines):
        if isinstance(line.event, Acknowledged | WasRead) and line.event.offset is not None:
            found.setdefault(line.event.named, set()).add(line.event.offset)
    return found


def _log(records: tuple[MetadataRecord, ...], snapshots: list[list[MetadataRecord]]) -> MetadataLog | None:
    """The log in one order. Where its beginning is gone the first snapshot behind that stands for it, if the log goes
    on after the snapshot."""
    if not records:
        return None
    if records[0].offset == 0:
        return MetadataLog(records)
    first, last = records[0].offset, records[-1].offset
    usable = [one for one in snapshots if (end := _end(one)) is not None and first <= end <= last]
    if not usable:
        return MetadataLog(records)
    chosen = min(usable, key=lambda one: (_end(one), one[0].place.file))
    end = _end(chosen)
    assert end is not None  # it is usable
    return MetadataLog(tuple(record for record in records if record.offset >= end), tuple(chosen))


SNAPSHOT_NAME = re.compile(r"(\d{20})-(\d{10})\.checkpoint$")


def _end(snapshot: list[MetadataRecord]) -> int | None:
    """The first offset that is not in a snapshot, which its file's name says; None of a bootstrap snapshot."""
    found = SNAPSHOT_NAME.search(snapshot[0].place.file) if snapshot else None
    return None if found is None else int(found[1])
