"""Which releases of Kafka the nodes of a log were, and which of them the controller of each epoch was: in a rolling
upgrade that changes on the way.

A log says when a process of a node starts, which version it is, in which epochs it leads the metadata quorum, and that
it is up. The line with the version has no node in it, and every program writes it that has the library of Kafka in it:
Connect, MirrorMaker, a client. A process has one version, and says it just before it says that it is up: what else is
said while it runs is another program's, as is what stands beside words by which no node of the log speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from epochal.evidence.broker_events import UNKNOWN_BROKER
from epochal.evidence.whose import Labels, labels_of

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
class Mark:
    """What a line says, of which node, and what stands beside it. Lines with a version do not name their node."""

    says: Says
    node: int = UNKNOWN_BROKER
    version: str = ""
    epoch: int = 0
    labels: Labels = field(default_factory=dict)


def mark_of(message: str, line: str = "") -> Iterator[Mark]:
    """What a message says, if it says anything of that; `line` is the whole of its line."""
    if not any(word in message for word in WORDS):
        return
    for says, form in _FORMS.items():
        if (found := form.search(message)) is not None:
            said = found.groupdict()
            node, version, epoch = (said.get(name) for name in ("node", "version", "epoch"))
            yield Mark(says, int(node or UNKNOWN_BROKER), version or "", int(epoch or 0), labels_of(line))
            return


def without_repeats(marks: Iterable[Mark]) -> Iterator[Mark]:
    """The marks of a file without those that say no more than one before them: brokers speak often."""
    spoken: set[tuple[int, tuple[tuple[str, str], ...]]] = set()
    for mark in marks:
        who = mark.node, tuple(mark.labels.items())
        if mark.says is not Says.SPEAKS or who not in spoken:
            yield mark
        spoken.add(who)


@dataclass
class Process:
    """A process of a node: the epochs in which it led, and its version, or those that may be."""

    node: int
    epochs: list[int] = field(default_factory=list)
    version: str = ""
    may_be: set[str] = field(default_factory=set)

    @property
    def versions(self) -> set[str]:
        """Its version, if it is known; else those that may be."""
        return {self.version} if self.version else self.may_be


def processes_of(log: Sequence[Mark]) -> list[Process]:
    """The processes whose lines are in a log, from its marks in their order. Where no node says its number it is one.

    What stands before the first start of a node is of a process whose start is not here.
    """
    nodes = {mark.node for mark in log if mark.says is not Says.VERSION} or {UNKNOWN_BROKER}
    controllers = {mark.node for mark in log if mark.says is Says.STARTS_CONTROLLER}
    running = {node: Process(node) for node in nodes}
    found = list(running.values())
    unclaimed: list[tuple[Mark, tuple[Process, ...]]] = []

    def starts(node: int) -> None:
        running[node] = Process(node)
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

    def __init__(self, log: Iterable[Mark]) -> None:
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


def terms_of(logs: Iterable[Sequence[Mark]]) -> dict[int, str]:
    """The version of the controller of each epoch, from the marks of each log in their order."""
    return {
        epoch: version
        for log in logs
        for process in processes_of(log)
        if len(process.versions) == 1
        for version in process.versions
        for epoch in process.epochs
    }
