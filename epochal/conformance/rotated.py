"""The logs of brokers as they lie on a disk: a log is cut into files by its rotation, and put together again here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from epochal.evidence.broker_log import BrokerLog, events_of

STARTED = re.compile(r"\bKafka version: (\d+\.\d+(?:\.\d+)?)")
"""What every process says when it starts (AppInfoParser)."""

STAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]?\d*")
VERSION = "Kafka version: "

ROTATED = re.compile(r"[.-]\d[\d.-]*(?=$|\.log$)|\.(?:gz|bz2|xz)$")
"""What a rotation adds to the name of a log: a number or a day, and that it is compressed."""


@dataclass
class Noted:
    """What is noted of a file beside what brokers say in it: when it begins, and the versions that processes name."""

    begins: str = ""
    versions: set[str] = field(default_factory=set)

    def of(self, lines: Iterable[str]) -> Iterator[str]:
        """The same lines."""
        for line in lines:
            if not self.begins and (stamp := STAMP.search(line)) is not None:
                self.begins = stamp[0].replace("T", " ")
            if VERSION in line and (started := STARTED.search(line)) is not None:
                self.versions.add(started[1])
            yield line


@dataclass
class Logs:
    """The logs, file by file."""

    versions: set[str] = field(default_factory=set)
    files: list[tuple[str, BrokerLog]] = field(default_factory=list)

    def take(self, lines: Iterable[str], name: str) -> None:
        """What brokers say in a file."""
        noted = Noted()
        events, cut = events_of(noted.of(lines), name)
        self.versions |= noted.versions
        self.files.append((noted.begins, BrokerLog(name, tuple(events), tuple(cut))))

    def joined(self) -> tuple[BrokerLog, ...]:
        """Each log with all files into which it was rotated, in the order in which they begin.

        Only files of one log are put in order by time: a rotation moves them whole.
        """
        files: dict[str, list[BrokerLog]] = {}
        for _, log in sorted(self.files, key=lambda one: (one[0], one[1].name)):
            name = log.name
            while (shorter := ROTATED.sub("", name)) != name:
                name = shorter
            files.setdefault(name, []).append(log)
        return tuple(
            BrokerLog(
                name, tuple(one for log in parts for one in log.events), tuple(one for log in parts for one in log.cut)
            )
            for name, parts in sorted(files.items())
            if any(log.events or log.cut for log in parts)
        )
