"""The logs of brokers as they lie on a disk: a log is cut into files by its rotation, and put together again here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from epochal.evidence.broker_events import AnswerIgnored
from epochal.evidence.broker_log import BEGINS, BrokerLog, events_in
from epochal.evidence.files import EvidenceFile
from epochal.evidence.layouts import message_of, written_at

STARTED = re.compile(r"\bKafka version: (\d+\.\d+(?:\.\d+)?)")
"""What every process says when it starts (AppInfoParser)."""

REQUEST = "Completed request:"
"""A line of a request log at DEBUG (kafka.request.logger): what it tells is not used yet."""

VERSION = "Kafka version: "

ROTATED = re.compile(r"[.-]\d[\d.-]*(?=$|\.log$)|\.(?:gz|bz2|xz)$")
"""What a rotation adds to the name of a log: a number or a day, and that it is compressed."""


@dataclass
class Noted:
    """What is noted of a file beside what brokers say in it: when it begins, and the versions that processes name."""

    begins: str = ""
    versions: set[str] = field(default_factory=set)
    requests: int = 0

    def of(self, numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """The messages of these lines."""
        for number, line in numbered:
            if not self.begins:
                self.begins = written_at(line) or ""
            message = message_of(line)
            if VERSION in message and (started := STARTED.search(message)) is not None:
                self.versions.add(started[1])
            self.requests += REQUEST in message
            yield number, message


@dataclass
class Logs:
    """The logs, file by file."""

    versions: set[str] = field(default_factory=set)
    requests: int = 0
    files: list[tuple[str, BrokerLog]] = field(default_factory=list)

    def take(self, file: EvidenceFile) -> None:
        """What brokers say in a file. JSON may have escapes in its messages, so that all of its lines are looked at."""
        name, head = file.name, file.head().decode("utf-8", "replace").splitlines()
        noted = Noted(next(filter(None, map(written_at, head)), ""))
        is_json = any(line.startswith("{") for line in head)
        lines = enumerate(file.lines(), start=1) if is_json else file.lines_with((*BEGINS, VERSION, REQUEST))
        events, cut = events_in(noted.of(lines), name)
        self.versions |= noted.versions
        self.requests += noted.requests
        asides = [one for one in events if isinstance(one.event, AnswerIgnored)]
        told = [one for one in events if not isinstance(one.event, AnswerIgnored)]
        self.files.append((noted.begins, BrokerLog(name, tuple(told), tuple(cut), tuple(asides))))

    def joined(self) -> tuple[BrokerLog, ...]:
        """Each log with all files into which it was rotated, in the order in which they begin.

        Only files of one log are put in order by time: a rotation moves them whole. Where one of them has no time, or
        two have the same, the order is not known, and each is taken for itself.
        """
        found: dict[str, list[tuple[str, BrokerLog]]] = {}
        for begins, log in sorted(self.files, key=lambda one: (one[0], one[1].name)):
            name = log.name
            while (shorter := ROTATED.sub("", name)) != name:
                name = shorter
            found.setdefault(name, []).append((begins, log))
        logs: list[BrokerLog] = []
        for name, parts in sorted(found.items()):
            times = {begins for begins, _ in parts}
            if len(parts) == 1 or (len(times) == len(parts) and "" not in times):
                logs.append(_one(name, [log for _, log in parts]))
            else:
                logs += [log for _, log in parts]
        return tuple(log for log in logs if log.events or log.cut or log.asides)


def _one(name: str, parts: list[BrokerLog]) -> BrokerLog:
    return BrokerLog(
        name,
        events=tuple(one for log in parts for one in log.events),
        cut=tuple(one for log in parts for one in log.cut),
        asides=tuple(one for log in parts for one in log.asides),
    )
